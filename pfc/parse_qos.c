/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/scan.h"

static void add_pfc(const struct reader *reader, long line, int priority, bool on)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", priority);
	reader_number(reader, line, FACT_PFC, reader->device, name, on);
}

/* mlnx_qos: "enabled  0 0 0 1 0 0 0 0" under "PFC configuration:"; the next row
 * is "buffer  0 0 0 1 ...": the receive buffer of each priority. */
static void read_mlnx_row(const struct reader *reader, long line, const char *text)
{
	struct words words;
	bool enabled, buffer;

	scan_words(text, &words);
	enabled = words.count == 9 && strcmp(words.at[0], "enabled") == 0;
	buffer = words.count == 9 && strcmp(words.at[0], "buffer") == 0;
	for (int i = 0; i < 8 && (enabled || buffer); i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		if (enabled)
			add_pfc(reader, line, i, atoi(words.at[i + 1]) > 0);
		else
			reader_number(reader, line, FACT_PRIO_BUFFER, reader->device, name,
				atoi(words.at[i + 1]));
	}
}

static void add_map(const struct reader *reader, long line, int dscp, int priority)
{
	char name[16];

	if (dscp < 0 || dscp > 63 || priority < 0 || priority > 7)
		return;
	snprintf(name, sizeof(name), "%d", dscp);
	reader_number(reader, line, FACT_DSCP_MAP, reader->device, name, priority);
}

/* "prio:3 dscp:31,30,29", also behind "default (prio = dscp/8) except". */
static void read_map(const struct reader *reader, long line, const char *text)
{
	const char *at = text;

	while ((at = scan_after(at, "prio:"))) {
		int priority = atoi(at);
		const char *list = scan_after(at, "dscp:");

		while (list && isdigit((unsigned char)*list)) {
			add_map(reader, line, atoi(list), priority);
			list += strspn(list, "0123456789");
			list += *list == ',';
		}
	}
}

/* dcb-app names code points as Documentation of iproute2 lib/rt_names does. */
static int dscp_of(const char *word, size_t length)
{
	static const char *const classes[] = { "CS0", "CS1", "CS2", "CS3", "CS4", "CS5", "CS6",
		"CS7" };

	if (length > 0 && isdigit((unsigned char)*word))
		return atoi(word);
	for (int i = 0; i < 8; i++)
		if (length == 3 && strncasecmp(word, classes[i], 3) == 0)
			return i * 8;
	if (length == 2 && strncasecmp(word, "EF", 2) == 0)
		return 46;
	if (length == 2 && strncasecmp(word, "BE", 2) == 0)
		return 0;
	if (length == 4 && strncasecmp(word, "AF", 2) == 0 && isdigit((unsigned char)word[2]) &&
		isdigit((unsigned char)word[3]))
		return (word[2] - '0') * 8 + (word[3] - '0') * 2;
	return -1;
}

/* dcb: "prio-pfc 0:off 3:on", "dscp-prio AF31:3 26:3", "order: dscp pcp",
 * "prio-buffer 0:0 3:1", "buffer-size 0:10Kb". */
static void read_dcb(const struct reader *reader, long line, const char *text)
{
	struct words words;
	char name[16];

	scan_words(text, &words);
	if (words.count < 2)
		return;
	if (strcmp(words.at[0], "order:") == 0)
		reader_add(reader, line, FACT_TRUST, reader->device, NULL,
			strcmp(words.at[1], "dscp") == 0 ? "dscp" : "pcp");
	for (int i = 1; i < words.count; i++) {
		const char *colon = strchr(words.at[i], ':');
		double number;

		if (!colon)
			continue;
		snprintf(name, sizeof(name), "%d", atoi(words.at[i]));
		if (strcmp(words.at[0], "prio-pfc") == 0)
			add_pfc(reader, line, atoi(words.at[i]), strcmp(colon, ":on") == 0);
		else if (strcmp(words.at[0], "dscp-prio") == 0)
			add_map(reader, line,
				dscp_of(words.at[i], (size_t)(colon - words.at[i])),
				atoi(colon + 1));
		else if (strcmp(words.at[0], "prio-buffer") == 0)
			reader_number(reader, line, FACT_PRIO_BUFFER, reader->device, name,
				atoi(colon + 1));
		else if (strcmp(words.at[0], "buffer-size") == 0 &&
			 scan_size_bytes(colon + 1, 1024, &number))
			reader_number(reader, line, FACT_BUFFER, reader->device, name, number);
	}
}

