/* SPDX-License-Identifier: Apache-2.0 */

/* Causes that are had by comparing ports, NICs or flows with others: who is named, and
 * when nobody may be. */
#include "tests/unit/judge_bench.h"

#define CNP_BYTES 78u

/* --- thresholds --- */

static void pause_at(struct bench *bench, const char *port, uint64_t bytes)
{
	bench_set(bench, BENCH_NOT_ECT, port, C_INGRESS_PEAK, bytes);
}

static void pause_early_at_a_port(struct bench *bench)
{
	pause_at(bench, "leaf2:3", 40000);
	pause_at(bench, "leaf2:4", 8 * MIB);
}

static void pause_early_at_a_switch(struct bench *bench)
{
	pause_at(bench, "leaf2:3", 40000);
	pause_at(bench, "leaf2:4", 50000);
}

static void pause_at_the_threshold(struct bench *bench)
{
	pause_at(bench, "leaf2:3", 8 * MIB);
}

static void mark_early_at_a_port(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "leaf1:1", C_QUEUE_PEAK, 399999);
}

static void mark_early_at_a_switch(struct bench *bench)
{
	mark_early_at_a_port(bench);
	bench_set(bench, BENCH_ECT, "leaf1:2", C_QUEUE_PEAK, 100000);
}

static void mark_above_kmin(struct bench *bench)
{
	bench_set(bench, BENCH_ECT, "leaf1:1", C_QUEUE_PEAK, 400001);
}

/* --- CNPs --- */

/* 100 CNPs of host2, so many bytes of them with the DSCP of data. */
static void notify_as_data(struct bench *bench, uint64_t as_data)
{
	uint64_t bytes = (uint64_t)BENCH_PACKETS * BENCH_FRAME;

	bench_set(bench, BENCH_ECT, "host2", C_NP_CNP_SENT, 100);
	bench_set(bench, BENCH_ECT, "host2", C_TX_RDMA_BYTES, bytes + 100 * CNP_BYTES);
	bench_set(bench, BENCH_ECT, "host2", C_TX_POLICY_BYTES, bytes + as_data);
}

static void notify_in_the_class_of_data(struct bench *bench)
{
	notify_as_data(bench, 100 * CNP_BYTES);
}

/* Something else that the NIC sends in the class. */
static void send_a_little_more(struct bench *bench)
{
	notify_as_data(bench, 30 * CNP_BYTES);
}

static void ignore_notices(struct bench *bench)
{
	struct run_flow *flow = &bench->flows[bench->flow_count - 1];

	flow->ce_packets = 500;
	flow->cnps_sent = 30;
	flow->cnps_handled = 0;
}

static void lose_notices(struct bench *bench)
{
	ignore_notices(bench);
	bench_set(bench, BENCH_ECT, "host1", C_RX_PACKETS, BENCH_PACKETS - 30);
}

/* --- flows of pairs that go by either spine --- */

static void add_pairs(struct bench *bench)
{
	const char *pairs[][3] = {
		{ "host2", "host4", "host2>leaf1:3>spine1:2>leaf2:2" },
		{ "host1", "host4", "host1>leaf1:4>spine2:2>leaf2:2" },
		{ "host2", "host3", "host2>leaf1:4>spine2:2>leaf2:1" },
	};

	for (uint32_t i = 0; i < 3; i++) {
		bench_flow(
			bench, BENCH_PAIRS, 2 + i, pairs[i][0], pairs[i][1], 4096000, 336000);
		bench_path(bench, BENCH_PAIRS, 2 + i, pairs[i][2]);
	}
}

static struct run_flow *pair(struct bench *bench, const char *src, const char *dst)
{
	for (size_t i = 0; i < bench->flow_count; i++)
		if (bench->flows[i].stage == BENCH_PAIRS &&
			strcmp(bench->flows[i].src, src) == 0 &&
			strcmp(bench->flows[i].dst, dst) == 0)
			return &bench->flows[i];
	fail_msg("no pair %s -> %s", src, dst);
	return NULL;
}

/* --- corruption --- */

static void corrupt(struct bench *bench, const char *src, const char *dst, uint64_t packets)
{
	struct run_flow *flow = pair(bench, src, dst);

	flow->out_of_sequence = flow->naks = flow->packets_resent = packets;
	bench_set(bench, BENCH_PAIRS, dst, C_ICRC_ERRORS, packets);
}

static void corrupt_before_a_nic(struct bench *bench)
{
	add_pairs(bench);
	corrupt(bench, "host1", "host3", 6);
	corrupt(bench, "host2", "host3", 6);
	bench_set(bench, BENCH_PAIRS, "host3", C_ICRC_ERRORS, 12);
}

