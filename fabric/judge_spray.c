/* SPDX-License-Identifier: Apache-2.0 */

/*
 * switch.spray: packets came out of order though nothing was lost, and the ports of a switch
 * did not carry what the ways of the queue pairs put there: it spreads packets, not flows.
 * A spine is named only where no leaf beside it does. Ports are looked at in stages
 * in which hardly anything was sent again: by which way that went is not known.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* More or fewer on a port than acknowledgements make; what was sent again in the stage, which
 * may all be there, comes on top. */
#define ASTRAY_SHARE 0.02
#define ASTRAY_LEAST 32.0
#define RESENT_MOST 0.01 /* of the packets of a stage that is looked at */
/* Of all packets that arrived by gaps, in stages without a loss. Tables that change under way
 * make a gap a queue pair at most; where packets are spread over queues of unlike length, they
 * overtake each other all the time. */
#define GAPS_LEAST 1e-4

struct astray {
	double *wanted;      /* packets by port, of one stage; owned */
	uint64_t *packets;   /* more or fewer than wanted, by port; owned */
	struct seen *seen;   /* by node; owned */
	uint64_t sent, gaps; /* of stages in which all that was sent arrived */
};

static void *begin(const struct judging *judging)
{
	struct astray *astray = zeroed(1, sizeof(*astray));

	astray->wanted = zeroed(judging->fabric->port_count, sizeof(double));
	astray->packets = zeroed(judging->fabric->port_count, sizeof(uint64_t));
	astray->seen = zeroed(judging->fabric->node_count, sizeof(struct seen));
	return astray;
}

/* Puts the packets of each flow on the ways of its queue pairs. */
static void put_on_ways(struct astray *astray, const struct evidence *evidence)
{
	for (uint32_t port = 0; port < evidence->fabric->port_count; port++)
		astray->wanted[port] = 0;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];
		size_t path = evidence_first_path(evidence, flow->flow);

		for (; path < evidence->path_count && evidence->paths[path].flow == flow->flow;
			path++)
			for (uint32_t k = 0; k < evidence->ways[path].count; k++)
				astray->wanted[evidence->way_ports[evidence->ways[path].first +
								   k]] +=
					(double)flow->packets_sent / flow->qps;
	}
}

/* How far a port is off what the ways put there, in packets; 0 when that may be by chance. */
static double apart_at(const struct astray *astray, const struct evidence *evidence,
	uint32_t port, double resent)
{
	double frame = evidence->fabric->mtu_bytes + ROCE_FRAME_OVERHEAD_BYTES;
	double sent = (double)evidence_sum(evidence, port, M_TX_BYTES) / frame;
	double wanted = astray->wanted[port], most = sent > wanted ? sent : wanted;
	double apart = sent > wanted ? sent - wanted : wanted - sent;

	return apart > ASTRAY_LEAST + resent + ASTRAY_SHARE * most ? apart : 0;
}

static void look(
	struct astray *astray, const struct evidence *evidence, uint32_t number, double resent)
{
	const struct node *node = &evidence->fabric->nodes[number];
	bool any = false;

	for (uint32_t i = 0; i < node->port_count; i++) {
		double apart = apart_at(astray, evidence, node->first_port + i, resent);

		astray->packets[node->first_port + i] += (uint64_t)apart;
		any |= apart > 0;
	}
	if (any)
		seen_add(&astray->seen[number], &evidence->stage);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct astray *astray = state;
	struct tally tally = { 0 };

	if (evidence->path_count == 0 || !stage_lost_nothing(evidence))
		return;
	tally_add(&tally, evidence);
	astray->sent += tally.sent;
	astray->gaps += tally.out_of_sequence;
	if ((double)tally.resent > RESENT_MOST * (double)tally.sent)
		return;
	put_on_ways(astray, evidence);
	for (uint32_t n = fabric->hosts; n < fabric->node_count; n++)
		look(astray, evidence, n, (double)tally.resent);
}

/* A spine passes on what leaves put there; what a leaf sends up comes from its hosts. */
static bool is_led_astray(
	const struct fabric *fabric, const struct node *node, const struct astray *astray)
{
	for (uint32_t i = 0; node->kind == NODE_SPINE && i < node->port_count; i++) {
		uint32_t peer = fabric->ports[node->first_port + i].peer;

		if (peer != PORT_NONE && astray->seen[fabric->ports[peer].node].stages)
			return true;
	}
	return false;
}

static void tell(struct judging *judging, uint32_t number, const struct astray *astray,
	uint32_t ports, uint64_t packets)
{
	struct place place = place_switch(number);
	struct finding *finding = judging_cause(judging, "switch.spray",
		plan_layer_name(astray->seen[number].layer), CLASS_BALANCE, packets, &place,
		&astray->seen[number]);

	finding_text(finding,
		"%u port%s of %s sent %" PRIu64 " packets more or fewer than the ways of the "
		"queue pairs put there; packets came out of order %" PRIu64
		" times and none was lost",
		ports, ports == 1 ? "" : "s", finding->culprit, packets, astray->gaps);
	finding_limit(finding, (double)packets, 0, "packets",
		"ECMP by the 5-tuple: a queue pair goes one way");
	finding_advice(finding,
		"on %s choose the way by flow, not by packet; or use NICs that take RDMA out "
		"of order, and tell them so",
		finding->culprit);
}

static void end(struct judging *judging, void *state, bool speak)
{
	const struct fabric *fabric = judging->fabric;
	struct astray *astray = state;
	bool disorder = (double)astray->gaps >= GAPS_LEAST * (double)astray->sent;

	for (uint32_t n = fabric->hosts; speak && disorder && n < fabric->node_count; n++) {
		const struct node *node = &fabric->nodes[n];
		uint64_t packets = 0;
		uint32_t ports = 0;

		for (uint32_t i = 0; i < node->port_count; i++) {
			packets += astray->packets[node->first_port + i];
			ports += astray->packets[node->first_port + i] > 0;
		}
		if (packets && !is_led_astray(fabric, node, astray))
			tell(judging, n, astray, ports, packets);
	}
	free(astray->wanted);
	free(astray->packets);
	free(astray->seen);
	free(astray);
}

const struct judge judge_spray = { begin, stage, end };
