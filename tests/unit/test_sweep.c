/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "fabric/stages.h"
#include "fabric/stages_sweep.h"
#include "lib/diag.h"
#include "lib/grow.h"

#define TINY "leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 25G\n"

struct bed {
	struct fabric fabric;
	struct plan plan;
	uint64_t *last;
	size_t count;
};

static void make(struct bed *bed)
{
	struct diag diag = { "" };

	*bed = (struct bed){ .fabric = FABRIC_INIT, .plan = PLAN_INIT };
	assert_int_equal(
		fabric_parse(&bed->fabric, "tiny", TINY, strlen(TINY), NULL, &diag), 0);
	plan_acceptance(&bed->plan, &bed->fabric, PROFILE_QUICK, 1);
	bed->count = bed->plan.count;
	bed->last = zeroed(bed->count, sizeof(*bed->last));
}

static void unmake(struct bed *bed)
{
	free(bed->last);
	plan_free(&bed->plan);
	fabric_free(&bed->fabric);
}

static size_t find(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(plan->stages[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static uint64_t all_bytes(const struct plan *plan)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++)
		sum += plan_stage_bytes(&plan->stages[i]);
	return sum;
}

static void where_nothing_ran_yet_all_run_in_the_order_of_the_plan(void **state)
{
	struct bed bed;
	uint64_t bytes;

	(void)state;
	make(&bed);
	bytes = all_bytes(&bed.plan);
	assert_int_equal(plan_sweep(&bed.plan, bed.last, 0), 0);
	assert_int_equal(bed.plan.count, bed.count);
	assert_string_equal(bed.plan.profile, "sweep");
	assert_int_equal(all_bytes(&bed.plan), bytes);
	assert_int_equal(find(&bed.plan, "pairs-local-1"), 0);
	assert_int_equal(find(&bed.plan, "ring"), bed.count - 1);
	unmake(&bed);
}

static void what_ran_longest_ago_comes_first(void **state)
{
	struct bed bed;

	(void)state;
	make(&bed);
	for (size_t i = 0; i < bed.count; i++)
		bed.last[i] = 5;
	bed.last[find(&bed.plan, "ring")] = 0;
	bed.last[find(&bed.plan, "pairs-cross-1")] = 3;
	assert_int_equal(plan_sweep(&bed.plan, bed.last, 0), 0);
	assert_int_equal(find(&bed.plan, "ring"), 0);
	assert_int_equal(find(&bed.plan, "pairs-cross-1"), 1);
	assert_int_equal(find(&bed.plan, "pairs-local-1"), 2);
	unmake(&bed);
}

static void an_incast_and_its_victims_alone_stay_together(void **state)
{
	struct bed bed;
	size_t at;

	(void)state;
	make(&bed);
	for (size_t i = 0; i < bed.count; i++)
		bed.last[i] = 5;
	bed.last[find(&bed.plan, "incast-3-ect-2")] = 1;
	plan_sweep(&bed.plan, bed.last, 0);
	at = find(&bed.plan, "alone-3-2");
	assert_int_equal(at, 0);
	assert_int_equal(find(&bed.plan, "incast-3-not-ect-2"), 1);
	assert_int_equal(find(&bed.plan, "incast-3-ect-2"), 2);
	unmake(&bed);
}

/* With a budget each night, every stage has its turn, and the budget holds. */
static void a_budget_of_traffic_holds_and_starves_nobody(void **state)
{
	struct bed bed, night;
	uint64_t budget, seen = 0;

	(void)state;
	make(&bed);
	budget = all_bytes(&bed.plan) / 4;
	for (uint64_t n = 1; n <= 8; n++) {
		size_t left_out;

		make(&night);
		memcpy(night.last, bed.last, bed.count * sizeof(*bed.last));
		left_out = plan_sweep(&night.plan, night.last, budget);
		assert_true(all_bytes(&night.plan) <= budget);
		assert_true(night.plan.count > 0);
		assert_int_equal(night.plan.count + left_out, bed.count);
		for (size_t i = 0; i < night.plan.count; i++)
			bed.last[find(&bed.plan, night.plan.stages[i].name)] = n;
		unmake(&night);
	}
	for (size_t i = 0; i < bed.count; i++)
		seen += bed.last[i] > 0;
	assert_int_equal(seen, bed.count);
	unmake(&bed);
}

static void a_budget_for_nothing_leaves_nothing(void **state)
{
	struct bed bed;

	(void)state;
	make(&bed);
	assert_int_equal(plan_sweep(&bed.plan, bed.last, 1), bed.count);
	assert_int_equal(bed.plan.count, 0);
	unmake(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_nothing_ran_yet_all_run_in_the_order_of_the_plan),
		cmocka_unit_test(what_ran_longest_ago_comes_first),
		cmocka_unit_test(an_incast_and_its_victims_alone_stay_together),
		cmocka_unit_test(a_budget_of_traffic_holds_and_starves_nobody),
		cmocka_unit_test(a_budget_for_nothing_leaves_nothing),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
