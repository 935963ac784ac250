/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/judge_bench.h"

static void nothing(struct bench *bench)
{
	(void)bench;
}

static void lose_on_uplink(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "spine1:2", C_TX_PACKETS, BENCH_PACKETS);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PACKETS, BENCH_PACKETS - 3);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PRIO_PACKETS, BENCH_PACKETS - 3);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_DSCP_PACKETS, BENCH_PACKETS - 3);
}

static void lose_on_uplink_with_crc_errors(struct bench *bench)
{
	lose_on_uplink(bench);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_CRC_ERRORS, 3);
}

static void lose_one_in_flight(struct bench *bench)
{
	bench->stages[BENCH_PAIRS].status = RUN_PARTIAL;
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PACKETS, BENCH_PACKETS - 1);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PRIO_PACKETS, BENCH_PACKETS - 1);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_DSCP_PACKETS, BENCH_PACKETS - 1);
}

static void lose_while_flapping(struct bench *bench)
{
	lose_on_uplink(bench);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_CARRIER_CHANGES, 2);
	bench_set(bench, BENCH_PAIRS, "spine1:2", C_CARRIER_CHANGES, 2);
}

static void start_down(struct bench *bench)
{
	bench_fact(bench, "leaf1:4", F_OPER_STATE, "down");
}

static void lose_carrier(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "host2", C_CARRIER_CHANGES, 1);
}

static void serve_at_half(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "spine2:1", C_TX_PRIO_BUSY_NS, 2 * 1340000);
}

static void serve_at_half_from_nic(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "host4", C_TX_PRIO_BUSY_NS, 2 * 1340000);
}

/* An XOFF that leaves by a slow link comes late. */
static void serve_at_half_and_overrun(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_TX_PRIO_BUSY_NS, 2 * 1340000);
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_HEADROOM, 5);
}

static void serve_too_little_to_time(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "spine2:1", C_TX_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "leaf1:4", C_RX_PACKETS, 20);
	/* And no more came into spine2 than went out. */
	bench_set(bench, BENCH_ECT, "leaf2:4", C_TX_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "spine2:2", C_RX_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "spine2:2", C_RX_PRIO_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "spine2:2", C_RX_DSCP_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "host4", C_TX_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "leaf2:2", C_RX_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "leaf2:2", C_RX_PRIO_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "leaf2:2", C_RX_DSCP_PACKETS, 20);
	bench_set(bench, BENCH_ECT, "spine2:1", C_TX_PRIO_BUSY_NS, 2 * 1340000);
}

static void pause_from_nic(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "host3", C_TX_PRIO_PAUSE, 40);
	bench_set(bench, BENCH_PAIRS, "host3", C_TX_PRIO_PAUSE_US, 500);
	bench_set(bench, BENCH_PAIRS, "leaf2:1", C_RX_PRIO_PAUSE, 40);
	bench_set(bench, BENCH_PAIRS, "leaf2:1", C_RX_PRIO_PAUSE_US, 499);
}

static void storm_from_nic(struct bench *bench)
{
	pause_from_nic(bench);
	bench_set(bench, BENCH_PAIRS, "host3", C_TX_PRIO_PAUSE_US, 1000);
	bench_set(bench, BENCH_PAIRS, "leaf2:1", C_RX_PRIO_PAUSE_US, 1000);
	bench_set(bench, BENCH_PAIRS, "host3", C_RX_BYTES, 5000);
}

/* Held all the time, and yet taking in half of what the link carries. */
static void pause_always_from_nic(struct bench *bench)
{
	storm_from_nic(bench);
	bench_set(bench, BENCH_PAIRS, "host3", C_RX_BYTES, 6000000);
}

static void pause_half_from_an_idle_nic(struct bench *bench)
{
	storm_from_nic(bench);
	bench_set(bench, BENCH_PAIRS, "host3", C_TX_PRIO_PAUSE_US, 500);
}

