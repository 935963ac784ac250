/*
 * run_bed - run files for the tests of run files, made and read in a folder of the test's own.
 */
#ifndef TESTS_RUN_BED_H
#define TESTS_RUN_BED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/run.h"

/* Each test works in a folder of its own, and leaves nothing there. */
static char folder[64];

static inline int enter_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/weft-run-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static inline int leave_folder(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "chmod u+w '%s'; rm -rf '%s'", folder, folder);
	return chdir("/") || system(command);
}

static const struct run_info info = {
	.backend = "sim",
	.program = "weft 0.1.0",
	.profile = "quick",
	.plane = "parameter",
	.fabric_name = "pair",
	.fabric_path = "examples/pair.yaml",
	.seed = UINT64_MAX,
	.fabric_text = "leaves: 2\n",
	.fabric_bytes = 10,
};

static inline void ok(int err, const struct diag *diag)
{
	if (err)
		print_message("%s\n", diag->text);
	assert_int_equal(err, 0);
}

static inline struct run *made(const char *path)
{
	struct run *run = NULL;
	struct diag diag;

	ok(run_create(&run, path, &info, &diag), &diag);
	return run;
}

static inline struct run *opened(const char *path)
{
	struct run *run = NULL;
	struct diag diag;

	ok(run_open(&run, path, &diag), &diag);
	return run;
}

static inline void put_counters(struct run *run, uint32_t stage, uint32_t count)
{
	struct run_counter row = { .stage = stage, .first = UINT64_C(1) << 63, .last = 7 };
	struct diag diag;

	for (uint32_t i = 0; i < count; i++) {
		snprintf(row.place, sizeof(row.place), "leaf%u:%u", i / 64 + 1, i % 64 + 1);
		snprintf(row.name, sizeof(row.name), "rx_prio%u_pause", i % 8);
		row.last = i;
		ok(run_put_counters(run, &row, 1, &diag), &diag);
	}
}

static inline size_t counters(struct run *run, uint32_t stage)
{
	struct run_counter *rows = NULL;
	struct diag diag;
	size_t count = 0;

	ok(run_get_counters(run, stage, &rows, &count, &diag), &diag);
	free(rows);
	return count;
}

static const char *const nic_names[] = { "host1", "host2", "host3" };

static inline void put_ring_plan(struct run *run)
{
	uint32_t nics[] = { 2, 0, 1 };
	struct plan plan = PLAN_INIT;
	struct plan_stage *stage = plan_add(&plan, LAYER_PAIRS);
	struct plan_flow *flow = plan_stage_add(stage);
	struct diag diag;

	flow->src = 2;
	flow->dst = 1;
	stage = plan_add(&plan, LAYER_RING);
	stage->ring = (struct plan_ring){ nics, 3, 4, 1000, 2, 5, 0 };
	ok(run_put_plan(run, &plan, nic_names, &diag), &diag);
	stage->ring.nics = NULL; /* ours */
	plan_free(&plan);
}

static inline char *contents(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(1 << 20);

	assert_true(file && text);
	*bytes = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

#endif
