/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

#define MATRIX_COLUMNS 16

static const char *rail_of(const char *word, char *rail, size_t room)
{
	const char *colon = strchr(word, ':');

	snprintf(rail, room, "%s", colon ? colon + 1 : word);
	return rail;
}

/* "hostA rail0 -> hostB rail1: unreachable", "hostA:rail0 -> hostB:rail1 100% packet
 * loss": who reaches whom. The rail is the last word of an end. */
static void read_reach(const struct reader *reader, long line, const char *text)
{
	static const char *const bad[] = { "unreachable", "100% packet loss", "100% loss",
		"timeout", "timed out", "no route", "fail", "not ok", "no reply", "no answer" };
	static const char *const good[] = { " ok", " 0% packet loss", " 0% loss", "reachable",
		"success", "pass" };
	const char *arrow = strstr(text, "->");
	struct words left, right;
	char from[64], to[64], a[64], b[64];
	bool is_bad = false, is_good = false;
	struct fact *fact;

	if (!arrow || scan_has(text, "NCCL") || scan_has(text, "NET/"))
		return;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		is_bad = is_bad || scan_has(arrow, bad[i]);
	for (size_t i = 0; i < COUNT_OF(good); i++)
		is_good = is_good || scan_has(arrow, good[i]);
	if (!is_bad && !is_good)
		return;
	snprintf(from, sizeof(from), "%.*s",
		(int)(arrow - text) > 60 ? 60 : (int)(arrow - text), text);
	scan_words(from, &left);
	snprintf(to, sizeof(to), "%.60s", arrow + 2);
	scan_words(to, &right);
	if (left.count == 0 || right.count == 0)
		return;
	rail_of(left.at[left.count - 1], a, sizeof(a));
	/* The right end is one word with a colon in it, or two. */
	rail_of(right.at[0], b, sizeof(b));
	if (left.count > 1 && right.count > 1 && !strchr(left.at[left.count - 1], ':'))
		snprintf(b, sizeof(b), "%.*s", (int)strcspn(right.at[1], ":,"), right.at[1]);
	b[strcspn(b, ",")] = '\0';
	fact = reader_number(reader, line, FACT_REACH, a, b, !is_bad);
	fact->text = facts_keep(reader->facts, text);
	fact->more = strcmp(a, b) != 0;
}

/* ping -I rail0 192.0.2.1 in the title, its statistics below; ip route get. */
static void read_ping(const struct reader *reader, long line, const char *text)
{
	const char *title = reader->section->title;
	struct words words;
	struct fact *reach;
	const char *to;
	bool lost = scan_has(text, "100% packet loss");

	if (scan_has(text, "Network is unreachable") || scan_has(text, "No route to host")) {
		reader_add(reader, line, FACT_NO_ROUTE, reader->device, NULL, text);
		return;
	}
	if (scan_has(title, "route"))
		reader_number(reader, line, FACT_ROUTE, NULL,
			scan_has(title, "route get") && scan_word(text, "dev") ? "get" : NULL,
			scan_word(text, "via") != NULL);
	if (!scan_has(title, "ping") || !scan_has(text, "packet loss"))
		return;
	scan_words(title, &words);
	to = words.count ? words.at[words.count - 1] : "";
	reach = reader_number(reader, line, FACT_REACH, reader->device, to, !lost);
	reach->text = facts_keep(reader->facts, title);
	/* "ping -I rail0 to hostB rail1": the far end by its rail, not by its address. */
	reach->more = *reader->device && isalpha((unsigned char)*to) &&
		      strcspn(to, "0123456789") < strlen(to) && !strpbrk(to, ".-") &&
		      line_place(to) == 0 && strcmp(to, reader->device) != 0;
}

/* A cell of a matrix of who reaches whom: 1, 0, or -1 for what is neither. */
static int reached(const char *cell)
{
	static const char *const good[] = { "ok", "yes", "pass", "up", "reachable", "success" };
	static const char *const bad[] = { "fail", "failed", "no", "x", "timeout",
		"unreachable", "down" };

	for (size_t i = 0; i < COUNT_OF(good); i++)
		if (strcasecmp(cell, good[i]) == 0)
			return 1;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		if (strcasecmp(cell, bad[i]) == 0)
			return 0;
	return -1;
}

/*
 *              rail0  rail1
 *     rail0    ok     fail
 */
static void read_matrix(const struct reader *reader)
{
	struct words heads = { .count = 0 }, row;

	for (long i = 0; i < (long)reader->count; i++) {
		bool cells = true;

		scan_words(reader->lines[i].text, &row);
		for (int c = 1; c < row.count; c++)
			cells = cells &&
				(reached(row.at[c]) >= 0 || strcmp(row.at[c], "-") == 0);
		if (!cells || row.count < 2) {
			scan_words(reader->lines[i].text, &heads);
			continue;
		}
		/* A word in the corner is no column. */
		int skip = heads.count - (row.count - 1);

		if (skip < 0 || skip > 1 || row.count > MATRIX_COLUMNS)
			continue;
		for (int c = 1; c < row.count; c++) {
			char from[64], to[64];
			struct fact *fact;

			if (reached(row.at[c]) < 0)
				continue;
			rail_of(row.at[0], from, sizeof(from));
			rail_of(heads.at[skip + c - 1], to, sizeof(to));
			fact = reader_number(
				reader, i, FACT_REACH, from, to, reached(row.at[c]));
			fact->text = facts_keep(reader->facts, reader->lines[i].text);
			fact->more = strcmp(from, to) != 0;
		}
	}
}

void parse_reach(const struct reader *reader)
{
	for (long i = 0; i < (long)reader->count; i++) {
		read_reach(reader, i, reader->lines[i].text);
		read_ping(reader, i, reader->lines[i].text);
	}
	read_matrix(reader);
}