/* Every port of the switch drops and says nothing, and none obeys. */
static void pfc_off(struct bench *bench)
{
	const char *own[] = { "spine1:1", "spine1:2" }, *peer[] = { "leaf1:3", "leaf2:3" };

	for (int i = 0; i < 2; i++) {
		bench_set(bench, BENCH_NOT_ECT, own[i], C_TX_PRIO_PAUSE, 0);
		bench_set(bench, BENCH_NOT_ECT, own[i], C_TX_PRIO_PAUSE_US, 0);
		bench_set(bench, BENCH_NOT_ECT, own[i], C_DROP_BUFFER, 90);
		bench_set(bench, BENCH_NOT_ECT, own[i], C_RX_PRIO_PAUSE_US, 0);
		bench_set(bench, BENCH_NOT_ECT, peer[i], C_RX_PRIO_PAUSE, 0);
		bench_set(bench, BENCH_NOT_ECT, peer[i], C_RX_PRIO_PAUSE_US, 0);
		bench_set(bench, BENCH_NOT_ECT, peer[i], C_DROP_HEADROOM, 500);
	}
}

static void pfc_off_at_a_port(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "spine1:2", C_RX_PRIO_PAUSE_US, 0);
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_HEADROOM, 500);
}

static void headroom_too_small(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_HEADROOM, 5);
}

static void headroom_too_small_at_a_switch(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_HEADROOM, 5);
	bench_set(bench, BENCH_NOT_ECT, "leaf2:1", C_DROP_HEADROOM, 5);
}

static void headroom_too_small_at_two_switches(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_HEADROOM, 5);
	bench_set(bench, BENCH_NOT_ECT, "leaf1:3", C_DROP_HEADROOM, 5);
}

static void headroom_set_too_small(struct bench *bench)
{
	headroom_too_small(bench);
	bench->fabric.policy.headroom_bytes = 20000; /* the formula gives 56148 */
}

static void pause_too_short_to_compare(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_TX_PRIO_PAUSE_US, 3);
	bench_set(bench, BENCH_NOT_ECT, "spine1:2", C_RX_PRIO_PAUSE_US, 0);
}

static void pfc_never_provoked(struct bench *bench)
{
	const char *ports[] = { "spine1:1", "spine1:2" }, *peers[] = { "leaf1:3", "leaf2:3" };

	for (int i = 0; i < 2; i++) {
		bench_set(bench, BENCH_NOT_ECT, ports[i], C_TX_PRIO_PAUSE, 0);
		bench_set(bench, BENCH_NOT_ECT, ports[i], C_TX_PRIO_PAUSE_US, 0);
		bench_set(bench, BENCH_NOT_ECT, peers[i], C_RX_PRIO_PAUSE, 0);
		bench_set(bench, BENCH_NOT_ECT, peers[i], C_RX_PRIO_PAUSE_US, 0);
	}
}

static void ecn_off(struct bench *bench)
{
	const char *ports[] = { "leaf2:1", "leaf2:2", "leaf2:3", "leaf2:4" };

	for (int i = 0; i < 4; i++)
		bench_set(bench, BENCH_ECT, ports[i], C_ECN_MARKED, 0);
}

static void ecn_off_at_a_port(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "leaf2:1", C_ECN_MARKED, 0);
}

static void ecn_never_provoked(struct bench *bench)
{
	ecn_off(bench);
	bench_set(bench, BENCH_ECT, "leaf2:1", C_QUEUE_PEAK_ECT, 900000);
	bench_set(bench, BENCH_ECT, "leaf2:2", C_QUEUE_PEAK_ECT, 900000);
	bench_set(bench, BENCH_ECT, "leaf2:3", C_QUEUE_PEAK_ECT, 900000);
	bench_set(bench, BENCH_ECT, "leaf2:4", C_QUEUE_PEAK_ECT, 900000);
}

static void map_wrong_at_a_switch(struct bench *bench)
{
	const char *ports[] = { "spine2:1", "spine2:2" };

	for (uint32_t stage = 0; stage < 3; stage++)
		for (int i = 0; i < 2; i++)
			bench_set(bench, stage, ports[i], C_RX_PRIO_PACKETS, 4);
}

static void map_wrong_at_a_port(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "spine2:1", C_RX_PRIO_PACKETS, 4);
}

static void map_wrong_and_overrun(struct bench *bench)
{
	map_wrong_at_a_switch(bench);
	bench_set(bench, BENCH_NOT_ECT, "leaf2:4", C_DROP_HEADROOM, 500);
}

static void map_wrong_at_a_nic(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "host2", C_TX_POLICY_BYTES, 0);
}

