/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Nights made up by a seed: LINKS links, NICS NICs, pairs and stages, each rate with
 * normal noise and now and then a bad night, each loss by Poisson. What is asked is
 * what an operator asks: is the bad link named in time, and is anybody else?
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/grow.h"
#include "lib/rng.h"
#include "lib/units.h"
#include "reports/history.h"

#define NIGHTS 30
#define LINKS 64
#define NICS 32
#define SEEDS_USUAL 20 /* the suite long runs 100 */
#define PACKETS 1000000

#define WORSE_LINK "link 7"   /* loses 0.3 % of its rate a night */
#define LOSSY_LINK "link 11"  /* loses 10 packets in a million more each night */
#define BETTER_LINK "link 23" /* gains 0.3 % a night */

struct nights {
	struct digest digests[NIGHTS];
	struct history_run runs[NIGHTS];
};

static double uniform(struct rng *rng)
{
	return (double)(rng_u64(rng) >> 11) / 9007199254740992.0;
}

static double normal(struct rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(rng);
	return sum;
}

static uint64_t poisson(struct rng *rng, double mean)
{
	double product = uniform(rng), least = exp(-mean);
	uint64_t count = 0;

	for (; product > least; count++)
		product *= uniform(rng);
	return count;
}

/* 0.2 % of normal noise, and in one night of a hundred up to 5 % less. */
static double noisy(struct rng *rng, double rate)
{
	rate *= 1 + 0.002 * normal(rng);
	return rng_below(rng, 100) == 0 ? rate * (1 - 0.05 * uniform(rng)) : rate;
}

static void add_rate(
	struct digest *digest, enum digest_metric metric, const char *kind, int i, double rate)
{
	char subject[32];

	snprintf(subject, sizeof(subject), "%s %d", kind, i);
	digest_add(digest, metric, subject)->value = rate;
}

static void add_counts(struct digest *digest, enum digest_metric metric, const char *kind,
	int i, uint64_t events)
{
	struct digest_figure *figure;
	char subject[32];

	snprintf(subject, sizeof(subject), "%s %d", kind, i);
	figure = digest_add(digest, metric, subject);
	figure->events = events;
	figure->of = PACKETS;
	figure->value = (double)events / PACKETS;
}

static double link_rate(struct rng *rng, int link, int night, bool faulty)
{
	double rate = noisy(rng, 100e9);

	if (faulty && link == 7)
		rate *= 1 - 0.003 * night;
	if (faulty && link == 23)
		rate *= 0.9 + 0.003 * night;
	return rate;
}

static void make_night(struct digest *digest, struct rng *rng, int night, bool faulty)
{
	struct digest_load *carried;

	*digest = (struct digest)DIGEST_INIT;
	digest->ended = true;
	digest->stages = zeroed(1, sizeof(*digest->stages));
	digest->stage_count = 1;
	digest->stages[0].complete = true;
	digest->has_loads = true;
	carried = digest_add_load(digest, "host6", "leaf2:2");
	carried->from_a[LAYER_PAIRS] = carried->from_b[LAYER_PAIRS] = PACKETS;
	for (int i = 0; i < LINKS; i++) {
		double lossy = faulty && i == 11 ? 10.0 * night : 0;

		add_rate(digest, DIGEST_LINK_RATE, "link", i, link_rate(rng, i, night, faulty));
		/* every fourth link loses some, and always has */
		add_counts(digest, DIGEST_LINK_LOSS, "link", i,
			poisson(rng, i % 4 == 0 ? 20 : 0.1 + lossy));
	}
	for (int i = 0; i < NICS; i++) {
		add_rate(digest, DIGEST_NIC_SENT, "nic", i, noisy(rng, 97e9));
		add_rate(digest, DIGEST_NIC_RECEIVED, "nic", i, noisy(rng, 97e9));
		add_rate(digest, DIGEST_PAIR_GOODPUT, "pair", i, noisy(rng, 96e9));
		add_rate(digest, DIGEST_NIC_PAUSE, "nic", i, 0); /* as in a sound fabric */
	}
	digest_sort(digest);
}

static struct nights *make_nights(uint64_t seed, bool faulty)
{
	struct nights *nights = calloc(1, sizeof(*nights));
	struct rng rng;

	assert_non_null(nights);
	rng_init(&rng, seed);
	for (int i = 0; i < NIGHTS; i++) {
		make_night(&nights->digests[i], &rng, i, faulty);
		snprintf(nights->runs[i].name, sizeof(nights->runs[i].name), "night-%02d", i);
		nights->runs[i].digest = &nights->digests[i];
	}
	return nights;
}

