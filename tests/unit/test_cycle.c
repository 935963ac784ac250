/* SPDX-License-Identifier: Apache-2.0 */
/* Cyclic buffer dependency: found before a packet is sent, seen to deadlock, and
 * broken by the watchdog. */
#include "simbed.h"

#include <stdlib.h>

#include "fabric/cycle.h"
#include "lib/counters.h"

/* Four leaves in a ring, each with two hosts; what goes to the leaf opposite goes
 * round clockwise. leaf1:4 leads to leaf2:5, and so on to leaf4:4 and leaf1:5. */
#define RING                                                                                   \
	"leaves: 4\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\nswitch_ports: 16\ncables:\n"    \
	"- {from: \"leaf1:4\", to: \"leaf2:5\"}\n- {from: \"leaf2:4\", to: \"leaf3:5\"}\n"     \
	"- {from: \"leaf3:4\", to: \"leaf4:5\"}\n- {from: \"leaf4:4\", to: \"leaf1:5\"}\n"
#define ROUTES                                                                                 \
	"faults:\n- {kind: route, place: \"leaf1:4\", towards: leaf3}\n"                       \
	"- {kind: route, place: \"leaf2:4\", towards: leaf4}\n"                                \
	"- {kind: route, place: \"leaf3:4\", towards: leaf1}\n"                                \
	"- {kind: route, place: \"leaf4:4\", towards: leaf2}\n"

/* The same through the spine. */
#define UP                                                                                     \
	"faults:\n- {kind: route, place: \"leaf1:3\", towards: leaf3}\n"                       \
	"- {kind: route, place: \"leaf2:3\", towards: leaf4}\n"                                \
	"- {kind: route, place: \"leaf3:3\", towards: leaf1}\n"                                \
	"- {kind: route, place: \"leaf4:3\", towards: leaf2}\n"

static const char *const turns[] = { "leaf1:4", "leaf2:4", "leaf3:4", "leaf4:4" };

static void force_all(struct bed *bed)
{
	for (uint32_t i = 0; i < bed->fabric.fault_count; i++)
		if (bed->fabric.faults[i].kind == FAULT_ROUTE)
			routing_force(&bed->routing, bed->fabric.faults[i].port,
				bed->fabric.faults[i].towards);
}

static void up_down_routes_have_no_cycle(void **state)
{
	static const char *const files[] = {
		"leaves: 4\nspines: 3\nhosts_per_leaf: 2\nspeed: 100G\nlinks_per_spine: 2\n",
		RING UP,
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;
		uint32_t ports[8];

		bed_open(&bed, files[i]);
		force_all(&bed);
		assert_int_equal(cycle_find(&bed.routing, NULL, ports, 8), 0);
		bed_close(&bed);
	}
}

/* With equal ways on both sides of the ring, ECMP makes the circle by itself. */
static void shortest_paths_in_a_ring_are_a_cycle(void **state)
{
	struct bed bed;
	uint32_t ports[8];

	(void)state;
	bed_open(&bed, RING);
	assert_int_equal(cycle_find(&bed.routing, NULL, ports, 8), 4);
	bed_close(&bed);
}

static void routes_round_four_switches_are_found_in_the_tables(void **state)
{
	struct bed bed;
	uint32_t ports[8];
	char name[2 * NAME_BYTES];
	bool *lossless;

	(void)state;
	bed_open(&bed, RING ROUTES);
	force_all(&bed);
	assert_int_equal(cycle_find(&bed.routing, NULL, ports, 8), 4);
	for (uint32_t i = 0; i < 4; i++) {
		fabric_port_name(&bed.fabric, ports[i], name);
		assert_string_equal(name, turns[i]);
	}
	assert_int_equal(cycle_find(&bed.routing, NULL, ports, 3), 3);
	/* One link outside the lossless class, and the circle is open. */
	lossless = zeroed(bed.fabric.port_count, sizeof(*lossless));
	for (uint32_t i = 0; i < bed.fabric.port_count; i++)
		lossless[i] = i != fabric_find_port(&bed.fabric, "leaf3:4");
	assert_int_equal(cycle_find(&bed.routing, lossless, ports, 8), 0);
	free(lossless);
	bed_close(&bed);
}

