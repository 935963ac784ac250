/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "fabric/judge.h"
#include "fabric/runner.h"
#include "fabric/sim.h"
#include "fabric/stages.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "lib/units.h"
#include "lib/grow.h"

#define TINY "leaves: 2\nspines: 2\nhosts_per_leaf: 2\nspeed: 25G\n"

static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/weft-runner-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") || system(command);
}

static void ok(int err, const struct diag *diag)
{
	if (err)
		print_message("%s\n", diag->text);
	assert_int_equal(err, 0);
}

/* Sets stop when so many stages have ended; SIZE_MAX: never. */
struct stopper {
	size_t after;
	volatile sig_atomic_t stop;
	size_t told;
};

static void stop_after(void *arg, const struct runner_at *at)
{
	struct stopper *stopper = arg;

	stopper->told++;
	if (at->ended > stopper->after)
		stopper->stop = 1;
}

struct made {
	struct fabric fabric;
	struct plan plan;
	struct run *run; /* open for reading */
	struct run_stage *stages;
	size_t count;
	bool interrupted;
};

/* What matters of a run that is stopped is where, not how much it sends. */
static void shorten(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_stage *stage = &plan->stages[i];

		for (uint32_t k = 0; k < stage->flow_count; k++)
			stage->flows[k].bytes = stage->flows[k].bytes / 100 + 1;
		stage->ring.iterations = stage->ring.iterations ? 1 : 0;
	}
}

/* Runs the quick acceptance of the file into path and opens what came of it. */
static void make(struct made *made, const char *text, const char *path, unsigned threads,
	bool keep_going, struct stopper *stopper)
{
	struct run_info info = { .backend = "sim", .profile = "quick", .fabric_text = text };
	struct runner_options options = {
		.threads = threads,
		.keep_going = keep_going,
		.stop = &stopper->stop,
		.progress = stop_after,
		.arg = stopper,
	};
	struct diag diag = { "" };
	bool ended;

	info.fabric_bytes = strlen(text);
	ok(fabric_parse(&made->fabric, "tiny", text, strlen(text), NULL, &diag), &diag);
	made->plan = (struct plan)PLAN_INIT;
	plan_acceptance(&made->plan, &made->fabric, PROFILE_QUICK, 1);
	if (stopper->after != SIZE_MAX)
		shorten(&made->plan);
	ok(run_create(&made->run, path, &info, &diag), &diag);
	ok(runner_run(
		   made->run, &made->fabric, &made->plan, &options, &made->interrupted, &diag),
		&diag);
	run_close(made->run);
	ok(run_open(&made->run, path, &diag), &diag);
	assert_true(run_ended(made->run, &ended));
	assert_int_equal(ended, made->interrupted);
	ok(run_get_stages(made->run, &made->stages, &made->count, &diag), &diag);
	assert_int_equal(made->count, made->plan.count);
	assert_int_equal(stopper->told, made->count);
}

static void unmake(struct made *made)
{
	run_close(made->run);
	free(made->stages);
	plan_free(&made->plan);
	fabric_free(&made->fabric);
}

static enum verdict verdict_of(const struct made *made)
{
	struct findings findings = FINDINGS_INIT;
	struct diag diag = { "" };
	enum verdict verdict;

	ok(judge_run(made->run, &made->fabric, JUDGE_ALL, &findings, &diag), &diag);
	verdict = findings_verdict(&findings);
	findings_free(&findings);
	return verdict;
}

/* --- threads --- */

static void assert_same_counters(struct made *one, struct made *other, uint32_t stage)
{
	struct run_counter *a, *b;
	struct diag diag;
	size_t count, other_count;

	ok(run_get_counters(one->run, stage, &a, &count, &diag), &diag);
	ok(run_get_counters(other->run, stage, &b, &other_count, &diag), &diag);
	assert_int_equal(count, other_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(a[i].place, b[i].place);
		assert_string_equal(a[i].name, b[i].name);
		assert_int_equal(a[i].first, b[i].first);
		assert_int_equal(a[i].last, b[i].last);
	}
	free(a);
	free(b);
}

static char *whole_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *text;
	long end;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	end = ftell(file);
	assert_true(end > 0);
	rewind(file);
	*bytes = (size_t)end;
	text = zeroed(*bytes, 1);
	assert_int_equal(fread(text, 1, *bytes, file), *bytes);
	fclose(file);
	return text;
}

