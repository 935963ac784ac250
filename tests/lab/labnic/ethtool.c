// SPDX-License-Identifier: GPL-2.0
#include <linux/ethtool.h>
#include "labnic.h"

static struct labnic *nic_of(struct net_device *dev)
{
	return *(struct labnic **)netdev_priv(dev);
}

/* What mlx5 does: the counters of pause come and go with PFC. */
static bool published(const struct labnic *nic, const struct labnic_counter *counter)
{
	return counter->where == WHERE_ETHTOOL &&
	       (counter->with_pfc < 0 || nic->pfc.pfc_en & BIT(counter->with_pfc));
}

static int labnic_begin(struct net_device *dev)
{
	return nic_of(dev)->denied ? -EPERM : 0;
}

static void labnic_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, nic_of(dev)->kind->driver, sizeof(info->driver));
	strscpy(info->version, "lab", sizeof(info->version));
	strscpy(info->fw_version, "28.42.1000 (LAB0000000001)", sizeof(info->fw_version));
}

static int labnic_get_sset_count(struct net_device *dev, int set)
{
	struct labnic *nic = nic_of(dev);
	int count = 0;

	if (set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	for (unsigned int i = 0; i < nic->count; i++)
		count += published(nic, &nic->counters[i]);
	return count;
}

static void labnic_get_strings(struct net_device *dev, u32 set, u8 *text)
{
	struct labnic *nic = nic_of(dev);

	for (unsigned int i = 0; i < nic->count; i++)
		if (published(nic, &nic->counters[i])) {
			strscpy_pad(text, nic->counters[i].name, ETH_GSTRING_LEN);
			text += ETH_GSTRING_LEN;
		}
}

static void labnic_get_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *values)
{
	struct labnic *nic = nic_of(dev);

	for (unsigned int i = 0; i < nic->count; i++)
		if (published(nic, &nic->counters[i]))
			*values++ = labnic_value(nic, i);
}

static void labnic_get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	pause->rx_pause = nic_of(dev)->pause_rx;
	pause->tx_pause = nic_of(dev)->pause_tx;
}

static int labnic_set_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	nic_of(dev)->pause_rx = pause->rx_pause;
	nic_of(dev)->pause_tx = pause->tx_pause;
	return 0;
}

static void labnic_get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *stats)
{
	stats->rx_pause_frames = labnic_line(nic_of(dev), "pause_rx");
	stats->tx_pause_frames = labnic_line(nic_of(dev), "pause_tx");
}

static void labnic_get_fec_stats(struct net_device *dev, struct ethtool_fec_stats *stats)
{
	stats->corrected_blocks.total = labnic_line(nic_of(dev), "fec_corrected");
	stats->uncorrectable_blocks.total = labnic_line(nic_of(dev), "fec_uncorrectable");
}

static int labnic_get_fecparam(struct net_device *dev, struct ethtool_fecparam *param)
{
	param->fec = ETHTOOL_FEC_RS;
	param->active_fec = ETHTOOL_FEC_RS;
	return 0;
}

static int labnic_get_link_ksettings(
	struct net_device *dev, struct ethtool_link_ksettings *link)
{
	link->base.speed = netif_carrier_ok(dev) ? nic_of(dev)->speed_mbps : SPEED_UNKNOWN;
	link->base.duplex = DUPLEX_FULL;
	link->base.port = PORT_FIBRE;
	link->base.autoneg = AUTONEG_ENABLE;
	return 0;
}

const struct ethtool_ops labnic_ethtool_ops = {
	.begin = labnic_begin,
	.get_drvinfo = labnic_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_sset_count = labnic_get_sset_count,
	.get_strings = labnic_get_strings,
	.get_ethtool_stats = labnic_get_stats,
	.get_pauseparam = labnic_get_pauseparam,
	.set_pauseparam = labnic_set_pauseparam,
	.get_pause_stats = labnic_get_pause_stats,
	.get_fec_stats = labnic_get_fec_stats,
	.get_fecparam = labnic_get_fecparam,
	.get_link_ksettings = labnic_get_link_ksettings,
};
