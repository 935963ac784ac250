/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of real NICs, in which switches tell nothing and the ways of QPs are not known. */
#include "tests/unit/judge_live_bench.h"

#define PROMISE_TEXT BENCH_TEXT "uplink_speed: 200G\nproof: hosts\n"

static void what_hosts_can_prove_passes_with_a_warning(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	assert_int_equal(judge(bench), VERDICT_WARN);
	assert_int_equal(bench_find(bench, "scope.not-measured")->verdict, VERDICT_WARN);
	assert_int_equal(bench_find(bench, "lossless.loss")->verdict, VERDICT_PASS);
	assert_null(bench_find(bench, "scope.pfc"));
	bench_free(bench);
}

static void a_promise_that_only_switches_keep_is_unknown(void **state)
{
	struct bench *bench = pairs(PROMISE_TEXT);

	(void)state;
	assert_int_equal(judge(bench), VERDICT_UNKNOWN);
	assert_int_equal(bench_find(bench, "scope.pfc")->verdict, VERDICT_UNKNOWN);
	assert_int_equal(bench_find(bench, "scope.ecn")->verdict, VERDICT_UNKNOWN);
	bench_free(bench);
}

static void what_is_not_measured_is_unknown_unless_the_file_asks_for_less(void **state)
{
	struct bench *bench = pairs(BENCH_TEXT);

	(void)state;
	assert_int_equal(judge(bench), VERDICT_UNKNOWN);
	assert_int_equal(bench_find(bench, "scope.not-measured")->verdict, VERDICT_UNKNOWN);
	bench_free(bench);
}

static void nics_that_tell_no_losses_prove_none(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	bench_absent(bench, C_OUT_OF_SEQUENCE);
	bench_absent(bench, C_PACKET_SEQ_ERR);
	bench_absent(bench, C_ACK_TIMEOUT);
	assert_int_equal(judge(bench), VERDICT_UNKNOWN);
	assert_int_equal(bench_find(bench, "lossless.loss")->verdict, VERDICT_UNKNOWN);
	bench_free(bench);
}

static void one_nic_that_tells_no_losses_proves_none_of_it(void **state)
{
	static const char *const names[] = { C_PACKET_SEQ_ERR, C_ACK_TIMEOUT };
	const struct finding *finding;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct bench *bench = pairs(HOSTS_TEXT);

		bench_reset(bench, 1, "host3", names[i]);
		assert_int_equal(judge(bench), VERDICT_UNKNOWN);
		finding = bench_find(bench, "lossless.loss");
		assert_int_equal(finding->verdict, VERDICT_UNKNOWN);
		assert_non_null(strstr(finding->text, "NIC host3 did not tell"));
		bench_free(bench);
	}
}

static void what_is_sent_again_before_its_timeout_fails(void **state)
{
	static const char *const names[] = { C_ADP_RETRANS, C_ADP_TIMEOUT, C_IMPLIED_NAK };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct bench *bench = pairs(HOSTS_TEXT);

		bench_set(bench, 1, "host3", names[i], 2);
		assert_int_equal(judge(bench), VERDICT_FAIL);
		assert_int_equal(bench_find(bench, "lossless.loss")->verdict, VERDICT_FAIL);
		bench_free(bench);
	}
}

static void a_loss_that_only_a_nic_tells_of_fails(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	bench_set(bench, 1, "host3", C_OUT_OF_SEQUENCE, 2);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_int_equal(bench_find(bench, "lossless.loss")->verdict, VERDICT_FAIL);
	bench_free(bench);
}

/* --- with which class datagrams arrive --- */

static void remark(struct bench *bench, uint32_t stage, uint32_t from, uint64_t right)
{
	bench_set(bench, stage, hosts[from], C_PROBES_RIGHT, right);
	bench_set(bench, stage, hosts[from], C_PROBES_WRONG_DSCP, 0);
}

static void datagrams_that_arrive_in_their_class_prove_it(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	const struct finding *finding;

	(void)state;
	judge(bench);
	finding = bench_find(bench, "class.arrival");
	assert_int_equal(finding->verdict, VERDICT_PASS);
	assert_non_null(strstr(finding->text, "48 datagrams of 4 of 4 NICs"));
	bench_free(bench);
}

static void a_nic_of_which_no_datagram_arrives_is_not_proven(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	for (uint32_t stage = 0; stage < 3; stage++) {
		bench_set(bench, stage, "host2", C_PROBES_ARRIVED, 0);
		bench_set(bench, stage, "host2", C_PROBES_RIGHT, 0);
	}
	assert_int_equal(judge(bench), VERDICT_UNKNOWN);
	assert_int_equal(bench_find(bench, "class.arrival")->verdict, VERDICT_UNKNOWN);
	bench_free(bench);
}

