// SPDX-License-Identifier: GPL-2.0
/* An RDMA port with the driver's hw_counters: seen in sysfs and by rdma(8), with GIDs that
 * follow the addresses of the network card; it has no queue pairs. */
#include <linux/platform_device.h>
#include <rdma/ib_addr.h>
#include "labnic.h"

struct labnic_rdma {
	struct ib_device ib;
	struct labnic *nic;
	unsigned int first, count; /* its counters among the card's */
	struct rdma_stat_desc descs[LABNIC_COUNTERS];
};

static struct labnic_rdma *rdma_of(struct ib_device *ib)
{
	return container_of(ib, struct labnic_rdma, ib);
}

static int labnic_query_device(
	struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	attr->fw_ver = 28ULL << 32 | 42 << 16 | 1000;
	attr->vendor_id = 0x02c9;
	attr->max_pkeys = 1;
	return 0;
}

static int labnic_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct net_device *dev = rdma_of(ib)->nic->netdev;

	attr->state = netif_carrier_ok(dev) ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = netif_carrier_ok(dev) ? IB_PORT_PHYS_STATE_LINK_UP
						 : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = iboe_get_mtu(dev->mtu);
	attr->gid_tbl_len = 16;
	attr->pkey_tbl_len = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_HDR;
	return 0;
}

static int labnic_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static int labnic_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int labnic_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = 16;
	immutable->pkey_tbl_len = 1;
	immutable->core_cap_flags =
		RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP | RDMA_CORE_CAP_AF_IB | RDMA_CORE_CAP_ETH_AH;
	return 0;
}

static enum rdma_link_layer labnic_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static struct rdma_hw_stats *labnic_alloc_stats(struct ib_device *ib, u32 port)
{
	struct labnic_rdma *rdma = rdma_of(ib);

	return rdma_alloc_hw_stats_struct(
		rdma->descs, rdma->count, RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int labnic_get_hw_stats(
	struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct labnic_rdma *rdma = rdma_of(ib);

	if (rdma->nic->denied)
		return -EPERM;
	for (unsigned int i = 0; i < rdma->count; i++)
		stats->value[i] = labnic_value(rdma->nic, rdma->first + i);
	return rdma->count;
}

static const struct ib_device_ops rdma_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = labnic_query_device,
	.query_port = labnic_query_port,
	.query_pkey = labnic_query_pkey,
	.add_gid = labnic_gid,
	.del_gid = labnic_gid,
	.get_port_immutable = labnic_immutable,
	.get_link_layer = labnic_link_layer,
	.alloc_hw_port_stats = labnic_alloc_stats,
	.get_hw_stats = labnic_get_hw_stats,
};

int labnic_rdma_add(struct labnic *nic)
{
	struct labnic_rdma *rdma = ib_alloc_device(labnic_rdma, ib);
	int err;

	if (!rdma)
		return -ENOMEM;
	rdma->nic = nic;
	rdma->ib.phys_port_cnt = 1;
	rdma->ib.num_comp_vectors = 1;
	rdma->ib.node_type = RDMA_NODE_IB_CA;
	rdma->ib.dev.parent = &nic->platform->dev;
	for (unsigned int i = 0; i < nic->count; i++) {
		if (nic->counters[i].where != WHERE_PORT)
			continue;
		if (!rdma->count)
			rdma->first = i;
		rdma->descs[rdma->count++].name = nic->counters[i].name;
	}
	ib_set_device_ops(&rdma->ib, &rdma_ops);
	err = ib_device_set_netdev(&rdma->ib, nic->netdev, 1);
	if (!err)
		err = ib_register_device(&rdma->ib, nic->kind->rdma, NULL);
	if (err) {
		ib_dealloc_device(&rdma->ib);
		return err;
	}
	nic->rdma = rdma;
	return 0;
}

void labnic_rdma_remove(struct labnic *nic)
{
	if (!nic->rdma)
		return;
	ib_unregister_device(&nic->rdma->ib);
	ib_dealloc_device(&nic->rdma->ib);
	nic->rdma = NULL;
}
