/*
 * hwcounters - all counters of an RDMA port at one time, and what changed between two.
 *
 * They are the files of a folder with one decimal number each, such as
 * /sys/class/infiniband/mlx5_0/ports/1/hw_counters; a recorded folder does as well. A
 * counter is of the port, not of a connection: what else uses it is counted too.
 */
#ifndef LIB_HWCOUNTERS_H
#define LIB_HWCOUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HWCOUNTERS_MAX 256u
#define HWCOUNTERS_NAME 48

struct diag;

struct hwcounters {
	uint32_t count;
	struct hwcounter {
		char name[HWCOUNTERS_NAME];
		uint64_t value;
	} items[HWCOUNTERS_MAX]; /* by name */
};

/* Reads all; files that hold no number are left out. Returns 0, or a negative errno when
 * there is no such folder, or it holds more than HWCOUNTERS_MAX: -EOVERFLOW. */
int hwcounters_read(struct hwcounters *counters, const char *folder, struct diag *diag);

/* Those that grew, by how much. One that went down was reset: it is not there, and
 * *reset is set, unless it is one of those of requests that mlx5 keeps in 32 bits. */
void hwcounters_between(const struct hwcounters *from, const struct hwcounters *to,
	struct hwcounters *grown, bool *reset);

/* Whether both tell of losses: there is a counter of them, and none of those has gone or went
 * down. Otherwise what grew says nothing about losses. */
bool hwcounters_tell_loss(const struct hwcounters *from, const struct hwcounters *to);

/* Whether a counter of this name, by any of the drivers known here, says that a packet
 * was lost, came out of order, or was sent again. */
bool hwcounters_is_loss(const char *name);

/* Whether it says that a receiver was not ready (RNR): what was sent meanwhile is out of
 * sequence too, and no network is to blame for it. */
bool hwcounters_is_not_ready(const char *name);

#endif
