/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/units.h"
#include "reports/compare.h"

#define LINKS 16

static void carry(struct digest *digest, const char *a, const char *b, enum plan_layer layer,
	uint64_t from_a, uint64_t from_b)
{
	struct digest_load *load = NULL;

	digest->has_loads = true;
	for (size_t i = 0; i < digest->load_count; i++)
		if (strcmp(digest->loads[i].a, a) == 0 && strcmp(digest->loads[i].b, b) == 0)
			load = &digest->loads[i];
	load = load ? load : digest_add_load(digest, a, b);
	load->from_a[layer] = from_a;
	load->from_b[layer] = from_b;
}

/* Rates of 100 Gb/s, up to 0.2 % from it, and a loss of 10 in a million. */
static void make(struct digest *digest, int night)
{
	*digest = (struct digest)DIGEST_INIT;
	snprintf(digest->fabric, sizeof(digest->fabric), "small-8");
	snprintf(digest->backend, sizeof(digest->backend), "sim");
	digest->ended = true;
	for (int i = 0; i < LINKS; i++) {
		struct digest_figure *loss;
		char name[32];

		snprintf(name, sizeof(name), "link %02d", i);
		digest_add(digest, DIGEST_LINK_RATE, name)->value =
			100e9 * (1 + 0.0005 * ((i * 7 + night * 5) % 9 - 4));
		loss = digest_add(digest, DIGEST_LINK_LOSS, name);
		loss->events = 10;
		loss->of = 1000000;
		loss->value = 1e-5;
	}
	carry(digest, "leaf1:9", "spine1:1", LAYER_PAIRS, 1000, 1000);
	digest_sort(digest);
}

static struct digest_figure *figure(struct digest *digest, enum digest_metric metric, int i)
{
	for (size_t k = 0; k < digest->figure_count; k++)
		if (digest->figures[k].metric == metric && i-- == 0)
			return &digest->figures[k];
	return NULL;
}

static void judge(struct digest *digest, const char *check, const char *culprit)
{
	struct finding *finding = findings_add(
		&digest->findings, check, "pairs", culprit ? VERDICT_FAIL : VERDICT_PASS);

	if (!culprit)
		return;
	finding->culprit_kind = CULPRIT_LINK;
	snprintf(finding->culprit, sizeof(finding->culprit), "%s", culprit);
}

/* Two nights of the same fabric that differ by noise, until a test changes them. */
struct nights {
	struct digest before, after;
	struct comparison comparison;
};

static void nights_make(struct nights *nights)
{
	make(&nights->before, 1);
	make(&nights->after, 2);
}

static void nights_compare(struct nights *nights)
{
	struct diag diag;

	assert_int_equal(
		compare_make(&nights->comparison, &nights->before, &nights->after, &diag), 0);
}

static void nights_free(struct nights *nights)
{
	compare_free(&nights->comparison);
	digest_free(&nights->before);
	digest_free(&nights->after);
}

static void noise_is_no_change(void **state)
{
	struct nights nights;

	(void)state;
	nights_make(&nights);
	nights_compare(&nights);
	assert_int_equal(nights.comparison.count, 2 * LINKS);
	assert_int_equal(nights.comparison.worse + nights.comparison.better, 0);
	assert_int_equal(compare_status(&nights.comparison), 0);
	nights_free(&nights);
}

static void one_slow_link_and_one_lossy_one_are_named(void **state)
{
	struct nights nights;

	(void)state;
	nights_make(&nights);
	figure(&nights.after, DIGEST_LINK_RATE, 5)->value *= 0.97;
	figure(&nights.after, DIGEST_LINK_RATE, 6)->value *= 1.03;
	figure(&nights.after, DIGEST_LINK_LOSS, 9)->events = 60;
	figure(&nights.after, DIGEST_LINK_LOSS, 9)->value = 6e-5;
	nights_compare(&nights);
	assert_int_equal(nights.comparison.worse, 2);
	assert_int_equal(nights.comparison.better, 1);
	for (size_t i = 0; i < nights.comparison.count; i++)
		if (nights.comparison.rows[i].change == CHANGE_WORSE)
			assert_true(strcmp(nights.comparison.rows[i].before->subject,
					    "link 05") == 0 ||
				    strcmp(nights.comparison.rows[i].before->subject,
					    "link 09") == 0);
	assert_int_equal(compare_status(&nights.comparison), 1);
	nights_free(&nights);
}

