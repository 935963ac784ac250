/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/judge_bench.h"

#include "fabric/stages.h"

static struct run_flow *flow_of(struct bench *bench, uint32_t stage)
{
	for (size_t i = 0; i < bench->flow_count; i++)
		if (bench->flows[i].stage == stage)
			return &bench->flows[i];
	return NULL;
}

/* --- pairs --- */

static void nothing(struct bench *bench)
{
	(void)bench;
}

static void halve_a_pair(struct bench *bench)
{
	flow_of(bench, BENCH_PAIRS)->end_ns += 400000;
}

/* The slow pair's way has a link that the file itself has at half the speed. */
static void halve_a_link_of_the_file(struct bench *bench)
{
	uint32_t link = fabric_find_link(&bench->fabric, "leaf1-spine1");

	bench->fabric.links[link].speed_bps /= 2;
	bench->fabric.limits.oversub_ppb = 2 * PPB;
	bench_fact(bench, "leaf1:3", F_SPEED, "50000000000");
	bench_fact(bench, "spine1:1", F_SPEED, "50000000000");
	flow_of(bench, BENCH_PAIRS)->end_ns += 336000;
}

static void crawl_over_a_slow_link_of_the_file(struct bench *bench)
{
	halve_a_link_of_the_file(bench);
	flow_of(bench, BENCH_PAIRS)->end_ns += 200000;
}

/* Two QPs, and the slow link has one of them: half of the bytes at half the speed. */
static void spread_over_a_slow_link_of_the_file(struct bench *bench)
{
	halve_a_link_of_the_file(bench);
	flow_of(bench, BENCH_PAIRS)->qps = 2;
	bench_path(bench, BENCH_PAIRS, 0, "host1>leaf1:4>spine2:2>leaf2:1");
	bench->paths[bench->path_count - 1].qp = 1;
}

/* Three slow pairs that share nothing but an uplink, beside one good one. */
static void halve_behind_an_uplink(struct bench *bench)
{
	halve_a_pair(bench);
	bench_flow(bench, BENCH_PAIRS, 2, "host2", "host4", 4096000, 900000);
	bench_path(bench, BENCH_PAIRS, 2, "host2>leaf1:3>spine1:2>leaf2:2");
	bench_flow(bench, BENCH_PAIRS, 3, "host1", "host4", 4096000, 336000);
	bench_path(bench, BENCH_PAIRS, 3, "host1>leaf1:4>spine2:2>leaf2:2");
	bench_flow(bench, BENCH_PAIRS, 4, "host2", "host3", 4096000, 336000);
	bench_path(bench, BENCH_PAIRS, 4, "host2>leaf1:4>spine1:2>leaf2:1");
}

static void halve_behind_a_slow_nic(struct bench *bench)
{
	halve_a_pair(bench);
	bench_set(bench, BENCH_PAIRS, "host3", C_TX_PRIO_PAUSE, 40);
	bench_set(bench, BENCH_PAIRS, "host3", C_TX_PRIO_PAUSE_US, 500);
}

/* The slow NIC of another stage explains nothing here. */
static void halve_while_another_stage_pauses(struct bench *bench)
{
	halve_a_pair(bench);
	bench_set(bench, BENCH_ECT, "host3", C_TX_PRIO_PAUSE, 40);
	bench_set(bench, BENCH_ECT, "host3", C_TX_PRIO_PAUSE_US, 500);
}

static void send_too_little(struct bench *bench)
{
	for (size_t i = 0; i < bench->flow_count; i++)
		bench->flows[i].bytes_planned = bench->flows[i].bytes_delivered = 4096;
}

static void stop_in_pairs(struct bench *bench)
{
	bench->stages[BENCH_PAIRS].status = RUN_PARTIAL;
	snprintf(bench->stages[BENCH_PAIRS].reason, sizeof(bench->stages[0].reason),
		"interrupted");
	flow_of(bench, BENCH_PAIRS)->complete = false;
	flow_of(bench, BENCH_PAIRS)->end_ns = 0;
	flow_of(bench, BENCH_PAIRS)->bytes_delivered /= 2;
}

static void miss_the_deadline(struct bench *bench)
{
	struct run_flow *flow = flow_of(bench, BENCH_ECT);

	bench->stages[BENCH_ECT].status = RUN_PARTIAL;
	bench->stages[BENCH_ECT].t1_ns += NS_PER_MS;
	flow->complete = false;
	flow->end_ns = 0;
	flow->bytes_delivered /= 2;
}

