/* SPDX-License-Identifier: Apache-2.0 */
/* A rank of a ring over a device played by this file: which side it charges with what does not
 * go on, and when it charges none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fabric/allreduce.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define FROM_PREV ALLREDUCE_FROM_PREV
#define UNANSWERED 12 /* as ibv_wc_status counts them */
#define FLUSHED 5
#define PROTECTION 4

int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX]);
int __wrap_verbs_is_up(const struct verbs *of);
int __wrap_verbs_post_write(const struct verbs_qp *qp, const struct verbs_write *write);
int __wrap_verbs_post_receive(const struct verbs_qp *qp, uint32_t id);

static struct verbs_done coming[4];
static int count, port, writes;

int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX])
{
	int taken = count;

	(void)cq;
	memcpy(done, coming, sizeof(coming));
	count = 0;
	return taken;
}

int __wrap_verbs_is_up(const struct verbs *of)
{
	(void)of;
	return port;
}

int __wrap_verbs_post_write(const struct verbs_qp *qp, const struct verbs_write *write)
{
	(void)qp;
	(void)write;
	writes++;
	return 0;
}

int __wrap_verbs_post_receive(const struct verbs_qp *qp, uint32_t id)
{
	(void)qp;
	(void)id;
	return 0;
}

/* Rank 1 of four has posted its first step. */
static void begin(struct allreduce *all)
{
	static struct verbs verbs = { .device = "rdma0", .port = 1 };
	struct diag diag;

	*all = (struct allreduce)ALLREDUCE_INIT;
	all->plan = (struct allreduce_plan){
		.rank = 1, .ranks = 4, .qps = 1, .iterations = 1, .bytes = 64
	};
	assert_int_equal(ring_init(&all->ring, 4, 64, 4), 0);
	all->verbs = &verbs;
	all->count = ring_steps(&all->ring);
	all->slot_bytes = 64;
	all->stall_ns = 10 * NS_PER_S;
	all->steps = zeroed(all->count, sizeof(*all->steps));
	all->sent_last = zeroed(4, sizeof(*all->sent_last));
	all->memory.base = zeroed(1, 1024);
	allreduce_fill(ALLREDUCE_INT32, all->memory.base, 0, 16, 1);
	strcpy(all->next.peer, "NEXT");
	strcpy(all->prev.peer, "PREV");
	count = 0;
	port = 1;
	writes = 0;
	assert_int_equal(allreduce_begin(all, &diag), 0);
	assert_int_equal(all->posted, 1);
}

static void end(struct allreduce *all)
{
	free(all->memory.base);
	free(all->steps);
	free(all->sent_last);
}

static int turn(struct allreduce *all, struct diag *diag)
{
	diag->text[0] = '\0';
	return allreduce_turn(all, diag);
}

static void comes(struct allreduce *all, struct verbs_done done)
{
	struct diag diag;

	coming[0] = done;
	count = 1;
	assert_int_equal(turn(all, &diag), 1);
}

static void is_acknowledged(struct allreduce *all)
{
	comes(all, (struct verbs_done){ .id = 0, .count = 1 });
}

static void arrives(struct allreduce *all, uint32_t step)
{
	comes(all, (struct verbs_done){ .id = FROM_PREV, .received = true, .immediate = step });
}

static void time_passes(struct allreduce *all)
{
	all->last_ns -= all->stall_ns + NS_PER_S;
	if (all->cause_by_ns)
		all->cause_by_ns -= NS_PER_S;
}

/* The next turn ends it so: which sides are not reached, and the words. */
static void it_ends(struct allreduce *all, int err, bool next, bool prev, const char *words)
{
	struct diag diag;

	assert_int_equal(turn(all, &diag), err);
	assert_int_equal(all->next.unreachable, next);
	assert_int_equal(all->prev.unreachable, prev);
	assert_non_null(strstr(diag.text, words));
	end(all);
}