static void a_change_of_all_is_no_noise(void **state)
{
	struct nights nights;

	(void)state;
	nights_make(&nights);
	for (int i = 0; i < LINKS; i++)
		figure(&nights.after, DIGEST_LINK_RATE, i)->value *= 0.9;
	nights_compare(&nights);
	assert_int_equal(nights.comparison.worse, LINKS);
	nights_free(&nights);
}

static void few_figures_tell_no_noise_and_five_percent_is_asked(void **state)
{
	struct nights nights = { .before = DIGEST_INIT, .after = DIGEST_INIT };

	(void)state;
	nights.before.ended = nights.after.ended = true;
	digest_add(&nights.before, DIGEST_NIC_SENT, "host1")->value = 97e9;
	digest_add(&nights.after, DIGEST_NIC_SENT, "host1")->value = 97e9 * 0.96;
	digest_add(&nights.before, DIGEST_NIC_SENT, "host2")->value = 97e9;
	digest_add(&nights.after, DIGEST_NIC_SENT, "host2")->value = 97e9 * 0.94;
	nights_compare(&nights);
	assert_int_equal(nights.comparison.rows[0].change, CHANGE_NONE);
	assert_int_equal(nights.comparison.rows[1].change, CHANGE_WORSE);
	nights_free(&nights);
}

/* What the two runs say of link.flap at leaf1:9-spine1:1; NULL: it passed, "": nothing was
 * sent over it */
static const struct {
	const char *name, *before, *after;
	enum turn turn;
	int status;
} turned[] = {
	{ "new", NULL, "leaf1:9-spine1:1", TURN_NEW, 1 },
	{ "persisting", "leaf1:9-spine1:1", "leaf1:9-spine1:1", TURN_PERSISTING, 0 },
	{ "persisting, named by one direction", "leaf1:9-spine1:1", "spine1:1->leaf1:9",
		TURN_PERSISTING, 0 },
	{ "fixed", "leaf1:9-spine1:1", NULL, TURN_FIXED, 0 },
	{ "unseen", "leaf1:9-spine1:1", "", TURN_UNSEEN, 2 },
};

static void findings_turn_new_persisting_fixed_or_unseen(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(turned); i++) {
		struct nights nights;

		print_message("%s\n", turned[i].name);
		make(&nights.before, 1);
		make(&nights.after, 1);
		judge(&nights.before, "link.flap", turned[i].before);
		if (turned[i].after && !turned[i].after[0])
			nights.after.load_count = 0;
		else
			judge(&nights.after, "link.flap", turned[i].after);
		nights_compare(&nights);
		assert_int_equal(nights.comparison.turns.count, 1);
		assert_int_equal(nights.comparison.turns.items[0].turn, turned[i].turn);
		assert_int_equal(compare_status(&nights.comparison), turned[i].status);
		nights_free(&nights);
	}
}

