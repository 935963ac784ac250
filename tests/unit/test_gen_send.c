/* SPDX-License-Identifier: Apache-2.0 */
/* The end that sends, over a device played by this file, which completes one message a
 * poll. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric/gen_pace.h"
#include "lib/clock.h"
#include "lib/diag.h"

#define PATIENCE_S 60u /* then a sender that hangs is ended */

int __wrap_verbs_ring_post(struct verbs_ring *ring, uint32_t count, bool last);
int __wrap_verbs_is_up(const struct verbs *of);
int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX]);

static struct gen gen;
static struct verbs verbs;
static uint32_t waiting[VERBS_QPS_MAX];
static uint64_t posts, first_ns, early;
static uint64_t away_ns; /* the next poll takes so long */

/* A message that leaves before its burst is due is early. */
int __wrap_verbs_ring_post(struct verbs_ring *ring, uint32_t count, bool last)
{
	uint32_t qp =
		(uint32_t)((struct gen_qp *)((char *)ring - offsetof(struct gen_qp, sends)) -
			   gen.qps);
	uint64_t now = clock_ns();

	(void)last;
	if (!first_ns)
		first_ns = gen.start_ns;
	if (gen.plan.burst && now < first_ns + gen_pace_due_ns(&gen.plan, posts + count - 1))
		early++;
	posts += count;
	waiting[qp] += count;
	return 0;
}

int __wrap_verbs_is_up(const struct verbs *of)
{
	(void)of;
	return 1;
}

static const int *statuses; /* of the next completions; NULL: all is well; ends with 0 */
static uint32_t polls;

/* One at a time, so that some are always left for the next look. */
int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX])
{
	const struct timespec away = { .tv_nsec = (long)away_ns };

	(void)cq;
	polls++;
	if (statuses) {
		done[0] = (struct verbs_done){ .status = *statuses };
		return *statuses ? (statuses++, 1) : 0;
	}
	if (away_ns)
		nanosleep(&away, NULL);
	away_ns = 0;
	for (uint32_t i = 0; i < gen.plan.qps; i++) {
		if (!waiting[i])
			continue;
		waiting[i]--;
		done[0] = (struct verbs_done){ .id = i, .count = 1 };
		return 1;
	}
	return 0;
}

static void begin(struct gen_plan plan)
{
	struct diag diag;

	plan.bytes = 1000;
	plan.depth = 8;
	plan.interval_ns = NS_PER_MS;
	plan.mtu_bytes = 4096;
	plan.timeout_exp = 14;
	assert_int_equal(gen_plan_complete(&plan, &diag), 0);
	memset(&gen, 0, sizeof(gen));
	memset(waiting, 0, sizeof(waiting));
	posts = first_ns = early = 0;
	gen.plan = plan;
	gen.verbs = &verbs;
	gen.active = true;
	gen.stall_ns = 5 * NS_PER_S;
	alarm(PATIENCE_S);
}

static void end(void)
{
	alarm(0);
	free(gen.result.series);
}

/* A control channel, and its other end. */
static struct control channel;
static int far_end;

static void open_channel(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	control_adopt(&channel, ends[0], ends[0], "the test");
	far_end = ends[1];
}

static void close_channel(void)
{
	control_close(&channel);
	close(far_end);
}

static const struct send_case {
	const char *name;
	struct gen_plan plan;
	uint64_t least_ns; /* from the first message to the last one's completion */
} cases[] = {
	{ "as fast as they complete", { .qps = 3, .messages = 50 }, 0 },
	{ "one by one", { .qps = 2, .messages = 10, .burst = 1, .period_ps = 1000000000 },
		19 * NS_PER_MS },
	{ "in bursts", { .qps = 2, .messages = 16, .burst = 8, .period_ps = 10000000000 },
		30 * NS_PER_MS },
	{ "in bursts that end with a part of one",
		{ .qps = 3, .messages = 5, .burst = 4, .period_ps = 10000000000 },
		30 * NS_PER_MS },
	{ "in bursts larger than what can be under way",
		{ .qps = 1, .messages = 60, .burst = 30, .period_ps = 10000000000 },
		10 * NS_PER_MS },
	{ "faster than can be looked",
		{ .qps = 4, .messages = 1000, .burst = 1, .period_ps = 1 }, 0 },
};

static void all_are_sent_and_none_before_it_is_due(void **state)
{
	const struct send_case *row = *state;
	uint64_t all = row->plan.messages * row->plan.qps;
	struct diag diag;

	begin(row->plan);
	assert_int_equal(gen_send(&gen, NULL, &diag), 0);
	assert_int_equal(posts, all);
	assert_int_equal(gen.result.messages, all);
	assert_int_equal(early, 0);
	assert_true(gen.result.end_ns - gen.result.begin_ns >= row->least_ns);
	for (uint32_t i = 0; i < row->plan.qps; i++)
		assert_int_equal(gen.qps[i].posted, row->plan.messages);
	end();
}

static void a_timed_run_ends_with_all_complete(void **state)
{
	struct gen_plan plan = {
		.qps = 2,
		.duration_ns = 50 * NS_PER_MS,
		.burst = 4,
		.period_ps = 5 * NS_PER_MS * PS_PER_NS,
	};
	struct diag diag;

	(void)state;
	begin(plan);
	assert_int_equal(gen_send(&gen, NULL, &diag), 0);
	assert_int_equal(gen.in_flight, 0);
	assert_int_equal(gen.result.messages_all, posts);
	assert_int_equal(gen.result.messages_least,
		gen.qps[0].sent < gen.qps[1].sent ? gen.qps[0].sent : gen.qps[1].sent);
	assert_true(gen.result.end_ns - gen.result.begin_ns >= plan.duration_ns);
	assert_int_equal(early, 0);
	end();
}

