/* SPDX-License-Identifier: Apache-2.0 */
#include "simbed.h"

#include <stdlib.h>

#include "lib/counters.h"

#define TWO_LEAVES "leaves: 2\nspines: 4\nhosts_per_leaf: 4\nspeed: 100G\n"
#define ONE_LEAF "leaves: 1\nspines: 1\nhosts_per_leaf: 16\nspeed: 100G\n"

/* Within two per cent: the bar that the simulator is held to. */
static void assert_near(double got, double expected)
{
	if (got < expected * 0.98 || got > expected * 1.02)
		fail_msg("%g is not within 2 %% of %g", got, expected);
}

/* One way from NIC to NIC under one leaf, for the last packet of a message: both
 * NICs, the leaf, two cables, and the packet once more on the second link. */
static double leaf_latency_ns(const struct fabric *fabric)
{
	return (double)(2 * fabric->nic_ns + fabric->switch_ns +
			2 * 5 * fabric->links[0].length_m) +
	       (fabric->mtu_bytes + 82) * 8 / 100.0;
}

static void a_pair_moves_what_framing_leaves_of_the_line(void **state)
{
	struct bed bed;
	const struct run_flow *flow;

	(void)state;
	bed_open(&bed, TWO_LEAVES);
	bed_flow(&bed, 0, 5, 1, 40000000);
	bed_run(&bed, 1);
	flow = &bed.result.flows[0];
	assert_true(flow->complete);
	assert_int_equal(flow->bytes_delivered, 40000000);
	assert_near(40000000 * 8.0 / (double)(flow->end_ns - flow->start_ns),
		(double)payload_ceiling_bps(100 * GBPS, bed.fabric.mtu_bytes) / 1e9);
	assert_int_equal(flow->packets_sent, (40000000 + 4095) / 4096);
	assert_int_equal(bed.result.totals.in_flight, 0);
	bed_close(&bed);
}

/* N senders share one receiver's line: all is through when the sum is. With
 * DCQCN silent, for its first cuts go far below the fair share. */
static void incast_drains_at_the_rate_of_the_receiver(void **state)
{
	struct bed bed;
	uint64_t bytes = 8000000, end = 0;

	(void)state;
	bed_open(&bed, ONE_LEAF);
	for (uint32_t i = 1; i <= 8; i++)
		bed_flow(&bed, i, 0, 4, bytes)->not_ect = true;
	bed_run(&bed, 1);
	for (size_t i = 0; i < 8; i++) {
		assert_true(bed.result.flows[i].complete);
		if (bed.result.flows[i].end_ns > end)
			end = bed.result.flows[i].end_ns;
	}
	assert_near((double)end,
		8.0 * (double)bytes * 8 * 1e9 /
			(double)payload_ceiling_bps(100 * GBPS, bed.fabric.mtu_bytes));
	bed_close(&bed);
}

/* T = 2 (N - 1) (latency + chunk / B), B the payload rate of a port. */
static void ring_all_reduce_takes_what_the_closed_form_says(void **state)
{
	static const struct {
		uint32_t ranks, qps;
		uint64_t bytes;
	} rows[] = { { 2, 1, 4000000 }, { 8, 1, 8000000 }, { 16, 4, 64000000 },
		{ 16, 1, 640000 } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bed bed;
		uint32_t n = rows[i].ranks;
		double chunk = (double)rows[i].bytes / n, rate, expected;

		bed_open(&bed, ONE_LEAF);
		bed.stage.ring = (struct plan_ring){
			.nics = calloc(n, sizeof(uint32_t)),
			.ranks = n,
			.qps = rows[i].qps,
			.bytes = rows[i].bytes,
			.elem_bytes = 4,
			.iterations = 1,
		};
		for (uint32_t rank = 0; rank < n; rank++)
			bed.stage.ring.nics[rank] = rank;
		bed_run(&bed, 1);
		rate = (double)payload_ceiling_bps(100 * GBPS, bed.fabric.mtu_bytes) / 8e9;
		expected = 2.0 * (n - 1) * (chunk / rate + leaf_latency_ns(&bed.fabric));
		assert_near((double)bed.result.stage.t1_ns, expected);
		assert_int_equal(bed.result.step_count, n * 2 * (n - 1));
		for (uint32_t rank = 0; rank < n; rank++)
			assert_near((double)bed.result.flows[rank].bytes_delivered,
				2.0 * (double)rows[i].bytes * (n - 1) / n);
		bed_close(&bed);
	}
}

