/* SPDX-License-Identifier: Apache-2.0 */
/* What each injected fault leaves in the counters. */
#include "simbed.h"

#include "lib/counters.h"

#define FABRIC                                                                                 \
	"leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\nlinks_per_spine: 2\npolicy: "   \
	"{buffer: "                                                                            \
	"4MiB}\n"
#define FAULT(text) FABRIC "faults:\n- {" text "}\n"

static void all_across(struct bed *bed, uint64_t bytes)
{
	for (uint32_t i = 0; i < 8; i++)
		bed_flow(bed, i, (i + 4) % 8, 8, bytes);
}

static void incast(struct bed *bed, bool not_ect)
{
	for (uint32_t s = 4; s < 8; s++)
		bed_flow(bed, s, 0, 16, 12000000)->not_ect = not_ect;
}

static uint64_t sent(const struct bed *bed, const char *place)
{
	return bed_counter(bed, place, C_TX_PACKETS);
}

static uint64_t received(const struct bed *bed, const char *place)
{
	return bed_counter(bed, place, C_RX_PACKETS);
}

static void without_a_fault_every_link_ledger_is_even(void **state)
{
	struct bed bed;
	char a[64], b[64];

	(void)state;
	bed_open(&bed, FABRIC);
	all_across(&bed, 4000000);
	bed_run(&bed, 3);
	for (uint32_t i = 0; i < bed.fabric.link_count; i++) {
		const struct link *link = &bed.fabric.links[i];

		fabric_port_name(&bed.fabric, link->a, a);
		if (bed.fabric.ports[link->a].nic != PORT_NONE)
			fabric_nic_name(&bed.fabric, bed.fabric.ports[link->a].nic, a);
		fabric_port_name(&bed.fabric, link->b, b);
		assert_int_equal(sent(&bed, a), received(&bed, b));
		assert_int_equal(sent(&bed, b), received(&bed, a));
	}
	assert_int_equal(bed_sum(&bed, "", C_CARRIER_CHANGES), 0);
	bed_close(&bed);
}

static void loss_shows_as_a_hole_in_the_ledger_and_as_naks(void **state)
{
	struct bed bed;
	uint64_t lost;

	(void)state;
	bed_open(&bed, FAULT("kind: loss, place: \"leaf1:5\", amount: 0.01"));
	all_across(&bed, 4000000);
	bed_run(&bed, 3);
	lost = sent(&bed, "leaf1:5") - received(&bed, "spine1:1");
	assert_true(lost > 0);
	assert_int_equal(lost, bed.result.totals.lost_on_links);
	assert_int_equal(sent(&bed, "spine1:1"), received(&bed, "leaf1:5"));
	assert_true(bed_sum(&bed, "host", C_OUT_OF_SEQUENCE) > 0);
	assert_true(bed_sum(&bed, "host", C_PACKET_SEQ_ERR) > 0);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	bed_close(&bed);
}

static void a_port_at_half_rate_serves_half(void **state)
{
	struct bed bed;
	double bytes, busy_ns;

	(void)state;
	bed_open(&bed, FAULT("kind: rate, place: \"leaf1:5\", amount: 0.5"));
	all_across(&bed, 4000000);
	bed_run(&bed, 3);
	bytes = (double)bed_counter(&bed, "leaf1:5", "tx_prio3_bytes") +
		20.0 * (double)bed_counter(&bed, "leaf1:5", "tx_prio3_packets");
	busy_ns = (double)bed_counter(&bed, "leaf1:5", "tx_prio3_busy_ns");
	assert_true(bytes * 8 / busy_ns > 49.9 && bytes * 8 / busy_ns < 50.1);
	bytes = (double)bed_counter(&bed, "leaf1:6", "tx_prio3_bytes") +
		20.0 * (double)bed_counter(&bed, "leaf1:6", "tx_prio3_packets");
	busy_ns = (double)bed_counter(&bed, "leaf1:6", "tx_prio3_busy_ns");
	assert_true(bytes * 8 / busy_ns > 99.9);
	bed_close(&bed);
}

