/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the judges name when the ways of QPs are not known: the link of a NIC, a pair, or the
 * leaves between which most flows suffer. */
#include "tests/unit/judge_live_bench.h"

static void spoil(struct bench *bench, bool (*is)(const struct run_flow *flow))
{
	for (size_t i = 0; i < bench->flow_count; i++)
		if (is(&bench->flows[i]))
			bench->flows[i].end_ns += 900000;
}

static bool to_host3(const struct run_flow *flow)
{
	return strcmp(flow->dst, "host3") == 0;
}

static void flows_that_end_at_a_host_name_its_link(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	spoil(bench, to_host3);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(bench_find(bench, "pairs.bandwidth")->culprit, "host3-leaf2:1");
	bench_free(bench);
}

static bool from_leaf1_to_leaf2(const struct run_flow *flow)
{
	return strcmp(flow->src, "host3") < 0 && strcmp(flow->dst, "host2") > 0;
}

static void flows_between_two_leaves_name_these(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	spoil(bench, from_leaf1_to_leaf2);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		bench_find(bench, "pairs.bandwidth")->culprit, "pairs from leaf1 to leaf2");
	bench_free(bench);
}

static bool between_leaves(const struct run_flow *flow)
{
	return (strcmp(flow->src, "host3") < 0) != (strcmp(flow->dst, "host3") < 0);
}

static void flows_both_ways_between_two_leaves_name_both(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	spoil(bench, between_leaves);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		bench_find(bench, "pairs.bandwidth")->culprit, "pairs between leaf1 and leaf2");
	bench_free(bench);
}

/* host1 and host2 to host3, which has lost something of both: all that there is of the layer. */
static struct bench *incast(void)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	uint32_t stage = bench_stage(bench, "incast", LAYER_LOSSLESS, 0);

	for (uint32_t i = 0; i < 2; i++) {
		bench_flow(bench, stage, i, hosts[i], "host3", 4096000, 336000);
		bench->flows[bench->flow_count - 1].timeouts = 1;
		bench_set(bench, stage, hosts[i], C_ACK_TIMEOUT, 1);
	}
	return bench;
}

/* Of the findings of a check, the one of a layer. */
static const char *culprit_of(const struct bench *bench, const char *check, const char *layer)
{
	for (size_t i = 0; i < bench->findings.count; i++) {
		const struct finding *finding = &bench->findings.items[i];

		if (strcmp(finding->check, check) == 0 && strcmp(finding->layer, layer) == 0)
			return finding->culprit;
	}
	return "";
}

static void one_target_of_flows_across_leaves_is_no_proof_against_its_link(void **state)
{
	struct bench *bench = incast();

	(void)state;
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		culprit_of(bench, "lossless.loss", "lossless"), "pairs from leaf1 to leaf2");
	bench_free(bench);
}

/* Three bursts, in which all that host1 sends takes the bad way, and what host2 sends does
 * not. */
static void a_few_flows_across_leaves_are_no_proof_either(void **state)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t stage = bench_stage(bench, "burst", LAYER_BURST, i);

		bench_flow(bench, stage, 0, "host1", "host3", 4096000, 336000);
		bench->flows[bench->flow_count - 1].timeouts = 1;
		bench_flow(bench, stage, 1, "host2", "host3", 4096000, 336000);
		bench_set(bench, stage, "host1", C_ACK_TIMEOUT, 1);
	}
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		culprit_of(bench, "lossless.loss", "burst"), "pairs from leaf1 to leaf2");
	bench_free(bench);
}

static void unless_others_have_named_it(void **state)
{
	struct bench *bench = incast();

	(void)state;
	spoil(bench, to_host3);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(culprit_of(bench, "lossless.loss", "lossless"), "host3-leaf2:1");
	bench_free(bench);
}

/* A layer in which host1 and host3 have no other partner than each other, and suffer. */
static struct bench *partners(void)
{
	struct bench *bench = pairs(HOSTS_TEXT);
	uint32_t stage = bench_stage(bench, "permutation", LAYER_NONBLOCKING, 0);

	for (uint32_t i = 0; i < 4; i++) {
		bench_flow(bench, stage, i, hosts[i], hosts[(i + 2) % 4], 4096000, 336000);
		bench->flows[bench->flow_count - 1].timeouts = i % 2 == 0;
		bench_set(bench, stage, hosts[i], C_ACK_TIMEOUT, i % 2 == 0);
	}
	return bench;
}

static void two_that_nothing_tells_apart_are_both_named(void **state)
{
	struct bench *bench = partners();

	(void)state;
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		culprit_of(bench, "lossless.loss", "nonblocking"), "pair of host1 and host3");
	bench_free(bench);
}