static void miss_the_deadline_by_a_slow_nic(struct bench *bench)
{
	miss_the_deadline(bench);
	bench_set(bench, BENCH_ECT, "host3", C_TX_PRIO_PAUSE, 40);
	bench_set(bench, BENCH_ECT, "host3", C_TX_PRIO_PAUSE_US, 500);
}

static void skip_pairs(struct bench *bench)
{
	bench->stages[BENCH_PAIRS].status = RUN_SKIPPED;
	snprintf(bench->stages[BENCH_PAIRS].reason, sizeof(bench->stages[0].reason),
		"plan failed");
}

/* --- loss --- */

static void resend(struct bench *bench)
{
	struct run_flow *flow = flow_of(bench, BENCH_ECT);

	flow->packets_resent = 12;
	flow->naks = 1;
}

static void drop_without_pfc(struct bench *bench)
{
	bench->fabric.policy.pfc = false;
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_BUFFER, 5);
}

static void complain_once(struct bench *bench)
{
	flow_of(bench, BENCH_ECT)->naks = 1;
}

static void resend_behind_a_lossy_link(struct bench *bench)
{
	resend(bench);
	bench_set(bench, BENCH_ECT, "leaf2:3", C_RX_PACKETS, BENCH_PACKETS - 1);
}

static void drop_for_want_of_headroom(struct bench *bench)
{
	bench_set(bench, BENCH_NOT_ECT, "leaf2:3", C_DROP_HEADROOM, 5);
}

/* --- lossless --- */

static void mark_what_may_not_be_marked(struct bench *bench)
{
	flow_of(bench, BENCH_NOT_ECT)->ce_packets = 3;
}

static void pause_before_marking(struct bench *bench)
{
	uint64_t t0 = bench->stages[BENCH_ECT].t0_ns;

	bench_set(bench, BENCH_ECT, "leaf2:3", C_ECN_BEFORE_PFC_NS, t0 + 5000);
	bench_set(bench, BENCH_ECT, "leaf2:3", C_TX_PRIO_PAUSE, 1);
}

static void pause_after_marking(struct bench *bench)
{
	uint64_t t0 = bench->stages[BENCH_ECT].t0_ns;

	bench_set(bench, BENCH_ECT, "leaf2:3", C_ECN_BEFORE_PFC_NS, t0 + 15000);
	bench_set(bench, BENCH_ECT, "leaf2:3", C_TX_PRIO_PAUSE, 1);
}

static void no_marks_under_ect(struct bench *bench)
{
	flow_of(bench, BENCH_ECT)->ce_packets = 0;
}

static void add_victim(struct bench *bench, uint64_t beside_ns)
{
	uint32_t alone = bench_stage(bench, "alone-3-1", LAYER_LOSSLESS, LOSSLESS_ALONE);
	uint32_t beside = bench_stage(bench, "incast-3-ect-9", LAYER_LOSSLESS, LOSSLESS_ECT);

	bench_flow(bench, alone, 0, "host3", "host4", 4096000, 336000)->role = FLOW_VICTIM;
	bench_flow(bench, beside, 0, "host3", "host4", 4096000, beside_ns)->role = FLOW_VICTIM;
	bench->flows[bench->flow_count - 1].ce_packets = 1;
	bench_path(bench, beside, 0, "host3>leaf2:2");
	for (uint32_t port = 0; port < bench->fabric.port_count; port++) {
		bench_clean_port(bench, alone, port);
		bench_clean_port(bench, beside, port);
	}
}

static void spare_a_victim(struct bench *bench)
{
	add_victim(bench, 340000);
}

static void hurt_a_victim(struct bench *bench)
{
	add_victim(bench, 700000);
}

/* --- nonblocking --- */

static void permute(struct bench *bench, const char *way, uint64_t took_ns)
{
	uint32_t stage = bench_stage(bench, "permutation-1-1qp", LAYER_NONBLOCKING, 0);

	bench->stages[stage].variant = 1;
	bench_flow(bench, stage, 0, "host1", "host3", 4096000, took_ns);
	bench_path(bench, stage, 0, "host1>leaf1:3>spine1:2>leaf2:1");
	bench_flow(bench, stage, 1, "host2", "host4", 4096000, took_ns);
	bench_path(bench, stage, 1, way);
	for (uint32_t port = 0; port < bench->fabric.port_count; port++)
		bench_clean_port(bench, stage, port);
}

