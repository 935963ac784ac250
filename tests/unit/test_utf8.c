/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"
#include "lib/utf8.h"

static const struct utf8_case {
	const char *name, *text;
	size_t valid;
} cases[] = {
	{ "nothing", "", 0 },
	{ "letters", "leaf", 4 },
	{ "two, three and four bytes", "\303\244\346\227\240\360\237\230\200", 9 },
	{ "a lone continuation", "ab\200", 2 },
	{ "an overlong slash", "a\300\257", 1 },
	{ "an overlong three", "a\340\200\257", 1 },
	{ "a surrogate", "a\355\240\200", 1 },
	{ "past the last character", "a\364\220\200\200", 1 },
	{ "cut in the middle", "ab\346\227", 2 },
	{ "a byte that never occurs", "\377", 0 },
};

static void is_valid_as_far_as_it_goes(void **state)
{
	const struct utf8_case *row = *state;

	assert_int_equal(utf8_valid_until(row->text, strlen(row->text)), row->valid);
}

static void control_characters_are_found_in_both_ranges(void **state)
{
	(void)state;
	assert_false(utf8_has_control("leaf1 \303\244 \346\227\240"));
	assert_true(utf8_has_control("leaf1\033[2J"));
	assert_true(utf8_has_control("a\177"));
	assert_true(utf8_has_control("a\302\233"
				     "2J"));
	assert_true(utf8_has_control("a\nb"));
}

static void shown(const char *text, const char *expected)
{
	char clip[UTF8_CLIP];

	utf8_clip(text, clip);
	assert_string_equal(clip, expected);
}

static void clipping_keeps_whole_characters_and_no_harm(void **state)
{
	char longest[200];

	(void)state;
	shown("", "");
	shown("leaf1", "leaf1");
	shown("a\033b\377c\302\233d", "a?b?c?d");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	shown(longest, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
	for (size_t i = 0; i + 3 < sizeof(longest); i += 3)
		memcpy(longest + i, "\346\227\240", 3);
	longest[198] = '\0';
	shown(longest, "\346\227\240\346\227\240\346\227\240\346\227\240\346\227\240"
		       "\346\227\240\346\227\240\346\227\240\346\227\240\346\227\240"
		       "\346\227\240\346\227\240\346\227\240\346\227\240...");
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 2] = {
		cmocka_unit_test(control_characters_are_found_in_both_ranges),
		cmocka_unit_test(clipping_keeps_whole_characters_and_no_harm),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = is_valid_as_far_as_it_goes,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