/* A failure of the first run, and what the second did; NULL: it is fixed. */
static const struct {
	const char *name, *check, *layer, *culprit;
	enum culprit_kind kind;
	uint64_t then[2], now[2]; /* packets up and down host1-leaf1:1 in the layer pairs */
	const char *answer;       /* a check of the second run */
	enum verdict said;
	const char *why;
} lookings[] = {
	{ "a link under the same load", "link.flap", "pairs", "host1-leaf1:1", CULPRIT_LINK,
		{ 1000, 900 }, { 1000, 900 }, NULL, VERDICT_PASS, NULL },
	{ "one direction of it", "link.flap", "pairs", "leaf1:1->host1", CULPRIT_LINK,
		{ 1000, 900 }, { 1000, 900 }, NULL, VERDICT_PASS, NULL },
	{ "nothing was sent over it", "link.flap", "pairs", "host1-leaf1:1", CULPRIT_LINK,
		{ 1000, 900 }, { 0, 0 }, "link.flap", VERDICT_PASS, "nothing was sent" },
	{ "a fourth is enough", "link.flap", "pairs", "host1-leaf1:1", CULPRIT_LINK,
		{ 1000, 1000 }, { 250, 250 }, NULL, VERDICT_PASS, NULL },
	{ "and less is not", "link.flap", "pairs", "host1-leaf1:1", CULPRIT_LINK,
		{ 1000, 1000 }, { 1000, 249 }, NULL, VERDICT_PASS, "too little" },
	{ "in another layer", "link.flap", "ring", "host1-leaf1:1", CULPRIT_LINK, { 1000, 900 },
		{ 1000, 900 }, NULL, VERDICT_PASS, "in the layer that failed" },
	{ "a check of the plan is made in any layer", "link.down", "plan", "host1-leaf1:1",
		CULPRIT_LINK, { 0, 0 }, { 1000, 900 }, NULL, VERDICT_PASS, NULL },
	{ "unless it could not tell", "link.down", "plan", "host1-leaf1:1", CULPRIT_LINK,
		{ 0, 0 }, { 1000, 900 }, "link.carrier", VERDICT_UNKNOWN, "could not tell" },
	{ "a NIC", "nic.dscp-map", "class", "host1", CULPRIT_NIC, { 1000, 900 }, { 1000, 900 },
		NULL, VERDICT_PASS, NULL },
	{ "a NIC that hardly sent", "nic.dscp-map", "class", "host1", CULPRIT_NIC,
		{ 1000, 900 }, { 10, 900 }, NULL, VERDICT_PASS, "too little" },
	{ "a NIC of which the pauses were not read", "nic.slow-receiver", "pairs", "host1",
		CULPRIT_NIC, { 1000, 900 }, { 1000, 900 }, NULL, VERDICT_PASS, "not measured" },
	{ "a host", "link.flap", "pairs", "host1", CULPRIT_HOST, { 1000, 900 }, { 1000, 900 },
		NULL, VERDICT_PASS, NULL },
	{ "another host", "link.flap", "pairs", "host11", CULPRIT_HOST, { 1000, 900 },
		{ 1000, 900 }, NULL, VERDICT_PASS, "nothing was sent" },
	{ "a port", "port.mtu", "pairs", "leaf1:1", CULPRIT_PORT, { 1000, 900 }, { 1000, 900 },
		NULL, VERDICT_PASS, NULL },
	{ "a switch", "switch.ttl", "pairs", "leaf1", CULPRIT_SWITCH, { 1000, 900 },
		{ 1000, 900 }, NULL, VERDICT_PASS, NULL },
	{ "a switch that nobody drove to pause", "switch.pfc-off", "pairs", "leaf1",
		CULPRIT_SWITCH, { 1000, 900 }, { 1000, 900 }, NULL, VERDICT_PASS, "not made" },
	{ "a switch that paused", "switch.pfc-off", "pairs", "leaf1", CULPRIT_SWITCH,
		{ 1000, 900 }, { 1000, 900 }, "switch.pfc", VERDICT_PASS, NULL },
	{ "a setting, everything under load and passed", "ring.busbw", "pairs", "policy.ecn",
		CULPRIT_SETTING, { 1000, 900 }, { 1000, 900 }, "ring.busbw", VERDICT_PASS,
		NULL },
	{ "a setting, and the check not made", "ring.busbw", "pairs", "policy.ecn",
		CULPRIT_SETTING, { 1000, 900 }, { 1000, 900 }, NULL, VERDICT_PASS, "not made" },
	{ "not located, and a host left out", "pairs.bandwidth", "pairs", "", CULPRIT_UNLOCATED,
		{ 1000, 900 }, { 0, 0 }, "pairs.bandwidth", VERDICT_PASS, "not all" },
	{ "a capture that was not made again", "wire.loss", "wire", "a -> b", CULPRIT_LINK,
		{ 1000, 900 }, { 1000, 900 }, NULL, VERDICT_PASS, "not made" },
	{ "a capture that was", "wire.loss", "wire", "a -> b", CULPRIT_LINK, { 1000, 900 },
		{ 1000, 900 }, "wire.loss", VERDICT_PASS, NULL },
};

