/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

static bool is_about_pairs(const struct reader *reader)
{
	return scan_has(reader->section->title, "pair") ||
	       scan_has(reader->section->title, "2-node");
}

/* "n1 n2 24.8", "n1-n2: 24.8 GB/s", "n1 <-> n2 24.8" under a title about pairs. */
static void read_pair(const struct reader *reader, long line, const char *text)
{
	char copy[256], a[64], b[64];
	struct words words;
	double number;

	if (!is_about_pairs(reader))
		return;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *c = copy; *c; c++)
		if (strchr("<>,:|", *c) ||
			(*c == '-' && (c[1] == '>' || c[1] == ' ' || c == copy ||
					      c[-1] == ' ' || c[-1] == '<')))
			*c = ' ';
	scan_words(copy, &words);
	if (words.count >= 2 && strchr(words.at[0], '-') &&
		scan_number(words.at[1], &number, NULL)) {
		const char *dash = strchr(words.at[0], '-');

		snprintf(a, sizeof(a), "%.*s", (int)(dash - words.at[0]), words.at[0]);
		snprintf(b, sizeof(b), "%s", dash + 1);
	} else if (words.count >= 3 && scan_number(words.at[2], &number, NULL) &&
		   isalpha((unsigned char)*words.at[0]) &&
		   isalpha((unsigned char)*words.at[1])) {
		snprintf(a, sizeof(a), "%s", words.at[0]);
		snprintf(b, sizeof(b), "%s", words.at[1]);
	} else {
		return;
	}
	if (*a && *b)
		reader_number(reader, line, FACT_PAIR, a, b, number);
}

static bool is_end(const char *word)
{
	const char *colon = strchr(word, ':');

	return colon && colon > word && isalpha((unsigned char)*word) && colon[1] &&
	       !strchr(colon + 1, ':');
}

/* "h1:p0 <-> h2:p0": a cable, as planned or as found by LLDP. */
static void read_cable(const struct reader *reader, long line, const char *text)
{
	static const char *const joints[] = { "<->", "--", "-", "->", "to", "<=>", "↔" };
	const char *title = reader->section->title;
	struct words words;
	bool planned = scan_has(title, "plan") || scan_has(title, "expected") ||
		       scan_has(title, "intended") || scan_has(title, "blueprint");

	scan_words(text, &words);
	if (words.count < 3 || !is_end(words.at[0]) || !is_end(words.at[2]))
		return;
	for (size_t i = 0; i < COUNT_OF(joints); i++)
		if (strcmp(words.at[1], joints[i]) == 0) {
			reader_add(reader, line, FACT_CABLE, words.at[0], words.at[2],
				planned ? "planned" : "found");
			return;
		}
}

/* "every cable must join p0 to p1", "cables connect port p0 with port p0". */
static void read_cable_rule(const struct reader *reader, long line, const char *text)
{
	static const char *const verbs[] = { "join", "joins", "connect", "connects" };
	const char *after = NULL;
	char from[32], to[32], by[16];

	for (size_t i = 0; i < COUNT_OF(verbs) && !after; i++)
		after = scan_word(text, verbs[i]);
	if (!after || !scan_has(text, "cable"))
		return;
	if (sscanf(after, " port %31s %15s port %31[A-Za-z0-9_]", from, by, to) != 3 &&
		sscanf(after, " %31s %15s %31[A-Za-z0-9_]", from, by, to) != 3)
		return;
	if (strcmp(by, "to") != 0 && strcmp(by, "with") != 0 && strcmp(by, "and") != 0)
		return;
	reader_add(reader, line, FACT_CABLE_RULE, NULL, NULL, from)->extra =
		facts_keep(reader->facts, to);
}

/* The next word of a line, of any length of line; false at its end. */
static bool next_word(const char **at, char *word, size_t room)
{
	size_t length;

	*at += strspn(*at, " \t\r");
	length = strcspn(*at, " \t\r");
	snprintf(word, room, "%.*s", (int)length, *at);
	*at += length;
	return length > 0;
}

static size_t count_words(const char *text)
{
	size_t count = 0;
	char word[8];

	while (next_word(&text, word, sizeof(word)))
		count++;
	return count;
}

/* The heading of a matrix: names and nothing else. */
static bool is_heading(const char *text)
{
	size_t count = 0;
	char word[64];

	for (; next_word(&text, word, sizeof(word)); count++)
		if (!isalpha((unsigned char)*word))
			return false;
	return count >= 2;
}

/* A square of nodes: a row begins with its node, and "-" or "x" stands where it meets
 * itself. Each pair once, the slower of both directions. */
static void read_matrix_row(const struct reader *reader, long line, const char *heading)
{
	const char *text = reader->lines[line].text;
	char row[64], column[64], cell[64];
	double number;

	if (count_words(text) != count_words(heading) + 1)
		return;
	next_word(&text, row, sizeof(row));
	while (next_word(&heading, column, sizeof(column)) &&
		next_word(&text, cell, sizeof(cell))) {
		const struct fact *back;

		if (strcmp(column, row) == 0 || !scan_whole_number(cell, &number))
			continue;
		back = reader->facts->of_key[FACT_PAIR] < FACTS_KEY_MAX
			       ? facts_find(reader->facts, FACT_PAIR, NULL, column, row)
			       : NULL;
		if (!back)
			reader_number(reader, line, FACT_PAIR, row, column, number);
		else if (number < back->number)
			reader->facts->items[back - reader->facts->items].number = number;
	}
}

static bool is_node_row(const char *heading, const char *text)
{
	char row[64], column[64];

	if (!next_word(&text, row, sizeof(row)))
		return false;
	while (next_word(&heading, column, sizeof(column)))
		if (strcmp(column, row) == 0)
			return true;
	return false;
}

/* Reads a matrix where there is one: a heading of which the next line's first word is a
 * part. */
static bool read_matrix(const struct reader *reader)
{
	if (!is_about_pairs(reader) && !scan_has(reader->section->title, "matrix"))
		return false;
	for (long i = 0; i + 1 < (long)reader->count; i++) {
		const char *heading = reader->lines[i].text;

		if (!is_heading(heading) || !is_node_row(heading, reader->lines[i + 1].text))
			continue;
		for (long k = i + 1; k < (long)reader->count; k++)
			read_matrix_row(reader, k, heading);
		return true;
	}
	return false;
}

void parse_pairs(const struct reader *reader)
{
	bool matrix = read_matrix(reader);

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (!matrix)
			read_pair(reader, i, text);
		read_cable(reader, i, text);
		read_cable_rule(reader, i, text);
	}
}
