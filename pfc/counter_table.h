/*
 * counter_table - what the counters of each driver mean: adding a driver is
 * adding rows.
 *
 * A rule asks for a meaning and a priority, never for a name. Direction is as
 * seen from the port that counts: PAUSE_RX means that the other end told this
 * port to stop, PAUSE_TX that this port told the other end.
 *
 * Sources: Linux 6.1 and 6.12 drivers (mlx5 en_stats.c, counters.c; bnxt_en
 * bnxt_ethtool.c, bnxt_re hw_counters.c; hns3 hns3_ethtool.c, hclge_main.c; ice
 * ice_ethtool.c; irdma verbs.c; ionic ionic_stats.c; rxe_hw_counters.c; mlx4);
 * SONiC show commands; hccn_tool of the Ascend driver.
 */
#ifndef PFC_COUNTER_TABLE_H
#define PFC_COUNTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum meaning {
	MEANS_NOTHING, /* known by name, used by no rule */
	MEANS_PFC_RX,  /* PFC frames received for a priority, or for all (priority -1) */
	MEANS_PFC_TX,
	MEANS_PFC_RX_TIME, /* time that the peer held this port */
	MEANS_PFC_TX_TIME, /* time that this port held the peer */
	MEANS_STORM,       /* the device's own watchdog saw a pause without end */
	MEANS_PAUSE_RX,    /* 802.3x frames */
	MEANS_PAUSE_TX,
	MEANS_PAUSE_RX_TIME,
	MEANS_PAUSE_TX_TIME,
	MEANS_PRIO_RX, /* packets of a priority */
	MEANS_PRIO_TX,
	MEANS_PRIO_RX_BYTES,
	MEANS_PRIO_TX_BYTES,
	MEANS_CE_RX,       /* RoCE packets that came marked: receiver */
	MEANS_CNP_TX,      /* notifications sent: receiver */
	MEANS_CNP_RX,      /* notifications used: sender */
	MEANS_CNP_IGNORED, /* notifications not used: sender */
	MEANS_OOS,         /* gap in the sequence: receiver */
	MEANS_SEQ_NAK,     /* NAK for a gap: sender */
	MEANS_TIMEOUT,     /* no acknowledgement in time: sender */
	MEANS_RETRANSMIT,  /* sent again, whatever the cause: sender */
	MEANS_RETRY_EXCEEDED,
	MEANS_RNR,       /* the receiver had no buffer posted: not the network */
	MEANS_DUPLICATE, /* request seen twice: receiver */
	MEANS_ICRC,      /* packets with a bad ICRC */
	MEANS_RX_DROP,   /* dropped on arrival at the port, for want of buffer */
	MEANS_PRIO_DROP, /* the same for a priority */
	MEANS_TX_DROP,
	MEANS_WRED_DROP,     /* dropped by a queue's WRED */
	MEANS_PG_DROP,       /* dropped in a switch's priority group */
	MEANS_CRC,           /* frames with a bad FCS */
	MEANS_SYMBOL,        /* symbol errors behind the FEC */
	MEANS_FEC_CORRECTED, /* normal on PAM4 */
	MEANS_FEC_UNCORRECTED,
	MEANS_RAW_BER,
	MEANS_LINK_DOWN,       /* link losses */
	MEANS_CARRIER_CHANGES, /* up and down count one each */
	MEANS_RX,              /* packets */
	MEANS_TX,
	MEANS_RX_BYTES,
	MEANS_TX_BYTES,
	MEANS_PCI_STALL, /* percent of the last second that PCIe held the NIC */
	MEANINGS
};

enum counter_unit {
	UNIT_COUNT,
	UNIT_US,
	UNIT_BYTES,
	UNIT_WORDS, /* of 4 bytes */
	UNIT_PERCENT,
	UNIT_UNSTATED, /* a time in a unit that no document states: no share of it is formed */
};

struct counter_row {
	const char *driver; /* "mlx5", "bnxt", ... */
	char where; /* S ethtool -S, H hw_counters and rdma statistic, C counters, N netdev,
			       E ethtool netlink, W switch, A hccn_tool, P people's words */
	const char *name; /* N stands for the priority */
	enum meaning means;
	enum counter_unit unit;
	unsigned bits;    /* width in hardware; a smaller delta than 0 may be a wrap at 32 */
	const char *note; /* what the number does not mean; "" */
};

/* All rows, ended by a NULL name. */
extern const struct counter_row counter_rows[];

/* The row for a name as a tool printed it: trailing blanks, ".nic", "[0]: " and
 * letter case are dealt with. *priority is -1 where the name has none. NULL for
 * names that no row knows. */
const struct counter_row *counter_find(const char *name, int *priority);

/* The same among the rows of a place and of a driver, as ethtool -i calls it; driver NULL:
 * of any. A row of "any" driver fits all. */
const struct counter_row *counter_find_of(
	const char *name, char where, const char *driver, int *priority);

/* Whether the table has rows of a driver, as ethtool -i calls it. */
bool counter_knows(const char *driver);

/* How old a reading may be: hw_counters are renewed by the kernel every 10 ms, ice's
 * statistics by its driver every second. 0: as fresh as the reading. */
uint64_t counter_age_ns(const struct counter_row *row);

const char *meaning_name(enum meaning means);

#endif
