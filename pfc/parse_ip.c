/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

static void add_address(
	const struct reader *reader, long line, const char *iface, const char *word)
{
	unsigned address;
	int length;
	struct fact *fact;
	char text[32];

	if (!scan_ipv4(word, &address, &length) || strncmp(word, "127.", 4) == 0)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(word, "/"), word);
	fact = reader_number(reader, line, FACT_ADDRESS, iface, NULL, address);
	fact->text = facts_keep(reader->facts, text);
	fact->more = length;
}

static bool is_state(const char *word)
{
	return strcmp(word, "UP") == 0 || strcmp(word, "DOWN") == 0 ||
	       strcmp(word, "UNKNOWN") == 0 || strcmp(word, "LOWERLAYERDOWN") == 0;
}

static void copy_name(char *name, size_t room, const char *word)
{
	snprintf(name, room, "%.*s", (int)strcspn(word, "@:"), word);
}

/* What follows a word: "mtu 9000". */
static const char *word_after(const struct words *words, const char *key)
{
	for (int i = 0; i + 1 < words->count; i++)
		if (strcmp(words->at[i], key) == 0)
			return words->at[i + 1];
	return NULL;
}

static bool read_mtu(
	const struct reader *reader, long line, const char *iface, const struct words *words)
{
	const char *mtu = word_after(words, "mtu");
	double number;

	mtu = mtu ? mtu : word_after(words, "MTU");
	if (!mtu || !scan_number(mtu, &number, NULL))
		return false;
	reader_number(reader, line, FACT_NETDEV_MTU, iface, NULL, number);
	return true;
}

/* ip -br: "rail0  UP  192.0.2.72/24 fe80::1/64", "rail0 UP 02:00:.. <...>" */
static bool read_brief(const struct reader *reader, long line, const struct words *words)
{
	char name[64], mac[18];

	if (words->count >= 2 && strcmp(words->at[0], "inet") != 0 &&
		isalpha((unsigned char)*words->at[0]) &&
		isdigit((unsigned char)*words->at[1]) && strchr(words->at[1], '/')) {
		copy_name(name, sizeof(name), words->at[0]); /* "rail0 192.0.2.10/24" */
		add_address(reader, line, name, words->at[1]);
		return true;
	}
	if (words->count >= 3 && line_place(words->at[0]) > 0 && word_after(words, "mtu")) {
		read_mtu(reader, line, strcmp(words->at[1], "mtu") ? words->at[1] : "", words);
		return true; /* "hostA ens1f0 mtu 9000" */
	}
	if (words->count < 2 || !is_state(words->at[1]))
		return false;
	copy_name(name, sizeof(name), words->at[0]);
	reader_add(reader, line, FACT_NETDEV, name, NULL, words->at[1]);
	for (int i = 2; i < words->count; i++) {
		add_address(reader, line, name, words->at[i]);
		if (scan_mac(words->at[i], mac, sizeof(mac)))
			reader_add(reader, line, FACT_MAC, name, NULL, mac);
	}
	return true;
}

/* ip -o: "2: eth0    inet 192.0.2.5/24 brd ...", all of an interface in its line. */
static bool is_one_line(const struct words *words)
{
	return words->count >= 4 && isdigit((unsigned char)*words->at[0]) &&
	       words->at[0][strlen(words->at[0]) - 1] == ':' &&
	       (strcmp(words->at[2], "inet") == 0 || strcmp(words->at[2], "inet6") == 0);
}

/* ip addr, ip link, ifconfig: a line that names the interface, and lines below
 * it that belong to it. */