static void datagrams_that_are_lost_say_nothing_of_their_class(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	bench_set(bench, 0, "host2", C_PROBES_ARRIVED, 0);
	bench_set(bench, 0, "host2", C_PROBES_RIGHT, 0);
	judge(bench);
	assert_int_equal(bench_find(bench, "class.arrival")->verdict, VERDICT_PASS);
	bench_free(bench);
}

static void a_nic_of_which_all_datagrams_come_in_another_class_is_named(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	const struct finding *finding;

	(void)state;
	for (uint32_t stage = 0; stage < 3; stage++)
		remark(bench, stage, 1, 0);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	finding = bench_find(bench, "nic.dscp-map");
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	assert_string_equal(finding->culprit, "host2");
	assert_null(bench_find(bench, "class.arrival"));
	bench_free(bench);
}

static void another_class_at_one_receiver_names_its_link(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	const struct finding *finding;

	(void)state;
	for (uint32_t shift = 1; shift < 4; shift++)
		remark(bench, shift - 1, (2 + 4 - shift) % 4, 0); /* to host3 */
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_null(bench_find(bench, "nic.dscp-map"));
	finding = bench_find(bench, "class.arrival");
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	assert_string_equal(finding->culprit, "host3-leaf2:1");
	bench_free(bench);
}

static void another_class_on_some_ways_names_the_leaves(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	const struct finding *finding;

	(void)state;
	remark(bench, 0, 1, 2); /* host2 to host3 */
	remark(bench, 1, 0, 3); /* host1 to host3 */
	remark(bench, 1, 1, 3); /* host2 to host4 */
	remark(bench, 2, 0, 2); /* host1 to host4 */
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_null(bench_find(bench, "nic.dscp-map"));
	finding = bench_find(bench, "class.arrival");
	assert_string_equal(finding->culprit, "pairs from leaf1 to leaf2");
	assert_non_null(strstr(finding->text, "6 of 48 datagrams"));
	bench_free(bench);
}

/* --- payload --- */

static void payload_that_was_compared_passes(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	const struct finding *finding;

	(void)state;
	judge(bench);
	finding = bench_find(bench, "payload.check");
	assert_int_equal(finding->verdict, VERDICT_PASS);
	assert_non_null(strstr(finding->text, "0 of 120 messages"));
	bench_free(bench);
}

static void payload_that_nobody_compared_is_unknown(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	bench_absent(bench, C_PAYLOAD_CHECKED);
	bench_absent(bench, C_PAYLOAD_CORRUPT);
	assert_int_equal(judge(bench), VERDICT_UNKNOWN);
	assert_int_equal(bench_find(bench, "payload.check")->verdict, VERDICT_UNKNOWN);
	bench_free(bench);
}

static void payload_that_comes_in_wrong_at_a_host_names_its_link(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	for (uint32_t stage = 0; stage < 3; stage++)
		bench_set(bench, stage, "host3", C_PAYLOAD_CORRUPT, 1);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(bench_find(bench, "payload.check")->culprit, "host3-leaf2:1");
	bench_free(bench);
}

/* --- sums of a ring --- */

static struct bench *ring(void)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	uint32_t id = bench_stage(bench, "ring", LAYER_RING, 0);
	struct plan_ring *plan;

	for (uint32_t i = 0; i < bench->stage_count; i++) {
		plan_add(&bench->plan, bench->stages[i].layer);
		snprintf(bench->plan.stages[i].name, sizeof(bench->plan.stages[i].name), "%s",
			bench->stages[i].name);
	}
	plan = &bench->plan.stages[id].ring;
	*plan = (struct plan_ring){ calloc(4, sizeof(uint32_t)), 4, 1, 4096, 4, 2, 0 };
	for (uint32_t rank = 0; rank < 4; rank++) {
		plan->nics[rank] = rank;
		bench_flow(
			bench, id, rank, hosts[rank], hosts[(rank + 1) % 4], 2 * 6 * 1024, 1);
		bench_set(bench, id, hosts[rank], C_RING_CHECKED, 12);
		bench_set(bench, id, hosts[rank], C_RING_WRONG, 0);
	}
	return bench;
}

static void sums_that_were_all_compared_pass(void **state)
{
	struct bench *bench = ring();

	(void)state;
	bench_judge(bench, JUDGE_ALL);
	assert_int_equal(bench_find(bench, "ring.sums")->verdict, VERDICT_PASS);
	bench_free(bench);
}

static void sums_that_were_not_compared_are_unknown(void **state)
{
	struct bench *bench = ring();

	(void)state;
	bench_set(bench, 3, "host2", C_RING_CHECKED, 11);
	bench_judge(bench, JUDGE_ALL);
	assert_int_equal(bench_find(bench, "ring.sums")->verdict, VERDICT_UNKNOWN);
	bench_free(bench);
}

