/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"
#include "reports/tables.h"

#define STAGES_MAX 4u

struct row_stage {
	enum plan_layer layer;
	enum run_status status;
};

static const struct row_case {
	const char *name;
	struct row_stage stages[STAGES_MAX];
	size_t count;
	enum plan_layer layer;
	enum verdict finding; /* filed under the layer */
	const char *verdict, *result;
} cases[] = {
	{ "a layer that ran passes", { { LAYER_PAIRS, RUN_COMPLETE } }, 1, LAYER_PAIRS,
		VERDICT_PASS, "pass", "" },
	{ "a finding is no pass of a layer without a stage", { { LAYER_BURST, RUN_COMPLETE } },
		1, LAYER_PAIRS, VERDICT_PASS, "-", "no stage, 1 finding" },
	{ "a warning is told all the same", { { LAYER_BURST, RUN_COMPLETE } }, 1,
		LAYER_LOSSLESS, VERDICT_WARN, "warn", "no stage, 1 finding" },
	{ "what fails without a stage is told", { { LAYER_BURST, RUN_COMPLETE } }, 1,
		LAYER_PAIRS, VERDICT_FAIL, "fail", "no stage, 1 finding" },
	{ "plan and class need no stage", { { LAYER_BURST, RUN_COMPLETE } }, 1, LAYER_CLASS,
		VERDICT_PASS, "pass", "1 finding" },
	{ "a layer that was cut off is unknown",
		{ { LAYER_NONBLOCKING, RUN_COMPLETE }, { LAYER_NONBLOCKING, RUN_PARTIAL } }, 2,
		LAYER_NONBLOCKING, VERDICT_PASS, "unknown", "not complete: why" },
	{ "a layer cut off that failed stays failed",
		{ { LAYER_NONBLOCKING, RUN_COMPLETE }, { LAYER_NONBLOCKING, RUN_PARTIAL } }, 2,
		LAYER_NONBLOCKING, VERDICT_FAIL, "fail", "not complete: why" },
	{ "a layer left out is skipped", { { LAYER_BURST, RUN_SKIPPED } }, 1, LAYER_BURST,
		VERDICT_PASS, "skipped", "why" },
};

static const char *text_of(const struct table *table, const char *layer, size_t column)
{
	for (size_t i = 0; i + column < table->count; i += table->column_count)
		if (strcmp(table->cells[i].text, layer) == 0)
			return table->cells[i + column].text;
	return NULL;
}

static void table_of(
	struct table *table, const struct row_case *row, struct figure_stage *stages)
{
	struct figures figures = { .stages = stages, .stage_count = row->count };
	struct findings findings = FINDINGS_INIT;

	for (size_t i = 0; i < row->count; i++) {
		stages[i] = (struct figure_stage){ .stage = { .layer = row->stages[i].layer,
							   .status = row->stages[i].status } };
		if (row->stages[i].status != RUN_COMPLETE)
			snprintf(stages[i].stage.reason, sizeof(stages[i].stage.reason), "why");
	}
	findings_add(&findings, "some.check", plan_layer_name(row->layer), row->finding);
	tables_layers(table, &figures, &findings);
	findings_free(&findings);
}

static void a_row_is_as_it_should(void **state)
{
	const struct row_case *row = *state;
	struct figure_stage stages[STAGES_MAX];
	struct table table;
	const char *name = plan_layer_name(row->layer);

	table_of(&table, row, stages);
	assert_non_null(text_of(&table, name, 1));
	assert_string_equal(text_of(&table, name, 1), row->verdict);
	if (row->result[0])
		assert_string_equal(text_of(&table, name, 5), row->result);
	table_free(&table);
}

/* From pairs to a ring, and in between nothing: the fabric is too small for the rest. */
static void a_whole_run_has_a_row_for_what_it_has_no_stage_for(void **state)
{
	static const struct row_case row = { "",
		{ { LAYER_PAIRS, RUN_COMPLETE }, { LAYER_RING, RUN_COMPLETE } }, 2, LAYER_PAIRS,
		VERDICT_PASS, "", "" };
	struct figure_stage stages[STAGES_MAX];
	struct table table;

	(void)state;
	table_of(&table, &row, stages);
	assert_string_equal(text_of(&table, "burst", 1), "-");
	assert_string_equal(text_of(&table, "burst", 5), "no stage");
	assert_null(text_of(&table, "class", 1));
	table_free(&table);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 1] = {
		cmocka_unit_test(a_whole_run_has_a_row_for_what_it_has_no_stage_for),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 1] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = a_row_is_as_it_should,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("tables_layers", tests, NULL, NULL);
}
