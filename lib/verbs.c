/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/verbs.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/host.h"
#include "lib/numa.h"
#include "lib/sysfs.h"
#include "lib/units.h"

#define READS_MAX 16

/* --- devices --- */

static int no_device(struct diag *diag)
{
	return diag_error(diag, -ENODEV,
		"this host has no RDMA device: load the NIC's driver, or for a first try make "
		"a Soft-RoCE one (rdma link add rxe0 type rxe netdev eth0)");
}

static void list_names(struct ibv_device **devices, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; devices[i] && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
			ibv_get_device_name(devices[i]));
}

static int cannot_open(struct ibv_device *device, int err, struct diag *diag)
{
	char path[VERBS_NAME + 24];

	snprintf(path, sizeof(path), "/dev/infiniband/%.60s", device->dev_name);
	if (access(path, R_OK | W_OK) && (errno == EACCES || errno == EPERM))
		return diag_error(diag, -EACCES,
			"%s: not allowed to open %s: run as root, or give this user the right "
			"to read and write it",
			ibv_get_device_name(device), path);
	return diag_system(
		diag, err, "%s: cannot open the device", ibv_get_device_name(device));
}

/* --- ports --- */

static uint64_t lanes(uint8_t width)
{
	switch (width) {
	case 1:
		return 1;
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	default:
		return 0;
	}
}

/* A lane, as the field's name means it on Ethernet: SDR 2.5, DDR 5, QDR 10, FDR10 10, FDR
 * 14 (for 56 Gb/s), EDR 25, HDR 50, NDR 100, XDR 200. */
static uint64_t lane_bps(uint32_t speed)
{
	switch (speed) {
	case 1:
		return 5 * GBPS / 2;
	case 2:
		return 5 * GBPS;
	case 4:
	case 8:
		return 10 * GBPS;
	case 16:
		return 14 * GBPS;
	case 32:
		return 25 * GBPS;
	case 64:
		return 50 * GBPS;
	case 128:
		return 100 * GBPS;
	case 256:
		return 200 * GBPS;
	default:
		return 0;
	}
}

/* The older field ends at NDR. */
static uint32_t lane_speed(const struct ibv_port_attr *port)
{
#ifdef HAVE_ACTIVE_SPEED_EX
	if (port->active_speed_ex)
		return port->active_speed_ex;
#endif
	return port->active_speed;
}

