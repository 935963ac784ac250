/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/sampler.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/ethtool.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/sampler_line.h"

#define NONE SIZE_MAX
#define ALIVE_NS (90 * NS_PER_MS) /* at 10 Hz: each time */

const char *sampler_name(const struct sampler *sampler)
{
	return sampler->nic.netdev[0] ? sampler->nic.netdev : sampler->nic.rdma;
}

/* By name, or everything that means something. */
static bool is_wanted(
	const struct sampler *sampler, const char *name, const struct counter_row *row)
{
	if (!sampler->wanted)
		return row && row->means != MEANS_NOTHING;
	for (size_t i = 0; i < sampler->wanted_count; i++)
		if (strcmp(sampler->wanted[i], name) == 0)
			return true;
	return false;
}

/* --- files --- */

/* What is absent is less worth saying than what is denied. */
static void note(struct sampler *sampler, enum gauge_source source, int err)
{
	if (!sampler->open_errs[source] || sampler->open_errs[source] == -ENOENT)
		sampler->open_errs[source] = err;
}

static void add_file(struct sampler *sampler, const char *folder, const char *name,
	enum gauge_source source, const struct counter_row *row, int priority)
{
	struct counterfile file = COUNTERFILE_INIT;
	char path[PATH_MAX];
	struct diag diag;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err = counterfile_open(&file, &sampler->host, path, &diag);
	if (err) {
		note(sampler, source, err);
		return;
	}
	sampler->files = grow(sampler->files, sampler->file_count, &sampler->file_room,
		sizeof(*sampler->files));
	sampler->files[sampler->file_count++] =
		(struct sampler_file){ file, sampler->gauge.count };
	gauge_add(&sampler->gauge, name, source, row, priority);
}

/* Those of a folder; where the driver's own statistics have the meaning, a file that
 * the kernel would ask the firmware for is left out. */
static void add_folder(
	struct sampler *sampler, const char *folder, char where, enum gauge_source source)
{
	char(*names)[HOST_NAME];
	int count = host_list(&sampler->host, folder, &names);

	if (count < 0) {
		note(sampler, source, count);
		return;
	}
	for (int i = 0; i < count; i++) {
		int priority = GAUGE_NO_PRIORITY;
		const struct counter_row *row =
			counter_find_of(names[i], where, NULL, &priority);

		if (strcmp(names[i], "lifespan") == 0 || strlen(names[i]) >= GAUGE_NAME ||
			!is_wanted(sampler, names[i], row))
			continue;
		if (where == 'C' && row && !sampler->wanted &&
			gauge_has(&sampler->gauge, row->means, priority))
			continue;
		add_file(sampler, folder, names[i], source, row, priority);
	}
	free(names);
}

/* Bytes of the interface are those of RDMA as well only where the kernel moves them. */
static void add_netdev(struct sampler *sampler)
{
	static const char *const links[] = { "carrier_changes", "carrier_down_count" };
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "/sys/class/net/%s", sampler->nic.netdev);
	for (size_t i = 0; i < COUNT_OF(links); i++) {
		int priority = GAUGE_NO_PRIORITY;
		const struct counter_row *row = counter_find_of(links[i], 'N', NULL, &priority);

		if (is_wanted(sampler, links[i], row))
			add_file(sampler, folder, links[i], GAUGE_NETDEV, row, priority);
	}
	if (counter_knows(sampler->driver) || sampler->nic.pci[0])
		return;
	snprintf(folder, sizeof(folder), "/sys/class/net/%s/statistics", sampler->nic.netdev);
	add_folder(sampler, folder, 'N', GAUGE_NETDEV);
}

static void add_files(struct sampler *sampler)
{
	char folder[PATH_MAX];
	struct diag diag;

	if (sampler->nic.rdma[0]) {
		snprintf(folder, sizeof(folder),
			"/sys/class/infiniband/%s/ports/%u/hw_counters", sampler->nic.rdma,
			sampler->nic.port);
		add_folder(sampler, folder, 'H', GAUGE_PORT);
		snprintf(folder, sizeof(folder), "/sys/class/infiniband/%s/ports/%u/counters",
			sampler->nic.rdma, sampler->nic.port);
		add_folder(sampler, folder, 'C', GAUGE_PORT);
	} else {
		note(sampler, GAUGE_PORT, -ENOENT);
	}
	if (!sampler->nic.netdev[0])
		return;
	snprintf(folder, sizeof(folder), "/sys/class/net/%s/ifindex", sampler->nic.netdev);
	counterfile_open(&sampler->alive, &sampler->host, folder, &diag);
	add_netdev(sampler);
}

