/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/incast.h"

#include "lib/units.h"

#define BURST_SENDERS 16u
#define BURST_QPS 1u
#define STEPS 5u

/* Four and one and a quarter times what the target needs for a burst, in percent. */
static const uint32_t gap_percent[] = { 400, 125 };

/* All senders together: below marking, into it, past certain marking, what the
 * target's leaf can hold, and beyond its whole buffer. */
static uint64_t step_bytes(const struct stage_build *build, uint32_t ports, uint32_t step)
{
	const struct policy *policy = &build->fabric->policy;
	uint64_t held = stage_held_bytes(build, ports);
	const uint64_t bytes[STEPS] = {
		policy->ecn_kmin_bytes / 2,
		policy->ecn_kmin_bytes * 2,
		policy->ecn_kmax_bytes * 2,
		held,
		policy->buffer_bytes + policy->buffer_bytes / 4,
	};

	return bytes[step];
}

static uint32_t bursts_of(const struct stage_build *build, uint32_t step)
{
	uint32_t bursts = step < 3 ? 8 : 3;

	return build->profile == PROFILE_FULL ? 5 * bursts : bursts;
}

static void burst(
	struct stage_build *build, const struct incast *incast, uint32_t step, uint32_t gap)
{
	const struct fabric *fabric = build->fabric;
	struct plan_stage *stage = stage_begin(build, LAYER_BURST);
	uint32_t target = incast->targets[0].nic, n = incast->per_target;
	uint32_t leaf = fabric_leaf_node(fabric, build->by_leaf.leaf[target]);
	uint64_t all = step_bytes(build, fabric->nodes[leaf].port_count, step);
	uint64_t each = all / n < fabric->mtu_bytes ? fabric->mtu_bytes : all / n;
	uint64_t period_ns = stage_ns(build, target, each * n) * gap_percent[gap] / 100;

	stage->variant = step;
	stage->subject = gap;
	for (uint32_t k = 0; k < n; k++) {
		struct plan_flow *flow = stage_flow(stage, incast->senders[k], target,
			BURST_QPS, each * bursts_of(build, step));

		flow->burst_bytes = each;
		flow->burst_period_ns = period_ns;
	}
	stage_name(stage, "burst-%u-gap%u", step + 1, gap + 1);
	stage_note(stage, "%u bursts of %u x %llu KiB, one each %llu us",
		bursts_of(build, step), n, (unsigned long long)(each / KIB),
		(unsigned long long)(period_ns / NS_PER_US));
	stage_end(build, stage);
}

void stages_burst(struct stage_build *build)
{
	uint32_t most = incast_senders_max(build);
	struct incast_wish wish = {
		.per_target = most < BURST_SENDERS ? most : BURST_SENDERS,
		.targets = 1,
		.nic = PORT_NONE,
	};
	struct incast incast;
	struct rng rng;

	if (most < 2)
		return;
	stage_rng(build, STREAM_BURST, &rng);
	wish.first_leaf = (uint32_t)rng_below(&rng, build->by_leaf.used);
	if (!incast_init(&incast, build, &rng, &wish))
		return;
	for (uint32_t step = 0; step < STEPS; step++)
		for (uint32_t gap = 0; gap < COUNT_OF(gap_percent); gap++)
			burst(build, &incast, step, gap);
	incast_free(&incast);
}
