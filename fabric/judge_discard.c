/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Packets that a switch or NIC discarded for a reason of its own: port.mtu,
 * switch.policer, switch.no-route, switch.ttl, switch.watchdog by their counters;
 * switch.silent-drop by what went in and did not come out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "lib/grow.h"
#include "lib/units.h"

/* A reason that ports count: one finding a port, or one a switch. */
static const struct reason {
	enum metric metric;
	const char *check;
	bool by_switch;
	const char *did, *what, *advice; /* did N what */
} reasons[] = {
	{ M_DROP_OVERSIZE, "port.mtu", false, "took in",
		"packets that are larger than its MTU, and dropped them",
		"set the MTU of this port to that of the fabric: RoCE MTU 4096 needs 4200 or "
		"more" },
	{ M_DROP_POLICER, "switch.policer", false, "dropped",
		"packets by a policer, an ACL or storm control",
		"take the policer off the RDMA class at this port" },
	{ M_DROP_NO_ROUTE, "switch.no-route", true, "dropped",
		"packets for which it had no way",
		"compare its forwarding table with its neighbours': a stale next hop, or a MAC "
		"entry that has aged" },
	{ M_DROP_TTL, "switch.ttl", true, "dropped",
		"packets whose TTL was used up: they go in a circle",
		"follow the route of one of its destinations hop by hop" },
	{ M_DROP_WATCHDOG, "switch.watchdog", true, "dropped",
		"packets by the PFC watchdog, and no NIC sent pause without end",
		"compare its detection time with the pause that congestion makes here; SONiC's "
		"default is 200 ms" },
};

#define REASONS COUNT_OF(reasons)
#define WATCHDOG (REASONS - 1) /* the last row */

/* When a stage is cut short, what a port took in this long ago may be on its way through
 * the switch, and the counters of two ports may be read this far apart. */
#define CUT_NS (10 * NS_PER_US)

struct count {
	uint64_t packets;
	struct seen seen;
};

struct state {
	struct count *counts; /* [port * REASONS + reason] */
	struct count *silent; /* by node */
	bool *held;           /* by node: a port of it was told to stop */
};

static void *begin(const struct judging *judging)
{
	const struct fabric *fabric = judging->fabric;
	struct state *state = zeroed(1, sizeof(*state));

	state->counts = zeroed(fabric->port_count * REASONS, sizeof(*state->counts));
	state->silent = zeroed(fabric->node_count, sizeof(*state->silent));
	state->held = zeroed(fabric->node_count, sizeof(*state->held));
	return state;
}

static void count(struct count *sum, uint64_t packets, const struct evidence *evidence)
{
	if (packets == 0)
		return;
	sum->packets += packets;
	seen_add(&sum->seen, &evidence->stage);
}

/* What one window tells of a switch. */
struct ledger {
	uint64_t in, out, dropped; /* packets */
	uint64_t in_bytes, out_bytes, waiting_bytes;
	bool known; /* all its ports tell, none lost its carrier, all is in its class */
};

static void add_port(struct ledger *ledger, const struct evidence *evidence, uint32_t port)
{
	static const enum metric drops[] = { M_DROP_BUFFER, M_DROP_HEADROOM, M_DROP_EGRESS,
		M_DROP_OTHER, M_DROP_LINK_DOWN, M_DROP_NO_ROUTE, M_DROP_WATCHDOG,
		M_DROP_OVERSIZE, M_DROP_POLICER, M_DROP_TTL };
	const struct fabric *fabric = evidence->fabric;

	ledger->known &= evidence_at(evidence, port, M_RX_PACKETS) != EVIDENCE_ABSENT &&
			 evidence_at(evidence, port, M_TX_PACKETS) != EVIDENCE_ABSENT &&
			 evidence_at(evidence, port, M_CARRIER) == 0 &&
			 evidence_at(evidence, port, M_RX_DSCP_PACKETS) ==
				 evidence_at(evidence, port, M_RX_PRIO_PACKETS);
	ledger->in += evidence_at(evidence, port, M_RX_PACKETS);
	ledger->out += evidence_at(evidence, port, M_TX_PACKETS);
	ledger->in_bytes += evidence_sum(evidence, port, M_RX_BYTES);
	ledger->out_bytes += evidence_sum(evidence, port, M_TX_BYTES);
	ledger->waiting_bytes +=
		evidence_sum(evidence, port, M_QUEUE_PEAK) +
		fabric->links[fabric->ports[port].link].speed_bps / 8 * CUT_NS / NS_PER_S;
	for (size_t i = 0; i < COUNT_OF(drops); i++)
		ledger->dropped += evidence_sum(evidence, port, drops[i]);
}

/* Packets that went into a switch and neither came out nor were counted as dropped.
 * Where the stage was cut short some are in it still: no more bytes than its queues
 * ever held and its ports take in during CUT_NS. */
static uint64_t silent_of(const struct evidence *evidence, const struct node *node)
{
	uint64_t frame = evidence->fabric->mtu_bytes + 78; /* headers, with RETH */
	struct ledger ledger = { .known = true };

	for (uint32_t i = 0; i < node->port_count; i++)
		if (evidence->fabric->ports[node->first_port + i].link != PORT_NONE)
			add_port(&ledger, evidence, node->first_port + i);
	if (!ledger.known || ledger.in <= ledger.out + ledger.dropped)
		return 0;
	if (!stage_complete(evidence) && ledger.in_bytes <= ledger.out_bytes +
								    ledger.waiting_bytes +
								    ledger.dropped * frame)
		return 0;
	return ledger.in - ledger.out - ledger.dropped;
}

