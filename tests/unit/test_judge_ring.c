/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/judge_bench.h"

#include "fabric/live.h"
#include "fabric/ringtime.h"

#define RANKS 4u
#define STEPS (2 * (RANKS - 1))
#define ITERATIONS 20u
#define CHUNK 1024000u
#define STEP_NS 90000u /* CHUNK takes 83.6 us at the ceiling of 98 Gb/s */

static const char *const hosts[] = { "host1", "host2", "host3", "host4" };
static const char *const ways[] = { "host1>leaf1:2", "host2>leaf1:3>spine1:2>leaf2:1",
	"host3>leaf2:2", "host4>leaf2:4>spine2:1>leaf1:1" };

/* A ring in lockstep: every step of every rank takes step_ns. */
static uint32_t add_ring(struct bench *bench, uint64_t step_ns)
{
	uint32_t id = bench_stage(bench, "ring", LAYER_RING, 0);
	struct plan_ring *ring;
	uint64_t at = bench->stages[id].t0_ns;

	for (uint32_t i = 0; i < bench->stage_count; i++)
		plan_add(&bench->plan, bench->stages[i].layer);
	for (uint32_t i = 0; i < bench->stage_count; i++)
		snprintf(bench->plan.stages[i].name, sizeof(bench->plan.stages[i].name), "%s",
			bench->stages[i].name);
	ring = &bench->plan.stages[id].ring;
	*ring = (struct plan_ring){ calloc(RANKS, sizeof(uint32_t)), RANKS, 1, RANKS * CHUNK, 4,
		ITERATIONS, 0 };
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		ring->nics[rank] = rank;
		bench_flow(bench, id, rank, hosts[rank], hosts[(rank + 1) % RANKS],
			(uint64_t)STEPS * ITERATIONS * CHUNK, 1);
		bench_path(bench, id, rank, ways[rank]);
	}
	for (uint32_t step = 0; step < STEPS * ITERATIONS; step++, at += step_ns)
		for (uint32_t rank = 0; rank < RANKS; rank++)
			bench->steps[bench->step_count++] = (struct run_step){ id, step / STEPS,
				rank, step % STEPS, at, at, at + step_ns, at + step_ns };
	for (uint32_t port = 0; port < bench->fabric.port_count; port++)
		bench_clean_port(bench, id, port);
	return id;
}

static void nothing(struct bench *bench)
{
	add_ring(bench, STEP_NS);
}

static void all_slow(struct bench *bench)
{
	add_ring(bench, 2 * STEP_NS);
}

/* The edge from rank 1 takes all of each step, the others finish early. */
static void one_edge_slow(struct bench *bench)
{
	add_ring(bench, 2 * STEP_NS);
	for (size_t i = 0; i < bench->step_count; i++)
		if (bench->steps[i].rank != 1)
			bench->steps[i].arrived_ns -= STEP_NS;
}

/* To a NIC of 80G. */
static void one_edge_slow_and_steps_down(struct bench *bench)
{
	const struct fabric *fabric = &bench->fabric;

	one_edge_slow(bench);
	fabric->links[fabric->ports[fabric->nics[2]].link].speed_bps = 80 * GBPS;
}

static void one_edge_slow_for_its_nic(struct bench *bench)
{
	uint32_t id = BENCH_ECT + 1;

	one_edge_slow(bench);
	bench_set(bench, id, "host3", C_TX_PRIO_PAUSE, 40);
	bench_set(bench, id, "host3", C_TX_PRIO_PAUSE_US, 500);
}

/* Every step of rank 2 is posted late by its host. */
static void one_host_late(struct bench *bench)
{
	add_ring(bench, 2 * STEP_NS);
	for (size_t i = 0; i < bench->step_count; i++)
		if (bench->steps[i].rank == 2)
			bench->steps[i].posted_ns += STEP_NS;
		else
			bench->steps[i].arrived_ns -= STEP_NS;
}

