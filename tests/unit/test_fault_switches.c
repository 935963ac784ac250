/* SPDX-License-Identifier: Apache-2.0 */
/* What faults of switches leave in the counters and in the steps of a ring. */
#include "simbed.h"

#include "lib/counters.h"

#define FABRIC                                                                                 \
	"leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\nlinks_per_spine: 2\n"           \
	"policy: {buffer: 4MiB}\n"
#define FAULT(text) FABRIC "faults:\n- {" text "}\n"

static void incast(struct bed *bed, bool not_ect)
{
	for (uint32_t s = 4; s < 8; s++)
		bed_flow(bed, s, 0, 16, 12000000)->not_ect = not_ect;
}

static uint64_t received(const struct bed *bed, const char *prefix)
{
	return bed_sum(bed, prefix, C_RX_PACKETS);
}

static uint64_t sent(const struct bed *bed, const char *prefix)
{
	return bed_sum(bed, prefix, C_TX_PACKETS);
}

/* H10, S10: nothing but ACKs passes, and giants are counted where they came in. */
static void a_small_mtu_stops_large_packets_and_no_small_ones(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: mtu, place: host1"));
	bed.fabric.policy.timeout_exp = 4;
	bed_flow(&bed, 4, 0, 1, 100000);
	bed_flow(&bed, 5, 0, 1, 1400);
	bed_flow(&bed, 0, 6, 1, 100000);
	bed_run(&bed, 5);
	assert_true(bed.result.flows[0].qp_error);
	assert_int_equal(bed.result.flows[0].bytes_delivered, 0);
	assert_true(bed.result.flows[1].complete && bed.result.flows[2].complete);
	assert_true(bed_counter(&bed, "host1", C_DROP_OVERSIZE) >= 24);
	assert_int_equal(bed_sum(&bed, "leaf", C_DROP_OVERSIZE), 0);
	assert_int_equal(sent(&bed, "leaf1:1"), received(&bed, "host1"));
	bed_close(&bed);
}

/* S7: pause begins before the first mark. S4: and at a smaller incast. */
static void pause_that_comes_too_early_comes_before_marks(void **state)
{
	static const char *const files[] = { FABRIC,
		FAULT("kind: xoff, place: leaf1, amount: 32KiB"),
		FAULT("kind: alpha, place: leaf1, amount: 0.001") };
	uint64_t peak[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct bed bed;
		uint64_t pause = UINT64_MAX, mark = UINT64_MAX;

		bed_open(&bed, files[i]);
		/* So that, but for the fault, marks come first. */
		bed.fabric.policy.ecn_kmin_bytes = 100000;
		bed.fabric.policy.ecn_kmax_bytes = 400000;
		incast(&bed, false);
		bed_run(&bed, 5);
		peak[i] = 0;
		for (size_t c = 0; c < bed.result.counter_count; c++) {
			const struct run_counter *row = &bed.result.counters[c];

			if (strncmp(row->place, "leaf1", 5) != 0)
				continue;
			if (strcmp(row->name, "rx_prio3_first_pause_ns") == 0 &&
				row->last < pause)
				pause = row->last;
			if (strcmp(row->name, "tx_prio3_first_mark_ns") == 0 &&
				row->last < mark)
				mark = row->last;
			if (strcmp(row->name, "rx_prio3_buffer_peak_bytes") == 0 &&
				row->last > peak[i])
				peak[i] = row->last;
		}
		assert_true(i ? pause < mark : mark < pause);
		assert_int_equal(bed.result.totals.dropped_headroom, 0);
		bed_close(&bed);
	}
	assert_true(peak[1] < peak[0] && peak[2] < peak[0]);
}

/* S3: pauses are sent and obeyed, and packets are dropped all the same. */
static void too_little_headroom_drops_while_it_pauses(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: headroom, place: leaf1, amount: 0.1"));
	incast(&bed, true);
	bed_run(&bed, 5);
	assert_true(bed_sum(&bed, "leaf1", "tx_prio3_pause") > 0);
	assert_true(bed_sum(&bed, "leaf1", "rx_prio3_headroom_discards") > 0);
	assert_true(bed_sum(&bed, "spine", "rx_prio3_pause_duration") > 0);
	assert_int_equal(bed_sum(&bed, "spine", "rx_prio3_headroom_discards"), 0);
	bed_close(&bed);
}

