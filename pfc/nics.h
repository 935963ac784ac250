/*
 * nics - which ports of a host carry RoCE: RDMA device, port, interface, driver.
 *
 * Found in the host's files (lib/host.h): each RDMA device and port of
 * /sys/class/infiniband, with the interfaces of its GID table; then Ethernet
 * interfaces of physical devices that have none, with an empty rdma. The pairing goes by
 * the GID table because a bond has one RDMA device for two interfaces; the PCI device is
 * the fallback where the table is empty.
 */
#ifndef PFC_NICS_H
#define PFC_NICS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/host.h"

#define NICS_MAX 64u

struct diag;

struct nic {
	char rdma[HOST_NAME];   /* "mlx5_0"; "" for a plain interface */
	uint32_t port;          /* from 1; 0 without rdma */
	char netdev[HOST_NAME]; /* "ens1f0np0"; "" when none was found */
	char driver[HOST_NAME]; /* of the interface: "mlx5_core"; "" for software devices */
	char pci[HOST_NAME];    /* "0000:17:00.0"; "" for software devices */
};

struct nics {
	size_t count;
	struct nic items[NICS_MAX]; /* by rdma, port, netdev */
};

/* Returns 0, also when there is none; a negative errno when neither folder can be read. */
int nics_find(struct nics *nics, const struct host *host, struct diag *diag);

#endif
