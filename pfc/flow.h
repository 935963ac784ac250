/*
 * flow - one direction of a RoCE conversation, and the table that holds them.
 *
 * A flow is source, destination, UDP ports and destination QP, as reports list
 * it. PSNs belong to (source, destination, QP) whatever the source port is: a CNP
 * may come from port 0, and some NICs spread a QP over ports. So the first flow
 * of these three is the main one and keeps the books of PSNs; flows of other
 * ports point to it. Each tap (place where was captured) has its own.
 *
 * A flow is of constant size. The table holds a given number of them; when it is
 * full, those idle longest are closed: judged, added to a sum, and forgotten.
 */
#ifndef PFC_FLOW_H
#define PFC_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pfc/psn.h"
#include "pfc/roce.h"

#define FLOW_NONE UINT32_MAX
/* Source ports of one QP that are told apart; further ones count for the main. */
#define FLOW_PORTS_MAX 16u
#define FLOW_DSCPS 2u
/* READ requests that wait for responses and are remembered; QPs allow 16 to 128. */
#define FLOW_READS 32u
#define FLOW_SERIES 64u
#define FLOW_LOG2 34u

enum flow_family {
	FLOW_IPV4,
	FLOW_IPV6,
	FLOW_GID, /* RoCE v1 */
};

struct flow_key {
	uint8_t src[16], dst[16]; /* IPv4 in the first four, rest 0 */
	uint32_t qp;
	uint16_t tap;
	uint8_t family;
	uint8_t zero;
};

/* What is kept for the first flows only: a few KiB each. Times, sizes and rates are
 * counted by their binary logarithm: [n] holds 2^n .. 2^(n+1)-1, [0] also 0. */
struct flow_detail {
	uint32_t opcodes[32]; /* by operation; class is the flow's */
	uint32_t message_log2[FLOW_LOG2];
	uint32_t ack_ns_log2[FLOW_LOG2];
	uint64_t series_width_ns; /* doubles when the series is full */
	unsigned series_shift;    /* how often it has doubled */
	unsigned series_at;       /* place of the packet before, which began then */
	uint64_t series_at_ns;
	uint64_t series_bytes[FLOW_SERIES];
	uint32_t series_ce[FLOW_SERIES];
	uint32_t series_cnps[FLOW_SERIES];

	uint64_t timed_ns; /* one request at a time is timed until its ACK; 0: none */
	uint32_t timed_psn, ack_times;
	uint64_t ack_ns_sum, ack_ns_max, ack_ns_min;

	uint64_t messages, message_bytes, message_bytes_max, message_so_far;

	uint64_t rate_start_ns;
	uint64_t rate_bytes, rate_before; /* bytes of this window and of the last */
	uint64_t cnp_bytes_before, cnp_bytes_after;
	uint32_t cnp_windows;
	uint8_t cnp_state; /* 0; 1: a CNP in this window; 2: the window after one */
};

struct flow_reads {
	uint32_t psn[FLOW_READS], bytes[FLOW_READS];
	uint32_t again
		[FLOW_READS]; /* asked for again from so far behind psn on, or UINT32_MAX */
	uint32_t begun;       /* a bit a place: the responses from there on come again */
	uint32_t count;       /* all ever; the ring holds the last */
};

/* What most flows have nothing of. */
struct flow_trouble {
	uint32_t naks[NAK_REASONS], naks_reserved, rnr_naks, cnps, icrc_bad;
	/* Of a main flow's requests sent again for no NAK: those of runs that no silence
	 * came before, and of the others those acknowledged here before. */
	uint32_t resent_soon, resent_acked;
	uint32_t asked_before; /* NAKs for what was sent before the first captured */
	bool soon;             /* the run under way is one that no silence came before */
	uint8_t soon_runs;     /* how many such ones; 255: or more */
};

/* Counted in 32 bits, and carried where there are 64, which few flows need: when a number
 * of ecn reaches FLOW_CARRY. No other can be more than the four of them together. */
