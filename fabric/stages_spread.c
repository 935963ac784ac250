/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages_lossless.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

#define HOPS_QUICK UINT64_C(1500000)
#define LARGE_NICS 256u

/* Which leaves send and which have a target in a pause spread: all do both, or those of
 * even number send to those of odd number, or the other way round. A leaf that only
 * sends holds more for each uplink than one whose uplinks bring as much in. */
enum side { SIDE_BOTH, SIDE_EVEN, SIDE_ODD };

struct spread {
	uint32_t *from, *to; /* leaves; owned */
	uint32_t from_count, to_count;
	uint32_t senders; /* NICs */
	uint32_t draw;    /* which NIC of a leaf is the target */
};

static void spread_init(
	struct spread *spread, const struct leafnics *by_leaf, enum side side, uint32_t draw)
{
	uint32_t number = 0;

	*spread = (struct spread){
		.from = zeroed(by_leaf->leaves, sizeof(uint32_t)),
		.to = zeroed(by_leaf->leaves, sizeof(uint32_t)),
		.draw = draw,
	};
	for (uint32_t leaf = 0; leaf < by_leaf->leaves; leaf++) {
		uint32_t size = leafnics_size(by_leaf, leaf);

		if (size == 0)
			continue;
		if (side == SIDE_BOTH || (number % 2 == 0) == (side == SIDE_EVEN)) {
			spread->from[spread->from_count++] = leaf;
			spread->senders += size;
		}
		if (side == SIDE_BOTH || (number % 2 == 0) != (side == SIDE_EVEN))
			spread->to[spread->to_count++] = leaf;
		number++;
	}
}

/* The leaf that is index-th in turn among those with a target, never leaf itself. */
static uint32_t home_of(const struct spread *spread, uint32_t leaf, uint32_t index)
{
	uint32_t home = spread->to[index % spread->to_count];

	return home == leaf ? spread->to[(index + 1) % spread->to_count] : home;
}

static void add_not_ect(struct stage_build *build, struct plan_stage *stage,
	const struct spread *spread, uint32_t number, uint64_t bytes)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t leaf = spread->from[number], size = leafnics_size(by_leaf, leaf);

	for (uint32_t i = 0; i < size; i++) {
		uint32_t home = home_of(spread, leaf, number + 1 + spread->draw + i);

		stage_flow(stage, leafnics_at(by_leaf, leaf, i),
			leafnics_at(by_leaf, home, spread->draw), NOT_ECT_QPS, bytes)
			->not_ect = true;
	}
}

static void add_ect(struct stage_build *build, struct plan_stage *stage,
	const struct spread *spread, uint32_t number, uint64_t bytes, uint64_t ns)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t leaf = spread->from[number], draw = spread->draw + 1;
	uint32_t home = home_of(spread, leaf, number + 1);

	stage_flow(stage, leafnics_at(by_leaf, leaf, draw), leafnics_at(by_leaf, home, draw),
		2 * NOT_ECT_QPS, bytes)
		->rate_bps = bytes * 8 * (NS_PER_S / NS_PER_US) / (ns / NS_PER_US + 1);
}

/*
 * The queues fill from the target back: its leaf, the spines, the leaves of the senders.
 * A packet that was marked on the way is not marked again, so a spine can be seen to
 * mark only while it fills and the leaves before it do not yet. The ECT flows are
 * thin and last, so that there are packets of theirs at all times.
 */
static void fill_spread(
	struct stage_build *build, struct plan_stage *stage, const struct spread *spread)
{
	uint32_t n = spread->senders / spread->to_count;
	uint64_t bytes = lossless_not_ect_bytes(build, n) / n, ns;

	for (uint32_t i = 0; i < spread->from_count; i++)
		add_not_ect(build, stage, spread, i, bytes);
	stage_end(build, stage);
	ns = stage->expected_ns * 2 / 3;
	for (uint32_t i = 0; i < spread->from_count; i++)
		add_ect(build, stage, spread, i, bytes / 4, ns);
	stage_end(build, stage);
}

static void pause_spread(
	struct stage_build *build, uint32_t repeat, uint32_t draw, enum side side)
{
	struct plan_stage *stage;
	struct spread spread;

	spread_init(&spread, &build->by_leaf, side, draw);
	if (spread.senders / spread.to_count >= 2) {
		stage = stage_begin(build, LAYER_LOSSLESS);
		stage->variant = spread.senders / spread.to_count;
		stage->repeat = repeat;
		stage->subject = LOSSLESS_MIXED;
		fill_spread(build, stage, &spread);
		stage_name(stage, "pause-spread-%u", repeat + 1);
		stage_note(stage, "%u NICs to %u targets, Not-ECT; one ECT flow a leaf beside",
			spread.senders, spread.to_count);
	}
	free(spread.from);
	free(spread.to);
}

void stages_pause_spread(struct stage_build *build)
{
	static const enum side sides[] = { SIDE_BOTH, SIDE_EVEN, SIDE_ODD };
	uint32_t rounds = build->by_leaf.count > LARGE_NICS ? 1 : 2;
	struct rng rng;
	uint32_t draw;

	if (build->by_leaf.used < 2)
		return;
	if (build->profile == PROFILE_FULL)
		rounds *= 2;
	stage_rng(build, STREAM_MIXED, &rng);
	draw = (uint32_t)rng_below(&rng, build->by_leaf.largest);
	for (uint32_t i = 0; i < rounds * COUNT_OF(sides); i++)
		pause_spread(build, i, draw + i, sides[i % COUNT_OF(sides)]);
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
