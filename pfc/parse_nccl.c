/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/scan.h"

/* "hostA:501:502 [1] NCCL INFO ...": the host that wrote the line. */
static bool line_host(const char *text, char *host, size_t room)
{
	size_t length = strcspn(text, ": ");
	unsigned pid, tid;

	if (length == 0 || length >= room || text[length] != ':' ||
		sscanf(text + length, ":%u:%u", &pid, &tid) != 2)
		return false;
	snprintf(host, room, "%.*s", (int)length, text);
	return true;
}

static struct fact *add(const struct reader *reader, long line, enum fact_key key,
	const char *subject, const char *name, const char *text)
{
	struct fact *fact = reader_add(reader, line, key, subject, name, text);
	char host[128];

	if (line >= 0 && !*reader->section->place &&
		line_host(reader->lines[line].text, host, sizeof(host)))
		fact->place = facts_keep(reader->facts, host);
	return fact;
}

/* "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:...". */
static void read_devices(const struct reader *reader, long line, const char *list)
{
	while ((list = strchr(list, '['))) {
		char device[64], link[32] = "";
		size_t length;

		list += 1 + strspn(list + 1, "0123456789");
		if (*list != ']') {
			continue;
		}
		list++;
		length = strcspn(list, ":/ ;[");
		if (length == 0 || length >= sizeof(device))
			continue;
		snprintf(device, sizeof(device), "%.*s", (int)length, list);
		if (list[length] == ':' && strchr(list + length, '/'))
			snprintf(link, sizeof(link), "%.*s",
				(int)strcspn(strchr(list + length, '/') + 1, " ;["),
				strchr(list + length, '/') + 1);
		add(reader, line, FACT_HCA_USED, device, NULL, link);
	}
}

static void read_network(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_after(text, "NET/IB : Using ");

	if (after)
		read_devices(reader, line, after);
	if (scan_has(text, "NET/IB : No device found"))
		add(reader, line, FACT_HCA_USED, "", "none", text);
	after = scan_after(text, "NET/Socket : Using ");
	if (after && (after = strchr(after, ']'))) {
		char iface[64];

		snprintf(iface, sizeof(iface), "%.*s", (int)strcspn(after + 1, ":"), after + 1);
		add(reader, line, FACT_NETDEV, iface, "socket", NULL);
	}
	if (scan_has(text, "Using network Socket") || scan_has(text, "via NET/Socket"))
		add(reader, line, FACT_HCA_USED, "", "socket", text);
	else if (scan_has(text, "Using network "))
		add(reader, line, FACT_HCA_USED, "", "network", text);
	if (scan_has(text, "GPU Direct RDMA Disabled"))
		add(reader, line, FACT_GDR_OFF, NULL, NULL, text);
}

/* "Channel 00/0 : 9[1a000] -> 2[6b000] [send] via NET/IB/0/GDRDMA". */
static void read_channel(const struct reader *reader, long line, const char *text)
{
	const char *channel = scan_after(text, "Channel "), *via = scan_after(text, "via NET/");
	char name[96], transport[32] = "";
	const char *end;
	struct fact *fact;
	int nic = -1;

	if (!channel || !via)
		return;
	snprintf(transport, sizeof(transport), "%.*s", (int)strcspn(via, "/ "), via);
	if (via[strcspn(via, "/ ")] == '/')
		nic = atoi(via + strcspn(via, "/ ") + 1);
	end = strstr(channel, " [");
	snprintf(name, sizeof(name), "%.*s", end ? (int)(end - channel) : 90, channel);
	fact = add(reader, line, FACT_CHANNEL, name,
		scan_has(text, "[receive]") ? "receive" : "send", transport);
	fact->has_number = true;
	fact->number = scan_has(via, "GDRDMA") || scan_has(via, "GDR");
	fact->more = nic;
}

static bool after_number(const char *text, const char *key, double *number)
{
	const char *after = scan_word(text, key);

	return after && scan_number(after + strspn(after, " :="), number, NULL);
}

/* "comm 0x1 rank 0 nranks 16 cudaDev 0 - Init COMPLETE"; "nRanks 8 nNodes 4". */
static void read_comm(const struct reader *reader, long line, const char *text)
{
	const char *comm = scan_word(text, "comm");
	char handle[64] = "", rank_name[16] = "";
	double ranks, nodes = 0, rank = -1;
	struct fact *fact;

	if (!after_number(text, "nranks", &ranks))
		return;
	if (comm)
		snprintf(handle, sizeof(handle), "%.*s",
			(int)strcspn(comm + strspn(comm, " "), " "), comm + strspn(comm, " "));
	after_number(text, "nNodes", &nodes);
	if (after_number(text, "rank", &rank))
		snprintf(rank_name, sizeof(rank_name), "%d", (int)rank);
	fact = add(reader, line, FACT_COMM, handle, rank_name,
		scan_has(text, "Init COMPLETE") ? "complete" : "");
	fact->has_number = true;
	fact->number = ranks;
	fact->more = nodes;
}

static void read_event(const struct reader *reader, long line, const char *text)
{
	char device[64];
	const char *after;

	after = scan_after(text, "Got async event");
	if (!after)
		after = scan_after(text, "Got non-fatal async event");
	if (!after)
		after = scan_after(text, "Got fatal async event");
	if (!after)
		return;
	snprintf(device, sizeof(device), "%s", reader->device);
	scan_value(text, "NET/IB", device, sizeof(device));
	device[strcspn(device, ":")] = '\0';
	if (scan_has(text, "port error") || scan_has(text, "port down") ||
		scan_has(text, "PORT_ERR"))
		add(reader, line, FACT_LINK_EVENT, device, NULL, "down");
	else if (scan_has(text, "port active") || scan_has(text, "PORT_ACTIVE"))
		add(reader, line, FACT_LINK_EVENT, device, NULL, "up");
}

void parse_nccl(const struct reader *reader)
{
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (scan_has(text, "NET/") || scan_has(text, "Using network") ||
			scan_has(text, "GPU Direct")) {
			read_network(reader, i, text);
			read_channel(reader, i, text);
			read_event(reader, i, text);
		}
		if (scan_has(text, "nranks") || scan_has(text, "nRanks"))
			read_comm(reader, i, text);
	}
}
