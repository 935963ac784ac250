/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stage_build.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

#define LOCAL_QPS 2u
#define CROSS_QPS 8u
#define PAIR_NS (400 * NS_PER_US)
#define LATENCIES 60u /* at least: so that latency is below 2 % of a pair's time */
#define LARGE_NICS 256u
#define QUICK_ROUNDS 2u
#define FULL_ROUNDS 31u
#define HOPS_QUICK UINT64_C(1000000)

/* Large fabrics have pairs enough in one round, if no NIC sits out of it. */
static uint32_t rounds_at_most(const struct stage_build *build)
{
	if (build->profile == PROFILE_FULL)
		return FULL_ROUNDS;
	return build->by_leaf.count > LARGE_NICS && build->by_leaf.largest % 2 == 0
		       ? 1
		       : QUICK_ROUNDS;
}

static uint64_t pair_ns(const struct stage_build *build, uint32_t hops_x10)
{
	uint64_t most_ns = build->profile == PROFILE_QUICK ? PAIR_NS : 4 * PAIR_NS;

	uint64_t ns =
		stage_budget_ns(build, HOPS_QUICK, rounds_at_most(build), hops_x10, most_ns);
	uint64_t least_ns = LATENCIES * stage_latency_ns(build);

	return ns > least_ns ? ns : least_ns;
}

/* As much as the slower of the two carries in the time. */
static uint64_t pair_bytes(
	const struct stage_build *build, uint32_t src, uint32_t dst, uint64_t ns)
{
	uint64_t sent = stage_bytes(build, src, ns), received = stage_bytes(build, dst, ns);

	return sent < received ? sent : received;
}

/* --- inside a leaf --- */

/* Rounds in which each of size players meets each other once: with an odd number one
 * sits out in each round. */
static uint32_t tournament_rounds(uint32_t size)
{
	return size < 2 ? 0 : size - 1 + size % 2;
}

/*
 * The circle method: the last of an even number of players meets player `round`;
 * the others meet the one that stands as far on the other side of it. An odd
 * number plays as if there were one more, whose partner sits out.
 */
static void add_round(struct stage_build *build, struct plan_stage *stage, uint32_t leaf,
	uint32_t round, uint64_t ns)
{
	uint32_t size = leafnics_size(&build->by_leaf, leaf);
	uint32_t circle = tournament_rounds(size);

	for (uint32_t k = 0; k < (circle + 1) / 2; k++) {
		uint32_t a = k ? (round + k) % circle : circle;
		uint32_t b = (round + circle - k) % circle;
		uint32_t one, other;

		if (a >= size)
			continue;
		one = leafnics_at(&build->by_leaf, leaf, a);
		other = leafnics_at(&build->by_leaf, leaf, b);
		stage_flow(stage, one, other, LOCAL_QPS, pair_bytes(build, one, other, ns));
		stage_flow(stage, other, one, LOCAL_QPS, pair_bytes(build, other, one, ns));
	}
}

/* With an odd number a NIC sits out of one round, so two rounds have every NIC. */
static void local(struct stage_build *build)
{
	uint32_t rounds = tournament_rounds(build->by_leaf.largest);
	uint64_t ns = pair_ns(build, 21);
	struct rng rng;
	uint32_t first;

	if (rounds == 0)
		return;
	stage_rng(build, STREAM_PAIRS, &rng);
	first = (uint32_t)rng_below(&rng, rounds);
	if (rounds > rounds_at_most(build))
		rounds = rounds_at_most(build);
	for (uint32_t round = 0; round < rounds; round++) {
		struct plan_stage *stage = stage_begin(build, LAYER_PAIRS);

		stage_name(stage, "pairs-local-%u", round + 1);
		stage->variant = PAIRS_LOCAL;
		stage->repeat = round;
		for (uint32_t leaf = 0; leaf < build->by_leaf.leaves; leaf++) {
			uint32_t all = tournament_rounds(leafnics_size(&build->by_leaf, leaf));

			if (all)
				add_round(build, stage, leaf, (first + round) % all, ns);
		}
		stage_note(stage, "every NIC with one other of its leaf, both ways at once");
		stage_end(build, stage);
	}
}

/* --- across leaves --- */

