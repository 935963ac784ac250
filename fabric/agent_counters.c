/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/agent_counters.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/driverstats.h"
#include "lib/grow.h"
#include "lib/netlink.h"
#include "lib/rdma_counters.h"
#include "lib/sysfs.h"
#include "lib/verbs.h"

#define WATCH_MS 100

static const struct host here = { NULL, NULL };

/* What one reading of a device finds. */
struct reading {
	struct hwcounter *items; /* owned */
	uint32_t count;
};

static void add(struct reading *reading, const char *name, uint64_t value)
{
	struct hwcounter *item = &reading->items[reading->count];

	if (reading->count == AGENT_COUNTERS_MAX || value > INT64_MAX) /* what JSON holds */
		return;
	snprintf(item->name, sizeof(item->name), "%.47s", name);
	item->value = value;
	reading->count++;
}

static bool has(const struct reading *reading, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(reading->items[i].name, name) == 0)
			return true;
	return false;
}

/* "rx12_packets", "ch3_poll", "tx_queue_0_xdp_xmit", "[0]: rx_ucast_packets": thousands. */
static bool is_of_queue(const char *name)
{
	static const char *const fronts[] = { "rx_queue_", "tx_queue_", "rx-", "tx-", "rx",
		"tx", "ch" };

	for (size_t i = 0; i < COUNT_OF(fronts); i++) {
		size_t length = strlen(fronts[i]);

		if (strncmp(name, fronts[i], length) == 0 &&
			isdigit((unsigned char)name[length]))
			return true;
	}
	return name[0] == '[';
}

/* A name that the RDMA device has as well is the RDMA device's. */
static void add_driver(struct reading *reading, const char *netdev)
{
	struct driverstats stats = DRIVERSTATS_INIT;
	uint32_t before = reading->count;
	struct diag ignored;
	int err = driverstats_open(&stats, &here, netdev, &ignored);

	if (!err)
		err = driverstats_read(&stats, &ignored);
	for (uint32_t i = 0; !err && i < stats.count; i++)
		if (stats.names[i][0] && !is_of_queue(stats.names[i]) &&
			!has(reading, before, stats.names[i]))
			add(reading, stats.names[i], stats.values[i]);
	driverstats_close(&stats);
}

/* Returns whether the RDMA device told of itself. */
static bool read_device(const struct verbs *verbs, struct reading *reading)
{
	struct netlink netlink;
	struct hwcounters counters;
	char netdev[HOST_NAME];
	uint64_t changes;
	struct diag ignored;
	bool told;

	netlink_init(&netlink, &here);
	told = !rdma_counters_of_port(
		&netlink, verbs->device, verbs->port, true, &counters, &ignored);
	netlink_close(&netlink);
	reading->items = zeroed(AGENT_COUNTERS_MAX, sizeof(*reading->items));
	reading->count = 0;
	for (uint32_t i = 0; told && i < counters.count; i++)
		add(reading, counters.items[i].name, counters.items[i].value);
	if (!sysfs_netdev(netdev, sizeof(netdev), verbs->device, verbs->port, verbs->gid_index))
		return told;
	if (sysfs_number(&changes, "/sys/class/net/%s/carrier_changes", netdev))
		add(reading, "carrier_changes", changes);
	add_driver(reading, netdev);
	return told;
}

static int by_name(const void *left, const void *right)
{
	const struct agent_counter *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static struct agent_counter *find(const struct agent_counters *counters, const char *name)
{
	struct agent_counter key;

	snprintf(key.name, sizeof(key.name), "%.47s", name);
	return counters->count ? bsearch(&key, counters->items, counters->count,
					 sizeof(*counters->items), by_name)
			       : NULL;
}

void agent_counters_first(
	struct agent_counters *counters, const struct verbs *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct agent_counters *of = &counters[i];
		struct reading reading;

		of->read = read_device(&devices[i], &reading);
		of->first_ns = clock_ns();
		of->items = zeroed(reading.count, sizeof(*of->items));
		of->count = reading.count;
		for (uint32_t k = 0; k < reading.count; k++) {
			struct agent_counter *item = &of->items[k];

			memcpy(item->name, reading.items[k].name, sizeof(item->name));
			item->first = item->last = reading.items[k].value;
		}
		if (of->count)
			qsort(of->items, of->count, sizeof(*of->items), by_name);
		free(reading.items);
	}
}

/* What was there at the first reading alone is taken out, with its samples: absent is not
 * unchanged. */
