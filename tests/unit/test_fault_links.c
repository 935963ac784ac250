/* SPDX-License-Identifier: Apache-2.0 */
/* What faults of links and cables leave in the counters and in the steps of a ring. */
#include "simbed.h"

#include "lib/counters.h"

#define FABRIC                                                                                 \
	"leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\nlinks_per_spine: 2\n"           \
	"policy: {buffer: 4MiB}\n"
#define FAULT(text) FABRIC "faults:\n- {" text "}\n"

static uint64_t sent(const struct bed *bed, const char *place)
{
	return bed_counter(bed, place, C_TX_PACKETS);
}

static uint64_t received(const struct bed *bed, const char *place)
{
	return bed_counter(bed, place, C_RX_PACKETS);
}

/* P3: the share asked for, but in a few gaps, each of many packets. */
static void bursty_loss_makes_few_gaps_of_many_packets(void **state)
{
	static const char *const files[] = {
		FAULT("kind: loss, place: host5-leaf2, amount: 0.01"),
		FAULT("kind: burst-loss, place: host5-leaf2, amount: 0.01, burst: 16"),
	};
	double lost[2], per_gap[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed.fabric.policy.selective_repeat = true;
		bed.fabric.policy.timeout_exp = 6;
		bed_flow(&bed, 0, 4, 1, 400000000);
		bed_run(&bed, 5);
		lost[i] = (double)(sent(&bed, "leaf2:1") - received(&bed, "host5"));
		per_gap[i] = lost[i] / (double)bed_counter(&bed, "host5", C_OUT_OF_SEQUENCE);
		lost[i] /= (double)sent(&bed, "leaf2:1");
		assert_int_equal(bed_sum(&bed, "leaf", "rx_prio3_discards"), 0);
		bed_close(&bed);
	}
	assert_true(lost[0] > 0.009 && lost[0] < 0.011);
	assert_true(lost[1] > 0.007 && lost[1] < 0.013);
	assert_true(per_gap[0] < 1.3 && per_gap[1] > 4 * per_gap[0]);
}

/* P8: all ledgers even, no switch drops; what is missing is in the ICRC counter of
 * the NIC at the end of the way, and is sent again. */
static void corruption_shows_at_the_last_nic_only(void **state)
{
	struct bed bed;
	uint64_t errors;

	(void)state;
	bed_open(&bed, FAULT("kind: corrupt, place: \"spine1:3\", amount: 0.01"));
	for (uint32_t i = 0; i < 4; i++)
		bed_flow(&bed, i, i + 4, 8, 40000000);
	bed_run(&bed, 5);
	errors = bed_sum(&bed, "host", C_ICRC_ERRORS);
	assert_true(errors > 10);
	assert_int_equal(errors, bed.result.totals.dropped_corrupt);
	assert_int_equal(sent(&bed, "spine1:3"), received(&bed, "leaf2:5"));
	for (uint32_t i = 1; i <= 4; i++) {
		char leaf[16], host[16];

		snprintf(leaf, sizeof(leaf), "leaf2:%u", i);
		snprintf(host, sizeof(host), "host%u", i + 4);
		assert_int_equal(sent(&bed, leaf), received(&bed, host));
	}
	assert_true(bed_sum(&bed, "host", C_OUT_OF_SEQUENCE) > 0);
	assert_int_equal(bed.result.totals.lost_on_links, 0);
	bed_close(&bed);
}

/* D7: more CNPs sent than handled, and pause takes over what marking did. */
static void lost_cnps_leave_the_work_to_pause(void **state)
{
	uint64_t pauses[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, i ? FAULT("kind: cnp-loss, place: host1") : FABRIC);
		for (uint32_t s = 4; s < 8; s++)
			bed_flow(&bed, s, 0, 1, 40000000);
		bed_run(&bed, 5);
		assert_true(bed_counter(&bed, "host1", C_NP_CNP_SENT) > 0);
		assert_int_equal(bed_sum(&bed, "host", C_RP_CNP_HANDLED),
			i ? 0 : bed_counter(&bed, "host1", C_NP_CNP_SENT));
		pauses[i] = bed_sum(&bed, "leaf", "tx_prio3_pause");
		bed_close(&bed);
	}
	assert_true(pauses[1] > 2 * pauses[0] + 10);
}