static void collide_and_share(struct bench *bench)
{
	permute(bench, "host2>leaf1:3>spine1:2>leaf2:2", 700000);
}

static void crawl_after_a_collision(struct bench *bench)
{
	permute(bench, "host2>leaf1:3>spine1:2>leaf2:2", 5000000);
}

static void halve_without_a_collision(struct bench *bench)
{
	permute(bench, "host2>leaf1:4>spine2:2>leaf2:2", 700000);
}

/* Both uplinks are just full, each with one QP of either flow. */
static void permute_too_little(struct bench *bench)
{
	permute(bench, "host2>leaf1:4>spine2:2>leaf2:2", 9000);
	for (size_t i = bench->flow_count - 2; i < bench->flow_count; i++)
		bench->flows[i].bytes_planned = bench->flows[i].bytes_delivered = 245;
}

static void fill_two_uplinks(struct bench *bench)
{
	permute(bench, "host2>leaf1:3>spine1:2>leaf2:2", 420000);
	bench->flows[bench->flow_count - 1].qps = bench->flows[bench->flow_count - 2].qps = 2;
	for (uint32_t flow = 0; flow < 2; flow++) {
		bench_path(bench, BENCH_ECT + 1, flow,
			flow ? "host2>leaf1:4>spine2:2>leaf2:2"
			     : "host1>leaf1:4>spine2:2>leaf2:1");
		bench->paths[bench->path_count - 1].qp = 1;
	}
}

/* --- ecmp: 4 uplink loads of two leaves, in QPs of 1000 packets --- */

static void hash(struct bench *bench, uint32_t qps, uint32_t first)
{
	uint32_t stage = bench_stage(bench, "permutation-1-nqp", LAYER_NONBLOCKING, 0);
	uint64_t all = (uint64_t)qps * 4096000;

	bench->stages[stage].variant = qps;
	bench_flow(bench, stage, 0, "host1", "host3", all, 4000000)->qps = qps;
	for (uint32_t port = 0; port < bench->fabric.port_count; port++)
		bench_clean_port(bench, stage, port);
	bench_set(bench, stage, "leaf1:3", C_TX_BYTES, first * UINT64_C(4096000));
	bench_set(bench, stage, "leaf1:4", C_TX_BYTES, all - first * UINT64_C(4096000));
	bench_set(bench, stage, "leaf1:3", C_TX_PRIO_BUSY_NS, 0);
	bench_set(bench, stage, "leaf1:4", C_TX_PRIO_BUSY_NS, 0);
}

static void hash_as_chance_does(struct bench *bench)
{
	hash(bench, 32, 21);
}

static void hash_with_a_leaning(struct bench *bench)
{
	hash(bench, 200, 170);
}

static void hash_past_an_uplink(struct bench *bench)
{
	hash(bench, 60, 0);
}

static void hash_past_an_uplink_by_chance(struct bench *bench)
{
	hash(bench, 4, 0);
}

/* Three leaves, one of them without its cable to spine3: the others have leaf1:5 and
 * leaf3:5 for what they send to each other alone. */
#define UNLIKE_TEXT                                                                            \
	"leaves: 3\nspines: 3\nhosts_per_leaf: 2\nspeed: 100G\n"                               \
	"links: [{link: leaf2-spine3, absent: yes}]\n"

/* QPs of 1000 packets from leaf1, and how many of them its three uplinks carried. */
static struct bench *hash_unlike(uint32_t to_leaf2, uint32_t to_leaf3, const uint32_t *carried)
{
	struct bench *bench = bench_empty(UNLIKE_TEXT);
	uint32_t stage = bench_stage(bench, "permutation-1-nqp", LAYER_NONBLOCKING, 0);
	const char *ports[] = { "leaf1:3", "leaf1:4", "leaf1:5" };

