/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signatures of faults that several kinds make together, or that grow, wait or go on
 * where another gives up. The letters are those of the catalogue in docs/simulator.md.
 */
#include "simbed.h"

#include "lib/counters.h"

#define FABRIC "leaves: 1\nspines: 1\nhosts_per_leaf: 8\nspeed: 100G\n"
#define FAULT(text) FABRIC "faults:\n- {" text "}\n"

static uint64_t took_ns(const struct bed *bed, uint32_t flow)
{
	assert_true(bed->result.flows[flow].complete);
	return bed->result.flows[flow].end_ns - bed->result.flows[flow].start_ns;
}

/* P7: hardly anything is lost at first, and in the end the share asked for. */
static void loss_that_rises_is_rare_at_first_and_full_in_the_end(void **state)
{
	uint64_t lost[3];
	struct bed bed;

	(void)state;
	bed_open(&bed,
		FAULT("kind: rising-loss, place: \"leaf1:1\", amount: 0.02, period: 10ms"));
	bed.fabric.policy.selective_repeat = true;
	bed.fabric.policy.timeout_exp = 6;
	for (uint32_t i = 0; i < 3; i++)
		bed_flow(&bed, i + 1, 0, 1, 12000000)->start_ns = i * 6 * NS_PER_MS;
	bed_run(&bed, 5);
	for (uint32_t i = 0; i < 3; i++)
		lost[i] =
			bed.result.flows[i].packets_sent - bed.result.flows[i].packets_received;
	assert_true(lost[0] < lost[1] / 2 && lost[1] < lost[2]);
	assert_true(lost[2] > 12000000 / 4096 / 100 && lost[2] < 12000000 / 4096 / 100 * 3);
	assert_int_equal(bed_sum(&bed, "leaf", "rx_prio3_discards"), 0);
	bed_close(&bed);
}

/* H1: the one NIC is late in both directions; its leaf hears it pause, nothing is lost. */
static void a_slow_bus_is_slow_both_ways_and_pauses_its_leaf(void **state)
{
	uint64_t took[2][2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed,
			i ? FAULT("kind: slow-receiver, place: host1, amount: 0.5") "- {kind: "
										    "rate, "
										    "place: "
										    "host1"
										    "}\n"
			  : FABRIC);
		bed_flow(&bed, 0, 1, 1, 20000000);
		bed_flow(&bed, 2, 0, 1, 20000000);
		bed_run(&bed, 5);
		took[i][0] = took_ns(&bed, 0);
		took[i][1] = took_ns(&bed, 1);
		assert_int_equal(bed_sum(&bed, "host", C_PACKET_SEQ_ERR), 0);
		bed_close(&bed);
	}
	assert_true(10 * took[1][0] > 19 * took[0][0]);
	assert_true(10 * took[1][1] > 19 * took[0][1]);
}

/* H4: the ring never ends, for the step of the dead NIC is posted and not done. */
static void a_dead_nic_hangs_the_ring(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: down, place: host3, from: 100us"));
	bed.stage.deadline_ns = 20 * NS_PER_MS;
	bed_ring(&bed, 1, 8000000, 1);
	bed_run(&bed, 5);
	assert_int_equal(bed.result.stage.status, RUN_PARTIAL);
	assert_int_equal(bed_counter(&bed, "host3", C_CARRIER_CHANGES), 1);
	assert_int_equal(bed_counter(&bed, "leaf1:3", C_CARRIER_CHANGES), 1);
	assert_int_equal(bed_step(&bed, 2, 13)->arrived_ns, 0);
	bed_close(&bed);
}

/* H6: each refusal costs the sender 0.64 ms; the network has lost nothing, and nobody
 * else is late. */
