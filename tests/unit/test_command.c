/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/command.h"
#include "lib/units.h"

static void each_ends_in_its_own_way(void **state)
{
	static const char *const says[] = { "sh", "-c", "echo one; echo two >&2; exit 3",
		NULL };
	static const char *const hangs[] = { "sh", "-c", "echo begun; sleep 60", NULL };
	static const char *const missing[] = { "/nowhere/at/all", NULL };
	static const char *const dies[] = { "sh", "-c", "kill -9 $$", NULL };
	static const char *const many[] = { "sh", "-c", "yes", NULL };
	struct command commands[] = { { .argv = says }, { .argv = hangs }, { .argv = missing },
		{ .argv = dies }, { .argv = many } };
	uint64_t start = clock_ns();

	(void)state;
	commands_run(commands, 5, 5, 2 * NS_PER_S);
	assert_true(clock_ns() - start < 20 * NS_PER_S);
	assert_int_equal(commands[0].err, 0);
	assert_int_equal(commands[0].status, 3);
	assert_string_equal(commands[0].output, "one\n");
	assert_string_equal(commands[0].words, "two");
	assert_int_equal(commands[1].err, -ETIMEDOUT);
	assert_string_equal(commands[1].output, "begun\n");
	assert_int_equal(commands[2].status, 127);
	assert_non_null(strstr(commands[2].words, "No such file"));
	assert_int_equal(commands[3].err, -EINTR);
	assert_true(commands[4].err == -E2BIG || commands[4].err == -ETIMEDOUT);
	for (size_t i = 0; i < 5; i++)
		command_free(&commands[i]);
	command_free(&commands[0]);
}

static void more_than_fit_at_once_all_run(void **state)
{
	static const char *const argv[] = { "echo", "here", NULL };
	struct command commands[7];

	(void)state;
	memset(commands, 0, sizeof(commands));
	for (size_t i = 0; i < 7; i++)
		commands[i].argv = argv;
	commands_run(commands, 7, 2, 10 * NS_PER_S);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(commands[i].err, 0);
		assert_string_equal(commands[i].output, "here\n");
		command_free(&commands[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ends_in_its_own_way),
		cmocka_unit_test(more_than_fit_at_once_all_run),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
