/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/grow.h"
#include "lib/plan.h"

static void stages_and_flows_keep_what_was_put(void **state)
{
	struct plan plan = PLAN_INIT;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct plan_stage *stage = plan_add(&plan, LAYER_PAIRS);

		assert_null(stage->flows);
		assert_int_equal(stage->ring.ranks, 0);
		stage->variant = i;
		for (uint32_t k = 0; k < i; k++)
			plan_stage_add(stage)->bytes = k + 1;
		stage->ring.nics = zeroed(2, sizeof(*stage->ring.nics));
	}
	assert_int_equal(plan.count, 100);
	for (uint32_t i = 0; i < 100; i++) {
		const struct plan_stage *stage = &plan.stages[i];

		assert_int_equal(stage->layer, LAYER_PAIRS);
		assert_int_equal(stage->variant, i);
		assert_int_equal(stage->flow_count, i);
		for (uint32_t k = 0; k < i; k++)
			assert_int_equal(stage->flows[k].bytes, k + 1);
	}
	plan_free(&plan);
	plan_free(&plan);
	assert_int_equal(plan.count, 0);
}

static void every_layer_has_its_own_name(void **state)
{
	(void)state;
	for (int i = 0; i < LAYER_COUNT; i++) {
		assert_true(plan_layer_name((enum plan_layer)i)[0]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(plan_layer_name((enum plan_layer)i),
				plan_layer_name((enum plan_layer)k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_and_flows_keep_what_was_put),
		cmocka_unit_test(every_layer_has_its_own_name),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
