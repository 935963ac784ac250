/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

static void (*const parsers[])(const struct reader *reader) = {
	parse_gid,
	parse_perftest,
	parse_nccl,
	parse_nccl_tests,
	parse_hccl,
	parse_wc,
	parse_qos,
	parse_switch,
	parse_counters,
	parse_ip,
	parse_reach,
	parse_host,
	parse_pci,
	parse_link,
	parse_capture,
	parse_pairs,
	parse_figures,
	parse_json,
};

static bool is_device(const char *word)
{
	static const char *const starts[] = { "mlx5_", "mlx4_", "bnxt_re", "hns_", "irdma",
		"rxe", "ionic_", "rocep", "roceo", "rdmap", "rdma_bond", "ens", "enp", "eno",
		"eth", "bond", "net", "rail", "ib", "Ethernet", "enP", "p", "cx", "rdma" };
	size_t length = strcspn(word, ":,)/");

	for (size_t i = 0; i < COUNT_OF(starts); i++) {
		size_t start = strlen(starts[i]);

		if (strncmp(word, starts[i], start) == 0 && length > start && length < 32 &&
			strpbrk(word + start - 1, "0123456789") &&
			strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.-") >= length)
			return true;
	}
	return false;
}

/* The interface or device in a title: behind -i, -d, -S, dev, show, or in a
 * path of sysfs. */
static const char *titled_device(struct facts *facts, const char *title)
{
	static const char *const folders[] = { "/sys/class/net/", "/sys/class/infiniband/",
		"/sys/kernel/config/rdma_cm/" };
	struct words words;
	char name[64];

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		const char *after = scan_after(title, folders[i]);

		if (after) {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(after, "/ "), after);
			return facts_keep(facts, name);
		}
	}
	scan_words(title, &words);
	for (int i = 1; i < words.count; i++) {
		if (!is_device(words.at[i]) || scan_has(words.at[i], "_bw") ||
			scan_has(words.at[i], "_lat") || scan_has(words.at[i], "_perf"))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(words.at[i], ":,)"),
			words.at[i]);
		return facts_keep(facts, name);
	}
	return "";
}

void parse_bundle(struct facts *facts, const struct bundle *bundle)
{
	static const struct line no_lines[1];

	for (size_t i = 0; i < bundle->section_count; i++) {
		struct reader reader = {
			.facts = facts,
			.section = &bundle->sections[i],
			.lines = bundle->sections[i].count
					 ? bundle->lines + bundle->sections[i].first
					 : no_lines,
			.count = bundle->sections[i].count,
		};

		reader.device = titled_device(facts, bundle->sections[i].what);
		for (size_t j = 0; j < COUNT_OF(parsers); j++)
			parsers[j](&reader);
	}
	parse_differences(facts);
}

/* "gpu-node-017:", "a100-7:": names of hosts by their dash and number; no device, counter
 * or variable has both. */
static bool is_numbered_name(const char *text, size_t length)
{
	size_t dash = strcspn(text, "-");

	return text[length] == ':' && isalpha((unsigned char)*text) && dash < length &&
	       isalnum((unsigned char)text[dash + 1]) && strcspn(text, "0123456789") < length &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_.-") == length;
}

size_t line_place(const char *text)
{
	static const char *const starts[] = { "host", "node", "pod", "server", "switch", "leaf",
		"spine", "tor", "sender", "receiver", "worker" };
	size_t length = strcspn(text, " :,\t");

	for (size_t i = 0; i < COUNT_OF(starts); i++) {
		size_t start = strlen(starts[i]);

		if (length < start || strncmp(text, starts[i], start) != 0)
			continue;
		if (length == start)
			return text[length] == ':' ? length : 0;
		if (length == start + 1 || strchr("-_.0123456789", text[start]))
			return length;
	}
	return is_numbered_name(text, length) ? length : 0;
}

/* "tor1", "ToR-2", "torA"; not "monitor" or "torch". */
static bool names_tor(const char *text)
{
	const char *after = text;

	while ((after = scan_after(after, "tor"))) {
		bool starts = after - 3 == text || !isalnum((unsigned char)after[-4]);

		if (starts &&
			(!isalpha((unsigned char)*after) || !isalnum((unsigned char)after[1])))
			return true;
	}
	return false;
}

struct reader reader_of_title(const struct reader *reader, struct line *line)
{
	struct reader titled = *reader;

	*line = (struct line){ reader->section->title, 0 };
	titled.lines = line;
	titled.count = 1;
	return titled;
}

bool reader_is_switch(const struct reader *reader)
{
	static const char *const words[] = { "switch", "leaf", "spine", "sonic", "arista",
		"cumulus", "nexus" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (scan_has(reader->section->place, words[i]) ||
			scan_has(reader->section->title, words[i]))
			return true;
	return names_tor(reader->section->place) || names_tor(reader->section->title);
}

bool clause_denies(const char *text, const char *at)
{
	static const char *const words[] = { "off", "disabled", "no", "not", "without",
		"undo" };
	const char *start = at;
	char clause[256];

	while (start > text && !strchr(",;", start[-1]))
		start--;
	while (*at && *at != ';' && (*at != ',' || isdigit((unsigned char)at[1])))
		at++;
	snprintf(clause, sizeof(clause), "%.*s", (int)(at - start), start);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const char *after = scan_word(clause, words[i]);

		if (after && *after != '-') /* no-drop */
			return true;
	}
	return false;
}

struct fact *reader_add(const struct reader *reader, long line, enum fact_key key,
	const char *subject, const char *name, const char *text)
{
	struct fact *fact =
		facts_add(reader->facts, key, reader->section->place, subject, name, text);
	size_t length =
		line < 0 || *reader->section->place ? 0 : line_place(reader->lines[line].text);

	if (length > 0)
		fact->place =
			arena_text(&reader->facts->arena, reader->lines[line].text, length);
	fact->section = reader->section;
	fact->line = line < 0 ? 0 : reader->lines[line].number;
	return fact;
}

struct fact *reader_number(const struct reader *reader, long line, enum fact_key key,
	const char *subject, const char *name, double number)
{
	struct fact *fact = reader_add(reader, line, key, subject, name, NULL);

	fact->has_number = true;
	fact->number = number;
	return fact;
}
