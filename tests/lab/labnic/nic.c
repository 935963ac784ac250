// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/rtnetlink.h>
#include <linux/uaccess.h>
#include <net/dcbnl.h>
#include <net/dsfield.h>
#include "labnic.h"

static LIST_HEAD(nics);
static DEFINE_MUTEX(nics_lock);
static struct dentry *folder;
static int serial;

static u64 now_of(const struct labnic_counter *counter)
{
	u64 ms = (ktime_get_ns() - counter->since_ns) / NSEC_PER_MSEC;

	return counter->base + counter->per_s * ms / MSEC_PER_SEC;
}

u64 labnic_value(struct labnic *nic, unsigned int index)
{
	u64 value;

	spin_lock_bh(&nic->lock);
	value = now_of(&nic->counters[index]);
	spin_unlock_bh(&nic->lock);
	return nic->bits == 32 ? (u32)value : value;
}

static int find_counter(const struct labnic *nic, const char *name)
{
	for (unsigned int i = 0; i < nic->count; i++)
		if (!strcmp(nic->counters[i].name, name))
			return i;
	return -ENOENT;
}

u64 labnic_line(struct labnic *nic, const char *name)
{
	int index = find_counter(nic, name);

	return index < 0 ? 0 : labnic_value(nic, index);
}

/* --- the network card --- */

/* By the card's own trust and map, as a card without a switch's help puts it. */
static int priority_of(struct labnic *nic, const struct sk_buff *skb)
{
	struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP };
	u8 mask;

	if (!nic->trusts || nic->trust[0] != IEEE_8021QAZ_APP_SEL_DSCP)
		return skb_vlan_tag_present(skb) ? skb_vlan_tag_get_prio(skb) : 0;
	if (skb->protocol != htons(ETH_P_IP))
		return 0;
	app.protocol = ipv4_get_dsfield(ip_hdr(skb)) >> 2;
	mask = dcb_ieee_getapp_mask(nic->netdev, &app);
	return mask ? fls(mask) - 1 : app.protocol >> 3;
}

static void count_one(
	struct labnic *nic, const char *way, const char *what, int prio, u64 number)
{
	char name[LABNIC_NAME];
	int index;

	if (nic->kind->prio_last)
		snprintf(name, sizeof(name), "%s_%s_pri%d", way, what, prio);
	else
		snprintf(name, sizeof(name), "%s_prio%d_%s", way, prio, what);
	index = find_counter(nic, name);
	if (index < 0)
		return;
	spin_lock_bh(&nic->lock);
	nic->counters[index].base += number;
	spin_unlock_bh(&nic->lock);
}

static void count(struct labnic *nic, const char *way, const struct sk_buff *skb)
{
	int prio = priority_of(nic, skb);

	count_one(nic, way, "packets", prio, 1);
	count_one(nic, way, "bytes", prio, skb->len + ETH_FCS_LEN);
}

static netdev_tx_t labnic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct labnic *nic = *(struct labnic **)netdev_priv(dev);
	struct labnic *peer = READ_ONCE(nic->peer);

	if (!peer || !netif_running(peer->netdev)) {
		dev_kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	count(nic, "tx", skb);
	count(peer, "rx", skb);
	dev_forward_skb(peer->netdev, skb);
	return NETDEV_TX_OK;
}

static int labnic_change_carrier(struct net_device *dev, bool on)
{
	if (on)
		netif_carrier_on(dev);
	else
		netif_carrier_off(dev);
	return 0;
}