/* The sender is away for a while after its first message: of those due meanwhile the second was
 * the first one due. */
static void what_is_told_to_be_late_is_the_latest(void **state)
{
	struct gen_plan plan = {
		.qps = 1, .messages = 8, .burst = 1, .period_ps = NS_PER_MS * PS_PER_NS
	};
	struct diag diag;

	(void)state;
	begin(plan);
	away_ns = 40 * NS_PER_MS;
	assert_int_equal(gen_send(&gen, NULL, &diag), 0);
	assert_true(gen.result.pace_late_ns >= 39 * NS_PER_MS);
	end();
}

/* Both where completions come all the time, and where nothing is due for long. */
static void a_peer_that_goes_in_mid_run_ends_it(void **state)
{
	static const uint64_t periods_ns[] = { NS_PER_MS, 5 * NS_PER_S };
	struct gen_plan plan = { .qps = 2, .duration_ns = 3600 * NS_PER_S, .burst = 1 };
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(periods_ns); i++) {
		plan.period_ps = periods_ns[i] * PS_PER_NS;
		begin(plan);
		open_channel();
		assert_int_equal(write(far_end, "last words", 10), 10);
		assert_int_equal(shutdown(far_end, SHUT_RDWR), 0);
		assert_int_equal(gen_send(&gen, &channel, &diag), -ECANCELED);
		assert_non_null(strstr(diag.text, "the test has gone in mid-run"));
		assert_true(control_ready(&channel, 0));
		close_channel();
		end();
	}
}

static void words_of_the_peer_do_not_end_what_is_sent(void **state)
{
	struct gen_plan plan = { .qps = 1, .messages = 20, .burst = 1 };
	struct diag diag;

	(void)state;
	plan.period_ps = 10 * NS_PER_MS * PS_PER_NS;
	begin(plan);
	open_channel();
	assert_int_equal(write(far_end, "done", 4), 4);
	assert_int_equal(gen_send(&gen, &channel, &diag), 0);
	close_channel();
	end();
}

static void a_start_at_an_absolute_time_is_kept(void **state)
{
	struct gen_plan plan = { .qps = 1, .messages = 4 };
	struct timespec now;
	struct diag diag;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &now);
	plan.start_ns =
		(uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec + 20 * NS_PER_MS;
	begin(plan);
	open_channel();
	assert_int_equal(gen_await_start(&gen, &channel, &diag), 0);
	assert_int_equal(gen_send(&gen, NULL, &diag), 0);
	clock_gettime(CLOCK_REALTIME, &now);
	assert_true((uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec >= plan.start_ns);
	assert_int_equal(posts, 4);
	close_channel();
	end();
}

static void a_start_that_nobody_can_wait_for_is_refused(void **state)
{
	struct gen_plan plan = { .qps = 1, .messages = 4, .start_ns = INT64_MAX };
	struct diag diag;

	(void)state;
	begin(plan);
	open_channel();
	assert_int_equal(gen_await_start(&gen, &channel, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "more than an hour ahead"));
	close_channel();
	end();
}

static void a_peer_that_goes_before_the_start_is_noticed(void **state)
{
	struct gen_plan plan = { .qps = 1, .messages = 4 };
	struct timespec now;
	struct diag diag;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &now);
	plan.start_ns = ((uint64_t)now.tv_sec + 2 * PATIENCE_S) * NS_PER_S;
	begin(plan);
	open_channel();
	close(far_end);
	assert_int_equal(gen_await_start(&gen, &channel, &diag), -ECANCELED);
	close_channel();
	end();
}

/* 5: flushed; 12: not acknowledged. */
static void the_cause_of_a_flush_is_waited_for_turn_by_turn(void **state)
{
	static const int late[] = { 5, 5, 12, 0 }, never[] = { 5, 0 };
	struct diag diag;
	int err = 0;

	(void)state;
	begin((struct gen_plan){ .qps = 1, .messages = 50 });
	gen.one_of_several = true;
	statuses = late;
	polls = 0;
	assert_true(gen_turn(&gen, &diag) >= 0);
	assert_int_equal(polls, 1);
	assert_true(gen_turn(&gen, &diag) >= 0);
	assert_int_equal(gen_turn(&gen, &diag), -EHOSTUNREACH);
	end();
	begin((struct gen_plan){ .qps = 1, .messages = 50 });
	gen.one_of_several = true;
	statuses = never;
	while (err >= 0)
		err = gen_turn(&gen, &diag);
	assert_int_equal(err, -EIO);
	assert_non_null(strstr(diag.text, "failed"));
	end();
	/* One alone waits in its turn. */
	begin((struct gen_plan){ .qps = 1, .messages = 50 });
	statuses = late;
	assert_int_equal(gen_turn(&gen, &diag), -EHOSTUNREACH);
	statuses = NULL;
	end();
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 8] = {
		cmocka_unit_test(a_timed_run_ends_with_all_complete),
		cmocka_unit_test(what_is_told_to_be_late_is_the_latest),
		cmocka_unit_test(a_peer_that_goes_in_mid_run_ends_it),
		cmocka_unit_test(words_of_the_peer_do_not_end_what_is_sent),
		cmocka_unit_test(a_start_at_an_absolute_time_is_kept),
		cmocka_unit_test(a_start_that_nobody_can_wait_for_is_refused),
		cmocka_unit_test(a_peer_that_goes_before_the_start_is_noticed),
		cmocka_unit_test(the_cause_of_a_flush_is_waited_for_turn_by_turn),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 8] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = all_are_sent_and_none_before_it_is_due,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("gen_send", tests, NULL, NULL);
}