static void free_nights(struct nights *nights)
{
	for (int i = 0; i < NIGHTS; i++)
		digest_free(&nights->digests[i]);
	free(nights);
}

static bool is_claimed(const struct history *history, enum claim_kind kind, enum change change,
	const char *subject)
{
	for (size_t i = 0; i < history->count; i++)
		if (history->claims[i].kind == kind && history->claims[i].change == change &&
			strcmp(history->claims[i].subject, subject) == 0)
			return true;
	return false;
}

/* Claims of something worse about anybody else. */
static int count_false(const struct history *history)
{
	int count = 0;

	for (size_t i = 0; i < history->count; i++) {
		const struct claim *claim = &history->claims[i];
		bool expected = strcmp(claim->subject, WORSE_LINK) == 0 ||
				strcmp(claim->subject, LOSSY_LINK) == 0;

		if (claim->change == CHANGE_WORSE && !expected) {
			print_message("%s %s %s p %g, %zu runs\n",
				claim->kind == CLAIM_DRIFT ? "drift" : "step",
				digest_info(claim->metric)->name, claim->subject, claim->p,
				claim->runs);
			count++;
		}
	}
	return count;
}

struct score {
	int rate, loss, better; /* seeds in which it was named by night 10 */
	int lost;               /* nights after that in which the slow link was not named */
	int wrong;              /* false claims, all nights */
};

static void score_seed(struct score *score, uint64_t seed)
{
	struct nights *nights = make_nights(seed, true);

	for (size_t night = HISTORY_LEAST; night <= NIGHTS; night++) {
		struct history history;
		bool slow;

		history_make(&history, nights->runs, night, HISTORY_NONE);
		slow = is_claimed(&history, CLAIM_DRIFT, CHANGE_WORSE, WORSE_LINK);
		if (night == 10) {
			score->rate += slow;
			score->loss +=
				is_claimed(&history, CLAIM_DRIFT, CHANGE_WORSE, LOSSY_LINK);
			score->better +=
				is_claimed(&history, CLAIM_DRIFT, CHANGE_BETTER, BETTER_LINK);
		}
		score->lost += night > 10 && !slow;
		score->wrong += count_false(&history);
		history_free(&history);
	}
	free_nights(nights);
}

static int seeds = SEEDS_USUAL;

static void a_slow_drift_is_named_by_night_ten_and_nobody_else_is(void **state)
{
	struct score score = { 0 };

	(void)state;
	for (int seed = 1; seed <= seeds; seed++)
		score_seed(&score, (uint64_t)seed);
	print_message("by night 10, of %d seeds: rate %d, loss %d, better %d; later nights "
		      "without it %d; false %d\n",
		seeds, score.rate, score.loss, score.better, score.lost, score.wrong);
	assert_true(score.rate * 100 >= seeds * 95);
	assert_true(score.loss * 100 >= seeds * 95);
	assert_true(score.better * 100 >= seeds * 95);
	assert_true(score.lost * 100 <= seeds * 20); /* of 20 nights a seed: 1 % */
	assert_int_equal(score.wrong, 0);
}

/* A link as the test wants it, and the rest with noise. */
static void change_link(struct nights *nights, int night, const char *subject, double factor)
{
	struct digest *digest = &nights->digests[night];
	size_t i = 0;

	while (digest->figures[i].metric != DIGEST_LINK_RATE ||
		strcmp(digest->figures[i].subject, subject) != 0)
		i++;
	digest->figures[i].value *= factor;
}

static size_t worse_after(struct nights *nights, size_t night, enum claim_kind *kind)
{
	struct history history;
	size_t worse;

	history_make(&history, nights->runs, night, HISTORY_NONE);
	worse = history.worse;
	if (worse)
		*kind = history.claims[0].kind;
	history_free(&history);
	return worse;
}

static void a_step_is_named_on_its_third_night_and_no_more_when_it_is_repaired(void **state)
{
	struct nights *nights = make_nights(5, false);
	enum claim_kind kind = CLAIM_DRIFT;

	(void)state;
	for (int night = 15; night < 20; night++)
		change_link(nights, night, "link 3", 0.97);
	assert_int_equal(worse_after(nights, 15, &kind), 0);
	assert_int_equal(worse_after(nights, 17, &kind), 0);
	assert_int_equal(worse_after(nights, 18, &kind), 1);
	assert_int_equal(kind, CLAIM_STEP);
	assert_int_equal(worse_after(nights, 20, &kind), 1);
	assert_int_equal(worse_after(nights, 21, &kind), 0);
	assert_int_equal(worse_after(nights, 30, &kind), 0);
	free_nights(nights);
}

