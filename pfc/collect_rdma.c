/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/verbs_ask.h"
#include "pfc/collecting.h"
#include "pfc/scan.h"

#define FOLDER "/sys/class/infiniband"
#define PORT FOLDER "/%s/ports/%u"

/* A row of the table. An empty slot has no type: the kernel answers EINVAL. */
static void add_gid(const struct collect *collect, const struct nic *nic, const char *slot)
{
	char path[PATH_MAX], raw[64], gid[48], type[32], netdev[HOST_NAME] = "";
	struct fact *fact;
	int err;

	snprintf(path, sizeof(path), PORT "/gids/%s", nic->rdma, nic->port, slot);
	err = host_read(collect->host, path, raw, sizeof(raw));
	if (err < 0 && err != -EINVAL) {
		collect_text(collect, FACT_GID_ERROR, nic->rdma, slot, host_why(err), path);
		collect_missing(collect, nic->rdma, "GID", path, err);
	}
	if (err < 0 || !scan_gid(raw, gid, sizeof(gid)) || strcmp(gid_family(gid), "none") == 0)
		return;
	snprintf(path, sizeof(path), PORT "/gid_attrs/ndevs/%s", nic->rdma, nic->port, slot);
	host_read(collect->host, path, netdev, sizeof(netdev));
	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%s", nic->rdma, nic->port, slot);
	err = host_read(collect->host, path, type, sizeof(type));
	if (err < 0) {
		if (err != -EINVAL)
			collect_missing(collect, nic->rdma, "GID type", path, err);
		return;
	}
	fact = collect_number(collect, FACT_GID, nic->rdma, slot, strtod(slot, NULL), path);
	fact->text = facts_keep(collect->facts, gid);
	fact->extra = facts_keep(collect->facts, netdev);
	fact->more = scan_has(type, "v2") ? 2 : 1;
}

static void add_gids(const struct collect *collect, const struct nic *nic)
{
	char path[PATH_MAX], (*slots)[HOST_NAME];
	int count;

	snprintf(path, sizeof(path), PORT "/gids", nic->rdma, nic->port);
	count = host_list(collect->host, path, &slots);
	if (count < 0) {
		collect_missing(collect, nic->rdma, "GID table", path, count);
		return;
	}
	for (int i = 0; i < count; i++)
		add_gid(collect, nic, slots[i]);
	collect_number(collect, FACT_TABLE_READ, nic->rdma, "GID table", count, path);
	free(slots);
}

/* "4: ACTIVE", "100 Gb/sec (4X EDR)". */
static void add_port(const struct collect *collect, const struct nic *nic)
{
	char text[64], path[PATH_MAX];
	struct diag diag;
	uint32_t mtu;
	double gbps;
	int err;

	snprintf(path, sizeof(path), PORT "/rate", nic->rdma, nic->port);
	if (collect_file(collect, nic->rdma, "link layer", text, sizeof(text),
		    PORT "/link_layer", nic->rdma, nic->port))
		collect_text(collect, FACT_LINK_LAYER, nic->rdma, NULL, text, "link_layer");
	if (collect_file(collect, nic->rdma, "port state", text, sizeof(text), PORT "/state",
		    nic->rdma, nic->port)) {
		const char *colon = strchr(text, ':');

		collect_text(collect, FACT_PORT_STATE, nic->rdma, NULL,
			colon ? colon + 1 + strspn(colon + 1, " ") : text, "state");
	}
	/* A software device prints a rate that means nothing. */
	if (nic->pci[0] &&
		collect_file(collect, nic->rdma, "rate", text, sizeof(text), "%s", path) &&
		scan_find_rate_gbps(text, &gbps, NULL))
		collect_number(collect, FACT_RATE, nic->rdma, NULL, gbps, path);
	err = verbs_ask_mtu(collect->host, nic->rdma, nic->port, &mtu, &diag);
	if (err)
		collect_missing(collect, nic->rdma, "active MTU", "ibv_query_port", err);
	else
		collect_number(
			collect, FACT_ACTIVE_MTU, nic->rdma, NULL, mtu, "ibv_query_port");
}

