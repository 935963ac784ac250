/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/driverstats.h"

#include <assert.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"

/* Between the question how many and the answer the driver may add some. */
#define TRIES 4

int driverstats_open(struct driverstats *stats, const struct host *host, const char *netdev,
	struct diag *diag)
{
	*stats = (struct driverstats)DRIVERSTATS_INIT;
	stats->host = *host;
	snprintf(stats->netdev, sizeof(stats->netdev), "%.63s", netdev);
	if (host->root)
		return 0;
	stats->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (stats->fd < 0)
		return diag_system(
			diag, -errno, "%.63s: no socket for driver statistics", netdev);
	return 0;
}

void driverstats_close(struct driverstats *stats)
{
	if (stats->fd >= 0)
		close(stats->fd);
	free(stats->names);
	free(stats->values);
	free(stats->buffer);
	free(stats->names_recorded);
	*stats = (struct driverstats)DRIVERSTATS_INIT;
}

static int call(const struct driverstats *stats, void *command)
{
	struct ifreq request = { .ifr_data = command };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%.15s", stats->netdev);
	return ioctl(stats->fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
}

static int ask_count(const struct driverstats *stats, uint32_t *count)
{
	union {
		struct ethtool_sset_info info;
		uint32_t words[sizeof(struct ethtool_sset_info) / 4 + 1];
	} ask = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << ETH_SS_STATS } };
	int err = call(stats, &ask);

	if (err)
		return err;
	if (!ask.info.sset_mask || ask.info.data[0] == 0)
		return -EOPNOTSUPP;
	*count = ask.info.data[0];
	return *count > DRIVERSTATS_MAX ? -E2BIG : 0;
}

static void make_room(struct driverstats *stats, uint32_t count)
{
	if (count <= stats->room)
		return;
	free(stats->names);
	free(stats->values);
	free(stats->buffer);
	stats->room = count;
	stats->names = zeroed(count, sizeof(stats->names[0]));
	stats->values = zeroed(count, sizeof(stats->values[0]));
	/* The kernel fills in as many values as the driver has by now, whatever was asked
	 * for: there is room for the most that we take, and as much again. */
	stats->buffer = zeroed(2 * (size_t)DRIVERSTATS_MAX + 2, ETH_GSTRING_LEN);
}

static void take_names(struct driverstats *stats, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < stats->count; i++) {
		memcpy(stats->names[i], bytes + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		stats->names[i][ETH_GSTRING_LEN] = '\0';
	}
	stats->generation++;
}

static void recorded_name(
	const struct driverstats *stats, const char *suffix, char *name, size_t room)
{
	snprintf(name, room, "ethtool/%.63s.%s", stats->netdev, suffix);
}

static void record(
	const struct driverstats *stats, const char *suffix, const void *bytes, size_t size)
{
	char name[2 * HOST_NAME];

	recorded_name(stats, suffix, name, sizeof(name));
	host_record(&stats->host, name, bytes, size);
}

static int read_names(struct driverstats *stats, uint32_t count)
{
	struct ethtool_gstrings *ask;
	int err;

	make_room(stats, count);
	ask = stats->buffer;
	*ask = (struct ethtool_gstrings){
		.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count
	};
	err = call(stats, ask);
	if (err)
		return err;
	if (ask->len != count)
		return -ESTALE;
	stats->count = count;
	take_names(stats, ask->data);
	record(stats, "strings", ask->data, (size_t)count * ETH_GSTRING_LEN);
	return 0;
}

static int read_values(struct driverstats *stats)
{
	struct values_header {
		uint32_t cmd, n_stats;
		uint64_t data[];
	} *ask = stats->buffer;
	int err;

	ask->cmd = ETHTOOL_GSTATS;
	ask->n_stats = stats->count;
	stats->before_ns = clock_ns();
	err = call(stats, ask);
	stats->after_ns = clock_ns();
	if (err)
		return err;
	if (ask->n_stats != stats->count)
		return -ESTALE;
	memcpy(stats->values, ask->data, stats->count * sizeof(stats->values[0]));
	record(stats, "values", stats->values, stats->count * sizeof(stats->values[0]));
	return 0;
}

/* The values alone say how many there are: where that is as before, the names are too. */
static int read_live(struct driverstats *stats)
{
	int err = stats->count ? read_values(stats) : -ESTALE;

	for (int i = 0; i < TRIES && err == -ESTALE; i++) {
		uint32_t count;

		err = ask_count(stats, &count);
		if (!err && (stats->generation == 0 || count != stats->count))
			err = read_names(stats, count);
		if (!err)
			err = read_values(stats);
		if (err == -ESTALE)
			stats->count = 0; /* names anew */
	}
	return err;
}

/* The same arrays from a recorded root. */
static int read_recorded(struct driverstats *stats)
{
	char name[2 * HOST_NAME];
	uint8_t *bytes = stats->names_recorded;
	int got, count;

	if (!bytes)
		bytes = stats->names_recorded = zeroed(DRIVERSTATS_MAX, ETH_GSTRING_LEN);
	recorded_name(stats, "strings", name, sizeof(name));
	got = host_recorded(
		&stats->host, name, bytes, (size_t)DRIVERSTATS_MAX * ETH_GSTRING_LEN);
	count = got < 0 ? 0 : got / ETH_GSTRING_LEN;
	if (count > 0) {
		make_room(stats, (uint32_t)count);
		stats->count = (uint32_t)count;
		take_names(stats, bytes);
		recorded_name(stats, "values", name, sizeof(name));
		got = host_recorded(&stats->host, name, stats->values,
			(size_t)count * sizeof(stats->values[0]));
		stats->before_ns = stats->after_ns = clock_ns();
		if (got >= 0 && got != count * (int)sizeof(stats->values[0]))
			got = -EBADMSG;
	} else if (got >= 0) {
		got = -EOPNOTSUPP;
	}
	return got < 0 ? got : 0;
}

int driverstats_read(struct driverstats *stats, struct diag *diag)
{
	int err = stats->host.root ? read_recorded(stats) : read_live(stats);
	char name[2 * HOST_NAME];

	if (!err)
		return 0;
	recorded_name(stats, "strings", name, sizeof(name));
	host_record_error(&stats->host, name, err);
	return diag_system(diag, err, "%s: driver statistics", stats->netdev);
}

uint32_t driverstats_find(const struct driverstats *stats, const char *name)
{
	for (uint32_t i = 0; i < stats->count; i++)
		if (strcmp(stats->names[i], name) == 0)
			return i;
	return stats->count;
}
