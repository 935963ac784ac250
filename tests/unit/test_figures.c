/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "reports/figures.h"
#include "reports/text.h"
#include "tests/made/runs.h"

/* Each test works in a folder of its own, and leaves nothing there. */
static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/weft-figures-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	unlink("made.run");
	return chdir("/") || rmdir(folder);
}

static void read_made(enum made_kind kind, struct figures *figures)
{
	struct findings findings = FINDINGS_INIT;
	struct run *run = made_run(kind, "made.run", &findings);
	struct diag diag;

	assert_int_equal(figures_read(figures, run, &diag), 0);
	run_close(run);
	findings_free(&findings);
}

static const struct figure_stage *stage(const struct figures *figures, const char *name)
{
	for (size_t i = 0; i < figures->stage_count; i++)
		if (strcmp(figures->stages[i].stage.name, name) == 0)
			return &figures->stages[i];
	fail_msg("no stage %s", name);
	return NULL;
}

static void near(uint64_t value, double expected)
{
	assert_true((double)value > expected * 0.9999);
	assert_true((double)value < expected * 1.0001);
}

static void a_rate_is_payload_over_the_time_of_the_flow(void **state)
{
	struct figures figures = FIGURES_INIT;
	const struct figure_flows *flows;

	(void)state;
	read_made(MADE_PASS, &figures);
	flows = &stage(&figures, "pairs-local-0")->main;
	assert_int_equal(flows->count, 8);
	assert_int_equal(flows->complete, 8);
	assert_int_equal(flows->bytes_delivered, 8 * 4 * MIB);
	near(flows->fastest_bps, 98.0e9);
	near(flows->slowest_bps, 97.93e9);
	near(flows->median_bps, 97.97e9);
	/* All start together, so the slowest ends the time of all. */
	near(flows->together_bps, 8 * 97.93e9);
	figures_free(&figures);
}

static void a_target_receives_what_all_its_senders_send(void **state)
{
	struct figures figures = FIGURES_INIT;
	const struct figure_stage *incast;

	(void)state;
	read_made(MADE_PASS, &figures);
	incast = stage(&figures, "incast-4-not-ect-0");
	assert_int_equal(incast->main.targets, 1);
	near(incast->main.median_bps, 24.4e9);
	near(incast->main.target_bps, 4 * 24.4e9);
	near(incast->victim.slowest_bps, 97.8e9);
	assert_int_equal(figure_kind(&incast->main), FIGURE_NOT_ECT);
	figures_free(&figures);
}

static void a_flow_that_did_not_finish_is_timed_to_the_end_of_the_window(void **state)
{
	struct figures figures = FIGURES_INIT;
	const struct figure_flows *flows;

	(void)state;
	read_made(MADE_CUT, &figures);
	flows = &stage(&figures, "incast-4-not-ect-1")->main;
	assert_int_equal(flows->complete, 0);
	near(flows->slowest_bps, 4.0 * MIB / 3 * 8 / 1e-3);
	figures_free(&figures);
}

static void stages_that_a_cut_run_did_not_reach_are_there(void **state)
{
	struct figures figures = FIGURES_INIT;

	(void)state;
	read_made(MADE_CUT, &figures);
	assert_int_equal(figures.stage_count, 10);
	assert_int_equal(stage(&figures, "ring-8")->stage.status, RUN_PARTIAL);
	assert_int_equal(stage(&figures, "ring-8")->stage.t1_ns, 0);
	assert_int_equal(stage(&figures, "pairs-local-0")->stage.status, RUN_COMPLETE);
	figures_free(&figures);
}

static void counters_are_summed_and_absent_is_not_zero(void **state)
{
	struct figures figures = FIGURES_INIT;

	(void)state;
	read_made(MADE_FAIL, &figures);
	assert_true(stage(&figures, "incast-4-not-ect-0")->drops.present);
	assert_int_equal(stage(&figures, "incast-4-not-ect-0")->drops.value, 1004);
	assert_int_equal(stage(&figures, "incast-4-not-ect-0")->pause.value, 1204);
	assert_int_equal(stage(&figures, "incast-4-not-ect-0")->pause_us.value, 1204 * 20);
	assert_int_equal(stage(&figures, "incast-4-not-ect-0")->queue_peak.value, 512 * KIB);
	assert_false(stage(&figures, "ring-8")->drops.present);
	figures_free(&figures);
}

