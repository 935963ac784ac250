/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "tests/unit/run_bed.h"

static void what_is_put_is_read_again(void **state)
{
	struct run_counter *rows = NULL;
	const struct run_info *back;
	struct diag diag;
	bool interrupted;
	struct run *run;
	size_t count;

	(void)state;
	run = made("a.run");
	put_counters(run, 0, 100);
	put_counters(run, 1, 3);
	put_counters(run, 0, 1);
	ok(run_finish(run, false, &diag), &diag);
	run_close(run);

	run = opened("a.run");
	assert_true(run_ended(run, &interrupted));
	assert_false(interrupted);
	back = run_info(run);
	assert_string_equal(back->backend, "sim");
	assert_string_equal(back->fabric_text, "leaves: 2\n");
	assert_int_equal(back->fabric_bytes, 10);
	assert_true(back->seed == UINT64_MAX);
	ok(run_get_counters(run, 0, &rows, &count, &diag), &diag);
	assert_int_equal(count, 101);
	assert_string_equal(rows[65].place, "leaf2:2");
	assert_string_equal(rows[65].name, "rx_prio1_pause");
	assert_true(rows[65].first == UINT64_C(1) << 63);
	assert_int_equal(rows[65].last, 65);
	assert_int_equal(rows[100].last, 0);
	free(rows);
	assert_int_equal(counters(run, 1), 3);
	assert_int_equal(counters(run, 2), 0);
	run_close(run);
}

static void every_kind_of_row_comes_back_as_it_was(void **state)
{
	static const struct run_stage stage = { .id = 7,
		.name = "incast-8-leaf2-ect",
		.layer = LAYER_LOSSLESS,
		.variant = 8,
		.repeat = 1,
		.subject = UINT64_MAX,
		.t0_ns = 5,
		.t1_ns = 6,
		.expected_ns = 3,
		.deadline_ns = UINT64_MAX,
		.status = RUN_PARTIAL,
		.reason = "interrupted",
		.note = "8 hosts" };
	static const struct run_flow flow = { .stage = 7,
		.flow = 2,
		.src = "host1:2",
		.dst = "host9:2",
		.role = FLOW_VICTIM,
		.not_ect = true,
		.qps = 16,
		.bytes_planned = 1,
		.bytes_posted = 2,
		.bytes_delivered = 3,
		.packets_sent = 4,
		.packets_resent = 5,
		.packets_received = 6,
		.timeouts = 7,
		.naks = 8,
		.out_of_sequence = 9,
		.ce_packets = 10,
		.cnps_sent = 11,
		.cnps_handled = 12,
		.start_ns = 13,
		.end_ns = 14,
		.complete = true,
		.qp_error = true };
	static const struct run_path path = { .stage = 7,
		.flow = 2,
		.qp = 3,
		.sport = 65535,
		.ports = "host1:2>leaf2:9>spine1:2>leaf1:1" };
	static const struct run_step step = { .stage = 7,
		.iteration = 1,
		.rank = 2,
		.step = 3,
		.ready_ns = 4,
		.posted_ns = 5,
		.completed_ns = 6,
		.arrived_ns = 7 };
	static const struct run_sample sample = { .stage = 7,
		.place = "leaf2:1",
		.metric = "queue_bytes",
		.t_ns = 100,
		.value = UINT64_MAX };
	static const struct run_fact fact = { "leaf2:1", "lldp_peer", "host1", "simulator" };
	struct run_stage *stages;
	struct run_flow *flows;
	struct run_path *paths;
	struct run_step *steps;
	struct run_sample *samples;
	struct run_fact *facts;
	struct diag diag;
	struct run *run = made("a.run");
	size_t count[6];

	(void)state;
	ok(run_put_stage(run, &stage, &diag), &diag);
	ok(run_put_flows(run, &flow, 1, &diag), &diag);
	ok(run_put_paths(run, &path, 1, &diag), &diag);
	ok(run_put_steps(run, &step, 1, &diag), &diag);
	ok(run_put_samples(run, &sample, 1, &diag), &diag);
	ok(run_put_fact(run, &fact, &diag), &diag);
	ok(run_put_fact(run, &fact, &diag), &diag);
	ok(run_finish(run, true, &diag), &diag);
	run_close(run);
	run = opened("a.run");
	ok(run_get_stages(run, &stages, &count[0], &diag), &diag);
	ok(run_get_flows(run, 7, &flows, &count[1], &diag), &diag);
	ok(run_get_paths(run, 7, &paths, &count[2], &diag), &diag);
	ok(run_get_steps(run, 7, &steps, &count[3], &diag), &diag);
	ok(run_get_samples(run, 7, &samples, &count[4], &diag), &diag);
	ok(run_get_facts(run, &facts, &count[5], &diag), &diag);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(count[i], 1);
	assert_int_equal(count[5], 2);
	assert_memory_equal(stages, &stage, sizeof(stage));
	assert_memory_equal(flows, &flow, sizeof(flow));
	assert_memory_equal(paths, &path, sizeof(path));
	assert_memory_equal(steps, &step, sizeof(step));
	assert_memory_equal(samples, &sample, sizeof(sample));
	assert_memory_equal(&facts[1], &fact, sizeof(fact));
	free(stages);
	free(flows);
	free(paths);
	free(steps);
	free(samples);
	free(facts);
	run_close(run);
}