static void a_dead_uplink_is_routed_around(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: down, place: \"leaf1:5-spine1:1\""));
	all_across(&bed, 4000000);
	bed_run(&bed, 3);
	assert_int_equal(sent(&bed, "leaf1:5"), 0);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	assert_int_equal(bed_sum(&bed, "", C_DROP_LINK_DOWN), 0);
	bed_close(&bed);
}

static void a_flap_costs_what_was_in_flight_and_shows_in_carrier_changes(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: flap, place: \"leaf1:5-spine1:1\", from: 100us, amount: "
			     "100us, period: 300us"));
	all_across(&bed, 8000000);
	bed_run(&bed, 3);
	assert_true(bed_counter(&bed, "leaf1:5", C_CARRIER_CHANGES) >= 2);
	assert_int_equal(bed_counter(&bed, "leaf1:5", C_CARRIER_CHANGES),
		bed_counter(&bed, "spine1:1", C_CARRIER_CHANGES));
	assert_true(bed.result.totals.dropped_down > 0);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	bed_close(&bed);
}

/* A switch without PFC drops where it should have paused, and goes on sending
 * into a peer that has paused it. */
static void a_leaf_without_pfc_drops_and_pauses_nobody(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: pfc-off, place: leaf1"));
	incast(&bed, true);
	bed_run(&bed, 3);
	assert_int_equal(bed_sum(&bed, "leaf1", "tx_prio3_pause"), 0);
	assert_true(bed_sum(&bed, "leaf1", "rx_prio3_discards") > 0);
	bed_close(&bed);
}

static void a_spine_without_pfc_does_not_obey(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: pfc-off, place: spine1"));
	incast(&bed, true);
	bed_run(&bed, 3);
	assert_true(bed_sum(&bed, "spine1", "rx_prio3_pause") > 0);
	assert_int_equal(bed_sum(&bed, "spine1", "rx_prio3_pause_duration"), 0);
	assert_true(bed_sum(&bed, "leaf1", "rx_prio3_headroom_discards") > 0);
	assert_true(bed_sum(&bed, "spine2", "rx_prio3_pause_duration") > 0);
	bed_close(&bed);
}

static void a_wrong_dscp_map_moves_the_class(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: dscp-map, place: spine2, priority: 1"));
	all_across(&bed, 1000000);
	bed_run(&bed, 3);
	assert_int_equal(bed_sum(&bed, "spine2", "rx_prio3_packets"), 0);
	assert_true(bed_sum(&bed, "spine2", "rx_prio1_packets") > 0);
	assert_int_equal(bed_sum(&bed, "spine2", C_RX_DSCP_PACKETS),
		bed_sum(&bed, "spine2", "rx_prio1_packets"));
	assert_int_equal(bed_sum(&bed, "spine1", C_RX_DSCP_PACKETS),
		bed_sum(&bed, "spine1", "rx_prio3_packets"));
	bed_close(&bed);
}

static void a_nic_with_the_wrong_dscp_sends_outside_the_class(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: dscp-map, place: host3"));
	all_across(&bed, 1000000);
	bed_run(&bed, 3);
	assert_int_equal(bed_counter(&bed, "host3", C_TX_POLICY_BYTES), 0);
	assert_true(bed_counter(&bed, "host3", C_TX_RDMA_BYTES) > 1000000);
	assert_int_equal(bed_counter(&bed, "host4", C_TX_POLICY_BYTES),
		bed_counter(&bed, "host4", C_TX_RDMA_BYTES));
	bed_close(&bed);
}

