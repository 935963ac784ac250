/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/collect.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/collecting.h"

struct fact *collect_text(const struct collect *collect, enum fact_key key, const char *subject,
	const char *name, const char *text, const char *source)
{
	struct fact *fact = facts_add(collect->facts, key, collect->place, subject, name, text);

	fact->source = facts_keep(collect->facts, source);
	fact->line = (uint32_t)collect->facts->count;
	return fact;
}

struct fact *collect_number(const struct collect *collect, enum fact_key key,
	const char *subject, const char *name, double number, const char *source)
{
	struct fact *fact = collect_text(collect, key, subject, name, NULL, source);

	fact->has_number = true;
	fact->number = number;
	return fact;
}

void collect_missing(const struct collect *collect, const char *subject, const char *what,
	const char *source, int err)
{
	struct fact *fact = collect_number(collect, FACT_READING, subject, what, -err, source);

	fact->text = facts_keep(collect->facts, host_why(err));
}

static void print_path(char *path, size_t room, const char *format, va_list args)
{
	vsnprintf(path, room, format, args);
}

bool collect_file(const struct collect *collect, const char *subject, const char *what,
	char *text, size_t room, const char *path, ...)
{
	char full[PATH_MAX];
	va_list args;
	int got;

	va_start(args, path);
	print_path(full, sizeof(full), path, args);
	va_end(args);
	got = host_read(collect->host, full, text, room);
	if (got < 0) {
		collect_missing(collect, subject, what, full, got);
		return false;
	}
	while (got > 0 && strchr(" \t\n", text[got - 1]))
		text[--got] = '\0';
	return true;
}

bool collect_file_number(const struct collect *collect, const char *subject, const char *what,
	long long *number, const char *path, ...)
{
	char full[PATH_MAX];
	va_list args;
	int err;

	va_start(args, path);
	print_path(full, sizeof(full), path, args);
	va_end(args);
	err = host_read_number(collect->host, full, number);
	if (err)
		collect_missing(collect, subject, what, full, err);
	return !err;
}

bool collect_is_first_port(const struct collect *collect, size_t nic)
{
	const struct nic *items = collect->nics->items;

	for (size_t i = 0; i < nic; i++)
		if (items[i].port == items[nic].port &&
			strcmp(items[i].rdma, items[nic].rdma) == 0)
			return false;
	return true;
}

bool collect_is_first_netdev(const struct collect *collect, size_t nic)
{
	const struct nic *items = collect->nics->items;

	if (!items[nic].netdev[0])
		return false;
	for (size_t i = 0; i < nic; i++)
		if (strcmp(items[i].netdev, items[nic].netdev) == 0)
			return false;
	return true;
}

/* Ports with an RDMA device; the others are not ours to judge. */
static void only_rdma(struct nics *nics)
{
	size_t count = 0;

	for (size_t i = 0; i < nics->count; i++)
		if (nics->items[i].rdma[0])
			nics->items[count++] = nics->items[i];
	nics->count = count;
}

static void add_rails(const struct collect *collect)
{
	for (size_t i = 0; i < collect->nics->count; i++) {
		const struct nic *nic = &collect->nics->items[i];
		struct fact *fact = collect_number(collect, FACT_RAIL, nic->rdma, nic->netdev,
			nic->port, "/sys/class/infiniband");

		fact->text = facts_keep(collect->facts, nic->driver);
		fact->extra = facts_keep(collect->facts, nic->pci);
	}
	if (collect->nics->count == 0)
		collect_missing(collect, "", "RDMA devices", "/sys/class/infiniband", -ENOENT);
}

static void wait_ns(uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

int collect_host(struct facts *facts, const struct host *host, const struct collect_wish *wish,
	struct diag *diag)
{
	struct nics nics;
	struct netlink netlink;
	struct counter_reading first = COUNTER_READING_INIT, last = COUNTER_READING_INIT;
	struct collect collect = { .host = host,
		.netlink = &netlink,
		.facts = facts,
		.nics = &nics,
		.place = wish->place };
	int err = nics_find(&nics, host, diag);

	if (err)
		return err;
	only_rdma(&nics);
	netlink_init(&netlink, host);
	add_rails(&collect);
	collect_rdma(&collect);
	collect_net(&collect);
	collect_dcb(&collect);
	collect_pci(&collect);
	collect_system(&collect);
	collect_routes(&collect);
	collect_lldp(&collect);
	if (wish->window_ns > 0 && nics.count > 0) {
		collect_counters(&collect, &first);
		wait_ns(wish->window_ns);
	}
	collect_counters(&collect, &last);
	collect_counter_facts(&collect, first.items ? &first : NULL, &last);
	counter_reading_free(&first);
	counter_reading_free(&last);
	netlink_close(&netlink);
	return 0;
}
