/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/ethtool.h"
#include "pfc/collecting.h"
#include "pfc/scan.h"

#define NET "/sys/class/net/%s"

static void add_files(const struct collect *collect, const char *netdev)
{
	char text[64];
	long long number;

	if (collect_file_number(collect, netdev, "MTU", &number, NET "/mtu", netdev))
		collect_number(collect, FACT_NETDEV_MTU, netdev, NULL, (double)number, "mtu");
	if (collect_file(
		    collect, netdev, "MAC address", text, sizeof(text), NET "/address", netdev))
		collect_text(collect, FACT_MAC, netdev, NULL, text, "address");
	if (collect_file(
		    collect, netdev, "state", text, sizeof(text), NET "/operstate", netdev))
		collect_text(collect, FACT_NETDEV, netdev, NULL, text, "operstate");
}

/* " EGRESS priority mappings: 0:0 3:3" of net/8021q/vlanproc.c. */
static void add_egress(const struct collect *collect, const char *netdev, const char *map)
{
	char name[16];
	int from, to;

	while (scan_egress(&map, &from, &to)) {
		snprintf(name, sizeof(name), "%d", from);
		collect_number(collect, FACT_VLAN_EGRESS, netdev, name, to, "/proc/net/vlan");
	}
}

static void add_vlan(const struct collect *collect, const char *netdev)
{
	char path[PATH_MAX], text[2048], below[64] = "";

	snprintf(path, sizeof(path), "/proc/net/vlan/%s", netdev);
	if (host_read(collect->host, path, text, sizeof(text)) <= 0)
		return;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		char *map = strstr(line, "EGRESS priority mappings:");

		if (map)
			add_egress(collect, netdev, strchr(map, ':') + 1);
		else
			sscanf(line, "Device: %63s", below);
	}
	collect_text(collect, FACT_VLAN, netdev, NULL, below, path);
}

/* "eth0 eth1": one RDMA device for all of them. */
static void add_bond(const struct collect *collect, const struct nic *nic)
{
	char path[PATH_MAX], text[512];
	double members = 0;

	snprintf(path, sizeof(path), NET "/bonding/slaves", nic->netdev);
	if (host_read(collect->host, path, text, sizeof(text)) <= 0)
		return;
	for (char *at = text, *word; (word = strtok_r(at, " \n", &at));)
		members++;
	collect_number(collect, FACT_BOND, nic->rdma, NULL, members, path);
}

static void add_link(const struct collect *collect, const char *netdev)
{
	struct ethtool_link link;
	struct diag diag;
	int err = ethtool_link_read(collect->netlink, netdev, &link, &diag);

	if (err) {
		collect_missing(collect, netdev, "speed", "ethtool", err);
		return;
	}
	if (link.has_speed)
		collect_number(collect, FACT_LINK_SPEED, netdev, NULL,
			(double)link.speed_bps / 1e9, "ethtool")
			->more = link.lanes;
	else
		collect_missing(collect, netdev, "speed", "ethtool", -ENODATA);
	if (link.has_down_events)
		collect_number(
			collect, FACT_LINK_HISTORY, netdev, NULL, link.down_events, "ethtool");
}

static void add_fec(const struct collect *collect, const char *netdev)
{
	struct ethtool_fec fec;
	struct diag diag;
	int err = ethtool_fec_read(collect->netlink, netdev, &fec, &diag);

	if (err)
		collect_missing(collect, netdev, "FEC", "ethtool", err);
	else if (fec.has_active)
		collect_text(collect, FACT_FEC, netdev, NULL, fec.active, "ethtool");
	else
		collect_missing(collect, netdev, "FEC", "ethtool", -ENODATA);
}

static void add_pause(const struct collect *collect, const char *netdev)
{
	struct ethtool_pause pause;
	struct diag diag;
	int err = ethtool_pause_read(collect->netlink, netdev, &pause, &diag);

	if (err) {
		collect_missing(collect, netdev, "802.3x pause", "ethtool", err);
		return;
	}
	if (pause.has_rx)
		collect_number(collect, FACT_PAUSE_PARAM, netdev, "rx", pause.rx, "ethtool");
	if (pause.has_tx)
		collect_number(collect, FACT_PAUSE_PARAM, netdev, "tx", pause.tx, "ethtool");
}

static void add_driver(const struct collect *collect, const struct nic *nic)
{
	struct ethtool_driver driver;
	struct diag diag;
	int err = ethtool_driver_read(collect->host, nic->netdev, &driver, &diag);

	if (err) {
		collect_missing(collect, nic->netdev, "driver", "ethtool", err);
		return;
	}
	collect_text(collect, FACT_DRIVER_VERSION, nic->netdev, NULL, driver.driver, "ethtool")
		->extra = facts_keep(collect->facts, driver.version);
	if (strncmp(nic->rdma, "rxe", 3) == 0)
		collect_text(collect, FACT_DRIVER, NULL, NULL, "rxe", nic->rdma);
}

void collect_net(const struct collect *collect)
{
	for (size_t i = 0; i < collect->nics->count; i++) {
		const struct nic *nic = &collect->nics->items[i];

		if (!collect_is_first_netdev(collect, i))
			continue;
		add_files(collect, nic->netdev);
		add_vlan(collect, nic->netdev);
		add_bond(collect, nic);
		add_link(collect, nic->netdev);
		add_fec(collect, nic->netdev);
		add_pause(collect, nic->netdev);
		add_driver(collect, nic);
	}
}