/* A ring in lockstep: of every step the hosts' sums take sums_ns. */
static void add_sums(struct bench *bench, uint64_t step_ns, uint64_t sums_ns)
{
	uint32_t id = add_ring(bench, step_ns);

	for (size_t i = 0; i < bench->step_count; i++)
		bench->steps[i].arrived_ns -= sums_ns;
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		bench_set(bench, id, hosts[rank], C_RING_CHECKED, STEPS * ITERATIONS);
		bench_set(bench, id, hosts[rank], C_RING_SUMS_NS, STEPS * ITERATIONS * sums_ns);
	}
}

static void sums_as_long_as_the_network(struct bench *bench)
{
	add_sums(bench, 2 * STEP_NS, STEP_NS);
}

static void sums_and_a_slow_network(struct bench *bench)
{
	add_sums(bench, 3 * STEP_NS, STEP_NS);
}

static void sums_longer_than_a_slow_network(struct bench *bench)
{
	add_sums(bench, 5 * STEP_NS, 3 * STEP_NS);
}

/* The others wait for it, and it for nobody: a step takes as long as its sum. */
static void sums_of_one_host_set_the_pace(struct bench *bench)
{
	uint32_t id = BENCH_ECT + 1;

	add_sums(bench, 5 * STEP_NS / 2, STEP_NS / 10);
	bench_set(bench, id, hosts[2], C_RING_SUMS_NS,
		UINT64_C(1) * STEPS * ITERATIONS * STEP_NS * 5 / 2);
	for (size_t i = 0; i < bench->step_count; i++)
		if (bench->steps[i].rank == 2) /* more chunks came while it added one */
			bench->steps[i].posted_ns += STEP_NS;
		else if (bench->steps[i].rank != 1)
			bench->steps[i].arrived_ns -= STEP_NS;
}

static void sums_longer_than_all(struct bench *bench)
{
	uint32_t id = add_ring(bench, STEP_NS);

	bench_set(bench, id, "host1", C_RING_CHECKED, 1);
	bench_set(bench, id, "host1", C_RING_SUMS_NS, 100 * STEP_NS);
}

static void a_byte_missing(struct bench *bench)
{
	add_ring(bench, STEP_NS);
	bench->flows[bench->flow_count - 1].bytes_delivered--;
}

/* One step of rank 1 takes an ACK timeout longer, and so does all that follows. */
static void one_timeout(struct bench *bench)
{
	uint64_t timeout_ns = UINT64_C(4096) << 8;
	size_t first;

	bench->fabric.policy.timeout_exp = 8;
	add_ring(bench, STEP_NS);
	first = bench->step_count - RANKS * STEPS;
	for (size_t i = first; i < bench->step_count; i++) {
		bench->steps[i].arrived_ns += timeout_ns;
		if (i >= first + RANKS) {
			bench->steps[i].posted_ns += timeout_ns;
			bench->steps[i].ready_ns += timeout_ns;
		} else if (bench->steps[i].rank != 1) {
			bench->steps[i].arrived_ns -= timeout_ns;
		}
	}
	bench->flows[bench->flow_count - 3].timeouts = 1;
	bench->flows[bench->flow_count - 3].packets_resent = 1;
}

static void nothing_completed(struct bench *bench)
{
	add_ring(bench, STEP_NS);
	for (size_t i = 0; i < bench->step_count; i++)
		if (bench->steps[i].step == STEPS - 1)
			bench->steps[i].arrived_ns = 0;
}

static void elsewhere(struct bench *bench)
{
	add_ring(bench, STEP_NS);
	bench->plan.stages[BENCH_ECT + 1].ring.nics[2] = 99;
}

static void of_nothing(struct bench *bench)
{
	add_ring(bench, STEP_NS);
	bench->plan.stages[BENCH_ECT + 1].ring.elem_bytes = 0;
}

static void without_end(struct bench *bench)
{
	add_ring(bench, STEP_NS);
	bench->plan.stages[BENCH_ECT + 1].ring.iterations = UINT32_MAX;
}

static void without_queue_pairs(struct bench *bench)
{
	bench->flows[1].qps = 0;
}

/* By the plan nearly all of a step is the way, not the bytes. */
static void latency_takes_nearly_all(struct bench *bench)
{
	uint32_t id = add_ring(bench, STEP_NS);

	bench->stages[id].expected_ns = UINT64_C(12) * STEPS * ITERATIONS * STEP_NS;
}

