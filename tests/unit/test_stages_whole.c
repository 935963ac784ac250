/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as a whole: its size, seeds, slots. */
#include "fabric/agent.h"
#include "tests/unit/stages_bed.h"

/* Links that the packets of a stage cross, with one ACK for 16 packets. */
static uint64_t stage_hops(const struct bench *bench, const struct plan_stage *stage)
{
	const struct plan_ring *ring = &stage->ring;
	uint64_t hops = 0, mtu = bench->fabric.mtu_bytes;

	for (uint32_t i = 0; i < stage->flow_count; i++)
		hops += (stage->flows[i].bytes / mtu + 1) *
			(across(bench, &stage->flows[i]) ? 4 : 2);
	for (uint32_t i = 0; i < ring->ranks; i++) {
		uint32_t to = ring->nics[(i + 1) % ring->ranks];
		bool far = bench->by_leaf.leaf[to] != bench->by_leaf.leaf[ring->nics[i]];
		uint64_t packets = ring->bytes / ring->ranks / mtu + 1;

		hops += ring->iterations * 2 * (ring->ranks - UINT64_C(1)) * packets *
			(far ? 4 : 2);
	}
	return hops * 17 / 16;
}

static void the_quick_profile_stays_in_its_budget(void **state)
{
	const struct plant *plant = *state;
	uint64_t by_layer[LAYER_COUNT] = { 0 }, all = 0;
	struct bench bench;

	set_up(&bench, plant, PROFILE_QUICK, 1);
	for (size_t i = 0; i < bench.plan.count; i++) {
		uint64_t hops = stage_hops(&bench, &bench.plan.stages[i]);

		by_layer[bench.plan.stages[i].layer] += hops;
		all += hops;
	}
	for (unsigned layer = 0; layer < LAYER_COUNT; layer++)
		print_message("%-12s %9.3f million packet-hops\n",
			plan_layer_name((enum plan_layer)layer), (double)by_layer[layer] / 1e6);
	assert_true(all <= plant->hops_max);
	tear_down(&bench);
}

static void assert_same(const struct plan *a, const struct plan *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		struct plan_stage one = a->stages[i], other = b->stages[i];

		assert_int_equal(one.flow_count, other.flow_count);
		if (one.flow_count)
			assert_memory_equal(
				one.flows, other.flows, one.flow_count * sizeof(*one.flows));
		assert_int_equal(one.ring.ranks, other.ring.ranks);
		if (one.ring.ranks)
			assert_memory_equal(one.ring.nics, other.ring.nics,
				one.ring.ranks * sizeof(uint32_t));
		one.flows = other.flows = NULL;
		one.ring.nics = other.ring.nics = NULL;
		one.flow_room = other.flow_room = 0;
		assert_memory_equal(&one, &other, sizeof(one));
	}
}

static void the_same_seed_gives_the_same_plan(void **state)
{
	struct bench one, other;

	set_up(&one, *state, PROFILE_QUICK, 42);
	set_up(&other, *state, PROFILE_QUICK, 42);
	assert_same(&one.plan, &other.plan);
	tear_down(&one);
	tear_down(&other);
}

static void another_seed_gives_other_permutations(void **state)
{
	struct bench one, other;
	bool differs = false;

	(void)state;
	set_up(&one, &plants[0], PROFILE_QUICK, 1);
	set_up(&other, &plants[0], PROFILE_QUICK, 2);
	for (size_t i = 0; i < one.plan.count; i++)
		if (one.plan.stages[i].layer == LAYER_NONBLOCKING)
			differs |= memcmp(one.plan.stages[i].flows, other.plan.stages[i].flows,
					   one.plan.stages[i].flow_count *
						   sizeof(struct plan_flow)) != 0;
	assert_true(differs);
	tear_down(&one);
	tear_down(&other);
}

static void a_stage_starts_where_the_deadlines_before_end(void **state)
{
	struct bench bench;
	uint64_t sum = 0;

	(void)state;
	set_up(&bench, &plants[0], PROFILE_QUICK, 1);
	for (size_t i = 0; i < bench.plan.count; i++) {
		assert_int_equal(plan_start_ns(&bench.plan, i), sum);
		sum += bench.plan.stages[i].deadline_ns;
	}
	tear_down(&bench);
}

