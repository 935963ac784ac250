/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of pairs and permutations. */
#include "tests/unit/stages_bed.h"

/* --- every stage --- */

static void sound(const struct bench *bench, const struct plan_stage *stage)
{
	assert_true(stage->flow_count > 0 || stage->ring.ranks > 1);
	assert_true(stage->expected_ns > 0);
	assert_true(stage->deadline_ns > stage->expected_ns);
	assert_true(stage->name[0] && stage->note[0]);
	for (const struct plan_stage *other = bench->plan.stages; other < stage; other++) {
		assert_string_not_equal(other->name, stage->name);
		assert_true(other->layer <= stage->layer);
	}
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		const struct plan_flow *flow = &stage->flows[i];

		assert_true(flow->src != flow->dst);
		assert_true(bench->by_leaf.leaf[flow->src] != PORT_NONE);
		assert_true(bench->by_leaf.leaf[flow->dst] != PORT_NONE);
		assert_in_range(flow->qps, 1, 256);
		assert_true(flow->bytes > 0);
		assert_true(flow->start_ns < stage->expected_ns);
	}
}

static void every_stage_is_sound(void **state)
{
	for_each_stage(state, LAYER_COUNT, PROFILE_QUICK, sound);
}

/* --- pairs --- */

static void busy_once(const struct bench *bench, const struct plan_stage *stage)
{
	uint32_t *sends = zeroed(bench->fabric.nic_count, sizeof(*sends));
	uint32_t *receives = zeroed(bench->fabric.nic_count, sizeof(*receives));

	count_parts(bench, stage, ANY, sends, receives);
	for (uint32_t i = 0; i < stage->flow_count; i++)
		assert_int_equal(
			across(bench, &stage->flows[i]), stage->variant == PAIRS_CROSS);
	for (uint32_t i = 0; i < bench->by_leaf.count; i++) {
		uint32_t nic = bench->by_leaf.nics[i];
		uint32_t size = leafnics_size(&bench->by_leaf, bench->by_leaf.leaf[nic]);

		assert_int_equal(sends[nic], receives[nic]);
		if (stage->variant == PAIRS_LOCAL && size % 2)
			assert_true(sends[nic] <= 1);
		else if (bench->by_leaf.largest * bench->by_leaf.used == bench->by_leaf.count)
			assert_int_equal(sends[nic], 1);
	}
	free(sends);
	free(receives);
}

static void in_a_round_every_nic_is_busy_and_none_twice(void **state)
{
	for_each_stage(state, LAYER_PAIRS, PROFILE_QUICK, busy_once);
}

static void one_a_leaf(const struct bench *bench, const struct plan_stage *stage)
{
	if (stage->variant != PAIRS_CROSS)
		return;
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		for (uint32_t j = 0; j < i; j++) {
			const struct plan_flow *a = &stage->flows[i], *b = &stage->flows[j];
			const uint32_t *leaf = bench->by_leaf.leaf;

			if (a->start_ns != b->start_ns)
				continue;
			assert_true(leaf[a->src] != leaf[b->src]);
			assert_true(leaf[a->dst] != leaf[b->dst]);
		}
	}
}

static void across_leaves_a_slot_has_one_sender_and_receiver_a_leaf(void **state)
{
	for_each_stage(state, LAYER_PAIRS, PROFILE_QUICK, one_a_leaf);
}

static void over_two_rounds_every_nic_has_played(void **state)
{
	struct bench bench;
	uint32_t *played;

	set_up(&bench, *state, PROFILE_QUICK, 7);
	played = zeroed(bench.fabric.nic_count, sizeof(*played));
	for (size_t s = 0; s < bench.plan.count; s++) {
		const struct plan_stage *stage = &bench.plan.stages[s];

		for (uint32_t i = 0; stage->layer == LAYER_PAIRS && i < stage->flow_count; i++)
			played[stage->flows[i].src] |= 1u << stage->variant;
	}
	for (uint32_t i = 0; i < bench.by_leaf.count; i++) {
		uint32_t nic = bench.by_leaf.nics[i];
		bool alone = leafnics_size(&bench.by_leaf, bench.by_leaf.leaf[nic]) == 1;

		assert_true(alone || played[nic] & 1u << PAIRS_LOCAL);
		assert_true(bench.by_leaf.used == 1 || played[nic] & 1u << PAIRS_CROSS);
	}
	free(played);
	tear_down(&bench);
}