static int check_port(struct verbs *verbs, const char *name, struct diag *diag)
{
	struct ibv_port_attr port;
	int err = ibv_query_port(verbs->context, (uint8_t)verbs->port, &port);

	if (err)
		return diag_system(diag, -err, "%s: no such port", name);
	if (port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return diag_error(diag, -EMEDIUMTYPE,
			"%s is InfiniBand: weft drives RoCE, on Ethernet ports", name);
	if (port.state != IBV_PORT_ACTIVE)
		return diag_error(diag, -ENETDOWN,
			"%s is down: bring its NIC up (ip link set NIC up) and look at the "
			"cable",
			name);
	verbs->mtu_bytes = 128u << port.active_mtu;
	verbs->speed_bps = lanes(port.active_width) * lane_bps(lane_speed(&port));
	return 0;
}

int verbs_is_up(const struct verbs *verbs)
{
	struct ibv_port_attr port;
	int err = ibv_query_port(verbs->context, (uint8_t)verbs->port, &port);

	if (err)
		return err > 0 ? -err : -EIO;
	return port.state == IBV_PORT_ACTIVE;
}

/* Entries of all ports of the device. The table is refused where it does not fit whole. */
static size_t count_gids(const struct verbs *verbs, uint32_t ports)
{
	size_t count = 0;

	for (uint32_t i = 1; i <= ports; i++) {
		struct ibv_port_attr port;

		if (!ibv_query_port(verbs->context, (uint8_t)i, &port) && port.gid_tbl_len > 0)
			count += (size_t)port.gid_tbl_len;
	}
	return count;
}

/* Into entries, which are the caller's. */
static int read_gids(const struct verbs *verbs, const char *name, uint32_t ports,
	struct gid_entry **entries, struct diag *diag)
{
	size_t most = count_gids(verbs, ports);
	struct ibv_gid_entry *all = zeroed(most, sizeof(*all));
	ssize_t count = ibv_query_gid_table(verbs->context, all, most, 0);
	int kept = 0;

	*entries = zeroed(count > 0 ? (size_t)count : 0, sizeof(**entries));
	for (ssize_t i = 0; i < count; i++) {
		struct gid_entry *entry = &(*entries)[kept];

		if (all[i].port_num != verbs->port)
			continue;
		entry->index = all[i].gid_index;
		entry->type = all[i].gid_type == IBV_GID_TYPE_ROCE_V2   ? GID_ROCE_V2
			      : all[i].gid_type == IBV_GID_TYPE_ROCE_V1 ? GID_ROCE_V1
									: GID_IB;
		memcpy(entry->bytes, all[i].gid.raw, GID_BYTES);
		kept++;
	}
	free(all);
	if (count < 0)
		return diag_system(diag, (int)count, "%s: cannot read the GID table", name);
	return kept;
}

static int take_gid(struct verbs *verbs, const char *name, const struct gid_entry *entry,
	const struct gid_wish *wish, struct diag *diag)
{
	char text[GID_TEXT];

	gid_print(entry->bytes, text);
	if (entry->index > UINT8_MAX)
		return diag_error(diag, -ENOENT,
			"%s: GID %s has index %u, and a QP can use 0..255: take addresses away "
			"from "
			"its NIC",
			name, text, entry->index);
	verbs->gid_index = entry->index;
	verbs->gid_rule = gid_rule(entry->bytes, wish);
	memcpy(verbs->gid, entry->bytes, GID_BYTES);
	return 0;
}

static int choose_gid(struct verbs *verbs, const char *name, uint32_t ports,
	const struct gid_wish *wish, struct diag *diag)
{
	struct gid_entry *entries;
	int count = read_gids(verbs, name, ports, &entries, diag), chosen = count;

	if (count >= 0)
		chosen = gid_choose(entries, (size_t)count, wish, name, diag);
	if (chosen >= 0)
		chosen = take_gid(verbs, name, &entries[chosen], wish, diag);
	free(entries);
	return chosen;
}

/* The netdev tells of modes that a port's field has no name for, and of all legs of a bond. */
static void ask_netdev(struct verbs *verbs)
{
	char netdev[VERBS_NAME];
	uint64_t mbps;

	if (sysfs_netdev(
		    netdev, sizeof(netdev), verbs->device, verbs->port, verbs->gid_index) &&
		sysfs_number(&mbps, "/sys/class/net/%s/speed", netdev) && mbps &&
		mbps <= UINT32_MAX)
		verbs->speed_bps = mbps * (GBPS / 1000);
}

/* --- opening --- */

/* A NIC refuses a QP of more READs than it can have, also one that does no READ. */
static uint8_t reads(int most)
{
	return (uint8_t)(most < 0 ? 0 : most < READS_MAX ? most : READS_MAX);
}

static int open_one(struct verbs *verbs, struct ibv_device *device,
	const struct verbs_choice *choice, struct diag *diag)
{
	struct ibv_device_attr attr;
	char name[VERBS_NAME + 16];
	int err;

	snprintf(verbs->device, sizeof(verbs->device), "%s", ibv_get_device_name(device));
	verbs->port = choice->port ? choice->port : 1;
	verbs->near = choice->near;
	snprintf(name, sizeof(name), "%s port %u", verbs->device, verbs->port);
	errno = 0;
	verbs->context = ibv_open_device(device);
	if (!verbs->context)
		return cannot_open(device, errno ? -errno : -EIO, diag);
	err = ibv_query_device(verbs->context, &attr);
	if (err)
		return diag_system(diag, -err, "%s: cannot be queried", verbs->device);
	if (verbs->port > attr.phys_port_cnt)
		return diag_error(diag, -ENODEV, "%s has %u ports: expected -i 1..%u",
			verbs->device, attr.phys_port_cnt, attr.phys_port_cnt);
	verbs->work_max = (uint32_t)attr.max_qp_wr;
	verbs->done_max = (uint32_t)attr.max_cqe;
	verbs->reads_in = reads(attr.max_qp_rd_atom);
	verbs->reads_out = reads(attr.max_qp_init_rd_atom);
	verbs->soft = attr.vendor_id == 0xffffff || attr.vendor_id == 0;
	err = check_port(verbs, name, diag);
	if (err)
		return err;
	err = choose_gid(verbs, name, attr.phys_port_cnt, &choice->gid, diag);
	if (err)
		return err;
	ask_netdev(verbs);
	verbs->pd = ibv_alloc_pd(verbs->context);
	return verbs->pd ? 0 : diag_system(diag, -errno, "%s: no protection domain", name);
}

/* Without a name: the device whose GID is the address, or else the only one that
 * would do at all. */
static int open_unnamed(struct verbs *verbs, struct ibv_device **devices,
	const struct verbs_choice *choice, struct diag *diag)
{
	size_t good = 0, last = 0;
	char names[200];
	int err = -ENODEV;

	for (size_t i = 0; devices[i]; i++) {
		int now = open_one(verbs, devices[i], choice, diag);

		if (!now && choice->gid.has_address &&
			memcmp(verbs->gid, choice->gid.address, GID_BYTES) == 0)
			return 0;
		if (!now) {
			good++;
			last = i;
		} else {
			err = now;
		}
		verbs_close(verbs);
	}
	if (good == 1)
		return open_one(verbs, devices[last], choice, diag);
	if (good == 0)
		return err; /* the last one's sentence is in diag */
	list_names(devices, names, sizeof(names));
	return diag_error(diag, -ENODEV,
		"several devices would do, and none has the address of this connection: choose "
		"one "
		"with -d of %s",
		names);
}

static int open_named(struct verbs *verbs, struct ibv_device **devices,
	const struct verbs_choice *choice, struct diag *diag)
{
	char names[200];

	for (size_t i = 0; devices[i]; i++)
		if (strcmp(ibv_get_device_name(devices[i]), choice->device) == 0)
			return open_one(verbs, devices[i], choice, diag);
	list_names(devices, names, sizeof(names));
	return diag_error(
		diag, -ENODEV, "no RDMA device %.60s: there are %s", choice->device, names);
}

int verbs_open(struct verbs *verbs, const struct verbs_choice *choice, struct diag *diag)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	int err;

	if (!devices || !devices[0])
		err = no_device(diag);
	else if (choice->device)
		err = open_named(verbs, devices, choice, diag);
	else
		err = open_unnamed(verbs, devices, choice, diag);
	if (devices)
		ibv_free_device_list(devices);
	if (err)
		verbs_close(verbs);
	return err;
}