static void read_full(const struct reader *reader, long line, const struct words *words,
	char *iface, size_t room)
{
	const char *text = reader->lines[line].text;
	char mac[18];
	const char *value;

	if (words->count >= 2 && isdigit((unsigned char)*words->at[0]) &&
		words->at[0][strlen(words->at[0]) - 1] == ':' && strchr(text, '<')) {
		copy_name(iface, room, words->at[1]);
		reader_add(reader, line, FACT_NETDEV, iface, NULL,
			strstr(text, "LOWER_UP") ? "UP" : "");
	} else if (words->count >= 2 && strncmp(words->at[1], "flags=", 6) == 0) {
		copy_name(iface, room, words->at[0]);
		reader_add(reader, line, FACT_NETDEV, iface, NULL, "");
	} else if (is_one_line(words)) {
		copy_name(iface, room, words->at[1]);
	}
	if (!*iface) /* "eth1 link/ether 02:00:...": somebody joined both lines */
		for (int i = 1; i < words->count; i++)
			if (strcmp(words->at[i], "link/ether") == 0)
				copy_name(iface, room, words->at[i - 1]);
	if (!*iface && !*reader->device)
		return;
	if (strchr(text, '<') || words->count > 1)
		read_mtu(reader, line, *iface ? iface : reader->device, words);
	value = word_after(words, "inet");
	if (value && !strchr(value, '/') && word_after(words, "netmask")) {
		const char *mask = word_after(words, "netmask");
		char with_length[40];
		unsigned bits = 0;
		int length;

		scan_ipv4(mask, &bits, &length);
		snprintf(with_length, sizeof(with_length), "%.20s/%d", value,
			__builtin_popcount(bits));
		add_address(reader, line, *iface ? iface : reader->device, with_length);
	} else if (value) {
		add_address(reader, line, *iface ? iface : reader->device, value);
	}
	value = word_after(words, "link/ether");
	value = value ? value : word_after(words, "ether");
	if (value && scan_mac(value, mac, sizeof(mac)) &&
		strcmp(words->at[0], "vf") != 0) /* a virtual function's, not this port's */
		reader_add(reader, line, FACT_MAC, *iface ? iface : reader->device, NULL, mac);
	if (scan_has(text, "vlan protocol") || scan_has(text, "vlan id"))
		reader_add(
			reader, line, FACT_VLAN, *iface ? iface : reader->device, NULL, NULL);
}

/* ip neigh: "192.0.2.20 dev eth1 lladdr 02:00:... REACHABLE". */
static void read_neighbour(const struct reader *reader, long line, const struct words *words)
{
	const char *iface = word_after(words, "dev"), *lladdr = word_after(words, "lladdr");
	unsigned address;
	int length;
	char mac[18];

	if (lladdr && scan_mac(lladdr, mac, sizeof(mac)) &&
		scan_ipv4(words->at[0], &address, &length))
		reader_add(reader, line, FACT_NEIGHBOUR_MAC, iface ? iface : reader->device,
			words->at[0], mac);
}

/* "0: from all lookup local"; a rule by source or output interface is what
 * several rails need. */
static void read_rule(const struct reader *reader, long line, const char *text)
{
	const char *from = scan_word(text, "from");
	bool by_source;

	if (!isdigit((unsigned char)text[strspn(text, " ")]) || !from ||
		!(scan_word(text, "lookup") || scan_word(text, "table")))
		return;
	by_source = strncmp(from + strspn(from, " "), "all", 3) != 0 || scan_word(text, "oif");
	reader_number(reader, line, FACT_IP_RULE, NULL, NULL, by_source)->text =
		facts_keep(reader->facts, text);
}

/* /proc/net/vlan/eth1.100: "eth1.100  VID: 100  REORDER_HDR: 1", "Device: eth1", "EGRESS
 * priority mappings: 0:0 3:3". */
static void read_vlan_file(const struct reader *reader)
{
	char vlan[64] = "", below[64] = "", name[16];
	int from, to;

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;
		const char *map = scan_after(text, "EGRESS priority mappings:");

		if (scan_has(text, "VID:") && scan_has(text, "REORDER_HDR"))
			sscanf(text, " %63s", vlan);
		scan_value(text, "Device", below, sizeof(below));
		while (*vlan && map && scan_egress(&map, &from, &to)) {
			snprintf(name, sizeof(name), "%d", from);
			reader_number(reader, i, FACT_VLAN_EGRESS, vlan, name, to);
		}
	}
	if (*vlan)
		reader_add(reader, 0, FACT_VLAN, vlan, NULL, below);
}

/* "net.ipv4.conf.all.rp_filter = 1", "/proc/sys/net/ipv4/conf/all/rp_filter: 1".
 * Of names with dots in them (rail0.100) the last word is the setting. */