static void read_trust(const struct reader *reader, long line, const char *text)
{
	char value[32];

	if (!scan_value(text, "Priority trust state", value, sizeof(value)) &&
		!scan_value(text, "trust state", value, sizeof(value)) &&
		!(scan_has(reader->section->what, "qos/trust") && line == 0 &&
			sscanf(text, " %31s", value) == 1) &&
		!scan_value(text, "qos/trust", value, sizeof(value)) &&
		!scan_value(text, "trust mode", value, sizeof(value)))
		return;
	if (strncasecmp(value, "dscp", 4) == 0)
		reader_add(reader, line, FACT_TRUST, reader->device, NULL, "dscp");
	else if (strncasecmp(value, "pcp", 3) == 0 || strncasecmp(value, "both", 4) == 0 ||
		 strncasecmp(value, "cos", 3) == 0 || strncasecmp(value, "8021p", 5) == 0)
		reader_add(reader, line, FACT_TRUST, reader->device, NULL,
			strncasecmp(value, "both", 4) == 0 ? "dscp" : "pcp");
}

/* "Receive buffer size (bytes): 20016,156096,0,..,max_buffer_size=1027728" */
static void read_buffers(const struct reader *reader, long line, const char *text)
{
	const char *at = scan_after(text, "buffer size (bytes):");

	for (int i = 0; at && i < 8; i++) {
		char name[16];

		at += strspn(at, " ");
		if (!isdigit((unsigned char)*at))
			return;
		snprintf(name, sizeof(name), "%d", i);
		reader_number(reader, line, FACT_BUFFER, reader->device, name, atof(at));
		at += strspn(at, "0123456789");
		if (*at != ',')
			return;
		at++;
	}
}

/* The value of a one-line file or of "path: value". */
static bool file_value(const struct reader *reader, long line, const char *path, double *number)
{
	const char *text = reader->lines[line].text, *after = scan_after(text, path);

	if (after)
		return scan_number(after + strspn(after, " :="), number, NULL);
	return reader->count == 1 && scan_has(reader->section->what, path) &&
	       scan_whole_number(text + strspn(text, " "), number);
}

/* "RoCE runs in priority 3", "RoCE priority: 3", "RDMA traffic uses prio 5". */
static void read_roce_priority(const struct reader *reader, long line, const char *text)
{
	const char *at = scan_word(text, "RoCE"), *priority;
	double number;

	at = at ? at : scan_word(text, "RDMA");
	priority = at ? scan_word(at, "priority") : NULL;
	priority = at && !priority ? scan_word(at, "prio") : priority;
	if (!priority || priority - at > 40)
		return;
	priority += strspn(priority, " :=");
	if (scan_number(priority, &number, NULL) && number >= 0 && number < 8 &&
		strspn(priority, "0123456789,-") == 1)
		reader_number(reader, line, FACT_ROCE_PRIO, NULL, NULL, number);
}