static void a_switch_without_ecn_never_marks(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FABRIC);
	incast(&bed, false);
	bed_run(&bed, 3);
	assert_true(bed_sum(&bed, "leaf1", "tx_prio3_ecn_marked") > 0);
	bed_close(&bed);
	bed_open(&bed, FAULT("kind: ecn-off, place: leaf1"));
	incast(&bed, false);
	bed_run(&bed, 3);
	assert_int_equal(bed_sum(&bed, "leaf1", "tx_prio3_ecn_marked"), 0);
	assert_true(bed_counter(&bed, "leaf1:1", "tx_prio3_queue_peak_ect_bytes") >
		    bed.fabric.policy.ecn_kmin_bytes);
	bed_close(&bed);
}

static void a_slow_receiver_pauses_its_leaf_and_still_drains(void **state)
{
	struct bed bed;
	const struct run_flow *flow;

	(void)state;
	bed_open(&bed, FAULT("kind: slow-receiver, place: host1, amount: 0.4"));
	bed_flow(&bed, 1, 0, 4, 8000000);
	bed_run(&bed, 3);
	flow = &bed.result.flows[0];
	assert_true(bed_counter(&bed, "host1", "tx_prio3_pause") > 0);
	assert_true(bed_counter(&bed, "leaf1:1", "rx_prio3_pause_duration") > 0);
	assert_true(8000000 * 8.0 / (double)(flow->end_ns - flow->start_ns) < 43);
	assert_true(8000000 * 8.0 / (double)(flow->end_ns - flow->start_ns) > 38);
	assert_int_equal(flow->packets_resent, 0);
	bed_close(&bed);
}

static void a_storming_nic_holds_its_port_all_the_time(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: pause-storm, place: host1"));
	bed.stage.deadline_ns = 5 * NS_PER_MS;
	bed_flow(&bed, 1, 0, 1, 1000000);
	bed_flow(&bed, 2, 3, 1, 1000000);
	bed_run(&bed, 3);
	assert_int_equal(bed.result.stage.status, RUN_PARTIAL);
	assert_false(bed.result.flows[0].complete);
	assert_true(bed.result.flows[1].complete);
	assert_true(bed_counter(&bed, "leaf1:1", "rx_prio3_pause_duration") > 4950);
	assert_true(bed_counter(&bed, "host1", "tx_prio3_pause") > 20);
	bed_close(&bed);
}

static void a_fault_holds_from_and_to_its_times(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: loss, place: host1, amount: 0.2, from: 2ms, to: 3ms"));
	bed_flow(&bed, 0, 4, 1, 1000000);
	bed_run(&bed, 3);
	assert_int_equal(bed.result.totals.lost_on_links, 0);
	bed.stage.flows[0].bytes = 40000000;
	bed_run(&bed, 3);
	assert_true(bed.result.totals.lost_on_links > 0);
	bed_close(&bed);
}

static void a_lost_tail_waits_for_the_ack_timeout(void **state)
{
	struct bed bed;
	const struct run_flow *flow;

	(void)state;
	bed_open(&bed, FAULT("kind: down, place: host5, from: 10us, to: 200us"));
	bed_flow(&bed, 0, 4, 1, 100000);
	bed_run(&bed, 3);
	flow = &bed.result.flows[0];
	assert_int_equal(flow->timeouts, 1);
	/* 4.096 us * 2^14 */
	assert_true(flow->end_ns > 67108864 && flow->end_ns < 67108864 + 50000);
	bed_close(&bed);
}

static void retries_run_out_and_the_queue_pair_fails(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FABRIC "faults:\n- {kind: down, place: host5, from: 1us}\n");
	bed.fabric.policy.timeout_exp = 8;
	bed.fabric.policy.retry = 3;
	bed_flow(&bed, 0, 4, 1, 100000);
	bed_run(&bed, 3);
	assert_true(bed.result.flows[0].qp_error);
	assert_int_equal(bed.result.flows[0].timeouts, 4);
	assert_int_equal(bed_counter(&bed, "host1", C_RETRY_EXCEEDED), 1);
	bed_close(&bed);
}

