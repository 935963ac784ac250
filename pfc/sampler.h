/*
 * sampler - reads the counters of one NIC again and again, into a gauge.
 *
 * What is read each time: ethtool -S by one ioctl where a counter of it is wanted, and a
 * pread() of each file, all kept open. What is asked once an interval, over netlink: which
 * priorities have PFC, FEC and 802.3x statistics.
 *
 * A source that cannot be read is said to be so (errs) and the others go on. A NIC that
 * goes away makes gone true; sampler_again() finds it when it has come back, and the
 * readings begin anew: what happened in between nobody knows.
 */
#ifndef PFC_SAMPLER_H
#define PFC_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/counterfile.h"
#include "lib/driverstats.h"
#include "lib/host.h"
#include "pfc/gauge.h"
#include "pfc/nics.h"

struct diag;
struct netlink;

struct sampler_file {
	struct counterfile file;
	size_t counter; /* its place in the gauge */
};

struct sampler {
	struct host host;
	struct nic nic;
	char driver[HOST_NAME];    /* as ethtool -i calls it; "" */
	const char *const *wanted; /* borrowed; names, or NULL: all that mean something */
	size_t wanted_count;
	struct gauge gauge;
	struct driverstats stats;
	uint32_t generation; /* of stats, that places are of */
	size_t *places;      /* owned; in the gauge, by place in stats; SIZE_MAX: not wanted */
	struct sampler_file *files; /* owned; those of a source together, in their order */
	size_t file_count, file_room;
	struct counterfile alive; /* the interface's number: of this one, not of its name */
	uint64_t alive_ns;        /* when it was read last */
	int errs[GAUGE_SOURCES];  /* 0, or why not all is known of a source; -ENOENT: absent */
	int open_errs[GAUGE_SOURCES];
	bool gone;
	int dcb_err; /* why lossless is not known */
	bool lossless_known;
	uint8_t lossless; /* bit N: priority N has PFC */
};

#define SAMPLER_INIT                                                                           \
	{                                                                                      \
		.gauge = GAUGE_INIT, .stats = DRIVERSTATS_INIT, .alive = COUNTERFILE_INIT      \
	}

/* Opens what there is of the NIC; reads nothing yet. host and wanted are borrowed. Never
 * fails: what cannot be opened stands in errs. */
void sampler_open(struct sampler *sampler, const struct host *host, const struct nic *nic,
	const char *const *wanted, size_t wanted_count);

/* One reading of all sources; gauge_take() comes after it. Returns false when the set of
 * counters has changed: those that stayed go on. */
bool sampler_read(struct sampler *sampler);

/* What is asked once an interval. fixed: the lossless priorities are given, not asked. */
void sampler_ask(struct sampler *sampler, struct netlink *netlink, bool fixed);

/* Looks for a NIC that is gone; true when it is back. */
bool sampler_again(struct sampler *sampler);

/* How the NIC is called: its interface, or its RDMA device where it has none. */
const char *sampler_name(const struct sampler *sampler);

void sampler_close(struct sampler *sampler); /* safe twice */

#endif