static void compare_looking(struct nights *nights, size_t i, const char *why)
{
	const struct turned *told;
	enum turn expected = why ? TURN_UNSEEN : TURN_FIXED;

	nights_compare(nights);
	assert_int_equal(nights->comparison.turns.count, 1);
	told = &nights->comparison.turns.items[0];
	if (told->turn != expected || (why && !strstr(told->why, why)))
		fail_msg("%s: %d, %s", lookings[i].name, told->turn,
			told->why ? told->why : "nothing said");
	assert_int_equal(compare_status(&nights->comparison), why ? 2 : 0);
	compare_free(&nights->comparison);
}

static void fixed_needs_proof_that_the_culprit_was_looked_at(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(lookings); i++) {
		struct finding *finding;
		struct nights nights;

		make(&nights.before, 1);
		make(&nights.after, 1);
		finding = findings_add(&nights.before.findings, lookings[i].check,
			lookings[i].layer, VERDICT_FAIL);
		finding->culprit_kind = lookings[i].kind;
		snprintf(finding->culprit, sizeof(finding->culprit), "%s", lookings[i].culprit);
		carry(&nights.before, "host1", "leaf1:1", LAYER_PAIRS, lookings[i].then[0],
			lookings[i].then[1]);
		carry(&nights.after, "host1", "leaf1:1", LAYER_PAIRS, lookings[i].now[0],
			lookings[i].now[1]);
		if (lookings[i].answer)
			findings_add(&nights.after.findings, lookings[i].answer, "pairs",
				lookings[i].said);
		compare_looking(&nights, i, lookings[i].why);
		nights.after.has_loads = false; /* as of version 1 */
		if (strcmp(lookings[i].layer, "wire") != 0 &&
			lookings[i].said != VERDICT_UNKNOWN)
			compare_looking(&nights, i, "not known");
		digest_free(&nights.before);
		digest_free(&nights.after);
	}
}

static void add_stage(struct digest *digest, const char *name, bool complete)
{
	struct digest_stage *stage;

	digest->stages =
		realloc(digest->stages, (digest->stage_count + 1) * sizeof(*digest->stages));
	assert_non_null(digest->stages);
	stage = &digest->stages[digest->stage_count++];
	*stage = (struct digest_stage){ .complete = complete };
	snprintf(stage->name, sizeof(stage->name), "%s", name);
}

/* A run that was interrupted, failed nowhere, and counted nothing; the one after it. */
static const struct {
	const char *name;
	const char *now[2]; /* stages */
	bool complete, passes;
	const char *why; /* NULL: it is fixed */
} cut_shorts[] = {
	{ "the same stages", { "pairs-1", "incast-3" }, true, true, NULL },
	{ "not all of them", { "pairs-1", NULL }, true, true, "not all" },
	{ "the last not to its end", { "pairs-1", "incast-3" }, false, true, "not all" },
	{ "without the check", { "pairs-1", "incast-3" }, true, false, "not made" },
};

static struct finding *fail_unlocated(struct digest *digest)
{
	struct finding *finding =
		findings_add(&digest->findings, "lossless.loss", "lossless", VERDICT_FAIL);

	finding->culprit_kind = CULPRIT_UNLOCATED;
	return finding;
}

static void a_run_that_was_cut_short_is_answered_by_all_its_stages(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cut_shorts); i++) {
		const char *why = cut_shorts[i].why;
		const struct turned *told;
		struct nights nights;

		print_message("%s\n", cut_shorts[i].name);
		nights_make(&nights);
		nights.before.load_count = 0;
		nights.before.interrupted = true;
		add_stage(&nights.before, "pairs-1", true);
		add_stage(&nights.before, "incast-3", false);
		fail_unlocated(&nights.before);
		add_stage(&nights.after, cut_shorts[i].now[0], true);
		if (cut_shorts[i].now[1])
			add_stage(&nights.after, cut_shorts[i].now[1], cut_shorts[i].complete);
		if (cut_shorts[i].passes)
			findings_add(&nights.after.findings, "lossless.loss", "lossless",
				VERDICT_PASS);
		nights_compare(&nights);
		assert_int_equal(nights.comparison.turns.count, 1);
		told = &nights.comparison.turns.items[0];
		assert_int_equal(told->turn, why ? TURN_UNSEEN : TURN_FIXED);
		if (why)
			assert_non_null(strstr(told->why, why));
		nights_free(&nights);
	}
}

