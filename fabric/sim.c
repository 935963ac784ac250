/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/ring.h"
#include "fabric/sim_state.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"
#include "pfc/counters.h"
#include "pfc/headroom.h"

#define NS_PER_M 5u
#define SLOT_SHIFT 6u    /* 64 ps: three bytes at 400 Gb/s */
#define STOP_EVERY 4096u /* events between two looks at the stop flag */

static void init_ports(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;

	sim->ports = zeroed(fabric->port_count, sizeof(*sim->ports));
	sim->lanes = zeroed((size_t)fabric->port_count * PRIORITIES, sizeof(*sim->lanes));
	for (uint32_t i = 0; i < fabric->port_count * PRIORITIES; i++) {
		sim->lanes[i].head = NONE;
		sim->lanes[i].first_pause = sim->lanes[i].first_mark =
			sim->lanes[i].first_drop = NEVER;
	}
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct port *from = &fabric->ports[i];
		struct sim_port *port = &sim->ports[i];
		const struct link *link;

		port->node = from->node;
		port->peer = from->peer;
		port->nic = from->nic;
		port->pipe_head = port->pfc_head = NONE;
		port->random = (uint32_t)rng_derive(sim->config->seed, i) | 1;
		if (from->link == PORT_NONE)
			continue;
		link = &fabric->links[from->link];
		port->up = true;
		port->wire_ps = (uint64_t)link->length_m * NS_PER_M * PS_PER_NS;
		/* Both NICs' latency is on the last link: what a NIC has begun to send is
		 * on the wire at once, and stops at once when it is paused. */
		port->delay_ps =
			port->wire_ps + PS_PER_NS * (fabric->ports[from->peer].nic != PORT_NONE
								    ? 2 * fabric->nic_ns
								    : fabric->switch_ns);
		port->pause_ps = pause_ns(UINT16_MAX, link->speed_bps) * PS_PER_NS;
		port->headroom_bytes =
			(uint32_t)(fabric->policy.headroom_bytes
					   ? fabric->policy.headroom_bytes
					   : headroom_bytes(link->speed_bps, link->length_m));
	}
}

/* The pool is what the headroom and the reserve of all plugged ports leave. */
static void init_switches(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	uint32_t count = fabric->leaves + fabric->spines;

	sim->switches = zeroed(count, sizeof(*sim->switches));
	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = &fabric->nodes[fabric->hosts + i];
		uint64_t set_aside = 0;

		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t port = node->first_port + p;

			if (fabric->ports[port].link != PORT_NONE)
				set_aside += sim->ports[port].headroom_bytes +
					     fabric->policy.reserved_bytes;
		}
		if (set_aside < fabric->policy.buffer_bytes)
			sim->switches[i].pool_bytes = fabric->policy.buffer_bytes - set_aside;
	}
}

static void init_nics(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;

	sim->nics = zeroed(fabric->nic_count, sizeof(*sim->nics));
	for (uint32_t i = 0; i < fabric->nic_count; i++) {
		struct sim_nic *nic = &sim->nics[i];

		nic->port = fabric->nics[i];
		nic->leaf = fabric_nic_leaf(fabric, i);
		nic->leaf_port = fabric->ports[nic->port].peer;
		nic->line_bps = fabric_nic_bps(fabric, i);
		nic->ready_head = nic->ready_tail = NONE;
	}
}

static uint64_t qp_share(uint64_t bytes, uint32_t qps, uint32_t q)
{
	return bytes / qps + (q < bytes % qps);
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
					plan->iterations * ring_part(bytes, plan->qps, q);
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
	sim->qps = zeroed(qps, sizeof(*sim->qps));
	for (uint32_t i = 0; i < sim->flow_count; i++)
		init_qps(sim, i);
	plan_ring_bytes(sim);
}

/* Slots so narrow that few events share one, and enough of them for the longest
 * that a packet is on its way over a link. */
static void init_events(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	unsigned slots_log2 = 14;
	uint64_t longest = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct port *port = &fabric->ports[i];
		uint64_t took;

		if (port->link == PORT_NONE)
			continue;
		took = sim->ports[i].delay_ps +
		       2 * UINT64_C(8000000000000) *
			       (fabric->mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES) /
			       fabric->links[port->link].speed_bps;
		if (took > longest)
			longest = took;
	}
	while (slots_log2 < 17 && longest >> (SLOT_SHIFT + slots_log2))
		slots_log2++;
	sim->event_qps = fabric->port_count * PORT_EVENTS;
	sim->event_flows = sim->event_qps + sim->qp_count * QP_EVENTS;
	sim->event_nics = sim->event_flows + sim->flow_count;
	sim->event_misc = sim->event_nics + fabric->nic_count;
	wheel_init(&sim->wheel, sim->event_misc + MISC_EVENTS, SLOT_SHIFT, slots_log2);
}