static void run_files_are_the_same_to_the_byte_with_one_and_two_threads(void **state)
{
	struct stopper one_stopper = { SIZE_MAX, 0, 0 }, two_stopper = { SIZE_MAX, 0, 0 };
	struct made one, two;
	char *first, *second;
	size_t bytes, other_bytes;

	(void)state;
	make(&one, TINY, "single.run", 1, false, &one_stopper);
	make(&two, TINY, "double.run", 2, false, &two_stopper);
	unmake(&one);
	unmake(&two);
	first = whole_file("single.run", &bytes);
	second = whole_file("double.run", &other_bytes);
	assert_int_equal(bytes, other_bytes);
	assert_memory_equal(first, second, bytes);
	free(first);
	free(second);
}

static void the_run_is_the_same_with_any_number_of_threads(void **state)
{
	struct stopper one_stopper = { SIZE_MAX, 0, 0 }, other_stopper = { SIZE_MAX, 0, 0 };
	struct made one, other;

	(void)state;
	make(&one, TINY, "one.run", 1, false, &one_stopper);
	make(&other, TINY, "other.run", 5, false, &other_stopper);
	for (uint32_t i = 0; i < one.count; i++) {
		assert_int_equal(one.stages[i].status, RUN_COMPLETE);
		assert_int_equal(one.stages[i].t0_ns, plan_start_ns(&one.plan, i));
		assert_int_equal(one.stages[i].t0_ns, other.stages[i].t0_ns);
		assert_int_equal(one.stages[i].t1_ns, other.stages[i].t1_ns);
		assert_same_counters(&one, &other, i);
	}
	unmake(&one);
	unmake(&other);
}

/* --- leaving out --- */

static void assert_status(
	const struct made *made, enum plan_layer layer, enum run_status status)
{
	for (size_t i = 0; i < made->count; i++) {
		if (made->stages[i].layer != layer)
			continue;
		assert_int_equal(made->stages[i].status, status);
		assert_int_equal(made->stages[i].reason[0] == '\0', status == RUN_COMPLETE);
	}
}

/* The reason of the first stage of a layer that was left out. */
static void assert_reason(const struct made *made, enum plan_layer layer, const char *words)
{
	size_t i = 0;

	while (i < made->count && made->stages[i].layer != layer)
		i++;
	assert_in_range(i, 0, made->count - 1);
	assert_non_null(strstr(made->stages[i].reason, words));
}

static void what_would_repeat_a_slow_pair_is_left_out(void **state)
{
	struct stopper stopper = { SIZE_MAX, 0, 0 };
	struct made made;

	(void)state;
	make(&made, TINY "faults:\n  - kind: rate\n    place: host2-leaf1\n    amount: 0.5\n",
		"slow.run", 2, false, &stopper);
	assert_status(&made, LAYER_PAIRS, RUN_COMPLETE);
	assert_status(&made, LAYER_NONBLOCKING, RUN_SKIPPED);
	assert_status(&made, LAYER_LOSSLESS, RUN_COMPLETE);
	assert_status(&made, LAYER_RING, RUN_SKIPPED);
	assert_reason(&made, LAYER_NONBLOCKING, "link.rate at host2-leaf1:2 failed");
	assert_reason(&made, LAYER_BURST, "link.rate at host2-leaf1:2 failed");
	assert_int_equal(verdict_of(&made), VERDICT_FAIL);
	unmake(&made);
}

static void keep_going_leaves_nothing_out(void **state)
{
	struct stopper stopper = { SIZE_MAX, 0, 0 };
	struct made made;

	(void)state;
	make(&made, TINY "faults:\n  - kind: rate\n    place: host2-leaf1\n    amount: 0.5\n",
		"going.run", 2, true, &stopper);
	for (size_t i = 0; i < made.count; i++)
		assert_int_not_equal(made.stages[i].status, RUN_SKIPPED);
	assert_int_equal(verdict_of(&made), VERDICT_FAIL);
	unmake(&made);
}

static void bursts_are_left_out_where_lossless_failed(void **state)
{
	struct stopper stopper = { SIZE_MAX, 0, 0 };
	struct made made;

	(void)state;
	make(&made, TINY "faults:\n  - kind: pfc-off\n    place: leaf1\n", "pfc.run", 2, false,
		&stopper);
	assert_status(&made, LAYER_LOSSLESS, RUN_COMPLETE);
	assert_status(&made, LAYER_BURST, RUN_SKIPPED);
	assert_reason(&made, LAYER_BURST, "switch.pfc-off at leaf1 failed");
	unmake(&made);
}

