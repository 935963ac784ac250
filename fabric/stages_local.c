/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages_lossless.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

/* A third of the NICs are targets at a time, the others send to them in turn. */
struct local_round {
	uint32_t leaf, size, targets, per_target;
	uint64_t bytes; /* of a sender */
};

static struct local_round local_round(
	const struct stage_build *build, uint32_t leaf, enum lossless_kind kind)
{
	uint32_t size = leafnics_size(&build->by_leaf, leaf);
	struct local_round round = { .leaf = leaf, .size = size, .targets = size / 3 };
	uint64_t bytes;

	if (round.targets == 0)
		return round;
	round.per_target = (size - round.targets) / round.targets;
	if (kind == LOSSLESS_LOCAL_ECT)
		bytes = stage_bytes(build, leafnics_at(&build->by_leaf, leaf, 0),
			lossless_ect_ns(build) / 8);
	else
		bytes = stage_held_bytes(build, size - round.targets) / round.targets * 3;
	round.bytes = bytes / round.per_target;
	return round;
}

static uint64_t local_round_ns(const struct stage_build *build, const struct local_round *round)
{
	uint32_t busiest = (round->size - 1) / round->targets;

	return 2 * stage_ns(build, leafnics_at(&build->by_leaf, round->leaf, 0),
			   round->bytes * busiest);
}

static void add_local_round(struct stage_build *build, struct plan_stage *stage,
	const struct local_round *round, const uint32_t *order, uint32_t index)
{
	uint64_t start_ns = index * local_round_ns(build, round);
	uint32_t first = index * round->targets;

	for (uint32_t i = round->targets; i < round->size; i++) {
		uint32_t target = order[(first + i % round->targets) % round->size];
		uint32_t sender = order[(first + i) % round->size];
		struct plan_flow *flow =
			stage_flow(stage, leafnics_at(&build->by_leaf, round->leaf, sender),
				leafnics_at(&build->by_leaf, round->leaf, target), ECT_QPS,
				round->bytes);

		flow->start_ns = start_ns;
		flow->not_ect = stage->subject == LOSSLESS_LOCAL_NOT_ECT;
	}
}

static void local_leaf(struct stage_build *build, struct plan_stage *stage, struct rng *rng,
	uint32_t leaf, enum lossless_kind kind)
{
	struct local_round round = local_round(build, leaf, kind);
	uint32_t *order;

	if (round.targets == 0)
		return;
	if (round.per_target > stage->variant)
		stage->variant = round.per_target;
	order = zeroed(round.size, sizeof(*order));
	rng_permutation(rng, order, round.size);
	for (uint32_t index = 0; index * round.targets < round.size; index++)
		add_local_round(build, stage, &round, order, index);
	free(order);
}

static void local(struct stage_build *build, enum lossless_kind kind)
{
	bool ect = kind == LOSSLESS_LOCAL_ECT;
	struct plan_stage *stage;
	struct rng rng;

	if (build->by_leaf.largest < 3)
		return;
	stage = stage_begin(build, LAYER_LOSSLESS);
	stage->subject = kind;
	stage_rng(build, STREAM_LOCAL, &rng);
	for (uint32_t leaf = 0; leaf < build->by_leaf.leaves; leaf++)
		local_leaf(build, stage, &rng, leaf, kind);
	stage_name(stage, "incast-local-%s", ect ? "ect" : "not-ect");
	stage_note(stage, "inside every leaf %u:1, each NIC a target in turn, %s",
		stage->variant, ect ? "ECT" : "Not-ECT");
	stage_end(build, stage);
}

void stages_local_incast(struct stage_build *build)
{
	local(build, LOSSLESS_LOCAL_NOT_ECT);
	local(build, LOSSLESS_LOCAL_ECT);
}