/* By the plan a step takes as long as its latency, and took a hundred times that. */
static void far_slower_than_latency(struct bench *bench)
{
	uint32_t id = add_ring(bench, 100 * STEP_NS);

	bench->stages[id].expected_ns = UINT64_C(12) * STEPS * ITERATIONS * STEP_NS;
}

/* The ring has told its findings by then. */
static void after_a_good_ring(struct bench *bench)
{
	uint32_t burst;

	add_ring(bench, STEP_NS);
	burst = bench_stage(bench, "burst-1-gap1", LAYER_BURST, 0);
	bench_flow(bench, burst, 0, "host1", "host3", 65536, 10000)->qps = 0;
}

static const struct judge_case {
	const char *name;
	void (*spoil)(struct bench *);
	const char *check;
	enum verdict verdict;
	enum culprit_kind kind;
	const char *culprit;
} cases[] = {
	{ "a ring near its ceiling passes", nothing, "ring.busbw", VERDICT_PASS, CULPRIT_NONE,
		"" },
	{ "the bytes are those of 2V(N-1)/N", nothing, "ring.bytes", VERDICT_PASS, CULPRIT_NONE,
		"" },
	{ "no step sticks out of a steady ring", nothing, "ring.spikes", VERDICT_PASS,
		CULPRIT_NONE, "" },
	{ "a ring at half its ceiling fails", all_slow, "ring.busbw", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "one slow edge is laid to the NIC that paused", one_edge_slow_for_its_nic,
		"ring.busbw", VERDICT_FAIL, CULPRIT_NIC, "host3" },
	{ "a slow edge from a faster NIC to a slower one is a warning",
		one_edge_slow_and_steps_down, "ring.busbw", VERDICT_WARN, CULPRIT_NONE, "" },
	{ "a host that posts late is not the network", one_host_late, "ring.busbw",
		VERDICT_FAIL, CULPRIT_NOT_NETWORK, "not the network" },
	{ "what the hosts' sums take is not the network's", sums_as_long_as_the_network,
		"ring.busbw", VERDICT_PASS, CULPRIT_NONE, "" },
	{ "sums hide no slow network", sums_and_a_slow_network, "ring.busbw", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "behind long sums a slow network is unknown", sums_longer_than_a_slow_network,
		"ring.busbw", VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "a host whose sums set the pace is no fault of the network",
		sums_of_one_host_set_the_pace, "ring.busbw", VERDICT_UNKNOWN, CULPRIT_NONE,
		"" },
	{ "sums longer than the run make no bandwidth", sums_longer_than_all, "ring.busbw",
		VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "chunks that say of latency alone are unknown", latency_takes_nearly_all,
		"ring.busbw", VERDICT_UNKNOWN, CULPRIT_NONE, "" },
	{ "but what is far slower than latency fails", far_slower_than_latency, "ring.busbw",
		VERDICT_FAIL, CULPRIT_UNLOCATED, "" },
	{ "a byte that is missing fails", a_byte_missing, "ring.bytes", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "a spike as long as a timeout fails", one_timeout, "ring.spikes", VERDICT_FAIL,
		CULPRIT_UNLOCATED, "" },
	{ "a ring that completed nothing is unknown", nothing_completed, "ring.busbw",
		VERDICT_UNKNOWN, CULPRIT_NONE, "" },
};

static void judged_as_it_should(void **state)
{
	const struct judge_case *row = *state;
	struct bench *bench = bench_new();
	const struct finding *finding;

	row->spoil(bench);
	finding = bench_judged(bench, row->check, row->verdict, row->culprit);
	assert_int_equal(finding->culprit_kind, row->kind);
	bench_free(bench);
}

/* 8 MiB in 1 ms over 8 ranks: algbw 67.1 Gb/s, busbw 7/4 of it; here 4 chunks of
 * 1,024,000 bytes in 6 steps of 90 us. */