static void a_receiver_that_is_not_ready_costs_its_senders_time_and_no_packet(void **state)
{
	static const char *const transports[] = { "go-back-n", "selective-repeat" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;
		char yaml[256];
		uint64_t refused;

		snprintf(yaml, sizeof(yaml),
			FABRIC "policy: {timeout: 5, transport: %s}\n"
			       "faults:\n- {kind: rnr, place: host1, amount: 0.3}\n",
			transports[i]);
		bed_open(&bed, yaml);
		for (uint32_t s = 1; s <= 2; s++) {
			struct plan_flow *flow = bed_flow(&bed, s, s - 1, 1, 4000000);

			flow->burst_bytes = 100000;
			flow->burst_period_ns = 20 * NS_PER_US;
		}
		bed_run(&bed, 5);
		refused = bed_counter(&bed, "host1", C_OUT_OF_BUFFER);
		assert_true(refused > 3);
		assert_int_equal(bed_counter(&bed, "host2", C_RNR_NAK), refused);
		assert_true(took_ns(&bed, 0) > refused * 640000);
		assert_true(took_ns(&bed, 0) < refused * 640000 + 2 * NS_PER_MS);
		assert_true(took_ns(&bed, 1) < NS_PER_MS);
		assert_int_equal(bed_sum(&bed, "host", C_PACKET_SEQ_ERR), 0);
		assert_int_equal(bed_sum(&bed, "host", C_ACK_TIMEOUT), 0);
		assert_int_equal(bed_sum(&bed, "leaf", "rx_prio3_discards"), 0);
		bed_close(&bed);
	}
}

/* H9: pauses in plenty, each far too short for the watchdog; only while the host talks
 * to itself. */
static void loopback_traffic_pauses_the_leaf_and_no_watchdog_sees_it(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FABRIC "policy: {watchdog: 200us}\nfaults:\n- {kind: loopback, place: "
			      "host1, from: 5ms}\n");
	bed_flow(&bed, 1, 0, 1, 40000000)->not_ect = true;
	bed_flow(&bed, 1, 0, 1, 40000000)->start_ns = 5 * NS_PER_MS;
	bed.stage.flows[1].not_ect = true; /* else marks slow it down before it is paused */
	bed_run(&bed, 5);
	assert_true(bed_gbps(&bed, 0) > 95 && bed_gbps(&bed, 1) < 52);
	assert_true(bed_counter(&bed, "host1", "tx_prio3_pause") > 20);
	assert_true(bed_counter(&bed, "leaf1:1", "rx_prio3_pause_duration") > 2000);
	assert_int_equal(bed.result.totals.dropped_watchdog, 0);
	assert_int_equal(bed.result.flows[1].packets_resent, 0);
	bed_close(&bed);
}

/* H14: what a message costs the host is all of a small one and nothing of a large one. */
static void a_cost_a_message_slows_small_ones_only(void **state)
{
	static const uint64_t bytes[] = { 8 * 1024, 64 << 20 };
	uint64_t took[2][2];

	(void)state;
	for (int size = 0; size < 2; size++)
		for (int i = 0; i < 2; i++) {
			struct bed bed;

			bed_open(&bed, i ? FAULT("kind: slow-post, place: host3, amount: 4us")
					 : FABRIC);
			bed_ring(&bed, 1, bytes[size], 1);
			bed_run(&bed, 5);
			assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
			took[size][i] = bed.result.stage.t1_ns;
			bed_close(&bed);
		}
	assert_true(100 * took[0][1] > 115 * took[0][0]);
	assert_true(100 * took[1][1] < 102 * took[1][0]);
}

/* D8: what a watchdog in forward mode lets through is lost behind it, where there is no
 * room; one that drops loses it itself. */
static void a_watchdog_that_forwards_leaves_the_drops_to_its_peer(void **state)
{
#define SLOW                                                                                   \
	FABRIC                                                                                 \
	"policy: {watchdog: 100us, timeout: 10}\nfaults:\n"                                    \
	"- {kind: slow-receiver, place: host1, amount: 0.02}\n"
	static const char *const files[] = { SLOW,
		SLOW "- {kind: watchdog-forward, place: leaf1}\n" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed.stage.deadline_ns = 20 * NS_PER_MS;
		bed_flow(&bed, 1, 0, 1, 10000000);
		bed_run(&bed, 5);
		assert_int_equal(
			bed_counter(&bed, "leaf1:1", "tx_prio3_watchdog_discards") > 0, i == 0);
		assert_int_equal(bed_counter(&bed, "host1", "rx_prio3_discards") > 0, i == 1);
		assert_true(bed_sum(&bed, "host", C_ACK_TIMEOUT) +
				    bed_sum(&bed, "host", C_PACKET_SEQ_ERR) >
			    0);
		bed_close(&bed);
	}
#undef SLOW
}

