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

/* The last ": " parts name from value: names may hold colons. */
static bool read_pair(const struct reader *reader, long line, const char *device)
{
	const char *text = reader->lines[line].text, *value = NULL;
	char name[96];
	int priority;
	double number;

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
	if (!scan_number(value + strspn(value, " \t"), &number, NULL) ||
		!counter_find(name, &priority))
		return false;
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

/* A file of hw_counters alone: the title is the name. */
static void read_file(const struct reader *reader, long line)
{
	const char *slash = strrchr(reader->section->what, '/');
	int priority;
	double number;

	if (reader->count == 1 && slash && counter_find(slash + 1, &priority) &&
		scan_whole_number(reader->lines[line].text, &number))
		counter_add(reader, line, reader->device, slash + 1, number);
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