static void bandwidth_is_that_of_the_formula(void **state)
{
	struct bench *bench = bench_new();
	double busbw = 4.0 * CHUNK * 8 / (6.0 * STEP_NS) * 2 * 3 / 4, ceiling = 98.03733;
	const struct finding *finding;

	(void)state;
	nothing(bench);
	bench_judge(bench, JUDGE_ALL);
	finding = bench_find(bench, "ring.busbw");
	assert_non_null(finding);
	assert_true(finding->measured > busbw / ceiling - 1e-4);
	assert_true(finding->measured < busbw / ceiling + 1e-4);
	bench_free(bench);
}

static void the_host_whose_sums_set_the_pace_is_named(void **state)
{
	struct bench *bench = bench_new();
	const struct finding *finding;

	(void)state;
	sums_of_one_host_set_the_pace(bench);
	bench_judge(bench, JUDGE_ALL);
	finding = bench_find(bench, "ring.busbw");
	assert_non_null(finding);
	assert_non_null(strstr(finding->advice, "the sums of host3 took 100 % of the time"));
	bench_free(bench);
}

static void timeouts_are_known_by_their_length(void **state)
{
	(void)state;
	assert_int_equal(ringtime_timeouts(67108864, 14), 1);
	assert_int_equal(ringtime_timeouts(67108864 * 2, 14), 2);
	assert_int_equal(ringtime_timeouts(67108864 / 10 * 11, 14), 1);
	assert_int_equal(ringtime_timeouts(67108864 / 10 * 12, 14), 0);
	assert_int_equal(ringtime_timeouts(67108864 / 2, 14), 0);
	assert_int_equal(ringtime_timeouts(90000, 14), 0);
	assert_int_equal(ringtime_timeouts(90000, 0), 0);
}

/* Chunks take 84 us, and their acknowledgements 1 more; the next host's clock is slow by 300 us. */
static void arrivals_are_on_one_clock(void **state)
{
	struct run_step steps[7];

	(void)state;
	for (uint32_t i = 0; i < COUNT_OF(steps); i++)
		steps[i] = (struct run_step){
			.posted_ns = 1000000 + 90000 * i,
			.completed_ns = 1085000 + 90000 * i,
			.arrived_ns = 1084000 + 90000 * i - 300000,
		};
	steps[2].completed_ns += 200000; /* this host was busy */
	steps[4].arrived_ns += 200000;   /* the next one was */
	steps[5].arrived_ns = 0;
	steps[6].arrived_ns = steps[6].completed_ns = 0;
	live_ring_align(steps, 7, 400000);
	assert_int_equal(steps[0].arrived_ns, 1085000);
	assert_int_equal(steps[2].arrived_ns, 1085000 + 2 * 90000);
	assert_int_equal(steps[4].arrived_ns, 1085000 + 4 * 90000 + 200000);
	assert_int_equal(steps[5].arrived_ns, 0);
	/* What the clocks cannot be wrong by is no error of theirs. */
	steps[0].completed_ns = 2085000;
	live_ring_align(steps, 1, 400);
	assert_int_equal(steps[0].arrived_ns, 1085400);
	live_ring_align(steps, 0, 400);
}

static void (*const damages[])(struct bench *) = { elsewhere, of_nothing, without_end,
	without_queue_pairs, after_a_good_ring };

/* A run file that was damaged is refused in a sentence, and adds no finding. */
static void rows_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		struct bench *bench = bench_new();
		struct diag diag = { "" };

		damages[i](bench);
		assert_int_equal(bench_try(bench, JUDGE_ALL, &diag), -EINVAL);
		assert_int_equal(bench->findings.count, 0);
		assert_non_null(strstr(diag.text, "run it again"));
		bench_free(bench);
	}
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 5] = {
		cmocka_unit_test(arrivals_are_on_one_clock),
		cmocka_unit_test(rows_that_do_not_fit_are_refused),
		cmocka_unit_test(bandwidth_is_that_of_the_formula),
		cmocka_unit_test(the_host_whose_sums_set_the_pace_is_named),
		cmocka_unit_test(timeouts_are_known_by_their_length),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 5] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = judged_as_it_should,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("judge: ring", tests, NULL, NULL);
}
