/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data: 120". */
static bool read_bytes_file(
	const struct reader *reader, long line, const char *path, const char *text)
{
	const char *device = scan_after(path, "/infiniband/");
	const char *value = scan_after(text, "port_xmit_data");
	double number, unit = 4; /* words of four bytes */
	char name[64];

	if (!device) {
		device = scan_after(path, "/class/net/");
		value = scan_after(text, "tx_bytes");
		unit = 1;
	}
	if (!device || !value || !scan_number(value + strspn(value, " :=\t"), &number, NULL))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(device, "/"), device);
	reader_number(reader, line, FACT_BYTES, name, NULL, number * unit)->more =
		reader->section->delta;
	return true;
}

/* "mlx5_0 812000000000" under a title about bytes: those of a job, unless it says that they
 * are totals or one of two readings. */
static void read_bytes(const struct reader *reader, long line, const char *text)
{
	const char *title = reader->section->title;
	struct words words;
	char name[64];
	double number;

	scan_words(text, &words);
	if (words.count >= 1 && read_bytes_file(reader, line, words.at[0], text))
		return;
	if (!scan_has(title, "bytes") || words.count < 2 ||
		!isalpha((unsigned char)*words.at[0]) ||
		!scan_whole_number(words.at[words.count - 1], &number))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(words.at[0], ":"), words.at[0]);
	reader_number(reader, line, FACT_BYTES, name, NULL, number)->more =
		reader->section->delta ||
		!(scan_word(title, "before") || scan_word(title, "after") ||
			scan_has(title, "total"));
}

/* "MiB/s" of what stands before end. */
static const char *unit_before(struct facts *facts, const char *text, const char *end)
{
	const char *start = end;
	char unit[16];

	while (start > text && (isalpha((unsigned char)start[-1]) || start[-1] == '/'))
		start--;
	snprintf(unit, sizeof(unit), "%.*s", (int)(end - start), start);
	return facts_keep(facts, unit);
}

/* "ECE on: 10.1 GB/s", "ECE disabled 21 GB/s". */
static void read_ece(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_word(text, "ECE");
	bool off = scan_word(after, "off") || scan_has(text, "disabled") ||
		   scan_has(text, "without ECE") || scan_has(text, "no ECE");
	bool on = scan_word(after, "on") || scan_has(text, "enabled") ||
		  scan_has(text, "with ECE");

	if ((on || off) && !scan_has(text, "ECE_ENABLE"))
		reader_number(reader, line, FACT_ROCE_ECE, NULL, "ECE", off ? 0 : 1);
}

/* Every rate in a sentence, in order; perftest's tables are read elsewhere. */
static void read_figures(const struct reader *reader, long line, const char *text)
{
	const char *at = text, *end;
	double gbps, order = 0;
	struct fact *fact;

	while (scan_find_rate_gbps(at, &gbps, &end) && order < 8) {
		const char *next = end + strspn(end, " ");

		at = end;
		if (strncmp(next, "port", 4) == 0 || strncmp(next, "NIC", 3) == 0 ||
			strncmp(next, "link", 4) == 0 || scan_has(text, "Speed"))
			continue;
		fact = reader_number(reader, line, FACT_FIGURE, NULL, NULL, gbps);
		fact->text = facts_keep(reader->facts, text);
		fact->name = unit_before(reader->facts, text, end);
		fact->more = order++;
		if (scan_word(text, "ECE"))
			read_ece(reader, line, text);
	}
}

/* "BW average[MB/sec] 23300.0": the unit stands before its number. */
static void read_unit_first(const struct reader *reader, long line, const char *text)
{
	for (const char *at = text; (at = strchr(at, '[')); at++) {
		const char *end;
		double factor = scan_unit_gbps(at + 1, &end), number;
		struct fact *fact;

		if (factor <= 0 || *end != ']' ||
			!scan_number(end + 1 + strspn(end + 1, " :=\t"), &number, NULL))
			continue;
		/* In perftest's brackets a megabyte is 2^20 bytes. */
		if (strncmp(at + 1, "MB/sec", 6) == 0)
			factor = scan_unit_gbps("MiB/sec", NULL);
		fact = reader_number(reader, line, FACT_FIGURE, NULL, NULL, number * factor);
		fact->text = facts_keep(reader->facts, text);
		fact->name = unit_before(reader->facts, text, end);
	}
}