static void notify_from_a_nic(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "host2", C_NP_CNP_SENT, 10);
	bench_set(bench, BENCH_ECT, "host2", C_TX_RDMA_BYTES,
		(uint64_t)BENCH_PACKETS * BENCH_FRAME + 780);
}

static struct run_flow *marked_flow(struct bench *bench)
{
	struct run_flow *flow = &bench->flows[bench->flow_count - 1];

	flow->ce_packets = 500;
	return flow;
}

static void answer_no_mark(struct bench *bench)
{
	struct run_flow *flow = marked_flow(bench);

	flow->cnps_sent = flow->cnps_handled = 0;
}

static void handle_no_notice(struct bench *bench)
{
	struct run_flow *flow = marked_flow(bench);

	flow->cnps_sent = 30;
	flow->cnps_handled = 0;
}

static void class_not_read(struct bench *bench)
{
	bench_absent(bench, C_RX_DSCP_PACKETS);
}

static void wired_elsewhere(struct bench *bench)
{
	bench_fact(bench, "leaf1:3", F_PEER, "spine2:1");
}

static void giants_at_a_nic(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "host3", C_DROP_OVERSIZE, 9);
}

static void receives_late(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "host3", C_OUT_OF_BUFFER, 9);
}

static void policed(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "leaf1:1", C_DROP_POLICER, 9);
}

static void no_way_for_some(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "leaf1:1", C_DROP_NO_ROUTE, 4);
	bench_set(bench, BENCH_PAIRS, "leaf1:2", C_DROP_NO_ROUTE, 5);
}

static void going_in_a_circle(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "spine1:1", C_DROP_TTL, 4);
}

static void watchdog_without_a_storm(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:1", C_DROP_WATCHDOG, 70);
}

/* The cable's ledger is even; more goes into the switch than comes out. */
static void lost_inside_a_switch(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "leaf2:1", C_TX_PACKETS, BENCH_PACKETS - 7);
	bench_set(bench, BENCH_ECT, "host3", C_RX_PACKETS, BENCH_PACKETS - 7);
}

/* What was counted as dropped is no secret. */
static void dropped_inside_a_switch(struct bench *bench)
{
	lost_inside_a_switch(bench);
	bench_set(bench, BENCH_ECT, "leaf2:3", C_DROP_POLICER, 7);
}

/* In a stage that was cut short; what leaf2 keeps is more or less than its queues held, 7 frames,
 * and its four ports take in during 10 us, 120. */
static void keep_inside(struct bench *bench, uint64_t packets)
{
	lost_inside_a_switch(bench);
	bench->stages[BENCH_ECT].status = RUN_PARTIAL;
	bench_set(bench, BENCH_ECT, "leaf2:1", C_TX_PACKETS, BENCH_PACKETS - packets);
	bench_set(bench, BENCH_ECT, "leaf2:1", C_TX_BYTES,
		(BENCH_PACKETS - packets) * BENCH_FRAME);
	bench_set(bench, BENCH_ECT, "host3", C_RX_PACKETS, BENCH_PACKETS - packets);
	bench_set(bench, BENCH_ECT, "leaf2:1", C_QUEUE_PEAK, 7 * BENCH_FRAME);
}

static void routed_astray(struct bench *bench)
{
	bench_fact(bench, "spine1", F_ROUTE "leaf2", "spine1:1");
}

static void slower_port(struct bench *bench)
{
	bench_fact(bench, "host1", F_SPEED, "50000000000");
	bench_fact(bench, "leaf1:1", F_SPEED, "50000000000");
}

static void unwitnessed(struct bench *bench)
{
	bench->no_facts = true;
	bench_absent(bench, C_CARRIER_CHANGES);
}

static void no_neighbours(struct bench *bench)
{
	bench->no_facts = true;
}

static void unused_link(struct bench *bench)
{
	for (uint32_t stage = 0; stage < 3; stage++) {
		bench_set(bench, stage, "leaf1:3", C_TX_PACKETS, 100);
		bench_set(bench, stage, "spine1:1", C_RX_PACKETS, 100);
		bench_set(bench, stage, "host1", C_TX_PACKETS, 100);
		bench_set(bench, stage, "leaf1:1", C_RX_PACKETS, 100);
	}
}