/* The leaves that have a NIC for this slot. */
static uint32_t leaves_of_slot(const struct stage_build *build, uint32_t slot, uint32_t *leaves)
{
	uint32_t count = 0;

	for (uint32_t leaf = 0; leaf < build->by_leaf.leaves; leaf++)
		if (leafnics_size(&build->by_leaf, leaf) > slot)
			leaves[count++] = leaf;
	return count;
}

static void add_pair(struct stage_build *build, struct plan_stage *stage, uint32_t src,
	uint32_t dst, uint64_t ns, uint64_t start_ns)
{
	struct plan_flow *flow =
		stage_flow(stage, src, dst, CROSS_QPS, pair_bytes(build, src, dst, ns));

	flow->start_ns = start_ns;
}

/* A leaf that is larger than all others has slots of its own: there its NIC meets one
 * of the next leaf, both ways. */
static void add_lone(struct stage_build *build, struct plan_stage *stage, uint32_t leaf,
	uint32_t slot, uint64_t ns, uint64_t start_ns)
{
	uint32_t other = leaf, src, dst;

	do {
		other = (other + 1) % build->by_leaf.leaves;
	} while (leafnics_size(&build->by_leaf, other) == 0);
	src = leafnics_at(&build->by_leaf, leaf, slot + leaf);
	dst = leafnics_at(&build->by_leaf, other, slot + other);
	add_pair(build, stage, src, dst, ns, start_ns);
	add_pair(build, stage, dst, src, ns, start_ns);
}

/* How long a pair may take that the slowest link between switches holds up. */
static uint64_t held_up_ns(const struct stage_build *build, uint64_t ns)
{
	const struct fabric *fabric = build->fabric;
	uint64_t nic_bps = 0, least_bps = UINT64_MAX;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++)
		if (fabric_nic_bps(fabric, nic) > nic_bps)
			nic_bps = fabric_nic_bps(fabric, nic);
	for (uint32_t i = 0; i < fabric->link_count; i++)
		if (fabric->ports[fabric->links[i].a].nic == PORT_NONE &&
			fabric->links[i].speed_bps < least_bps)
			least_bps = fabric->links[i].speed_bps;
	return least_bps < nic_bps ? ns * ((nic_bps + least_bps - 1) / least_bps) : ns;
}

/* In a slot each leaf sends with one NIC to the leaf `shift` further on. The NIC's
 * number moves with the leaf's, so that the rails of one host do not meet. */
static void add_slot(struct stage_build *build, struct plan_stage *stage, uint32_t *leaves,
	uint32_t slot, uint32_t shift, uint64_t ns)
{
	uint64_t apart_ns = held_up_ns(build, ns + ns / 2) + 2 * stage_latency_ns(build);
	uint64_t start_ns = slot * apart_ns;
	uint32_t count = leaves_of_slot(build, slot, leaves);

	if (count == 1) {
		add_lone(build, stage, leaves[0], slot, ns, start_ns);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = leaves[i];
		uint32_t to = leaves[(i + 1 + shift % (count - 1)) % count];

		add_pair(build, stage, leafnics_at(&build->by_leaf, from, slot + from),
			leafnics_at(&build->by_leaf, to, slot + to), ns, start_ns);
	}
}

static void cross(struct stage_build *build)
{
	uint32_t *leaves = zeroed(build->by_leaf.leaves, sizeof(*leaves));
	uint32_t rounds = build->by_leaf.used - 1;
	uint64_t ns = pair_ns(build, 43);
	struct rng rng;
	uint32_t first;

	stage_rng(build, STREAM_PAIRS + 1, &rng);
	first = (uint32_t)rng_below(&rng, rounds);
	if (rounds > rounds_at_most(build))
		rounds = rounds_at_most(build);
	for (uint32_t round = 0; round < rounds; round++) {
		struct plan_stage *stage = stage_begin(build, LAYER_PAIRS);

		stage_name(stage, "pairs-cross-%u", round + 1);
		stage->variant = PAIRS_CROSS;
		stage->repeat = round;
		for (uint32_t slot = 0; slot < build->by_leaf.largest; slot++)
			add_slot(build, stage, leaves, slot, first + round, ns);
		stage_note(
			stage, "one sender and one receiver a leaf at a time, each NIC once");
		stage_end(build, stage);
	}
	free(leaves);
}

void stages_pairs(struct stage_build *build)
{
	local(build);
	if (build->by_leaf.used > 1)
		cross(build);
}
