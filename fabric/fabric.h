/*
 * fabric - what was built: hosts, NICs, leaves, spines, ports, links, the
 * lossless policy, the limits to pass and, for a simulation, the faults.
 *
 * The expansion of a fabric file. All names are derived: "leaf1", "spine2",
 * "host17"; a port is "leaf1:9" (numbers from 1); a NIC is a port of a host,
 * "host17:2", or "host17" where the host has one NIC. A link is its two ends,
 * "leaf1:9-spine2:1", switch tiers upward (host-leaf links: host first).
 *
 * Leaf ports are numbered: host-facing first, then the uplinks ordered by spine
 * and, for parallel links, by cable. With R rails a group of R leaves serves the
 * same hosts: NIC r of a host goes to the r-th leaf of its group.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pfc/policy.h"

#define NAME_BYTES 32
#define PORT_NONE UINT32_MAX

enum node_kind { NODE_HOST, NODE_LEAF, NODE_SPINE };

struct node {
	enum node_kind kind;
	uint32_t number;     /* in its kind, from 1 */
	uint32_t first_port; /* into fabric.ports */
	uint32_t port_count;
	char name[NAME_BYTES];
};

struct port {
	uint32_t node;
	uint32_t number; /* from 1 */
	uint32_t link;   /* PORT_NONE: nothing plugged in */
	uint32_t peer;   /* port at the other end; PORT_NONE likewise */
	uint32_t nic;    /* index of the NIC, or PORT_NONE on switches */
};

struct link {
	uint32_t a, b; /* ports; a is the lower tier (host, or leaf under a spine) */
	uint64_t speed_bps;
	uint32_t length_m; /* 5 ns a metre */
};

enum fault_kind {
	FAULT_LOSS,    /* link or port: each packet lost with this probability */
	FAULT_RATE,    /* link or port: sends at this share of its speed */
	FAULT_DOWN,    /* link: no carrier */
	FAULT_FLAP,    /* link: down for `amount_ns` every `period_ns` */
	FAULT_PFC_OFF, /* switch or port: neither sends nor obeys PFC */
	FAULT_DSCP_MAP, /* switch: the policy's DSCP is put in `priority`; NIC: sends with DSCP 0 */
	FAULT_ECN_OFF,       /* switch or port: never marks */
	FAULT_SLOW_RECEIVER, /* NIC: drains at this share of its speed */
	FAULT_PAUSE_STORM,   /* NIC: sends XOFF without end */
	/* Of a link, or of the direction that leaves a port. */
	FAULT_BURST_LOSS, /* this share lost, `burst` packets in a row on the mean */
	FAULT_CORRUPT,    /* this share arrives with a wrong ICRC */
	FAULT_CNP_LOSS,   /* this share of CNPs lost */
	FAULT_DELAY,      /* takes `amount_ns` longer */
	FAULT_SWAP,       /* link: its upper end changes places with that of `other` */
	/* Of a switch or one of its ports; FAULT_MTU also of a NIC. */
	FAULT_MTU,          /* takes in no IP packet above `amount_count` bytes */
	FAULT_XOFF,         /* XOFF at `amount_count` bytes */
	FAULT_HEADROOM,     /* this share of the headroom */
	FAULT_ALPHA,        /* XOFF at this share of the free buffer */
	FAULT_ECN,          /* thresholds times this */
	FAULT_SCHEDULER,    /* lossless priority: this share of turns while others wait */
	FAULT_WATCHDOG,     /* detection time `amount_ns` */
	FAULT_WATCHDOG_OFF, /* none */
	FAULT_POLICER,      /* takes in this share of the speed, and drops the rest */
	FAULT_DROP_SIZE,    /* loses frames above `amount_count` bytes, uncounted */
	FAULT_DROP_FLOWS,   /* loses this share of 5-tuples, uncounted */
	FAULT_BLACK_HOLE,   /* discards what should leave there */
	/* Of a switch. */
	FAULT_SAME_HASH, /* all that have it pick by one seed: polarised */
	FAULT_PAIR_HASH, /* ECMP without the UDP source port */
	FAULT_SPRAY,     /* ECMP by packet */
	FAULT_CNP_MAP,   /* CNPs are put in `priority`; NIC: sent with the data's DSCP */
	/* Of a port between switches. */
	FAULT_ROUTE_MISSING, /* in no route group of its switch */
	FAULT_ROUTE,         /* the only way of its switch towards a leaf */
	/* Of a NIC. */
	FAULT_CC_OFF,        /* ignores CNPs */
	FAULT_CNP_OFF,       /* sends none */
	FAULT_CNP_PERIOD,    /* least time between CNPs of a flow `amount_ns` */
	FAULT_CC_STEP,       /* rate steps up by this many times the policy's */
	FAULT_TIMEOUT,       /* ACK timeout t = `amount_count` */
	FAULT_BACK_TO_ZERO,  /* a loss starts the whole message again */
	FAULT_SLOW_RECOVERY, /* waits `amount_ns` after a NAK */
	FAULT_SLOW_POST,     /* host: posts each step of a collective `amount_ns` late */
	FAULT_STALL,         /* host: posts nothing */
	FAULT_RISING_LOSS, /* link or port: loss that grows to `amount_ppb` over `period_ns` */
	FAULT_WATCHDOG_FORWARD, /* switch or port: its watchdog sends on instead of dropping */
	FAULT_RNR,              /* NIC: this share of messages finds no receive posted */
	FAULT_LOOPBACK, /* NIC: traffic of the host with itself takes this share of its line */
	FAULT_SLOW_RESTART, /* NIC: after a loss goes on at this share of its line */
	FAULT_KINDS
};