/* Three quarters of the routes make no circle. */
static void an_open_chain_is_no_cycle(void **state)
{
	struct bed bed;
	uint32_t ports[8];

	(void)state;
	bed_open(&bed, RING ROUTES);
	force_all(&bed);
	routing_force(&bed.routing, fabric_find_port(&bed.fabric, "leaf4:3"), 1);
	assert_int_equal(cycle_find(&bed.routing, NULL, ports, 8), 0);
	bed_close(&bed);
}

static void run_opposite(struct bed *bed, const char *yaml)
{
	bed_open(bed, yaml);
	bed->stage.deadline_ns = 500 * NS_PER_MS;
	for (uint32_t host = 0; host < 8; host++)
		bed_flow(bed, host, (host + 4) % 8, 4, 8000000)->not_ect = true;
	bed_run(bed, 1);
}

/* All four links are paused until the end, long after the last byte was posted. */
static void the_cycle_deadlocks(void **state)
{
	struct bed bed;

	(void)state;
	run_opposite(&bed, RING "policy: {buffer: 2MiB}\n" ROUTES);
	assert_int_equal(bed.result.stage.status, RUN_PARTIAL);
	for (int i = 0; i < 4; i++)
		assert_true(
			bed_counter(&bed, turns[i], "rx_prio3_pause_duration") > 490 * 1000);
	assert_true(bed.result.totals.in_flight > 0);
	assert_int_equal(bed.result.totals.dropped_headroom, 0);
	bed_close(&bed);
}

/* The same load without the routes, and with the routes but without PFC. */
static void without_the_cycle_nothing_hangs(void **state)
{
	static const char *const files[] = { RING "policy: {buffer: 2MiB}\n" UP,
		RING "policy: {buffer: 2MiB, pfc: no, timeout: 8}\n" ROUTES };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		run_opposite(&bed, files[i]);
		assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
		bed_close(&bed);
	}
}

/* The leaves' hosts try again at different times; all at once, they would only
 * close the circle again, until their retries are used up. */
#define APART                                                                                  \
	"- {kind: timeout, place: host3, amount: 11}\n- {kind: timeout, place: host4, "        \
	"amount: 11}\n- {kind: timeout, place: host5, amount: 12}\n- {kind: timeout, place: "  \
	"host6, amount: 12}\n- {kind: timeout, place: host7, amount: 13}\n- {kind: timeout, "  \
	"place: host8, amount: 13}\n"

static void the_watchdog_breaks_it(void **state)
{
	static const char *const files[] = { "", APART };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char yaml[2048];
		struct bed bed;

		snprintf(yaml, sizeof(yaml), "%s%s",
			RING "policy: {buffer: 2MiB, watchdog: 2ms, watchdog_restore: 1ms, "
			     "timeout: 10}\n" ROUTES,
			files[i]);
		run_opposite(&bed, yaml);
		assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
		assert_int_equal(bed.result.totals.in_flight, 0);
		assert_true(bed.result.totals.dropped_watchdog > 0);
		for (size_t flow = 0; flow < bed.result.flow_count; flow++)
			assert_int_equal(bed.result.flows[flow].complete, i);
		bed_close(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_down_routes_have_no_cycle),
		cmocka_unit_test(shortest_paths_in_a_ring_are_a_cycle),
		cmocka_unit_test(routes_round_four_switches_are_found_in_the_tables),
		cmocka_unit_test(an_open_chain_is_no_cycle),
		cmocka_unit_test(the_cycle_deadlocks),
		cmocka_unit_test(without_the_cycle_nothing_hangs),
		cmocka_unit_test(the_watchdog_breaks_it),
	};

	return cmocka_run_group_tests_name("cycle", tests, NULL, NULL);
}