/* P9: no counter; the steps over that way take as much longer, those back do not. */
static void a_longer_way_adds_its_delay_to_each_step_of_one_direction(void **state)
{
	uint64_t there[2], back[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed,
			i ? FAULT("kind: delay, place: \"leaf2:1\", amount: 50us") : FABRIC);
		bed_ring(&bed, 1, 640000, 1);
		bed_run(&bed, 5);
		there[i] = bed_took_ns(bed_step(&bed, 3, 2)); /* host4 to host5 */
		back[i] = bed_took_ns(bed_step(&bed, 4, 0));  /* host5 to host6 */
		assert_int_equal(bed_sum(&bed, "host", C_OUT_OF_SEQUENCE), 0);
		bed_close(&bed);
	}
	assert_int_equal(there[1] - there[0], 50000);
	assert_int_equal(back[1], back[0]);
}

/* The way becomes short again while packets are on the long one: none overtakes. */
static void a_delay_that_ends_reorders_nothing(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: delay, place: host1, amount: 80us, from: 200us, to: "
			     "700us"));
	bed_flow(&bed, 0, 4, 1, 20000000);
	bed_flow(&bed, 5, 0, 4, 20000000);
	bed_flow(&bed, 6, 0, 4, 20000000);
	bed_run(&bed, 5);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	assert_int_equal(bed_sum(&bed, "host", C_OUT_OF_SEQUENCE), 0);
	bed_close(&bed);
}

/* F5: everything through the switch stops at once and comes back; carrier changes
 * at all of its ports, and at no other. */
static void a_reboot_stops_all_ways_through_a_switch_at_once(void **state)
{
	struct bed bed;
	uint32_t late = 0;

	(void)state;
	bed_open(&bed, FAULT("kind: down, place: leaf2, from: 300us, to: 2ms"));
	bed.fabric.policy.timeout_exp = 8;
	bed_ring(&bed, 4, 40000000, 1);
	bed_run(&bed, 5);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	assert_int_equal(bed_sum(&bed, "leaf2", C_CARRIER_CHANGES), 2 * 8);
	assert_int_equal(bed_sum(&bed, "spine", C_CARRIER_CHANGES), 2 * 4);
	assert_int_equal(bed_sum(&bed, "host", C_CARRIER_CHANGES), 2 * 4);
	assert_int_equal(bed_sum(&bed, "leaf1", C_CARRIER_CHANGES), 0);
	for (uint32_t rank = 0; rank < 8; rank++)
		for (size_t step = 0; step < bed.result.step_count / 8; step++)
			late += bed_took_ns(bed_step(&bed, rank, step)) > 1700000;
	assert_true(late >= 4);
	bed_close(&bed);
}

/* T1: two hosts changed places: a pair that shared a leaf now crosses a spine. */
static void swapped_cables_lengthen_the_way(void **state)
{
	static const char *const files[] = { FABRIC,
		FAULT("kind: swap, place: host1-leaf1, with: host5-leaf2") };
	size_t ports[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed_flow(&bed, 0, 1, 1, 1000000);
		bed_run(&bed, 5);
		assert_true(bed.result.flows[0].complete);
		ports[i] = 1;
		for (const char *at = bed.result.paths[0].ports; *at; at++)
			ports[i] += *at == '>';
		assert_true(received(&bed, i ? "leaf2:1" : "leaf1:1") > 0);
		bed_close(&bed);
	}
	assert_int_equal(ports[0], 2);
	assert_int_equal(ports[1], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursty_loss_makes_few_gaps_of_many_packets),
		cmocka_unit_test(corruption_shows_at_the_last_nic_only),
		cmocka_unit_test(lost_cnps_leave_the_work_to_pause),
		cmocka_unit_test(a_longer_way_adds_its_delay_to_each_step_of_one_direction),
		cmocka_unit_test(a_delay_that_ends_reorders_nothing),
		cmocka_unit_test(a_reboot_stops_all_ways_through_a_switch_at_once),
		cmocka_unit_test(swapped_cables_lengthen_the_way),
	};

	return cmocka_run_group_tests_name("fault_links", tests, NULL, NULL);
}
