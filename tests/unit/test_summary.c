/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "fabric/load.h"
#include "fabric/summary.h"
#include "lib/diag.h"
#include "lib/units.h"

struct made {
	struct fabric fabric;
	struct routing routing;
	struct summary summary;
};

static void make(struct made *made, const char *file)
{
	struct diag diag = { "" };

	made->routing = (struct routing)ROUTING_INIT;
	if (fabric_parse(&made->fabric, "f", file, strlen(file), NULL, &diag) ||
		routing_init(&made->routing, &made->fabric, 1, &diag))
		fail_msg("%s", diag.text);
	summary_make(&made->summary, &made->fabric, &made->routing);
}

static void unmake(struct made *made)
{
	summary_free(&made->summary);
	summary_free(&made->summary);
	routing_free(&made->routing);
	fabric_free(&made->fabric);
}

/* 1024 x 200G on radix 64: the worked example of two tiers at 1:1. */
static void two_tiers_of_radix_64_hold_1024_hosts_without_oversubscription(void **state)
{
	struct made made;

	(void)state;
	make(&made, "leaves: 32\nspines: 16\nhosts_per_leaf: 32\nlinks_per_spine: 2\n"
		    "speed: 200G\nswitch_ports: 64\n");
	assert_int_equal(made.fabric.hosts, 1024);
	assert_int_equal(made.summary.uplinks, 1024);
	assert_int_equal(made.summary.oversub_min_ppb, PPB);
	assert_int_equal(made.summary.oversub_max_ppb, PPB);
	assert_int_equal(made.summary.bisection_bps, 512 * 200 * GBPS);
	assert_int_equal(made.summary.pairs[1], 32 * (32 * 31 / 2));
	assert_int_equal(made.summary.pairs[3], 1024 * 1023 / 2 - 32 * (32 * 31 / 2));
	assert_int_equal(made.summary.leaf_headroom_bytes, 32 * 48674 + 32 * 72424);
	assert_int_equal(made.summary.spine_headroom_bytes, 64 * 72424);
	unmake(&made);
}

static void the_leaf_with_the_fewest_uplinks_is_named(void **state)
{
	struct made made;

	(void)state;
	make(&made, "leaves: 4\nspines: 4\nhosts_per_leaf: 8\nspeed: 100G\nuplink_speed: 200G\n"
		    "links:\n- {link: leaf3-spine2, absent: yes}\n"
		    "- {link: leaf3-spine4, speed: 100G, length: 30m}\n");
	assert_int_equal(made.summary.oversub_min_ppb, PPB);
	assert_int_equal(made.summary.oversub_max_ppb, PPB * 800 / 500);
	assert_int_equal(made.summary.oversub_max_leaf, 2);
	assert_int_equal(made.summary.bisection_bps, (3 * 800 + 500) * GBPS / 2);
	assert_int_equal(made.summary.cable_count, 3);
	assert_int_equal(made.summary.cables[0].count, 32);
	assert_false(made.summary.cables[0].uplink);
	assert_int_equal(made.summary.cables[1].speed_bps, 200 * GBPS);
	assert_int_equal(made.summary.cables[1].count, 14);
	assert_int_equal(made.summary.cables[2].length_m, 30);
	unmake(&made);
}

static void one_leaf_has_nothing_to_oversubscribe(void **state)
{
	struct made made;

	(void)state;
	make(&made, "leaves: 1\nspines: 1\nhosts_per_leaf: 8\nspeed: 100G\n");
	assert_int_equal(made.summary.oversub_max_ppb, 0);
	assert_int_equal(made.summary.bisection_bps, 0);
	assert_int_equal(made.summary.pairs[1], 28);
	unmake(&made);
}

static void a_detour_counts_five_switches(void **state)
{
	struct made made;

	(void)state;
	make(&made,
		"leaves: 3\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\nlinks:\n"
		"- {link: leaf1-spine2, absent: yes}\n- {link: leaf3-spine1, absent: yes}\n");
	assert_int_equal(made.summary.pairs[1], 3);
	assert_int_equal(made.summary.pairs[3], 8);
	assert_int_equal(made.summary.pairs[5], 4);
	unmake(&made);
}