/* S6: many more CNPs, and hardly ever a queue. S5: the other way round this switch
 * marks nothing and pauses instead; what it pauses may mark then. */
static void wrong_ecn_thresholds_mark_too_much_or_nothing(void **state)
{
	static const char *const files[] = { FABRIC,
		FAULT("kind: ecn, place: leaf1, amount: 0.01"),
		FAULT("kind: ecn, place: leaf1, amount: 100") };
	uint64_t cnps[3], pauses[3], marks[3];
	size_t queues[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed.stage.sample_ns = 20 * NS_PER_US;
		bed_flow(&bed, 4, 0, 1, 200000000);
		bed_flow(&bed, 5, 0, 1, 200000000);
		bed_run(&bed, 5);
		cnps[i] = bed_sum(&bed, "host", C_NP_CNP_SENT);
		pauses[i] = bed_sum(&bed, "leaf1", "tx_prio3_pause");
		marks[i] = bed_sum(&bed, "leaf1", "tx_prio3_ecn_marked");
		queues[i] = 0;
		for (size_t s = 0; s < bed.result.sample_count; s++)
			queues[i] += strcmp(bed.result.samples[s].metric, "queue_bytes") == 0;
		bed_close(&bed);
	}
	assert_true(cnps[1] > 2 * cnps[0] && queues[1] < queues[0] / 2);
	assert_true(marks[0] > 0);
	assert_int_equal(marks[2], 0);
	assert_true(pauses[2] > 10 * pauses[0]);
}

/* S9: against traffic outside the class the lossless one gets its few turns. */
static void a_wrong_scheduler_starves_the_lossless_priority(void **state)
{
	struct bed bed;
	double bytes, ns;

	(void)state;
	bed_open(&bed, FAULT("kind: scheduler, place: leaf1:1, amount: 0.2") "- {kind: "
									     "dscp-map, place: "
									     "host2}\n");
	bed_flow(&bed, 1, 0, 1, 20000000);
	bed_flow(&bed, 2, 0, 1, 20000000);
	bed.stage.deadline_ns = NS_PER_MS;
	bed_run(&bed, 5);
	bytes = (double)bed_counter(&bed, "leaf1:1", "tx_prio3_bytes");
	ns = (double)bed_counter(&bed, "leaf1:1", "tx_prio0_bytes");
	assert_true(bytes / (bytes + ns) > 0.17 && bytes / (bytes + ns) < 0.23);
	bed_close(&bed);
}

/* D4: a storm shorter than it should take is cut. D3: a long one is not. */
static void a_watchdog_with_the_wrong_time_acts_too_soon_or_never(void **state)
{
#define STORM                                                                                  \
	"leaves: 1\nspines: 1\nhosts_per_leaf: 4\nspeed: 100G\n"                               \
	"policy: {watchdog: 1ms}\nfaults:\n- {kind: pause-storm, place: host1, from: 100us, "  \
	"to: "
	static const char *const files[] = {
		STORM "600us}\n",
		STORM "600us}\n- {kind: watchdog, place: leaf1, amount: 200us}\n",
		STORM "2100us}\n",
		STORM "2100us}\n- {kind: watchdog-off, place: \"leaf1:1\"}\n",
	};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed_flow(&bed, 1, 0, 1, 20000000);
		bed_run(&bed, 5);
		assert_int_equal(bed.result.totals.dropped_watchdog > 0, i == 1 || i == 2);
		assert_true(bed.result.flows[0].complete);
		bed_close(&bed);
	}
#undef STORM
}