struct flow_tally {
	uint32_t ecn[4];      /* all packets, */
	uint32_t data_ecn[4]; /* and those with requests or responses */
	uint32_t read_requests, responses, acks;
	uint32_t dscp[FLOW_DSCPS];
};

#define FLOW_TALLIES (sizeof(struct flow_tally) / sizeof(uint32_t))
#define FLOW_CARRY (1u << 30)

/* The same in full, and what follows from them. */
struct flow_counts {
	uint64_t ecn[4], data_ecn[4];
	uint64_t read_requests, responses, acks;
	uint64_t dscp[FLOW_DSCPS];
	uint64_t packets, requests, data; /* data: requests and responses */
};

/* What is looked at together stands together: of every packet the first 192 bytes. */
struct flow {
	struct flow_key key;
	uint16_t src_port;
	uint16_t mtu; /* path MTU as First and Middle packets show it; 0: not yet */
	uint32_t serial;
	uint32_t main;      /* own index: this is it */
	uint32_t next_port; /* chain of the flows of a main one */
	uint32_t port;      /* of struct bursts, where the flow goes to */
	uint32_t detail;    /* block, or FLOW_NONE; of main flows */

	uint64_t last_ns;
	uint64_t last_request_ns; /* of main flows */
	uint64_t ip_bytes, payload_bytes;
	struct psn_track requests_track; /* of main flows */
	uint32_t trouble;                /* block, or FLOW_NONE */

	struct flow_tally tally;
	uint8_t dscp[FLOW_DSCPS], dscp_count;
	uint8_t service; /* upper three bits of the opcode */
	uint32_t request_last;
	uint16_t last_ip_id; /* the IPv4 identification, */
	uint8_t last_opcode; /* and this, to know a copy by */
	bool has_request;

	uint64_t first_ns;
	uint32_t carry;     /* what was carried, or FLOW_NONE */
	uint32_t dscp_more; /* block of 64, when there are more than FLOW_DSCPS */
	uint32_t request_first, response_first, response_last;
	uint8_t vlan_priority; /* of the innermost tag, last seen; of data if there is any */
	bool has_response, has_vlan;

	/* Only the main flow's are used from here on. */
	bool closed; /* its QP number was given to another connection */
	bool peer_sure;
	bool had_peer;
	bool listed;        /* among those that look for a peer */
	bool acked;         /* acked_psn holds */
	bool read_pending;  /* a READ request whose PSN count waits for the MTU */
	bool in_response;   /* First or Middle was the last */
	uint8_t ports;      /* source ports */
	uint8_t strange;    /* ACKs that do not fit the peer */
	uint16_t ack_tries; /* searches for one */
	uint32_t nak_us;    /* when the last NAK for its requests came, modulo 2^32; 0: none */
	uint32_t peer;      /* main flow of the other direction, or FLOW_NONE */
	uint32_t older, newer; /* in the list of those without a peer */
	uint32_t acked_psn;    /* of this flow's requests, by the peer */
	uint32_t ack_psn;      /* last ACK that this flow carried */
	uint32_t pending_psn, pending_bytes;
	uint32_t reads;           /* block of struct flow_reads, or FLOW_NONE */
	uint32_t responses_track; /* block, or FLOW_NONE */
};

/* The window over which the rate before and after a CNP is compared. */
#define FLOW_RATE_NS UINT64_C(100000)

struct flow_slot {
	uint32_t place; /* index of the flow + 1; 0: free */
	uint32_t tag;   /* the upper half of its hash */
};

struct flow_table {
	struct flow **chunks; /* owned */
	size_t chunk_count, chunk_room;
	uint32_t count; /* indices ever given out */
	uint32_t live;  /* flows in the table now */
	uint32_t most;
	uint32_t free;           /* chain through next_port */
	struct flow_slot *slots; /* owned; in the hash order */
	uint32_t slot_mask;
	uint32_t serial;