static void counter_went_back(struct bench *bench)
{
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PACKETS, 0);
	for (size_t i = 0; i < bench->counter_count; i++)
		if (bench->counters[i].stage == BENCH_PAIRS &&
			strcmp(bench->counters[i].place, "leaf2:3") == 0 &&
			strcmp(bench->counters[i].name, C_RX_PACKETS) == 0)
			bench->counters[i].first = 5;
}

static const struct judge_case {
	const char *name;
	void (*spoil)(struct bench *);
	const char *check;
	enum verdict verdict;
	const char *culprit; /* of a failure, which must come first of all */
} cases[] = {
	{ "every packet arrived", nothing, "link.loss", VERDICT_PASS, "" },
	{ "a link that loses is named", lose_on_uplink, "link.loss", VERDICT_FAIL,
		"leaf2:3-spine1:2" },
	{ "what is on its way when a window is cut is not lost", lose_one_in_flight,
		"link.loss", VERDICT_PASS, "" },
	{ "loss while the carrier comes and goes is a flap", lose_while_flapping, "link.flap",
		VERDICT_FAIL, "leaf2:3-spine1:2" },
	{ "a link that starts down is named", start_down, "link.down", VERDICT_FAIL,
		"leaf1:4-spine2:1" },
	{ "a link that goes down is named", lose_carrier, "link.down", VERDICT_FAIL,
		"host2-leaf1:2" },
	{ "without witnesses the carrier is unknown", unwitnessed, "link.carrier",
		VERDICT_UNKNOWN, "" },
	{ "a port that serves at half speed is named", serve_at_half, "link.rate", VERDICT_FAIL,
		"leaf1:4-spine2:1" },
	{ "a NIC that serves at half speed is named", serve_at_half_from_nic, "link.rate",
		VERDICT_FAIL, "host4-leaf2:2" },
	{ "drops at a link that serves at half speed are not laid to headroom",
		serve_at_half_and_overrun, "link.rate", VERDICT_FAIL, "leaf2:3-spine1:2" },
	{ "twenty packets are not timed", serve_too_little_to_time, "link.rate", VERDICT_PASS,
		"" },
	{ "a link that carried little is unknown", unused_link, "link.coverage",
		VERDICT_UNKNOWN, "" },
	{ "a counter that went back is no loss", counter_went_back, "link.loss", VERDICT_PASS,
		"" },
	{ "a NIC that pauses is a slow receiver", pause_from_nic, "nic.slow-receiver",
		VERDICT_FAIL, "host3" },
	{ "a NIC that takes in nothing and pauses is a storm", storm_from_nic,
		"nic.pause-storm", VERDICT_FAIL, "host3" },
	{ "a NIC that holds all the time and takes in half is no storm", pause_always_from_nic,
		"nic.slow-receiver", VERDICT_FAIL, "host3" },
	{ "a NIC that takes in nothing and holds half the time is no storm",
		pause_half_from_an_idle_nic, "nic.slow-receiver", VERDICT_FAIL, "host3" },
	{ "a host that posts no receives is named", receives_late, "nic.not-ready",
		VERDICT_FAIL, "host3" },
	{ "no NIC pauses", nothing, "nic.pause", VERDICT_PASS, "" },
	{ "a switch without PFC is named before what it does to others", pfc_off,
		"switch.pfc-off", VERDICT_FAIL, "spine1" },
	{ "a port without PFC is named where the others work", pfc_off_at_a_port,
		"switch.pfc-off", VERDICT_FAIL, "spine1:2" },
	{ "headroom that overflows at one port alone names its link", headroom_too_small,
		"policy.headroom", VERDICT_FAIL, "leaf2:3-spine1:2" },
	{ "headroom that overflows at one switch alone names it",
		headroom_too_small_at_a_switch, "policy.headroom", VERDICT_FAIL, "leaf2" },
	{ "headroom that overflows at several switches is the setting",
		headroom_too_small_at_two_switches, "policy.headroom", VERDICT_FAIL,
		"policy.headroom" },
	{ "headroom that the file sets too small is the setting", headroom_set_too_small,
		"policy.headroom", VERDICT_FAIL, "policy.headroom" },
	{ "a pause of three microseconds is not compared", pause_too_short_to_compare,
		"switch.pfc", VERDICT_PASS, "" },
	{ "PFC that nothing called for is unknown", pfc_never_provoked, "switch.pfc",
		VERDICT_UNKNOWN, "" },
	{ "a switch without ECN is named", ecn_off, "switch.ecn-off", VERDICT_FAIL, "leaf2" },
	{ "a port without ECN is named where the others mark", ecn_off_at_a_port,
		"switch.ecn-off", VERDICT_FAIL, "leaf2:1" },
	{ "no mark below kmax proves nothing", ecn_never_provoked, "switch.ecn",
		VERDICT_UNKNOWN, "" },
	{ "a switch with another map is named", map_wrong_at_a_switch, "switch.dscp-map",
		VERDICT_FAIL, "spine2" },
	{ "a port with another map is named", map_wrong_at_a_port, "switch.dscp-map",
		VERDICT_FAIL, "spine2:1" },
	{ "a wrong map is not taken for headroom", map_wrong_and_overrun, "switch.dscp-map",
		VERDICT_FAIL, "spine2" },
	{ "a NIC that sends another DSCP is named", map_wrong_at_a_nic, "nic.dscp-map",
		VERDICT_FAIL, "host2" },
	{ "notifications have a DSCP of their own", notify_from_a_nic, "class.proof",
		VERDICT_PASS, "" },
	{ "a NIC that answers no mark is named", answer_no_mark, "nic.cnp-off", VERDICT_FAIL,
		"host3" },
	{ "a NIC that handles no notification is named", handle_no_notice, "nic.cnp-ignored",
		VERDICT_FAIL, "host1" },
	{ "the class is unknown where it was not read", class_not_read, "class.proof",
		VERDICT_UNKNOWN, "" },
	{ "a cable that goes elsewhere is named", wired_elsewhere, "plan.wiring", VERDICT_FAIL,
		"leaf1:3-spine1:1" },
	{ "a port of another speed is named", slower_port, "plan.speed", VERDICT_FAIL,
		"host1-leaf1:1" },
	{ "giants name the port that takes none", giants_at_a_nic, "port.mtu", VERDICT_FAIL,
		"host3" },
	{ "a policer is named at its port", policed, "switch.policer", VERDICT_FAIL,
		"leaf1:1" },
	{ "packets without a way name their switch", no_way_for_some, "switch.no-route",
		VERDICT_FAIL, "leaf1" },
	{ "packets in a circle name a switch of it", going_in_a_circle, "switch.ttl",
		VERDICT_FAIL, "spine1" },
	{ "a watchdog without a storm is named", watchdog_without_a_storm, "switch.watchdog",
		VERDICT_FAIL, "leaf2" },
	{ "what is lost inside a switch names it", lost_inside_a_switch, "switch.silent-drop",
		VERDICT_FAIL, "leaf2" },
	{ "what a switch counted is not lost twice", dropped_inside_a_switch, "switch.policer",
		VERDICT_FAIL, "leaf2:3" },
	{ "a route that leads back is named", routed_astray, "plan.route", VERDICT_FAIL,
		"spine1:1" },
	{ "wiring that nobody tells of is unknown", no_neighbours, "plan.wiring",
		VERDICT_UNKNOWN, "" },
};

