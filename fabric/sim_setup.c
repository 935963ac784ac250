/* SPDX-License-Identifier: Apache-2.0 */
/* What a stage starts from: ports, buffers, NICs, queue pairs, the calendar. */
#include <errno.h>
#include <stdlib.h>

#include "fabric/ring.h"
#include "fabric/sim_parts.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"

/* 2^6 to 2^12 ps a slot, 2^14 to 2^17 of them. */
#define SLOT_SHIFT_MIN 6u
#define SLOT_SHIFT_MAX 12u
#define SLOTS_LOG2_MIN 14u
#define SLOTS_LOG2_MAX 17u

static void init_ports(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;

	sim->switches = zeroed(fabric->leaves + fabric->spines, sizeof(*sim->switches));
	sim->ports = zeroed_lines(fabric->port_count, sizeof(*sim->ports));
	sim->port_count = fabric->port_count;
	sim->lanes = zeroed_lines((size_t)fabric->port_count * PRIORITIES, sizeof(*sim->lanes));
	sim->ended = zeroed((size_t)fabric->port_count * PRIORITIES, sizeof(*sim->ended));
	sim->cut_off = zeroed(fabric->port_count, sizeof(*sim->cut_off));
	for (uint32_t i = 0; i < fabric->port_count * PRIORITIES; i++) {
		sim->lanes[i].port = i % fabric->port_count;
		sim->lanes[i].prio = (uint8_t)(i / fabric->port_count);
		sim->lanes[i].first_pause = sim->lanes[i].first_mark =
			sim->lanes[i].first_drop = NEVER;
	}
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct port *from = &fabric->ports[i];
		struct sim_port *port = &sim->ports[i];
		const struct link *link;

		port->peer = from->peer;
		port->nic = from->nic;
		if (from->nic == PORT_NONE)
			port->sw = &sim->switches[from->node - fabric->hosts];
		port->usual = lane_of(sim, i, fabric->policy.priority);
		port->tapped = sim->tap != NULL;
		port->ahead_from = NEVER;
		port->random = (uint32_t)rng_derive(sim->config->seed, i) | 1;
		port->down = from->link == PORT_NONE;
		if (port->down)
			continue;
		port->to_nic = fabric->ports[from->peer].nic != PORT_NONE;
		link = &fabric->links[from->link];
		port->pause_ps = pause_ns(UINT16_MAX, link->speed_bps) * PS_PER_NS;
	}
}

static uint64_t port_headroom(const struct fabric *fabric, uint32_t port)
{
	return fabric_headroom(fabric, fabric->ports[port].link);
}

/* The pool is what the headroom and the reserve of all plugged ports leave. */
static void init_switches(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	uint32_t count = fabric->leaves + fabric->spines;

	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = &fabric->nodes[fabric->hosts + i];
		struct sim_switch *sw = &sim->switches[i];
		uint64_t set_aside = 0;

		sw->number = i;
		sw->first_port = node->first_port;
		sw->words = (node->port_count + 63) / 64;
		sw->ahead = zeroed(sw->words, sizeof(*sw->ahead));
		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t port = node->first_port + p;

			if (fabric->ports[port].link != PORT_NONE)
				set_aside += port_headroom(fabric, port) +
					     fabric->policy.reserved_bytes;
		}
		if (set_aside < fabric->policy.buffer_bytes)
			sw->pool_bytes = fabric->policy.buffer_bytes - set_aside;
		sw->easy_bytes = sw->pool_bytes / 2;
	}
}

static void init_nics(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;

	sim->nics = zeroed(fabric->nic_count, sizeof(*sim->nics));
	sim->homes = zeroed(fabric->nic_count, sizeof(*sim->homes));
	for (uint32_t i = 0; i < fabric->nic_count; i++) {
		struct sim_nic *nic = &sim->nics[i];

		nic->port = fabric->nics[i];
		sim->homes[i].leaf = fabric_nic_leaf(fabric, i);
		sim->homes[i].leaf_port = fabric->ports[nic->port].peer;
		nic->line_bps = fabric_nic_bps(fabric, i);
		nic->ready_head = nic->ready_tail = NONE;
	}
}