/* S11: drops that are counted, and a goodput that stays under a round figure. */
static void a_policer_caps_and_counts(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: policer, place: \"leaf1:1\", amount: 0.4"));
	bed.fabric.policy.selective_repeat = true;
	bed.fabric.policy.timeout_exp = 4;
	bed.stage.deadline_ns = 4 * NS_PER_MS;
	bed_flow(&bed, 0, 4, 1, 40000000);
	bed_run(&bed, 5);
	assert_true(bed_counter(&bed, "leaf1:1", C_DROP_POLICER) > 100);
	assert_int_equal(bed_sum(&bed, "leaf2", C_DROP_POLICER), 0);
	assert_true((double)bed.result.flows[0].bytes_delivered * 8 /
			    (double)bed.result.stage.t1_ns <
		    41);
	bed_close(&bed);
}

/* S12: no counter knows; all cables' ledgers are even, and more goes into the
 * switch than comes out. */
static void silent_drops_are_a_hole_between_the_ports_of_a_switch(void **state)
{
	static const char *const files[] = {
		FAULT("kind: drop-size, place: spine1, amount: 1024"),
		FAULT("kind: drop-flows, place: spine1, amount: 0.3"),
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;
		uint32_t failed = 0;

		bed_open(&bed, files[i]);
		bed.fabric.policy.timeout_exp = 4;
		for (uint32_t h = 0; h < 4; h++)
			bed_flow(&bed, h, h + 4, 8, 400000);
		bed_run(&bed, 5);
		assert_int_equal(received(&bed, "spine1") - sent(&bed, "spine1"),
			bed.result.totals.dropped_hidden);
		assert_int_equal(received(&bed, "spine2"), sent(&bed, "spine2"));
		assert_true(bed.result.totals.dropped_hidden > 0);
		assert_int_equal(bed_sum(&bed, "spine", "rx_prio3_discards") +
					 bed_sum(&bed, "spine", C_DROP_NO_ROUTE),
			0);
		for (uint32_t flow = 0; flow < 4; flow++)
			failed += bed.result.flows[flow].qp_error;
		assert_true(failed > 0);
		bed_close(&bed);
	}
}

/* R4: all that is hashed there is lost; eight time-outs, then the QP fails. */
static void a_black_hole_takes_some_queue_pairs_and_leaves_the_rest(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: black-hole, place: \"leaf1:5\""));
	bed.fabric.policy.timeout_exp = 8;
	bed_flow(&bed, 0, 4, 16, 1600000);
	bed_run(&bed, 5);
	assert_true(bed.result.flows[0].qp_error);
	assert_true(bed.result.flows[0].bytes_delivered >= 800000);
	assert_int_equal(bed.result.flows[0].timeouts % 8, 0);
	assert_true(bed_counter(&bed, "leaf1:1", C_DROP_NO_ROUTE) > 0);
	assert_int_equal(sent(&bed, "leaf1:5"), 0);
	bed_close(&bed);
}

/* R1: where leaf and spine hash alike, one of two parallel cables stays empty. */
static void equal_seeds_polarise_the_second_choice(void **state)
{
	static const char *const files[] = { FABRIC,
		FAULT("kind: same-hash, place: leaf1") "- {kind: same-hash, place: "
						       "spine1}\n- "
						       "{kind: same-hash, place: spine2}\n" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;
		bool empty;

		bed_open(&bed, files[i]);
		for (uint32_t h = 0; h < 4; h++)
			bed_flow(&bed, h, h + 4, 32, 3200000);
		bed_run(&bed, 5);
		empty = bed_counter(&bed, "spine1:3", "tx_prio3_bytes") < 100000 ||
			bed_counter(&bed, "spine1:4", "tx_prio3_bytes") < 100000;
		assert_int_equal(empty, i);
		bed_close(&bed);
	}
}

/* R2: without the source port all QPs of a pair take one way. */
static void a_hash_of_addresses_alone_keeps_a_pair_on_one_way(void **state)
{
	struct bed bed;
	uint32_t used = 0;

	(void)state;
	bed_open(&bed, FAULT("kind: pair-hash, place: leaf1"));
	bed_flow(&bed, 0, 4, 32, 3200000);
	bed_run(&bed, 5);
	for (uint32_t port = 5; port <= 8; port++) {
		char name[16];

		snprintf(name, sizeof(name), "leaf1:%u", port);
		used += bed_counter(&bed, name, "tx_prio3_bytes") > 0;
	}
	assert_int_equal(used, 1);
	bed_close(&bed);
}

