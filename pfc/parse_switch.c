/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* Each priority of "3,4" or "3-4" or "3 4". */
static void add_priorities(
	const struct reader *reader, long line, const char *port, const char *list)
{
	int before = -1;

	while (isdigit((unsigned char)*list)) {
		int priority = atoi(list), from = before >= 0 ? before + 1 : priority;

		for (int i = from; i <= priority && priority < 8; i++) {
			char name[16];

			snprintf(name, sizeof(name), "%d", i);
			reader_number(reader, line, FACT_SWITCH_PFC, port, name, 1);
		}
		list += strspn(list, "0123456789");
		before = *list == '-' ? priority : -1;
		list += *list == '-' || *list == ',' || *list == ' ';
	}
}

/* The key's second part: "PORT_QOS_MAP|Ethernet0:" is Ethernet0. */
static void key_part(const char *text, char *part, size_t room)
{
	const char *bar = strpbrk(text, "|:");

	snprintf(part, room, "%.*s", bar ? (int)strcspn(bar + 1, ": \t|") : 0,
		bar ? bar + 1 : "");
}

/* SONiC CONFIG_DB as keys and fields on one line, or as redis prints it. */
static void read_config_db(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_after(text, "pfc_enable");
	char port[64];

	if (after) {
		key_part(text, port, sizeof(port));
		if (!*port && *text)
			snprintf(port, sizeof(port), "%.*s", (int)strcspn(text, ": "), text);
		if (!scan_has(text, "PORT_QOS_MAP"))
			snprintf(port, sizeof(port), "%.*s", (int)strcspn(text, ": "), text);
		add_priorities(reader, line, port, after + strspn(after, " :='\""));
	}
	after = scan_after(text, "DSCP_TO_TC_MAP|");
	if (!after)
		return;
	key_part(text, port, sizeof(port));
	for (const char *at = after; (at = strchr(at, '=')); at++) {
		const char *start = at;
		char dscp[16];

		while (start > after && isdigit((unsigned char)start[-1]))
			start--;
		if (start == at || !isdigit((unsigned char)at[1]))
			continue;
		snprintf(dscp, sizeof(dscp), "%d", atoi(start));
		reader_number(reader, line, FACT_SWITCH_MAP, port, dscp, atoi(at + 1));
	}
}

/* Command lines and shows of other switches. */
static void read_commands(const struct reader *reader, long line, const char *text)
{
	static const char *const keys[] = { "priority-flow-control no-drop dot1p",
		"priority-flow-control priority", "dcb pfc priority", "pfc priority",
		"dcb priority-flow-control priority", "pause pfc-cos", "PFC on priority",
		"PFC enabled on priority", "no-drop priority", "lossless priority" };
	char port[64];

	if (!reader_is_switch(reader))
		return;
	snprintf(port, sizeof(port), "%s", reader->device);
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *after = scan_after(text, keys[i]);

		if (after && isdigit((unsigned char)after[strspn(after, " :")])) {
			if (clause_denies(text, after))
				return;
			add_priorities(reader, line, port, after + strspn(after, " :"));
			return;
		}
	}
	/* "Ethernet0   3,4" of show pfc priority. */
	if (scan_has(reader->section->title, "pfc priority") &&
		strncmp(text, "Ethernet", 8) == 0) {
		struct words words;

		scan_words(text, &words);
		if (words.count == 2)
			add_priorities(reader, line, words.at[0], words.at[1]);
	}
}

/* "DSCP 26 -> TC 4", "dscp 26 traffic-class 4" on switches. */
static void read_map(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_word(text, "dscp"), *to;
	double dscp, tc;
	char name[16];

	if (!reader_is_switch(reader) || !after ||
		!scan_number(after + strspn(after, " :="), &dscp, &after) || dscp > 63)
		return;
	to = scan_after(after, "traffic-class");
	to = to ? to : scan_word(after, "tc");
	to = to ? to : scan_word(after, "queue");
	to = to ? to : scan_word(after, "priority");
	to = to ? to : scan_after(after, "->");
	if (!to || !scan_number(to + strspn(to, " :=->"), &tc, NULL) || tc > 7)
		return;
	snprintf(name, sizeof(name), "%d", scan_int(dscp));
	reader_number(reader, line, FACT_SWITCH_MAP, "", name, tc);
}

/* "xon=0 xoff=0 size=0 dynamic_th=0" under a BUFFER_PROFILE title, or with the
 * profile's name before it. */