static void two_bad_nights_in_a_row_are_no_step(void **state)
{
	struct nights *nights = make_nights(6, false);
	enum claim_kind kind;

	(void)state;
	change_link(nights, 20, "link 3", 0.5);
	change_link(nights, 21, "link 3", 0.5);
	assert_int_equal(worse_after(nights, 22, &kind), 0);
	free_nights(nights);
}

static void a_repaired_drift_is_named_no_more(void **state)
{
	struct nights *nights = make_nights(7, false);
	enum claim_kind kind;

	(void)state;
	for (int night = 0; night < 14; night++)
		change_link(nights, night, "link 3", 1 - 0.004 * night);
	assert_int_equal(worse_after(nights, 14, &kind), 1);
	assert_int_equal(kind, CLAIM_DRIFT);
	assert_int_equal(worse_after(nights, 15, &kind), 0);
	free_nights(nights);
}

/* The median has followed a link that was slow all along; the baseline has not. */
static void a_baseline_remembers_what_the_median_forgot(void **state)
{
	struct nights *nights = make_nights(8, false);
	struct history history;

	(void)state;
	for (int night = 1; night < 12; night++)
		change_link(nights, night, "link 3", 0.95);
	history_make(&history, nights->runs, 12, HISTORY_NONE);
	assert_int_equal(history.worse, 0);
	assert_int_equal(history_status(&history), 0);
	history_free(&history);
	history_make(&history, nights->runs, 12, 0);
	assert_int_equal(history.worse, 1);
	assert_int_equal(history.claims[0].kind, CLAIM_STEP);
	assert_string_equal(history.claims[0].subject, "link 3");
	assert_int_equal(history_status(&history), 1);
	history_free(&history);
	free_nights(nights);
}

static void too_few_nights_are_unknown_and_not_a_pass(void **state)
{
	struct nights *nights = make_nights(9, true);
	struct history history;

	(void)state;
	for (size_t night = 1; night < HISTORY_LEAST; night++) {
		history_make(&history, nights->runs, night, HISTORY_NONE);
		assert_int_equal(history.count, 0);
		assert_int_equal(history_status(&history), 2);
		history_free(&history);
	}
	free_nights(nights);
}

static void fail_at(struct digest *digest)
{
	struct finding *finding =
		findings_add(&digest->findings, "link.flap", "pairs", VERDICT_FAIL);

	finding->culprit_kind = CULPRIT_LINK;
	snprintf(finding->culprit, sizeof(finding->culprit), "host6-leaf2:2");
}

/* Nights of one link: F it failed, . it passed, 0 nothing ran, i interrupted, - nothing was sent
 * over it; and what the last night says of it. */
static const struct {
	const char *nights;
	int turn; /* -1: nothing */
	int status;
} courses[] = {
	{ "F", TURN_NEW, 1 },
	{ ".F", TURN_NEW, 1 },
	{ "FF", TURN_PERSISTING, 2 },
	{ "F0F", TURN_PERSISTING, 2 },
	{ "F0i--F", TURN_PERSISTING, 2 },
	{ "F.F", TURN_NEW, 1 },
	{ "F0.0F", TURN_NEW, 1 },
	{ "F0", TURN_UNSEEN, 2 },
	{ "F-", TURN_UNSEEN, 2 },
	{ "F--", TURN_UNSEEN, 2 },
	{ "F-.", TURN_FIXED, 2 },
	{ "F..", -1, 2 },
	{ "........", -1, 0 },
	{ ".......0", -1, 2 },
	{ ".......i", -1, 2 },
	{ "........i", -1, 2 },
	{ "........0", -1, 2 },
	{ "........-", -1, 0 },
	{ ".......F-", TURN_UNSEEN, 2 },
	{ "0", -1, 2 },
};

static void apply(struct digest *digest, char night)
{
	if (night == 'F')
		fail_at(digest);
	if (night == '0' || night == '-')
		digest->load_count = 0;
	if (night == '0') {
		digest->stages[0].complete = false;
		digest->figure_count = 0;
	}
	digest->interrupted = night == 'i';
	if (night == 'i')
		digest->loads[0].from_a[LAYER_PAIRS] = 10;
}