static void a_side_that_does_not_acknowledge_is_told_apart(void **state)
{
	static const struct {
		uint32_t id;
		int status, up, err;
		bool next, prev;
		const char *words;
	} cases[] = {
		{ 0, UNANSWERED, 1, -EHOSTUNREACH, true, false, "NEXT does not acknowledge" },
		{ FROM_PREV, UNANSWERED, 1, -EHOSTUNREACH, false, true,
			"PREV does not acknowledge" },
		{ 0, UNANSWERED, 0, -EHOSTUNREACH, true, true, "went down" },
		{ 0, PROTECTION, 0, -EHOSTUNREACH, true, true, "went down" },
		{ FROM_PREV, UNANSWERED, -ENODEV, -EIO, false, false, "tells nothing" },
		{ 0, PROTECTION, 1, -EIO, false, false, "the QP with NEXT failed" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct allreduce all;

		begin(&all);
		coming[0] = (struct verbs_done){ .id = cases[i].id, .status = cases[i].status };
		count = 1;
		port = cases[i].up;
		it_ends(&all, cases[i].err, cases[i].next, cases[i].prev, cases[i].words);
	}
}

/* Rank 1 has sent one step, which was acknowledged or not, and given a slot back or not. */
static void who_has_nothing_under_way_charges_nobody(void **state)
{
	static const struct {
		bool acknowledged, arrived, returned;
		int up, err;
		bool next, prev;
		const char *words;
	} cases[] = {
		{ true, false, false, 1, -ETIMEDOUT, false, false, "of rank 0, PREV" },
		{ false, false, false, 1, -EHOSTUNREACH, true, false, "way to NEXT" },
		{ true, true, false, 1, -EHOSTUNREACH, true, true, "way to NEXT and PREV" },
		{ true, true, true, 1, -EHOSTUNREACH, true, false, "way to NEXT" },
		{ true, false, false, 0, -EHOSTUNREACH, true, true, "went down" },
		{ true, false, false, -ENODEV, -EIO, false, false, "tells nothing" },
		{ false, false, false, -EIO, -EIO, false, false, "tells nothing" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct allreduce all;
		struct diag diag;

		begin(&all);
		if (cases[i].acknowledged)
			is_acknowledged(&all);
		if (cases[i].arrived)
			arrives(&all, 0);
		if (cases[i].returned)
			comes(&all, (struct verbs_done){ .id = FROM_PREV, .count = 1 });
		assert_int_equal(turn(&all, &diag), 0);
		time_passes(&all);
		port = cases[i].up;
		it_ends(&all, cases[i].err, cases[i].next, cases[i].prev, cases[i].words);
	}
}

/* A slot of the next rank that does not come is for that rank to tell of. */
static void who_waits_for_a_slot_says_so(void **state)
{
	struct allreduce all;
	struct diag diag;

	(void)state;
	begin(&all);
	for (uint32_t step = 0; step < ALLREDUCE_SLOTS; step++) {
		is_acknowledged(&all);
		arrives(&all, step);
		comes(&all, (struct verbs_done){ .id = FROM_PREV, .count = 1 });
	}
	assert_int_equal(all.posted, ALLREDUCE_SLOTS);
	time_passes(&all);
	assert_int_equal(turn(&all, &diag), -ETIMEDOUT);
	assert_non_null(strstr(diag.text, "a slot of rank 2, NEXT"));
	end(&all);
}

static void a_flush_waits_for_its_cause_and_not_for_ever(void **state)
{
	struct allreduce all;
	struct diag diag;

	(void)state;
	begin(&all);
	comes(&all, (struct verbs_done){ .id = FROM_PREV, .status = FLUSHED });
	coming[0] = (struct verbs_done){ .id = FROM_PREV, .status = UNANSWERED };
	count = 1;
	assert_int_equal(turn(&all, &diag), -EHOSTUNREACH);
	assert_true(all.prev.unreachable);
	end(&all);

	begin(&all);
	comes(&all, (struct verbs_done){ .id = FROM_PREV, .status = FLUSHED });
	/* Nothing is sent on a QP that has failed. */
	is_acknowledged(&all);
	arrives(&all, 0);
	assert_int_equal(writes, 1);
	time_passes(&all);
	all.last_ns = clock_ns();
	assert_int_equal(turn(&all, &diag), -EIO);
	assert_false(all.next.unreachable || all.prev.unreachable);
	assert_non_null(strstr(diag.text, "the QP with PREV failed"));
	end(&all);
}

static void a_large_chunk_has_the_time_that_it_takes(void **state)
{
	struct allreduce_plan plan = { .timeout_exp = 14, .retry = 7 };

	(void)state;
	assert_in_range(allreduce_stall_ns(&plan, 4 * MIB), 10 * NS_PER_S, 12 * NS_PER_S);
	/* 4 GiB at 100 Mb/s */
	assert_true(allreduce_stall_ns(&plan, UINT64_C(1) << 30) > 340 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_side_that_does_not_acknowledge_is_told_apart),
		cmocka_unit_test(who_has_nothing_under_way_charges_nobody),
		cmocka_unit_test(who_waits_for_a_slot_says_so),
		cmocka_unit_test(a_flush_waits_for_its_cause_and_not_for_ever),
		cmocka_unit_test(a_large_chunk_has_the_time_that_it_takes),
	};

	return cmocka_run_group_tests_name("allreduce_turn", tests, NULL, NULL);
}