/* "ib_write_bw_8388608_GBps = 23.35", "busbw(GB/s): 41": a name that ends with its unit. */
static void read_unit_in_name(const struct reader *reader, long line, const char *text)
{
	for (const char *at = text; *at; at++) {
		const char *end, *value;
		double factor, number;
		struct fact *fact;

		if (at == text || !strchr("_(", at[-1]))
			continue;
		factor = scan_unit_gbps(at, &end);
		if (factor <= 0)
			continue;
		value = end + strspn(end, ")\" \t");
		if ((*value != '=' && *value != ':') ||
			!scan_number(value + 1 + strspn(value + 1, " \t"), &number, NULL))
			continue;
		fact = reader_number(reader, line, FACT_FIGURE, NULL, NULL, number * factor);
		fact->text = facts_keep(reader->facts, text);
		fact->name = unit_before(reader->facts, at, end);
	}
}

/* "-1234.56 Gb/s": no measurement. */
static void read_negative(const struct reader *reader, long line, const char *text)
{
	double gbps;

	for (const char *at = text; (at = strchr(at, '-')); at++)
		if (isdigit((unsigned char)at[1]) && (at == text || strchr(" :=|", at[-1])) &&
			scan_rate_gbps(at + 1, &gbps, NULL))
			reader_add(reader, line, FACT_PERF_PARAM, NULL, "invalid", text);
}

/* "2.6 + 2.4 Gb/s": the terms share the unit behind the last. */
static void read_sum(const struct reader *reader, long line, const char *text)
{
	const char *plus = strstr(text, " + ");
	double sum, term, factor;
	int terms = 1;
	const char *start, *end;
	struct fact *fact;

	if (!plus)
		return;
	start = plus;
	while (start > text && (isdigit((unsigned char)start[-1]) || start[-1] == '.'))
		start--;
	if (start == plus)
		return;
	sum = atof(start);
	for (end = plus; strncmp(end, " + ", 3) == 0; terms++) {
		if (!scan_number(end + 3, &term, &end))
			return;
		sum += term;
	}
	factor = scan_unit_gbps(end + strspn(end, " "), NULL);
	if (factor <= 0)
		return;
	fact = reader_number(reader, line, FACT_SUM, NULL, NULL, sum * factor);
	fact->more = terms;
	fact->text = facts_keep(reader->facts, text);
}

static bool mentions_ecmp(const struct reader *reader)
{
	for (size_t i = 0; i < reader->count && i < 64; i++)
		if (scan_has(reader->lines[i].text, "ecmp"))
			return true;
	return false;
}

/* What a prober says of its coverage of equal paths, and of the pairs it left
 * out. */
/* The number of a key: right behind it ("paths=64", "paths: 64"), right before it ("64 ECMP
 * paths"), behind it in the same clause, or before it. */
static bool clause_number(const char *text, const char *after, size_t key, double *number)
{
	const char *digit = after + strcspn(after, "0123456789,;"), *before = after - key;
	bool next = strspn(after, " :=\"") == (size_t)(digit - after);
	bool beside =
		before - text >= 2 && before[-1] == ' ' && isdigit((unsigned char)before[-2]);

	if (isdigit((unsigned char)*digit) && (next || !beside))
		return scan_number(digit, number, NULL);
	while (before > text && !strchr(",;0123456789", before[-1]))
		before--;
	while (before > text && strchr(".0123456789", before[-1]))
		before--;
	return isdigit((unsigned char)*before) && scan_number(before, number, NULL);
}