struct fault {
	enum fault_kind kind;
	/* Of the next three those of the place are set, the rest is PORT_NONE. A switch:
	 * node. A port of a switch: port. A link: link. A NIC as the place of a kind
	 * that works on NICs: its host as node and its port as port. */
	uint32_t node;
	uint32_t port;           /* the one direction that leaves this port */
	uint32_t link;           /* both directions */
	uint64_t from_ns, to_ns; /* on the run's clock; to_ns UINT64_MAX: to the end */
	uint64_t amount_ppb;     /* loss probability, or share of the speed that is left */
	uint64_t amount_ns, period_ns;
	uint64_t amount_count;      /* bytes, or t of a timeout */
	uint32_t burst;             /* packets */
	uint32_t other;             /* link of FAULT_SWAP */
	uint32_t towards;           /* leaf of FAULT_ROUTE, from 0 */
	uint8_t priority;           /* where FAULT_DSCP_MAP and FAULT_CNP_MAP put the traffic */
	uint32_t line;              /* in the file */
	char place[2 * NAME_BYTES]; /* as given */
};

/* "loss", "rate", ...: as in the file. */
const char *fault_kind_name(enum fault_kind kind);

/* What a run must reach. 0 in the file means the default; sources:
 * facts in docs/limits.md. */
struct limits {
	uint64_t bandwidth_ppb; /* of line rate less framing, per pair; 0.95 */
	uint64_t busbw_ppb;     /* of line rate less framing, ring; 0.90 */
	uint64_t oversub_ppb;   /* hosts : uplinks allowed; 1.0 */
	uint64_t loss_ppb;      /* allowed loss in the lossless class; 0 */
	uint64_t
		victim_ppb; /* least goodput of a victim against its own without incast; 0.75 */
	uint64_t spread_ppb; /* of repeats, and of incast flows' rates; 0.30 for fairness */
	uint64_t spike_ppb;  /* step time above the median that is a spike; 0.10 */
};

/* Which machine and RDMA device stand behind a NIC, for backends that drive real
 * ones; "" where the file does not say. */
struct binding {
	uint32_t nic;
	char host[64];
	char device[32];
};

#define FABRIC_PLANE "parameter"

struct fabric {
	char name[64];
	char plane[32];     /* FABRIC_PLANE unless named */
	struct node *nodes; /* hosts, then leaves, then spines */
	uint32_t node_count, hosts, leaves, spines;
	struct port *ports;
	uint32_t port_count;
	struct link *links;
	uint32_t link_count;
	uint32_t *nics; /* NIC index -> port */
	uint32_t nic_count;
	uint32_t rails;     /* NICs a host */
	uint32_t mtu_bytes; /* RoCE MTU: payload of a packet; 4096 */
	bool proof_hosts; /* asked is what hosts can measure alone; else what switches tell too */
	uint64_t switch_ns, nic_ns; /* latency of a switch, of a NIC (each side) */
	uint64_t obey_ns;           /* from an XOFF that is in to the last packet begun; 0 */
	uint64_t reroute_ns;        /* from loss of carrier to new forwarding tables; 1 ms */
	struct policy policy;
	struct limits limits;
	struct fault *faults;
	uint32_t fault_count;
	struct binding *bindings; /* ascending by NIC */
	uint32_t binding_count;
	char *text; /* the file, as read */
	size_t text_bytes;
};

#define FABRIC_INIT                                                                            \
	{                                                                                      \
		.nodes = NULL                                                                  \
	}

void fabric_free(struct fabric *fabric); /* safe on FABRIC_INIT, safe twice */

static inline uint32_t fabric_leaf_node(const struct fabric *fabric, uint32_t leaf)
{
	return fabric->hosts + leaf;
}

static inline uint32_t fabric_spine_node(const struct fabric *fabric, uint32_t spine)
{
	return fabric->hosts + fabric->leaves + spine;
}

/* The leaf (0-based) that a NIC hangs on, or PORT_NONE when it has no cable. */
uint32_t fabric_nic_leaf(const struct fabric *fabric, uint32_t nic);

/* Speed of the NIC's link; 0 when it has no cable. */
uint64_t fabric_nic_bps(const struct fabric *fabric, uint32_t nic);

/* Names as in the comment on top; text holds at least 2 * NAME_BYTES. */
void fabric_port_name(const struct fabric *fabric, uint32_t port, char *text);
void fabric_nic_name(const struct fabric *fabric, uint32_t nic, char *text);
void fabric_link_name(const struct fabric *fabric, uint32_t link, char *text);

/* The reverse: node, port or link by name. Return the index, or PORT_NONE.
 * fabric_find_link() also takes "leaf1-spine2" where one cable joins the two. */
uint32_t fabric_find_node(const struct fabric *fabric, const char *name);
uint32_t fabric_find_port(const struct fabric *fabric, const char *name);
uint32_t fabric_find_link(const struct fabric *fabric, const char *name);

/* Headroom of a port at this link: the policy's own figure, or the formula of pfc/headroom.h;
 * between switches whose latency is longer than the formula gives a peer to obey, with what
 * they still send meanwhile. */
uint64_t fabric_headroom(const struct fabric *fabric, uint32_t link);

#endif