	bench->stages[stage].variant = to_leaf2 + to_leaf3;
	if (to_leaf2)
		bench_flow(bench, stage, 0, "host1", "host3", to_leaf2 * UINT64_C(4096000),
			4000000)
			->qps = to_leaf2;
	if (to_leaf3)
		bench_flow(bench, stage, 1, "host2", "host5", to_leaf3 * UINT64_C(4096000),
			4000000)
			->qps = to_leaf3;
	for (size_t i = 0; i < COUNT_OF(ports); i++)
		bench_set(bench, stage, ports[i], C_TX_BYTES, carried[i] * UINT64_C(4096000));
	bench_judge(bench, JUDGE_LAYER(LAYER_NONBLOCKING));
	bench_print(bench);
	return bench;
}

static void an_uplink_in_no_group_is_asked_for_nothing(void **state)
{
	const uint32_t carried[] = { 30, 34, 0 };
	struct bench *bench = hash_unlike(64, 0, carried);

	(void)state;
	assert_null(bench_find(bench, "ecmp.missing"));
	assert_null(bench_find(bench, "ecmp.balance"));
	assert_int_equal(bench_find(bench, "ecmp.spread")->verdict, VERDICT_PASS);
	bench_free(bench);
}

/* 300 QPs over two uplinks and 40 over three: 163.3, 163.3 and 13.3 are expected, far
 * from 113.3 each. */
static void an_uplink_is_asked_for_what_its_groups_expect(void **state)
{
	const uint32_t carried[] = { 160, 167, 13 };
	struct bench *bench = hash_unlike(300, 40, carried);

	(void)state;
	assert_null(bench_find(bench, "ecmp.missing"));
	assert_null(bench_find(bench, "ecmp.balance"));
	assert_int_equal(bench_find(bench, "ecmp.spread")->verdict, VERDICT_PASS);
	bench_free(bench);
}

static void an_uplink_of_one_group_is_missed_there(void **state)
{
	const uint32_t carried[] = { 64, 64, 0 };
	struct bench *bench = hash_unlike(64, 64, carried);
	const struct finding *finding = bench_find(bench, "ecmp.missing");

	(void)state;
	assert_non_null(finding);
	assert_string_equal(finding->culprit, "leaf1:5");
	assert_non_null(strstr(finding->text, "none of 64 QPs"));
	bench_free(bench);
}

/* --- burst --- */

static void burst(struct bench *bench)
{
	uint32_t stage = bench_stage(bench, "burst-1-gap1", LAYER_BURST, 0);

	bench_flow(bench, stage, 0, "host1", "host3", 65536, 10000);
	bench_set(bench, stage, "leaf2:1", C_QUEUE_PEAK, 123456);
}

