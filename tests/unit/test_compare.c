/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/units.h"
#include "reports/compare.h"

#define LINKS 16

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

/* What the two runs say of link.loss at leaf1:9-spine1:1; NULL: it passed, "": unasked */
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
		judge(&nights.before, "link.loss", turned[i].before);
		if (!turned[i].after || turned[i].after[0])
			judge(&nights.after, "link.loss", turned[i].after);
		nights_compare(&nights);
		assert_int_equal(nights.comparison.turns.count, 1);
		assert_int_equal(nights.comparison.turns.items[0].turn, turned[i].turn);
		assert_int_equal(compare_status(&nights.comparison), turned[i].status);
		nights_free(&nights);
	}
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
		cmocka_unit_test(what_cannot_be_compared_is_refused_or_unknown),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
