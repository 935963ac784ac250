/*
 * driverstats - the statistics that a driver names itself: ethtool -S.
 *
 * Names and values come by ioctl, for netlink has no form for them. The set of names can
 * change between two readings (mlx5 adds rows when PFC goes on): then the names are read
 * anew and generation goes up; a place in the arrays means the same counter only within
 * one generation. A reading has the time before and after it.
 *
 * Recorded in a root: "ethtool/DEV.strings" (32 bytes a name) and "ethtool/DEV.values"
 * (uint64_t of the machine).
 */
#ifndef LIB_DRIVERSTATS_H
#define LIB_DRIVERSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/host.h"

#define DRIVERSTATS_MAX 16384u
#define DRIVERSTATS_NAME 33

struct diag;

struct driverstats {
	struct host host;
	char netdev[HOST_NAME];
	int fd; /* -1: closed, or recorded */
	uint32_t count, room;
	char (*names)[DRIVERSTATS_NAME]; /* owned; as the driver spells them */
	uint64_t *values;                /* owned */
	void *buffer;                    /* owned; what the ioctl fills */
	uint8_t *names_recorded;         /* owned; as a recorded root has them */
	uint32_t generation;             /* 1 from the first reading on */
	uint64_t before_ns, after_ns;    /* CLOCK_MONOTONIC, around the values */
};

#define DRIVERSTATS_INIT                                                                       \
	{                                                                                      \
		{ NULL, NULL }, "", -1, 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0                  \
	}

/* Opens a socket; reads nothing yet. host is copied; its strings are borrowed. */
int driverstats_open(struct driverstats *stats, const struct host *host, const char *netdev,
	struct diag *diag);
/* One reading: names when they are new, and all values. Returns 0, -EOPNOTSUPP when the
 * driver has none, -ENODEV when the interface is gone, or another negative errno. */
int driverstats_read(struct driverstats *stats, struct diag *diag);
void driverstats_close(struct driverstats *stats); /* safe twice */

/* Where a name stands in this generation; count when it is not there. */
uint32_t driverstats_find(const struct driverstats *stats, const char *name);

#endif