static void repeats_are_one_row_of_the_truth_table(void **state)
{
	struct figures figures = FIGURES_INIT;
	struct figure_truth *rows;

	(void)state;
	read_made(MADE_FAIL, &figures);
	assert_int_equal(figures_truth(&figures, &rows), 2);
	assert_string_equal(rows[0].name, "incast-4-not-ect");
	assert_int_equal(rows[0].stages, 2);
	assert_int_equal(rows[0].packets_resent, 2 * 4 * 251);
	assert_int_equal(rows[0].drops.value, 2 * 1004);
	assert_int_equal(rows[0].ce_packets, 0);
	assert_string_equal(rows[1].name, "incast-4-ect");
	assert_int_equal(rows[1].stages, 1);
	assert_int_equal(rows[1].cnps_sent, 36);
	free(rows);
	figures_free(&figures);
}

static void a_ring_has_the_bandwidth_of_nccl_tests(void **state)
{
	struct figures figures = FIGURES_INIT;
	const struct figure_ring *ring;

	(void)state;
	read_made(MADE_PASS, &figures);
	assert_int_equal(figures.ring_count, 1);
	ring = &figures.rings[0];
	assert_int_equal(ring->iterations_complete, 2);
	/* 14 steps of 10.9 us each; V is 1 MiB. */
	near(ring->time_ns, 14 * 10900);
	near(ring->algbw_bps, 1.0 * MIB * 8 / (14 * 10900e-9));
	near(ring->busbw_bps, 1.0 * MIB * 8 / (14 * 10900e-9) * 2 * 7 / 8);
	assert_int_equal(ring->slowest_rank, 5);
	assert_string_equal(ring->slowest_src, "host6");
	assert_string_equal(ring->slowest_dst, "host7");
	assert_int_equal(ring->slowest_ns, 10900);
	assert_int_equal(ring->median_ns, 10800);
	figures_free(&figures);
}

static void the_bound_of_no_loss_is_three_over_n(void **state)
{
	struct figures figures = FIGURES_INIT;
	struct figure_loss loss;

	(void)state;
	read_made(MADE_PASS, &figures);
	loss = figures_loss(&figures, LAYER_LOSSLESS);
	assert_int_equal(loss.packets, 15 * 1024);
	assert_int_equal(loss.dropped, 0);
	figures_free(&figures);
	assert_true(figures_loss_bound(3000000) < 1.00001e-6);
	assert_true(figures_loss_bound(3000000) > 0.99999e-6);
	assert_true(figures_loss_bound(1) <= 1);
	assert_true(figures_loss_bound(1) >= 0.95);
}

static void loss_is_not_counted_where_no_switch_told(void **state)
{
	struct figures figures = FIGURES_INIT;

	(void)state;
	read_made(MADE_PASS, &figures);
	figures.stages[0].drops.present = false;
	assert_false(figures_loss(&figures, LAYER_COUNT).counted);
	assert_true(figures_loss(&figures, LAYER_LOSSLESS).counted);
	figures_free(&figures);
}

static void a_counter_that_was_reset_says_nothing(void **state)
{
	const struct run_counter rows[] = {
		{ 0, "leaf1:1", "rx_prio3_discards", 10, 4 },
		{ 0, "leaf1:1", "rx_prio3_discards_of_somebody", 0, 7 },
		{ 0, "leaf1:1", "tx_prio_pause", 0, 7 },
	};
	const struct run_stage row = { .name = "one", .t1_ns = 1 };
	const struct run_info info = { .backend = "sim", .fabric_text = "", .fabric_bytes = 0 };
	struct figures figures = FIGURES_INIT;
	struct diag diag;
	struct run *run;

	(void)state;
	assert_int_equal(run_create(&run, "made.run", &info, &diag), 0);
	assert_int_equal(run_put_stage(run, &row, &diag), 0);
	assert_int_equal(run_put_counters(run, rows, COUNT_OF(rows), &diag), 0);
	assert_int_equal(figures_read(&figures, run, &diag), 0);
	assert_int_equal(figures.stage_count, 1);
	assert_false(figures.stages[0].drops.present);
	assert_false(figures.stages[0].pause.present);
	figures_free(&figures);
	run_close(run);
}

