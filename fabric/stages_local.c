/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages_lossless.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

/* About a third of the NICs are targets in a round, the others send to them in turn; over
 * the rounds each is a target once. */
struct rounds {
	uint32_t leaf, size, count;
	uint64_t bytes;   /* for each target, from all its senders */
	uint64_t slot_ns; /* from the start of a round to that of the next */
};

static uint64_t target_bytes(
	const struct stage_build *build, uint32_t leaf, uint32_t size, enum lossless_kind kind)
{
	uint32_t nic = leafnics_at(&build->by_leaf, leaf, 0);

	if (kind == LOSSLESS_LOCAL_ECT)
		return stage_bytes(build, nic, lossless_ect_ns(build) / 8);
	return stage_held_bytes(build, size) / (size / 3) * 3;
}

static void rounds_init(struct rounds *rounds, const struct stage_build *build, uint32_t leaf,
	enum lossless_kind kind)
{
	uint32_t size = leafnics_size(&build->by_leaf, leaf), targets = size / 3;

	*rounds = (struct rounds){ .leaf = leaf, .size = size };
	if (targets == 0)
		return;
	rounds->count = (size + targets - 1) / targets;
	rounds->bytes = target_bytes(build, leaf, size, kind);
	rounds->slot_ns =
		2 * stage_ns(build, leafnics_at(&build->by_leaf, leaf, 0), rounds->bytes);
}

/* order[low] .. order[high - 1] are the targets. */
static void add_round(struct stage_build *build, struct plan_stage *stage,
	const struct rounds *rounds, const uint32_t *order, uint32_t index)
{
	uint32_t low = rounds->size * index / rounds->count;
	uint32_t high = rounds->size * (index + 1) / rounds->count;
	uint32_t targets = high - low, senders = rounds->size - targets;

	for (uint32_t i = 0; i < senders; i++) {
		uint32_t sender = order[(high + i) % rounds->size];
		uint32_t target = order[low + i % targets];
		struct plan_flow *flow =
			stage_flow(stage, leafnics_at(&build->by_leaf, rounds->leaf, sender),
				leafnics_at(&build->by_leaf, rounds->leaf, target), ECT_QPS,
				rounds->bytes * targets / senders);

		flow->start_ns = index * rounds->slot_ns;
		flow->not_ect = stage->subject == LOSSLESS_LOCAL_NOT_ECT;
	}
	if (senders / targets > stage->variant)
		stage->variant = senders / targets;
}

static void local_leaf(struct stage_build *build, struct plan_stage *stage, struct rng *rng,
	uint32_t leaf, enum lossless_kind kind)
{
	struct rounds rounds;
	uint32_t *order;

	rounds_init(&rounds, build, leaf, kind);
	order = zeroed(rounds.size, sizeof(*order));
	rng_permutation(rng, order, rounds.size);
	for (uint32_t index = 0; index < rounds.count; index++)
		add_round(build, stage, &rounds, order, index);
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
