/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/driverstats.h"
#include "lib/ethtool.h"
#include "lib/grow.h"
#include "lib/hwcounters.h"
#include "lib/rdma_counters.h"
#include "pfc/collecting.h"
#include "pfc/counter_table.h"

/* Only what the table of counters knows: the rest means nothing to a rule. */
static void take(const struct collect *collect, struct counter_reading *reading,
	const char *subject, const char *name, uint64_t value, const char *source)
{
	int priority;

	if (!counter_find(name, &priority))
		return;
	reading->items =
		grow(reading->items, reading->count, &reading->room, sizeof(*reading->items));
	reading->items[reading->count++] =
		(struct counter_value){ .subject = facts_keep(collect->facts, subject),
			.name = facts_keep(collect->facts, name),
			.source = source,
			.value = value };
}

static void take_driver(
	const struct collect *collect, struct counter_reading *reading, const char *netdev)
{
	struct driverstats stats;
	struct diag diag;
	int err = driverstats_open(&stats, collect->host, netdev, &diag);

	if (!err)
		err = driverstats_read(&stats, &diag);
	if (err)
		collect_missing(collect, netdev, "driver statistics", "ethtool -S", err);
	for (uint32_t i = 0; !err && i < stats.count; i++)
		take(collect, reading, netdev, stats.names[i], stats.values[i], "ethtool -S");
	driverstats_close(&stats);
}

static void take_netlink(
	const struct collect *collect, struct counter_reading *reading, const char *netdev)
{
	struct ethtool_fec fec;
	struct diag diag;
	char path[PATH_MAX];
	long long changes;

	if (!ethtool_fec_read(collect->netlink, netdev, &fec, &diag)) {
		if (fec.has_corrected)
			take(collect, reading, netdev, "corrected_blocks", fec.corrected_blocks,
				"ethtool FEC");
		if (fec.has_uncorrected)
			take(collect, reading, netdev, "uncorrectable_blocks",
				fec.uncorrected_blocks, "ethtool FEC");
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier_changes", netdev);
	if (!host_read_number(collect->host, path, &changes) && changes >= 0)
		take(collect, reading, netdev, "carrier_changes", (uint64_t)changes,
			"carrier_changes");
}

/* Over netlink the hardware is asked anew; the files are the fallback. */
static void take_rdma(
	const struct collect *collect, struct counter_reading *reading, const struct nic *nic)
{
	struct hwcounters counters = { .count = 0 };
	struct diag diag;
	uint32_t index;
	char path[PATH_MAX];
	const char *source = "rdma statistic";
	int err = rdma_device_index(collect->netlink, nic->rdma, &index, &diag);

	if (!err)
		err = rdma_counters_read(
			collect->netlink, nic->rdma, index, nic->port, &counters, &diag);
	if (err) {
		snprintf(path, sizeof(path), "%s/sys/class/infiniband/%s/ports/%u/hw_counters",
			collect->host->root ? collect->host->root : "", nic->rdma, nic->port);
		source = "hw_counters";
		err = hwcounters_read(&counters, path, &diag);
	}
	if (err)
		collect_missing(collect, nic->rdma, "RDMA counters", source, err);
	for (uint32_t i = 0; i < counters.count; i++)
		take(collect, reading, nic->rdma, counters.items[i].name,
			counters.items[i].value, source);
}

/* counters/: a file may say that there is no such counter ("N/A (no PMA)"). */
static void take_port(
	const struct collect *collect, struct counter_reading *reading, const struct nic *nic)
{
	char folder[PATH_MAX], path[PATH_MAX], (*names)[HOST_NAME];
	int count;

	snprintf(folder, sizeof(folder), "/sys/class/infiniband/%s/ports/%u/counters",
		nic->rdma, nic->port);
	count = host_list(collect->host, folder, &names);
	if (count < 0) {
		collect_missing(collect, nic->rdma, "port counters", folder, count);
		return;
	}
	for (int i = 0; i < count; i++) {
		long long value;

		if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]) <
				(int)sizeof(path) &&
			!host_read_number(collect->host, path, &value) && value >= 0)
			take(collect, reading, nic->rdma, names[i], (uint64_t)value,
				"counters");
	}
	free(names);
}

void collect_counters(const struct collect *collect, struct counter_reading *reading)
{
	reading->before_ns = clock_ns();
	for (size_t i = 0; i < collect->nics->count; i++) {
		const struct nic *nic = &collect->nics->items[i];

		if (collect_is_first_netdev(collect, i)) {
			take_driver(collect, reading, nic->netdev);
			take_netlink(collect, reading, nic->netdev);
		}
		if (collect_is_first_port(collect, i)) {
			take_rdma(collect, reading, nic);
			take_port(collect, reading, nic);
		}
	}
	reading->after_ns = clock_ns();
}

static struct fact *add(
	const struct collect *collect, const struct counter_value *value, double number)
{
	struct fact *fact = collect_number(
		collect, FACT_COUNTER, value->subject, value->name, number, value->source);
	int priority = -1;
	const struct counter_row *row = counter_find(value->name, &priority);

	fact->means = (short)(row ? row->means : MEANS_NOTHING);
	fact->priority = (short)priority;
	return fact;
}

static const struct counter_value *find(
	const struct counter_reading *reading, size_t hint, const struct counter_value *like)
{
	for (size_t i = 0; reading && i < reading->count; i++) {
		const struct counter_value *item = &reading->items[(hint + i) % reading->count];

		if (strcmp(item->name, like->name) == 0 &&
			strcmp(item->subject, like->subject) == 0 &&
			strcmp(item->source, like->source) == 0)
			return item;
	}
	return NULL;
}

/* A 32-bit counter that went down has gone round when the step is small; otherwise it
 * was reset, and its difference is no number. */
static bool difference(const struct counter_value *from, const struct counter_value *to,
	double *number, bool *wrapped)
{
	int priority;
	const struct counter_row *row = counter_find(to->name, &priority);
	uint64_t step = to->value - from->value;

	*wrapped = false;
	if (to->value < from->value) {
		if (!row || row->bits != 32 || from->value > UINT32_MAX)
			return false;
		step &= UINT32_MAX;
		if (step > UINT32_MAX / 2)
			return false;
		*wrapped = true;
	}
	*number = (double)step;
	return true;
}

void collect_counter_facts(const struct collect *collect, const struct counter_reading *first,
	const struct counter_reading *last)
{
	double window_s = first ? (double)(last->before_ns - first->before_ns) / 1e9 : 0;

	for (size_t i = 0; i < last->count; i++) {
		const struct counter_value *to = &last->items[i], *from = find(first, i, to);
		struct fact *fact;
		double number;
		bool wrapped;

		add(collect, to, (double)to->value);
		if (!from)
			continue;
		if (!difference(from, to, &number, &wrapped)) {
			collect_number(collect, FACT_READING, to->subject, to->name, EAGAIN,
				to->source)
				->text = "reset within the window";
			continue;
		}
		fact = add(collect, to, number);
		fact->more = 1;
		fact->window_s = window_s;
		if (wrapped)
			fact->extra = "went round at 32 bits";
	}
}

void counter_reading_free(struct counter_reading *reading)
{
	free(reading->items);
	*reading = (struct counter_reading)COUNTER_READING_INIT;
}
