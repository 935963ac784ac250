/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* Remembers the tos of "IP (tos 0x6a, ...)" for the addresses on the next line. */
struct capture {
	double dscp; /* -1: none waits */
};

static bool is_capture(const struct reader *reader, const char *text)
{
	static const char *const words[] = { "capture", "tcpdump", "tshark", "pcap", "sniff",
		"on the wire", "mirror", "wireshark", "packets", "sflow", "4791", "by DSCP" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (scan_has(reader->section->title, words[i]))
			return true;
	return scan_has(text, "4791");
}

static void add_dscp(const struct reader *reader, long line, const char *direction, double dscp,
	double packets)
{
	struct fact *fact =
		reader_number(reader, line, FACT_CAPTURE_DSCP, direction, NULL, dscp);

	fact->more = packets;
	fact->text = facts_keep(reader->facts, reader->lines[line].text);
}

/* "192.0.2.1.49152 > 192.0.2.2.4791", "hostA -> hostB": who sends to whom. */
static bool direction_of(const char *text, char *direction, size_t room)
{
	const char *arrow = strstr(text, "->"), *from, *to;
	size_t arrow_length = 2, from_length, to_length;

	if (!arrow)
		arrow = strstr(text, "→"), arrow_length = 3;
	for (const char *at = arrow ? NULL : text; at && (at = strchr(at, '>')); at++)
		if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == ' ') &&
			isalnum((unsigned char)at[1 + (at[1] == ' ')])) {
			arrow = at;
			arrow_length = 1;
		}
	if (!arrow && scan_has(text, "dscp") && (arrow = strstr(text, " to "))) {
		arrow++;
		arrow_length = 2;
	}
	if (!arrow)
		return false;
	from = arrow;
	while (from > text && from[-1] == ' ')
		from--;
	from_length = 0;
	while (from > text && from[-1] != ' ' && from[-1] != '(') {
		from--;
		from_length++;
	}
	to = arrow + arrow_length;
	to += strspn(to, " ");
	to_length = strcspn(to, " ,:");
	if (from_length == 0 || to_length == 0)
		return false;
	snprintf(direction, room, "%.*s>%.*s", (int)from_length, from, (int)to_length, to);
	return true;
}

/* Ports change from packet to packet; the direction is between hosts. */
static void strip_ports(char *direction)
{
	char copy[160], *to, *dot;
	int dots = 0;

	snprintf(copy, sizeof(copy), "%s", direction);
	to = strchr(copy, '>');
	if (!to)
		return;
	*to++ = '\0';
	for (char *c = copy; *c; c++)
		dots += *c == '.';
	if (dots == 4 && (dot = strrchr(copy, '.')))
		*dot = '\0';
	dots = 0;
	for (char *c = to; *c; c++)
		dots += *c == '.';
	if (dots == 4 && (dot = strrchr(to, '.')))
		*dot = '\0';
	snprintf(direction, 128, "%.60s>%.60s", copy, to);
}

static bool dscp_of(const char *text, double *dscp)
{
	const char *after = scan_word(text, "dscp");
	double tos;

	if (after && scan_number(after + strspn(after, " :=("), dscp, NULL) && *dscp < 64)
		return true;
	after = scan_word(text, "tos");
	after = after ? after : scan_word(text, "tclass");
	after = after ? after : scan_word(text, "dsfield");
	if (after && scan_number(after + strspn(after, " :=("), &tos, NULL) && tos < 256) {
		*dscp = (double)(scan_int(tos) >> 2);
		return true;
	}
	return false;
}

/* "dscp 26: 91234 packets", "91234 dscp=26": the largest number that is not the
 * code point itself; one line is one packet when there is none. */
static double packets_of(const char *text)
{
	const char *end;
	double number;

	for (const char *at = text; *at; at++) {
		if (!isdigit((unsigned char)*at) ||
			(at > text &&
				(isalnum((unsigned char)at[-1]) || strchr(".=:", at[-1]))))
			continue;
		if (!scan_number(at, &number, &end))
			continue;
		end += strspn(end, " ");
		if (*end == '%' || strncmp(end, "packet", 6) == 0 ||
			strncmp(end, "pkts", 4) == 0 || strncmp(end, "frames", 6) == 0)
			return number;
	}
	{
		const char *after = scan_word(text, "count");

		after = after ? after : scan_word(text, "packets");
		if (after && scan_number(after + strspn(after, " :="), &number, NULL))
			return number;
	}
	return 1;
}

/* Under a title that counts, the last number of the line is the count. */
static double counted_of(const struct reader *reader, const char *text)
{
	const char *last = text + strlen(text), *end;
	double number, packets = packets_of(text);

	if (packets > 1 || !scan_has(reader->section->title, "by DSCP"))
		return packets;
	while (last > text && strchr("0123456789,", last[-1]))
		last--;
	if (*last && scan_number(last, &number, &end) && number > 63)
		return number;
	return packets;
}