static void unless_others_have_named_one_of_them(void **state)
{
	struct bench *bench = partners();

	(void)state;
	spoil(bench, to_host3);
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(culprit_of(bench, "lossless.loss", "nonblocking"), "host3-leaf2:1");
	bench_free(bench);
}

/* Each NIC has one partner inside its leaf and one across; what host3 does with both is slow. */
static struct bench *two_partners(void)
{
	static const struct {
		const char *src, *dst;
	} flows[] = {
		{ "host1", "host2" },
		{ "host2", "host1" },
		{ "host3", "host4" },
		{ "host4", "host3" },
		{ "host1", "host4" },
		{ "host4", "host1" },
		{ "host2", "host3" },
		{ "host3", "host2" },
	};
	struct bench *bench = pairs(HOSTS_TEXT);

	bench->flow_count = 0;
	bench->stages[2].variant = PAIRS_CROSS;
	for (uint32_t i = 0; i < 8; i++) {
		bench_flow(
			bench, 1 + i / 4, i % 4, flows[i].src, flows[i].dst, 4096000, 336000);
		if (strcmp(flows[i].src, "host3") == 0 || strcmp(flows[i].dst, "host3") == 0)
			bench->flows[bench->flow_count - 1].end_ns += 900000;
	}
	return bench;
}

static void two_pairs_name_the_one_that_is_in_both(void **state)
{
	struct bench *bench = two_partners();
	unsigned found = 0;

	(void)state;
	assert_int_equal(judge(bench), VERDICT_FAIL);
	for (size_t i = 0; i < bench->findings.count; i++) {
		const struct finding *finding = &bench->findings.items[i];

		if (strcmp(finding->check, "pairs.bandwidth") != 0)
			continue;
		assert_int_equal(finding->verdict, VERDICT_FAIL);
		assert_string_equal(finding->culprit, "host3-leaf2:1");
		found++;
	}
	assert_int_equal(found, 2);
	bench_free(bench);
}

/* A gap at host4 of what host1 sent; and what host3 sent, host1 has had twice: what was lost
 * then is an acknowledgement, from leaf1 to leaf2 as well. */
static struct bench *one_loss_each_way(uint64_t repeated)
{
	struct bench *bench = pairs(HOSTS_TEXT);

	bench_set(bench, 1, "host3", C_ACK_TIMEOUT, 1);
	bench_set(bench, 1, "host1", C_DUPLICATE, repeated);
	bench_set(bench, 2, "host4", C_OUT_OF_SEQUENCE, 1);
	for (size_t i = 0; i < bench->flow_count; i++) {
		struct run_flow *flow = &bench->flows[i];

		flow->timeouts = flow->stage == 1 && strcmp(flow->src, "host3") == 0;
		flow->out_of_sequence = flow->stage == 2 && strcmp(flow->dst, "host4") == 0;
	}
	return bench;
}

static void a_lost_acknowledgement_is_lost_on_the_way_back(void **state)
{
	struct bench *bench = one_loss_each_way(1);

	(void)state;
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		bench_find(bench, "lossless.loss")->culprit, "pairs from leaf1 to leaf2");
	bench_free(bench);
}

static void a_retry_of_what_never_arrived_is_no_lost_acknowledgement(void **state)
{
	struct bench *bench = one_loss_each_way(0);

	(void)state;
	assert_int_equal(judge(bench), VERDICT_FAIL);
	assert_string_equal(
		bench_find(bench, "lossless.loss")->culprit, "pairs between leaf1 and leaf2");
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_that_end_at_a_host_name_its_link),
		cmocka_unit_test(flows_between_two_leaves_name_these),
		cmocka_unit_test(flows_both_ways_between_two_leaves_name_both),
		cmocka_unit_test(
			one_target_of_flows_across_leaves_is_no_proof_against_its_link),
		cmocka_unit_test(a_few_flows_across_leaves_are_no_proof_either),
		cmocka_unit_test(unless_others_have_named_it),
		cmocka_unit_test(two_that_nothing_tells_apart_are_both_named),
		cmocka_unit_test(unless_others_have_named_one_of_them),
		cmocka_unit_test(two_pairs_name_the_one_that_is_in_both),
		cmocka_unit_test(a_lost_acknowledgement_is_lost_on_the_way_back),
		cmocka_unit_test(a_retry_of_what_never_arrived_is_no_lost_acknowledgement),
	};

	return cmocka_run_group_tests_name("judge locate", tests, NULL, NULL);
}
