/* SPDX-License-Identifier: Apache-2.0 */
/* The stages that load the fabric: lossless, burst, ring. */
#include "tests/unit/stages_bed.h"

/* --- lossless --- */

static bool is_incast(const struct plan_stage *stage)
{
	return stage->layer == LAYER_LOSSLESS &&
	       (stage->subject == LOSSLESS_NOT_ECT || stage->subject == LOSSLESS_ECT);
}

static void incast(const struct bench *bench, const struct plan_stage *stage)
{
	uint32_t *sends = zeroed(bench->fabric.nic_count, sizeof(*sends));
	uint32_t *receives = zeroed(bench->fabric.nic_count, sizeof(*receives));

	if (is_incast(stage)) {
		count_parts(bench, stage, ANY, sends, receives);
		for (uint32_t nic = 0; nic < bench->fabric.nic_count; nic++) {
			assert_true(sends[nic] + (receives[nic] > 0) <= 1);
			assert_true(receives[nic] <= 1 || receives[nic] == stage->variant);
		}
		for (uint32_t i = 0; i < stage->flow_count; i++) {
			const struct plan_flow *flow = &stage->flows[i];

			assert_int_equal(across(bench, flow), flow->role == FLOW_MAIN);
			assert_int_equal(flow->not_ect, stage->subject == LOSSLESS_NOT_ECT);
		}
	}
	free(sends);
	free(receives);
}

static void in_an_incast_no_nic_has_two_parts(void **state)
{
	for_each_stage(state, LAYER_LOSSLESS, PROFILE_QUICK, incast);
}

/* Which leaves are targets in stages of a kind, and which NICs. */
static void mark_targets(
	const struct bench *bench, enum lossless_kind kind, bool *leaf, bool *nic)
{
	for (size_t s = 0; s < bench->plan.count; s++) {
		const struct plan_stage *stage = &bench->plan.stages[s];

		if (stage->layer != LAYER_LOSSLESS || stage->subject != kind)
			continue;
		for (uint32_t i = 0; i < stage->flow_count; i++) {
			if (stage->flows[i].role != FLOW_MAIN)
				continue;
			nic[stage->flows[i].dst] = true;
			leaf[bench->by_leaf.leaf[stage->flows[i].dst]] = true;
		}
	}
}

static void assert_targets(void **state, enum lossless_kind kind, uint32_t leaves_min,
	uint32_t size_min, bool every_nic)
{
	struct bench bench;
	bool *leaf, *nic;

	set_up(&bench, *state, PROFILE_QUICK, 5);
	leaf = zeroed(bench.fabric.leaves, sizeof(*leaf));
	nic = zeroed(bench.fabric.nic_count, sizeof(*nic));
	mark_targets(&bench, kind, leaf, nic);
	for (uint32_t i = 0; i < bench.by_leaf.count; i++) {
		uint32_t at = bench.by_leaf.leaf[bench.by_leaf.nics[i]];

		if (bench.by_leaf.used < leaves_min ||
			leafnics_size(&bench.by_leaf, at) < size_min ||
			bench.by_leaf.count < 2 + leaves_min / 2)
			continue;
		assert_true(every_nic ? nic[bench.by_leaf.nics[i]] : leaf[at]);
	}
	free(leaf);
	free(nic);
	tear_down(&bench);
}

static void every_leaf_is_a_target_of_both_kinds(void **state)
{
	assert_targets(state, LOSSLESS_NOT_ECT, 2, 2, false);
	assert_targets(state, LOSSLESS_ECT, 2, 2, false);
	assert_targets(state, LOSSLESS_MIXED, 2, 2, false);
}

static void inside_a_leaf_of_three_every_nic_is_a_target(void **state)
{
	assert_targets(state, LOSSLESS_LOCAL_NOT_ECT, 1, 3, true);
	assert_targets(state, LOSSLESS_LOCAL_ECT, 1, 3, true);
}

static void with_three_leaves_every_nic_is_a_target_of_all_other_leaves(void **state)
{
	assert_targets(state, LOSSLESS_LEAF_WIDE, 3, 1, true);
}

static void spread(const struct bench *bench, const struct plan_stage *stage)
{
	uint32_t *sends = zeroed(bench->fabric.nic_count, sizeof(*sends));
	uint32_t *receives = zeroed(bench->fabric.nic_count, sizeof(*receives));
	uint32_t senders = 0, ect = 0, targets = 0;

	if (stage->subject == LOSSLESS_MIXED) {
		count_parts(bench, stage, NOT_ECT, sends, receives);
		for (uint32_t i = 0; i < bench->by_leaf.count; i++) {
			uint32_t nic = bench->by_leaf.nics[i];
			uint32_t leaf = bench->by_leaf.leaf[nic];

			/* A leaf sends with all of its NICs or with none. */
			assert_true(sends[nic] <= 1);
			assert_int_equal(
				sends[nic], sends[leafnics_at(&bench->by_leaf, leaf, 0)]);
			senders += sends[nic];
			targets += receives[nic] > 0;
		}
		for (uint32_t i = 0; i < stage->flow_count; i++) {
			assert_true(across(bench, &stage->flows[i]));
			ect += !stage->flows[i].not_ect;
		}
		assert_true(senders >= 2 * targets);
		assert_true(ect > 0 && ect <= bench->by_leaf.used);
	}
	free(sends);
	free(receives);
}

