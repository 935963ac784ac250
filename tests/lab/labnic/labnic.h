/* SPDX-License-Identifier: GPL-2.0 */
/*
 * labnic - network cards for tests, in the guest's kernel and nowhere else.
 *
 * A card looks like one of a real driver as far as tools can see from user space: the
 * driver's name, its counters by name, PFC, ETS, DSCP map, buffers and trust by dcbnl,
 * pause and FEC statistics by ethtool netlink, and, when asked for, an RDMA port with the
 * driver's hw_counters. Packets go nowhere, or, where two cards are wired to one another, to
 * the other; both count them by priority. What a counter says, and what goes wrong, is set
 * in mid-run by lines written to debugfs; tests/lab/labnic.sh shows them.
 */
#ifndef LABNIC_H
#define LABNIC_H

#include <linux/dcbnl.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#define LABNIC_COUNTERS 192
#define LABNIC_NAME 40

enum labnic_where {
	WHERE_ETHTOOL, /* ethtool -S */
	WHERE_PORT,    /* hw_counters of the RDMA port */
	WHERE_LINE,    /* pause and FEC statistics of ethtool netlink */
};

struct labnic_counter {
	char name[LABNIC_NAME];
	enum labnic_where where;
	int with_pfc; /* published only while this priority has PFC on; -1: always */
	u64 base;
	u64 per_s; /* grows by itself */
	u64 since_ns;
};

struct labnic_kind {
	const char *name;           /* "mlx5", on the control line */
	const char *driver;         /* "mlx5_core", as ethtool -i shows it */
	const char *rdma;           /* "mlx5_%d" */
	const char *const *ethtool; /* N stands for each priority */
	const char *const *port;
	bool prio_last;      /* "tx_bytes_pri3", not "tx_prio3_bytes" */
	bool pause_with_pfc; /* counters of pause by priority only where PFC is on */
};

struct labnic {
	struct list_head list;
	struct platform_device *platform;
	struct net_device *netdev;
	const struct labnic_kind *kind;
	struct labnic *peer;      /* at the other end of the wire; NULL: none */
	struct labnic_rdma *rdma; /* NULL: none */
	spinlock_t lock;          /* of the counters */
	struct labnic_counter counters[LABNIC_COUNTERS];
	unsigned int count;
	struct ieee_pfc pfc;
	struct ieee_ets ets;
	struct dcbnl_buffer buffer;
	u8 trust[2];
	int trusts;
	u32 speed_mbps;
	unsigned int bits; /* width of every counter */
	bool no_dcb;
	bool denied; /* every question to the driver is answered -EPERM */
	bool pause_rx, pause_tx;
};

extern const struct labnic_kind labnic_kinds[]; /* ended by a NULL name */

u64 labnic_value(struct labnic *nic, unsigned int index);
u64 labnic_line(struct labnic *nic, const char *name);

extern const struct ethtool_ops labnic_ethtool_ops;
extern const struct dcbnl_rtnl_ops labnic_dcbnl_ops;

int labnic_rdma_add(struct labnic *nic);
void labnic_rdma_remove(struct labnic *nic);

#endif
