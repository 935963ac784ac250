/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/units.h"
#include "reports/ink.h"
#include "reports/options.h"
#include "reports/progress.h"

static const struct line_case {
	const char *name, *text;
	struct progress_at at;
	uint64_t elapsed_ns;
	unsigned width;
} lines[] = {
	{ "by work, with the time left",
		" 25 %  stage 3 of 9, about 30 s left  pairs: pairs-local-2",
		{ "pairs", "pairs-local-2", 3, 9, 25, 100 }, 10 * NS_PER_S, 79 },
	{ "by index where there is no work",
		" 50 %  stage 5 of 8, about 10 s left  ring: ring-8",
		{ "ring", "ring-8", 5, 8, 0, 0 }, 10 * NS_PER_S, 79 },
	{ "no guess in the first seconds", " 25 %  stage 3 of 9  pairs: pairs-local-2",
		{ "pairs", "pairs-local-2", 3, 9, 25, 100 }, NS_PER_S, 79 },
	{ "long times in minutes", "  5 %  stage 1 of 9, about 19 min left  pairs: a",
		{ "pairs", "a", 1, 9, 5, 100 }, 60 * NS_PER_S, 79 },
	{ "never over the whole", "100 %  stage 9 of 9, about 0 s left  ring: r",
		{ "ring", "r", 9, 9, 120, 100 }, 60 * NS_PER_S, 79 },
	{ "cut at the width", " 25 %  stage 3 of 9  pai",
		{ "pairs", "pairs-local-2", 3, 9, 25, 100 }, 0, 24 },
	{ "no control character", " 25 %  stage 3 of 9  a?[2J: b",
		{ "a\033[2J", "b", 3, 9, 25, 100 }, 0, 79 },
	{ "nothing to do is no division by zero", "  0 %  stage 0 of 0  a: b",
		{ "a", "b", 0, 0, 0, 0 }, 10 * NS_PER_S, 79 },
};

static void a_line_says_where_the_run_stands(void **state)
{
	const struct line_case *c = *state;
	char text[256];

	progress_line(text, sizeof(text), c->width, &c->at, c->elapsed_ns);
	assert_string_equal(text, c->text);
	assert_true(ink_columns(text) <= c->width);
}

static void nothing_is_written_where_there_is_no_terminal(void **state)
{
	const struct progress_at at = { "pairs", "a", 1, 2, 1, 2 };
	struct progress progress = PROGRESS_INIT;
	FILE *out = tmpfile();

	(void)state;
	setenv("TERM", "xterm", 1);
	progress_begin(&progress, out);
	progress_show(&progress, &at);
	progress_end(&progress);
	progress_end(&progress);
	assert_int_equal(ftell(out), 0);
	fclose(out);
}

/* A terminal of 50 columns; what is written to *slave can be read from the result. */
static int terminal(FILE **slave)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 50 };
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) || unlockpt(master))
		skip();
	*slave = fopen(ptsname(master), "w");
	if (!*slave)
		skip();
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	return master;
}

static void on_a_terminal_the_line_is_drawn_and_cleared(void **state)
{
	const struct progress_at at = { "pairs", "a", 1, 2, 1, 2 };
	struct progress progress = PROGRESS_INIT;
	static const char drawn[] = "\r 50 %  stage 1 of 2  pairs: a\033[K\r\033[K";
	char text[256] = "";
	size_t used = 0;
	ssize_t got;
	FILE *out;
	int master = terminal(&out);

	(void)state;
	setenv("TERM", "xterm", 1);
	progress_begin(&progress, out);
	progress_show(&progress, &at);
	progress_show(&progress, &at); /* too soon to draw again */
	progress_end(&progress);
	/* A terminal hands on each flush by itself. */
	while (used < sizeof(drawn) - 1 && (got = read(master, text + used, 200 - used)) > 0)
		used += (size_t)got;
	assert_string_equal(text, drawn);
	fclose(out);
	close(master);
}

static void colour_and_width_follow_the_terminal(void **state)
{
	struct report_options options = { .verbose = true };
	FILE *out, *file = tmpfile();
	int master = terminal(&out);

	(void)state;
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	report_options_for(&options, out);
	assert_true(options.colour);
	assert_int_equal(options.width, 50);
	assert_true(options.verbose);
	setenv("NO_COLOR", "1", 1);
	report_options_for(&options, out);
	assert_false(options.colour);
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	report_options_for(&options, out);
	assert_false(options.colour);
	setenv("TERM", "xterm", 1);
	report_options_for(&options, file);
	assert_false(options.colour);
	assert_int_equal(options.width, REPORT_WIDTH);
	fclose(file);
	fclose(out);
	close(master);
}

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		cmocka_unit_test(nothing_is_written_where_there_is_no_terminal),
		cmocka_unit_test(on_a_terminal_the_line_is_drawn_and_cleared),
		cmocka_unit_test(colour_and_width_follow_the_terminal),
	};
	struct CMUnitTest tests[COUNT_OF(fixed) + COUNT_OF(lines)];

	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		tests[COUNT_OF(fixed) + i] = (struct CMUnitTest){
			.name = lines[i].name,
			.test_func = a_line_says_where_the_run_stands,
			.initial_state = (void *)(uintptr_t)&lines[i],
		};
	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
