/* SPDX-License-Identifier: Apache-2.0 */

#include "fabric/incast.h"
#include "lib/units.h"

#define STAGE_NS_QUICK NS_PER_S
#define STAGE_NS_FULL (5 * NS_PER_S)
#define SENDERS_QPS 4u
#define TARGETS 8u /* at once */
#define BURST_SENDERS 16u
#define BURSTS_MIN 4u
#define BURSTS_MAX 100u
#define GAP_TIMES 4u /* a burst each four times what the target needs for it */

static const uint32_t senders[] = { 3, 8, 16 };

/* How long a target is kept busy by one burst of all its senders. */
static const uint64_t burst_ns[] = { 100 * NS_PER_US, NS_PER_MS, 10 * NS_PER_MS };

static void incast_set(struct stage_build *build, const struct incast *incast)
{
	bool not_ect = build->fabric->policy.pfc || !build->fabric->policy.ecn;
	uint32_t n = incast->per_target;
	struct plan_stage *stage;

	if (incast_has_victims(incast)) {
		stage = incast_begin(build, incast, LOSSLESS_ALONE);
		stage_name(stage, "alone-%u-1", n);
		stage_note(stage, "the victims of the incast by themselves");
		incast_add_victims(incast, build, stage, not_ect, build->live_ns);
		stage_end(build, stage);
	}
	stage = incast_begin(build, incast, not_ect ? LOSSLESS_NOT_ECT : LOSSLESS_ECT);
	stage_name(stage, "incast-%u-%s-1", n, not_ect ? "not-ect" : "ect");
	stage_note(stage, "%u:1 across leaves at %u target%s", n, incast->count,
		incast->count == 1 ? "" : "s");
	for (uint32_t i = 0; i < incast->count * n; i++) {
		uint32_t target = incast->targets[i / n].nic;

		stage_flow(stage, incast->senders[i], target, SENDERS_QPS,
			stage_bytes(build, target, build->live_ns) / n)
			->not_ect = not_ect;
	}
	incast_add_victims(incast, build, stage, not_ect, build->live_ns);
	stage_end(build, stage);
}

static bool find(struct stage_build *build, uint32_t n, uint32_t targets, bool victims,
	struct incast *incast)
{
	struct incast_wish wish = {
		.per_target = n,
		.targets = targets,
		.nic = PORT_NONE,
		.victims = victims,
	};
	struct rng rng;

	stage_rng(build, STREAM_INCAST + n, &rng);
	wish.first_leaf = (uint32_t)rng_below(&rng, build->by_leaf.used);
	return incast_init(incast, build, &rng, &wish);
}

static void incasts(struct stage_build *build)
{
	uint32_t most = incast_senders_max(build);
	struct incast incast;

	for (size_t i = 0; i < COUNT_OF(senders); i++) {
		if (most < 2 || senders[i] > most)
			continue;
		if (!find(build, senders[i], TARGETS, true, &incast) &&
			!find(build, senders[i], 1, false, &incast))
			continue;
		incast_set(build, &incast);
		incast_free(&incast);
	}
}

static void burst(struct stage_build *build, const struct incast *incast, uint32_t step)
{
	struct plan_stage *stage = stage_begin(build, LAYER_BURST);
	uint32_t target = incast->targets[0].nic, n = incast->per_target;
	uint64_t each = stage_bytes(build, target, burst_ns[step]) / n, period_ns, bursts;

	if (each < build->fabric->mtu_bytes)
		each = build->fabric->mtu_bytes;
	period_ns = stage_ns(build, target, each * n) * GAP_TIMES;
	bursts = build->live_ns / (period_ns + 1);
	bursts = bursts < BURSTS_MIN ? BURSTS_MIN : bursts > BURSTS_MAX ? BURSTS_MAX : bursts;
	stage->variant = step;
	for (uint32_t k = 0; k < n; k++) {
		struct plan_flow *flow =
			stage_flow(stage, incast->senders[k], target, 1, each * bursts);

		flow->burst_bytes = each;
		flow->burst_period_ns = period_ns;
		flow->not_ect = !build->fabric->policy.ecn;
	}
	stage_name(stage, "burst-%u", step + 1);
	stage_note(stage, "%u bursts of %u x %llu KiB, one each %llu us", (unsigned)bursts, n,
		(unsigned long long)(each / KIB), (unsigned long long)(period_ns / NS_PER_US));
	stage_end(build, stage);
}

static void bursts(struct stage_build *build)
{
	uint32_t most = incast_senders_max(build);
	struct incast incast;

	if (most < 2 ||
		!find(build, most < BURST_SENDERS ? most : BURST_SENDERS, 1, false, &incast))
		return;
	for (uint32_t step = 0; step < COUNT_OF(burst_ns); step++)
		burst(build, &incast, step);
	incast_free(&incast);
}

void plan_live(
	struct plan *plan, const struct fabric *fabric, enum profile profile, uint64_t seed)
{
	struct stage_build build;

	stage_build_init(&build, plan, fabric, profile, seed);
	build.live_ns = profile == PROFILE_FULL ? STAGE_NS_FULL : STAGE_NS_QUICK;
	stages_pairs(&build);
	stages_nonblocking(&build);
	incasts(&build);
	bursts(&build);
	stages_ring(&build);
	stage_build_free(&build);
}
