/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"
#include "reports/ink.h"
#include "reports/table.h"

struct page {
	char *text;
	size_t bytes;
	FILE *out;
	struct ink ink;
};

static void page_open(struct page *page, unsigned width, bool colour)
{
	struct report_options options = { .width = width, .colour = colour };

	page->out = open_memstream(&page->text, &page->bytes);
	assert_non_null(page->out);
	ink_init(&page->ink, page->out, &options);
}

static void page_is(struct page *page, const char *expected)
{
	assert_int_equal(fclose(page->out), 0);
	assert_string_equal(page->text, expected);
	free(page->text);
}

static const struct safe_case {
	const char *name, *given, *safe;
	size_t columns;
} safe_cases[] = {
	{ "plain text is left as it is", "leaf1:9", "leaf1:9", 7 },
	{ "a colour change is no longer one", "a\033[31mb", "a?[31mb", 7 },
	{ "a C1 control is no longer one",
		"a\xc2\x9b"
		"31m",
		"a?31m", 5 },
	{ "white space is a space", "a\tb\nc\rd", "a b c d", 7 },
	{ "text direction cannot be changed",
		"a\xe2\x80\xae"
		"b",
		"a?b", 3 },
	{ "DEL is replaced", "a\x7f", "a?", 2 },
	{ "Chinese takes two columns", "\xe4\xb8\xbb\xe6\x9c\xba", "\xe4\xb8\xbb\xe6\x9c\xba",
		4 },
	{ "an accent takes none", "e\xcc\x81", "e\xcc\x81", 1 },
	{ "a byte that is no UTF-8 is U+FFFD", "a\xff", "a\xef\xbf\xbd", 2 },
	{ "an overlong form is not UTF-8", "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
	{ "a surrogate is not UTF-8", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
		3 },
	{ "a character cut at the end is not UTF-8", "\xe4\xb8", "\xef\xbf\xbd\xef\xbf\xbd",
		2 },
	{ "four bytes are one character", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 2 },
};

static void names_are_safe(void **state)
{
	const struct safe_case *c = *state;
	char safe[64];

	ink_safe(safe, sizeof(safe), c->given);
	assert_string_equal(safe, c->safe);
	assert_int_equal(ink_columns(c->given), c->columns);
}

static void a_safe_text_is_cut_at_a_whole_character(void **state)
{
	char safe[5];

	(void)state;
	ink_safe(safe, sizeof(safe), "a\xe4\xb8\xbb\xe6\x9c\xba");
	assert_string_equal(safe, "a\xe4\xb8\xbb");
}

static void no_line_is_longer_than_the_width(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	ink_put(&page.ink, INK_PLAIN, "0123456789012345678901234567890123456789");
	ink_end(&page.ink);
	ink_put(&page.ink, INK_PLAIN, "a123456789b123456789c123456789d123456789e");
	ink_put(&page.ink, INK_PLAIN, "and more");
	ink_end(&page.ink);
	page_is(&page, "0123456789012345678901234567890123456789\n"
		       "a123456789b123456789c123456789d..\n");
}

static void a_wide_character_is_not_cut_in_two(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	ink_put(&page.ink, INK_PLAIN,
		"0123456789012345678901234567890123456\xe4\xb8\xbb\xe6\x9c\xba");
	ink_end(&page.ink);
	page_is(&page, "0123456789012345678901234567890123456..\n");
}

static const struct cut_case {
	const char *name, *given, *cut; /* on a line of 40 columns */
} cut_cases[] = {
	{ "a number is left out whole", "done p50 103526.7, then at most 104474.1 us",
		"done p50 103526.7, then at most .." },
	{ "a word is cut anywhere", "done p50 103526.7, and then some words more",
		"done p50 103526.7, and then some words.." },
	{ "a number that ends at the cut stays", "of all that was sent there came 104474 KiB",
		"of all that was sent there came 104474.." },
	{ "groups of digits are one number", "all bytes that came to it: 104,474,112,000",
		"all bytes that came to it: .." },
	{ "an exponent is of its number", "a loss probability of not more than 1.2e-03",
		"a loss probability of not more than .." },
	{ "a range is of one piece", "in a window of this stage: 177863.752-468709.884",
		"in a window of this stage: .." },
	{ "a name does not become another one", "nothing came to the host of name host1234",
		"nothing came to the host of name host.." },
	{ "nothing but a number", "1234567890123456789012345678901234567890123", ".." },
	{ "what fits is not cut", "1234567890123456789012345678901234567890",
		"1234567890123456789012345678901234567890" },
};

static void no_number_is_cut(void **state)
{
	const struct cut_case *c = *state;
	struct page page;

	page_open(&page, 40, false);
	ink_put(&page.ink, INK_PLAIN, "%s", c->given);
	assert_int_equal(page.ink.column, 40);
	ink_put(&page.ink, INK_PLAIN, "after");
	page_is(&page, c->cut);
}

static void no_digit_is_put_alone_on_the_last_column(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	ink_to(&page.ink, 39);
	ink_put(&page.ink, INK_PLAIN, "12");
	page_is(&page, "                                       ");
}

static void words_wrap_to_the_indent(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	ink_put(&page.ink, INK_PLAIN, "-> ");
	ink_wrap(&page.ink, INK_PLAIN, 3, "one two three four five six seven eight nine ten");
	ink_end(&page.ink);
	page_is(&page, "-> one two three four five six seven\n"
		       "   eight nine ten\n");
}

static void a_word_longer_than_the_line_is_broken(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	ink_to(&page.ink, 30);
	ink_wrap(&page.ink, INK_PLAIN, 30, "a 012345678901234 b");
	ink_end(&page.ink);
	page_is(&page, "                              a\n"
		       "                              0123456789\n"
		       "                              01234 b\n");
}

static void prose_stops_at_a_hundred_columns(void **state)
{
	char words[512] = "";
	struct page page;

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		strcat(words, "word ");
	page_open(&page, 160, false);
	ink_wrap(&page.ink, INK_PLAIN, 0, words);
	ink_end(&page.ink);
	fclose(page.out);
	assert_true(strcspn(page.text, "\n") <= REPORT_PROSE_WIDTH);
	assert_true(strcspn(page.text, "\n") > REPORT_PROSE_WIDTH - 6);
	free(page.text);
}

static void colours_are_ended_and_only_where_asked_for(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 80, true);
	ink_put(&page.ink, INK_BAD, "FAIL");
	ink_put(&page.ink, INK_PLAIN, " plain");
	page_is(&page, "\033[1;31mFAIL\033[0m plain");
	page_open(&page, 80, false);
	ink_put(&page.ink, INK_BAD, "FAIL");
	page_is(&page, "FAIL");
}