static void the_first_wrong_chunk_names_rank_step_and_chunk(void **state)
{
	struct bench *bench = ring();
	const struct finding *finding;

	(void)state;
	bench_set(bench, 3, "host2", C_RING_WRONG, 3);
	bench_set(bench, 3, "host2", C_RING_WRONG_STEP, 9);
	bench_set(bench, 3, "host2", C_RING_WRONG_CHUNK, 1);
	bench_set(bench, 3, "host3", C_RING_WRONG, 1);
	bench_set(bench, 3, "host3", C_RING_WRONG_STEP, 7);
	bench_set(bench, 3, "host3", C_RING_WRONG_CHUNK, 2);
	bench_judge(bench, JUDGE_ALL);
	finding = bench_find(bench, "ring.sums");
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	assert_string_equal(finding->culprit, "host3");
	assert_non_null(
		strstr(finding->text, "chunk 2 came in wrong in step 2 of all-reduce 2"));
	bench_free(bench);
}

/* Nobody got further than half, and of some edges an end was not answered. */
static const struct finding *given_up(const char *edges, struct bench **out)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	uint32_t id = bench_stage(bench, "ring", LAYER_RING, 0);

	bench->stages[id].status = RUN_PARTIAL;
	snprintf(bench->stages[id].reason, sizeof(bench->stages[id].reason),
		"rank 1, host2: 10.1.1.2 does not acknowledge rank 1");
	for (uint32_t rank = 0; rank < 4; rank++) {
		struct run_flow *flow;

		bench_flow(bench, id, rank, hosts[rank], hosts[(rank + 1) % 4], 4096000, 1);
		flow = &bench->flows[bench->flow_count - 1];
		flow->complete = false;
		flow->end_ns = 0;
		flow->bytes_delivered = 2048000;
		flow->qp_error = edges[rank] == 'x';
		bench_set(bench, id, hosts[rank], C_OUT_OF_SEQUENCE, 0);
		bench_set(bench, id, hosts[rank], C_PACKET_SEQ_ERR, 0);
		bench_set(bench, id, hosts[rank], C_ACK_TIMEOUT, 0);
	}
	bench_judge(bench, JUDGE_ALL);
	*out = bench;
	return bench_find(bench, "lossless.loss");
}

/* host1 and host2 are on one leaf, host3 and host4 on the other. */
static void an_edge_of_a_ring_that_gave_up_names_no_link_of_others(void **state)
{
	static const struct {
		const char *edges, *culprit;
		enum verdict verdict;
	} cases[] = {
		{ "-x--", "pairs from leaf1 to leaf2", VERDICT_FAIL },
		{ "xx--", "host2-leaf1:2", VERDICT_FAIL },
		{ "----", "", VERDICT_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench *bench;
		const struct finding *finding = given_up(cases[i].edges, &bench);

		assert_int_equal(finding->verdict, cases[i].verdict);
		assert_string_equal(finding->culprit, cases[i].culprit);
		bench_free(bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_hosts_can_prove_passes_with_a_warning),
		cmocka_unit_test(a_promise_that_only_switches_keep_is_unknown),
		cmocka_unit_test(what_is_not_measured_is_unknown_unless_the_file_asks_for_less),
		cmocka_unit_test(nics_that_tell_no_losses_prove_none),
		cmocka_unit_test(one_nic_that_tells_no_losses_proves_none_of_it),
		cmocka_unit_test(what_is_sent_again_before_its_timeout_fails),
		cmocka_unit_test(a_loss_that_only_a_nic_tells_of_fails),
		cmocka_unit_test(datagrams_that_arrive_in_their_class_prove_it),
		cmocka_unit_test(a_nic_of_which_no_datagram_arrives_is_not_proven),
		cmocka_unit_test(datagrams_that_are_lost_say_nothing_of_their_class),
		cmocka_unit_test(a_nic_of_which_all_datagrams_come_in_another_class_is_named),
		cmocka_unit_test(another_class_at_one_receiver_names_its_link),
		cmocka_unit_test(another_class_on_some_ways_names_the_leaves),
		cmocka_unit_test(payload_that_was_compared_passes),
		cmocka_unit_test(payload_that_nobody_compared_is_unknown),
		cmocka_unit_test(payload_that_comes_in_wrong_at_a_host_names_its_link),
		cmocka_unit_test(sums_that_were_all_compared_pass),
		cmocka_unit_test(sums_that_were_not_compared_are_unknown),
		cmocka_unit_test(the_first_wrong_chunk_names_rank_step_and_chunk),
		cmocka_unit_test(an_edge_of_a_ring_that_gave_up_names_no_link_of_others),
	};

	return cmocka_run_group_tests_name("judge_live", tests, NULL, NULL);
}