/* ecn/roce_rp/enable/3: 0; cnp_dscp; traffic_class; default_roce_tos. */
static void read_files(const struct reader *reader, long line, const char *text)
{
	static const char *const sides[] = { "roce_rp/enable/", "roce_np/enable/" };
	const char *title = reader->section->what, *at;
	double number;
	char name[16];

	for (int i = 0; i < 2; i++) {
		at = scan_after(text, sides[i]);
		if (!at && reader->count == 1)
			at = scan_after(title, sides[i]);
		if (!at || !isdigit((unsigned char)*at))
			continue;
		snprintf(name, sizeof(name), "%d", atoi(at));
		at = scan_has(text, sides[i]) ? at + 1 + strspn(at + 1, " :=") : text;
		if (scan_number(at, &number, NULL))
			reader_number(reader, line, FACT_CC_ENABLE, i ? "np" : "rp", name,
				number > 0);
	}
	if (file_value(reader, line, "cnp_dscp", &number) ||
		file_value(reader, line, "CNP_DSCP_P1", &number) ||
		scan_value_number(text, "CNP DSCP", &number))
		reader_number(reader, line, FACT_CNP_DSCP, reader->device, NULL, number);
	if (file_value(reader, line, "traffic_class", &number) ||
		scan_value_number(text, "Global tclass", &number))
		reader_number(reader, line, FACT_TC, NULL, "traffic_class", number);
	if (file_value(reader, line, "default_roce_tos", &number))
		reader_number(reader, line, FACT_ROCE_TOS, reader->device, NULL, number);
	if ((at = scan_after(text, "data DSCP")) &&
		scan_number(at + strspn(at, " :="), &number, NULL))
		reader_number(reader, line, FACT_DATA_DSCP, NULL, NULL, number);
	read_roce_priority(reader, line, text);
}

/* Ascend's hccn_tool: eight flags behind "bitmap" or "pfc enable"; "dscp 33 ... tc 4" of
 * -dscp_to_tc, where the traffic class is the priority. */
static void read_hccn(const struct reader *reader, long line, const char *text)
{
	const char *at = scan_after(text, "bitmap"), *class = scan_word(text, "tc");
	int flags[8], count = 0;
	double dscp, priority;

	at = at || !scan_has(text, "pfc") ? at : scan_word(text, "enable");
	for (; at && count < 8; count++) {
		at += strspn(at, " :=,\t[");
		if ((*at != '0' && *at != '1') || isalnum((unsigned char)at[1]))
			break;
		flags[count] = *at++ == '1';
	}
	for (int i = 0; count == 8 && i < 8; i++)
		add_pfc(reader, line, i, flags[i]);
	at = scan_has(reader->section->title, "dscp_to_tc") ? scan_word(text, "dscp") : NULL;
	if (at && class && scan_number(at + strspn(at, " :=["), &dscp, NULL) &&
		scan_number(class + strspn(class, " :=["), &priority, NULL))
		add_map(reader, line, scan_int(dscp), scan_int(priority));
}

/* "all:off 3:on" of dcb pfc set. */
static void read_dcb_setting(const struct reader *reader, long line, const char *text)
{
	struct words words;

	if (!text)
		return;
	scan_words(text, &words);
	for (int i = 0; i < words.count; i++) {
		const char *state = strchr(words.at[i], ':');
		bool on = state && strcmp(state, ":on") == 0;

		if (!state || (!on && strcmp(state, ":off") != 0))
			continue;
		for (int prio = 0; prio < 8; prio++)
			if (strncmp(words.at[i], "all:", 4) == 0 ||
				(words.at[i][0] == '0' + prio && words.at[i] + 1 == state))
				add_pfc(reader, line, prio, on);
	}
}

/* "enabled=3,4", "enabled: none" of lldptool -V PFC. */
static void read_lldptool(const struct reader *reader, long line, const char *text)
{
	const char *at = scan_word(text, "enabled");
	unsigned on = 0;

	if (!at || !scan_has(reader->section->title, "lldptool") ||
		!scan_has(reader->section->title, "PFC"))
		return;
	at += strspn(at, " =:\t");
	if (!isdigit((unsigned char)*at) && strncmp(at, "none", 4) != 0)
		return;
	for (; *at >= '0' && *at <= '7'; at += 1 + (at[1] == ','))
		on |= 1u << (*at - '0');
	for (int prio = 0; prio < 8; prio++)
		add_pfc(reader, line, prio, on >> prio & 1);
}