/* Both links between leaf1 and leaf2 by spine1 carried the same. */
static void corrupt_on_one_of_two_links(struct bench *bench)
{
	add_pairs(bench);
	corrupt(bench, "host1", "host3", 6);
	corrupt(bench, "host2", "host4", 6);
}

static void corrupt_by_no_link_alone(struct bench *bench)
{
	add_pairs(bench);
	corrupt(bench, "host1", "host3", 6);
	corrupt(bench, "host1", "host4", 6);
	corrupt(bench, "host2", "host3", 6);
	corrupt(bench, "host4", "host2", 6);
}

static void corrupt_and_ways_unknown(struct bench *bench)
{
	bench->path_count = 0;
	bench_set(bench, BENCH_PAIRS, "host3", C_ICRC_ERRORS, 10);
}

static void corrupt_a_little_and_ways_unknown(struct bench *bench)
{
	bench->path_count = 0;
	bench_set(bench, BENCH_PAIRS, "host3", C_ICRC_ERRORS, 9);
}

/* --- timeouts --- */

static void hurry(struct bench *bench, const char *src, const char *dst)
{
	struct run_flow *flow = pair(bench, src, dst);

	flow->timeouts = 3;
	flow->packets_resent = 20;
}

static void one_nic_hurries(struct bench *bench)
{
	add_pairs(bench);
	hurry(bench, "host1", "host3");
}

static void one_nic_hurries_twice(struct bench *bench)
{
	one_nic_hurries(bench);
	pair(bench, "host1", "host3")->timeouts = 2;
}

static void two_nics_hurry(struct bench *bench)
{
	one_nic_hurries(bench);
	hurry(bench, "host2", "host4");
}

static void wait_for_what_was_lost(struct bench *bench)
{
	one_nic_hurries(bench);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PACKETS, BENCH_PACKETS - 3);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_PRIO_PACKETS, BENCH_PACKETS - 3);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_RX_DSCP_PACKETS, BENCH_PACKETS - 3);
}

static void wait_while_held(struct bench *bench)
{
	one_nic_hurries(bench);
	bench_set(bench, BENCH_PAIRS, "host1", C_RX_PRIO_PAUSE_US, 2000);
}

/* Half of the NICs that sent, while ports were held. */
static void half_of_all_hurry(struct bench *bench)
{
	add_pairs(bench);
	hurry(bench, "host1", "host3");
	hurry(bench, "host2", "host4");
	bench_set(bench, BENCH_PAIRS, "host1", C_RX_PRIO_PAUSE_US, 2000);
}

static void half_of_all_hurry_behind_a_slow_link(struct bench *bench)
{
	half_of_all_hurry(bench);
	bench_set(bench, BENCH_PAIRS, "leaf2:3", C_TX_PRIO_BUSY_NS, 2 * 1340000);
}

/* --- watchdogs --- */

static void watchdogs_drop(struct bench *bench, const char *one, const char *other)
{
	bench->fabric.policy.watchdog_ns = 50 * NS_PER_US;
	bench_set(bench, BENCH_NOT_ECT, one, C_DROP_WATCHDOG, 70);
	bench_set(bench, BENCH_NOT_ECT, other, C_DROP_WATCHDOG, 70);
}

static void watchdogs_of_half_drop(struct bench *bench)
{
	watchdogs_drop(bench, "leaf1:3", "leaf2:3");
}

static void watchdog_of_one_drops(struct bench *bench)
{
	watchdogs_drop(bench, "leaf1:3", "leaf1:4");
}

/* --- hosts that post nothing --- */

static void post_nothing(struct bench *bench, const char *src, const char *dst)
{
	struct run_flow *flow = pair(bench, src, dst);

	bench->stages[BENCH_PAIRS].status = RUN_PARTIAL;
	bench->stages[BENCH_PAIRS].t1_ns += 10 * NS_PER_MS;
	flow->bytes_posted = flow->bytes_delivered = 0;
	flow->packets_sent = flow->packets_received = 0;
	flow->complete = false;
	flow->end_ns = 0;
}

static void one_host_posts_nothing(struct bench *bench)
{
	post_nothing(bench, "host4", "host2");
}

static void nobody_posts(struct bench *bench)
{
	one_host_posts_nothing(bench);
	post_nothing(bench, "host1", "host3");
}

static void a_packet_was_sent(struct bench *bench)
{
	one_host_posts_nothing(bench);
	pair(bench, "host4", "host2")->packets_sent = 1;
}

/* --- spraying --- */

