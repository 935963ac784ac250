/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_parts.h"
#include "lib/grow.h"

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

/* The next burst of a flow, or all of it. */
void flow_post(struct sim *sim, uint32_t index)
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
}

/* The flow's start, and every burst after it. */
static void flow_event(struct sim *sim, uint32_t index)
{
	struct sim_flow *flow = &sim->flows[index];

	if (flow->waits) {
		flow->started = true;
		after_post(sim, index);
		return;
	}
	flow_post(sim, index);
	if (flow->posted_bytes < flow->plan.bytes)
		wheel_at(&sim->wheel, sim->event_flows + index,
			sim->now + flow->plan.burst_period_ns * PS_PER_NS);
}

/* A host that is stalled posts when it is no more. */
static void post_event(struct sim *sim, uint32_t index)
{
	uint64_t until = sim->nics[sim->flows[index].plan.src].stalled_until;

	if (until > sim->now && until != NEVER)
		wheel_at(&sim->wheel, sim->event_flows + index, until);
	else if (until > sim->now)
		return;
	else if (sim->flows[index].ring)
		ring_post_event(sim, index);
	else
		flow_event(sim, index);
}

static void start(struct sim *sim)
{
	fault_start(sim);
	for (uint32_t i = 0; i < sim->stage->flow_count; i++)
		wheel_at(&sim->wheel, sim->event_flows + i,
			sim->flows[i].plan.start_ns * PS_PER_NS);
	ring_start(sim);
	if (sim->sample_ps)
		wheel_at(&sim->wheel, sim->event_misc + MISC_SAMPLE, sim->sample_ps);
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

void sim_dispatch(struct sim *sim, uint32_t id)
{
	if (id < sim->event_qps) {
		uint32_t port = id % sim->port_count;

		switch ((enum port_event)(id / sim->port_count)) {
		case PORT_ARRIVE:
		case PORT_TX: /* sim_hop.c */
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
		post_event(sim, id - sim->event_flows);
	} else if (id < sim->event_misc) {
		nic_drain_event(sim, id - sim->event_nics);
	} else {
		misc_event(sim, id - sim->event_misc);
	}
}

static void sim_free(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->qp_count; i++) {
		free(sim->qps[i].messages);
		free(sim->qps[i].repeat);
	}
	for (uint32_t i = 0; sim->ring.ranks && i < sim->ring.plan->ranks; i++)
		free(sim->ring.ranks[i].parts);
	for (uint32_t i = 0; i < sim->fabric->leaves + sim->fabric->spines; i++)
		free(sim->switches[i].ahead);
	free(sim->ring.ranks);
	free(sim->ring.rows);
	free(sim->ring.acked);
	free(sim->samples);
	free(sim->ports);
	free(sim->troubles);
	free(sim->ended);
	free(sim->cut_off);
	free(sim->lanes);
	free(sim->switches);
	free(sim->nics);
	free(sim->homes);
	free(sim->ways);
	for (uint32_t i = 0; i < sim->chunk_count; i++)
		free(sim->chunks[i]);
	free(sim->qps);
	free(sim->flows);
	free(sim->link_down_since);
	free(sim->cut.ports);
	free(sim->wired.ports);
	free(sim->wired.links);
	routing_free(&sim->wiring);
	routing_free(&sim->forced);
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
		.tap = config->tap,
		.lossless = config->fabric->policy.pfc ? config->fabric->policy.priority
						       : PRIORITIES,
	};
	int err = sim_check(config, stage, diag);

	if (!err)
		err = fault_wire(&sim, diag);
	if (err)
		return err;
	sim.link_down_since = zeroed(sim.fabric->link_count, sizeof(*sim.link_down_since));
	memset(sim.link_down_since, 0xff,
		sim.fabric->link_count * sizeof(*sim.link_down_since));
	sim_setup(&sim);
	if (sim.tap)
		tap_begin(&sim);
	start(&sim);
	sim_events(&sim, &filled.stage);
	ledger_check(&sim);
	sim_collect(&sim, id, &filled);
	if (sim.tap)
		tap_end(&sim);
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