/* "mlnx_qos -i ens1f0 --pfc 0,0,0,1,0,0,0,0" and "dcb pfc set dev ens1f0 prio-pfc ...": what
 * somebody set. */
static void read_setting(const struct reader *reader, long line, const char *text)
{
	const char *at = scan_after(text, "--pfc");

	if (scan_has(text, "dcb pfc set"))
		read_dcb_setting(reader, line, scan_after(text, "prio-pfc"));
	if (!at || !scan_has(text, "mlnx_qos"))
		return;
	at += strspn(at, " =");
	for (int i = 0; i < 8 && (*at == '0' || *at == '1'); i++) {
		add_pfc(reader, line, i, *at == '1');
		at++;
		at += *at == ',';
	}
}

static void read_lldpad(const struct reader *reader, long line, const char *text)
{
	if (scan_has(text, "willing") && scan_has(text, "yes") &&
		(scan_has(reader->section->title, "lldptool") || scan_has(text, "lldptool")))
		reader_number(reader, line, FACT_LLDPAD, NULL, NULL, 1);
	if (!scan_has(text, "lldpad") &&
		!(scan_has(reader->section->title, "lldpad") && scan_word(text, "Active")))
		return;
	if (scan_has(text, "inactive") || scan_has(text, "disabled") ||
		scan_has(text, "not running") || scan_has(text, "could not be found") ||
		scan_has(text, "dead"))
		reader_number(reader, line, FACT_LLDPAD, NULL, NULL, 0);
	else if (scan_has(text, "running") || scan_has(text, "active") ||
		 scan_has(text, "lldpad -d") || scan_has(text, "lldpad[") ||
		 scan_has(text, "enabled") || scan_has(text, "/lldpad") ||
		 scan_has(reader->section->what, "ps "))
		reader_number(reader, line, FACT_LLDPAD, NULL, NULL, 1);
}

/* What people say of a host: "PFC on priority 3, DSCP 26 -> priority 3". */
static void read_sentence(const struct reader *reader, long line, const char *text)
{
	const char *at = scan_after(text, "PFC on priority"), *to;
	double dscp, priority;

	if (reader_is_switch(reader))
		return;
	at = at ? at : scan_after(text, "PFC enabled on priority");
	if (at && clause_denies(text, at))
		at = NULL;
	for (at = at ? at + strspn(at, " :") : NULL;
		at && *at >= '0' && *at <= '7' && !isdigit((unsigned char)at[1]);
		at += 1 + (at[1] == ','))
		add_pfc(reader, line, *at - '0', true);
	at = scan_word(text, "dscp");
	to = at ? strstr(at, "->") : NULL;
	if (to && scan_number(at + strspn(at, " :="), &dscp, &at) &&
		at + strspn(at, " ") == to && (to = scan_word(to, "priority")) &&
		scan_number(to + strspn(to, " :="), &priority, NULL))
		add_map(reader, line, scan_int(dscp), scan_int(priority));
}

static void read_title_setting(const struct reader *reader)
{
	struct line line;
	struct reader titled = reader_of_title(reader, &line);

	read_setting(&titled, 0, line.text);
	if (reader->count == 0) /* the title is all there is */
		read_sentence(&titled, 0, line.text);
}

void parse_qos(const struct reader *reader)
{
	read_title_setting(reader);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		read_mlnx_row(reader, i, text);
		read_map(reader, i, text);
		read_dcb(reader, i, text);
		read_trust(reader, i, text);
		read_buffers(reader, i, text);
		read_files(reader, i, text);
		read_lldpad(reader, i, text);
		read_lldptool(reader, i, text);
		read_setting(reader, i, text);
		read_sentence(reader, i, text);
		if (scan_has(reader->section->title, "hccn_tool"))
			read_hccn(reader, i, text);
		if (scan_has(reader->section->title, "lldpad") &&
			(strcmp(text, "active") == 0 || strcmp(text, "inactive") == 0))
			reader_number(reader, i, FACT_LLDPAD, NULL, NULL,
				strcmp(text, "active") == 0);
	}
}
