/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/netlink.h"
#include "lib/units.h"

/* Younger than the headers of Linux 6.1. */
#define ATTR_LINKSTATE_DOWN_EVENTS 7u
/* Without this flag the kernel leaves the statistics out. */
#define FLAG_STATS (1u << 2)
#define FLAG_COMPACT (1u << 0)

/* The attributes of the first message of this command, behind its generic header. */
static int find_reply(
	const uint8_t *bytes, size_t size, uint8_t command, struct netlink_attr *attrs)
{
	struct netlink_message message;
	int err = netlink_error(bytes, size);

	if (err)
		return err;
	for (size_t at = 0; netlink_next(bytes, size, &at, &message);) {
		if (message.type < NLMSG_MIN_TYPE || message.size < GENL_HDRLEN ||
			message.body[0] != command)
			continue;
		*attrs = (struct netlink_attr){ .data = message.body + GENL_HDRLEN,
			.size = message.size - GENL_HDRLEN };
		return 0;
	}
	return -EBADMSG;
}

static bool find_flag(const struct netlink_attr *attrs, uint16_t type, bool *flag)
{
	struct netlink_attr attr;

	if (!netlink_find(attrs->data, attrs->size, type, &attr) || attr.size < 1)
		return false;
	*flag = netlink_u8(&attr) != 0;
	return true;
}

static bool find_u32(const struct netlink_attr *attrs, uint16_t type, uint32_t *number)
{
	struct netlink_attr attr;

	if (!netlink_find(attrs->data, attrs->size, type, &attr) || attr.size < 4)
		return false;
	*number = netlink_u32(&attr);
	return true;
}

/* Also the first of an array: FEC counts have their total there. */
static bool find_u64(const struct netlink_attr *attrs, uint16_t type, uint64_t *number)
{
	struct netlink_attr attr;

	if (!netlink_find(attrs->data, attrs->size, type, &attr) || attr.size < 8)
		return false;
	*number = netlink_u64(&attr);
	return true;
}

int ethtool_parse_pause(struct ethtool_pause *pause, const uint8_t *bytes, size_t size)
{
	struct netlink_attr attrs, stats;
	int err = find_reply(bytes, size, ETHTOOL_MSG_PAUSE_GET_REPLY, &attrs);

	if (err)
		return err;
	memset(pause, 0, sizeof(*pause));
	pause->has_autoneg = find_flag(&attrs, ETHTOOL_A_PAUSE_AUTONEG, &pause->autoneg);
	pause->has_rx = find_flag(&attrs, ETHTOOL_A_PAUSE_RX, &pause->rx);
	pause->has_tx = find_flag(&attrs, ETHTOOL_A_PAUSE_TX, &pause->tx);
	if (!netlink_find(attrs.data, attrs.size, ETHTOOL_A_PAUSE_STATS, &stats))
		return 0;
	pause->has_tx_frames =
		find_u64(&stats, ETHTOOL_A_PAUSE_STAT_TX_FRAMES, &pause->tx_frames);
	pause->has_rx_frames =
		find_u64(&stats, ETHTOOL_A_PAUSE_STAT_RX_FRAMES, &pause->rx_frames);
	return 0;
}

/* The numbers of enum ethtool_link_mode_bit_indices. */
static const char *fec_name(uint32_t bit)
{
	switch (bit) {
	case ETHTOOL_LINK_MODE_FEC_NONE_BIT:
		return "off";
	case ETHTOOL_LINK_MODE_FEC_RS_BIT:
		return "rs";
	case ETHTOOL_LINK_MODE_FEC_BASER_BIT:
		return "baser";
	case ETHTOOL_LINK_MODE_FEC_LLRS_BIT:
		return "llrs";
	default:
		return NULL;
	}
}

int ethtool_parse_fec(struct ethtool_fec *fec, const uint8_t *bytes, size_t size)
{
	struct netlink_attr attrs, stats;
	int err = find_reply(bytes, size, ETHTOOL_MSG_FEC_GET_REPLY, &attrs);
	const char *name = NULL;
	uint32_t bit;

	if (err)
		return err;
	memset(fec, 0, sizeof(*fec));
	if (find_u32(&attrs, ETHTOOL_A_FEC_ACTIVE, &bit))
		name = fec_name(bit);
	if (name) {
		fec->has_active = true;
		snprintf(fec->active, sizeof(fec->active), "%s", name);
	}
	find_flag(&attrs, ETHTOOL_A_FEC_AUTO, &fec->automatic);
	if (!netlink_find(attrs.data, attrs.size, ETHTOOL_A_FEC_STATS, &stats))
		return 0;
	fec->has_corrected =
		find_u64(&stats, ETHTOOL_A_FEC_STAT_CORRECTED, &fec->corrected_blocks);
	fec->has_uncorrected =
		find_u64(&stats, ETHTOOL_A_FEC_STAT_UNCORR, &fec->uncorrected_blocks);
	fec->has_bits = find_u64(&stats, ETHTOOL_A_FEC_STAT_CORR_BITS, &fec->corrected_bits);
	return 0;
}

