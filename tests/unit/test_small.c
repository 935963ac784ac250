/* SPDX-License-Identifier: Apache-2.0 */
/* The small parts of lib/: diag, grow, names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/names.h"

static void a_sentence_travels_with_its_code(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(diag_error(&diag, -ERANGE, "%d: expected %s", 7, "less"), -ERANGE);
	assert_string_equal(diag.text, "7: expected less");
	assert_int_equal(diag_system(&diag, -ENOENT, "%s", "a.yaml"), -ENOENT);
	assert_string_equal(diag.text, "a.yaml: No such file or directory");
}

static void a_sentence_too_long_is_cut(void **state)
{
	char text[2 * sizeof(struct diag)];
	struct diag diag;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(diag_system(&diag, -EIO, "%s", text), -EIO);
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
}

static void growing_keeps_the_items(void **state)
{
	size_t count = 0, room = 0;
	int *items = NULL;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		items = grow(items, count, &room, sizeof(*items));
		assert_true(room > count);
		items[count++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
	assert_null(zeroed(0, 8));
}

/* In a child, since that is the end of it. */
static void no_memory_is_one_sentence_and_status_2(void **state)
{
	int ends[2], status;
	char text[64] = "";
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		out_of_memory();
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	close(ends[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_non_null(strstr(text, "weft: out of memory\n"));
}

static void a_name_has_one_number(void **state)
{
	struct names names = NAMES_INIT;
	char text[32];
	bool is_new;

	(void)state;
	assert_int_equal(names_find(&names, "leaf1"), NAMES_NONE);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(text, sizeof(text), "leaf%u:%u", i / 64, i % 64);
			assert_int_equal(names_put(&names, text, &is_new), i);
			assert_int_equal(is_new, round == 0);
		}
	assert_string_equal(names_text(&names, 64), "leaf1:0");
	assert_int_equal(names_find(&names, "leaf1:0"), 64);
	assert_int_equal(names_find(&names, "leaf1:64"), NAMES_NONE);
	assert_null(names_text(&names, 5000));
	assert_null(names_text(&names, UINT64_MAX));
	names_free(&names);
	names_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_travels_with_its_code),
		cmocka_unit_test(a_sentence_too_long_is_cut),
		cmocka_unit_test(growing_keeps_the_items),
		cmocka_unit_test(no_memory_is_one_sentence_and_status_2),
		cmocka_unit_test(a_name_has_one_number),
	};

	return cmocka_run_group_tests_name("small", tests, NULL, NULL);
}