/* Each port carries what the ways put there. */
static void carry_as_hashed(struct bench *bench)
{
	add_pairs(bench);
	for (uint32_t port = 0; port < bench->fabric.port_count; port++) {
		char name[2 * NAME_BYTES];

		fabric_port_name(&bench->fabric, port, name);
		for (uint32_t stage = 0; stage < 3; stage++) {
			uint64_t packets = 0;

			for (size_t i = 0; i < bench->path_count; i++)
				if (bench->paths[i].stage == stage &&
					strstr(bench->paths[i].ports, name))
					packets += 1000;
			bench_set(bench, stage, name, C_TX_BYTES, packets * BENCH_FRAME);
			bench_set(bench, stage, name, C_TX_PRIO_BUSY_NS, 0);
		}
	}
	/* And something is out of order, which alone is nobody's fault. */
	bench->flows[bench->flow_count - 1].out_of_sequence = 5;
}

static void move(struct bench *bench, const char *from, const char *to)
{
	bench_set(bench, BENCH_PAIRS, from, C_TX_BYTES, 1500 * UINT64_C(4158));
	bench_set(bench, BENCH_PAIRS, to, C_TX_BYTES, 2500 * UINT64_C(4158));
}

static void spray_at_a_leaf(struct bench *bench)
{
	carry_as_hashed(bench);
	move(bench, "leaf1:3", "leaf1:4");
	move(bench, "spine1:2", "spine2:2"); /* which get other packets than they should */
}

static void spray_at_a_spine(struct bench *bench)
{
	carry_as_hashed(bench);
	move(bench, "spine1:2", "spine1:1");
}

static void go_other_ways_in_order(struct bench *bench)
{
	spray_at_a_leaf(bench);
	bench->flows[bench->flow_count - 1].out_of_sequence = 0;
}

/* --- hashing --- */

/* Two pairs of leaf1 with 32 QPs each, so many of them by leaf1:3. */
static void permute(struct bench *bench, uint32_t first)
{
	uint32_t stage = bench_stage(bench, "permutation-1-32qp", LAYER_NONBLOCKING, 0);
	uint64_t one = 4096000;

	bench->stages[stage].variant = 32;
	bench_flow(bench, stage, 0, "host1", "host3", 32 * one, 11000000)->qps = 32;
	bench_flow(bench, stage, 1, "host2", "host4", 32 * one, 11000000)->qps = 32;
	for (uint32_t port = 0; port < bench->fabric.port_count; port++)
		bench_clean_port(bench, stage, port);
	bench_set(bench, stage, "leaf1:3", C_TX_BYTES, first * one);
	bench_set(bench, stage, "leaf1:4", C_TX_BYTES, (64 - first) * one);
	bench_set(bench, stage, "leaf1:3", C_TX_PRIO_BUSY_NS, 0);
	bench_set(bench, stage, "leaf1:4", C_TX_PRIO_BUSY_NS, 0);
}

static void hash_by_pair(struct bench *bench)
{
	for (uint32_t i = 0; i < 5; i++)
		permute(bench, 32);
}

static void hash_evenly_once(struct bench *bench)
{
	permute(bench, 32);
}

static void miss_an_uplink_always(struct bench *bench)
{
	for (uint32_t i = 0; i < 5; i++)
		permute(bench, 0);
}

static void miss_an_uplink_once(struct bench *bench)
{
	permute(bench, 0);
	permute(bench, 30);
}

/* Bytes that were sent twice are no queue pairs. */
static void miss_an_uplink_and_send_again(struct bench *bench)
{
	for (uint32_t i = 0; i < 5; i++) {
		permute(bench, 0);
		bench->flows[bench->flow_count - 1].packets_resent = 1000;
	}
}