static void init_qps(struct sim *sim, uint32_t flow_index)
{
	struct sim_flow *flow = &sim->flows[flow_index];
	uint64_t seed = sim->config->seed;

	flow->first_qp = sim->qp_count;
	for (uint32_t q = 0; q < flow->plan.qps; q++) {
		struct qp *qp = &sim->qps[sim->qp_count++];

		qp->src_nic = flow->plan.src;
		qp->dst_nic = flow->plan.dst;
		qp->flow = flow_index;
		qp->number = q;
		qp->sport = route_sport(seed, qp->src_nic, qp->dst_nic, q);
		qp->entropy = route_entropy(qp->src_nic, qp->dst_nic, qp->sport);
		qp->entropy_back = route_entropy(qp->dst_nic, qp->src_nic,
			route_sport(seed, qp->dst_nic, qp->src_nic, q));
		qp->not_ect = flow->plan.not_ect;
		qp->app_bps = flow->plan.rate_bps / flow->plan.qps;
		qp->planned_bytes =
			flow->ring ? 0 : qp_share(flow->plan.bytes, flow->plan.qps, q);
		qp->first_ps = NEVER;
		qp->rto_ps = UINT64_C(4096000) << sim->fabric->policy.timeout_exp;
		qp->alpha_q20 = UINT32_C(1) << 20;
		if (sim->fabric->policy.selective_repeat)
			qp->repeat = zeroed(1, sizeof(*qp->repeat));
	}
}

/* What an edge of the ring carries over all iterations. */
static void plan_ring_bytes(struct sim *sim)
{
	const struct plan_ring *plan = &sim->stage->ring;
	struct ring ring;

	if (plan->ranks == 0)
		return;
	ring_init(&ring, plan->ranks, plan->bytes, plan->elem_bytes);
	for (uint32_t rank = 0; rank < plan->ranks; rank++) {
		struct sim_flow *flow = &sim->flows[sim->ring.first_flow + rank];

		for (uint32_t step = 0; step < ring_steps(&ring); step++) {
			uint64_t bytes = ring_plan(&ring, rank, step).send.length_bytes;

			for (uint32_t q = 0; q < plan->qps; q++)
				sim->qps[flow->first_qp + q].planned_bytes +=
					plan->iterations * qp_share(bytes, plan->qps, q);
		}
	}
}

static void init_flows(struct sim *sim)
{
	const struct plan_stage *stage = sim->stage;
	const struct plan_ring *ring = &stage->ring;
	uint32_t qps = ring->ranks * ring->qps;

	sim->flow_count = stage->flow_count + ring->ranks;
	sim->flows = zeroed(sim->flow_count, sizeof(*sim->flows));
	sim->ring.first_flow = stage->flow_count;
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		sim->flows[i].plan = stage->flows[i];
		qps += stage->flows[i].qps;
	}
	for (uint32_t rank = 0; rank < ring->ranks; rank++) {
		struct sim_flow *flow = &sim->flows[stage->flow_count + rank];

		flow->ring = true;
		flow->plan.src = ring->nics[rank];
		flow->plan.dst = ring->nics[(rank + 1) % ring->ranks];
		flow->plan.qps = ring->qps;
	}
	sim->qps = zeroed_lines(qps, sizeof(*sim->qps));
	for (uint32_t i = 0; i < sim->flow_count; i++)
		init_qps(sim, i);
	after_setup(sim);
	plan_ring_bytes(sim);
}

static void find_way(struct sim *sim, uint32_t *way, uint32_t src, uint32_t dst, uint16_t sport)
{
	uint32_t ports[WAY_PORTS + 1];
	uint32_t count = routing_path(sim->routing, src, dst, sport, ports, COUNT_OF(ports));

	for (uint32_t i = 1; i < count; i++)
		way[i - 1] = ports[i];
	if (count == 0) {
		free(sim->ways);
		sim->ways = NULL;
	}
}

/* Where no fault can turn packets aside: the ports that they leave switches by. */
static void init_ways(struct sim *sim)
{
	if (sim->fabric->fault_count)
		return;
	sim->ways = zeroed(way_of(sim->qp_count, false), sizeof(*sim->ways));
	for (uint32_t i = 0; i < sim->qp_count && sim->ways; i++) {
		const struct qp *qp = &sim->qps[i];
		uint32_t src = qp->src_nic, dst = qp->dst_nic;

		find_way(sim, &sim->ways[way_of(i, false)], src, dst, qp->sport);
		if (sim->ways)
			find_way(sim, &sim->ways[way_of(i, true)], dst, src,
				route_sport(sim->config->seed, dst, src, qp->number));
	}
}