static void a_failure_stays_open_until_a_night_has_looked_at_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(courses); i++) {
		struct nights *nights = make_nights(11, false);
		size_t count = strlen(courses[i].nights), whole = 0;
		struct history history;

		print_message("%s\n", courses[i].nights);
		for (size_t k = 0; k < count; k++) {
			apply(&nights->digests[k], courses[i].nights[k]);
			whole += strchr("F.-", courses[i].nights[k]) != NULL;
		}
		history_make(&history, nights->runs, count, HISTORY_NONE);
		assert_int_equal(history.whole, whole);
		assert_int_equal(history.turns.count, courses[i].turn >= 0);
		if (courses[i].turn >= 0)
			assert_int_equal(history.turns.items[0].turn, courses[i].turn);
		assert_int_equal(history_status(&history), courses[i].status);
		history_free(&history);
		free_nights(nights);
	}
}

/* Nights that were cut short say little, and are not counted; nor are those in which a NIC
 * sent something else. */
static void only_whole_nights_that_sent_the_same_count(void **state)
{
	struct nights *nights = make_nights(12, false);
	struct history history;

	(void)state;
	for (int night = 9; night < 12; night++) {
		change_link(nights, night, "link 3", 0.5);
		nights->digests[night].interrupted = true;
	}
	for (int night = 13; night < 16; night++)
		for (size_t i = 0; i < nights->digests[night].figure_count; i++) {
			struct digest_figure *figure = &nights->digests[night].figures[i];

			if (figure->metric != DIGEST_NIC_SENT)
				continue;
			figure->draw = 1;
			figure->value *= 0.5;
		}
	history_make(&history, nights->runs, 12, HISTORY_NONE);
	assert_int_equal(history.worse, 0);
	assert_int_equal(history.whole, 9);
	history_free(&history);
	nights->digests[0].seed = 1; /* so that no two nights are taken for alike by it */
	for (int night = 1; night < 16; night++)
		nights->digests[night].seed = (uint64_t)night + 1;
	history_make(&history, nights->runs, 16, HISTORY_NONE);
	assert_int_equal(history.worse, 0);
	history_free(&history);
	free_nights(nights);
}

static void a_baseline_is_old_after_a_month(void **state)
{
	struct nights *nights = make_nights(13, false);
	char advice[ADVICE_TEXT];
	struct history history;

	(void)state;
	history_make(&history, nights->runs, NIGHTS, 0);
	history_advice(advice, sizeof(advice), &history);
	assert_string_equal(advice, "");
	history.behind = HISTORY_AGE; /* in the folder; the last 30 are looked at */
	history_advice(advice, sizeof(advice), &history);
	assert_non_null(strstr(advice, "night-00 has 30 runs behind it"));
	history_free(&history);
	history_make(&history, nights->runs, NIGHTS, HISTORY_NONE);
	history_advice(advice, sizeof(advice), &history);
	assert_string_equal(advice, "");
	history_free(&history);
	free_nights(nights);
}

static void the_best_run_passed_and_lies_above_the_others(void **state)
{
	struct nights *nights = make_nights(10, false);

	(void)state;
	for (int night = 0; night < NIGHTS; night++) {
		struct digest *digest = &nights->digests[night];

		digest->verdict = VERDICT_PASS;
		for (size_t i = 0; i < digest->figure_count; i++)
			if (night == 4 || night == 9)
				digest->figures[i].value *= night == 4 ? 1.05 : 1.03;
	}
	assert_int_equal(history_best(nights->runs, NIGHTS), 4);
	nights->digests[4].verdict = VERDICT_FAIL;
	assert_int_equal(history_best(nights->runs, NIGHTS), 9);
	nights->digests[9].interrupted = true;
	assert_int_not_equal(history_best(nights->runs, NIGHTS), 9);
	for (int night = 0; night < NIGHTS; night++)
		nights->digests[night].verdict = VERDICT_UNKNOWN;
	assert_int_equal(history_best(nights->runs, NIGHTS), HISTORY_NONE);
	free_nights(nights);
}

/* test-history [SEEDS] */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_drift_is_named_by_night_ten_and_nobody_else_is),
		cmocka_unit_test(
			a_step_is_named_on_its_third_night_and_no_more_when_it_is_repaired),
		cmocka_unit_test(two_bad_nights_in_a_row_are_no_step),
		cmocka_unit_test(a_repaired_drift_is_named_no_more),
		cmocka_unit_test(a_baseline_remembers_what_the_median_forgot),
		cmocka_unit_test(too_few_nights_are_unknown_and_not_a_pass),
		cmocka_unit_test(a_failure_stays_open_until_a_night_has_looked_at_it),
		cmocka_unit_test(only_whole_nights_that_sent_the_same_count),
		cmocka_unit_test(a_baseline_is_old_after_a_month),
		cmocka_unit_test(the_best_run_passed_and_lies_above_the_others),
	};

	if (argc > 1)
		seeds = atoi(argv[1]);
	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