static void after_a_standstill_of_most_pairs_no_layer_is_run(void **state)
{
	struct stopper stopper = { SIZE_MAX, 0, 0 };
	struct made made;

	(void)state;
	make(&made,
		TINY "faults:\n  - kind: pause-storm\n    place: host1\n"
		     "  - kind: pause-storm\n    place: host2\n"
		     "  - kind: pause-storm\n    place: host3\n",
		"storm.run", 2, false, &stopper);
	assert_status(&made, LAYER_NONBLOCKING, RUN_SKIPPED);
	assert_status(&made, LAYER_LOSSLESS, RUN_SKIPPED);
	assert_status(&made, LAYER_BURST, RUN_SKIPPED);
	assert_status(&made, LAYER_RING, RUN_SKIPPED);
	unmake(&made);
}

/* --- a sweep --- */

/* The last stage, a ring, comes first. */
static void sweep(struct made *made, uint64_t until_ns)
{
	struct stopper stopper = { 0, 0, 0 };
	struct runner_options options = {
		.threads = 2, .stop = &stopper.stop, .until_ns = until_ns
	};
	struct run_info info = { .backend = "sim", .profile = "sweep", .fabric_text = TINY };
	struct plan_stage last;
	struct diag diag = { "" };

	*made = (struct made){ .fabric = FABRIC_INIT, .plan = PLAN_INIT };
	info.fabric_bytes = strlen(TINY);
	ok(fabric_parse(&made->fabric, "tiny", TINY, strlen(TINY), NULL, &diag), &diag);
	plan_acceptance(&made->plan, &made->fabric, PROFILE_QUICK, 1);
	shorten(&made->plan);
	snprintf(made->plan.profile, sizeof(made->plan.profile), "sweep");
	last = made->plan.stages[made->plan.count - 1];
	made->plan.stages[made->plan.count - 1] = made->plan.stages[0];
	made->plan.stages[0] = last;
	ok(run_create(&made->run, "sweep.run", &info, &diag), &diag);
	ok(runner_run(
		   made->run, &made->fabric, &made->plan, &options, &made->interrupted, &diag),
		&diag);
	ok(run_get_stages(made->run, &made->stages, &made->count, &diag), &diag);
	assert_int_equal(made->count, made->plan.count);
	assert_false(made->interrupted);
}

static void a_sweep_runs_in_the_order_of_its_plan_until_its_time_is_up(void **state)
{
	struct made made;

	(void)state;
	sweep(&made, 0);
	assert_int_equal(made.stages[0].layer, LAYER_RING);
	for (size_t i = 0; i < made.count; i++)
		assert_int_equal(made.stages[i].status, RUN_COMPLETE);
	unmake(&made);
	sweep(&made, 1);
	for (size_t i = 0; i < made.count; i++) {
		assert_int_equal(made.stages[i].status, RUN_SKIPPED);
		assert_string_equal(
			made.stages[i].reason, "its turn had not come when the time was up");
	}
	assert_int_equal(verdict_of(&made), VERDICT_UNKNOWN);
	unmake(&made);
}

/* --- a backend that measures --- */

static int no_facts(void *arg, struct run *run, struct diag *diag)
{
	(void)arg;
	(void)run;
	(void)diag;
	return 0;
}

/* It gave the stage as much longer as arg says; 0: it does not say. */
static int a_late_stage(void *arg, size_t index, struct sim_result *result, struct diag *why)
{
	const uint64_t *deadline_ns = arg;

	(void)why;
	*result = (struct sim_result){
		.stage = { .id = (uint32_t)index, .deadline_ns = *deadline_ns },
	};
	return 0;
}

static void a_deadline_that_was_put_off_is_kept(void **state)
{
	uint64_t deadline_ns[] = { 0, 50000000000 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(deadline_ns); i++) {
		struct runner_backend backend = {
			.facts = no_facts, .stage = a_late_stage, .arg = &deadline_ns[i]
		};
		struct stopper stopper = { SIZE_MAX, 0, 0 };
		struct runner_options options = { .backend = &backend, .stop = &stopper.stop };
		struct run_info info = {
			.backend = "verbs", .profile = "hand", .fabric_text = TINY
		};
		struct hand_stage hand = { .ranks = 2 };
		struct made made = { .plan = PLAN_INIT };
		struct diag diag = { "" };

		info.fabric_bytes = strlen(TINY);
		ok(fabric_parse(&made.fabric, "tiny", TINY, strlen(TINY), NULL, &diag), &diag);
		ok(plan_ring(&made.plan, &made.fabric, &hand, &diag), &diag);
		ok(run_create(&made.run, "late.run", &info, &diag), &diag);
		ok(runner_run(made.run, &made.fabric, &made.plan, &options, &made.interrupted,
			   &diag),
			&diag);
		ok(run_get_stages(made.run, &made.stages, &made.count, &diag), &diag);
		assert_int_equal(made.count, 1);
		assert_int_equal(made.stages[0].deadline_ns,
			i ? deadline_ns[i] : made.plan.stages[0].deadline_ns);
		unmake(&made);
	}
}