/* A pair over the slow link must be done before the next one starts. */
static void slots_leave_time_for_a_slow_uplink(void **state)
{
	const struct plant plant = { "a slow uplink",
		"leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n"
		"links:\n  - {link: leaf1-spine2, speed: 10G}\n",
		0 };
	struct bench bench;
	uint32_t followed = 0;

	(void)state;
	set_up(&bench, &plant, PROFILE_QUICK, 1);
	for (size_t i = 0; i < bench.plan.count; i++) {
		const struct plan_stage *stage = &bench.plan.stages[i];

		if (stage->layer != LAYER_PAIRS || stage->variant != PAIRS_CROSS)
			continue;
		for (size_t k = 1; k < stage->flow_count; k++) {
			const struct plan_flow *flow = &stage->flows[k], *last = flow - 1;

			if (flow->start_ns == last->start_ns)
				continue;
			/* 10 Gb/s: a bit takes a tenth of a ns. */
			assert_true(flow->start_ns - last->start_ns >= last->bytes * 8 / 10);
			followed++;
		}
	}
	assert_true(followed > 0);
	tear_down(&bench);
}

/* On real NICs; what an agent refuses would be left unknown. */
static void agents_take_every_stage(void **state)
{
	for (int profile = PROFILE_QUICK; profile <= PROFILE_FULL; profile++) {
		struct plan plan = PLAN_INIT;
		struct bench bench;

		set_up(&bench, *state, PROFILE_QUICK, 1);
		plan_live(&plan, &bench.fabric, (enum profile)profile, 1);
		assert_true(plan.count > 0);
		for (size_t i = 0; i < plan.count; i++) {
			const struct plan_stage *stage = &plan.stages[i];
			const struct plan_ring *ring = &stage->ring;

			assert_in_range(stage->deadline_ns, 1, AGENT_STAGE_NS_MAX);
			if (!ring->ranks)
				continue;
			assert_in_range(ring->bytes, 1, ALLREDUCE_BYTES_MAX);
			assert_in_range(ring->qps, 1, ALLREDUCE_QPS_MAX);
			assert_in_range(2 * (ring->ranks - UINT64_C(1)) * ring->iterations, 1,
				ALLREDUCE_STEPS_MAX);
		}
		plan_free(&plan);
		tear_down(&bench);
	}
}

/* Where a packet takes 17 ms, flows and chunks still hold packets enough to be judged. */
static void on_slow_links_stages_run_longer(void **state)
{
	const struct plant plant = { "slow links",
		"leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 2M\n"
		"policy:\n  dcqcn: {min_rate: 1M}\n",
		0 };
	struct bench bench;
	uint32_t rings = 0;

	(void)state;
	set_up(&bench, &plant, PROFILE_QUICK, 1);
	for (size_t i = 0; i < bench.plan.count; i++) {
		const struct plan_stage *stage = &bench.plan.stages[i];

		for (size_t k = 0; stage->layer == LAYER_NONBLOCKING && k < stage->flow_count;
			k++)
			assert_true(
				stage->flows[k].bytes >= 64 * (uint64_t)bench.fabric.mtu_bytes);
		if (stage->ring.ranks == 0)
			continue;
		assert_true(stage->ring.bytes / stage->ring.ranks >=
			    7 * (uint64_t)bench.fabric.mtu_bytes);
		rings++;
	}
	assert_int_equal(rings, 1);
	tear_down(&bench);
}

static const struct plant_check checks[] = {
	CHECK(agents_take_every_stage),
	CHECK(the_quick_profile_stays_in_its_budget),
	CHECK(the_same_seed_gives_the_same_plan),
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_slow_links_stages_run_longer),
		cmocka_unit_test(slots_leave_time_for_a_slow_uplink),
		cmocka_unit_test(another_seed_gives_other_permutations),
		cmocka_unit_test(a_stage_starts_where_the_deadlines_before_end),
	};
	int failed = cmocka_run_group_tests_name("stages_whole", tests, NULL, NULL);

	return failed + check_plants("stages_whole", checks, COUNT_OF(checks));
}
