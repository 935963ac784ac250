/*
 * evidence - one stage of a run file, laid out for judging: counters by port and
 * metric in one array, flows with the indices of their NICs, the ways of their
 * QPs as ports.
 *
 * A counter is the difference over the stage's window. A total that went down
 * is a reset, not a number: it is EVIDENCE_ABSENT, as is one that was not read.
 * Watermarks and times of first events are levels: the value at the window's end.
 */
#ifndef FABRIC_EVIDENCE_H
#define FABRIC_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "lib/plan.h"
#include "lib/run.h"

struct diag;

#define EVIDENCE_ABSENT UINT64_MAX

/* Of the lossless priority where the counter is per priority, unless said. */
enum metric {
	M_TX_BYTES,
	M_RX_BYTES,
	M_TX_PACKETS,
	M_RX_PACKETS,
	M_CARRIER,
	M_CARRIER_TOTAL, /* level: since the counter began, between stages too */
	M_CRC,
	M_TX_PRIO_BYTES,
	M_TX_PRIO_PACKETS,
	M_RX_PRIO_PACKETS,
	M_TX_PAUSE,
	M_TX_PAUSE_US,
	M_RX_PAUSE,
	M_RX_PAUSE_US,
	M_BUSY_NS,
	M_RX_DSCP_PACKETS,
	M_MARKED,
	M_QUEUE_PEAK,     /* level */
	M_QUEUE_PEAK_ECT, /* level */
	M_INGRESS_PEAK,   /* level */
	M_HEADROOM_PEAK,  /* level */
	M_DROP_BUFFER,
	M_DROP_HEADROOM,
	M_DROP_EGRESS,
	M_DROP_OTHER, /* of all other priorities, any cause, summed */
	M_DROP_LINK_DOWN,
	M_DROP_NO_ROUTE,
	M_DROP_WATCHDOG,
	M_FIRST_PAUSE_NS, /* level, run clock */
	M_FIRST_MARK_NS,  /* level, run clock */
	M_OUT_OF_SEQUENCE,
	M_SEQ_ERR,
	M_ACK_TIMEOUT,
	M_IMPLIED_NAK,
	M_ADP_RETRANS,
	M_ADP_TIMEOUT,
	M_CNP_SENT,
	M_CNP_HANDLED,
	M_CE,
	M_TX_POLICY_BYTES,
	M_TX_RDMA_BYTES,
	M_DROP_OVERSIZE,
	M_DROP_POLICER,
	M_DROP_TTL,
	M_ICRC,
	M_OUT_OF_BUFFER,
	M_DUPLICATE,
	M_PROBES_ARRIVED,
	M_PROBES_RIGHT,
	M_PROBES_WRONG_DSCP, /* level */
	M_PAYLOAD_CHECKED,
	M_PAYLOAD_CORRUPT,
	M_RING_CHECKED,
	M_RING_SUMS_NS,
	M_RING_WRONG,
	M_RING_WRONG_STEP,  /* level */
	M_RING_WRONG_CHUNK, /* level */
	M_COUNT,
};

struct lookup; /* fabric/lookup.h */

struct way {
	uint32_t first, count; /* into evidence.way_ports */
};

struct evidence {
	const struct fabric *fabric; /* borrowed */
	struct run_stage stage;
	uint64_t *values; /* [port * M_COUNT + metric] */
	struct run_flow *flows;
	size_t flow_count;
	uint32_t *src, *dst;    /* NIC index of each flow; PORT_NONE when unknown */
	struct run_path *paths; /* one QP each, sorted by flow and QP */
	size_t path_count;
	struct way *ways; /* of each path: the ports that its packets leave, in order */
	uint32_t *way_ports;
	struct run_step *steps;
	size_t step_count;
	struct plan_ring ring; /* ranks 0: none */
};

#define EVIDENCE_INIT                                                                          \
	{                                                                                      \
		.fabric = NULL                                                                 \
	}

/* What a run file can claim, so that a damaged one cannot keep a judge busy. */
#define EVIDENCE_QPS_MAX 65536u
#define EVIDENCE_ITERATIONS_MAX 1000000u

/* Reads what the run file holds on one stage. Returns 0, a negative errno of
 * reading, or -EINVAL for rows that do not fit the fabric (a flow of no queue pairs,
 * a ring over NICs that are not there); *evidence is then EVIDENCE_INIT. */
int evidence_load(struct evidence *evidence, struct run *run, const struct fabric *fabric,
	const struct lookup *lookup, const struct run_stage *stage, struct diag *diag);
void evidence_free(struct evidence *evidence); /* safe twice */

/* Index of the first path of a flow (its number in the stage), or path_count. */
size_t evidence_first_path(const struct evidence *evidence, uint32_t flow);

/* Packets that left a port and how many of them its peer did not get, in the stage's
 * window; what can still be on the cable in a window that closed early is not lost. false:
 * not known, or the carrier came and went. */
bool evidence_lost(
	const struct evidence *evidence, uint32_t port, uint64_t *sent, uint64_t *lost);

/* Value of a metric at a port, or EVIDENCE_ABSENT. */
static inline uint64_t evidence_at(
	const struct evidence *evidence, uint32_t port, enum metric metric)
{
	return evidence->values[(size_t)port * M_COUNT + metric];
}

/* The same with absent as zero, for sums in which absence proves nothing. */
static inline uint64_t evidence_sum(
	const struct evidence *evidence, uint32_t port, enum metric metric)
{
	uint64_t value = evidence_at(evidence, port, metric);

	return value == EVIDENCE_ABSENT ? 0 : value;
}

#endif
