/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/counter_table.h"
#include "pfc/scan.h"

void counter_add(const struct reader *reader, long line, const char *device, const char *name,
	double value)
{
	struct fact *fact = reader_number(reader, line, FACT_COUNTER, device, name, value);
	int priority = -1;
	const struct counter_row *row = counter_find(name, &priority);

	fact->means = (short)(row ? row->means : MEANS_NOTHING);
	fact->priority = (short)priority;
	fact->more = reader->section->delta ||
		     (line >= 0 && (scan_has(reader->lines[line].text, "delta") ||
					   scan_has(reader->lines[line].text, "per second")));
}

/* "10 -> 14": two readings on one line. */
static bool read_arrow(const char *text, double *later)
{
	text += strspn(text, " ");
	if (strncmp(text, "->", 2) == 0)
		text += 2;
	else if (strncmp(text, "→", strlen("→")) == 0)
		text += strlen("→");
	else
		return false;
	return scan_number(text + strspn(text, " "), later, NULL);
}

/* A difference below 0 is a reset or a wrap, and no number. */
static void add_difference(const struct reader *reader, long line, const char *device,
	const char *name, double difference)
{
	size_t count = reader->facts->count;

	if (difference < 0)
		return;
	counter_add(reader, line, device, name, difference);
	if (reader->facts->count > count)
		reader->facts->items[count].more = 1;
}

/* The last ": " parts name from value: names may hold colons. */
static bool read_pair(const struct reader *reader, long line, const char *device)
{
	const char *text = reader->lines[line].text, *value = NULL, *end;
	char name[96];
	int priority;
	double number, later;

	for (const char *at = text; (at = strchr(at, ':')); at++)
		if (at[1] == ' ' || at[1] == '\t' || isdigit((unsigned char)at[1]))
			value = at + 1;
	if (!value)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(value - 1 - text), text);
	if (scan_has(name, " delta"))
		*strcasestr(name, " delta") = '\0';
	if (strrchr(name, '/') && !counter_find(name, &priority))
		memmove(name, strrchr(name, '/') + 1, strlen(strrchr(name, '/') + 1) + 1);
	if (!scan_number(value + strspn(value, " \t"), &number, &end) ||
		!counter_find(name, &priority))
		return false;
	if (read_arrow(end, &later)) {
		add_difference(
			reader, line, device, name + strspn(name, " \t"), later - number);
		return true;
	}
	counter_add(reader, line, device, name + strspn(name, " \t"), number);
	return true;
}

/* "link mlx5_0/1 name value name value", "Ethernet4 RX_DRP 120331", "tx_prio3_packets
 * 2990000 per second", "VOQ_WRED_RJCT 48210 ; PFC3 Tx 0". */
static void read_words(const struct reader *reader, long line, const char *device)
{
	const char *text = reader->lines[line].text;
	struct words words;
	char port[64];
	int priority;
	double number;

	scan_words(text, &words);
	snprintf(port, sizeof(port), "%s", device);
	for (int i = 0; i + 1 < words.count; i++) {
		char two[96], name[96];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(words.at[i], ":="),
			words.at[i]);
		snprintf(two, sizeof(two), "%.40s %.40s", words.at[i], words.at[i + 1]);
		if (strcmp(words.at[i], "link") == 0 && strchr(words.at[i + 1], '/'))
			snprintf(port, sizeof(port), "%.*s", (int)strcspn(words.at[i + 1], "/"),
				words.at[i + 1]);
		else if (i == 0 && strncmp(words.at[0], "Ethernet", 8) == 0)
			snprintf(port, sizeof(port), "%.63s", words.at[0]);
		if (counter_find(name, &priority) &&
			scan_number(words.at[i + 1], &number, NULL))
			counter_add(reader, line, port, name, number);
		else if (counter_find(name, &priority) && strchr(words.at[i], '=') &&
			 scan_number(strchr(words.at[i], '=') + 1, &number, NULL))
			counter_add(reader, line, port, name, number);
		else if (i + 2 < words.count && counter_find(two, &priority) &&
			 scan_number(words.at[i + 2], &number, NULL))
			counter_add(reader, line, port, two, number);
	}
}

/* A table whose heading names counters: show interfaces counters. Cells with a
 * unit ("286.58 KB/s") are two words in a row and one in the heading. */
static bool read_heading(const char *text, struct words *heading)
{
	int priority;

	scan_words(text, heading);
	for (int i = 1; i < heading->count; i++)
		if (counter_find(heading->at[i], &priority) &&
			(strcmp(heading->at[0], "IFACE") == 0 ||
				strcmp(heading->at[0], "Port") == 0 ||
				scan_has(heading->at[0], "port")))
			return true;
	return false;
}

static void read_table_row(const struct reader *reader, long line, const struct words *heading)
{
	struct words words;
	int column = 1, priority;
	double number;

	scan_words(reader->lines[line].text, &words);
	for (int i = 1; i < words.count && column < heading->count; i++) {
		if (scan_has(words.at[i], "B/s") && isalpha((unsigned char)*words.at[i]))
			continue;
		if (counter_find(heading->at[column], &priority) &&
			scan_number(words.at[i], &number, NULL))
			counter_add(reader, line, words.at[0], heading->at[column], number);
		column++;
	}
}

/* A file alone: the title names the counter, by its path or by its name. */
static void read_file(const struct reader *reader, long line)
{
	const char *at = reader->section->what;
	int priority;
	double number;
	char name[96];

	if (reader->count != 1 || !scan_whole_number(reader->lines[line].text, &number))
		return;
	while (*(at += strspn(at, "/ ,():"))) {
		size_t length = strcspn(at, "/ ,():");

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (counter_find(name, &priority)) {
			counter_add(reader, line, reader->device, name, number);
			return;
		}
		at += length;
	}
}

void parse_counters(const struct reader *reader)
{
	struct words heading = { .count = 0 }, words;

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (read_heading(text, &words)) {
			scan_words(text, &heading);
		} else if (heading.count > 1 && !strchr(text, ':')) {
			read_table_row(reader, i, &heading);
		} else if (!read_pair(reader, i, reader->device)) {
			read_words(reader, i, reader->device);
			read_file(reader, i);
		}
	}
}

/* How many rows are compared with each other; more are a log, not two readings. */
#define TWICE_MAX 4096u

void parse_differences(struct facts *facts)
{
	size_t count = facts->count;

	if (facts->of_key[FACT_COUNTER] > TWICE_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct fact *last = &facts->items[i];
		struct fact before, *difference;
		uint32_t first = 0;

		if (last->key != FACT_COUNTER || last->more > 0)
			continue;
		for (uint32_t k = facts->first[FACT_COUNTER]; k && k - 1 < i;
			k = facts->items[k - 1].next)
			if (facts->items[k - 1].section != last->section &&
				facts->items[k - 1].more < 1 &&
				strcmp(facts->items[k - 1].place, last->place) == 0 &&
				strcmp(facts->items[k - 1].subject, last->subject) == 0 &&
				strcmp(facts->items[k - 1].name, last->name) == 0) {
				first = k;
				break;
			}
		if (!first || facts->items[first - 1].number > last->number)
			continue;
		before = *last;
		difference = facts_add(
			facts, FACT_COUNTER, before.place, before.subject, before.name, NULL);
		difference->has_number = true;
		difference->number = before.number - facts->items[first - 1].number;
		difference->more = 1;
		difference->means = before.means;
		difference->priority = before.priority;
		difference->section = before.section;
		difference->line = before.line;
	}
}