static int check(
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

/* --- traffic --- */

bool sim_done(const struct sim *sim)
{
	return sim->flows_done == sim->flow_count;
}

/* A QP has delivered all that was planned, or has given up. */
void flow_qp_done(struct sim *sim, struct qp *qp)
{
	struct sim_flow *flow = &sim->flows[qp->flow];

	if (++flow->qps_done == flow->plan.qps)
		sim->flows_done++;
}

/* The flow's start, and every burst after it. */
static void flow_event(struct sim *sim, uint32_t index)
{
	struct sim_flow *flow = &sim->flows[index];
	const struct plan_flow *plan = &flow->plan;
	uint64_t left = plan->bytes - flow->posted_bytes;
	uint64_t bytes =
		plan->burst_bytes && plan->burst_bytes < left ? plan->burst_bytes : left;

	for (uint32_t q = 0; q < plan->qps; q++) {
		uint64_t share = qp_share(flow->posted_bytes + bytes, plan->qps, q) -
				 qp_share(flow->posted_bytes, plan->qps, q);

		if (share)
			qp_post(sim, flow->first_qp + q, share);
		else if (sim->qps[flow->first_qp + q].planned_bytes == 0 && !flow->posted_bytes)
			flow_qp_done(sim, &sim->qps[flow->first_qp + q]);
	}
	flow->posted_bytes += bytes;
	if (flow->posted_bytes < plan->bytes)
		wheel_at(&sim->wheel, sim->event_flows + index,
			sim->now + plan->burst_period_ns * PS_PER_NS);
}

static void start(struct sim *sim)
{
	fault_start(sim);
	for (uint32_t i = 0; i < sim->stage->flow_count; i++)
		wheel_at(&sim->wheel, sim->event_flows + i,
			sim->flows[i].plan.start_ns * PS_PER_NS);
	ring_start(sim);
	if (sim->stage->sample_ns)
		wheel_at(&sim->wheel, sim->event_misc + MISC_SAMPLE,
			sim->stage->sample_ns * PS_PER_NS);
}

static void misc_event(struct sim *sim, uint32_t event)
{
	switch ((enum misc_event)event) {
	case MISC_FAULT:
		fault_event(sim);
		break;
	case MISC_REROUTE:
		reroute_event(sim);
		break;
	case MISC_SAMPLE:
		sample_event(sim);
		break;
	case MISC_EVENTS:
		break;
	}
}

static void dispatch(struct sim *sim, uint32_t id)
{
	if (id < sim->event_qps) {
		uint32_t port = id / PORT_EVENTS;

		switch ((enum port_event)(id % PORT_EVENTS)) {
		case PORT_TX:
			port_tx_event(sim, port);
			break;
		case PORT_ARRIVE:
			port_arrive_event(sim, port);
			break;
		case PORT_HOLD_END:
			port_hold_end_event(sim, port);
			break;
		case PORT_REFRESH:
			port_refresh_event(sim, port);
			break;
		case PORT_WATCHDOG:
			port_watchdog_event(sim, port);
			break;
		case PORT_PFC:
			port_pfc_event(sim, port);
			break;
		case PORT_EVENTS:
			break;
		}
	} else if (id < sim->event_flows) {
		uint32_t qp = (id - sim->event_qps) / QP_EVENTS;

		if ((id - sim->event_qps) % QP_EVENTS == QP_PACE)
			qp_pace_event(sim, qp);
		else
			qp_timeout_event(sim, qp);
	} else if (id < sim->event_nics) {
		flow_event(sim, id - sim->event_flows);
	} else if (id < sim->event_misc) {
		nic_drain_event(sim, id - sim->event_nics);
	} else {
		misc_event(sim, id - sim->event_misc);
	}
}

/* Until all is delivered and the network is empty, the deadline, or a stop. */
static void run(struct sim *sim, struct run_stage *stage)
{
	uint64_t deadline = sim->stage->deadline_ns * PS_PER_NS, when = 0;
	const volatile sig_atomic_t *stop = sim->config->stop;

	stage->status = RUN_COMPLETE;
	while (!sim_done(sim) || sim->live) {
		uint32_t id = wheel_pop(&sim->wheel, &when);

		if (id == WHEEL_NONE || when > deadline) {
			sim->now = deadline;
			break;
		}
		sim->now = when;
		dispatch(sim, id);
		if (++sim->totals.events % STOP_EVERY == 0 && stop && *stop) {
			stage->status = RUN_PARTIAL;
			snprintf(stage->reason, sizeof(stage->reason), "interrupted");
			return;
		}
	}
	if (!sim_done(sim)) {
		stage->status = RUN_PARTIAL;
		snprintf(stage->reason, sizeof(stage->reason),
			"%u of %u flows were not complete at the deadline of %llu us",
			sim->flow_count - sim->flows_done, sim->flow_count,
			(unsigned long long)(sim->stage->deadline_ns / NS_PER_US));
	}
}

/* Every packet is somewhere, and an empty network owes no buffer. */
static void check_conservation(struct sim *sim)
{
	const struct sim_totals *t = &sim->totals;
	uint32_t switches = sim->fabric->leaves + sim->fabric->spines;

	sim->totals.in_flight = sim->live;
	assert(t->data_sent + t->control_sent ==
		t->received + t->lost_on_links + t->dropped_buffer + t->dropped_headroom +
			t->dropped_egress + t->dropped_down + t->dropped_no_route +
			t->dropped_watchdog + t->in_flight);
	if (sim->live)
		return;
	for (uint32_t i = 0; i < switches; i++)
		assert(sim->switches[i].shared_bytes == 0);
	for (uint32_t i = 0; i < sim->fabric->port_count * PRIORITIES; i++)
		assert(sim->lanes[i].queue_bytes == 0 && sim->lanes[i].shared == 0 &&
			sim->lanes[i].headroom == 0);
}

static void sim_free(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->qp_count; i++) {
		free(sim->qps[i].messages);
		free(sim->qps[i].repeat);
	}
	for (uint32_t i = 0; sim->ring.ranks && i < sim->ring.plan->ranks; i++)
		free(sim->ring.ranks[i].parts);
	free(sim->ring.ranks);
	free(sim->ring.rows);
	free(sim->ring.acked);
	free(sim->samples);
	free(sim->ports);
	free(sim->lanes);
	free(sim->switches);
	free(sim->nics);
	free(sim->packets);
	free(sim->qps);
	free(sim->flows);
	free(sim->link_down_since);
	free(sim->cut.ports);
	routing_free(&sim->rerouted);
	wheel_free(&sim->wheel);
}

