/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/counter_table.h"
#include "pfc/scan.h"

static struct fact *add_rate(
	const struct reader *reader, long line, const char *device, double gbps)
{
	return reader_number(reader, line, FACT_RATE, device, NULL, gbps);
}

static bool is_rdma(const char *word)
{
	static const char *const starts[] = { "mlx", "bnxt_re", "hns_", "irdma", "rxe", "ionic",
		"rocep", "roceo", "rdma", "bond", "ens", "eth", "enp", "npu", "hccn" };

	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (strncmp(word, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* "rail0", "swp1": a port by its name, where other names are those of hosts. */
static bool is_port(const char *word)
{
	static const char *const starts[] = { "rail", "nic", "port", "swp", "Ethernet", "ib" };

	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (strncasecmp(word, starts[i], strlen(starts[i])) == 0 &&
			isdigit((unsigned char)word[strlen(starts[i])]))
			return true;
	return false;
}

/* Whether the figures below a title are rates of links; "average rate" of ib_write_bw is
 * what a test measured. */
static bool is_about_rates(const char *title)
{
	static const char *const names[] = { "rate", "rates", "speed", "speeds" };
	static const char *const measured[] = { "_bw", "_lat", "average", "measured" };

	for (size_t i = 0; i < COUNT_OF(measured); i++)
		if (scan_has(title, measured[i]))
			return false;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (scan_word(title, names[i]))
			return true;
	return false;
}

/* What ports of Ethernet and InfiniBand run at, in Gb/s. */
static bool is_nominal(double gbps)
{
	return gbps == 1 || gbps == 2.5 || gbps == 10 || gbps == 40 || gbps == 56 ||
	       (gbps > 0 && fmod(gbps, 25) == 0);
}

/* "gpu1: 200 Gb/sec (4X HDR)" under a title about rates: a line a host; "rail0: 200 Gb/s" a
 * line a port. */
static bool read_place_rate(const struct reader *reader, long line, const char *text)
{
	size_t length = strcspn(text, " :\t");
	double gbps;
	char place[64];

	if (text[length] != ':' || length == 0 || length >= sizeof(place) || is_rdma(text) ||
		strcspn(text, "0123456789") >= length ||
		!scan_rate_gbps(
			text + length + 1 + strspn(text + length + 1, " \t"), &gbps, NULL) ||
		!is_nominal(gbps))
		return false;
	snprintf(place, sizeof(place), "%.*s", (int)length, text);
	if (is_port(place))
		add_rate(reader, line, place, gbps);
	else
		add_rate(reader, line, *reader->device ? reader->device : "port", gbps)->place =
			facts_keep(reader->facts, place);
	return true;
}

/* ethtool "Speed: 100000Mb/s", ibstat "Rate: 200", sysfs "rate: 200 Gb/sec (4X HDR)",
 * "host1 mlx5_0 Rate: 200", and "mlx5_0 400" under a title about rates. */
static void read_rate(
	const struct reader *reader, long line, const char *text, const char *device)
{
	const char *after = scan_word(text, "Speed");
	struct words words;
	struct fact *fact;
	double gbps;

	scan_words(text, &words);
	if (after && scan_rate_gbps(after + strspn(after, " :=\t"), &gbps, NULL) && gbps > 0) {
		fact = add_rate(reader, line, device, gbps);
		if (words.count >= 3 && is_rdma(words.at[1])) { /* "hostA mlx5_0 Speed: 100G" */
			fact->place = facts_keep(reader->facts, words.at[0]);
			fact->subject = facts_keep(reader->facts, words.at[1]);
		}
		return;
	}
	after = scan_word(text, "Rate");
	if (after && !scan_has(text, "MsgRate") &&
		scan_number(after + strspn(after, " :=\t"), &gbps, NULL) && gbps > 0 &&
		gbps < 10000) {
		bool named = words.count >= 3 && scan_has(words.at[2], "rate");

		fact = add_rate(reader, line, named ? words.at[1] : device, gbps);
		if (named)
			fact->place = facts_keep(reader->facts, words.at[0]);
		else if (words.count >= 2 && is_rdma(words.at[0]))
			fact->subject = facts_keep(reader->facts, words.at[0]);
		return;
	}
	if (!is_about_rates(reader->section->title))
		return;
	if (read_place_rate(reader, line, text))
		return;
	if (*device && scan_rate_gbps(text, &gbps, NULL) && is_nominal(gbps)) {
		add_rate(reader, line, device, gbps); /* what a file "rate" holds */
		return;
	}
	for (int i = 0; i + 1 < words.count && i < 2; i++) {
		if (!is_rdma(words.at[i]) || !isdigit((unsigned char)*words.at[i + 1]))
			continue;
		if (!scan_rate_gbps(words.at[i + 1], &gbps, NULL) &&
			!scan_whole_number(words.at[i + 1], &gbps))
			continue;
		if (!is_nominal(gbps))
			continue;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(words.at[i], ":"),
			words.at[i]);
		fact = add_rate(reader, line, name, gbps);
		if (i == 1)
			fact->place = facts_keep(reader->facts, words.at[0]);
		return;
	}
}

/* "25 Gb/s ports", "one 200G NIC": what a sentence says of the port. */
static void read_port_sentence(const struct reader *reader, long line, const char *text)
{
	static const char *const names[] = { "NIC", "NICs", "port", "ports", "link speed",
		"line rate", "port rate", "NIC rate", "port speed", "per NIC" };
	const char *at = text, *end;
	double gbps;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *after = scan_word(text, names[i]);

		if (after && scan_rate_gbps(after + strspn(after, " :="), &gbps, NULL)) {
			add_rate(reader, line, "", gbps);
			return;
		}
	}
	if (line >= 0 &&
		(scan_word(reader->section->title, "NIC") ||
			scan_word(reader->section->title, "NICs") ||
			scan_word(reader->section->title, "port")) &&
		!scan_has(text, "Speed") && scan_find_rate_gbps(text, &gbps, &end)) {
		add_rate(reader, line, "", gbps);
		return;
	}
	while (scan_find_rate_gbps(at, &gbps, &end)) {
		const char *next = end + strspn(end, " ");

		if (strncmp(next, "port", 4) == 0 || strncmp(next, "NIC", 3) == 0 ||
			strncmp(next, "link", 4) == 0 || strncmp(next, "line rate", 9) == 0 ||
			strncmp(next, "RoCE NIC", 8) == 0) {
			add_rate(reader, line, "", gbps);
			return;
		}
		at = end;
	}
}

/* ibv_devinfo and sentences: active_mtu, path_mtu, "RoCE MTU 1024", link_layer. */
static void read_mtu(
	const struct reader *reader, long line, const char *text, const char *device)
{
	static const char *const active[] = { "active_mtu", "RoCE MTU", "active MTU" };
	static const char *const asked[] = { "path_mtu", "path mtu", "path MTU" };
	const char *after;
	double number;

	for (size_t i = 0; i < COUNT_OF(active); i++) {
		after = scan_word(text, active[i]);
		if (after && scan_number(after + strspn(after, " :=\t"), &number, NULL) &&
			number >= 256) {
			reader_number(reader, line, FACT_ACTIVE_MTU, device, NULL, number);
			break;
		}
	}
	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		after = scan_word(text, asked[i]);
		if (after && scan_has(after, "IBV_MTU_")) /* "path_mtu=IBV_MTU_4096" */
			after = scan_after(after, "IBV_MTU_");
		if (!after || !scan_number(after + strspn(after, " :=\t"), &number, NULL))
			continue;
		/* enum ibv_mtu: 1 is 256, 5 is 4096. */
		if (number >= 1 && number <= 5)
			number = 128 << scan_int(number);
		reader_number(reader, line, FACT_PATH_MTU, device, NULL, number);
		break;
	}
	after = scan_after(text, "link_layer:");
	if (after)
		reader_add(reader, line, FACT_LINK_LAYER, device, NULL,
			after + strspn(after, " \t"));
}

