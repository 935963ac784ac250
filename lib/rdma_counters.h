/*
 * rdma_counters - the counters of an RDMA port by netlink: rdma statistic show link.
 *
 * They are the same as the files of hw_counters (lib/hwcounters.h), but the kernel reads
 * the hardware at each question, while the files are up to lifespan (10 ms) old. The
 * value of the port includes that of its queue pairs.
 */
#ifndef LIB_RDMA_COUNTERS_H
#define LIB_RDMA_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hwcounters.h"

struct diag;
struct netlink;

/* Parses an answer to RDMA_NLDEV_CMD_STAT_GET. Returns 0, the kernel's errno, or
 * -EBADMSG; -EOVERFLOW: more than HWCOUNTERS_MAX. Sorted by name as hwcounters_read() does. */
int rdma_counters_parse(struct hwcounters *counters, const uint8_t *bytes, size_t size);

/* index: what /sys/class/infiniband/DEV/../ does not tell but rdma_device_index() does. */
int rdma_counters_read(struct netlink *netlink, const char *device, uint32_t index,
	uint32_t port, struct hwcounters *counters, struct diag *diag);

/* By netlink, or where the kernel does not answer that, from the files. fresh: none of them is
 * older than the call, for which the files are waited for, 10 ms; for the ends of a measurement.
 * Returns 0, or the error of reading the files; then there are none in counters. */
int rdma_counters_of_port(struct netlink *netlink, const char *device, uint32_t port,
	bool fresh, struct hwcounters *counters, struct diag *diag);

/* The kernel's number of a device; it changes when the device is made anew. */
int rdma_device_index(
	struct netlink *netlink, const char *device, uint32_t *index, struct diag *diag);

#endif
