/* SPDX-License-Identifier: Apache-2.0 */
/* An end is opened and connected over a device played by this file: one that gives no QP a
 * completion queue with times, and has READs of its own number. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/gen.h"
#include "lib/diag.h"

int __wrap_verbs_memory_open(struct verbs_memory *memory, const struct verbs *device,
	size_t bytes, struct diag *diag);
int __wrap_verbs_cq_open_stamped(
	struct verbs_cq *cq, const struct verbs *device, uint32_t entries, struct diag *diag);
int __wrap_verbs_cq_open(
	struct verbs_cq *cq, const struct verbs *device, uint32_t entries, struct diag *diag);
int __wrap_verbs_qp_open(struct verbs_qp *qp, const struct verbs *device,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t psn, struct diag *diag);
int __wrap_verbs_qp_connect(struct verbs_qp *qp, const struct verbs *device,
	const struct verbs_path *path, struct diag *diag);

static struct gen gen;
static struct verbs verbs;
static struct verbs_path connected;
static uint32_t plain_entries, stamped_entries;
static bool strict; /* memory is written in order */
static int refusal; /* of a QP on a queue with times */

int __wrap_verbs_memory_open(struct verbs_memory *memory, const struct verbs *device,
	size_t bytes, struct diag *diag)
{
	static uint8_t base[1 << 20]; /* stays: a struct without bytes gives none back */

	(void)device;
	(void)diag;
	assert_true(bytes <= sizeof(base));
	strict = memory->strict;
	memory->base = base;
	return 0;
}

int __wrap_verbs_cq_open_stamped(
	struct verbs_cq *cq, const struct verbs *device, uint32_t entries, struct diag *diag)
{
	static char queue;

	(void)device;
	(void)diag;
	stamped_entries = entries;
	cq->stamped = (struct ibv_cq_ex *)(void *)&queue;
	cq->clock_khz = 1000000;
	return 0;
}

int __wrap_verbs_cq_open(
	struct verbs_cq *cq, const struct verbs *device, uint32_t entries, struct diag *diag)
{
	(void)cq;
	(void)device;
	(void)diag;
	plain_entries = entries;
	return 0;
}

int __wrap_verbs_qp_open(struct verbs_qp *qp, const struct verbs *device,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t psn, struct diag *diag)
{
	(void)device;
	(void)sends;
	(void)receives;
	(void)inline_bytes;
	(void)psn;
	qp->number = 5;
	return refusal && cq->stamped ? diag_error(diag, refusal, "no QP") : 0;
}

int __wrap_verbs_qp_connect(struct verbs_qp *qp, const struct verbs *device,
	const struct verbs_path *path, struct diag *diag)
{
	(void)qp;
	(void)device;
	(void)diag;
	connected = *path;
	return 0;
}

static struct gen_plan begin(enum verbs_work work)
{
	struct gen_plan plan = { .work = work, .qps = 2, .bytes = 4096, .depth = 8 };
	struct diag diag;

	plan.mtu_bytes = 4096;
	plan.timeout_exp = 14;
	gen_close(&gen);
	memset(&gen, 0, sizeof(gen));
	verbs = (struct verbs){ .work_max = 1024, .done_max = 1024 };
	verbs.reads_in = verbs.reads_out = 4;
	plain_entries = 0;
	refusal = 0;
	assert_int_equal(gen_plan_complete(&plan, &diag), 0);
	return plan;
}

static void completions_have_their_times_where_a_qp_takes_them(void **state)
{
	struct gen_plan plan = begin(VERBS_WRITE);
	struct diag diag;

	(void)state;
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	assert_int_equal(gen.cq.clock_khz, 1000000);
	assert_int_equal(plain_entries, 0);
}

static void a_nic_that_gives_no_qp_completion_times_is_asked_without(void **state)
{
	struct gen_plan plan = begin(VERBS_WRITE);
	struct diag diag;

	(void)state;
	refusal = -EOPNOTSUPP;
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	assert_null(gen.cq.stamped);
	assert_int_equal(gen.cq.clock_khz, 0);
	assert_int_not_equal(plain_entries, 0);
}

