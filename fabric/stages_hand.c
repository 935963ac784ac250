/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/incast.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define QPS_MAX 256u
#define BYTES (64 * MIB)
#define RANK_BYTES MIB
#define ELEM_BYTES 4u
#define SENDERS 8u
#define BURST_BYTES (64 * KIB)
#define BURSTS 20u
#define ITERATIONS 5u
#define VICTIM_NS (4 * NS_PER_MS)

static uint32_t or_count(uint32_t given, uint32_t by_default)
{
	return given ? given : by_default;
}

static uint64_t or_bytes(uint64_t given, uint64_t by_default)
{
	return given ? given : by_default;
}

static int check_nic(const struct stage_build *build, uint32_t nic, struct diag *diag)
{
	char name[2 * NAME_BYTES];

	if (nic == PORT_NONE || build->by_leaf.leaf[nic] != PORT_NONE)
		return 0;
	fabric_nic_name(build->fabric, nic, name);
	return diag_error(diag, -EINVAL, "%s has no cable: expected a NIC that has one", name);
}

static int check_common(
	const struct stage_build *build, const struct hand_stage *hand, struct diag *diag)
{
	int err;

	if (hand->qps > QPS_MAX)
		return diag_error(
			diag, -EINVAL, "%u QPs: expected at most %u", hand->qps, QPS_MAX);
	if (hand->bytes > HAND_BYTES_MAX || hand->burst_bytes > HAND_BYTES_MAX)
		return diag_error(diag, -EINVAL, "too many bytes: expected at most 1024 GiB");
	err = check_nic(build, hand->src, diag);
	return err ? err : check_nic(build, hand->dst, diag);
}

typedef int stage_fn(
	struct stage_build *build, const struct hand_stage *hand, struct diag *diag);

static int by_hand(struct plan *plan, const struct fabric *fabric,
	const struct hand_stage *hand, stage_fn *add, struct diag *diag)
{
	struct stage_build build;
	int err;

	stage_build_init(&build, plan, fabric, PROFILE_QUICK, hand->seed);
	snprintf(plan->profile, sizeof(plan->profile), "hand");
	err = check_common(&build, hand, diag);
	if (!err)
		err = add(&build, hand, diag);
	stage_build_free(&build);
	return err;
}

/* --- bw --- */

/* A NIC of another leaf than near's, else another of the same; near itself when it is
 * the only one. near PORT_NONE: any. */
static uint32_t draw(const struct stage_build *build, struct rng *rng, uint32_t near)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t at = (uint32_t)rng_below(rng, by_leaf->count);
	uint32_t same = near;

	for (uint32_t i = 0; i < by_leaf->count; i++) {
		uint32_t nic = by_leaf->nics[(at + i) % by_leaf->count];

		if (near == PORT_NONE || by_leaf->leaf[nic] != by_leaf->leaf[near])
			return nic;
		if (same == near)
			same = nic;
	}
	return same;
}

static int bw(struct stage_build *build, const struct hand_stage *hand, struct diag *diag)
{
	char from[2 * NAME_BYTES], to[2 * NAME_BYTES];
	uint32_t src = hand->src, dst = hand->dst;
	struct plan_stage *stage;
	struct rng rng;

	stage_rng(build, STREAM_HAND, &rng);
	if (src == PORT_NONE)
		src = draw(build, &rng, dst);
	if (dst == PORT_NONE)
		dst = draw(build, &rng, src);
	fabric_nic_name(build->fabric, src, from);
	fabric_nic_name(build->fabric, dst, to);
	if (src == dst)
		return diag_error(diag, -EINVAL, "from %s to %s: expected two NICs", from, to);
	stage = stage_begin(build, LAYER_PAIRS);
	stage_name(stage, "bw");
	stage_note(stage, "%s to %s", from, to);
	stage->variant = build->by_leaf.leaf[src] == build->by_leaf.leaf[dst] ? PAIRS_LOCAL
									      : PAIRS_CROSS;
	stage_flow(stage, src, dst, or_count(hand->qps, 4), or_bytes(hand->bytes, BYTES))
		->not_ect = hand->not_ect;
	stage_end(build, stage);
	return 0;
}