static void what_was_read_once_is_given_again(void **state)
{
	struct run_counter *rows = NULL, *again = NULL;
	struct diag diag;
	struct run *run = made("a.run");
	size_t count, count_again;

	(void)state;
	put_counters(run, 0, 5);
	assert_int_equal(counters(run, 0), 5);
	put_counters(run, 0, 2);
	assert_int_equal(counters(run, 0), 7); /* a writer reads what it has put since */
	put_counters(run, 1, 3);
	ok(run_finish(run, false, &diag), &diag);
	run_close(run);

	run = opened("a.run");
	ok(run_get_counters(run, 0, &rows, &count, &diag), &diag);
	memset(rows, 0xff, count * sizeof(*rows));
	assert_int_equal(counters(run, 1), 3);
	ok(run_get_counters(run, 0, &again, &count_again, &diag), &diag);
	assert_int_equal(count_again, 7);
	assert_string_equal(again[4].place, "leaf1:5");
	assert_int_equal(again[4].last, 4);
	free(rows);
	free(again);
	assert_int_equal(counters(run, 2), 0);
	assert_int_equal(counters(run, 2), 0);
	run_close(run);
}

static void a_stage_put_again_is_replaced(void **state)
{
	struct run_stage stage = { .id = 1, .name = "b", .status = RUN_PARTIAL }, *rows;
	struct run *run = made("a.run");
	struct diag diag;
	size_t count;

	(void)state;
	ok(run_put_stage(run, &stage, &diag), &diag);
	stage.status = RUN_COMPLETE;
	ok(run_put_stage(run, &stage, &diag), &diag);
	stage.id = 0;
	ok(run_put_stage(run, &stage, &diag), &diag);
	ok(run_get_stages(run, &rows, &count, &diag), &diag);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].id, 0);
	assert_int_equal(rows[1].status, RUN_COMPLETE);
	free(rows);
	run_close(run);
}

static void a_ring_keeps_its_ranks(void **state)
{
	struct plan_ring ring = { .ranks = 9 };
	struct run *run = made("a.run");
	struct diag diag;

	(void)state;
	put_ring_plan(run);
	run_close(run);
	run = opened("a.run");
	ok(run_get_ring(run, 1, &ring, &diag), &diag);
	assert_int_equal(ring.ranks, 3);
	assert_int_equal(ring.qps, 4);
	assert_int_equal(ring.bytes, 1000);
	assert_int_equal(ring.elem_bytes, 2);
	assert_int_equal(ring.iterations, 5);
	assert_int_equal(ring.nics[0], 2);
	assert_int_equal(ring.nics[2], 1);
	free(ring.nics);
	ok(run_get_ring(run, 0, &ring, &diag), &diag);
	assert_int_equal(ring.ranks, 0);
	assert_null(ring.nics);
	run_close(run);
}

static void texts_of_full_length_are_cut_and_never_overrun(void **state)
{
	struct run_fact fact, *rows;
	struct run *run = made("a.run");
	struct diag diag;
	size_t count;

	(void)state;
	memset(&fact, 'x', sizeof(fact));
	ok(run_put_fact(run, &fact, &diag), &diag);
	ok(run_get_facts(run, &rows, &count, &diag), &diag);
	assert_int_equal(strlen(rows->place), sizeof(rows->place) - 1);
	assert_int_equal(strlen(rows->value), sizeof(rows->value) - 1);
	free(rows);
	run_close(run);
}

static void the_same_calls_make_the_same_file(void **state)
{
	size_t bytes[2];
	char *text[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct run *run = made("a.run");
		struct diag diag;

		put_ring_plan(run);
		put_counters(run, 0, 500);
		ok(run_finish(run, false, &diag), &diag);
		run_close(run);
		text[i] = contents("a.run", &bytes[i]);
	}
	assert_int_equal(bytes[0], bytes[1]);
	/* But for the count of changes since the file was made, at 24 and 92, and the
	 * number of the schema, at 40. */
	for (int i = 0; i < 2; i++) {
		memset(text[i] + 24, 0, 4);
		memset(text[i] + 40, 0, 4);
		memset(text[i] + 92, 0, 4);
	}
	assert_memory_equal(text[0], text[1], bytes[0]);
	free(text[0]);
	free(text[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_put_is_read_again),
		TEST(every_kind_of_row_comes_back_as_it_was),
		TEST(what_was_read_once_is_given_again),
		TEST(a_stage_put_again_is_replaced),
		TEST(a_ring_keeps_its_ranks),
		TEST(texts_of_full_length_are_cut_and_never_overrun),
		TEST(the_same_calls_make_the_same_file),
	};

	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