static void every_ring_step_waits_for_its_input(void **state)
{
	struct bed bed;
	uint32_t steps = 2 * 3 * 2;

	(void)state;
	bed_open(&bed, TWO_LEAVES);
	bed.stage.ring = (struct plan_ring){ .nics = calloc(4, 4),
		.ranks = 4,
		.qps = 2,
		.bytes = 1000003 * 4,
		.elem_bytes = 4,
		.iterations = 2 };
	for (uint32_t rank = 0; rank < 4; rank++)
		bed.stage.ring.nics[rank] = 2 * rank;
	bed_run(&bed, 1);
	assert_int_equal(bed.result.step_count, 4 * steps);
	for (uint32_t rank = 0; rank < 4; rank++)
		for (uint32_t step = 1; step < steps; step++) {
			const struct run_step *row = &bed.result.steps[rank * steps + step];
			const struct run_step *input =
				&bed.result.steps[(rank + 3) % 4 * steps + step - 1];

			assert_int_equal(row->ready_ns, input->arrived_ns);
			assert_true(row->posted_ns >= row->ready_ns);
			assert_true(row->arrived_ns > row->posted_ns);
			assert_true(row->completed_ns > row->posted_ns);
		}
	bed_close(&bed);
}

static void bursts_are_sent_when_they_are_due(void **state)
{
	struct bed bed;
	struct plan_flow *flow;

	(void)state;
	bed_open(&bed, ONE_LEAF);
	flow = bed_flow(&bed, 1, 0, 3, 1000000);
	flow->start_ns = 5000;
	flow->burst_bytes = 100000;
	flow->burst_period_ns = 50000;
	bed_run(&bed, 1);
	assert_true(bed.result.flows[0].complete);
	assert_int_equal(bed.result.flows[0].start_ns, 5000);
	/* Ten bursts: nine periods and one burst of 100,000 bytes. */
	assert_near((double)bed.result.flows[0].end_ns, 5000 + 9 * 50000 + 8200 + 2500);
	bed_close(&bed);
}

static void an_offered_rate_is_kept(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, ONE_LEAF);
	bed_flow(&bed, 1, 0, 4, 10000000)->rate_bps = 20 * GBPS;
	bed_run(&bed, 1);
	assert_near((double)bed.result.flows[0].end_ns, 10000000 * 8 / 20.0 * 4178 / 4096);
	bed_close(&bed);
}

/* SONiC RoCE test plan cases 1 to 3 as booleans: nothing without congestion; only
 * pause for traffic that cannot be marked; marks and CNPs before pause for
 * traffic that can. */
static void pause_and_marks_follow_the_truth_table(void **state)
{
	static const struct {
		uint32_t senders;
		bool not_ect, pause, marks;
	} rows[] = { { 1, false, false, false }, { 3, true, true, false },
		{ 3, false, false, true } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bed bed;

		bed_open(&bed, ONE_LEAF);
		for (uint32_t s = 1; s <= rows[i].senders; s++)
			bed_flow(&bed, s, 0, 1, 12000000)->not_ect = rows[i].not_ect;
		bed_run(&bed, 1);
		assert_int_equal(bed_sum(&bed, "leaf1", "tx_prio3_pause") > 0, rows[i].pause);
		assert_int_equal(
			bed_sum(&bed, "leaf1", "tx_prio3_ecn_marked") > 0, rows[i].marks);
		assert_int_equal(bed_sum(&bed, "host", C_NP_CNP_SENT) > 0, rows[i].marks);
		assert_int_equal(bed_sum(&bed, "host", C_NP_CNP_SENT),
			bed_sum(&bed, "host", C_RP_CNP_HANDLED));
		assert_int_equal(bed_sum(&bed, "host", C_OUT_OF_SEQUENCE), 0);
		assert_int_equal(bed.result.totals.dropped_headroom, 0);
		bed_close(&bed);
	}
}