static void in_a_pause_spread_whole_leaves_send(void **state)
{
	for_each_stage(state, LAYER_LOSSLESS, PROFILE_QUICK, spread);
}

static void over_all_pause_spreads_every_nic_sends(void **state)
{
	struct bench bench;
	bool *sent;

	set_up(&bench, *state, PROFILE_QUICK, 3);
	sent = zeroed(bench.fabric.nic_count, sizeof(*sent));
	for (size_t s = 0; s < bench.plan.count; s++) {
		const struct plan_stage *stage = &bench.plan.stages[s];

		for (uint32_t i = 0; i < stage->flow_count; i++)
			if (stage->layer == LAYER_LOSSLESS &&
				stage->subject == LOSSLESS_MIXED && stage->flows[i].not_ect)
				sent[stage->flows[i].src] = true;
	}
	for (uint32_t i = 0; i < bench.by_leaf.count; i++)
		if (bench.by_leaf.used > 1 && bench.by_leaf.count > 3)
			assert_true(sent[bench.by_leaf.nics[i]]);
	free(sent);
	tear_down(&bench);
}

static void same_victims(const struct bench *bench, const struct plan_stage *stage)
{
	if (stage->subject != LOSSLESS_ALONE)
		return;
	for (const struct plan_stage *other = bench->plan.stages;
		other < bench->plan.stages + bench->plan.count; other++) {
		uint32_t next = 0;

		if (!is_incast(other) || other->variant != stage->variant ||
			other->repeat != stage->repeat)
			continue;
		for (uint32_t i = 0; i < other->flow_count; i++) {
			if (other->flows[i].role != FLOW_VICTIM)
				continue;
			assert_true(next < stage->flow_count);
			assert_int_equal(other->flows[i].src, stage->flows[next].src);
			assert_int_equal(other->flows[i].dst, stage->flows[next].dst);
			next++;
		}
		assert_int_equal(next, stage->flow_count);
	}
}

static void victims_run_alone_too(void **state)
{
	for_each_stage(state, LAYER_LOSSLESS, PROFILE_QUICK, same_victims);
}

/* --- burst, ring --- */

static void bursts(const struct bench *bench, const struct plan_stage *stage)
{
	uint32_t dst = stage->flows[0].dst;

	for (uint32_t i = 0; i < stage->flow_count; i++) {
		const struct plan_flow *flow = &stage->flows[i];

		assert_true(across(bench, flow));
		assert_int_equal(flow->dst, dst);
		assert_int_equal(flow->start_ns, 0);
		assert_true(flow->burst_bytes >= bench->fabric.mtu_bytes);
		assert_int_equal(flow->bytes % flow->burst_bytes, 0);
		assert_true(flow->burst_period_ns > 0);
	}
}

static void bursts_are_aligned_and_meet_at_one_nic(void **state)
{
	for_each_stage(state, LAYER_BURST, PROFILE_QUICK, bursts);
}

static void ring(const struct bench *bench, const struct plan_stage *stage)
{
	const struct plan_ring *ring = &stage->ring;
	uint32_t last = 0;

	assert_int_equal(ring->bytes % (ring->ranks * (uint64_t)ring->elem_bytes), 0);
	assert_true(ring->iterations >= 3);
	for (uint32_t i = 0; i < ring->ranks; i++) {
		uint32_t nic = ring->nics[i];
		const struct port *port = &bench->fabric.ports[bench->fabric.nics[nic]];

		assert_int_equal(port->number, stage->subject + 1);
		assert_true(bench->by_leaf.leaf[nic] >= last);
		last = bench->by_leaf.leaf[nic];
		for (uint32_t j = 0; j < i; j++)
			assert_true(ring->nics[j] != nic);
	}
}

static void a_ring_has_the_nics_of_a_rail_by_leaf(void **state)
{
	for_each_stage(state, LAYER_RING, PROFILE_QUICK, ring);
}

static const struct plant_check checks[] = {
	CHECK(in_an_incast_no_nic_has_two_parts),
	CHECK(every_leaf_is_a_target_of_both_kinds),
	CHECK(inside_a_leaf_of_three_every_nic_is_a_target),
	CHECK(with_three_leaves_every_nic_is_a_target_of_all_other_leaves),
	CHECK(in_a_pause_spread_whole_leaves_send),
	CHECK(over_all_pause_spreads_every_nic_sends),
	CHECK(victims_run_alone_too),
	CHECK(bursts_are_aligned_and_meet_at_one_nic),
	CHECK(a_ring_has_the_nics_of_a_rail_by_leaf),
};

int main(void)
{
	return check_plants("stages_load", checks, COUNT_OF(checks));
}