static uint64_t longest_delay_ps(const struct fabric *fabric, uint32_t link)
{
	return PS_PER_NS * (fabric->links[link].length_m * UINT64_C(5) + fabric->switch_ns +
				   2 * fabric->nic_ns);
}

/* Slots as wide as it takes one packet to leave somewhere when all ports are busy, and
 * enough of them for the longest that a packet is on its way over a link. */
static void init_events(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	uint64_t packet_bits = 8 * (fabric->mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES);
	uint64_t longest = 0, total_bps = 1;
	unsigned shift = SLOT_SHIFT_MIN, slots_log2 = SLOTS_LOG2_MIN;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		uint32_t link = fabric->ports[i].link;
		uint64_t took;

		if (link == PORT_NONE)
			continue;
		took = longest_delay_ps(fabric, link) +
		       2 * packet_bits * PS_PER_S / fabric->links[link].speed_bps;
		total_bps += fabric->links[link].speed_bps;
		if (took > longest)
			longest = took;
	}
	while (shift < SLOT_SHIFT_MAX && packet_bits * PS_PER_S / total_bps >> (shift + 1))
		shift++;
	while (slots_log2 < SLOTS_LOG2_MAX && longest >> (shift + slots_log2))
		slots_log2++;
	sim->event_qps = fabric->port_count * PORT_EVENTS;
	sim->event_flows = sim->event_qps + sim->qp_count * QP_EVENTS;
	sim->event_nics = sim->event_flows + sim->flow_count;
	sim->event_misc = sim->event_nics + fabric->nic_count;
	wheel_init(&sim->wheel, sim->event_misc + MISC_EVENTS, shift, slots_log2);
}

int sim_check(
	const struct sim_config *config, const struct plan_stage *stage, struct diag *diag)
{
	const struct fabric *fabric = config->fabric;
	struct ring ring;

	for (uint32_t i = 0; i < stage->flow_count; i++) {
		const struct plan_flow *flow = &stage->flows[i];

		if (flow->src >= fabric->nic_count || flow->dst >= fabric->nic_count ||
			flow->src == flow->dst || flow->qps == 0 || flow->bytes == 0)
			return diag_error(diag, -EINVAL,
				"stage %s, flow %u: expected two different NICs of 0..%u, at "
				"least one QP and one byte",
				stage->name, i, fabric->nic_count - 1);
		if (fabric_nic_leaf(fabric, flow->src) == PORT_NONE ||
			fabric_nic_leaf(fabric, flow->dst) == PORT_NONE)
			return diag_error(diag, -EINVAL,
				"stage %s, flow %u: a NIC has no cable", stage->name, i);
	}
	if (after_check(stage, diag))
		return -EINVAL;
	if (stage->ring.ranks == 0)
		return 0;
	if (ring_init(&ring, stage->ring.ranks, stage->ring.bytes, stage->ring.elem_bytes) ||
		stage->ring.qps == 0 || stage->ring.iterations == 0)
		return diag_error(diag, -EINVAL,
			"stage %s: expected a ring of 2..%u ranks, whole elements, at least "
			"one QP and iteration",
			stage->name, RING_RANKS_MAX);
	for (uint32_t i = 0; i < stage->ring.ranks; i++)
		if (stage->ring.nics[i] >= fabric->nic_count ||
			fabric_nic_leaf(fabric, stage->ring.nics[i]) == PORT_NONE)
			return diag_error(diag, -EINVAL,
				"stage %s, rank %u: no such NIC, or one without a cable",
				stage->name, i);
	return 0;
}

/* The period that the stage asks for, or as much longer as keeps the series within
 * SIM_SAMPLES_MAX rows even if each place has one every time until the deadline. */
static void init_samples(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	uint64_t times = SIM_SAMPLES_MAX / (fabric->nic_count + fabric->port_count);
	uint64_t least_ns = sim->stage->deadline_ns / (times ? times : 1);

	sim->sample_ps = sim->stage->sample_ns * PS_PER_NS;
	if (sim->sample_ps && sim->stage->sample_ns < least_ns)
		sim->sample_ps = least_ns * PS_PER_NS;
}

void sim_setup(struct sim *sim)
{
	init_samples(sim);
	init_ports(sim);
	init_switches(sim);
	init_nics(sim);
	init_flows(sim);
	init_ways(sim);
	init_events(sim);
}
