/*
 * stages_bed - what the tests of the acceptance plan share: fabrics of many shapes, each
 * with its plan, and every check on every one of them.
 */
#ifndef TESTS_STAGES_BED_H
#define TESTS_STAGES_BED_H

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

static inline void set_up(
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

static inline void tear_down(struct bench *bench)
{
	plan_free(&bench->plan);
	leafnics_free(&bench->by_leaf);
	fabric_free(&bench->fabric);
}

static inline bool across(const struct bench *bench, const struct plan_flow *flow)
{
	return bench->by_leaf.leaf[flow->src] != bench->by_leaf.leaf[flow->dst];
}

/* How often each NIC sends and receives in a stage, of the flows with this ECN. */
enum ecn { ANY, NOT_ECT, ECT };

static inline void count_parts(const struct bench *bench, const struct plan_stage *stage,
	enum ecn ecn, uint32_t *sends, uint32_t *receives)
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

static inline void for_each_stage(
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

struct plant_check {
	const char *name;
	CMUnitTestFunction function;
};

#define CHECK(function)                                                                        \
	{                                                                                      \
#function, function                                                            \
	}

/* Every check on every plant: "32 hosts: every_stage_is_sound". Returns how many failed. */
static inline int check_plants(
	const char *group, const struct plant_check *checks, size_t count)
{
	size_t all = count * COUNT_OF(plants);
	struct CMUnitTest *tests = zeroed(all, sizeof(*tests));
	char(*names)[128] = zeroed(all, sizeof(*names));
	int failed;

	for (size_t i = 0; i < all; i++) {
		const struct plant *plant = &plants[i / count];

		snprintf(names[i], sizeof(names[i]), "%s: %s", plant->name,
			checks[i % count].name);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = checks[i % count].function,
			.initial_state = (void *)(uintptr_t)plant,
		};
	}
	failed = _cmocka_run_group_tests(group, tests, all, NULL, NULL);
	free(tests);
	free(names);
	return failed;
}

#endif