/* A stage of this many senders to host1, as planned and as it ran; queue 0: skipped. */
static void put_burst(struct run *run, struct plan *plan, uint32_t senders, uint64_t bytes,
	uint64_t period_ns, uint64_t queue)
{
	struct plan_stage *planned = plan_add(plan, LAYER_BURST);
	struct run_stage row = { .id = (uint32_t)plan->count - 1,
		.layer = LAYER_BURST,
		.t1_ns = queue ? 1000 : 0,
		.status = queue ? RUN_COMPLETE : RUN_SKIPPED };
	const struct run_counter peak = { row.id, "leaf1:1", "tx_prio3_queue_peak_bytes", 0,
		queue };
	struct diag diag;

	snprintf(planned->name, sizeof(planned->name), "burst-%u", row.id);
	memcpy(row.name, planned->name, sizeof(row.name));
	for (uint32_t i = 0; i < senders; i++)
		*plan_stage_add(planned) = (struct plan_flow){ .src = i + 1,
			.qps = 1,
			.bytes = bytes,
			.burst_bytes = bytes,
			.burst_period_ns = period_ns };
	assert_int_equal(run_put_stage(run, &row, &diag), 0);
	if (queue)
		assert_int_equal(run_put_counters(run, &peak, 1, &diag), 0);
}

static void bursts_stand_in_a_grid_of_sizes_and_gaps(void **state)
{
	static const char *const names[] = { "host1", "host2", "host3" };
	const struct run_info info = { .backend = "sim", .fabric_text = "", .fabric_bytes = 0 };
	/* By gap, then size: stage, column, row. Stage 5 had a higher queue than stage 0. */
	const uint32_t cells[][3] = { { 5, 0, 0 }, { 1, 1, 0 }, { 2, 0, 1 }, { 3, 1, 1 } };
	struct figures figures = FIGURES_INIT;
	struct figure_bursts bursts;
	struct plan plan = PLAN_INIT;
	struct diag diag;
	struct run *run;

	(void)state;
	assert_int_equal(run_create(&run, "made.run", &info, &diag), 0);
	put_burst(run, &plan, 2, 1000, 8000, 500);
	put_burst(run, &plan, 2, 4000, 32100, 2000); /* the same gap, rounded */
	put_burst(run, &plan, 2, 1000, 4000, 900);
	put_burst(run, &plan, 2, 4000, 16000, 0);
	put_burst(run, &plan, 2, 1000, 4000, 800);
	put_burst(run, &plan, 2, 1000, 8000, 501);
	put_burst(run, &plan, 2, 1000, 8000, 700);
	plan.stages[6].flows[1].burst_bytes = 2000; /* not of one size */
	assert_int_equal(run_put_plan(run, &plan, names, &diag), 0);
	assert_int_equal(figures_read(&figures, run, &diag), 0);
	figures_bursts(&figures, &bursts);
	assert_int_equal(bursts.sizes, 2);
	assert_int_equal(bursts.gaps, 2);
	assert_int_equal(bursts.count, COUNT_OF(cells));
	for (size_t i = 0; i < bursts.count; i++) {
		assert_int_equal(bursts.cells[i].stage, cells[i][0]);
		assert_int_equal(bursts.cells[i].size, cells[i][1]);
		assert_int_equal(bursts.cells[i].gap, cells[i][2]);
	}
	near((uint64_t)bursts.cells[0].offered_bps, 2e9);
	assert_false(figures.stages[3].queue_peak.present);
	free(bursts.cells);
	figures_free(&figures);
	plan_free(&plan);
	run_close(run);
}

static void a_run_without_bursts_has_no_grid(void **state)
{
	struct figures figures = FIGURES_INIT;
	struct figure_bursts bursts;

	(void)state;
	read_made(MADE_EMPTY, &figures);
	figures_bursts(&figures, &bursts);
	assert_int_equal(bursts.count, 0);
	assert_int_equal(bursts.sizes, 0);
	assert_int_equal(bursts.gaps, 0);
	free(bursts.cells);
	figures_free(&figures);
}