static struct finding *fail_at(struct digest *digest, const char *check, enum finding_rank rank,
	enum culprit_kind kind, const char *culprit)
{
	struct finding *finding = findings_add(&digest->findings, check, "pairs", VERDICT_FAIL);

	finding->rank = rank;
	finding->culprit_kind = kind;
	snprintf(finding->culprit, sizeof(finding->culprit), "%s", culprit);
	return finding;
}

/* Three runs: the second says of what was not located that it is another matter than the cause
 * that it tells of; of the third nobody knows. */
static void what_is_located_elsewhere_stays_open(void **state)
{
	struct digest runs[3];
	const struct digest *const all[] = { &runs[0], &runs[1], &runs[2] };
	struct turns turns;

	(void)state;
	for (int i = 0; i < 3; i++)
		make(&runs[i], i + 1);
	fail_at(&runs[0], "ring.busbw", RANK_SYMPTOM, CULPRIT_UNLOCATED, "");
	fail_at(&runs[1], "ring.busbw", RANK_SYMPTOM, CULPRIT_NOT_NETWORK, "host3");
	fail_at(&runs[1], "link.loss", RANK_CAUSE, CULPRIT_LINK, "leaf1:9-spine1:1");
	turns_make(&turns, all, 2);
	assert_int_equal(turns.each[TURN_NEW], 1);
	turns_free(&turns);
	turns_make(&turns, all, 3);
	assert_int_equal(turns.each[TURN_UNSEEN], 2);
	turns_free(&turns);
	fail_at(&runs[2], "ring.busbw", RANK_CAUSE, CULPRIT_NOT_NETWORK, "host3");
	turns_make(&turns, all, 3);
	assert_int_equal(turns.each[TURN_PERSISTING], 1);
	assert_int_equal(turns.each[TURN_NEW], 0);
	turns_free(&turns);
	for (int i = 0; i < 3; i++)
		digest_free(&runs[i]);
}

static void what_was_not_located_is_what_the_next_run_locates(void **state)
{
	struct finding *cause;
	struct nights nights;

	(void)state;
	nights_make(&nights);
	fail_unlocated(&nights.before);
	fail_unlocated(&nights.after)->culprit_kind = CULPRIT_LINK;
	nights.after.findings.items[0].rank = RANK_SYMPTOM;
	cause = findings_add(&nights.after.findings, "link.loss", "pairs", VERDICT_FAIL);
	cause->rank = RANK_CAUSE;
	nights_compare(&nights);
	assert_int_equal(nights.comparison.turns.count, 1);
	assert_int_equal(nights.comparison.turns.items[0].turn, TURN_NEW);
	assert_string_equal(nights.comparison.turns.items[0].finding->check, "link.loss");
	nights_free(&nights);
}

/* At the old ratio 10 packets in a million are 5 of half a million, and 4 of less. */
static void few_packets_do_not_prove_that_a_loss_is_gone(void **state)
{
	struct nights nights;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct digest_figure *loss;

		nights_make(&nights);
		for (int k = 0; k < 2; k++) {
			struct digest *digest = k ? &nights.after : &nights.before;

			loss = digest_add(digest, DIGEST_LINK_LOSS, "host1-leaf1:1");
			loss->events = k ? 0 : 10;
			loss->of = k ? (i ? 400000 : 500000) : 1000000;
			loss->value = k ? 0 : 1e-5;
			digest_sort(digest);
			carry(digest, "host1", "leaf1:1", LAYER_PAIRS, 1000, 1000);
		}
		judge(&nights.before, "link.loss", "host1-leaf1:1");
		nights_compare(&nights);
		assert_int_equal(nights.comparison.turns.each[i ? TURN_UNSEEN : TURN_FIXED], 1);
		nights_free(&nights);
	}
}