/* "26 981233" or "26: 98.2 %" under a title that says DSCP. */
static bool read_bare(const struct reader *reader, long line, const char *text)
{
	const char *end;
	double dscp, packets;

	text += strspn(text, " ");
	if (!scan_has(reader->section->title, "dscp") || !isdigit((unsigned char)*text) ||
		!scan_number(text, &dscp, &end))
		return false;
	end += strspn(end, " :=\t|");
	if (!scan_number(end, &packets, NULL))
		return false;
	if (scan_has(reader->section->title, "uniq -c")) { /* the count stands first */
		double count = dscp;

		dscp = packets;
		packets = count;
	}
	if (dscp < 0 || dscp > 63 || dscp != scan_int(dscp))
		return false;
	add_dscp(reader, line, "", dscp, packets);
	return true;
}

/* "dscp 26: 981233 packets, dscp 0: 4021 packets": each of several in one line. */
static bool read_list(const struct reader *reader, long line, const char *text)
{
	const char *first = scan_word(text, "dscp"), *next;
	char clause[128];
	double dscp;

	if (!first || !scan_word(first, "dscp") || strstr(text, "->"))
		return false;
	for (const char *at = first; at; at = next) {
		next = scan_word(at, "dscp");
		snprintf(clause, sizeof(clause), "dscp%.*s",
			next ? (int)(next - at) - 4 : (int)strlen(at), at);
		if (dscp_of(clause, &dscp) && !scan_has(clause, "cnp"))
			add_dscp(reader, line, "", dscp, packets_of(clause));
	}
	return true;
}

static void read_dscp(const struct reader *reader, long line, struct capture *capture)
{
	const char *text = reader->lines[line].text;
	char direction[128] = "";
	double dscp;
	bool here = dscp_of(text, &dscp),
	     way = direction_of(text, direction, sizeof(direction));

	if (scan_has(text, "cnp") || scan_has(text, "arp"))
		return;
	if (read_list(reader, line, text))
		return;
	strip_ports(direction);
	if (!here && read_bare(reader, line, text))
		return;
	if (here && (way || !scan_has(text, "(tos")))
		add_dscp(reader, line, direction, dscp, counted_of(reader, text));
	else if (here)
		capture->dscp = dscp;
	else if (way && capture->dscp >= 0 && scan_has(text, "4791"))
		add_dscp(reader, line, direction, capture->dscp, 1);
	if (!here)
		capture->dscp = -1;
}

/* "02:00:5e:00:53:01 > 02:00:5e:00:53:02, ethertype ...", "eth.src=... eth.dst=...". */
static void read_macs(const struct reader *reader, long line, const char *text)
{
	struct words words;
	char mac[18], first[18] = "";

	if (!strchr(text, ':'))
		return;
	scan_words(text, &words);
	for (int i = 0; i < words.count; i++) {
		const char *word = words.at[i], *equals = strchr(word, '=');

		word = equals ? equals + 1 : word + strspn(word, "(");
		if (!scan_mac(word, mac, sizeof(mac)))
			continue;
		if (*first) {
			reader_add(reader, line, FACT_MAC_PAIR, NULL, NULL, first)->extra =
				facts_keep(reader->facts, mac);
			return;
		}
		snprintf(first, sizeof(first), "%s", mac);
	}
}

/* "smac = 02:00:..." and "dmac = 02:00:..." of an address handle, a line each. */
static void read_handle(const struct reader *reader)
{
	char value[32], source[18] = "", mac[18];

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (scan_value(text, "smac", value, sizeof(value)) &&
			scan_mac(value, mac, sizeof(mac)))
			snprintf(source, sizeof(source), "%s", mac);
		if (*source && scan_value(text, "dmac", value, sizeof(value)) &&
			scan_mac(value, mac, sizeof(mac)))
			reader_add(reader, i, FACT_MAC_PAIR, NULL, NULL, source)->extra =
				facts_keep(reader->facts, mac);
	}
}

/* "capture: 510000 packets/s, average frame 4170 bytes"; tcpdump's last lines. */
static void read_totals(const struct reader *reader, long line, const char *text)
{
	const char *end;
	double number;

	for (const char *at = text; *at; at++) {
		if (!isdigit((unsigned char)*at) ||
			(at > text && isalnum((unsigned char)at[-1])) ||
			!scan_number(at, &number, &end))
			continue;
		end += strspn(end, " ");
		if (strncmp(end, "packets/s", 9) == 0 || strncmp(end, "pps", 3) == 0 ||
			strncmp(end, "packets per second", 18) == 0)
			reader_number(reader, line, FACT_CAPTURE, NULL, "pps", number);
		else if (strncmp(end, "packets dropped by kernel", 25) == 0 ||
			 strncmp(end, "packets dropped by interface", 28) == 0)
			reader_number(reader, line, FACT_CAPTURE, NULL, "dropped", number);
		else if (strncmp(end, "packets captured", 16) == 0)
			reader_number(reader, line, FACT_CAPTURE, NULL, "captured", number);
		at = end > at ? end - 1 : at;
	}
	end = scan_after(text, "average frame");
	end = end ? end : scan_after(text, "frame size");
	if (end && scan_number(end + strspn(end, " :="), &number, NULL))
		reader_number(reader, line, FACT_CAPTURE, NULL, "frame", number);
}

void parse_capture(const struct reader *reader)
{
	struct capture capture = { -1 };

	read_handle(reader);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (scan_word(text, "src") || scan_has(text, "eth.src"))
			read_macs(reader, i, text);
		if (!is_capture(reader, text))
			continue;
		read_dscp(reader, i, &capture);
		read_macs(reader, i, text);
		read_totals(reader, i, text);
	}
}