/* R8: gaps without a single drop, and packets sent again for nothing. */
static void spraying_reorders_and_drops_nothing(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: spray, place: leaf1"));
	for (uint32_t h = 0; h < 4; h++)
		bed_flow(&bed, h, h + 4, 1, 8000000);
	bed_run(&bed, 5);
	assert_true(bed_sum(&bed, "host", C_OUT_OF_SEQUENCE) > 20);
	assert_true(bed.result.flows[0].packets_resent > 0);
	assert_int_equal(bed.result.totals.data_sent + bed.result.totals.control_sent,
		bed.result.totals.received);
	bed_close(&bed);
}

/* S8: CNPs share the queue of the data that they are about. */
static void cnps_in_the_data_queue_have_no_priority(void **state)
{
	static const char *const files[] = { FABRIC, FAULT("kind: cnp-map, place: leaf1"),
		FAULT("kind: cnp-map, place: host1") };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		incast(&bed, false);
		bed_run(&bed, 5);
		assert_true(bed_sum(&bed, "host", C_RP_CNP_HANDLED) > 0);
		assert_int_equal(bed_sum(&bed, "leaf1", "tx_prio6_packets") > 0, i == 0);
		bed_close(&bed);
	}
}

/* R3: an uplink without a byte, no drop, the same work on the rest. */
static void a_member_missing_from_ecmp_carries_nothing(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: route-missing, place: \"leaf1:6\""));
	for (uint32_t h = 0; h < 4; h++)
		bed_flow(&bed, h, h + 4, 16, 3200000);
	bed_run(&bed, 5);
	assert_int_equal(sent(&bed, "leaf1:6"), 0);
	assert_true(sent(&bed, "leaf1:5") > 0 && sent(&bed, "leaf1:7") > 0);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	assert_int_equal(bed.result.totals.dropped_no_route, 0);
	bed_close(&bed);
}

/* R6: packets go round and die of their TTL. */
static void two_tables_that_face_each_other_lose_by_ttl(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: route, place: \"leaf1:5\", towards: leaf2") "- {kind: "
										"route, place: "
										"\"spine1:1\", "
										"towards: "
										"leaf2}\n");
	bed.fabric.policy.timeout_exp = 4;
	bed_flow(&bed, 0, 4, 1, 400000);
	bed_run(&bed, 5);
	assert_true(bed.result.flows[0].qp_error);
	assert_int_equal(bed.result.flows[0].bytes_delivered, 0);
	assert_int_equal(bed_sum(&bed, "", C_DROP_TTL), bed.result.totals.dropped_expired);
	assert_int_equal(bed.result.totals.dropped_expired, bed.result.totals.data_sent);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_mtu_stops_large_packets_and_no_small_ones),
		cmocka_unit_test(pause_that_comes_too_early_comes_before_marks),
		cmocka_unit_test(too_little_headroom_drops_while_it_pauses),
		cmocka_unit_test(wrong_ecn_thresholds_mark_too_much_or_nothing),
		cmocka_unit_test(a_wrong_scheduler_starves_the_lossless_priority),
		cmocka_unit_test(a_watchdog_with_the_wrong_time_acts_too_soon_or_never),
		cmocka_unit_test(a_policer_caps_and_counts),
		cmocka_unit_test(silent_drops_are_a_hole_between_the_ports_of_a_switch),
		cmocka_unit_test(a_black_hole_takes_some_queue_pairs_and_leaves_the_rest),
		cmocka_unit_test(equal_seeds_polarise_the_second_choice),
		cmocka_unit_test(a_hash_of_addresses_alone_keeps_a_pair_on_one_way),
		cmocka_unit_test(spraying_reorders_and_drops_nothing),
		cmocka_unit_test(cnps_in_the_data_queue_have_no_priority),
		cmocka_unit_test(a_member_missing_from_ecmp_carries_nothing),
		cmocka_unit_test(two_tables_that_face_each_other_lose_by_ttl),
	};

	return cmocka_run_group_tests_name("fault_switches", tests, NULL, NULL);
}