/* Kernel and log lines that tell of a link going down or up. */
static void read_event(const struct reader *reader, long line, const char *text)
{
	static const char *const down[] = { "Link down", "NIC Link is Down",
		"link is not ready", "Link is Down", "lost carrier", "Lost carrier",
		"carrier lost", "link status definitely down", "operstate down",
		"changed state to down", "LINEPROTO-5-UPDOWN" };
	static const char *const up[] = { "Link up", "NIC Link is Up", "Link is Up",
		"Gained carrier", "carrier acquired", "link becomes ready",
		"changed state to up", "link status definitely up" };
	struct words words;
	const char *iface = reader->device;
	bool is_down = false, is_up = false;

	if (scan_has(text, "[devid"))
		return;
	for (size_t i = 0; i < COUNT_OF(down) - 1; i++)
		is_down = is_down || strcasestr(text, down[i]);
	for (size_t i = 0; i < COUNT_OF(up); i++)
		is_up = is_up || strcasestr(text, up[i]);
	if (scan_has(reader->section->title, "ip monitor")) {
		is_down = scan_has(text, "NO-CARRIER") || scan_has(text, "state DOWN");
		is_up = !is_down && scan_has(text, "LOWER_UP");
	}
	if ((!is_down && !is_up) || scan_has(text, "link down count") ||
		scan_has(text, "Link Down Counter") || scan_has(text, "Link Down Events"))
		return;
	scan_words(text, &words);
	for (int i = 0; i < words.count; i++)
		if (is_rdma(words.at[i]) && strpbrk(words.at[i], "0123456789") &&
			!scan_has(words.at[i], "mlx5_core"))
			iface = words.at[i];
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(iface, ":"), iface);
	reader_add(reader, line, FACT_LINK_EVENT, name, NULL, is_down ? "down" : "up");
}