static void read_coverage(const struct reader *reader, long line, const char *text)
{
	static const struct {
		const char *printed, *name;
	} keys[] = {
		{ "ecmp_paths_assumed", "paths" },
		{ "ecmp_paths", "paths" },
		{ "equal-cost paths", "paths" },
		{ "ECMP paths", "paths" },
		{ "paths", "paths" },
		{ "ecmp_coverage_probability", "probability" },
		{ "coverage_probability", "probability" },
		{ "probability", "probability" },
		{ "target coverage", "probability" },
		{ "wanted certainty", "probability" },
		{ "certainty", "probability" },
		{ "coverage", "probability" },
		{ "ecmp_max_flow_labels", "cap" },
		{ "max_flow_labels", "cap" },
		{ "flow_label_cap", "cap" },
		{ "max_source_ports", "cap" },
		{ "cap", "cap" },
		{ "source ports", "cap" },
		{ "flow labels", "cap" },
		{ "source_ports", "cap" },
		{ "flow_labels", "cap" },
		{ "limit", "cap" },
	};
	bool given[3] = { false };

	if (!scan_has(reader->section->title, "ecmp") && !scan_has(text, "ecmp") &&
		!scan_has(reader->section->title, "coverage") &&
		!scan_has(reader->section->title, "probe") &&
		!scan_has(reader->section->title, "ping") && !scan_has(text, "equal paths") &&
		!mentions_ecmp(reader))
		return;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *after = scan_after(text, keys[i].printed);
		size_t kind = *keys[i].name == 'c' ? 2 : keys[i].name[1] == 'r';
		double number;

		if (!after || given[kind] ||
			!clause_number(text, after, strlen(keys[i].printed), &number))
			continue;
		if (kind == 1 && number > 1)
			number /= 100;
		if (kind == 1 ? number <= 0 || number > 1
			      : number < 1 || number != scan_int(number))
			continue;
		given[kind] = true;
		reader_number(reader, line, FACT_ECMP, NULL, keys[i].name, number);
	}
}

static void read_filter(const struct reader *reader, long line, const char *text)
{
	static const char *const verbs[] = { "skipped", "skip", "filtered", "left out",
		"excluded", "not probed", "dropped from the plan", "unprobeable",
		"cannot be probed" };
	static const char *const reasons[] = { "family", "link-local", "same host", "same-host",
		"ipv4", "ipv6", "self", "cross-family", "GID" };
	double number = 0;
	bool verb = false, reason = false, told = false;

	if (!scan_has(text, "pair") && !scan_has(text, "target") && !scan_has(text, "probe") &&
		!scan_has(reader->section->title, "prob"))
		return;
	for (size_t i = 0; i < COUNT_OF(verbs); i++)
		verb = verb || scan_has(text, verbs[i]);
	for (size_t i = 0; i < COUNT_OF(reasons); i++)
		reason = reason || scan_has(text, reasons[i]);
	if (!verb || (!reason && !scan_has(reader->section->title, "plan")))
		return;
	for (size_t i = 0; i < COUNT_OF(verbs) && number < 1; i++) {
		const char *after = scan_after(text, verbs[i]);

		if (after && isdigit((unsigned char)after[strspn(after, " :=(")]))
			told = scan_number(after + strspn(after, " :=("), &number, NULL);
	}
	for (size_t i = 0; i < COUNT_OF(verbs) && number < 1; i++) {
		const char *after = scan_after(text, verbs[i]);

		if (after && clause_number(text, after + strlen(after),
				     strlen(after) + strlen(verbs[i]), &number))
			told = true;
	}
	if (!told && (scan_word(text, "pair") || scan_has(text, "skipping target") ||
			     scan_has(text, "skipped target"))) /* "skip pair: ..." is one */
		number = 1;
	reader_number(reader, line, FACT_PROBE_FILTER, NULL, NULL, number)->text =
		facts_keep(reader->facts, text);
}

static void read_netem(const struct reader *reader, long line, const char *text)
{
	char value[64];

	if (scan_word(text, "netem") &&
		(scan_word(text, "loss") || scan_word(text, "corrupt") ||
			scan_word(text, "delay")))
		reader_add(reader, line, FACT_NETEM, reader->device, NULL, text);
	if (scan_value(text, "driver", value, sizeof(value)))
		reader_add(reader, line, FACT_DRIVER, NULL, NULL, value);
}

/* "ib_write_bw, ECE off", "with ECE": what a title says of all figures below it. */
static void read_title_ece(const struct reader *reader)
{
	const char *title = reader->section->title;
	bool off = scan_has(title, "disable_ece") || scan_has(title, "no-ece");

	if (off || scan_has(title, "ECE negotiated"))
		reader_number(reader, -1, FACT_ROCE_ECE, NULL, "ECE", !off);
	else if (scan_word(title, "ECE"))
		read_ece(reader, -1, title);
}

void parse_figures(const struct reader *reader)
{
	read_title_ece(reader);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		read_bytes(reader, i, text);
		read_figures(reader, i, text);
		read_unit_first(reader, i, text);
		read_unit_in_name(reader, i, text);
		read_negative(reader, i, text);
		read_sum(reader, i, text);
		read_coverage(reader, i, text);
		read_filter(reader, i, text);
		read_netem(reader, i, text);
	}
}
