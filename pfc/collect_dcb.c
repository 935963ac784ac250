/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dcb.h"
#include "lib/diag.h"
#include "pfc/collecting.h"

#define SOURCE "dcbnl"

static void number_of(const struct collect *collect, enum fact_key key, const char *netdev,
	unsigned name, double number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", name);
	collect_number(collect, key, netdev, text, number, SOURCE);
}

static void add_pfc(const struct collect *collect, const struct nic *nic, const struct dcb *dcb)
{
	/* bnxt answers zeros while the firmware may have PFC on. */
	if (dcb->pfc.enabled == 0 && strcmp(nic->driver, "bnxt_en") == 0) {
		collect_missing(collect, nic->netdev,
			"PFC: this driver answers zeros when the "
			"firmware owns it",
			SOURCE, -ENODATA);
		return;
	}
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		number_of(collect, FACT_PFC, nic->netdev, i, dcb->pfc.enabled >> i & 1);
	if (dcb->pfc.capacity > 0)
		collect_number(collect, FACT_PFC_CAPACITY, nic->netdev, NULL, dcb->pfc.capacity,
			SOURCE);
	if (strcmp(nic->driver, "mlx5_core") == 0 && dcb->pfc.delay > 0)
		collect_number(
			collect, FACT_CABLE_LENGTH, nic->netdev, NULL, dcb->pfc.delay, SOURCE);
}

static const char *tsa_name(uint8_t tsa)
{
	switch (tsa) {
	case DCB_STRICT:
		return "strict";
	case DCB_CBS:
		return "cbs";
	case DCB_ETS:
		return "ets";
	default:
		return "vendor";
	}
}

static void add_ets(
	const struct collect *collect, const char *netdev, const struct dcb_ets *ets)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		char name[16];

		number_of(collect, FACT_PRIO_CLASS, netdev, i, ets->prio_class[i]);
		if (i >= ets->classes && ets->percent[i] == 0)
			continue;
		snprintf(name, sizeof(name), "%u", i);
		collect_number(collect, FACT_CLASS, netdev, name, ets->percent[i], SOURCE)
			->text = facts_keep(collect->facts, tsa_name(ets->tsa[i]));
	}
}

static void add_map(const struct collect *collect, const char *netdev, const struct dcb *dcb)
{
	for (uint32_t i = 0; i < dcb->app_count; i++)
		if (dcb->apps[i].selector == DCB_BY_DSCP && dcb->apps[i].protocol < 64)
			number_of(collect, FACT_DSCP_MAP, netdev, dcb->apps[i].protocol,
				dcb->apps[i].priority);
}

static void add_buffers(
	const struct collect *collect, const char *netdev, const struct dcb_buffer *buffer)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		number_of(collect, FACT_PRIO_BUFFER, netdev, i, buffer->prio_buffer[i]);
		number_of(collect, FACT_BUFFER, netdev, i, buffer->size_bytes[i]);
	}
}

static void add_dcbx(const struct collect *collect, const char *netdev, const struct dcb *dcb)
{
	const char *who = dcb->dcbx & DCB_DCBX_LLD_MANAGED ? "firmware"
			  : dcb->dcbx & DCB_DCBX_HOST      ? "host"
							   : "none";

	collect_number(
		collect, FACT_DCBX, netdev, NULL, dcb->has_ets && dcb->ets.willing, SOURCE)
		->text = who;
}

/* [ofed] qos/trust tells; else the kernel's own order, else what the map implies. */
static void add_trust(const struct collect *collect, const char *netdev, const struct dcb *dcb)
{
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof(path), "/sys/class/net/%s/qos/trust", netdev);
	if (host_read(collect->host, path, text, sizeof(text)) > 0)
		collect_text(collect, FACT_TRUST, netdev, NULL,
			strstr(text, "dscp") ? "dscp" : "pcp", path);
	else if (dcb && (dcb->has_trust || dcb->has_apps))
		collect_text(collect, FACT_TRUST, netdev, NULL,
			dcb_trusts_dscp(dcb) ? "dscp" : "pcp",
			dcb->has_trust ? SOURCE : SOURCE ", inferred from the DSCP entries");
}

static void add_dcb(const struct collect *collect, const struct nic *nic)
{
	static struct dcb dcb;
	struct diag diag;
	int err = dcb_read(collect->netlink, nic->netdev, &dcb, &diag);

	if (err) {
		collect_missing(collect, nic->netdev, "PFC, ETS and DSCP map", SOURCE, err);
		add_trust(collect, nic->netdev, NULL);
		return;
	}
	if (dcb.has_pfc)
		add_pfc(collect, nic, &dcb);
	else
		collect_missing(collect, nic->netdev, "PFC", SOURCE, -EOPNOTSUPP);
	if (dcb.has_peer_pfc)
		for (unsigned i = 0; i < DCB_PRIORITIES; i++)
			number_of(collect, FACT_PEER_PFC, nic->netdev, i,
				dcb.peer_pfc.enabled >> i & 1);
	if (dcb.has_ets)
		add_ets(collect, nic->netdev, &dcb.ets);
	else
		collect_missing(collect, nic->netdev, "ETS", SOURCE, -EOPNOTSUPP);
	add_map(collect, nic->netdev, &dcb);
	if (dcb.has_buffer)
		add_buffers(collect, nic->netdev, &dcb.buffer);
	else
		collect_missing(collect, nic->netdev, "port buffers", SOURCE, -EOPNOTSUPP);
	if (dcb.has_dcbx)
		add_dcbx(collect, nic->netdev, &dcb);
	add_trust(collect, nic->netdev, &dcb);
}

/* [ofed] ecn/roce_{np,rp}/enable/PRIORITY and cnp_dscp. */
static void add_ecn(const struct collect *collect, const char *netdev)
{
	static const char *const sides[] = { "rp", "np" };
	long long number;

	for (int side = 0; side < 2; side++)
		for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
			char path[PATH_MAX], name[16];
			int err;

			snprintf(path, sizeof(path), "/sys/class/net/%s/ecn/roce_%s/enable/%u",
				netdev, sides[side], i);
			err = host_read_number(collect->host, path, &number);
			if (err) {
				collect_missing(collect, netdev,
					side ? "notification point" : "reaction point", path,
					err);
				break;
			}
			snprintf(name, sizeof(name), "%u", i);
			collect_number(
				collect, FACT_CC_ENABLE, sides[side], name, number > 0, path);
		}
	if (collect_file_number(collect, netdev, "DSCP of CNPs", &number,
		    "/sys/class/net/%s/ecn/roce_np/cnp_dscp", netdev))
		collect_number(
			collect, FACT_CNP_DSCP, netdev, NULL, (double)number, "cnp_dscp");
}

void collect_dcb(const struct collect *collect)
{
	for (size_t i = 0; i < collect->nics->count; i++) {
		if (!collect_is_first_netdev(collect, i))
			continue;
		add_dcb(collect, &collect->nics->items[i]);
		add_ecn(collect, collect->nics->items[i].netdev);
	}
}