static uint64_t sent_by(const struct made *made, const uint64_t *bytes, const char *port)
{
	return bytes[fabric_find_port(&made->fabric, port)];
}

static void a_flow_is_split_evenly_over_equal_paths(void **state)
{
	struct plan plan = PLAN_INIT;
	struct plan_stage *stage = plan_add(&plan, LAYER_PAIRS);
	struct plan_flow *flow = plan_stage_add(stage);
	struct load_uplinks load;
	struct made made;
	uint64_t *bytes;

	(void)state;
	make(&made, "leaves: 2\nspines: 4\nhosts_per_leaf: 2\nspeed: 100G\n");
	bytes = calloc(made.fabric.port_count, sizeof(*bytes));
	*flow = (struct plan_flow){ .src = 0, .dst = 3, .qps = 1, .bytes = 4002 };
	load_add(&made.routing, stage, bytes);
	assert_int_equal(sent_by(&made, bytes, "host1"), 4002);
	assert_int_equal(sent_by(&made, bytes, "leaf1:3"), 1001);
	assert_int_equal(sent_by(&made, bytes, "leaf1:4"), 1001);
	assert_int_equal(sent_by(&made, bytes, "leaf1:5"), 1000);
	assert_int_equal(sent_by(&made, bytes, "spine1:2"), 1001);
	assert_int_equal(sent_by(&made, bytes, "spine4:2"), 1000);
	assert_int_equal(sent_by(&made, bytes, "leaf2:2"), 4002);
	assert_int_equal(sent_by(&made, bytes, "leaf2:3"), 0);
	load = load_uplinks(&made.fabric, bytes);
	assert_int_equal(load.max_bytes, 1001);
	assert_int_equal(load.total_bytes, 2 * 4002);
	assert_int_equal(load.ports, 16);
	free(bytes);
	plan_free(&plan);
	unmake(&made);
}

static void a_ring_sends_twice_its_payload_less_one_share(void **state)
{
	struct plan_ring ring = { .ranks = 4, .bytes = 1000, .iterations = 3 };
	struct plan_stage stage = { .ring = ring };

	(void)state;
	assert_int_equal(load_ring_bytes(&ring), 1500);
	assert_int_equal(load_stage_bytes(&stage), 1500 * 4 * 3);
	ring.ranks = 1;
	assert_int_equal(load_ring_bytes(&ring), 0);
}

static void a_ring_loads_every_edge_once_an_iteration(void **state)
{
	uint32_t nics[] = { 0, 1, 2, 3 };
	struct plan_stage stage = {
		.ring = { .nics = nics, .ranks = 4, .qps = 1, .bytes = 1000, .iterations = 2 }
	};
	struct made made;
	uint64_t *bytes;

	(void)state;
	make(&made, "leaves: 2\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n");
	bytes = calloc(made.fabric.port_count, sizeof(*bytes));
	load_add(&made.routing, &stage, bytes);
	assert_int_equal(sent_by(&made, bytes, "host1"), 3000);
	/* host2 to host3, and host4 to host1. */
	assert_int_equal(sent_by(&made, bytes, "leaf1:3"), 3000);
	assert_int_equal(sent_by(&made, bytes, "leaf2:3"), 3000);
	assert_int_equal(load_uplinks(&made.fabric, bytes).total_bytes, 4 * 3000);
	free(bytes);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			two_tiers_of_radix_64_hold_1024_hosts_without_oversubscription),
		cmocka_unit_test(the_leaf_with_the_fewest_uplinks_is_named),
		cmocka_unit_test(one_leaf_has_nothing_to_oversubscribe),
		cmocka_unit_test(a_detour_counts_five_switches),
		cmocka_unit_test(a_flow_is_split_evenly_over_equal_paths),
		cmocka_unit_test(a_ring_sends_twice_its_payload_less_one_share),
		cmocka_unit_test(a_ring_loads_every_edge_once_an_iteration),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