/* --- the driver's statistics --- */

static void add_stats(struct sampler *sampler)
{
	const struct driverstats *stats = &sampler->stats;

	free(sampler->places);
	sampler->places = zeroed(stats->count, sizeof(*sampler->places));
	sampler->generation = stats->generation;
	for (uint32_t i = 0; i < stats->count; i++) {
		int priority = GAUGE_NO_PRIORITY;
		const struct counter_row *row =
			counter_find_of(stats->names[i], 'S', sampler->driver, &priority);

		sampler->places[i] = NONE;
		if (!is_wanted(sampler, stats->names[i], row))
			continue;
		sampler->places[i] = sampler->gauge.count;
		gauge_add(&sampler->gauge, stats->names[i], GAUGE_DRIVER, row, priority);
	}
}

static void close_files(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->file_count; i++)
		counterfile_close(&sampler->files[i].file);
	sampler->file_count = 0;
	counterfile_close(&sampler->alive);
}

/* All counters anew, keeping what is known of those that stay. */
static void build(struct sampler *sampler)
{
	struct gauge before = sampler->gauge;

	sampler->gauge = (struct gauge)GAUGE_INIT;
	gauge_index(&sampler->gauge);
	close_files(sampler);
	add_stats(sampler);
	for (size_t i = 0; i < sampler->gauge.count; i++)
		sampler->gauge.counters[i].there = true;
	gauge_index(&sampler->gauge);
	memset(sampler->open_errs, 0, sizeof(sampler->open_errs));
	add_files(sampler);
	sampler_add_line(sampler);
	gauge_index(&sampler->gauge);
	gauge_keep(&sampler->gauge, &before);
	gauge_free(&before);
}

/* --- reading --- */

static bool is_gone(int err)
{
	return err == -ENODEV || err == -ENXIO;
}

static void read_stats(struct sampler *sampler, bool *changed)
{
	struct gauge_reading *reading = &sampler->gauge.sources[GAUGE_DRIVER];
	struct diag diag;
	int err;

	err = driverstats_read(&sampler->stats, &diag);
	if (!err && sampler->stats.generation != sampler->generation) {
		build(sampler);
		*changed = true;
		reading = &sampler->gauge.sources[GAUGE_DRIVER];
	}
	sampler->errs[GAUGE_DRIVER] = err;
	sampler->gone = sampler->gone || is_gone(err);
	reading->asked = true;
	reading->there = !err;
	reading->before_ns = sampler->stats.before_ns;
	reading->after_ns = sampler->stats.after_ns;
	for (uint32_t i = 0; sampler->places && i < sampler->stats.count; i++) {
		struct gauge_counter *counter;

		if (sampler->places[i] == NONE)
			continue;
		counter = &sampler->gauge.counters[sampler->places[i]];
		counter->there = !err;
		counter->value = sampler->stats.values[i];
	}
}

/* The driver is asked by the interface's name: then, whether it still is this one comes
 * before each reading, unless a file of it is read anyway. Else now and then. */
static bool is_alive_due(const struct sampler *sampler, uint64_t now_ns)
{
	bool by_name = false;

	for (size_t i = 0; i < sampler->file_count; i++)
		if (sampler->gauge.counters[sampler->files[i].counter].source == GAUGE_NETDEV)
			return now_ns - sampler->alive_ns >= ALIVE_NS;
	for (size_t i = 0; i < sampler->gauge.count && !by_name; i++)
		by_name = sampler->gauge.counters[i].source == GAUGE_DRIVER;
	return by_name || now_ns - sampler->alive_ns >= ALIVE_NS;
}

static void check_alive(struct sampler *sampler)
{
	uint64_t ifindex, now_ns = clock_ns();

	if (!is_alive_due(sampler, now_ns))
		return;
	sampler->alive_ns = now_ns;
	if (sampler->alive.fd >= 0 && is_gone(counterfile_read(&sampler->alive, &ifindex)))
		sampler->gone = true;
}

