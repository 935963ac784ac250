/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages_lossless.h"

#include "fabric/incast.h"
#include "lib/units.h"

#define ALONE_NS NS_PER_MS
#define VICTIM_NS (4 * NS_PER_MS) /* at most; the incast goes on meanwhile */
#define ECT_NS (4 * NS_PER_MS)

#define LARGER_TARGETS 8u /* at once, of the sets that need not cover all leaves */

static const uint32_t quick_senders[] = { 3, 8, 16 };
static const uint32_t full_senders[] = { 2, 3, 4, 8, 16, 32, 64 };

uint64_t lossless_ect_ns(const struct stage_build *build)
{
	return build->profile == PROFILE_FULL ? 5 * ECT_NS : ECT_NS;
}

/* What all switches hold when every port of theirs stands at its pause threshold. */
static uint64_t fabric_held_bytes(const struct stage_build *build)
{
	const struct fabric *fabric = build->fabric;
	uint64_t bytes = 0;

	for (uint32_t node = fabric->hosts; node < fabric->node_count; node++)
		bytes += stage_held_bytes(build, fabric->nodes[node].port_count);
	return bytes;
}

uint64_t lossless_not_ect_bytes(const struct stage_build *build, uint32_t n)
{
	uint64_t share = fabric_held_bytes(build) / build->by_leaf.used;

	return share * 3 / 2 / (n - 1) * n;
}

/* --- N:1 across leaves --- */

static void add_senders(struct stage_build *build, struct plan_stage *stage,
	const struct incast *incast, enum lossless_kind kind)
{
	uint32_t n = incast->per_target;

	for (uint32_t t = 0; t < incast->count; t++) {
		uint32_t target = incast->targets[t].nic;
		uint64_t bytes = kind == LOSSLESS_ECT
					 ? stage_bytes(build, target, lossless_ect_ns(build))
					 : lossless_not_ect_bytes(build, n);

		for (uint32_t k = 0; k < n; k++) {
			struct plan_flow *flow = stage_flow(stage, incast->senders[t * n + k],
				target, kind == LOSSLESS_ECT ? ECT_QPS : NOT_ECT_QPS,
				bytes / n);

			flow->not_ect = kind == LOSSLESS_NOT_ECT;
		}
	}
}

static struct plan_stage *begin(struct stage_build *build, const struct incast *incast,
	enum lossless_kind kind, uint32_t set)
{
	struct plan_stage *stage = incast_begin(build, incast, kind);

	stage->repeat = set;
	return stage;
}

static void alone(struct stage_build *build, const struct incast *incast, uint32_t set)
{
	struct plan_stage *stage;

	if (!incast_has_victims(incast))
		return;
	stage = begin(build, incast, LOSSLESS_ALONE, set);
	stage_name(stage, "alone-%u-%u", incast->per_target, set + 1);
	stage_note(stage, "the victims of incast-%u-*-%u without the incast",
		incast->per_target, set + 1);
	incast_add_victims(incast, build, stage, false, ALONE_NS);
	stage_end(build, stage);
}

static void incast_stage(struct stage_build *build, const struct incast *incast,
	enum lossless_kind kind, uint32_t set)
{
	struct plan_stage *stage = begin(build, incast, kind, set);
	bool ect = kind == LOSSLESS_ECT;
	uint64_t victim_ns;

	stage_name(
		stage, "incast-%u-%s-%u", incast->per_target, ect ? "ect" : "not-ect", set + 1);
	stage_note(stage, "%u:1 across leaves at %u target%s, %s", incast->per_target,
		incast->count, incast->count == 1 ? "" : "s",
		ect ? "ECT: ECN must act" : "Not-ECT: PFC must act");
	add_senders(build, stage, incast, kind);
	stage_end(build, stage);
	victim_ns = stage->expected_ns < VICTIM_NS ? stage->expected_ns : VICTIM_NS;
	incast_add_victims(incast, build, stage, !ect, victim_ns);
	stage_end(build, stage);
}

/* One set of targets, alone and in both kinds. Returns how many leaves it has covered;
 * 0 when there is no room. */
static uint32_t incast_set(struct stage_build *build, uint32_t n, uint32_t set,
	uint32_t targets, uint32_t first_leaf)
{
	struct incast_wish wish = {
		.per_target = n,
		.targets = targets,
		.first_leaf = first_leaf,
		.nic = PORT_NONE,
		.victims = true,
	};
	struct incast incast;
	uint32_t covered;
	struct rng rng;

	stage_rng(build, STREAM_INCAST + n * UINT64_C(100) + set, &rng);
	if (!incast_init(&incast, build, &rng, &wish)) {
		wish.targets = 1;
		wish.victims = false;
		if (!incast_init(&incast, build, &rng, &wish))
			return 0;
	}
	alone(build, &incast, set);
	incast_stage(build, &incast, LOSSLESS_NOT_ECT, set);
	incast_stage(build, &incast, LOSSLESS_ECT, set);
	covered = incast.count;
	incast_free(&incast);
	return covered;
}

/* The smallest N, so small that every leaf can be a target, goes round all leaves. */
static void cover_leaves(struct stage_build *build, uint32_t least)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t others = by_leaf->count - by_leaf->largest;
	uint32_t n = least < others ? least : others;
	uint32_t covered = 0;

	for (uint32_t set = 0; covered < by_leaf->used; set++) {
		uint32_t step =
			incast_set(build, n < 2 ? 2 : n, set, by_leaf->used - covered, covered);

		covered += step ? step : 1; /* a leaf that has too few others */
	}
}

/* A larger N has one set, from a leaf that is drawn. */
static void incasts(struct stage_build *build)
{
	bool full = build->profile == PROFILE_FULL;
	const uint32_t *senders = full ? full_senders : quick_senders;
	size_t count = full ? COUNT_OF(full_senders) : COUNT_OF(quick_senders);
	uint32_t most = incast_senders_max(build);
	struct rng rng;

	if (most < 2)
		return;
	cover_leaves(build, senders[0]);
	stage_rng(build, STREAM_INCAST, &rng);
	for (size_t i = 1; i < count; i++) {
		uint32_t first = (uint32_t)rng_below(&rng, build->by_leaf.used);

		if (senders[i] <= most)
			incast_set(build, senders[i], 0, LARGER_TARGETS, first);
	}
}

void stages_lossless(struct stage_build *build)
{
	incasts(build);
	stages_local_incast(build);
	stages_pause_spread(build);
	stages_leaf_wide(build);
}
