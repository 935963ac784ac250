/*
 * ethtool - pause, FEC, speed and driver of one interface, by ethtool netlink and, for
 * the driver, by ioctl.
 *
 * A statistic that a driver does not fill is left out of the answer: has_* says
 * whether it came. Sources: Linux 6.1 include/uapi/linux/ethtool_netlink.h, ethtool.h.
 */
#ifndef LIB_ETHTOOL_H
#define LIB_ETHTOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/host.h"

#define ETHTOOL_TEXT 33

struct diag;
struct netlink;

struct ethtool_driver {
	char driver[ETHTOOL_TEXT], version[ETHTOOL_TEXT], firmware[ETHTOOL_TEXT],
		bus[ETHTOOL_TEXT]; /* bus: PCI address */
};

struct ethtool_pause { /* 802.3x, not PFC */
	bool has_autoneg, has_rx, has_tx;
	bool autoneg, rx, tx;
	bool has_rx_frames, has_tx_frames;
	uint64_t rx_frames, tx_frames;
};

struct ethtool_fec {
	bool has_active;
	char active[8]; /* "rs", "baser", "llrs" or "off" */
	bool automatic;
	bool has_corrected, has_uncorrected, has_bits;
	uint64_t corrected_blocks, uncorrected_blocks, corrected_bits;
};

struct ethtool_link {
	bool has_speed; /* false: the link is down, or the driver does not tell */
	uint64_t speed_bps;
	uint32_t lanes; /* 0: not told */
	bool has_link, link;
	bool has_down_events;
	uint32_t down_events;
};

/* Parsers of one answer each. Return 0, the kernel's errno when the answer is an error,
 * or -EBADMSG when it holds no such message. */
int ethtool_parse_pause(struct ethtool_pause *pause, const uint8_t *bytes, size_t size);
int ethtool_parse_fec(struct ethtool_fec *fec, const uint8_t *bytes, size_t size);
int ethtool_parse_modes(struct ethtool_link *link, const uint8_t *bytes, size_t size);
int ethtool_parse_state(struct ethtool_link *link, const uint8_t *bytes, size_t size);

/* Ask and parse. Return 0 or a negative errno with a sentence. */
int ethtool_pause_read(struct netlink *netlink, const char *netdev, struct ethtool_pause *pause,
	struct diag *diag);
int ethtool_fec_read(struct netlink *netlink, const char *netdev, struct ethtool_fec *fec,
	struct diag *diag);
int ethtool_link_read(struct netlink *netlink, const char *netdev, struct ethtool_link *link,
	struct diag *diag);

int ethtool_driver_read(const struct host *host, const char *netdev,
	struct ethtool_driver *driver, struct diag *diag);

#endif