static void read_sysctl(const struct reader *reader, long line, const char *text)
{
	static const char *const names[] = { "rp_filter", "arp_ignore", "arp_announce",
		"arp_filter", "accept_local" };
	const char *conf = scan_after(text, "ipv4.conf.");
	double number;

	conf = conf ? conf : scan_after(text, "ipv4/conf/");
	for (size_t i = 0; conf && i < COUNT_OF(names); i++) {
		const char *after = scan_word(conf, names[i]);
		size_t length = after ? (size_t)(after - conf) - strlen(names[i]) : 0;
		char iface[64];

		if (!after || length < 2 || length >= sizeof(iface) ||
			!scan_number(after + strspn(after, " :="), &number, NULL))
			continue;
		snprintf(iface, sizeof(iface), "%.*s", (int)length - 1, conf);
		reader_number(reader, line, FACT_SYSCTL, iface, names[i], number);
	}
}

/* A file with one number: /sys/class/net/ens1f0/mtu. */
static void read_file(const struct reader *reader, long line, const char *text)
{
	const char *folder = scan_after(text, "/sys/class/net/");
	double number;
	char iface[64], mac[18];
	const char *value;

	if (scan_has(reader->section->what, "/mtu") && reader->count == 1 &&
		scan_whole_number(text, &number))
		reader_number(reader, line, FACT_NETDEV_MTU, reader->device, NULL, number);
	if (scan_has(reader->section->what, "/address") && scan_mac(text, mac, sizeof(mac)))
		reader_add(reader, line, FACT_MAC, reader->device, NULL, mac);
	if (!folder)
		return;
	snprintf(iface, sizeof(iface), "%.*s", (int)strcspn(folder, "/"), folder);
	value = folder + strcspn(folder, ": ");
	value += strspn(value, ": ");
	if (scan_has(folder, "/mtu") && scan_number(value, &number, NULL))
		reader_number(reader, line, FACT_NETDEV_MTU, iface, NULL, number);
	if (scan_has(folder, "/address") && scan_mac(value, mac, sizeof(mac)))
		reader_add(reader, line, FACT_MAC, iface, NULL, mac);
}

/* The answer of a command that reads one: "mtu:4200" of hccn_tool -mtu -g. */
static void read_one_mtu(const struct reader *reader)
{
	const char *after = scan_word(reader->lines[0].text, "mtu");
	double number;

	if (after && !strchr(reader->lines[0].text, '<') &&
		scan_whole_number(after + strspn(after, " :="), &number))
		reader_number(
			reader, 0, FACT_NETDEV_MTU, reader->device, NULL, scan_int(number));
}

/* Under a title about MTUs: a list to convert, each line a number with "mtu" before
 * it or nothing; or a line a host. */
static void read_mtu_list(const struct reader *reader)
{
	if (!scan_has(reader->section->title, "mtu") || scan_has(reader->section->what, "/mtu"))
		return;
	if (*reader->section->place && reader->count == 1) {
		read_one_mtu(reader);
		return;
	}
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text, *digits = text + strlen(text);
		bool active = scan_has(text, "active") ||
			      scan_has(reader->section->title, "active_mtu");
		bool of_place = line_place(text) > 0;
		double number;

		while (digits > text && strchr("0123456789", digits[-1]))
			digits--;
		if (!scan_whole_number(digits, &number) || scan_has(text, "path"))
			continue;
		if (of_place && number >= 256 && !scan_word(text, "mtu") && !active)
			reader_number(reader, i, FACT_NETDEV_MTU, "", NULL, number);
		else if (!of_place && !active && (reader->count > 1 || digits > text) &&
			 (digits == text || (scan_has(text, "mtu") && !strchr(text, '<') &&
						    strcspn(text, "0123456789") ==
							    (size_t)(digits - text))))
			reader_number(reader, i, FACT_MTU_QUERY, NULL, NULL, number);
	}
}

void parse_ip(const struct reader *reader)
{
	char iface[64] = "";

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;
		struct words words;

		scan_words(text, &words);
		if (!read_brief(reader, i, &words))
			read_full(reader, i, &words, iface, sizeof(iface));
		read_neighbour(reader, i, &words);
		read_rule(reader, i, text);
		read_sysctl(reader, i, text);
		read_file(reader, i, text);
	}
	read_mtu_list(reader);
	read_vlan_file(reader);
}