/* ethtool -a: "RX:  on", "TX:  off". */
static void read_pause(const struct reader *reader, long line, const char *text)
{
	char value[8];

	if (!scan_has(reader->section->title, "ethtool -a") &&
		!scan_has(reader->section->title, "pause"))
		return;
	if (strncmp(text, "RX:", 3) == 0 && sscanf(text + 3, " %7s", value) == 1)
		reader_number(reader, line, FACT_PAUSE_PARAM, reader->device, "rx",
			strcmp(value, "on") == 0);
	if (strncmp(text, "TX:", 3) == 0 && sscanf(text + 3, " %7s", value) == 1)
		reader_number(reader, line, FACT_PAUSE_PARAM, reader->device, "tx",
			strcmp(value, "on") == 0);
}

/* "device mlx5_bond_0, bond0 = 2 x 100000Mb/s"; /proc/net/bonding is counted below. */
static void read_bond(const struct reader *reader, long line, const char *text)
{
	const char *times = strstr(text, " x ");
	double members, each;

	if (!times || !scan_has(text, "bond") || times == text ||
		!isdigit((unsigned char)times[-1]) || !scan_rate_gbps(times + 3, &each, NULL))
		return;
	members = times[-1] - '0';
	reader_number(reader, line, FACT_BOND, "bond", NULL, members)->more = each;
}

static void count_members(const struct reader *reader)
{
	double members = 0, each = 0;
	long line = -1;

	if (!scan_has(reader->section->title, "/proc/net/bonding"))
		return;
	for (long i = 0; i < (long)reader->count; i++) {
		const char *speed = scan_after(reader->lines[i].text, "Speed:");
		double gbps;

		if (scan_has(reader->lines[i].text, "Slave Interface:"))
			members++;
		if (speed && scan_rate_gbps(speed + strspn(speed, " "), &gbps, NULL)) {
			each = gbps;
			line = i;
		}
	}
	if (members > 1 && each > 0)
		reader_number(reader, line, FACT_BOND, "bond", NULL, members)->more = each;
}

/* "Effective Physical BER : 15E-255" (none), "post-FEC BER: 2e-9"; "Uncorrectable FEC
 * blocks: 12" under any name that a tool gives it. */
static void read_fec(
	const struct reader *reader, long line, const char *text, const char *device)
{
	static const char *const rates[] = { "post-fec ber", "post fec ber", "post_fec_ber",
		"Effective Physical BER", "Effective BER" };
	int priority;
	double number;
	const char *colon;
	char name[96];

	for (size_t i = 0; i < COUNT_OF(rates); i++) {
		const char *after = scan_after(text, rates[i]);

		if (after && scan_number(after + strspn(after, " :=\t"), &number, NULL)) {
			reader_number(reader, line, FACT_POST_FEC_BER, device, NULL, number);
			return;
		}
	}
	colon = strchr(text, ':');
	if (!colon || (size_t)(colon - text) >= sizeof(name) || !scan_has(text, "uncorrect"))
		return;
	memcpy(name, text, (size_t)(colon - text));
	name[colon - text] = '\0';
	if (!counter_find(name, &priority) &&
		scan_number(colon + 1 + strspn(colon + 1, " \t"), &number, NULL))
		counter_add(reader, line, device, "uncorrectable_blocks", number);
}

/* ibstat and ibstatus print a rate of ports that are down as well; it means nothing. */
static bool is_down_state(const char *text, bool down)
{
	const char *state = scan_word(text, "state");

	if (strncmp(text, "CA '", 4) == 0 || scan_has(text, "Infiniband device '"))
		return false;
	if (!state || scan_has(text, "phys") || state[strspn(state, " \t")] != ':')
		return down;
	return scan_word(state, "down") || scan_word(state, "disabled");
}

void parse_link(const struct reader *reader)
{
	char device[64];
	bool down = false;

	snprintf(device, sizeof(device), "%s", reader->device);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;
		const char *quote = strchr(text, '\'');

		if (scan_value(text, "hca_id", device, sizeof(device)))
			continue;
		if (strncmp(text, "CA '", 4) == 0 && quote)
			snprintf(device, sizeof(device), "%.*s", (int)strcspn(quote + 1, "'"),
				quote + 1);
		if (strncmp(text, "Infiniband device '", 19) == 0) /* ibstatus */
			snprintf(device, sizeof(device), "%.*s", (int)strcspn(text + 19, "'"),
				text + 19);
		if (is_rdma(text) &&
			!text[strcspn(text, " :\t,")]) /* a name alone: "echo $d" */
			snprintf(device, sizeof(device), "%.63s", text);
		if (strncmp(text, "Settings for ", 13) == 0)
			snprintf(device, sizeof(device), "%.*s", (int)strcspn(text + 13, ":"),
				text + 13);
		down = is_down_state(text, down);
		if (!down && !scan_has(reader->section->title, "/proc/net/bonding"))
			read_rate(reader, i, text, device);
		read_port_sentence(reader, i, text);
		read_mtu(reader, i, text, device);
		read_event(reader, i, text);
		read_pause(reader, i, text);
		read_fec(reader, i, text, device);
		read_bond(reader, i, text);
	}
	read_port_sentence(reader, -1, reader->section->title);
	count_members(reader);
}