static const struct judge_case {
	const char *name;
	void (*spoil)(struct bench *);
	const char *check;
	enum verdict verdict;
	enum culprit_kind kind;
	const char *culprit;
} cases[] = {
	{ "pairs at the ceiling pass", nothing, "pairs.bandwidth", VERDICT_PASS, CULPRIT_NONE,
		"" },
	{ "one slow pair alone has no place", halve_a_pair, "pairs.bandwidth", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "a link that the file has slower is the ceiling of its pairs",
		halve_a_link_of_the_file, "pairs.bandwidth", VERDICT_PASS, CULPRIT_NONE, "" },
	{ "a pair below the ceiling of a slow link fails", crawl_over_a_slow_link_of_the_file,
		"pairs.bandwidth", VERDICT_FAIL, CULPRIT_UNLOCATED, "" },
	{ "a slow link counts with its part of the QPs alone",
		spread_over_a_slow_link_of_the_file, "pairs.bandwidth", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "slow pairs with one link in common name it", halve_behind_an_uplink,
		"pairs.bandwidth", VERDICT_FAIL, CULPRIT_LINK, "leaf1:3-spine1:1" },
	{ "a slow pair is laid to the NIC that paused", halve_behind_a_slow_nic,
		"pairs.bandwidth", VERDICT_FAIL, CULPRIT_NIC, "host3" },
	{ "a cause of another stage explains nothing", halve_while_another_stage_pauses,
		"pairs.bandwidth", VERDICT_FAIL, CULPRIT_UNLOCATED, "" },
	{ "pairs too short to judge are unknown", send_too_little, "pairs.bandwidth",
		VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "pairs that were interrupted are unknown", stop_in_pairs, "pairs.bandwidth",
		VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "an interrupted stage is told of", stop_in_pairs, "stage.partial", VERDICT_UNKNOWN,
		CULPRIT_NONE, "" },
	{ "a deadline missed for no known reason is unknown", miss_the_deadline,
		"stage.incomplete", VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "a deadline missed for a slow NIC fails", miss_the_deadline_by_a_slow_nic,
		"stage.incomplete", VERDICT_FAIL, CULPRIT_NIC, "host3" },
	{ "a skipped stage is left out, with its reason", skip_pairs, "stage.skipped",
		VERDICT_PASS, CULPRIT_NONE, "" },
	{ "nothing was lost", nothing, "lossless.loss", VERDICT_PASS, CULPRIT_NONE, "" },
	{ "packets sent again fail", resend, "lossless.loss", VERDICT_FAIL, CULPRIT_UNLOCATED,
		"" },
	{ "drops where the file has no PFC are laid to that", drop_without_pfc, "lossless.loss",
		VERDICT_FAIL, CULPRIT_SETTING, "policy.pfc" },
	{ "one NAK fails", complain_once, "lossless.loss", VERDICT_FAIL, CULPRIT_UNLOCATED,
		"" },
	{ "packets sent again are laid to the lossy link", resend_behind_a_lossy_link,
		"lossless.loss", VERDICT_FAIL, CULPRIT_LINK, "leaf2:3-spine1:2" },
	{ "drops are laid to the link whose headroom overflowed", drop_for_want_of_headroom,
		"lossless.loss", VERDICT_FAIL, CULPRIT_LINK, "leaf2:3-spine1:2" },
	{ "a marked Not-ECT packet fails", mark_what_may_not_be_marked, "lossless.not-ect",
		VERDICT_FAIL, CULPRIT_UNLOCATED, "" },
	{ "pause before marking fails", pause_before_marking, "lossless.ecn-first",
		VERDICT_FAIL, CULPRIT_SETTING, "policy.ecn.kmin" },
	{ "pause after marking passes", pause_after_marking, "lossless.ecn-first", VERDICT_PASS,
		CULPRIT_NONE, "" },
	{ "no mark under ECN-capable incast is unknown", no_marks_under_ect, "lossless.table",
		VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "a victim that keeps its rate passes", spare_a_victim, "lossless.victim",
		VERDICT_PASS, CULPRIT_NONE, "" },
	{ "a victim that loses half fails", hurt_a_victim, "lossless.victim", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "two flows that share a link at its half pass", collide_and_share,
		"nonblocking.bandwidth", VERDICT_PASS, CULPRIT_NONE, "" },
	{ "two flows that crawl after a collision fail", crawl_after_a_collision,
		"nonblocking.bandwidth", VERDICT_FAIL, CULPRIT_UNLOCATED, "" },
	{ "half a rate on a way of one's own fails", halve_without_a_collision,
		"nonblocking.unshared", VERDICT_FAIL, CULPRIT_UNLOCATED, "" },
	{ "permutations too short to judge are unknown", permute_too_little,
		"nonblocking.bandwidth", VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "flows that share links which are just full are not alone", fill_two_uplinks,
		"nonblocking.bandwidth", VERDICT_PASS, CULPRIT_NONE, "" },
	{ "21 of 32 on one of two uplinks is chance", hash_as_chance_does, "ecmp.spread",
		VERDICT_PASS, CULPRIT_NONE, "" },
	{ "170 of 200 on one of two uplinks is not", hash_with_a_leaning, "ecmp.balance",
		VERDICT_FAIL, CULPRIT_SWITCH, "leaf1" },
	{ "an uplink that 60 QPs missed is named", hash_past_an_uplink, "ecmp.missing",
		VERDICT_FAIL, CULPRIT_PORT, "leaf1:3" },
	{ "an uplink that 4 QPs missed is chance", hash_past_an_uplink_by_chance, "ecmp.spread",
		VERDICT_PASS, CULPRIT_NONE, "" },
	{ "bursts are told of", burst, "burst.onset", VERDICT_PASS, CULPRIT_NONE, "" },
};

static void judged_as_it_should(void **state)
{
	const struct judge_case *row = *state;
	struct bench *bench = bench_new();
	const struct finding *finding;

	row->spoil(bench);
	finding = bench_judged(bench, row->check, row->verdict, row->culprit);
	assert_int_equal(finding->culprit_kind, row->kind);
	assert_true(finding->text[0]);
	bench_free(bench);
}

