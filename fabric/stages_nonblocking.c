/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stage_build.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

#define LARGE_NICS 256u /* from here a permutation has leaves enough for a quick look */
#define HOPS_QUICK UINT64_C(6000000)

#define PACKETS 64u /* of a flow, at least: on slow links it takes longer then */

static const uint32_t qps_steps[] = { 1, 4, 16, 32 };

static uint32_t permutations(const struct stage_build *build)
{
	if (build->profile == PROFILE_FULL)
		return 8;
	return build->by_leaf.count < LARGE_NICS ? 3 : 2;
}

/* What a NIC sends in the time; on the simulator no less than can be judged. */
static uint64_t bytes_of(const struct stage_build *build, uint32_t nic, uint64_t ns)
{
	uint64_t bytes = stage_bytes(build, nic, ns);
	uint64_t least = PACKETS * (uint64_t)build->fabric->mtu_bytes;

	return build->live_ns || bytes > least ? bytes : least;
}

/* The slower of the two decides how much a flow has to carry, so that all end together
 * where speeds are mixed. Not-ECT: DCQCN needs some ten times longer than this to find
 * the shares of a bottleneck, and it is not what is asked about. */
static void permutation(struct stage_build *build, uint32_t qps, uint32_t repeat, uint64_t ns,
	uint32_t *src, uint32_t *dst)
{
	struct plan_stage *stage = stage_begin(build, LAYER_NONBLOCKING);
	struct rng rng;
	uint32_t count;

	stage_name(stage, "permutation-%u-%uqp", repeat + 1, qps);
	stage_note(stage, "every NIC to one NIC of another leaf, %u QPs a pair, Not-ECT", qps);
	stage->variant = qps;
	stage->repeat = repeat;
	stage_rng(build, STREAM_PERMUTATION + repeat, &rng);
	count = stage_permutation(build, &rng, src, dst);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t sent = bytes_of(build, src[i], ns);
		uint64_t received = bytes_of(build, dst[i], ns);

		stage_flow(stage, src[i], dst[i], qps, sent < received ? sent : received)
			->not_ect = true;
	}
	stage_end(build, stage);
}

void stages_nonblocking(struct stage_build *build)
{
	uint32_t repeats = permutations(build);
	uint32_t stages = repeats * (uint32_t)COUNT_OF(qps_steps);
	uint64_t most_ns = build->profile == PROFILE_FULL ? 5 * NS_PER_MS : NS_PER_MS;
	uint64_t ns = stage_budget_ns(build, HOPS_QUICK, stages, 43, most_ns);
	uint32_t *src, *dst;

	if (build->by_leaf.used < 2)
		return;
	src = zeroed(build->by_leaf.count, sizeof(*src));
	dst = zeroed(build->by_leaf.count, sizeof(*dst));
	for (size_t step = 0; step < COUNT_OF(qps_steps); step++)
		for (uint32_t repeat = 0; repeat < repeats; repeat++)
			permutation(build, qps_steps[step], repeat, ns, src, dst);
	free(src);
	free(dst);
}