	struct flow_reads *reads; /* owned blocks, with the free ones chained by count */
	size_t read_count, read_room;
	uint32_t read_free;
	struct psn_track *tracks; /* owned; the free ones chained by next */
	size_t track_count, track_room;
	uint32_t track_free;
	struct flow_trouble *troubles; /* owned; the free ones chained by cnps */
	size_t trouble_count, trouble_room;
	uint32_t trouble_free;
	struct flow_detail *details; /* owned */
	size_t detail_count, detail_room;
	uint64_t (*dscps)[64]; /* owned */
	size_t dscp_count, dscp_room;
	struct flow_counts *carries; /* owned; one takes 2^30 packets, so none is given back */
	size_t carry_count, carry_room;
};

/* Called for a main flow, with those of its ports, before it is forgotten. */
typedef void flow_close(void *context, uint32_t index);

/* most: flows that the table holds at once, at least 64. */
void flow_table_init(struct flow_table *table, uint32_t most);
void flow_table_free(struct flow_table *table);

#define FLOW_CHUNK_SHIFT 6u

static inline struct flow *flow_at(const struct flow_table *table, uint32_t index)
{
	return &table->chunks[index >> FLOW_CHUNK_SHIFT]
			     [index & ((1u << FLOW_CHUNK_SHIFT) - 1)];
}

/* The flow with this key and source port; FLOW_NONE when it is new, and then *main
 * is the main flow of the key, or FLOW_NONE. */
uint32_t flow_find(const struct flow_table *table, const struct flow_key *key,
	uint16_t src_port, uint32_t *main);

/* Adds a flow, as main flow or as one of main's ports; when the table is full,
 * closes those idle longest first. Returns its index. */
uint32_t flow_add(struct flow_table *table, const struct flow_key *key, uint16_t src_port,
	uint32_t main, uint64_t now_ns, flow_close *close, void *context);

/* Takes a main flow and those of its ports out of the hash, not out of the table:
 * the next packet with its key begins a new one. */
void flow_retire(struct flow_table *table, uint32_t index);

/* Whether index holds a flow. */
static inline bool flow_is_live(const struct flow_table *table, uint32_t index)
{
	return flow_at(table, index)->serial != 0;
}

void flow_count_other_dscp(struct flow_table *table, struct flow *flow, uint8_t dscp);
static inline void flow_count_dscp(struct flow_table *table, struct flow *flow, uint8_t dscp)
{
	if (flow->dscp_count && flow->dscp[0] == dscp)
		flow->tally.dscp[0]++;
	else
		flow_count_other_dscp(table, flow, dscp);
}
/* Moves a flow's tally, one of whose ecn has reached FLOW_CARRY, to where it has room. */
void flow_carry(struct flow_table *table, struct flow *flow);
struct flow_counts flow_counts(const struct flow_table *table, const struct flow *flow);

/* Fills 64 numbers. */
void flow_dscps(const struct flow_table *table, const struct flow *flow, uint64_t *counts);

/* The tracker of READ responses, made at the first; NULL when there are no more.
 * Valid until the next call for another flow. */
struct psn_track *flow_responses(struct flow_table *table, struct flow *flow);

/* The tracker if there is one, else NULL. */
static inline struct psn_track *flow_responses_made(
	const struct flow_table *table, const struct flow *flow)
{
	return flow->responses_track == FLOW_NONE ? NULL
						  : &table->tracks[flow->responses_track];
}

/* A flow's own, made at the first; valid until the next call for another. */
struct flow_trouble *flow_trouble(struct flow_table *table, struct flow *flow);
/* The same if there is one, else all zero. */
const struct flow_trouble *flow_trouble_seen(
	const struct flow_table *table, const struct flow *flow);

/* More blocks for a main flow, with the same manners. */
struct flow_reads *flow_reads(struct flow_table *table, struct flow *flow);
struct flow_detail *flow_detail_new(struct flow_table *table, struct flow *flow);
static inline struct flow_detail *flow_detail(struct flow_table *table, struct flow *flow)
{
	return flow->detail != FLOW_NONE ? &table->details[flow->detail]
					 : flow_detail_new(table, flow);
}

#endif
