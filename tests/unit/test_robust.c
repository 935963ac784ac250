/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "lib/units.h"
#include "reports/robust.h"

static void assert_near(double value, double expected, double within)
{
	if (fabs(value - expected) > within)
		print_message("%.9g, expected %.9g\n", value, expected);
	assert_true(fabs(value - expected) <= within);
}

static void one_wild_value_moves_neither_median_nor_sigma(void **state)
{
	const double tame[] = { 10, 11, 9, 10, 12, 8, 10 };
	const double wild[] = { 10, 11, 9, 10, 1e9, 8, 10 };

	(void)state;
	assert_near(robust_median(tame, 7), 10, 0);
	assert_near(robust_median(wild, 7), 10, 0);
	assert_near(robust_sigma(tame, 7), 1.4826, 1e-9);
	assert_near(robust_sigma(wild, 7), 1.4826, 1e-9);
	assert_near(robust_median(tame, 2), 10.5, 0);
}

static void noise_is_the_same_with_a_drift_and_a_step_under_it(void **state)
{
	double flat[200], moved[200];
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (int i = 0; i < 200; i++) {
		flat[i] = (double)rng_below(&rng, 1000);
		moved[i] = flat[i] + 20.0 * i + (i > 100 ? 1e5 : 0);
	}
	assert_near(robust_noise(moved, 200) / robust_noise(flat, 200), 1, 0.05);
	/* uniform noise of width 1000: standard deviation 289, by this estimate a bit more */
	assert_near(robust_noise(flat, 200), 300, 60);
}

static void a_slope_survives_three_wild_nights_of_ten(void **state)
{
	double times[10], values[10];

	(void)state;
	for (int i = 0; i < 10; i++) {
		times[i] = 2.0 * i;
		values[i] = 100 - 3.0 * i;
	}
	assert_near(robust_slope(times, values, 10), -1.5, 1e-12);
	values[2] = values[5] = 1e6;
	values[7] = -1e6;
	assert_near(robust_slope(times, values, 10), -1.5, 0.5);
}

/* Kendall 1975, table of S: P(S >= 41) for n = 10 is 0.000015. */
static const struct {
	const char *name;
	size_t count;
	int swaps; /* neighbours put out of order */
	double p;
} trends[] = {
	{ "ten rising nights", 10, 0, 2 / 3628800.0 },
	{ "ten nights, one out of order", 10, 1, 2 * 10 / 3628800.0 },
	{ "ten nights, two out of order", 10, 2, 2 * 54 / 3628800.0 },
	{ "four rising nights", 4, 0, 2 / 24.0 },
	{ "three nights tell nothing", 3, 0, 1 },
};

static void the_trend_test_is_exact(void **state)
{
	for (size_t i = 0; i < COUNT_OF(trends); i++) {
		double values[16];
		int64_t s = 0;

		for (size_t k = 0; k < trends[i].count; k++)
			values[k] = (double)k;
		for (int swap = 0; swap < trends[i].swaps; swap++) {
			values[3 * swap] += 1.5;
			values[3 * swap + 1] -= 0.5;
		}
		print_message("%s\n", trends[i].name);
		assert_near(robust_trend(values, trends[i].count, &s), trends[i].p, 1e-12);
		assert_true(s > 0);
		for (size_t k = 0; k < trends[i].count; k++)
			values[k] = -values[k];
		assert_near(robust_trend(values, trends[i].count, &s), trends[i].p, 1e-12);
		assert_true(s < 0);
	}
	(void)state;
}

/* 20 equal nights, then 10 rising ones: the variance loses what one group of 20 ties takes,
 * (30*29*65 - 20*19*45) / 18. */
static void ties_count_for_neither_side(void **state)
{
	double values[30] = { 0 };
	int64_t s = 0;
	double p;

	(void)state;
	assert_near(robust_trend(values, 30, &s), 1, 0);
	assert_int_equal(s, 0);
	for (int i = 0; i < 10; i++)
		values[20 + i] = i + 1;
	p = robust_trend(values, 30, &s);
	assert_int_equal(s, 245); /* 20*10 + 45 */
	assert_near(log(p),
		log(erfc(244 / sqrt((30 * 29 * 65 - 20 * 19 * 45) / 18.0) / sqrt(2.0))), 1e-9);
}

/* What the p-value means: in series without a trend, p below x comes x of the time. */
static void without_a_trend_small_p_is_as_rare_as_it_says(void **state)
{
	int below = 0, draws = 20000;
	struct rng rng;

	(void)state;
	rng_init(&rng, 3);
	for (int i = 0; i < draws; i++) {
		double values[12];

		for (int k = 0; k < 12; k++)
			values[k] = (double)rng_u64(&rng);
		below += robust_trend(values, 12, NULL) < 0.01;
	}
	assert_true(below > draws / 400 && below < draws / 80);
}

static void counts_of_one_probability_are_no_surprise(void **state)
{
	(void)state;
	assert_near(robust_counts(0, 1000, 0, 1000), 1, 0);
	assert_near(robust_counts(5, 0, 5, 1000), 1, 0);
	assert_near(robust_counts(0, 1000, 1, 1000), 1, 1e-9);
	/* 10 of 10 on one side of two equal halves */
	assert_near(robust_counts(0, 5000, 10, 5000), 2 / 1024.0, 1e-12);
	assert_near(robust_counts(10, 5000, 0, 5000), 2 / 1024.0, 1e-12);
	assert_true(robust_counts(1000, 1000000, 1030, 1000000) > 0.3);
	assert_true(robust_counts(1000, 1000000, 2000, 1000000) < 1e-60);
	/* a tenth of the packets, a tenth of the losses */
	assert_true(robust_counts(100, 100000, 1000, 1000000) > 0.9);
}

static void z_is_the_quantile_of_both_tails(void **state)
{
	(void)state;
	assert_near(robust_z(0.05), 1.959964, 1e-6);
	assert_near(robust_z(0.0026998), 3, 1e-5);
	assert_near(robust_z(1), 0, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_wild_value_moves_neither_median_nor_sigma),
		cmocka_unit_test(noise_is_the_same_with_a_drift_and_a_step_under_it),
		cmocka_unit_test(a_slope_survives_three_wild_nights_of_ten),
		cmocka_unit_test(the_trend_test_is_exact),
		cmocka_unit_test(ties_count_for_neither_side),
		cmocka_unit_test(without_a_trend_small_p_is_as_rare_as_it_says),
		cmocka_unit_test(counts_of_one_probability_are_no_surprise),
		cmocka_unit_test(z_is_the_quantile_of_both_tails),
	};

	return cmocka_run_group_tests_name("robust", tests, NULL, NULL);
}
