/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages_lossless.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

#define HOPS_QUICK UINT64_C(1500000)

/* Index-th leaf in use after leaf. */
static uint32_t leaf_after(const struct leafnics *by_leaf, uint32_t leaf, uint32_t index)
{
	do {
		leaf = (leaf + 1) % by_leaf->leaves;
		if (leafnics_size(by_leaf, leaf) && index-- == 0)
			return leaf;
	} while (true);
}

static void add_mixed_leaf(struct stage_build *build, struct plan_stage *stage, uint32_t leaf,
	uint32_t draw, uint64_t bytes)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t others = by_leaf->used - 1, size = leafnics_size(by_leaf, leaf);
	struct plan_flow *flow;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t home = leaf_after(by_leaf, leaf, (leaf + i) % others);

		flow = stage_flow(stage, leafnics_at(by_leaf, leaf, i),
			leafnics_at(by_leaf, home, draw), NOT_ECT_QPS, bytes);
		flow->not_ect = true;
	}
	if (size)
		stage_flow(stage, leafnics_at(by_leaf, leaf, draw + 1),
			leafnics_at(
				by_leaf, leaf_after(by_leaf, leaf, draw % others), draw + 1),
			2 * NOT_ECT_QPS, bytes / 4);
}

/* Every NIC sends to the target of another leaf: as many a target as a leaf has NICs. */
void stages_pause_spread(struct stage_build *build)
{
	uint32_t leaves = build->by_leaf.used, n;
	struct plan_stage *stage;
	struct rng rng;
	uint32_t draw;

	if (leaves < 2 || build->by_leaf.count < 2 * leaves)
		return;
	n = build->by_leaf.count / leaves;
	stage = stage_begin(build, LAYER_LOSSLESS);
	stage->variant = n;
	stage->subject = LOSSLESS_MIXED;
	stage_rng(build, STREAM_MIXED, &rng);
	draw = (uint32_t)rng_below(&rng, build->by_leaf.largest);
	for (uint32_t leaf = 0; leaf < build->by_leaf.leaves; leaf++)
		add_mixed_leaf(build, stage, leaf, draw, lossless_not_ect_bytes(build, n) / n);
	stage_name(stage, "pause-spread");
	stage_note(
		stage, "every NIC to one target a leaf, Not-ECT; one ECT flow a leaf beside");
	stage_end(build, stage);
}

/* NICs of the leaves in use numbered from..from + span - 1 if inside, else of the others. */
static uint32_t nics_of(const struct leafnics *by_leaf, uint32_t from, uint32_t span,
	bool inside, uint32_t *nics)
{
	uint32_t number = 0, count = 0;

	for (uint32_t leaf = 0; leaf < by_leaf->leaves; leaf++) {
		uint32_t size = leafnics_size(by_leaf, leaf);

		if (size == 0)
			continue;
		if (((number + by_leaf->used - from) % by_leaf->used < span) == inside)
			for (uint32_t i = 0; i < size; i++)
				nics[count++] = leafnics_at(by_leaf, leaf, i);
		number++;
	}
	return count;
}

/* At the target: a millisecond, on large fabrics less; but three times what fills a
 * queue to certain marking at 2:1. */
static uint64_t leaf_wide_ns(const struct stage_build *build, uint32_t sets)
{
	uint64_t ns = stage_budget_ns(build, HOPS_QUICK, sets, 43, lossless_ect_ns(build) / 4);
	uint64_t least_ns = 3 * stage_ns(build, build->by_leaf.nics[0],
					build->fabric->policy.ecn_kmax_bytes);

	return ns > least_ns ? ns : least_ns;
}

static void leaf_wide_set(struct stage_build *build, uint32_t set, uint32_t span, uint64_t ns)
{
	uint32_t *targets = zeroed(build->by_leaf.count, sizeof(*targets));
	uint32_t *senders = zeroed(build->by_leaf.count, sizeof(*senders));
	uint32_t *order = zeroed(build->by_leaf.count, sizeof(*order));
	uint32_t to = nics_of(&build->by_leaf, set * span, span, true, targets);
	uint32_t from = nics_of(&build->by_leaf, set * span, span, false, senders);
	struct plan_stage *stage = stage_begin(build, LAYER_LOSSLESS);
	struct rng rng;

	stage->variant = from / to;
	stage->repeat = set;
	stage->subject = LOSSLESS_LEAF_WIDE;
	stage_rng(build, STREAM_LEAF_WIDE + set, &rng);
	rng_permutation(&rng, order, from);
	for (uint32_t i = 0; i < from; i++) {
		uint32_t target = targets[i % to];

		stage_flow(stage, senders[order[i]], target, 2 * ECT_QPS,
			stage_bytes(build, target, ns) / (from / to + 1));
	}
	stage_name(stage, "leaf-wide-%u", set + 1);
	stage_note(stage, "all NICs of other leaves to all of %u lea%s, ECT", span,
		span == 1 ? "f" : "ves");
	stage_end(build, stage);
	free(targets);
	free(senders);
	free(order);
}

/* A third of the leaves at a time, so that two arrive for each that leaves a spine. */
void stages_leaf_wide(struct stage_build *build)
{
	uint32_t leaves = build->by_leaf.used, span = leaves / 3, sets;
	uint64_t ns;

	if (span == 0)
		return;
	sets = (leaves + span - 1) / span;
	ns = leaf_wide_ns(build, sets);
	for (uint32_t set = 0; set < sets; set++)
		leaf_wide_set(build, set, span, ns);
}
