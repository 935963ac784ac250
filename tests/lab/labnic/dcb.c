// SPDX-License-Identifier: GPL-2.0
/* What is set by dcb(8) is kept and given back; the pause counts of a priority are those
 * of the counters by name. */
#include <net/dcbnl.h>
#include "labnic.h"

static int labnic_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);

	if (nic->denied)
		return -EPERM;
	*pfc = nic->pfc;
	return 0;
}

static int labnic_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);

	nic->pfc = *pfc;
	nic->pfc.pfc_cap = 8;
	return 0;
}

static int labnic_getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);

	*ets = nic->ets;
	return 0;
}

static int labnic_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);

	nic->ets = *ets;
	nic->ets.ets_cap = 8;
	return 0;
}

static int labnic_getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);

	*buffer = nic->buffer;
	return 0;
}

static int labnic_setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);
	u32 total = nic->buffer.total_size;

	nic->buffer = *buffer;
	nic->buffer.total_size = total;
	return 0;
}

static int labnic_getapptrust(struct net_device *dev, u8 *selectors, int *count)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);

	memcpy(selectors, nic->trust, nic->trusts);
	*count = nic->trusts;
	return 0;
}

static u8 labnic_getdcbx(struct net_device *dev)
{
	return DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
}

const struct dcbnl_rtnl_ops labnic_dcbnl_ops = {
	.ieee_getpfc = labnic_getpfc,
	.ieee_setpfc = labnic_setpfc,
	.ieee_getets = labnic_getets,
	.ieee_setets = labnic_setets,
	.ieee_setapp = dcb_ieee_setapp,
	.ieee_delapp = dcb_ieee_delapp,
	.dcbnl_getbuffer = labnic_getbuffer,
	.dcbnl_setbuffer = labnic_setbuffer,
	.dcbnl_getapptrust = labnic_getapptrust,
	.getdcbx = labnic_getdcbx,
};
