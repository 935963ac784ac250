/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* Where "busbw" stands among the columns; the rows of nccl-tests, rccl-tests
 * and shortened tables share the heading words. */
static int busbw_column(const char *heading)
{
	struct words words;
	int column = 0;
	bool seen = false;

	if (!scan_has(heading, "busbw") || !scan_has(heading, "size"))
		return -1;
	scan_words(heading, &words);
	for (int i = 0; i < words.count; i++) {
		if (!seen && !scan_has(words.at[i], "size"))
			continue;
		seen = true;
		if (scan_has(words.at[i], "busbw"))
			return column;
		column++;
	}
	return -1;
}

/* A row without its heading: size, count, type, redop, root, time, algbw, busbw; or cut to
 * size, time, algbw, busbw below a title that names the test. */
static int bare_column(const char *row, bool named)
{
	static const char *const types[] = { "float", "half", "bfloat16", "double", "int8",
		"uint8", "int32", "uint32", "int64", "uint64", "fp8_e4m3", "fp8_e5m2" };
	struct words words;
	double number;

	scan_words(row, &words);
	if (named && words.count == 4 && scan_whole_number(words.at[0], &number) &&
		scan_whole_number(words.at[1], &number) &&
		scan_whole_number(words.at[2], &number) &&
		scan_whole_number(words.at[3], &number))
		return 3;
	if (words.count < 8 || !scan_whole_number(words.at[0], &number) ||
		!scan_whole_number(words.at[1], &number))
		return -1;
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (strcmp(words.at[2], types[i]) == 0)
			return 7;
	return -1;
}

static void read_row(const struct reader *reader, long line, int column, const char *test)
{
	struct words words;
	double size, busbw;
	struct fact *fact;

	scan_words(reader->lines[line].text, &words);
	if (words.count <= column || !scan_whole_number(words.at[0], &size))
		return;
	/* A bandwidth that is no plain number is no row. */
	if (scan_has(words.at[column], "nan") || scan_has(words.at[column], "inf") ||
		!scan_whole_number(words.at[column], &busbw) || busbw < 0) {
		if (*words.at[column] == '-' || scan_has(words.at[column], "nan") ||
			scan_has(words.at[column], "inf"))
			reader_add(reader, line, FACT_PERF_PARAM, NULL, "invalid",
				reader->lines[line].text);
		return;
	}
	fact = reader_number(reader, line, FACT_NCCL_ROW, NULL, test, busbw);
	fact->more = size;
}

/* "planned busbw: 24 GB/s", "expected 21.9 GB/s": in GB/s. */
static void read_expected(const struct reader *reader, long line, const char *text)
{
	static const char *const words[] = { "planned", "expected", "target", "reference" };

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const char *after = scan_word(text, words[i]), *end;
		double gbps;

		if (!after || !scan_find_rate_gbps(after, &gbps, &end))
			continue;
		reader_number(reader, line, FACT_EXPECTED, NULL, NULL, gbps / 8)->text =
			facts_keep(reader->facts, text);
		return;
	}
}

const char *nccl_test_name(const char *text)
{
	static const char *const tests[] = { "all_reduce", "alltoallv", "alltoall",
		"all_gather", "reduce_scatter", "sendrecv", "broadcast", "scatter", "gather",
		"reduce" };

	for (size_t i = 0; i < COUNT_OF(tests); i++)
		if (scan_has(text, tests[i]))
			return tests[i];
	return NULL;
}

/* "# Rank  0 Group  0 Pid 12 on hostA device 0 [0x1a] GPU": as many as the highest says; a
 * second copy of the program begins at 0 again. */
static void count_ranks(const struct reader *reader)
{
	double ranks = 0, rank;
	long line = -1;

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text, *after = scan_word(text, "Rank");

		if (*text == '#' && after && scan_word(text, "Pid") &&
			scan_word(text, "device") &&
			scan_number(after + strspn(after, " "), &rank, NULL) && rank >= ranks) {
			ranks = rank + 1;
			line = i;
		}
	}
	if (ranks > 0)
		reader_number(reader, line, FACT_COMM, "ranks listed", "", ranks);
}

/* "2 nodes x 8 GPUs": at is behind the "x". */
static bool is_times(const char *text, const char *at)
{
	while (at > text && at[-1] == ' ')
		at--;
	return at - text >= 2 && (at[-1] == 'x' || at[-1] == '*') && at[-2] == ' ';
}

static void read_ranks(const struct reader *reader, long line, const char *text)
{
	const char *end;
	double number;

	if (scan_has(text, "NCCL INFO"))
		return;
	if (scan_value_number(text, "rank_size", &number) ||
		scan_value_number(text, "rankSize", &number) ||
		scan_value_number(text, "world_size", &number) ||
		scan_value_number(text, "nranks", &number))
		reader_number(reader, line, FACT_COMM, "ranks told", "", number);
	for (const char *at = text; (at = strpbrk(at, "0123456789"));
		at += strspn(at, "0123456789.")) {
		if (at > text && at[-1] != ' ' && at[-1] != ',' && at[-1] != '(')
			continue;
		if (!scan_number(at, &number, &end))
			continue;
		end += strspn(end, " ");
		if (strncmp(end, "rank", 4) == 0)
			reader_number(reader, line, FACT_COMM, "ranks told", "", number);
		else if (strncmp(end, "node", 4) == 0 || strncmp(end, "host", 4) == 0)
			reader_number(reader, line, FACT_COMM, "nodes told", "", number);
		else if (strncmp(end, "GPU", 3) == 0 &&
			 (scan_has(end, "per node") || scan_has(end, "a node") ||
				 scan_has(end, "each") || scan_has(end, "per host") ||
				 scan_has(end, "/node") || is_times(text, at)))
			reader_number(reader, line, FACT_COMM, "GPUs a node", "", number);
	}
}

void parse_nccl_tests(const struct reader *reader)
{
	const char *test = nccl_test_name(reader->section->title);
	int column = -1;

	for (long i = 0; i < (long)reader->count && column < 0; i++)
		column = busbw_column(reader->lines[i].text);
	for (long i = 0; i < (long)reader->count && column < 0; i++)
		column = bare_column(reader->lines[i].text,
			test && scan_has(reader->section->title, "_perf"));
	read_expected(reader, -1, reader->section->title);
	read_ranks(reader, -1, reader->section->title);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text, *after;
		double number;

		if (!test && (scan_has(text, "_perf") || scan_has(text, "collective")))
			test = nccl_test_name(text);
		if (busbw_column(text) >= 0)
			column = busbw_column(text);
		else if (column > 0 && strchr(" 0123456789", *text))
			read_row(reader, i, column, test);
		after = scan_after(text, "Avg bus bandwidth");
		if (after && scan_number(after + strspn(after, " \t:"), &number, NULL))
			reader_number(reader, i, FACT_NCCL_AVG, NULL, NULL, number);
		read_expected(reader, i, text);
		if (scan_has(text, "rank") || scan_has(text, "world_size") ||
			scan_has(text, "node") || scan_has(text, "GPU") ||
			scan_has(text, "hosts"))
			read_ranks(reader, i, text);
	}
	count_ranks(reader);
}