static void judged_as_it_should(void **state)
{
	const struct judge_case *row = *state;
	struct bench *bench = bench_new();
	const struct finding *finding;

	row->spoil(bench);
	finding = bench_judged(bench, row->check, row->verdict, row->culprit);
	if (row->verdict == VERDICT_FAIL) {
		assert_ptr_equal(finding, &bench->findings.items[0]);
		assert_int_equal(finding->rank, RANK_CAUSE);
		assert_true(finding->text[0] && finding->advice[0]);
	}
	bench_free(bench);
}

/* None but the one cause: what it does to others is not taken for another. */
static void one_fault_is_one_cause(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench *bench = bench_new();
		uint32_t causes = 0;

		cases[i].spoil(bench);
		bench_judge(bench, JUDGE_ALL);
		for (size_t k = 0; k < bench->findings.count; k++)
			causes += bench->findings.items[k].rank == RANK_CAUSE;
		if (causes != (cases[i].verdict == VERDICT_FAIL))
			print_message("%s: %u causes\n", cases[i].name, causes);
		assert_int_equal(causes, cases[i].verdict == VERDICT_FAIL);
		bench_free(bench);
	}
}

static void a_clean_run_passes_without_unknowns(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	bench_judge(bench, JUDGE_ALL);
	bench_print(bench);
	assert_int_equal(findings_verdict(&bench->findings), VERDICT_PASS);
	bench_free(bench);
}