static void read_profile(const struct reader *reader, long line, const char *text)
{
	const char *title = reader->section->title, *named;
	char profile[96] = "";
	double number;

	named = scan_after(text, "BUFFER_PROFILE");
	if (!named)
		named = scan_after(title, "BUFFER_PROFILE");
	if (named && (named = strpbrk(named, ":|")))
		snprintf(profile, sizeof(profile), "%.*s", (int)strcspn(named + 1, ": \t"),
			named + 1);
	else if (scan_has(text, "profile") && strchr(text, ':'))
		snprintf(profile, sizeof(profile), "%.*s", (int)strcspn(text, ": "), text);
	if (scan_value_number(text, "xoff", &number) && !scan_has(text, "threshold"))
		reader_number(reader, line, FACT_PROFILE, profile, "xoff", number);
	if (*profile && scan_value_number(text, "size", &number))
		reader_number(reader, line, FACT_PROFILE, profile, "size", number);
}

/* "Ethernet4|3-4 profile=pg_lossless_...", "BUFFER_PG|Ethernet4|3-4". */
static void read_group(const struct reader *reader, long line, const char *text)
{
	const char *key = scan_after(text, "BUFFER_PG|");
	char profile[96], port[64], priorities[16];
	const char *bar;

	if (!key)
		key = scan_after(text, "BUFFER_PG_TABLE:");
	if (!key)
		key = text;
	bar = strpbrk(key, "|:");
	if (!bar || bar - key >= (long)sizeof(port) || !isdigit((unsigned char)bar[1]) ||
		!scan_value(text, "profile", profile, sizeof(profile)))
		return;
	snprintf(port, sizeof(port), "%.*s", (int)(bar - key), key);
	snprintf(priorities, sizeof(priorities), "%.*s", (int)strspn(bar + 1, "0123456789-"),
		bar + 1);
	reader_add(reader, line, FACT_PG, port, priorities, profile);
}

/* Thresholds of a queue, in megabytes of 10^6 as the vendors write them. */
static void read_thresholds(const struct reader *reader, long line, const char *text)
{
	static const struct {
		const char *printed, *name;
	} keys[] = {
		{ "drop_threshold", "drop" },
		{ "drop threshold", "drop" },
		{ "drop-threshold", "drop" },
		{ "wred_drop", "drop" },
		{ "drop_min", "drop" },
		{ "drop min", "drop" },
		{ "xoff threshold", "xoff" },
		{ "xoff_threshold", "xoff" },
		{ "pfc_xoff", "xoff" },
		{ "xoff-threshold", "xoff" },
		{ "kmin", "kmin" },
		{ "kmax", "kmax" },
	};

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *after = scan_after(text, keys[i].printed);
		double bytes;

		if (after && scan_size_bytes(after + strspn(after, " :=\t"), 1000, &bytes))
			reader_number(reader, line, FACT_WRED, "", keys[i].name, bytes / 1e6);
	}
}

static void read_storm(const struct reader *reader, long line, const char *text)
{
	char port[64] = "";

	if (!scan_has(text, "storm"))
		return;
	if (!(scan_has(text, "detected") || scan_has(text, "stormed")) ||
		scan_has(text, "DETECTED/RESTORED") || scan_has(text, "no storm") ||
		scan_has(text, "not detected"))
		return;
	if (!scan_value(text, "port", port, sizeof(port)))
		snprintf(port, sizeof(port), "%.*s", (int)strcspn(text, ": "), text);
	reader_add(reader, line, FACT_STORM, port, NULL, text);
}

/* "Ethernet0:3  stormed  2/1 ..." of show pfcwd stats is read above; the counts
 * alone too: "Ethernet0:3  operational  2/1". */
static void read_watchdog(const struct reader *reader, long line, const char *text)
{
	struct words words;
	unsigned detected, restored;

	if (!scan_has(text, "operational"))
		return;
	scan_words(text, &words);
	for (int i = 1; i < words.count; i++)
		if (sscanf(words.at[i], "%u/%u", &detected, &restored) == 2 && detected > 0) {
			reader_add(reader, line, FACT_STORM, words.at[0], NULL, text);
			return;
		}
}

/* "switch: PFC on priority 4, DSCP 26 -> queue 4" with nothing below it. */
static void read_title(const struct reader *reader)
{
	struct line line;
	struct reader titled = reader_of_title(reader, &line);

	read_commands(&titled, 0, line.text);
	read_map(&titled, 0, line.text);
}

void parse_switch(const struct reader *reader)
{
	if (reader->count == 0)
		read_title(reader);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		read_config_db(reader, i, text);
		read_commands(reader, i, text);
		read_map(reader, i, text);
		read_profile(reader, i, text);
		read_group(reader, i, text);
		read_thresholds(reader, i, text);
		read_storm(reader, i, text);
		read_watchdog(reader, i, text);
	}
}
