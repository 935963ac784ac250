/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

static bool is_index(const char *word)
{
	size_t length = strspn(word, "0123456789");

	return length > 0 && length < 4 && word[length] == '\0';
}

static int version_of(const char *line)
{
	if (scan_word(line, "v2") || scan_has(line, "rocev2"))
		return 2;
	if (scan_word(line, "v1") || scan_has(line, "rocev1") || scan_has(line, "IB/RoCE"))
		return 1;
	return 0;
}

/* The interface is the last word and follows the version. */
static const char *netdev_of(const struct words *words, int after)
{
	const char *last = words->at[words->count - 1];
	unsigned address;
	int length;

	if (words->count - 1 <= after || !isalpha((unsigned char)*last) ||
		version_of(last) > 0 || scan_has(last, "link-local") ||
		scan_has(last, "RoCE") || scan_ipv4(last, &address, &length))
		return "";
	return last;
}

static void add_row(const struct reader *reader, long line, const char *device, double slot,
	const char *gid, int version, const char *netdev)
{
	char name[16];
	struct fact *fact;

	snprintf(name, sizeof(name), "%d", scan_int(slot));
	fact = reader_number(reader, line, FACT_GID, device, name, slot);
	fact->text = facts_keep(reader->facts, gid);
	fact->more = version;
	fact->extra = facts_keep(reader->facts, netdev);
}

/*
 * show_gids, "GID[  3]: ::ffff:192.0.2.10, RoCE v2" of ibv_devinfo, and tables
 * that people make: a slot, an address, a version, in any columns.
 */
static bool read_row(const struct reader *reader, long line, const char *device)
{
	const char *text = reader->lines[line].text, *bracket = scan_after(text, "GID[");
	struct words words;
	char gid[64], clean[2048];
	int at = -1, slot = -1;

	if (!strchr(text, ':') || scan_has(text, "inet6") || scan_has(text, "NCCL"))
		return false;
	snprintf(clean, sizeof(clean), "%s", text);
	for (char *c = clean; *c; c++)
		if (*c == '|' || *c == ',')
			*c = ' ';
	scan_words(clean, &words);
	for (int i = 0; i < words.count && at < 0; i++)
		if (scan_gid(words.at[i], gid, sizeof(gid)))
			at = i;
	if (at < 0 || (version_of(text) == 0 && !bracket))
		return false;
	for (int i = 0; i < at; i++)
		if (is_index(words.at[i]))
			slot = atoi(words.at[i]);
	if (bracket)
		slot = atoi(bracket + strspn(bracket, " "));
	if (slot < 0)
		return false;
	if (at >= 3 && isalpha((unsigned char)*words.at[0]) && !bracket)
		device = words.at[0];
	add_row(reader, line, device, slot, gid, version_of(text), netdev_of(&words, at));
	return true;
}

/* ".../gids/3: fe80:...", ".../gid_attrs/types/3: RoCE v2", ".../ndevs/3: ens1": the
 * rows of one slot meet when the rules look them up, so types and ndevs complete
 * what gids has begun. */
static void read_sysfs(const struct reader *reader, long line)
{
	const char *text = reader->lines[line].text;
	const char *folder = scan_after(text, "/infiniband/"),
		   *gids = scan_after(text, "/gids/");
	const char *types = scan_after(text, "/types/"), *ndevs = scan_after(text, "/ndevs/");
	const char *slot = gids ? gids : types ? types : ndevs, *value;
	char device[64] = "", name[16], gid[64];
	const struct fact *row;

	if (!slot && reader->count == 1) { /* a file by its title */
		slot = scan_after(reader->section->what, "/gids/");
		if (slot && isdigit((unsigned char)*slot) && scan_gid(text, gid, sizeof(gid)))
			add_row(reader, line, reader->device, atoi(slot), gid, 0, "");
		return;
	}
	if (!slot || !isdigit((unsigned char)*slot))
		return;
	if (folder)
		snprintf(device, sizeof(device), "%.*s", (int)strcspn(folder, "/"), folder);
	value = slot + strspn(slot, "0123456789");
	value += strspn(value, " :=");
	snprintf(name, sizeof(name), "%d", atoi(slot));
	if (gids && scan_gid(value, gid, sizeof(gid))) {
		add_row(reader, line, device, atoi(slot), gid, 0, "");
		return;
	}
	row = facts_find(reader->facts, FACT_GID, reader->section->place, device, name);
	for (size_t i = 0; row && i < reader->facts->count; i++)
		if (&reader->facts->items[i] == row) {
			if (types)
				reader->facts->items[i].more = version_of(value);
			else if (ndevs)
				reader->facts->items[i].extra =
					facts_keep(reader->facts, value);
		}
}

static void add_used(const struct reader *reader, long line, const char *device,
	const char *side, double slot, const char *gid)
{
	struct fact *fact = reader_number(reader, line, FACT_GID_USED, device, side, slot);

	fact->text = facts_keep(reader->facts, gid);
}

/* NCCL prints the two halves as little-endian words: "GID 0 (80FE/110000FEFF5E0000)". */
static bool nccl_gid(const char *text, char *gid, size_t room)
{
	uint64_t prefix, interface;
	char text6[64] = "";
	size_t used = 0;

	if (sscanf(text, "%16" SCNx64 "/%16" SCNx64, &prefix, &interface) != 2)
		return false;
	for (int half = 0; half < 2; half++)
		for (int i = 0; i < 8; i++)
			used += (size_t)snprintf(text6 + used, sizeof(text6) - used, "%02x%s",
				(unsigned)((half ? interface : prefix) >> (8 * i)) & 255,
				i % 2 && !(half && i == 7) ? ":" : "");
	snprintf(gid, room, "%s", text6);
	return true;
}