static void keep_seen(struct agent_counters *of, const bool *seen)
{
	uint32_t *place = zeroed(of->count, sizeof(*place)), kept = 0;

	for (uint32_t i = 0; i < of->count; i++) {
		place[i] = kept;
		of->items[kept] = of->items[i];
		kept += seen[i];
	}
	of->count = kept;
	kept = 0;
	for (uint32_t i = 0; i < of->sample_count; i++) {
		struct agent_sample sample = of->samples[i];

		if (!seen[sample.counter])
			continue;
		sample.counter = place[sample.counter];
		of->samples[kept++] = sample;
	}
	of->sample_count = kept;
	free(place);
}

void agent_counters_last(
	struct agent_counters *counters, const struct verbs *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct agent_counters *of = &counters[i];
		bool *seen = zeroed(of->count, sizeof(*seen));
		struct reading reading;

		of->read = read_device(&devices[i], &reading) && of->read;
		of->last_ns = clock_ns();
		for (uint32_t k = 0; k < reading.count; k++) {
			struct agent_counter *item = find(of, reading.items[k].name);

			if (!item)
				continue;
			item->last = reading.items[k].value;
			seen[item - of->items] = true;
		}
		keep_seen(of, seen);
		free(seen);
		free(reading.items);
	}
}

void agent_counters_free(struct agent_counters *counters, uint32_t count)
{
	for (uint32_t i = 0; counters && i < count; i++) {
		free(counters[i].items);
		free(counters[i].samples);
	}
	free(counters);
}

/* --- in between --- */

struct agent_watch {
	pthread_t thread;
	int stop;                        /* eventfd */
	struct agent_counters *counters; /* borrowed, both */
	const struct verbs *devices;
	uint32_t count;
	struct netlink netlink;
};

static bool is_worth_a_sample(const char *name)
{
	return hwcounters_is_loss(name) || hwcounters_is_not_ready(name) ||
	       strstr(name, "cnp") || strstr(name, "ecn");
}

static uint64_t value_before(const struct agent_counters *of, uint32_t counter)
{
	for (uint32_t i = of->sample_count; i-- > 0;)
		if (of->samples[i].counter == counter)
			return of->samples[i].value;
	return of->items[counter].first;
}

static void look(struct agent_watch *watch, uint32_t device)
{
	struct agent_counters *of = &watch->counters[device];
	struct hwcounters now;
	struct diag ignored;
	uint64_t at_ns;

	if (rdma_counters_of_port(&watch->netlink, watch->devices[device].device,
		    watch->devices[device].port, false, &now, &ignored))
		return;
	at_ns = clock_ns();
	for (uint32_t i = 0; i < now.count && of->sample_count < AGENT_SAMPLES_MAX; i++) {
		const struct agent_counter *item;
		uint32_t counter;

		if (!is_worth_a_sample(now.items[i].name) || now.items[i].value > INT64_MAX)
			continue;
		item = find(of, now.items[i].name);
		counter = item ? (uint32_t)(item - of->items) : 0;
		if (item && value_before(of, counter) != now.items[i].value)
			of->samples[of->sample_count++] = (struct agent_sample){
				.at_ns = at_ns,
				.value = now.items[i].value,
				.counter = counter,
			};
	}
}

static void *watch_devices(void *arg)
{
	struct agent_watch *watch = arg;
	struct pollfd stop = { .fd = watch->stop, .events = POLLIN };
	int got;

	do {
		got = poll(&stop, 1, WATCH_MS);
		for (uint32_t i = 0; got == 0 && i < watch->count; i++)
			look(watch, i);
	} while (got == 0 || (got < 0 && errno == EINTR));
	return NULL;
}

struct agent_watch *agent_watch_begin(
	struct agent_counters *counters, const struct verbs *devices, uint32_t count)
{
	struct agent_watch *watch = zeroed(1, sizeof(*watch));

	*watch = (struct agent_watch){
		.stop = eventfd(0, EFD_CLOEXEC),
		.counters = counters,
		.devices = devices,
		.count = count,
	};
	netlink_init(&watch->netlink, &here);
	for (uint32_t i = 0; i < count; i++)
		counters[i].samples = zeroed(AGENT_SAMPLES_MAX, sizeof(*counters[i].samples));
	if (watch->stop >= 0 && !pthread_create(&watch->thread, NULL, watch_devices, watch))
		return watch;
	if (watch->stop >= 0)
		close(watch->stop);
	netlink_close(&watch->netlink);
	free(watch);
	return NULL;
}

void agent_watch_end(struct agent_watch *watch)
{
	const uint64_t one = 1;

	if (!watch)
		return;
	while (write(watch->stop, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(watch->thread, NULL);
	close(watch->stop);
	netlink_close(&watch->netlink);
	free(watch);
}
