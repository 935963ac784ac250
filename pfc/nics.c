/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/nics.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"

#define RDMA_FOLDER "/sys/class/infiniband"
#define NET_FOLDER "/sys/class/net"

static struct nic *add(struct nics *nics, const char *rdma, uint32_t port, const char *netdev)
{
	struct nic *nic;

	if (nics->count == NICS_MAX)
		return NULL;
	nic = &nics->items[nics->count++];
	*nic = (struct nic){ .port = port };
	snprintf(nic->rdma, sizeof(nic->rdma), "%.63s", rdma);
	snprintf(nic->netdev, sizeof(nic->netdev), "%.63s", netdev);
	return nic;
}

static void add_device(struct nic *nic, const struct host *host, const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/device", folder);
	if (host_link(host, path, nic->pci, sizeof(nic->pci)) || !strchr(nic->pci, '.'))
		nic->pci[0] = '\0'; /* virtio and others hang below a PCI device */
	snprintf(path, sizeof(path), "%s/device/driver", folder);
	if (host_link(host, path, nic->driver, sizeof(nic->driver)))
		nic->driver[0] = '\0';
}

static bool has_netdev(const struct nics *nics, size_t first, const char *netdev)
{
	for (size_t i = first; i < nics->count; i++)
		if (strcmp(nics->items[i].netdev, netdev) == 0)
			return true;
	return false;
}

/* The interfaces that own entries of the GID table; a VLAN or bond is one as well. */
static void add_port(
	struct nics *nics, const struct host *host, const char *device, const char *port)
{
	uint32_t number = (uint32_t)strtoul(port, NULL, 10);
	size_t first = nics->count;
	char path[PATH_MAX], netdev[HOST_NAME], folder[PATH_MAX], (*slots)[HOST_NAME];
	int count;

	snprintf(folder, sizeof(folder), RDMA_FOLDER "/%s/ports/%s/gid_attrs/ndevs", device,
		port);
	count = host_list(host, folder, &slots);
	for (int i = 0; i < count; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, slots[i]) >=
				(int)sizeof(path) ||
			host_read(host, path, netdev, sizeof(netdev)) <= 0 ||
			has_netdev(nics, first, netdev))
			continue;
		add(nics, device, number, netdev);
	}
	if (count >= 0)
		free(slots);
	if (nics->count > first)
		return;
	snprintf(path, sizeof(path), RDMA_FOLDER "/%s/device/net", device);
	count = host_list(host, path, &slots);
	add(nics, device, number, count > 0 ? slots[0] : "");
	if (count >= 0)
		free(slots);
}

static int add_rdma(struct nics *nics, const struct host *host)
{
	char(*devices)[HOST_NAME], (*ports)[HOST_NAME], path[PATH_MAX];
	int count = host_list(host, RDMA_FOLDER, &devices);

	for (int i = 0; i < count; i++) {
		size_t first = nics->count;
		int port_count;

		snprintf(path, sizeof(path), RDMA_FOLDER "/%s/ports", devices[i]);
		port_count = host_list(host, path, &ports);
		for (int j = 0; j < port_count; j++)
			add_port(nics, host, devices[i], ports[j]);
		if (port_count >= 0)
			free(ports);
		snprintf(path, sizeof(path), RDMA_FOLDER "/%s", devices[i]);
		for (size_t j = first; j < nics->count; j++)
			add_device(&nics->items[j], host, path);
	}
	if (count >= 0)
		free(devices);
	return count;
}

static int add_plain(struct nics *nics, const struct host *host)
{
	char(*names)[HOST_NAME], path[PATH_MAX];
	int count = host_list(host, NET_FOLDER, &names);

	for (int i = 0; i < count; i++) {
		struct nic *nic;

		if (has_netdev(nics, 0, names[i]))
			continue;
		nic = add(nics, "", 0, names[i]);
		if (!nic)
			break;
		snprintf(path, sizeof(path), NET_FOLDER "/%s", names[i]);
		add_device(nic, host, path);
		if (!nic->driver[0])
			nics->count--; /* no physical device */
	}
	if (count >= 0)
		free(names);
	return count;
}

int nics_find(struct nics *nics, const struct host *host, struct diag *diag)
{
	int rdma, plain;

	nics->count = 0;
	rdma = add_rdma(nics, host);
	plain = add_plain(nics, host);
	if (rdma < 0 && plain < 0)
		return diag_system(diag, plain, "%s" NET_FOLDER, host->root ? host->root : "");
	return 0;
}