static void there_is_room_for_all_that_a_failure_flushes(void **state)
{
	struct gen_plan plan = begin(VERBS_WRITE);
	struct diag diag;

	(void)state;
	assert_int_equal(plan.every, plan.depth); /* otherwise one completion per QP */
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	assert_true(stamped_entries >= plan.qps * plan.depth);
	plan = begin(VERBS_WRITE);
	verbs.done_max = 10;
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	assert_in_range(stamped_entries, plan.qps, 10);
}

static void no_more_reads_are_under_way_than_both_ends_can(void **state)
{
	struct gen_plan plan = begin(VERBS_WRITE);
	struct gen_end end, peer = { .reads = 3, .qps = 2 };
	struct diag diag;

	(void)state;
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	gen_end(&gen, &end);
	assert_int_equal(end.reads, 4);
	assert_int_equal(gen_connect(&gen, &peer, &diag), 0);
	assert_int_equal(connected.reads_in, 4);
	assert_int_equal(connected.reads_out, 3);
	plan = begin(VERBS_WRITE);
	peer.reads = 16;
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	assert_int_equal(gen_connect(&gen, &peer, &diag), 0);
	assert_int_equal(connected.reads_out, 4);
}

static void reads_that_an_end_cannot_do_are_refused(void **state)
{
	struct gen_plan plan = begin(VERBS_READ);
	struct gen_end peer = { .reads = 0, .qps = 2 };
	struct diag diag;

	(void)state;
	assert_int_equal(gen_open(&gen, &verbs, &plan, true, &diag), 0);
	assert_int_equal(gen_connect(&gen, &peer, &diag), -EOPNOTSUPP);
	assert_non_null(strstr(diag.text, "choose another --op"));
	gen.plan.work = VERBS_WRITE;
	assert_int_equal(gen_connect(&gen, &peer, &diag), 0);
	assert_int_equal(connected.reads_out, 0);
}

static int end_all(void **state)
{
	(void)state;
	gen_close(&gen);
	return 0;
}

static const struct order {
	const char *name;
	enum verbs_work work;
	bool check, latency, strict;
} orders[] = {
	{ "writes that nobody looks at come in any order", VERBS_WRITE, false, false, false },
	{ "writes that are looked at after a word come in order", VERBS_WRITE, true, false,
		true },
	{ "so does a ping", VERBS_WRITE, false, true, true },
	{ "a send is looked at after its completion", VERBS_SEND, true, false, false },
	{ "so is a write that tells of itself", VERBS_WRITE_IMM, true, false, false },
	{ "and a read", VERBS_READ, true, false, false },
};

static void memory_is_in_order_where_no_completion_is_waited_for(void **state)
{
	const struct order *row = *state;
	struct gen_plan plan = begin(row->work);
	struct diag diag;

	plan.check = row->check;
	plan.latency = row->latency;
	plan.slots = plan.depth;
	assert_int_equal(gen_open(&gen, &verbs, &plan, false, &diag), 0);
	assert_int_equal(strict, row->strict);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(orders) + 5] = {
		cmocka_unit_test(completions_have_their_times_where_a_qp_takes_them),
		cmocka_unit_test(a_nic_that_gives_no_qp_completion_times_is_asked_without),
		cmocka_unit_test(there_is_room_for_all_that_a_failure_flushes),
		cmocka_unit_test(no_more_reads_are_under_way_than_both_ends_can),
		cmocka_unit_test(reads_that_an_end_cannot_do_are_refused),
	};

	for (size_t i = 0; i < COUNT_OF(orders); i++)
		tests[i + 5] = (struct CMUnitTest){
			.name = orders[i].name,
			.test_func = memory_is_in_order_where_no_completion_is_waited_for,
			.initial_state = (void *)(uintptr_t)&orders[i],
		};
	return cmocka_run_group_tests_name("gen_open", tests, NULL, end_all);
}
