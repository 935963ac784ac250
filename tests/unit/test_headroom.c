/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "pfc/headroom.h"

static const struct headroom_case {
	const char *name;
	uint64_t gbps;
	uint32_t length_m;
	uint64_t bytes;
} cases[] = {
	{ "25G over 5 m", 25, 5, 23708 },
	{ "25G over 100 m", 25, 100, 26677 },
	{ "25G over 300 m", 25, 300, 32927 },
	{ "100G over 5 m", 100, 5, 44273 },
	{ "100G over 100 m", 100, 100, 56148 },
	{ "100G over 300 m", 100, 300, 81148 },
	{ "200G over 5 m", 200, 5, 48674 },
	{ "200G over 100 m", 200, 100, 72424 },
	{ "200G over 300 m", 200, 300, 122424 },
	{ "400G over 5 m", 400, 5, 78852 },
	{ "400G over 100 m", 400, 100, 126352 },
	{ "400G over 300 m", 400, 300, 226352 },
};

static void bytes_are_those_of_the_table(void **state)
{
	const struct headroom_case *row = *state;

	assert_int_equal(headroom_bytes(row->gbps * GBPS, row->length_m), row->bytes);
}

static void a_speed_between_two_rows_waits_as_long_as_the_faster_one(void **state)
{
	(void)state;
	assert_int_equal(headroom_quanta(10 * GBPS), 80);
	assert_int_equal(headroom_quanta(40 * GBPS), 394);
	assert_int_equal(headroom_quanta(50 * GBPS), 394);
	assert_int_equal(headroom_quanta(800 * GBPS), 1810);
	assert_int_equal(headroom_quanta(1600 * GBPS), 3620);
}

static void a_known_reaction_time_takes_the_place_of_the_quanta(void **state)
{
	(void)state;
	assert_int_equal(headroom_reaction_bytes(200 * GBPS, 100, 1000, 4200), 58464);
}

static void a_figure_in_the_policy_takes_the_place_of_the_formula(void **state)
{
	struct policy policy;

	(void)state;
	policy_defaults(&policy);
	assert_int_equal(policy_headroom(&policy, 100 * GBPS, 100), 56148);
	policy.headroom_bytes = 96928;
	assert_int_equal(policy_headroom(&policy, 100 * GBPS, 100), 96928);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 3] = {
		cmocka_unit_test(a_speed_between_two_rows_waits_as_long_as_the_faster_one),
		cmocka_unit_test(a_known_reaction_time_takes_the_place_of_the_quanta),
		cmocka_unit_test(a_figure_in_the_policy_takes_the_place_of_the_formula),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 3] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = bytes_are_those_of_the_table,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("headroom", tests, NULL, NULL);
}