/* Coverage is owed by an acceptance, not by a stage run by hand. */
static void by_hand_asks_for_no_coverage(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	bench->profile = "hand";
	pfc_never_provoked(bench);
	unused_link(bench);
	bench_judge(bench, JUDGE_ALL);
	bench_print(bench);
	assert_int_equal(findings_verdict(&bench->findings), VERDICT_PASS);
	bench_free(bench);
}

/* Leaves in a ring: no packet has to be sent to see it. */
static void buffers_that_can_wait_in_a_circle_are_named(void **state)
{
	struct bench *bench = bench_empty(
		"leaves: 4\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\nswitch_ports: 16\n"
		"cables:\n- {from: \"leaf1:4\", to: \"leaf2:5\"}\n- {from: \"leaf2:4\", to: "
		"\"leaf3:5\"}\n- {from: \"leaf3:4\", to: \"leaf4:5\"}\n- {from: \"leaf4:4\", "
		"to: \"leaf1:5\"}\n");
	const struct finding *finding;

	(void)state;
	bench_judge(bench, JUDGE_LAYER(LAYER_PLAN));
	bench_print(bench);
	finding = bench_find(bench, "plan.buffer-cycle");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	assert_string_equal(finding->culprit, "leaf1:4-leaf2:5");
	assert_non_null(strstr(finding->text, "leaf1:4 > leaf2:4 > leaf3:4 > leaf4:4"));
	bench_free(bench);
	bench = bench_new();
	bench_judge(bench, JUDGE_ALL);
	finding = bench_find(bench, "plan.buffer-cycle");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_PASS);
	bench_free(bench);
}

/* In a stage that was cut short packets are inside, as many as its queues hold. */
static void what_is_still_inside_is_not_silent(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	keep_inside(bench, 127);
	bench_judge(bench, JUDGE_ALL);
	assert_null(bench_find(bench, "switch.silent-drop"));
	bench_free(bench);
	bench = bench_new();
	keep_inside(bench, 128);
	bench_judge(bench, JUDGE_ALL);
	assert_non_null(bench_find(bench, "switch.silent-drop"));
	bench_free(bench);
}

static void the_same_run_gives_the_same_findings(void **state)
{
	struct bench *first = bench_new(), *second = bench_new();

	(void)state;
	pfc_off(first);
	pfc_off(second);
	bench_judge(first, JUDGE_ALL);
	bench_judge(second, JUDGE_ALL);
	assert_int_equal(first->findings.count, second->findings.count);
	assert_memory_equal(first->findings.items, second->findings.items,
		first->findings.count * sizeof(*first->findings.items));
	bench_free(first);
	bench_free(second);
}

static void crc_errors_are_told_of_where_they_are_counted(void **state)
{
	static const struct {
		void (*spoil)(struct bench *);
		const char *said;
	} rows[] = { { lose_on_uplink, "; CRC errors are not told" },
		{ lose_on_uplink_with_crc_errors, "; 3 CRC errors were counted" } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bench *bench = bench_new();
		const struct finding *finding;

		rows[i].spoil(bench);
		bench_judge(bench, JUDGE_ALL);
		finding = bench_find(bench, "link.loss");
		assert_non_null(finding);
		assert_non_null(strstr(finding->text, rows[i].said));
		bench_free(bench);
	}
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 7] = {
		cmocka_unit_test(a_clean_run_passes_without_unknowns),
		cmocka_unit_test(by_hand_asks_for_no_coverage),
		cmocka_unit_test(one_fault_is_one_cause),
		cmocka_unit_test(buffers_that_can_wait_in_a_circle_are_named),
		cmocka_unit_test(what_is_still_inside_is_not_silent),
		cmocka_unit_test(the_same_run_gives_the_same_findings),
		cmocka_unit_test(crc_errors_are_told_of_where_they_are_counted),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 7] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = judged_as_it_should,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("judge: causes", tests, NULL, NULL);
}