#define WATCHED                                                                                \
	"leaves: 1\nspines: 1\nhosts_per_leaf: 4\nspeed: 100G\n"                               \
	"policy: {watchdog: 1ms, watchdog_restore: 500us}\n"                                   \
	"faults:\n- {kind: pause-storm, place: host1, from: 100us, to: "

/* A storm of half the detection time is waited out; one of twice it is cut: what
 * is for the stormed port is dropped, and the others go on. */
static void the_watchdog_acts_at_its_time_and_not_at_half_of_it(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, WATCHED "600us}\n");
	bed_flow(&bed, 1, 0, 1, 20000000);
	bed_run(&bed, 3);
	assert_int_equal(bed.result.totals.dropped_watchdog, 0);
	assert_int_equal(bed.result.flows[0].packets_resent, 0);
	bed_close(&bed);
	bed_open(&bed, WATCHED "2100us}\n");
	bed_flow(&bed, 1, 0, 1, 20000000);
	bed_run(&bed, 3);
	assert_true(bed_counter(&bed, "leaf1:1", "tx_prio3_watchdog_discards") > 0);
	assert_true(bed.result.flows[0].complete);
	/* Not before the storm is over and the queue is restored. */
	assert_true(bed.result.flows[0].end_ns > (2100 + 500) * NS_PER_US);
	bed_close(&bed);
}

/* Go-back-N sends again all that followed; selective repeat only what was lost. */
static void selective_repeat_sends_again_only_what_was_lost(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FABRIC "faults:\n- {kind: loss, place: \"leaf2:1\", amount: 0.01}\n");
	bed_flow(&bed, 0, 4, 1, 20000000);
	bed_run(&bed, 3);
	assert_true(bed.result.flows[0].packets_resent > 2 * bed.result.totals.lost_on_links);
	bed_close(&bed);
	bed_open(&bed, FABRIC "faults:\n- {kind: loss, place: \"leaf2:1\", amount: 0.01}\n");
	bed.fabric.policy.selective_repeat = true;
	bed_flow(&bed, 0, 4, 1, 20000000);
	bed_run(&bed, 3);
	assert_true(bed.result.flows[0].complete);
	assert_true(bed.result.flows[0].packets_resent >= bed.result.totals.lost_on_links);
	assert_true(bed.result.flows[0].packets_resent <=
		    bed.result.totals.lost_on_links + bed.result.flows[0].timeouts + 1);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_fault_every_link_ledger_is_even),
		cmocka_unit_test(loss_shows_as_a_hole_in_the_ledger_and_as_naks),
		cmocka_unit_test(a_port_at_half_rate_serves_half),
		cmocka_unit_test(a_dead_uplink_is_routed_around),
		cmocka_unit_test(a_flap_costs_what_was_in_flight_and_shows_in_carrier_changes),
		cmocka_unit_test(a_leaf_without_pfc_drops_and_pauses_nobody),
		cmocka_unit_test(a_spine_without_pfc_does_not_obey),
		cmocka_unit_test(a_wrong_dscp_map_moves_the_class),
		cmocka_unit_test(a_nic_with_the_wrong_dscp_sends_outside_the_class),
		cmocka_unit_test(a_switch_without_ecn_never_marks),
		cmocka_unit_test(a_slow_receiver_pauses_its_leaf_and_still_drains),
		cmocka_unit_test(a_storming_nic_holds_its_port_all_the_time),
		cmocka_unit_test(a_fault_holds_from_and_to_its_times),
		cmocka_unit_test(a_lost_tail_waits_for_the_ack_timeout),
		cmocka_unit_test(the_watchdog_acts_at_its_time_and_not_at_half_of_it),
		cmocka_unit_test(selective_repeat_sends_again_only_what_was_lost),
		cmocka_unit_test(retries_run_out_and_the_queue_pair_fails),
	};

	return cmocka_run_group_tests_name("sim_faults", tests, NULL, NULL);
}
