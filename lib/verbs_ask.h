/*
 * verbs_ask - the MTU of an RDMA port, which no file of the kernel tells.
 *
 * Opens the device, asks, and closes it again. Recorded in a host's root as
 * "verbs/DEVICE-PORT": the active MTU in bytes.
 */
#ifndef LIB_VERBS_ASK_H
#define LIB_VERBS_ASK_H

#include <stdint.h>

#include "lib/host.h"

struct diag;

/* -ENOENT: libibverbs knows no such device (its provider may be missing); -EACCES: not
 * allowed to open it; -ENODEV: it went away. */
int verbs_ask_mtu(const struct host *host, const char *device, uint32_t port,
	uint32_t *mtu_bytes, struct diag *diag);

#endif