/* F6: one loss, and the flow is slow long after; without a loss it is as ever. */
static void a_slow_restart_makes_one_loss_last(void **state)
{
#define CUT "- {kind: loss, place: host1, amount: 1, from: 100us, to: 101us}\n"
	static const char *const files[] = {
		FABRIC "faults:\n" CUT,
		FAULT("kind: slow-restart, place: host2, amount: 0.2") CUT,
		FAULT("kind: slow-restart, place: host2, amount: 0.2"),
	};
	uint64_t took[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed_flow(&bed, 1, 0, 1, 20000000);
		bed_run(&bed, 5);
		took[i] = took_ns(&bed, 0);
		assert_int_equal(bed_counter(&bed, "host2", C_SLOW_RESTART), i == 1);
		assert_int_equal(bed_counter(&bed, "host2", C_PACKET_SEQ_ERR), i < 2);
		bed_close(&bed);
	}
	assert_true(took[1] > 3 * took[0] && took[2] < took[0]);
#undef CUT
}

/* R5: what is hashed to the dead uplink is lost until the tables follow. */
static void slow_failover_loses_until_the_tables_follow(void **state)
{
#define DOWN(after)                                                                            \
	"leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\nlatency: {reroute: " after      \
	"}\npolicy: {timeout: 6}\nfaults:\n- {kind: down, place: leaf1-spine1, from: 100us}\n"
	static const char *const files[] = { DOWN("100us"), DOWN("400us") };
	uint64_t last[2], dropped[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		for (uint32_t s = 0; s < 4; s++)
			bed_flow(&bed, s, 4 + s, 4, 4000000);
		bed_run(&bed, 5);
		last[i] = 0;
		for (uint32_t s = 0; s < 4; s++)
			if (took_ns(&bed, s) > last[i])
				last[i] = took_ns(&bed, s);
		dropped[i] = bed_counter(&bed, "leaf1:5", C_DROP_LINK_DOWN);
		bed_close(&bed);
	}
	assert_true(dropped[0] > 0 && dropped[1] > dropped[0]);
	assert_true(last[1] > last[0] + 200000);
#undef DOWN
}

/* R7: two hops more, by a leaf that has no part in it. */
static void a_detour_is_two_hops_longer(void **state)
{
#define FOUR "leaves: 3\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\n"
	static const char *const files[] = { FOUR,
		FOUR "faults:\n- {kind: route, place: \"leaf1:3\", towards: leaf2}\n"
		     "- {kind: route, place: \"spine1:3\", towards: leaf2}\n"
		     "- {kind: route, place: \"leaf3:4\", towards: leaf2}\n" };
	uint64_t took[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed_flow(&bed, 0, 2, 1, 64);
		bed_run(&bed, 5);
		took[i] = took_ns(&bed, 0);
		assert_int_equal(bed_counter(&bed, "leaf3:3", C_RX_PACKETS), i);
		bed_close(&bed);
	}
	/* Two switches of 600 ns and two cables of 100 m. */
	assert_true(took[1] > took[0] + 2200 && took[1] < took[0] + 2300);
#undef FOUR
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_that_rises_is_rare_at_first_and_full_in_the_end),
		cmocka_unit_test(a_slow_bus_is_slow_both_ways_and_pauses_its_leaf),
		cmocka_unit_test(a_dead_nic_hangs_the_ring),
		cmocka_unit_test(
			a_receiver_that_is_not_ready_costs_its_senders_time_and_no_packet),
		cmocka_unit_test(loopback_traffic_pauses_the_leaf_and_no_watchdog_sees_it),
		cmocka_unit_test(a_cost_a_message_slows_small_ones_only),
		cmocka_unit_test(a_watchdog_that_forwards_leaves_the_drops_to_its_peer),
		cmocka_unit_test(a_slow_restart_makes_one_loss_last),
		cmocka_unit_test(slow_failover_loses_until_the_tables_follow),
		cmocka_unit_test(a_detour_is_two_hops_longer),
	};

	return cmocka_run_group_tests_name("fault_rest", tests, NULL, NULL);
}