/* Other seeds and profiles draw other partners: what NICs, pairs and stages did then means
 * something else, and what links did does not. */
static void what_was_drawn_otherwise_is_not_compared(void **state)
{
	struct digest_figure *before, *after;
	char why[COMPARE_WHY];
	struct nights nights;

	(void)state;
	for (int i = 0; i < 3; i++) {
		nights_make(&nights);
		before = digest_add(&nights.before, DIGEST_STAGE_GOODPUT, "ring");
		after = digest_add(&nights.after, DIGEST_STAGE_GOODPUT, "ring");
		before->value = 500e9;
		after->value = 300e9;
		before->draw = 11;
		after->draw = i == 0 ? 11 : 12;
		nights.after.seed = i == 1 ? 2 : 0;
		snprintf(nights.after.profile, sizeof(nights.after.profile),
			i == 2 ? "quick" : "");
		if (i == 2)
			figure(&nights.after, DIGEST_LINK_RATE, 5)->value *= 0.9;
		nights_compare(&nights);
		assert_int_equal(nights.comparison.apart, i > 0);
		assert_int_equal(compare_status(&nights.comparison), i == 1 ? 2 : 1);
		compare_why_apart(why, sizeof(why), &nights.comparison);
		assert_non_null(strstr(why, i == 1   ? "seeds, 0 and 2"
					    : i == 2 ? "profiles"
						     : "other stages"));
		nights_free(&nights);
	}
}

static void what_only_the_first_run_measured_is_unknown(void **state)
{
	struct nights nights;

	(void)state;
	nights_make(&nights);
	nights.after.figure_count--;
	nights_compare(&nights);
	assert_int_equal(nights.comparison.only_before, 1);
	assert_int_equal(compare_status(&nights.comparison), 2);
	nights_free(&nights);
}

static void what_cannot_be_compared_is_refused_or_unknown(void **state)
{
	struct nights nights;
	struct diag diag;

	(void)state;
	make(&nights.before, 1);
	make(&nights.after, 1);
	nights.after.interrupted = true;
	nights_compare(&nights);
	assert_int_equal(compare_status(&nights.comparison), 2);
	compare_free(&nights.comparison);
	snprintf(nights.after.backend, sizeof(nights.after.backend), "verbs");
	assert_int_equal(compare_make(&nights.comparison, &nights.before, &nights.after, &diag),
		-EINVAL);
	assert_non_null(strstr(diag.text, "verbs"));
	snprintf(nights.after.fabric, sizeof(nights.after.fabric), "other");
	assert_int_equal(compare_make(&nights.comparison, &nights.before, &nights.after, &diag),
		-EINVAL);
	assert_non_null(strstr(diag.text, "other"));
	digest_free(&nights.before);
	digest_free(&nights.after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_is_no_change),
		cmocka_unit_test(one_slow_link_and_one_lossy_one_are_named),
		cmocka_unit_test(a_change_of_all_is_no_noise),
		cmocka_unit_test(few_figures_tell_no_noise_and_five_percent_is_asked),
		cmocka_unit_test(findings_turn_new_persisting_fixed_or_unseen),
		cmocka_unit_test(fixed_needs_proof_that_the_culprit_was_looked_at),
		cmocka_unit_test(a_run_that_was_cut_short_is_answered_by_all_its_stages),
		cmocka_unit_test(what_is_located_elsewhere_stays_open),
		cmocka_unit_test(what_was_not_located_is_what_the_next_run_locates),
		cmocka_unit_test(few_packets_do_not_prove_that_a_loss_is_gone),
		cmocka_unit_test(what_was_drawn_otherwise_is_not_compared),
		cmocka_unit_test(what_only_the_first_run_measured_is_unknown),
		cmocka_unit_test(what_cannot_be_compared_is_refused_or_unknown),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