/* [ofed] tc/PORT/traffic_class: "Global tclass=106". */
static void add_class(const struct collect *collect, const struct nic *nic)
{
	char text[256];
	double number;

	if (collect_file(collect, nic->rdma, "forced traffic class", text, sizeof(text),
		    FOLDER "/%s/tc/%u/traffic_class", nic->rdma, nic->port) &&
		(scan_value_number(text, "Global tclass", &number) ||
			scan_whole_number(text, &number)))
		collect_number(
			collect, FACT_TC, NULL, "traffic_class", number, "tc/traffic_class");
	if (collect_file(collect, nic->rdma, "default ToS of rdma_cm", text, sizeof(text),
		    "/sys/kernel/config/rdma_cm/%s/ports/%u/default_roce_tos", nic->rdma,
		    nic->port) &&
		scan_whole_number(text, &number))
		collect_number(
			collect, FACT_ROCE_TOS, nic->rdma, NULL, number, "default_roce_tos");
	if (collect_file(collect, nic->rdma, "default RoCE mode of rdma_cm", text, sizeof(text),
		    "/sys/kernel/config/rdma_cm/%s/ports/%u/default_roce_mode", nic->rdma,
		    nic->port))
		collect_text(
			collect, FACT_ROCE_MODE, nic->rdma, NULL, text, "default_roce_mode");
}

static void add_device(const struct collect *collect, const struct nic *nic)
{
	char text[96], board[96] = "";
	struct fact *fact;

	collect_text(collect, FACT_RDMA_DEVICE, nic->rdma, NULL, NULL, FOLDER);
	if (!nic->pci[0])
		return; /* a software device has no firmware */
	if (collect_file(collect, nic->rdma, "firmware", text, sizeof(text),
		    FOLDER "/%s/fw_ver", nic->rdma)) {
		collect_file(collect, nic->rdma, "board", board, sizeof(board),
			FOLDER "/%s/board_id", nic->rdma);
		fact = collect_text(collect, FACT_FIRMWARE, nic->rdma, NULL, text, "fw_ver");
		fact->extra = facts_keep(collect->facts, board);
	}
}

/* debugfs, for root: mlx5/PCI/cc_params; bnxt_re/PCI/cc_config. */
static void add_cc_params(const struct collect *collect, const struct nic *nic)
{
	const char *driver = strncmp(nic->rdma, "bnxt", 4) == 0 ? "bnxt_re" : "mlx5";
	char path[PATH_MAX], (*names)[HOST_NAME];
	int count;

	if (!nic->pci[0])
		return;
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s/%s", driver, nic->pci,
		driver[0] == 'b' ? "cc_config" : "cc_params");
	count = host_list(collect->host, path, &names);
	if (count < 0) {
		collect_missing(
			collect, nic->rdma, "congestion control parameters", path, count);
		return;
	}
	for (int i = 0; i < count; i++) {
		long long number;

		if (collect_file_number(
			    collect, nic->rdma, names[i], &number, "%s/%s", path, names[i]))
			collect_number(collect, FACT_CC_PARAM, nic->rdma, names[i],
				(double)number, path);
		else
			continue;
		if (strcmp(names[i], "np_cnp_dscp") == 0)
			collect_number(collect, FACT_CNP_DSCP, nic->netdev, NULL,
				(double)number, path);
	}
	free(names);
}

void collect_rdma(const struct collect *collect)
{
	for (size_t i = 0; i < collect->nics->count; i++) {
		const struct nic *nic = &collect->nics->items[i];

		if (!collect_is_first_port(collect, i))
			continue;
		add_device(collect, nic);
		add_port(collect, nic);
		add_gids(collect, nic);
		add_class(collect, nic);
		add_cc_params(collect, nic);
	}
}