static void read_nccl(const struct reader *reader, long line)
{
	const char *text = reader->lines[line].text, *after = scan_after(text, " GID ");
	const char *dev;
	char gid[64] = "", device[32] = "";
	double slot;

	if (!after || !scan_has(text, "NCCL") || !scan_number(after, &slot, &after))
		return;
	after += strspn(after, " ");
	if (*after != '(' || !nccl_gid(after + 1, gid, sizeof(gid)))
		return;
	dev = scan_after(text, "Dev ");
	if (!dev)
		dev = scan_after(text, "IbDev ");
	if (dev)
		snprintf(device, sizeof(device), "%.*s", (int)strcspn(dev, " "), dev);
	add_used(
		reader, line, device, scan_has(text, "remote") ? "remote" : "local", slot, gid);
}

/* perftest: " GID index : 3", then the addresses of both ends, sixteen decimal
 * bytes each. Older versions print no index. */
static void read_perftest(const struct reader *reader)
{
	char device[64] = "", gid[64];
	double index = -1;
	bool remote = false, shown = false;
	long index_line = -1;

	snprintf(device, sizeof(device), "%s", reader->device);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text, *after;

		if ((after = scan_after(text, "GID index")))
			index_line = scan_number(after + strspn(after, " \t:="), &index, NULL)
					     ? i
					     : -1;
		if ((after = scan_after(text, "Device")) && strchr(after, ':'))
			scan_value(text, "Device", device, sizeof(device));
		if ((after = scan_after(text, "remote address")))
			remote = true;
		else if (scan_has(text, "local address"))
			remote = false;
		after = scan_after(text, "GID:");
		if (!after || !scan_gid_decimal(after + strspn(after, " "), gid, sizeof(gid)))
			continue;
		add_used(reader, i, device, remote ? "remote" : "local", remote ? -1 : index,
			gid);
		shown = true;
	}
	if (!shown && index_line >= 0)
		add_used(reader, index_line, device, "local", index, "");
}

/* The two ends in one line, "localGid fe80::1 remoteGids::ffff:192.0.2.1" of NCCL's
 * completion errors (some versions print no blank); or a line each, as ibv_rc_pingpong
 * prints: "  remote address:  LID 0x0000, QPN 0x0001, PSN 0x000002, GID ::". */
static void read_ends(const struct reader *reader, long line)
{
	static const struct {
		const char *key, *beside, *side;
	} ends[] = {
		{ "localGid", "localGid", "local" },
		{ "remoteGids", "remoteGid", "remote" },
		{ ", GID ", "local address:", "local" },
		{ ", GID ", "remote address:", "remote" },
	};
	const char *text = reader->lines[line].text;
	char gid[64];

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const char *after = scan_after(text, ends[i].key);

		if (!after || !scan_has(text, ends[i].beside))
			continue;
		after += strspn(after, *ends[i].key == ',' ? " " : " =");
		if (scan_gid(after, gid, sizeof(gid)))
			add_used(reader, line, reader->device, ends[i].side, -1, gid);
	}
}

/* "using GID index 1 (fe80::...)", "gid_index=0 gid=fe80::1": other libraries. */
static void read_sentence(const struct reader *reader, long line)
{
	const char *text = reader->lines[line].text, *after = scan_after(text, "gid");
	char gid[64] = "";
	double index = -1;
	struct words words;

	if (!after || scan_has(text, "_GID_INDEX") || scan_after(text, "address: LID") ||
		scan_has(text, "GID[") ||
		strncmp(text + strspn(text, " "), "GID index", 9) == 0 ||
		scan_has(text, "PORT  INDEX"))
		return;
	after = scan_after(after, "index");
	if (!after)
		return;
	if (!scan_number(after + strspn(after, " \t:=#"), &index, NULL))
		return;
	scan_words(text, &words);
	for (int i = 0; i < words.count && !*gid; i++) {
		const char *word = words.at[i] + strspn(words.at[i], "(=");
		const char *equals = strchr(word, '=');

		if (!scan_gid(equals ? equals + 1 : word, gid, sizeof(gid)))
			*gid = '\0';
	}
	add_used(reader, line, reader->device, "local", index, gid);
}

/* "DEV PORT INDEX GID ...": the heading of show_gids. */
static bool is_heading(const char *text)
{
	return scan_word(text, "DEV") && scan_word(text, "INDEX") && scan_word(text, "GID");
}

void parse_gid(const struct reader *reader)
{
	char device[64] = "";

	snprintf(device, sizeof(device), "%s", reader->device);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (!scan_has(text, "gid") && !strchr(text, ':') && !scan_has(text, "hca_id"))
			continue;
		scan_value(text, "hca_id", device, sizeof(device));
		if (read_row(reader, i, device))
			continue;
		read_sysfs(reader, i);
		read_nccl(reader, i);
		read_ends(reader, i);
		read_sentence(reader, i);
		if (scan_has(text, "read error") || scan_has(text, "Input/output error"))
			reader_add(reader, i, FACT_GID_ERROR, device, NULL, text);
	}
	read_perftest(reader);
	if (scan_has(reader->section->title, "show_gids") &&
		(reader->count == 0 ||
			(reader->count == 1 && is_heading(reader->lines[0].text))))
		reader_number(reader, -1, FACT_GID_USED, device, "empty table", -1);
}