int ethtool_parse_modes(struct ethtool_link *link, const uint8_t *bytes, size_t size)
{
	struct netlink_attr attrs;
	int err = find_reply(bytes, size, ETHTOOL_MSG_LINKMODES_GET_REPLY, &attrs);
	uint32_t mbps = 0;

	if (err)
		return err;
	link->has_speed = find_u32(&attrs, ETHTOOL_A_LINKMODES_SPEED, &mbps) && mbps > 0 &&
			  mbps != (uint32_t)SPEED_UNKNOWN;
	link->speed_bps = link->has_speed ? (uint64_t)mbps * 1000000 : 0;
	link->lanes = 0;
	find_u32(&attrs, ETHTOOL_A_LINKMODES_LANES, &link->lanes);
	return 0;
}

int ethtool_parse_state(struct ethtool_link *link, const uint8_t *bytes, size_t size)
{
	struct netlink_attr attrs;
	int err = find_reply(bytes, size, ETHTOOL_MSG_LINKSTATE_GET_REPLY, &attrs);

	if (err)
		return err;
	link->has_link = find_flag(&attrs, ETHTOOL_A_LINKSTATE_LINK, &link->link);
	link->has_down_events =
		find_u32(&attrs, ATTR_LINKSTATE_DOWN_EVENTS, &link->down_events);
	return 0;
}

/* Every command's header is attribute 1. */
#define ATTR_HEADER 1u

static int ask(struct netlink *netlink, const char *what, const char *netdev, uint8_t command,
	struct netlink_answer *answer, struct diag *diag)
{
	struct netlink_question question = { .family = NETLINK_OF_ETHTOOL, .type = command };
	uint32_t flags = FLAG_STATS | FLAG_COMPACT;
	size_t nest;

	snprintf(question.name, sizeof(question.name), "%s-%.40s", what, netdev);
	nest = netlink_nest(&question, ATTR_HEADER);
	netlink_put_attr(&question, ETHTOOL_A_HEADER_DEV_NAME, netdev, strlen(netdev) + 1);
	netlink_put_attr(&question, ETHTOOL_A_HEADER_FLAGS, &flags, sizeof(flags));
	netlink_nest_end(&question, nest);
	return netlink_ask(netlink, &question, answer, diag);
}

int ethtool_pause_read(struct netlink *netlink, const char *netdev, struct ethtool_pause *pause,
	struct diag *diag)
{
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err = ask(netlink, "pause", netdev, ETHTOOL_MSG_PAUSE_GET, &answer, diag);

	if (!err)
		err = ethtool_parse_pause(pause, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

int ethtool_fec_read(
	struct netlink *netlink, const char *netdev, struct ethtool_fec *fec, struct diag *diag)
{
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err = ask(netlink, "fec", netdev, ETHTOOL_MSG_FEC_GET, &answer, diag);

	if (!err)
		err = ethtool_parse_fec(fec, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

int ethtool_link_read(struct netlink *netlink, const char *netdev, struct ethtool_link *link,
	struct diag *diag)
{
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	struct ethtool_link found = { .has_speed = false };
	int modes, state;

	modes = ask(netlink, "modes", netdev, ETHTOOL_MSG_LINKMODES_GET, &answer, diag);
	if (!modes)
		modes = ethtool_parse_modes(&found, answer.bytes, answer.size);
	state = ask(netlink, "state", netdev, ETHTOOL_MSG_LINKSTATE_GET, &answer, diag);
	if (!state)
		state = ethtool_parse_state(&found, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	if (modes && state)
		return modes;
	*link = found;
	return 0;
}

static int driver_of(const char *netdev, struct ethtool_drvinfo *info)
{
	struct ifreq request = { .ifr_data = (void *)info };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	info->cmd = ETHTOOL_GDRVINFO;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%.15s", netdev);
	if (ioctl(fd, SIOCETHTOOL, &request) < 0)
		err = -errno;
	close(fd);
	return err;
}

int ethtool_driver_read(const struct host *host, const char *netdev,
	struct ethtool_driver *driver, struct diag *diag)
{
	struct ethtool_drvinfo info = { .cmd = 0 };
	char name[2 * HOST_NAME];
	int err;

	snprintf(name, sizeof(name), "ethtool/%.63s.driver", netdev);
	if (host->root) {
		err = host_recorded(host, name, &info, sizeof(info));
		if (err >= 0)
			err = err == (int)sizeof(info) ? 0 : -EBADMSG;
	} else {
		err = driver_of(netdev, &info);
		if (!err)
			host_record(host, name, &info, sizeof(info));
		else
			host_record_error(host, name, err);
	}
	if (err)
		return diag_system(diag, err, "%.63s: driver", netdev);
	snprintf(driver->driver, ETHTOOL_TEXT, "%.32s", info.driver);
	snprintf(driver->version, ETHTOOL_TEXT, "%.32s", info.version);
	snprintf(driver->firmware, ETHTOOL_TEXT, "%.32s", info.fw_version);
	snprintf(driver->bus, ETHTOOL_TEXT, "%.32s", info.bus_info);
	return 0;
}
