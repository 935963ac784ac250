/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring all-reduce: a rank sends the chunk of step s + 1 once the chunk of step s
 * has come in from the rank before it. Which chunk that is says ring_plan().
 */
#include <string.h>

#include "fabric/ring.h"
#include "fabric/sim_parts.h"
#include "lib/grow.h"

static struct run_step *row_of(struct sim *sim, uint32_t rank, uint32_t step)
{
	return &sim->ring.rows[(size_t)rank * sim->ring.steps + step];
}

static void post_step(struct sim *sim, uint32_t rank, uint32_t step)
{
	const struct plan_ring *plan = sim->ring.plan;
	const struct sim_flow *flow = &sim->flows[sim->ring.first_flow + rank];
	struct run_step *row = row_of(sim, rank, step);
	struct ring ring;
	struct ring_step what;

	ring_init(&ring, plan->ranks, plan->bytes, plan->elem_bytes);
	what = ring_plan(&ring, rank, step % ring_steps(&ring));
	row->posted_ns = clock_ns(sim, sim->now);
	sim->ring.ranks[rank].posted = step + 1;
	for (uint32_t q = 0; q < plan->qps; q++)
		qp_post(sim, flow->first_qp + q,
			qp_share(what.send.length_bytes, plan->qps, q));
}

/* Whether the next step of a rank has its input. */
static bool is_due(const struct sim *sim, const struct ring_rank *rank)
{
	return rank->posted <= rank->arrived && rank->posted < sim->ring.steps;
}

/* Posts all steps whose input is there, unless the host is late: then an event
 * of the rank's flow does it. */
static void post_due(struct sim *sim, uint32_t rank)
{
	struct ring_rank *state = &sim->ring.ranks[rank];
	uint32_t flow = sim->ring.first_flow + rank;
	const struct sim_nic *nic = &sim->nics[sim->flows[flow].plan.src];
	uint64_t when = sim->now + nic->post_ps;

	if (nic->stalled_until > when)
		when = nic->stalled_until;
	if (when > sim->now) {
		if (when != NEVER && !wheel_pending(&sim->wheel, sim->event_flows + flow))
			wheel_at(&sim->wheel, sim->event_flows + flow, when);
		return;
	}
	while (is_due(sim, state))
		post_step(sim, rank, state->posted);
}

/* A late host posts one step, and the next as late again. */
void ring_post_event(struct sim *sim, uint32_t flow)
{
	uint32_t rank = flow - sim->ring.first_flow;
	struct ring_rank *state = &sim->ring.ranks[rank];

	if (!is_due(sim, state)) /* posted since, for the host is not late any more */
		return;
	post_step(sim, rank, state->posted);
	if (is_due(sim, state))
		post_due(sim, rank);
}

void ring_start(struct sim *sim)
{
	struct sim_ring *state = &sim->ring;
	const struct plan_ring *plan = &sim->stage->ring;
	struct ring ring;

	if (plan->ranks == 0)
		return;
	ring_init(&ring, plan->ranks, plan->bytes, plan->elem_bytes);
	state->plan = plan;
	state->steps = ring_steps(&ring) * plan->iterations;
	state->ranks = zeroed(plan->ranks, sizeof(*state->ranks));
	state->rows = zeroed((size_t)plan->ranks * state->steps, sizeof(*state->rows));
	state->acked = zeroed((size_t)plan->ranks * state->steps, sizeof(*state->acked));
	for (uint32_t rank = 0; rank < plan->ranks; rank++) {
		state->ranks[rank].parts = zeroed(state->steps, sizeof(uint32_t));
		for (uint32_t step = 0; step < state->steps; step++) {
			struct run_step *row = row_of(sim, rank, step);

			row->iteration = step / ring_steps(&ring);
			row->step = step % ring_steps(&ring);
			row->rank = rank;
		}
		row_of(sim, rank, 0)->ready_ns = clock_ns(sim, sim->now);
		post_due(sim, rank);
	}
}

/* A part of the next step of the edge qp has come in at its receiver. */
void ring_arrived(struct sim *sim, struct qp *qp)
{
	struct sim_ring *state = &sim->ring;
	uint32_t edge = qp->flow - state->first_flow;
	uint32_t to = (edge + 1) % state->plan->ranks;
	struct ring_rank *rank = &state->ranks[to];
	uint32_t step = qp->messages_in++;

	if (qp->messages_in == state->steps)
		flow_qp_done(sim, qp);
	rank->parts[step]++;
	while (rank->arrived < state->steps && rank->parts[rank->arrived] == state->plan->qps) {
		row_of(sim, edge, rank->arrived)->arrived_ns = clock_ns(sim, sim->now);
		if (++rank->arrived == state->steps) {
			state->done++;
			break;
		}
		row_of(sim, to, rank->arrived)->ready_ns = clock_ns(sim, sim->now);
		post_due(sim, to);
	}
}

void ring_acknowledged(struct sim *sim, struct qp *qp)
{
	struct sim_ring *state = &sim->ring;
	uint32_t rank = qp->flow - state->first_flow;
	uint32_t step = qp->messages_acked++;
	uint16_t *acked = &state->acked[(size_t)rank * state->steps + step];

	if (++*acked == state->plan->qps)
		row_of(sim, rank, step)->completed_ns = clock_ns(sim, sim->now);
}