int plan_bw(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag)
{
	return by_hand(plan, fabric, hand, bw, diag);
}

/* --- incast and burst --- */

/* The number of a leaf among those in use. */
static uint32_t leaf_number(const struct leafnics *by_leaf, uint32_t leaf)
{
	uint32_t number = 0;

	for (uint32_t l = 0; l < leaf; l++)
		number += leafnics_size(by_leaf, l) > 0;
	return number;
}

static int gather(const struct stage_build *build, const struct hand_stage *hand, bool victims,
	struct incast *incast, struct diag *diag)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t most = incast_senders_max(build);
	struct incast_wish wish = {
		.per_target = hand->senders ? hand->senders : (most < SENDERS ? most : SENDERS),
		.targets = 1,
		.nic = hand->dst,
		.victims = victims,
	};
	struct rng rng;

	if (most == 0)
		return diag_error(diag, -EINVAL,
			"the senders stand on other leaves than the target: expected a fabric "
			"of two leaves or more");
	stage_rng(build, STREAM_HAND, &rng);
	if (wish.nic == PORT_NONE)
		wish.nic = draw(build, &rng, PORT_NONE);
	wish.first_leaf = leaf_number(by_leaf, by_leaf->leaf[wish.nic]);
	if (wish.per_target <= most && incast_init(incast, build, &rng, &wish))
		return 0;
	return diag_error(diag, -EINVAL,
		"%u senders: expected at most %u, the NICs of the other leaves",
		wish.per_target,
		by_leaf->count - leafnics_size(by_leaf, by_leaf->leaf[wish.nic]));
}

static void add_incast(
	struct stage_build *build, const struct hand_stage *hand, const struct incast *incast)
{
	const struct incast_target *target = &incast->targets[0];
	bool victim = incast_has_victims(incast);
	char to[2 * NAME_BYTES];
	struct plan_stage *stage;

	if (victim) {
		stage = incast_begin(build, incast, LOSSLESS_ALONE);
		stage_name(stage, "alone");
		stage_note(stage, "the victim of the incast by itself");
		incast_add_victims(incast, build, stage, hand->not_ect, NS_PER_MS);
		stage_end(build, stage);
	}
	stage = incast_begin(build, incast, hand->not_ect ? LOSSLESS_NOT_ECT : LOSSLESS_ECT);
	stage_name(stage, "incast");
	fabric_nic_name(build->fabric, target->nic, to);
	stage_note(stage, "%u NICs of other leaves to %s, %s", incast->per_target, to,
		hand->not_ect ? "Not-ECT" : "ECT");
	for (uint32_t k = 0; k < incast->per_target; k++)
		stage_flow(stage, incast->senders[k], target->nic, or_count(hand->qps, 4),
			or_bytes(hand->bytes, BYTES))
			->not_ect = hand->not_ect;
	stage_end(build, stage);
	if (!victim)
		return;
	incast_add_victims(incast, build, stage, hand->not_ect,
		stage->expected_ns < VICTIM_NS ? stage->expected_ns : VICTIM_NS);
	stage_end(build, stage);
}

static int incast(struct stage_build *build, const struct hand_stage *hand, struct diag *diag)
{
	struct incast incast = INCAST_INIT;
	int err = gather(build, hand, true, &incast, diag);

	if (!err)
		add_incast(build, hand, &incast);
	incast_free(&incast);
	return err;
}

int plan_incast(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag)
{
	return by_hand(plan, fabric, hand, incast, diag);
}

static void add_burst(
	struct stage_build *build, const struct hand_stage *hand, const struct incast *incast)
{
	struct plan_stage *stage = stage_begin(build, LAYER_BURST);
	uint64_t each = or_bytes(hand->burst_bytes, BURST_BYTES);
	uint32_t target = incast->targets[0].nic, bursts = or_count(hand->bursts, BURSTS);
	uint64_t drain_ns = stage_ns(build, target, each * incast->per_target);
	char to[2 * NAME_BYTES];

