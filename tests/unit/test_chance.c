/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/chance.h"
#include "lib/units.h"

static void near(double value, double wanted, double share)
{
	if (fabs(value - wanted) > share * fabs(wanted))
		print_message("%g instead of %g\n", value, wanted);
	assert_true(fabs(value - wanted) <= share * fabs(wanted));
}

static void zero_loss_is_bounded_by_three_over_n(void **state)
{
	(void)state;
	assert_true(chance_zero_loss_bound(0) >= 1.0);
	near(chance_zero_loss_bound(3000), 1e-3, 1e-12);
	near(chance_zero_loss_bound(718000000), 4.18e-9, 0.01);
}

/* Sums of the definition, by hand: C(4,k)/16. */
static void binomial_tails_are_exact(void **state)
{
	(void)state;
	near(chance_binomial_tail(4, 0.5, 0), 1.0, 1e-12);
	near(chance_binomial_tail(4, 0.5, 1), 15.0 / 16, 1e-12);
	near(chance_binomial_tail(4, 0.5, 3), 5.0 / 16, 1e-12);
	near(chance_binomial_tail(4, 0.5, 4), 1.0 / 16, 1e-12);
	assert_true(chance_binomial_tail(4, 0.5, 5) <= 0.0);
	near(chance_binomial_tail(100, 0.01, 1), 1 - pow(0.99, 100), 1e-9);
}

/* 8 flows on 8 links: one stays empty unless all differ, 8!/8^8 = 0.24 %. */
static void empty_links_are_bounded_from_above(void **state)
{
	(void)state;
	assert_true(chance_of_empty(8, 8) >= 1 - 0.0025);
	near(chance_of_empty(100, 2), 2 * pow(0.5, 100), 1e-9);
	assert_true(chance_of_load(200, 2, 170) < 1e-20);
	assert_true(chance_of_load(32, 2, 21) > 0.05);
}

/* The table of random ECMP: mean max/mean and 99th percentile, U uplinks with Q
 * QPs a port. Drawn, so within 3 %. */
static void spread_agrees_with_the_table(void **state)
{
	static const struct {
		uint32_t links, qps;
		double mean, p99;
	} rows[] = {
		{ 4, 1, 2.12, 4.00 },
		{ 4, 8, 1.38, 1.88 },
		{ 8, 4, 1.76, 2.50 },
		{ 8, 32, 1.26, 1.53 },
		{ 16, 16, 1.46, 1.88 },
		{ 32, 1, 3.53, 6.00 },
		{ 32, 32, 1.38, 1.66 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct chance_spread spread =
			chance_spread(rows[i].links * rows[i].qps, rows[i].links);

		near(spread.mean, rows[i].mean, 0.03);
		near(spread.p99, rows[i].p99, 0.17); /* steps of one flow */
	}
}

/* The claim that the ECMP judge rests on: chance never fails it. */
static void hundreds_of_random_hashes_never_look_surprising(void **state)
{
	(void)state;
	for (uint32_t n = 8; n <= 256; n *= 2) {
		struct chance_spread spread = chance_spread(n, 8);
		uint32_t most = (uint32_t)(spread.p99 * n / 8 * 1.3);

		assert_true(chance_of_load(n, 8, most) > 1e-9);
	}
}

static void jain_is_one_when_all_are_equal(void **state)
{
	static const uint64_t equal[] = { 5, 5, 5, 5 }, one[] = { 9, 0, 0, 0 },
			      none[] = { 0, 0 };

	(void)state;
	near(chance_jain(equal, 4), 1.0, 1e-12);
	near(chance_jain(one, 4), 0.25, 1e-12);
	near(chance_jain(none, 2), 1.0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_loss_is_bounded_by_three_over_n),
		cmocka_unit_test(binomial_tails_are_exact),
		cmocka_unit_test(empty_links_are_bounded_from_above),
		cmocka_unit_test(spread_agrees_with_the_table),
		cmocka_unit_test(hundreds_of_random_hashes_never_look_surprising),
		cmocka_unit_test(jain_is_one_when_all_are_equal),
	};

	return cmocka_run_group_tests_name("chance", tests, NULL, NULL);
}