static void stage(struct judging *judging, void *opaque, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct state *state = opaque;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		state->held[fabric->ports[port].node] |=
			evidence_sum(evidence, port, M_RX_PAUSE) > 0;
		for (size_t k = 0; k < REASONS; k++)
			count(&state->counts[port * REASONS + k],
				evidence_sum(evidence, port, reasons[k].metric), evidence);
	}
	for (uint32_t i = fabric->hosts; i < fabric->node_count; i++)
		count(&state->silent[i], silent_of(evidence, &fabric->nodes[i]), evidence);
}

static void blame(struct judging *judging, const struct reason *reason,
	const struct place *place, const struct count *count)
{
	struct finding *finding =
		judging_cause(judging, reason->check, plan_layer_name(count->seen.layer),
			CLASS_LOSS, count->packets, place, &count->seen);

	finding_text(finding, "%s %s %" PRIu64 " %s", finding->culprit, reason->did,
		count->packets, reason->what);
	finding_limit(finding, (double)count->packets, 0, "packets",
		"a lossless class loses nothing (SONiC RoCEv2 test plan)");
	finding_advice(finding, "%s", reason->advice);
}

static bool neighbour_storms(const struct judging *judging, const struct node *node)
{
	for (uint32_t i = 0; i < node->port_count; i++) {
		uint32_t peer = judging->fabric->ports[node->first_port + i].peer;

		if (peer != PORT_NONE && judging->fabric->ports[peer].nic != PORT_NONE &&
			judging_blames(judging, judging->fabric->ports[peer].node, CLASS_PAUSE))
			return true;
	}
	return false;
}

/* Packets that the watchdog of a switch dropped though no NIC beside it stormed. */
static uint64_t watchdog_drops(const struct judging *judging, const struct state *state,
	const struct node *node, struct seen *seen)
{
	uint64_t packets = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		uint32_t port = node->first_port + i;
		const struct count *count = &state->counts[port * REASONS + WATCHDOG];

		packets += count->packets;
		seen_merge(seen, &count->seen);
	}
	return neighbour_storms(judging, node) ? 0 : packets;
}

/* The watchdog of half of all switches that were ever held: it is set too short. */
static bool tell_watchdog(struct judging *judging, const struct state *state)
{
	const struct fabric *fabric = judging->fabric;
	struct place place = { CULPRIT_SETTING, 0, PORT_NONE };
	double detect_us = (double)fabric->policy.watchdog_ns / (double)NS_PER_US;
	uint32_t switches = 0, held = 0;
	struct finding *finding;
	struct seen seen = { 0 };
	uint64_t packets = 0;

	for (uint32_t n = fabric->hosts; n < fabric->node_count; n++) {
		uint64_t here = watchdog_drops(judging, state, &fabric->nodes[n], &seen);

		packets += here;
		switches += here > 0;
		held += state->held[n];
	}
	if (fabric->policy.watchdog_ns == 0 || switches < 2 || switches * 2 < held)
		return false;
	finding = judging_cause(judging, "switch.watchdog", plan_layer_name(seen.layer),
		CLASS_LOSS, packets, &place, &seen);
	snprintf(finding->culprit, sizeof(finding->culprit), "policy.watchdog");
	finding_text(finding,
		"the PFC watchdogs of %u switches, of %u that were held, dropped %" PRIu64
		" packets, and no NIC sent pause without end: %.0f us are shorter than the "
		"pauses of congestion",
		switches, held, packets, detect_us);
	finding_limit(finding, (double)packets, 0, "packets",
		"a lossless class loses nothing (SONiC RoCEv2 test plan)");
	finding_advice(finding, "set a longer detection time: SONiC takes 100 ms to 5 s, and "
				"its default is 200 ms");
	return true;
}

static void tell_reason(struct judging *judging, const struct state *state, size_t k)
{
	const struct fabric *fabric = judging->fabric;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = &fabric->nodes[i];
		struct count sum = { 0 };

		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t port = node->first_port + p;
			const struct count *here = &state->counts[port * REASONS + k];
			struct place place = place_port(fabric, port);

			if (here->packets == 0)
				continue;
			if (!reasons[k].by_switch)
				blame(judging, &reasons[k], &place, here);
			sum.packets += here->packets;
			seen_merge(&sum.seen, &here->seen);
		}
		if (sum.packets && reasons[k].by_switch &&
			!(reasons[k].metric == M_DROP_WATCHDOG &&
				neighbour_storms(judging, node))) {
			struct place place = place_switch(i);

			blame(judging, &reasons[k], &place, &sum);
		}
	}
}

static void tell_silent(struct judging *judging, const struct state *state)
{
	static const struct reason silent = { M_COUNT, "switch.silent-drop", true, "took in",
		"packets that it neither sent on nor counted as dropped",
		"try sizes and source ports by hand to see what it drops; reload or replace "
		"it, "
		"for its own counters do not know" };

	for (uint32_t i = judging->fabric->hosts; i < judging->fabric->node_count; i++) {
		struct place place = place_switch(i);

		if (state->silent[i].packets)
			blame(judging, &silent, &place, &state->silent[i]);
	}
}

static void end(struct judging *judging, void *opaque, bool speak)
{
	struct state *state = opaque;

	for (size_t k = 0; speak && k < REASONS; k++)
		if (k != WATCHDOG || !tell_watchdog(judging, state))
			tell_reason(judging, state, k);
	if (speak)
		tell_silent(judging, state);
	free(state->counts);
	free(state->silent);
	free(state->held);
	free(state);
}

const struct judge judge_discard = { begin, stage, end };