static const struct place_case {
	const char *name;
	void (*spoil)(struct bench *bench);
	const char *check, *culprit; /* culprit NULL: the check is silent; "": names nobody */
} cases[] = {
	{ "a port that pauses too early is named where others do not", pause_early_at_a_port,
		"switch.xoff", "leaf2:3" },
	{ "a switch that pauses too early is named", pause_early_at_a_switch, "switch.xoff",
		"leaf2" },
	{ "a pause at the threshold is in order", pause_at_the_threshold, "switch.xoff", NULL },
	{ "a port that marks below kmin is named", mark_early_at_a_port, "switch.ecn-low",
		"leaf1:1" },
	{ "a switch that marks below kmin is named", mark_early_at_a_switch, "switch.ecn-low",
		"leaf1" },
	{ "marks above kmin are in order", mark_above_kmin, "switch.ecn-low", NULL },
	{ "a NIC that sends CNPs in the class of data is named", notify_in_the_class_of_data,
		"nic.cnp-map", "host2" },
	{ "bytes that are not those of its CNPs are no CNPs", send_a_little_more, "nic.cnp-map",
		NULL },
	{ "a NIC that ignores CNPs is named", ignore_notices, "nic.cnp-ignored", "host1" },
	{ "a NIC whose link loses them is not", lose_notices, "nic.cnp-ignored", NULL },
	{ "the link that loses CNPs is named", lose_notices, "link.loss", "host1-leaf1:1" },
	{ "corruption that only a NIC's link explains names it", corrupt_before_a_nic,
		"link.corrupt", "host3-leaf2:1" },
	{ "corruption that two links explain names neither", corrupt_on_one_of_two_links,
		"link.corrupt", "" },
	{ "corruption that no link explains names none", corrupt_by_no_link_alone,
		"link.corrupt", "" },
	{ "ten at one NIC name its link where no way is known", corrupt_and_ways_unknown,
		"link.corrupt", "host3-leaf2:1" },
	{ "nine do not", corrupt_a_little_and_ways_unknown, "link.corrupt", "" },
	{ "the one NIC with timeouts for nothing is named", one_nic_hurries, "nic.timeout",
		"host1" },
	{ "two timeouts are too few", one_nic_hurries_twice, "nic.timeout", NULL },
	{ "one of two is not", two_nics_hurry, "nic.timeout", NULL },
	{ "half of all, and nothing else: the setting is too short", half_of_all_hurry,
		"policy.timeout", "policy.timeout" },
	{ "half of all behind a slow link is not the setting",
		half_of_all_hurry_behind_a_slow_link, "policy.timeout", NULL },
	{ "watchdogs of half of the switches that were held are set too short",
		watchdogs_of_half_drop, "switch.watchdog", "policy.watchdog" },
	{ "the watchdog of one switch is its own", watchdog_of_one_drops, "switch.watchdog",
		"leaf1" },
	{ "a host that posts nothing is named", one_host_posts_nothing, "nic.not-posted",
		"host4" },
	{ "where nobody posts, nobody is", nobody_posts, "nic.not-posted", NULL },
	{ "who has sent has posted", a_packet_was_sent, "nic.not-posted", NULL },
	{ "a timeout after a loss is none for nothing", wait_for_what_was_lost, "nic.timeout",
		NULL },
	{ "nor one while the NIC was held", wait_while_held, "nic.timeout", NULL },
	{ "a few gaps are no spraying", carry_as_hashed, "switch.spray", NULL },
	{ "a leaf that sprays is named", spray_at_a_leaf, "switch.spray", "leaf1" },
	{ "a spine that sprays is named", spray_at_a_spine, "switch.spray", "spine1" },
	{ "other ways without a gap hurt nobody", go_other_ways_in_order, "switch.spray",
		NULL },
	{ "a leaf that keeps pairs together is named", hash_by_pair, "ecmp.by-pair", "leaf1" },
	{ "once is chance", hash_evenly_once, "ecmp.by-pair", NULL },
	{ "an uplink that is always empty is missing", miss_an_uplink_always, "ecmp.missing",
		"leaf1:3" },
	{ "where one uplink gets all, pairs are not kept together", miss_an_uplink_always,
		"ecmp.by-pair", NULL },
	{ "an uplink that another permutation fills is not missing", miss_an_uplink_once,
		"ecmp.missing", NULL },
	{ "where much was sent again, loads are not judged", miss_an_uplink_and_send_again,
		"ecmp.missing", NULL },
};

static void names_whom_it_should(void **state)
{
	const struct place_case *row = *state;
	struct bench *bench = bench_new();
	const struct finding *finding;
	uint32_t of_check = 0;

	row->spoil(bench);
	bench_judge(bench, JUDGE_ALL);
	bench_print(bench);
	finding = bench_find(bench, row->check);
	for (size_t i = 0; i < bench->findings.count; i++)
		of_check += strcmp(bench->findings.items[i].check, row->check) == 0;
	if (row->culprit) {
		assert_non_null(finding);
		assert_int_equal(of_check, 1);
		assert_int_equal(finding->verdict, VERDICT_FAIL);
		assert_string_equal(finding->culprit, row->culprit);
		assert_int_equal(finding->rank, *row->culprit ? RANK_CAUSE : RANK_SYMPTOM);
		assert_true(finding->text[0] && finding->advice[0]);
	} else {
		assert_true(!finding || finding->verdict == VERDICT_PASS);
	}
	bench_free(bench);
}

static void links_that_cannot_be_told_apart_are_both_told(void **state)
{
	struct bench *bench = bench_new();
	const struct finding *finding;

	(void)state;
	corrupt_on_one_of_two_links(bench);
	finding = bench_judged(bench, "link.corrupt", VERDICT_FAIL, "");
	assert_non_null(strstr(finding->text, "leaf1:3-spine1:1 (50 %)"));
	assert_non_null(strstr(finding->text, "leaf2:3-spine1:2 (50 %)"));
	bench_free(bench);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 1] = {
		cmocka_unit_test(links_that_cannot_be_told_apart_are_both_told),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 1] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = names_whom_it_should,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("judge: places", tests, NULL, NULL);
}