static void a_share_lowered_by_the_file_says_where_it_comes_from(void **state)
{
	struct bench *bench = bench_new();
	const struct finding *finding;

	(void)state;
	collide_and_share(bench);
	bench->fabric.limits.bandwidth_ppb = PPB / 5;
	bench_judge(bench, JUDGE_ALL);
	finding = bench_find(bench, "nonblocking.bandwidth");
	assert_non_null(strstr(finding->limit_source, "limits.bandwidth"));
	bench_free(bench);
}

static void slow_links_are_told_of_in_their_unit(void **state)
{
	struct bench *bench = bench_new();
	const struct finding *finding;

	(void)state;
	for (uint32_t link = 0; link < bench->fabric.link_count; link++)
		bench->fabric.links[link].speed_bps = 100000000;
	bench->fabric.limits.oversub_ppb = PPB / 2;
	for (size_t i = 0; i < bench->flow_count; i++)
		bench->flows[i].end_ns = bench->flows[i].start_ns + 336000000;
	bench_judge(bench, JUDGE_ALL);
	finding = bench_find(bench, "plan.oversubscription");
	assert_non_null(finding);
	assert_non_null(strstr(finding->text, "has 200 Mb/s to hosts and 200 Mb/s of uplinks"));
	finding = bench_find(bench, "pairs.bandwidth");
	assert_non_null(finding);
	assert_non_null(strstr(finding->text, ", 97.5 Mb/s of payload"));
	bench_free(bench);
}

/* Two flows to one NIC, one half as fast as the other. */
static void fairness_is_told_of_flows_that_ran_for_20_ms(void **state)
{
	const uint64_t fast_ns[] = { NS_PER_MS, 15 * NS_PER_MS };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(fast_ns); i++) {
		struct bench *bench = bench_new();
		const struct finding *finding;

		flow_of(bench, BENCH_ECT)->end_ns =
			flow_of(bench, BENCH_ECT)->start_ns + fast_ns[i];
		bench_flow(bench, BENCH_ECT, 1, "host2", "host3", 4096000, 2 * fast_ns[i]);
		bench_path(bench, BENCH_ECT, 1, "host2>leaf1:4>spine2:2>leaf2:1");
		bench_judge(bench, JUDGE_ALL);
		finding = bench_find(bench, "lossless.fairness");
		if (i == 0) {
			assert_null(finding);
		} else {
			assert_non_null(finding);
			assert_int_equal(finding->verdict, VERDICT_WARN);
			assert_non_null(strstr(finding->text, "1 of 1 incasts"));
		}
		bench_free(bench);
	}
}

static void a_layer_asked_alone_tells_of_no_other(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	resend(bench);
	bench_judge(bench, JUDGE_LAYER(LAYER_PAIRS));
	bench_print(bench);
	assert_int_equal(findings_verdict(&bench->findings), VERDICT_PASS);
	assert_null(bench_find(bench, "lossless.table"));
	assert_non_null(bench_find(bench, "pairs.bandwidth"));
	bench_free(bench);
}

/* Three faults at once: each is named as a cause, before all symptoms. */
static void several_causes_are_all_named(void **state)
{
	struct bench *bench = bench_new();
	const char *wanted[] = { "nic.slow-receiver", "switch.ecn-off", "link.loss" };

	(void)state;
	halve_behind_a_slow_nic(bench);
	resend_behind_a_lossy_link(bench);
	bench_set(bench, BENCH_ECT, "leaf1:1", C_ECN_MARKED, 0);
	bench_judge(bench, JUDGE_ALL);
	bench_print(bench);
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		assert_string_equal(bench->findings.items[i].check, wanted[i]);
		assert_int_equal(bench->findings.items[i].rank, RANK_CAUSE);
	}
	bench_free(bench);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 8] = {
		cmocka_unit_test(an_uplink_in_no_group_is_asked_for_nothing),
		cmocka_unit_test(an_uplink_is_asked_for_what_its_groups_expect),
		cmocka_unit_test(an_uplink_of_one_group_is_missed_there),
		cmocka_unit_test(a_layer_asked_alone_tells_of_no_other),
		cmocka_unit_test(a_share_lowered_by_the_file_says_where_it_comes_from),
		cmocka_unit_test(several_causes_are_all_named),
		cmocka_unit_test(slow_links_are_told_of_in_their_unit),
		cmocka_unit_test(fairness_is_told_of_flows_that_ran_for_20_ms),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 8] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = judged_as_it_should,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("judge: symptoms", tests, NULL, NULL);
}