/* --- interruption --- */

static void an_interruption_keeps_what_was_measured_and_never_passes(void **state)
{
	size_t stages = 2; /* at least; the first round tells */

	(void)state;
	for (size_t after = 0; after + 1 < stages; after += 3) {
		struct stopper stopper = { after, 0, 0 };
		struct made made;

		make(&made, TINY, "stopped.run", 2, true, &stopper);
		stages = made.count;
		assert_true(made.interrupted);
		for (size_t i = 0; i < made.count; i++) {
			if (i <= after)
				assert_int_equal(made.stages[i].status, RUN_COMPLETE);
			if (made.stages[i].status == RUN_COMPLETE)
				continue;
			assert_int_equal(made.stages[i].status, RUN_PARTIAL);
			assert_true(made.stages[i].reason[0] != '\0');
		}
		assert_int_equal(made.stages[made.count - 1].status, RUN_PARTIAL);
		assert_int_not_equal(verdict_of(&made), VERDICT_PASS);
		unmake(&made);
	}
}

/* --- failing to write --- */

static size_t complete_stages(const char *path)
{
	struct run_stage *stages;
	size_t count, complete = 0;
	struct diag diag;
	struct run *run;
	bool interrupted;

	ok(run_open(&run, path, &diag), &diag);
	assert_false(run_ended(run, &interrupted));
	ok(run_get_stages(run, &stages, &count, &diag), &diag);
	for (size_t i = 0; i < count; i++)
		complete += stages[i].status == RUN_COMPLETE;
	free(stages);
	run_close(run);
	return complete;
}

/* The disk is "full" at a limit on the size of files. */
static void a_full_disk_ends_the_run_and_keeps_what_was_committed(void **state)
{
	struct run_info info = { .backend = "sim", .fabric_text = TINY };
	struct stopper stopper = { SIZE_MAX, 0, 0 };
	struct runner_options options = {
		.threads = 3, .stop = &stopper.stop, .progress = stop_after, .arg = &stopper
	};
	struct rlimit limit, full = { 400000, 0 };
	struct plan plan = PLAN_INIT;
	struct diag diag = { "" };
	struct fabric fabric;
	bool interrupted = false;
	struct run *run;

	(void)state;
	info.fabric_bytes = strlen(TINY);
	ok(fabric_parse(&fabric, "tiny", TINY, strlen(TINY), NULL, &diag), &diag);
	plan_acceptance(&plan, &fabric, PROFILE_QUICK, 1);
	ok(run_create(&run, "full.run", &info, &diag), &diag);
	getrlimit(RLIMIT_FSIZE, &limit);
	full.rlim_max = limit.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &full);
	assert_int_equal(
		runner_run(run, &fabric, &plan, &options, &interrupted, &diag), -EFBIG);
	run_close(run);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_non_null(strstr(diag.text, "full.run"));
	assert_true(stopper.told > 0);
	assert_true(complete_stages("full.run") >= stopper.told);
	plan_free(&plan);
	fabric_free(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_files_are_the_same_to_the_byte_with_one_and_two_threads),
		cmocka_unit_test(the_run_is_the_same_with_any_number_of_threads),
		cmocka_unit_test(what_would_repeat_a_slow_pair_is_left_out),
		cmocka_unit_test(keep_going_leaves_nothing_out),
		cmocka_unit_test(bursts_are_left_out_where_lossless_failed),
		cmocka_unit_test(after_a_standstill_of_most_pairs_no_layer_is_run),
		cmocka_unit_test(a_sweep_runs_in_the_order_of_its_plan_until_its_time_is_up),
		cmocka_unit_test(a_deadline_that_was_put_off_is_kept),
		cmocka_unit_test(an_interruption_keeps_what_was_measured_and_never_passes),
		cmocka_unit_test(a_full_disk_ends_the_run_and_keeps_what_was_committed),
	};

	return cmocka_run_group_tests_name("runner", tests, enter_folder, leave_folder);
}
