/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows that wait for others: a burst is sent when those of the same number have come in,
 * so that trees and chains can be run piece by piece. Each flow keeps a list of those that
 * wait for it.
 */
#include <errno.h>

#include "fabric/sim_parts.h"
#include "lib/diag.h"

static uint64_t bursts_of(const struct plan_flow *flow)
{
	return flow->burst_bytes ? (flow->bytes + flow->burst_bytes - 1) / flow->burst_bytes
				 : 1;
}

/* Returns 0, or -EINVAL with the sentence where a flow waits for what never comes. */
int after_check(const struct plan_stage *stage, struct diag *diag)
{
	for (uint32_t i = 0; i < stage->flow_count; i++)
		for (unsigned a = 0; a < PLAN_AFTER; a++) {
			const struct plan_flow *flow = &stage->flows[i], *first;
			uint32_t after = flow->after[a];

			if (after == 0)
				continue;
			first = &stage->flows[after <= stage->flow_count ? after - 1 : i];
			if (first == flow || flow->qps != 1 || first->qps != 1 ||
				bursts_of(flow) != bursts_of(first))
				return diag_error(diag, -EINVAL,
					"stage %s, flow %u: expected to wait for another flow "
					"of the stage, both of one QP and as many bursts",
					stage->name, i);
		}
	return 0;
}

void after_setup(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->flow_count; i++)
		sim->flows[i].first_follower = NONE;
	for (uint32_t i = 0; i < sim->flow_count; i++) {
		sim->flows[i].waits = sim->flows[i].plan.window > 0;
		for (unsigned a = 0; a < PLAN_AFTER; a++) {
			struct sim_flow *flow = &sim->flows[i], *first;

			if (flow->plan.after[a] == 0)
				continue;
			first = &sim->flows[flow->plan.after[a] - 1];
			flow->waits = true;
			flow->next_follower[a] = first->first_follower;
			first->first_follower = i * PLAN_AFTER + a;
		}
	}
}

static bool is_due(const struct sim *sim, const struct sim_flow *flow)
{
	for (unsigned a = 0; a < PLAN_AFTER; a++)
		if (flow->plan.after[a] &&
			sim->flows[flow->plan.after[a] - 1].delivered <= flow->posted)
			return false;
	if (flow->plan.window && flow->posted - flow->delivered >= flow->plan.window)
		return false;
	return flow->posted_bytes < flow->plan.bytes;
}

/* All bursts whose input is there. */
void after_post(struct sim *sim, uint32_t index)
{
	struct sim_flow *flow = &sim->flows[index];

	while (flow->started && is_due(sim, flow)) {
		flow->posted++;
		flow_post(sim, index);
	}
}

/* A burst of a flow that others wait for has come in. */
void after_delivered(struct sim *sim, uint32_t index)
{
	sim->flows[index].delivered++;
	if (sim->flows[index].plan.window)
		after_post(sim, index);
	for (uint32_t at = sim->flows[index].first_follower; at != NONE;
		at = sim->flows[at / PLAN_AFTER].next_follower[at % PLAN_AFTER])
		after_post(sim, at / PLAN_AFTER);
}