static void widths_that_no_screen_has_are_bounded(void **state)
{
	struct page page;

	(void)state;
	page_open(&page, 1, false);
	assert_int_equal(page.ink.width, REPORT_WIDTH_MIN);
	page_is(&page, "");
	page_open(&page, 100000, false);
	assert_int_equal(page.ink.width, REPORT_WIDTH_MAX);
	page_is(&page, "");
	page_open(&page, 0, false);
	assert_int_equal(page.ink.width, REPORT_WIDTH);
	page_is(&page, "");
}

static void a_table_is_aligned_and_its_last_column_wraps(void **state)
{
	static const struct table_column columns[] = { { "name", true, 0 },
		{ "count", false, 0 }, { "note", true, 0 } };
	struct table table;
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	table_init(&table, columns, COUNT_OF(columns));
	table_cell(&table, INK_PLAIN, "\xe4\xb8\xbb\xe6\x9c\xba");
	table_cell(&table, INK_PLAIN, "7");
	table_cell(&table, INK_PLAIN, "one two three four five six");
	table_cell(&table, INK_PLAIN, "leaf12");
	table_cell(&table, INK_PLAIN, "123,456");
	table_cell(&table, INK_PLAIN, "-");
	table_print(&table, &page.ink);
	page_is(&page, "  name      count  note\n"
		       "  \xe4\xb8\xbb\xe6\x9c\xba          7  one two three four\n"
		       "                   five six\n"
		       "  leaf12  123,456  -\n");
}

static void a_table_gives_up_what_it_can_spare(void **state)
{
	static const struct table_column columns[] = { { "name", true, 0 },
		{ "first to go", false, 2 }, { "second", false, 1 }, { "kept", false, 0 } };
	struct table table;
	struct page page;

	(void)state;
	page_open(&page, 40, false);
	table_init(&table, columns, COUNT_OF(columns));
	table_cell(&table, INK_PLAIN, "a name of twenty two c");
	table_cell(&table, INK_PLAIN, "1");
	table_cell(&table, INK_PLAIN, "2");
	table_cell(&table, INK_PLAIN, "3");
	table_print(&table, &page.ink);
	page_is(&page, "  name                    second  kept\n"
		       "  a name of twenty two c       2     3\n");
}

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		cmocka_unit_test(a_safe_text_is_cut_at_a_whole_character),
		cmocka_unit_test(no_line_is_longer_than_the_width),
		cmocka_unit_test(a_wide_character_is_not_cut_in_two),
		cmocka_unit_test(no_digit_is_put_alone_on_the_last_column),
		cmocka_unit_test(words_wrap_to_the_indent),
		cmocka_unit_test(a_word_longer_than_the_line_is_broken),
		cmocka_unit_test(prose_stops_at_a_hundred_columns),
		cmocka_unit_test(colours_are_ended_and_only_where_asked_for),
		cmocka_unit_test(widths_that_no_screen_has_are_bounded),
		cmocka_unit_test(a_table_is_aligned_and_its_last_column_wraps),
		cmocka_unit_test(a_table_gives_up_what_it_can_spare),
	};
	const size_t safe = COUNT_OF(fixed), cut = safe + COUNT_OF(safe_cases);
	struct CMUnitTest tests[COUNT_OF(fixed) + COUNT_OF(safe_cases) + COUNT_OF(cut_cases)];

	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < COUNT_OF(safe_cases); i++)
		tests[safe + i] = (struct CMUnitTest){
			.name = safe_cases[i].name,
			.test_func = names_are_safe,
			.initial_state = (void *)(uintptr_t)&safe_cases[i],
		};
	for (size_t i = 0; i < COUNT_OF(cut_cases); i++)
		tests[cut + i] = (struct CMUnitTest){
			.name = cut_cases[i].name,
			.test_func = no_number_is_cut,
			.initial_state = (void *)(uintptr_t)&cut_cases[i],
		};
	return cmocka_run_group_tests_name("ink", tests, NULL, NULL);
}