/* Pause goes from the target's leaf to the spines, to the senders' leaves, to
 * the NICs, and nothing is lost. */
static void pause_reaches_the_senders(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, TWO_LEAVES "policy:\n  buffer: 4MiB\n");
	for (uint32_t s = 4; s < 8; s++)
		bed_flow(&bed, s, 0, 16, 16000000)->not_ect = true;
	bed_run(&bed, 1);
	assert_true(bed_sum(&bed, "leaf1", "tx_prio3_pause") > 0);
	assert_true(bed_sum(&bed, "spine", "tx_prio3_pause") > 0);
	assert_true(bed_sum(&bed, "leaf2", "tx_prio3_pause") > 0);
	assert_true(bed_sum(&bed, "host", "rx_prio3_pause_duration") > 0);
	assert_int_equal(bed.result.totals.data_sent + bed.result.totals.control_sent,
		bed.result.totals.received);
	bed_close(&bed);
}

static void the_same_seed_gives_the_same_rows(void **state)
{
	struct bed a, b;

	(void)state;
	bed_open(&a, TWO_LEAVES "faults:\n- {kind: loss, place: leaf1-spine2, amount: 0.01}\n");
	bed_open(&b, TWO_LEAVES "faults:\n- {kind: loss, place: leaf1-spine2, amount: 0.01}\n");
	for (uint32_t i = 0; i < 8; i++) {
		bed_flow(&a, i, (i + 4) % 8, 8, 2000000);
		bed_flow(&b, i, (i + 4) % 8, 8, 2000000);
	}
	bed_run(&a, 42);
	bed_run(&b, 42);
	assert_int_equal(a.result.counter_count, b.result.counter_count);
	assert_memory_equal(a.result.counters, b.result.counters,
		a.result.counter_count * sizeof(*a.result.counters));
	assert_memory_equal(
		a.result.flows, b.result.flows, a.result.flow_count * sizeof(*a.result.flows));
	assert_memory_equal(
		a.result.paths, b.result.paths, a.result.path_count * sizeof(*a.result.paths));
	bed_run(&b, 43);
	assert_memory_not_equal(
		a.result.flows, b.result.flows, a.result.flow_count * sizeof(*a.result.flows));
	bed_close(&a);
	bed_close(&b);
}

/* A stage that asks for what the fabric has not. */
static void a_stage_that_does_not_fit_is_refused(void **state)
{
	struct bed bed;
	struct sim_config config;
	struct diag diag;

	(void)state;
	bed_open(&bed, ONE_LEAF);
	bed_flow(&bed, 0, 99, 1, 1);
	config = (struct sim_config){ .fabric = &bed.fabric, .routing = &bed.routing };
	assert_int_equal(sim_run(&config, &bed.stage, 0, &bed.result, &diag), -22);
	bed_close(&bed);
}

static void few_bytes_over_many_queue_pairs_still_end(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, TWO_LEAVES);
	bed_flow(&bed, 0, 4, 32, 5);
	bed_flow(&bed, 4, 0, 1, 1);
	bed_run(&bed, 1);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	assert_int_equal(bed.result.flows[0].bytes_delivered, 5);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_moves_what_framing_leaves_of_the_line),
		cmocka_unit_test(incast_drains_at_the_rate_of_the_receiver),
		cmocka_unit_test(ring_all_reduce_takes_what_the_closed_form_says),
		cmocka_unit_test(every_ring_step_waits_for_its_input),
		cmocka_unit_test(bursts_are_sent_when_they_are_due),
		cmocka_unit_test(an_offered_rate_is_kept),
		cmocka_unit_test(pause_and_marks_follow_the_truth_table),
		cmocka_unit_test(pause_reaches_the_senders),
		cmocka_unit_test(the_same_seed_gives_the_same_rows),
		cmocka_unit_test(a_stage_that_does_not_fit_is_refused),
		cmocka_unit_test(few_bytes_over_many_queue_pairs_still_end),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