	stage_name(stage, "burst");
	fabric_nic_name(build->fabric, target, to);
	stage_note(stage, "%u bursts of %u senders to %s", bursts, incast->per_target, to);
	for (uint32_t k = 0; k < incast->per_target; k++) {
		struct plan_flow *flow = stage_flow(stage, incast->senders[k], target,
			or_count(hand->qps, 1), each * bursts);

		flow->not_ect = hand->not_ect;
		flow->burst_bytes = each;
		flow->burst_period_ns = or_bytes(hand->burst_period_ns, 2 * drain_ns);
	}
	stage_end(build, stage);
}

static int burst(struct stage_build *build, const struct hand_stage *hand, struct diag *diag)
{
	struct incast incast = INCAST_INIT;
	int err;

	if (or_bytes(hand->burst_bytes, BURST_BYTES) >
		HAND_BYTES_MAX / or_count(hand->bursts, BURSTS))
		return diag_error(diag, -EINVAL,
			"too many bytes: expected at most 1024 GiB over all bursts of a "
			"sender");
	err = gather(build, hand, false, &incast, diag);
	if (!err)
		add_burst(build, hand, &incast);
	incast_free(&incast);
	return err;
}

int plan_burst(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag)
{
	return by_hand(plan, fabric, hand, burst, diag);
}

/* --- ring --- */

static int check_ring(const struct hand_stage *hand, uint32_t members, uint64_t bytes,
	uint32_t ranks, struct diag *diag)
{
	if (members < 2)
		return diag_error(diag, -EINVAL,
			"a rail of %u NICs: expected a fabric with two or more", members);
	if (ranks < 2 || ranks > members)
		return diag_error(diag, -EINVAL,
			"%u ranks: expected 2..%u, the NICs of rail %u", ranks, members,
			or_count(hand->rail, 1));
	if (bytes % ELEM_BYTES || bytes / ELEM_BYTES < ranks)
		return diag_error(diag, -EINVAL,
			"%llu bytes: expected a multiple of %u, and an element for each of %u "
			"ranks",
			(unsigned long long)bytes, ELEM_BYTES, ranks);
	return 0;
}

/* On success the stage owns nics. */
static int ring_over(struct stage_build *build, const struct hand_stage *hand, uint32_t *nics,
	struct diag *diag)
{
	uint32_t rail = or_count(hand->rail, 1);
	uint32_t members = stage_rail(build, rail - 1, nics);
	uint32_t ranks = or_count(hand->ranks, members);
	uint64_t bytes = or_bytes(hand->bytes, RANK_BYTES * ranks);
	int err = check_ring(hand, members, bytes, ranks, diag);
	struct plan_stage *stage;

	if (err)
		return err;
	stage = stage_begin(build, LAYER_RING);
	stage->variant = ranks;
	stage->subject = rail - 1;
	stage->ring = (struct plan_ring){
		.nics = nics,
		.ranks = ranks,
		.qps = or_count(hand->qps, 1),
		.bytes = bytes,
		.elem_bytes = ELEM_BYTES,
		.iterations = or_count(hand->iterations, ITERATIONS),
	};
	stage_name(stage, "ring");
	stage_note(stage, "all-reduce over %u NICs, %u times", ranks, stage->ring.iterations);
	stage_end(build, stage);
	return 0;
}

static int ring(struct stage_build *build, const struct hand_stage *hand, struct diag *diag)
{
	uint32_t rails = build->fabric->rails;
	uint32_t *nics;
	int err;

	if (hand->rail > rails)
		return diag_error(diag, -EINVAL, "rail %u: expected 1..%u", hand->rail, rails);
	nics = zeroed(build->by_leaf.count + 1, sizeof(*nics));
	err = ring_over(build, hand, nics, diag);
	if (err)
		free(nics);
	return err;
}

int plan_ring(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag)
{
	return by_hand(plan, fabric, hand, ring, diag);
}