static const struct net_device_ops netdev_ops = {
	.ndo_start_xmit = labnic_xmit,
	.ndo_change_carrier = labnic_change_carrier,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void add_counter(
	struct labnic *nic, enum labnic_where where, const char *name, int with_pfc)
{
	struct labnic_counter *counter = &nic->counters[nic->count];

	if (WARN_ON(nic->count == LABNIC_COUNTERS))
		return;
	strscpy(counter->name, name, sizeof(counter->name));
	counter->where = where;
	counter->with_pfc = with_pfc;
	nic->count++;
}

static void add_counters(struct labnic *nic, enum labnic_where where, const char *const *names)
{
	for (; *names; names++) {
		const char *at = strchr(*names, 'N');
		bool gated = nic->kind->pause_with_pfc && strstr(*names, "N_pause");

		for (int prio = 0; prio < (at ? 8 : 1); prio++) {
			char name[LABNIC_NAME];

			strscpy(name, *names, sizeof(name));
			if (at)
				name[at - *names] = '0' + prio;
			add_counter(nic, where, name, gated ? prio : -1);
		}
	}
}

static void fill_counters(struct labnic *nic)
{
	static const char *const lines[] = { "pause_rx", "pause_tx", "fec_corrected",
		"fec_uncorrectable", NULL };

	add_counters(nic, WHERE_ETHTOOL, nic->kind->ethtool);
	add_counters(nic, WHERE_PORT, nic->kind->port);
	add_counters(nic, WHERE_LINE, lines);
}

/* A card as it is bought: no PFC, everything in one class, one buffer. */
static void fill_settings(struct labnic *nic)
{
	nic->pfc.pfc_cap = 8;
	nic->ets.ets_cap = 8;
	nic->ets.tc_tx_bw[0] = 100;
	nic->buffer.total_size = 262016;
	nic->buffer.buffer_size[0] = 262016;
	nic->trust[0] = DCB_APP_SEL_PCP;
	nic->trusts = 1;
	nic->speed_mbps = 200000;
	nic->bits = 64;
}

static int make_netdev(struct labnic *nic, const char *name)
{
	struct net_device *dev = alloc_netdev(sizeof(nic), name, NET_NAME_USER, ether_setup);
	int err;

	if (!dev)
		return -ENOMEM;
	*(struct labnic **)netdev_priv(dev) = nic;
	dev->netdev_ops = &netdev_ops;
	dev->ethtool_ops = &labnic_ethtool_ops;
	dev->dcbnl_ops = &labnic_dcbnl_ops;
	dev->max_mtu = 9978;
	eth_hw_addr_random(dev);
	SET_NETDEV_DEV(dev, &nic->platform->dev);
	err = register_netdev(dev);
	if (err) {
		free_netdev(dev);
		return err;
	}
	nic->netdev = dev;
	return 0;
}

static void unwire(struct labnic *nic)
{
	struct labnic *other;

	WRITE_ONCE(nic->peer, NULL);
	list_for_each_entry(other, &nics, list) if (other->peer == nic)
		WRITE_ONCE(other->peer, NULL);
	synchronize_net();
}

static void remove_nic(struct labnic *nic)
{
	unwire(nic);
	list_del(&nic->list);
	labnic_rdma_remove(nic);
	if (nic->netdev) {
		unregister_netdev(nic->netdev);
		free_netdev(nic->netdev);
	}
	platform_device_unregister(nic->platform);
	kfree(nic);
}

static int add_nic(const char *name, const struct labnic_kind *kind, bool rdma)
{
	struct labnic *nic = kzalloc(sizeof(*nic), GFP_KERNEL);
	int err;

	if (!nic)
		return -ENOMEM;
	nic->kind = kind;
	spin_lock_init(&nic->lock);
	fill_settings(nic);
	fill_counters(nic);
	nic->platform = platform_device_register_simple(kind->driver, serial++, NULL, 0);
	if (IS_ERR(nic->platform)) {
		err = PTR_ERR(nic->platform);
		kfree(nic);
		return err;
	}
	list_add(&nic->list, &nics);
	err = make_netdev(nic, name);
	if (!err && rdma)
		err = labnic_rdma_add(nic);
	if (err)
		remove_nic(nic);
	return err;
}

/* --- the control file --- */

static struct labnic *find_nic(const char *name)
{
	struct labnic *nic;

	list_for_each_entry(nic, &nics, list) if (!strcmp(nic->netdev->name, name)) return nic;
	return NULL;
}

static int wire(struct labnic *nic, const char *name)
{
	struct labnic *peer = find_nic(name);

	if (!peer || peer == nic)
		return -ENODEV;
	unwire(nic);
	unwire(peer);
	WRITE_ONCE(nic->peer, peer);
	WRITE_ONCE(peer->peer, nic);
	return 0;
}

static void set_dcb(struct labnic *nic, bool on)
{
	rtnl_lock();
	nic->netdev->dcbnl_ops = on ? &labnic_dcbnl_ops : NULL;
	rtnl_unlock();
}

static int set_trust(struct labnic *nic, const char *word)
{
	static const u8 pcp = DCB_APP_SEL_PCP, dscp = IEEE_8021QAZ_APP_SEL_DSCP;

	nic->trusts = strcmp(word, "none") ? 1 : 0;
	nic->trust[0] = strcmp(word, "dscp") ? pcp : dscp;
	return 0;
}

static int set_number(struct labnic *nic, const char *what, u64 number)
{
	if (!strcmp(what, "bits"))
		nic->bits = number;
	else if (!strcmp(what, "speed"))
		nic->speed_mbps = number;
	else if (!strcmp(what, "dcb"))
		set_dcb(nic, number);
	else if (!strcmp(what, "deny"))
		nic->denied = number;
	else
		return -EINVAL;
	return 0;
}

static int set_counter(struct labnic *nic, const char *verb, const char *name, u64 number)
{
	int index = find_counter(nic, name);
	struct labnic_counter *counter;

	if (index < 0)
		return index;
	counter = &nic->counters[index];
	spin_lock_bh(&nic->lock);
	counter->base = strcmp(verb, "set") ? now_of(counter) : number;
	counter->since_ns = ktime_get_ns();
	if (!strcmp(verb, "grow"))
		counter->per_s = number;
	else if (!strcmp(verb, "add"))
		counter->base += number;
	spin_unlock_bh(&nic->lock);
	return 0;
}

static void reset(struct labnic *nic)
{
	spin_lock_bh(&nic->lock);
	for (unsigned int i = 0; i < nic->count; i++) {
		nic->counters[i].base = 0;
		nic->counters[i].since_ns = ktime_get_ns();
	}
	spin_unlock_bh(&nic->lock);
}

static int new_nic(char **words)
{
	const struct labnic_kind *kind = labnic_kinds;

	while (kind->name && strcmp(kind->name, words[2]))
		kind++;
	if (!kind->name || find_nic(words[1]))
		return -EINVAL;
	return add_nic(words[1], kind, words[3] && !strcmp(words[3], "rdma"));
}

/* new NIC KIND [rdma] | remove NIC | reset NIC | wire NIC NIC | trust NIC WORD | set|add|grow NIC COUNTER
 * NUMBER | bits|speed|dcb|deny NIC NUMBER */
static int obey(char **words)
{
	struct labnic *nic;
	u64 number;

	if (!words[1])
		return -EINVAL;
	if (!strcmp(words[0], "new"))
		return words[2] ? new_nic(words) : -EINVAL;
	nic = find_nic(words[1]);
	if (!nic)
		return -ENODEV;
	if (!strcmp(words[0], "remove")) {
		remove_nic(nic);
		return 0;
	}
	if (!strcmp(words[0], "reset")) {
		reset(nic);
		return 0;
	}
	if (!words[2])
		return -EINVAL;
	if (!strcmp(words[0], "wire"))
		return wire(nic, words[2]);
	if (!strcmp(words[0], "trust"))
		return set_trust(nic, words[2]);
	if (kstrtou64(words[3] ? words[3] : words[2], 10, &number))
		return -EINVAL;
	if (words[3])
		return set_counter(nic, words[0], words[2], number);
	return set_number(nic, words[0], number);
}

static ssize_t control_write(
	struct file *file, const char __user *from, size_t size, loff_t *at)
{
	char line[160], *rest = line, *words[5] = {};
	int count = 0, err;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	strim(line);
	while (rest && count < 4) {
		words[count] = strsep(&rest, " ");
		count += *words[count] != '\0';
	}
	mutex_lock(&nics_lock);
	err = obey(words);
	mutex_unlock(&nics_lock);
	return err ? err : size;
}

static const struct file_operations control_ops = {
	.owner = THIS_MODULE,
	.write = control_write,
};

/* So that /sys/class/net/NIC/device/driver has the name of the driver that is played. */
static struct platform_driver drivers[] = {
	{ .driver = { .name = "mlx5_core" } },
	{ .driver = { .name = "bnxt_en" } },
};

static int __init labnic_init(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(drivers); i++) {
		int err = platform_driver_register(&drivers[i]);

		if (err) {
			while (i--)
				platform_driver_unregister(&drivers[i]);
			return err;
		}
	}
	folder = debugfs_create_dir("labnic", NULL);
	debugfs_create_file("control", 0200, folder, NULL, &control_ops);
	return 0;
}

static void __exit labnic_exit(void)
{
	struct labnic *nic, *next;

	debugfs_remove(folder);
	list_for_each_entry_safe(nic, next, &nics, list) remove_nic(nic);
	for (unsigned int i = 0; i < ARRAY_SIZE(drivers); i++)
		platform_driver_unregister(&drivers[i]);
}

module_init(labnic_init);
module_exit(labnic_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("network cards for the tests of weft");
