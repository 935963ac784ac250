/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "fabric/leafnics.h"
#include "fabric/stages.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

static const struct plant {
	const char *name, *text;
	uint64_t hops_max; /* budget of the quick profile, in packet-hops */
} plants[] = {
	{ "32 hosts", "leaves: 4\nspines: 8\nhosts_per_leaf: 8\nspeed: 100G\n", 30000000 },
	{ "two leaves of four", "leaves: 2\nspines: 4\nhosts_per_leaf: 4\nspeed: 100G\n",
		8000000 },
	{ "two leaves of two", "leaves: 2\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\n",
		8000000 },
	{ "two leaves of one", "leaves: 2\nspines: 1\nhosts_per_leaf: 1\nspeed: 25G\n",
		8000000 },
	{ "three leaves of one", "leaves: 3\nspines: 2\nhosts_per_leaf: 1\nspeed: 100G\n",
		8000000 },
	{ "one leaf", "leaves: 1\nspines: 1\nhosts_per_leaf: 6\nspeed: 100G\n", 8000000 },
	{ "odd leaves", "leaves: 3\nspines: 5\nhosts_per_leaf: 5\nspeed: 400G\n", 30000000 },
	{ "one NIC missing",
		"leaves: 2\nspines: 3\nhosts_per_leaf: 3\nspeed: 100G\n"
		"links:\n  - link: host2-leaf1\n    absent: true\n",
		8000000 },
	{ "rails", "leaves: 4\nspines: 4\nhosts_per_leaf: 4\nrails: 2\nspeed: 200G\n",
		30000000 },
	{ "1024 hosts",
		"leaves: 32\nspines: 16\nhosts_per_leaf: 32\nspeed: 200G\nlinks_per_spine: 2\n",
		100000000 },
};

/* A fabric, its NICs by leaf, and the acceptance plan for it. */
struct bench {
	struct fabric fabric;
	struct leafnics by_leaf;
	struct plan plan;
};

static void set_up(
	struct bench *bench, const struct plant *plant, enum profile profile, uint64_t seed)
{
	struct diag diag = { "" };
	int err = fabric_parse(
		&bench->fabric, plant->name, plant->text, strlen(plant->text), NULL, &diag);

	if (err)
		print_message("%s\n", diag.text);
	assert_int_equal(err, 0);
	leafnics_init(&bench->by_leaf, &bench->fabric);
	bench->plan = (struct plan)PLAN_INIT;
	plan_acceptance(&bench->plan, &bench->fabric, profile, seed);
}

static void tear_down(struct bench *bench)
{
	plan_free(&bench->plan);
	leafnics_free(&bench->by_leaf);
	fabric_free(&bench->fabric);
}

static bool across(const struct bench *bench, const struct plan_flow *flow)
{
	return bench->by_leaf.leaf[flow->src] != bench->by_leaf.leaf[flow->dst];
}

/* How often each NIC sends and receives in a stage, of the flows with this ECN. */
enum ecn { ANY, NOT_ECT, ECT };

static void count_parts(const struct bench *bench, const struct plan_stage *stage, enum ecn ecn,
	uint32_t *sends, uint32_t *receives)
{
	memset(sends, 0, bench->fabric.nic_count * sizeof(*sends));
	memset(receives, 0, bench->fabric.nic_count * sizeof(*receives));
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		const struct plan_flow *flow = &stage->flows[i];

		if (ecn != ANY && flow->not_ect != (ecn == NOT_ECT))
			continue;
		sends[flow->src]++;
		receives[flow->dst]++;
	}
}

typedef void check(const struct bench *bench, const struct plan_stage *stage);

static void for_each_stage(
	void **state, enum plan_layer layer, enum profile profile, check *each)
{
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct bench bench;

		set_up(&bench, *state, profile, seed);
		for (size_t i = 0; i < bench.plan.count; i++)
			if (bench.plan.stages[i].layer == layer || layer == LAYER_COUNT)
				each(&bench, &bench.plan.stages[i]);
		tear_down(&bench);
	}
}

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

/* --- the whole --- */

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

static const struct {
	const char *name;
	CMUnitTestFunction function;
} checks[] = {
#define CHECK(function)                                                                        \
	{                                                                                      \
#function, function                                                            \
	}
	CHECK(every_stage_is_sound),
	CHECK(in_a_round_every_nic_is_busy_and_none_twice),
	CHECK(across_leaves_a_slot_has_one_sender_and_receiver_a_leaf),
	CHECK(over_two_rounds_every_nic_has_played),
	CHECK(a_full_tournament_has_every_pair_once),
	CHECK(a_permutation_crosses_leaves_and_uses_each_nic_once),
	CHECK(repeats_of_a_permutation_differ_in_qps_alone),
	CHECK(in_an_incast_no_nic_has_two_parts),
	CHECK(every_leaf_is_a_target_of_both_kinds),
	CHECK(inside_a_leaf_of_three_every_nic_is_a_target),
	CHECK(with_three_leaves_every_nic_is_a_target_of_all_other_leaves),
	CHECK(in_a_pause_spread_whole_leaves_send),
	CHECK(over_all_pause_spreads_every_nic_sends),
	CHECK(victims_run_alone_too),
	CHECK(bursts_are_aligned_and_meet_at_one_nic),
	CHECK(a_ring_has_the_nics_of_a_rail_by_leaf),
	CHECK(the_quick_profile_stays_in_its_budget),
	CHECK(the_same_seed_gives_the_same_plan),
#undef CHECK
};

/* Every check on every plant: "32 hosts: every_stage_is_sound". */
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

int main(void)
{
	static char names[COUNT_OF(checks) * COUNT_OF(plants)][128];
	struct CMUnitTest tests[COUNT_OF(checks) * COUNT_OF(plants) + 3] = {
		cmocka_unit_test(slots_leave_time_for_a_slow_uplink),
		cmocka_unit_test(another_seed_gives_other_permutations),
		cmocka_unit_test(a_stage_starts_where_the_deadlines_before_end),
	};

	for (size_t i = 0; i < COUNT_OF(checks) * COUNT_OF(plants); i++) {
		const struct plant *plant = &plants[i / COUNT_OF(checks)];

		snprintf(names[i], sizeof(names[i]), "%s: %s", plant->name,
			checks[i % COUNT_OF(checks)].name);
		tests[i + 3] = (struct CMUnitTest){
			.name = names[i],
			.test_func = checks[i % COUNT_OF(checks)].function,
			.initial_state = (void *)(uintptr_t)plant,
		};
	}
	return cmocka_run_group_tests_name("stages", tests, NULL, NULL);
}