static void a_flow_whose_turn_did_not_come_has_no_rate(void **state)
{
	const struct run_flow rows[] = {
		{ .src = "host1", .dst = "host2", .bytes_delivered = 125, .start_ns = 0 },
		{ .src = "host1", .dst = "host3", .bytes_delivered = 0, .start_ns = 5000 },
	};
	const struct run_stage row = { .name = "one", .t1_ns = 1000, .status = RUN_PARTIAL };
	const struct run_info info = { .backend = "sim", .fabric_text = "", .fabric_bytes = 0 };
	struct figures figures = FIGURES_INIT;
	struct diag diag;
	struct run *run;

	(void)state;
	assert_int_equal(run_create(&run, "made.run", &info, &diag), 0);
	assert_int_equal(run_put_stage(run, &row, &diag), 0);
	assert_int_equal(run_put_flows(run, rows, COUNT_OF(rows), &diag), 0);
	assert_int_equal(figures_read(&figures, run, &diag), 0);
	assert_int_equal(figures.stages[0].main.count, 2);
	assert_int_equal(figures.stages[0].main.targets, 1);
	near(figures.stages[0].main.slowest_bps, 1e9);
	near(figures.stages[0].main.target_bps, 1e9);
	figures_free(&figures);
	run_close(run);
}

static const struct verdict_case {
	const char *name;
	enum made_kind kind;
	enum verdict verdict;
} verdicts[] = {
	{ "a clean run passes", MADE_PASS, VERDICT_PASS },
	{ "a failure fails", MADE_FAIL, VERDICT_FAIL },
	{ "an unknown is no pass", MADE_UNKNOWN, VERDICT_UNKNOWN },
	{ "an interrupted run is no pass", MADE_INTERRUPTED, VERDICT_UNKNOWN },
	{ "a run that was cut off is no pass", MADE_CUT, VERDICT_UNKNOWN },
	{ "a run without findings is no pass", MADE_EMPTY, VERDICT_UNKNOWN },
};

static void the_whole_has_a_verdict(void **state)
{
	const struct verdict_case *c = *state;
	struct findings findings = FINDINGS_INIT;
	struct run *run = made_run(c->kind, "made.run", &findings);

	assert_int_equal(report_verdict(run, &findings), c->verdict);
	run_close(run);
	findings_free(&findings);
}

static void a_part_of_a_run_whose_findings_all_pass_is_unknown(void **state)
{
	static const enum made_kind parts[] = { MADE_CUT, MADE_INTERRUPTED };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		struct findings findings = FINDINGS_INIT, passing = FINDINGS_INIT;
		struct run *run = made_run(parts[i], "made.run", &findings);

		findings_add(&passing, "plan.wiring", "plan", VERDICT_PASS);
		assert_int_equal(report_verdict(run, &passing), VERDICT_UNKNOWN);
		findings_add(&passing, "link.loss", "pairs", VERDICT_FAIL);
		assert_int_equal(report_verdict(run, &passing), VERDICT_FAIL);
		run_close(run);
		findings_free(&findings);
		findings_free(&passing);
	}
}

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		cmocka_unit_test(a_rate_is_payload_over_the_time_of_the_flow),
		cmocka_unit_test(a_target_receives_what_all_its_senders_send),
		cmocka_unit_test(a_flow_that_did_not_finish_is_timed_to_the_end_of_the_window),
		cmocka_unit_test(stages_that_a_cut_run_did_not_reach_are_there),
		cmocka_unit_test(counters_are_summed_and_absent_is_not_zero),
		cmocka_unit_test(repeats_are_one_row_of_the_truth_table),
		cmocka_unit_test(a_ring_has_the_bandwidth_of_nccl_tests),
		cmocka_unit_test(the_bound_of_no_loss_is_three_over_n),
		cmocka_unit_test(loss_is_not_counted_where_no_switch_told),
		cmocka_unit_test(a_counter_that_was_reset_says_nothing),
		cmocka_unit_test(bursts_stand_in_a_grid_of_sizes_and_gaps),
		cmocka_unit_test(a_run_without_bursts_has_no_grid),
		cmocka_unit_test(a_flow_whose_turn_did_not_come_has_no_rate),
		cmocka_unit_test(a_part_of_a_run_whose_findings_all_pass_is_unknown),
	};
	struct CMUnitTest tests[COUNT_OF(fixed) + COUNT_OF(verdicts)];

	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < COUNT_OF(verdicts); i++)
		tests[COUNT_OF(fixed) + i] = (struct CMUnitTest){
			.name = verdicts[i].name,
			.test_func = the_whole_has_a_verdict,
			.initial_state = (void *)(uintptr_t)&verdicts[i],
		};
	return cmocka_run_group_tests_name("figures", tests, enter_folder, leave_folder);
}
