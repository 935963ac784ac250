/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/run.h"
#include "lib/units.h"

/* Each test works in a folder of its own, and leaves nothing there. */
static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/weft-run-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
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

static void ok(int err, const struct diag *diag)
{
	if (err)
		print_message("%s\n", diag->text);
	assert_int_equal(err, 0);
}

static struct run *made(const char *path)
{
	struct run *run = NULL;
	struct diag diag;

	ok(run_create(&run, path, &info, &diag), &diag);
	return run;
}

static struct run *opened(const char *path)
{
	struct run *run = NULL;
	struct diag diag;

	ok(run_open(&run, path, &diag), &diag);
	return run;
}

static void put_counters(struct run *run, uint32_t stage, uint32_t count)
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

static size_t counters(struct run *run, uint32_t stage)
{
	struct run_counter *rows = NULL;
	struct diag diag;
	size_t count = 0;

	ok(run_get_counters(run, stage, &rows, &count, &diag), &diag);
	free(rows);
	return count;
}

static void what_is_put_is_read_again(void **state)
{
	struct run_counter *rows = NULL;
	const struct run_info *back;
	struct diag diag;
	bool interrupted;
	struct run *run;
	size_t count;

	(void)state;
	run = made("a.run");
	put_counters(run, 0, 100);
	put_counters(run, 1, 3);
	put_counters(run, 0, 1);
	ok(run_finish(run, false, &diag), &diag);
	run_close(run);

	run = opened("a.run");
	assert_true(run_ended(run, &interrupted));
	assert_false(interrupted);
	back = run_info(run);
	assert_string_equal(back->backend, "sim");
	assert_string_equal(back->fabric_text, "leaves: 2\n");
	assert_int_equal(back->fabric_bytes, 10);
	assert_true(back->seed == UINT64_MAX);
	ok(run_get_counters(run, 0, &rows, &count, &diag), &diag);
	assert_int_equal(count, 101);
	assert_string_equal(rows[65].place, "leaf2:2");
	assert_string_equal(rows[65].name, "rx_prio1_pause");
	assert_true(rows[65].first == UINT64_C(1) << 63);
	assert_int_equal(rows[65].last, 65);
	assert_int_equal(rows[100].last, 0);
	free(rows);
	assert_int_equal(counters(run, 1), 3);
	assert_int_equal(counters(run, 2), 0);
	run_close(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_put_is_read_again, enter_folder, leave_folder),
	};

	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