/* The files of one source; *at is the first of it, and after it the first of the next. */
static void read_files(struct sampler *sampler, enum gauge_source source, size_t *at)
{
	struct gauge_reading *reading = &sampler->gauge.sources[source];
	int worst = 0;

	reading->asked = true;
	reading->there = false;
	reading->before_ns = clock_ns();
	for (; *at < sampler->file_count; (*at)++) {
		struct sampler_file *file = &sampler->files[*at];
		struct gauge_counter *counter = &sampler->gauge.counters[file->counter];
		int err;

		if (counter->source != source)
			break;
		err = counterfile_read(&file->file, &counter->value);
		counter->there = !err;
		reading->there = reading->there || !err;
		sampler->gone = sampler->gone || is_gone(err);
		worst = err && err != -ENODATA ? err : worst;
	}
	reading->after_ns = clock_ns();
	sampler->errs[source] = worst ? worst : sampler->open_errs[source];
	if (reading->there && sampler->errs[source] == -ENOENT)
		sampler->errs[source] = 0;
}

/* Without a counter of it among the wanted ones, the driver is asked but once. */
static bool wants_stats(const struct sampler *sampler)
{
	if (!sampler->nic.netdev[0])
		return false;
	if (!sampler->wanted || !sampler->generation)
		return true;
	for (size_t i = 0; i < sampler->gauge.count; i++)
		if (sampler->gauge.counters[i].source == GAUGE_DRIVER)
			return true;
	return false;
}

bool sampler_read(struct sampler *sampler)
{
	bool changed = false;
	size_t at = 0;

	sampler->gauge.sources[GAUGE_LINE].asked = false;
	sampler->gauge.sources[GAUGE_DRIVER].asked = false;
	/* Files first: they are of this NIC, and fail when another has taken its name. */
	check_alive(sampler);
	read_files(sampler, GAUGE_PORT, &at);
	read_files(sampler, GAUGE_NETDEV, &at);
	if (!sampler->gone && wants_stats(sampler))
		read_stats(sampler, &changed);
	return !changed;
}

/* --- opening --- */

void sampler_open(struct sampler *sampler, const struct host *host, const struct nic *nic,
	const char *const *wanted, size_t wanted_count)
{
	struct ethtool_driver driver;
	struct diag diag;
	int err = -ENOENT;

	*sampler = (struct sampler)SAMPLER_INIT;
	sampler->host = *host;
	sampler->nic = *nic;
	sampler->wanted = wanted;
	sampler->wanted_count = wanted_count;
	snprintf(sampler->driver, sizeof(sampler->driver), "%s", nic->driver);
	if (nic->netdev[0])
		err = driverstats_open(&sampler->stats, host, nic->netdev, &diag);
	sampler->errs[GAUGE_DRIVER] = err;
	if (!err && !ethtool_driver_read(host, nic->netdev, &driver, &diag))
		snprintf(sampler->driver, sizeof(sampler->driver), "%s", driver.driver);
	build(sampler);
}

bool sampler_again(struct sampler *sampler)
{
	struct nics nics;
	struct diag diag;

	if (nics_find(&nics, &sampler->host, &diag))
		return false;
	for (size_t i = 0; i < nics.count; i++) {
		const struct nic *nic = &nics.items[i];
		bool same = sampler->nic.netdev[0]
				    ? strcmp(nic->netdev, sampler->nic.netdev) == 0
				    : strcmp(nic->rdma, sampler->nic.rdma) == 0;

		if (!same || nic->port != sampler->nic.port)
			continue;
		sampler->nic = *nic;
		sampler->gone = false;
		sampler->generation = 0;
		sampler->stats.generation = 0;
		gauge_rebase(&sampler->gauge);
		build(sampler);
		return true;
	}
	return false;
}

void sampler_close(struct sampler *sampler)
{
	close_files(sampler);
	free(sampler->files);
	free(sampler->places);
	sampler->files = NULL;
	sampler->places = NULL;
	sampler->file_room = 0;
	driverstats_close(&sampler->stats);
	gauge_free(&sampler->gauge);
}
