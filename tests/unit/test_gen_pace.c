/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/gen_pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"

/* Any size of message and burst at any rate: within 0.1 % of it over a second, or one burst. */
static const struct rate_case {
	const char *name;
	uint64_t bytes, burst, rate_bps;
} rates[] = {
	{ "400G in single packets", 4096, 1, 400 * GBPS },
	{ "a rate that no divisor gives", 65536, 1, UINT64_C(65432109876) },
	{ "65 Gb/s, which NICs' own limiters do not have", 65536, 16, 65 * GBPS },
	{ "1 Mb/s of small messages", 100, 1, 1000000 },
	{ "bursts of 8 MiB at 1 Gb/s", 65536, 128, GBPS },
	{ "a few bits a second", 1, 1, 9 },
	{ "10 Tb/s", 4096, 64, 10000 * GBPS },
};

static uint64_t period(const struct rate_case *row)
{
	return gen_pace_period_ps(row->bytes * row->burst, row->rate_bps);
}

static void what_may_leave_is_the_rate(void **state)
{
	const struct rate_case *row = *state;
	struct gen_plan plan = { .qps = 4, .burst = row->burst, .period_ps = period(row) };

	for (uint64_t ns = NS_PER_MS; ns <= 100 * NS_PER_S; ns *= 10) {
		double bits = (double)gen_pace_allowed(&plan, ns) * (double)row->bytes * 8;
		double wanted = (double)row->rate_bps * (double)ns / 1e9;
		double burst = (double)(row->burst * row->bytes * 8);

		assert_true(bits >= wanted * 0.999);
		assert_true(bits <= wanted * 1.001 + burst);
	}
}

static void a_message_may_leave_when_it_is_due_and_not_before(void **state)
{
	const struct rate_case *row = *state;
	struct gen_plan plan = { .qps = 1, .burst = row->burst, .period_ps = period(row) };

	for (uint64_t number = 0; number < 100000; number = number * 3 + 1) {
		uint64_t due = gen_pace_due_ns(&plan, number);

		assert_true(gen_pace_allowed(&plan, due) > number);
		if (due)
			assert_true(gen_pace_allowed(&plan, due - 1) <=
				    number / plan.burst * plan.burst + plan.burst);
		if (plan.period_ps >= 1000 && due)
			assert_true(gen_pace_allowed(&plan, due - 1) <= number);
	}
}

static void bursts_leave_whole_and_the_last_one_ends_with_the_count(void **state)
{
	struct gen_plan plan = {
		.qps = 2,
		.messages = 5, /* 10 in all: bursts of 4, 4, 2 */
		.burst = 4,
		.period_ps = NS_PER_MS * PS_PER_NS,
	};

	(void)state;
	assert_int_equal(gen_pace_allowed(&plan, 0), 4);
	assert_int_equal(gen_pace_allowed(&plan, NS_PER_MS - 1), 4);
	assert_int_equal(gen_pace_allowed(&plan, NS_PER_MS), 8);
	assert_int_equal(gen_pace_allowed(&plan, 2 * NS_PER_MS), 10);
	assert_int_equal(gen_pace_allowed(&plan, 3600 * NS_PER_S), 10);
	assert_int_equal(gen_pace_due_ns(&plan, 3), 0);
	assert_int_equal(gen_pace_due_ns(&plan, 4), NS_PER_MS);
	assert_int_equal(gen_pace_due_ns(&plan, 9), 2 * NS_PER_MS);
}

static void a_period_is_never_none_nor_longer_than_can_be_waited_for(void **state)
{
	(void)state;
	assert_int_equal(gen_pace_period_ps(1, UINT64_C(10000000000000)), 1);
	assert_int_equal(gen_pace_period_ps(125, 1000), 1000000000000);
	assert_true(gen_pace_period_ps(1, 1) != UINT64_MAX);
	assert_true(gen_pace_period_ps(2, 1) == UINT64_MAX);
	assert_true(gen_pace_period_ps(GEN_BURST_MAX, 1) == UINT64_MAX);
}

int main(void)
{
	struct CMUnitTest tests[2 * COUNT_OF(rates) + 2] = {
		cmocka_unit_test(bursts_leave_whole_and_the_last_one_ends_with_the_count),
		cmocka_unit_test(a_period_is_never_none_nor_longer_than_can_be_waited_for),
	};

	for (size_t i = 0; i < COUNT_OF(rates); i++) {
		tests[2 * i + 2] = (struct CMUnitTest){
			.name = rates[i].name,
			.test_func = what_may_leave_is_the_rate,
			.initial_state = (void *)(uintptr_t)&rates[i],
		};
		tests[2 * i + 3] = tests[2 * i + 2];
		tests[2 * i + 3].test_func = a_message_may_leave_when_it_is_due_and_not_before;
	}
	return cmocka_run_group_tests_name("gen_pace", tests, NULL, NULL);
}