static void a_full_tournament_has_every_pair_once(void **state)
{
	struct bench bench;
	uint32_t nics;
	uint32_t *met;

	set_up(&bench, *state, PROFILE_FULL, 1);
	nics = bench.fabric.nic_count;
	met = zeroed((size_t)nics * nics, sizeof(*met));
	for (size_t s = 0; s < bench.plan.count; s++) {
		const struct plan_stage *stage = &bench.plan.stages[s];

		if (stage->layer != LAYER_PAIRS || stage->variant != PAIRS_LOCAL)
			continue;
		for (uint32_t i = 0; i < stage->flow_count; i++)
			met[stage->flows[i].src * nics + stage->flows[i].dst]++;
	}
	for (uint32_t a = 0; a < nics; a++)
		for (uint32_t b = 0; b < nics; b++)
			if (a != b && bench.by_leaf.leaf[a] == bench.by_leaf.leaf[b] &&
				leafnics_size(&bench.by_leaf, bench.by_leaf.leaf[a]) ==
					bench.by_leaf.largest)
				assert_int_equal(met[a * nics + b], 1);
	free(met);
	tear_down(&bench);
}

/* --- permutations --- */

static void permutation(const struct bench *bench, const struct plan_stage *stage)
{
	uint32_t *sends = zeroed(bench->fabric.nic_count, sizeof(*sends));
	uint32_t *receives = zeroed(bench->fabric.nic_count, sizeof(*receives));
	bool balanced = bench->by_leaf.largest * 2 <= bench->by_leaf.count;

	count_parts(bench, stage, ANY, sends, receives);
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		assert_true(across(bench, &stage->flows[i]));
		assert_int_equal(stage->flows[i].qps, stage->variant);
	}
	for (uint32_t i = 0; i < bench->by_leaf.count; i++) {
		uint32_t nic = bench->by_leaf.nics[i];

		assert_int_equal(sends[nic], receives[nic]);
		assert_true(balanced ? sends[nic] == 1 : sends[nic] <= 1);
	}
	free(sends);
	free(receives);
}

static void a_permutation_crosses_leaves_and_uses_each_nic_once(void **state)
{
	for_each_stage(state, LAYER_NONBLOCKING, PROFILE_QUICK, permutation);
}

static void same_but_for_qps(const struct bench *bench, const struct plan_stage *stage)
{
	for (const struct plan_stage *other = bench->plan.stages; other < stage; other++) {
		if (other->layer != LAYER_NONBLOCKING || other->repeat != stage->repeat)
			continue;
		assert_int_equal(other->flow_count, stage->flow_count);
		for (uint32_t i = 0; i < stage->flow_count; i++) {
			assert_int_equal(other->flows[i].src, stage->flows[i].src);
			assert_int_equal(other->flows[i].dst, stage->flows[i].dst);
			assert_int_equal(other->flows[i].bytes, stage->flows[i].bytes);
		}
	}
}

static void repeats_of_a_permutation_differ_in_qps_alone(void **state)
{
	for_each_stage(state, LAYER_NONBLOCKING, PROFILE_QUICK, same_but_for_qps);
}

static const struct plant_check checks[] = {
	CHECK(every_stage_is_sound),
	CHECK(in_a_round_every_nic_is_busy_and_none_twice),
	CHECK(across_leaves_a_slot_has_one_sender_and_receiver_a_leaf),
	CHECK(over_two_rounds_every_nic_has_played),
	CHECK(a_full_tournament_has_every_pair_once),
	CHECK(a_permutation_crosses_leaves_and_uses_each_nic_once),
	CHECK(repeats_of_a_permutation_differ_in_qps_alone),
};

int main(void)
{
	return check_plants("stages", checks, COUNT_OF(checks));
}
