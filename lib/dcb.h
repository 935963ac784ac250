/*
 * dcb - data centre bridging of one interface, as its driver tells it over dcbnl.
 *
 * Each part is there or it is not: has_pfc false means that the driver did not answer,
 * never that PFC is off. A driver without dcbnl answers -EOPNOTSUPP to all: such an
 * interface cannot be audited this way.
 *
 * What the counts of struct dcb_pfc do not mean: mlx5 gives a cached copy that only a
 * reading of its statistics (lib/driverstats.h) renews.
 *
 * Layouts: Linux 6.1 include/uapi/linux/dcbnl.h; IEEE 802.1Qaz and 802.1Qbb.
 */
#ifndef LIB_DCB_H
#define LIB_DCB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DCB_PRIORITIES 8u
#define DCB_APPS_MAX 256u

struct diag;
struct netlink;

enum dcb_selector {           /* of an entry of the application table */
	DCB_BY_ETHERTYPE = 1, /* protocol 0: the default priority */
	DCB_BY_STREAM_PORT = 2,
	DCB_BY_DGRAM_PORT = 3,
	DCB_BY_PORT = 4,
	DCB_BY_DSCP = 5,
	DCB_BY_PCP = 255,
};

enum dcb_tsa { DCB_STRICT = 0, DCB_CBS = 1, DCB_ETS = 2, DCB_VENDOR = 255 };

struct dcb_pfc {
	uint8_t capacity;                     /* how many priorities may have PFC at once */
	uint8_t enabled;                      /* bit N: priority N */
	uint16_t delay;                       /* mlx5: cable length in metres */
	uint64_t requests[DCB_PRIORITIES];    /* PFC frames sent: we told the peer to stop */
	uint64_t indications[DCB_PRIORITIES]; /* PFC frames received */
};

struct dcb_ets {
	bool willing;
	uint8_t classes;                    /* how many the hardware has */
	uint8_t percent[DCB_PRIORITIES];    /* of traffic class: share of the line */
	uint8_t tsa[DCB_PRIORITIES];        /* of traffic class: enum dcb_tsa */
	uint8_t prio_class[DCB_PRIORITIES]; /* of priority: its traffic class */
};

struct dcb_buffer {
	uint8_t prio_buffer[DCB_PRIORITIES];
	uint32_t size_bytes[DCB_PRIORITIES];
	uint32_t total_bytes;
};

struct dcb_entry {
	uint8_t selector, priority;
	uint16_t protocol; /* DSCP, port or ethertype, in host order */
};

/* Bits of struct dcb.dcbx. */
#define DCB_DCBX_HOST 0x01u
#define DCB_DCBX_LLD_MANAGED 0x02u /* firmware owns the settings */
#define DCB_DCBX_CEE 0x04u
#define DCB_DCBX_IEEE 0x08u
#define DCB_DCBX_STATIC 0x10u

struct dcb {
	bool has_pfc, has_ets, has_buffer, has_apps, has_trust, has_dcbx, has_peer_pfc;
	struct dcb_pfc pfc;
	struct dcb_pfc peer_pfc; /* what the other end said, where firmware tells */
	struct dcb_ets ets;
	struct dcb_buffer buffer;
	struct dcb_entry apps[DCB_APPS_MAX]; /* in the kernel's order */
	uint32_t app_count, apps_dropped;    /* dropped: beyond DCB_APPS_MAX */
	uint8_t trust[4];                    /* selectors in order, from Linux 6.2 on */
	uint32_t trust_count;
	uint8_t dcbx;
};

/* Parses an answer to DCB_CMD_IEEE_GET. Parts that are shorter than their layout are
 * left out. Returns 0, the kernel's errno when the answer is one, or -EBADMSG when it
 * holds no dcbnl message. */
int dcb_parse(struct dcb *dcb, const uint8_t *bytes, size_t size);

/* Asks for all parts of one interface. */
int dcb_read(struct netlink *netlink, const char *netdev, struct dcb *dcb, struct diag *diag);

/* Priority of a DSCP by the table: an entry for it, else the default priority, else
 * 0. Only what a port that trusts DSCP does. */
uint8_t dcb_priority_of_dscp(const struct dcb *dcb, uint8_t dscp);

/* Whether the port goes by DSCP: by the trust order where the kernel tells it, else
 * inferred (mlx5 does so from the first DSCP entry on). */
bool dcb_trusts_dscp(const struct dcb *dcb);

#endif
