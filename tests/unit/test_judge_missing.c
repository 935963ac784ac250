/* SPDX-License-Identifier: Apache-2.0 */
/* A run in which nothing was sent, or not all of what was planned, does not pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/file.h"
#include "fabric/judge.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "lib/run.h"

#define FOUR_LINES "leaves: 2\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\n"

static struct run *begin(char *path, size_t planned)
{
	struct run_info info = { .backend = "sim",
		.program = "test",
		.profile = "quick",
		.plane = "parameter",
		.fabric_name = "test",
		.fabric_text = FOUR_LINES,
		.fabric_bytes = sizeof(FOUR_LINES) - 1 };
	struct plan plan = PLAN_INIT;
	struct diag diag = { "" };
	struct run *run;
	int file = mkstemp(path);

	assert_true(file >= 0);
	close(file);
	assert_int_equal(run_create(&run, path, &info, &diag), 0);
	for (size_t i = 0; i < planned; i++)
		snprintf(plan_add(&plan, LAYER_PAIRS)->name, 64, "stage-%u", (unsigned)i);
	assert_int_equal(run_put_plan(run, &plan, NULL, &diag), 0);
	plan_free(&plan);
	return run;
}

static bool says(struct run *run, const char *check, enum verdict *whole)
{
	struct fabric fabric = FABRIC_INIT;
	struct findings findings = FINDINGS_INIT;
	struct diag diag = { "" };
	bool found = false;

	assert_int_equal(
		fabric_parse(&fabric, "test", FOUR_LINES, strlen(FOUR_LINES), NULL, &diag), 0);
	assert_int_equal(judge_run(run, &fabric, JUDGE_ALL, &findings, &diag), 0);
	for (size_t i = 0; i < findings.count; i++)
		found |= strcmp(findings.items[i].check, check) == 0 &&
			 findings.items[i].verdict == VERDICT_UNKNOWN;
	*whole = findings_verdict(&findings);
	findings_free(&findings);
	fabric_free(&fabric);
	return found;
}

static void a_run_without_traffic_is_unknown(void **state)
{
	char path[] = "/tmp/weft-missing-XXXXXX";
	struct run *run = begin(path, 0);
	enum verdict whole;

	(void)state;
	assert_true(says(run, "run.empty", &whole));
	assert_int_equal(whole, VERDICT_UNKNOWN);
	run_close(run);
	unlink(path);
}

static void a_run_that_lacks_planned_stages_is_unknown(void **state)
{
	char path[] = "/tmp/weft-missing-XXXXXX";
	struct run *run = begin(path, 2);
	struct run_stage stage = { .name = "stage-0", .layer = LAYER_PAIRS, .t1_ns = 1000 };
	struct diag diag = { "" };
	enum verdict whole;

	(void)state;
	assert_int_equal(run_put_stage(run, &stage, &diag), 0);
	assert_true(says(run, "run.missing", &whole));
	assert_int_not_equal(whole, VERDICT_PASS);
	run_close(run);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_without_traffic_is_unknown),
		cmocka_unit_test(a_run_that_lacks_planned_stages_is_unknown),
	};

	return cmocka_run_group_tests_name("judge_missing", tests, NULL, NULL);
}