int sim_run(const struct sim_config *config, const struct plan_stage *stage, uint32_t id,
	struct sim_result *result, struct diag *diag)
{
	struct sim_result filled = { .flows = NULL };
	struct sim sim = {
		.config = config,
		.fabric = config->fabric,
		.stage = stage,
		.routing = config->routing,
		.packet_free = NONE,
		.rto_ps = UINT64_C(4096000) << config->fabric->policy.timeout_exp,
		.ecn_kmin = config->fabric->policy.ecn_kmin_bytes,
		.ecn_kmax = config->fabric->policy.ecn_kmax_bytes,
	};
	int err = check(config, stage, diag);

	if (err)
		return err;
	sim.link_down_since = zeroed(sim.fabric->link_count, sizeof(*sim.link_down_since));
	memset(sim.link_down_since, 0xff,
		sim.fabric->link_count * sizeof(*sim.link_down_since));
	init_ports(&sim);
	init_switches(&sim);
	init_nics(&sim);
	init_flows(&sim);
	init_events(&sim);
	start(&sim);
	run(&sim, &filled.stage);
	check_conservation(&sim);
	sim_collect(&sim, id, &filled);
	sim_free(&sim);
	*result = filled;
	return 0;
}

void sim_result_free(struct sim_result *result)
{
	free(result->flows);
	free(result->paths);
	free(result->counters);
	free(result->steps);
	free(result->samples);
	memset(result, 0, sizeof(*result));
}

static int put_fact(struct run *run, const char *place, const char *key, const char *value,
	struct diag *diag)
{
	struct run_fact fact = { .source = "simulated at the start of the run" };

	snprintf(fact.place, sizeof(fact.place), "%s", place);
	snprintf(fact.key, sizeof(fact.key), "%s", key);
	snprintf(fact.value, sizeof(fact.value), "%s", value);
	return run_put_fact(run, &fact, diag);
}

static bool down_at_start(const struct fabric *fabric, uint32_t link)
{
	for (uint32_t i = 0; i < fabric->fault_count; i++)
		if (fabric->faults[i].kind == FAULT_DOWN && fabric->faults[i].link == link &&
			fabric->faults[i].from_ns == 0)
			return true;
	return false;
}

int sim_put_facts(const struct fabric *fabric, struct run *run, struct diag *diag)
{
	char place[2 * NAME_BYTES], value[2 * NAME_BYTES];
	int err = 0;

	for (uint32_t port = 0; port < fabric->port_count && !err; port++) {
		const struct port *from = &fabric->ports[port];
		bool down;

		if (from->link == PORT_NONE)
			continue;
		down = down_at_start(fabric, from->link);
		if (from->nic == PORT_NONE)
			fabric_port_name(fabric, port, place);
		else
			fabric_nic_name(fabric, from->nic, place);
		err = put_fact(run, place, F_OPER_STATE, down ? "down" : "up", diag);
		if (err || down)
			continue;
		snprintf(value, sizeof(value), "%llu",
			(unsigned long long)fabric->links[from->link].speed_bps);
		err = put_fact(run, place, F_SPEED, value, diag);
		if (err)
			continue;
		fabric_port_name(fabric, from->peer, value);
		err = put_fact(run, place, F_PEER, value, diag);
	}
	return err;
}