int verbs_gids(const struct verbs *verbs, struct gid_entry **entries, struct diag *diag)
{
	struct ibv_device_attr attr;
	int err = ibv_query_device(verbs->context, &attr);

	*entries = NULL;
	if (err)
		return diag_system(diag, -err, "%s: cannot be queried", verbs->device);
	return read_gids(verbs, verbs->device, attr.phys_port_cnt, entries, diag);
}

uint32_t verbs_device_count(void)
{
	int count = 0;
	struct ibv_device **devices = ibv_get_device_list(&count);

	if (devices)
		ibv_free_device_list(devices);
	return devices && count > 0 ? (uint32_t)count : 0;
}

void verbs_close(struct verbs *verbs)
{
	if (verbs->pd)
		ibv_dealloc_pd(verbs->pd);
	if (verbs->context)
		ibv_close_device(verbs->context);
	*verbs = (struct verbs)VERBS_INIT;
}

/* --- memory --- */

static int cannot_lock(size_t bytes, int err, struct diag *diag)
{
	struct rlimit limit;

	if ((err == -ENOMEM || err == -EAGAIN) && !getrlimit(RLIMIT_MEMLOCK, &limit) &&
		limit.rlim_cur != RLIM_INFINITY)
		return diag_error(diag, err,
			"%zu KiB of memory cannot be locked for the NIC, the limit of this "
			"user is %llu "
			"KiB: raise it (ulimit -l unlimited, or memlock in "
			"/etc/security/limits.conf)",
			bytes / KIB, (unsigned long long)limit.rlim_cur / KIB);
	return diag_system(diag, err, "%zu KiB of memory cannot be registered", bytes / KIB);
}

/* Asked without, too: there are drivers that refuse what they do not know. */
static struct ibv_mr *register_memory(
	const struct verbs *verbs, void *base, size_t bytes, bool strict)
{
	unsigned access =
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_mr *mr = NULL;

	if (!strict)
		mr = ibv_reg_mr(verbs->pd, base, bytes, access | IBV_ACCESS_RELAXED_ORDERING);
	return mr ? mr : ibv_reg_mr(verbs->pd, base, bytes, access);
}

int verbs_memory_open(
	struct verbs_memory *memory, const struct verbs *verbs, size_t bytes, struct diag *diag)
{
	const struct host here = { .root = NULL };
	int err;
	/* Its pages come when it is registered. */
	void *base =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return diag_system(diag, -errno, "%zu KiB of memory", bytes / KIB);
	if (verbs->near)
		numa_prefer(numa_node(&here, verbs->device), base, bytes);
	memory->mr = register_memory(verbs, base, bytes, memory->strict);
	if (!memory->mr) {
		err = -errno;
		munmap(base, bytes);
		return cannot_lock(bytes, err, diag);
	}
	memory->base = base;
	memory->bytes = bytes;
	memory->lkey = memory->mr->lkey;
	memory->rkey = memory->mr->rkey;
	return 0;
}

void verbs_memory_close(struct verbs_memory *memory)
{
	if (memory->mr)
		ibv_dereg_mr(memory->mr);
	if (memory->base)
		munmap(memory->base, memory->bytes);
	*memory = (struct verbs_memory)VERBS_MEMORY_INIT;
}
