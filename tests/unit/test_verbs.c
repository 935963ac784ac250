/* SPDX-License-Identifier: Apache-2.0 */
/* What lib/verbs*.c does without a device: a completion queue that a NIC with a clock would
 * give, played by functions of this file, and what is said where there is no device. */
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/rdmacm.h"
#include "lib/units.h"
#include "lib/verbs_post.h"

#define RECEIVED (UINT64_C(1) << 63)

/* A queue of completions, ended (ENOENT) after `count`. */
static struct played {
	struct ibv_cq_ex queue;
	uint32_t count, at, ended;
	uint64_t ids[64], stamps[64];
	enum ibv_wc_status statuses[64];
} played;

static int show(struct played *now)
{
	if (now->at == now->count)
		return ENOENT;
	now->queue.wr_id = now->ids[now->at];
	now->queue.status = now->statuses[now->at];
	return 0;
}

static int start_poll(struct ibv_cq_ex *queue, struct ibv_poll_cq_attr *attr)
{
	(void)queue;
	(void)attr;
	return show(&played);
}

static int next_poll(struct ibv_cq_ex *queue)
{
	(void)queue;
	played.at++;
	return show(&played);
}

static void end_poll(struct ibv_cq_ex *queue)
{
	(void)queue;
	played.at += played.at < played.count;
	played.ended++;
}

static uint64_t read_stamp(struct ibv_cq_ex *queue)
{
	(void)queue;
	return played.stamps[played.at];
}

static uint32_t read_bytes(struct ibv_cq_ex *queue)
{
	(void)queue;
	return 77;
}

static uint32_t read_vendor(struct ibv_cq_ex *queue)
{
	(void)queue;
	return 5;
}

static unsigned read_flags(struct ibv_cq_ex *queue)
{
	(void)queue;
	return IBV_WC_WITH_IMM;
}

static __be32 read_immediate(struct ibv_cq_ex *queue)
{
	(void)queue;
	return htobe32(9);
}

static struct verbs_cq play(uint32_t count)
{
	played = (struct played){ .count = count };
	played.queue.start_poll = start_poll;
	played.queue.next_poll = next_poll;
	played.queue.end_poll = end_poll;
	played.queue.read_completion_ts = read_stamp;
	played.queue.read_byte_len = read_bytes;
	played.queue.read_vendor_err = read_vendor;
	played.queue.read_wc_flags = read_flags;
	played.queue.read_imm_data = read_immediate;
	for (uint32_t i = 0; i < count; i++) {
		played.ids[i] = UINT64_C(3) << 32 | UINT64_C(4) << 16 | i;
		played.stamps[i] = 1000 + i;
	}
	return (struct verbs_cq){
		.stamped = &played.queue,
		.clock_khz = 156250,
		.clock_mask = UINT64_MAX >> 16,
	};
}

static void completions_come_with_their_stamps(void **state)
{
	struct verbs_done done[VERBS_DONE_MAX];
	struct verbs_cq cq = play(3);

	(void)state;
	played.ids[1] |= RECEIVED;
	played.statuses[2] = IBV_WC_RETRY_EXC_ERR;
	assert_int_equal(verbs_poll(&cq, done), 3);
	assert_int_equal(done[0].id, 3);
	assert_int_equal(done[0].count, 4);
	assert_int_equal(done[0].stamp, 1000);
	assert_false(done[0].received);
	assert_true(done[1].received);
	assert_int_equal(done[1].bytes, 77);
	assert_int_equal(done[1].immediate, 9);
	assert_int_equal(done[1].stamp, 1001);
	assert_true(verbs_status_is_unanswered(done[2].status));
	assert_int_equal(done[2].vendor_error, 5);
	assert_int_equal(played.ended, 1);
}

static void no_more_are_taken_than_there_is_room_for(void **state)
{
	struct verbs_done done[VERBS_DONE_MAX];
	struct verbs_cq cq = play(VERBS_DONE_MAX + 8);

	(void)state;
	assert_int_equal(verbs_poll(&cq, done), VERBS_DONE_MAX);
	assert_int_equal(verbs_poll(&cq, done), 8);
	assert_int_equal(done[0].place, VERBS_DONE_MAX);
	assert_int_equal(verbs_poll(&cq, done), 0);
	assert_int_equal(played.ended, 2);
}

static void stamps_become_nanoseconds_also_round_the_end_of_the_clock(void **state)
{
	struct verbs_cq cq = play(0);
	uint64_t hour = UINT64_C(156250000) * 3600;

	(void)state;
	assert_int_equal(verbs_stamps_ns(&cq, 10, 10 + 156250), NS_PER_MS);
	assert_int_equal(verbs_stamps_ns(&cq, cq.clock_mask - 5, 19), 160);
	assert_int_equal(verbs_stamps_ns(&cq, 7, 7 + hour), 3600 * NS_PER_S);
}

static void a_path_asks_for_no_more_reads_than_it_says(void **state)
{
	const struct verbs_path path = { .mtu_bytes = 1024, .reads_in = 4, .reads_out = 1 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };

	(void)state;
	verbs_path_into(&path, &attr);
	assert_int_equal(attr.max_dest_rd_atomic, 4);
	assert_int_equal(attr.max_rd_atomic, 1);
}

/* A device that holds 96 bytes inline, and so many sends. */
static struct ibv_qp given;
static uint32_t given_sends;

struct ibv_qp *__wrap_ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int __wrap_ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);

struct ibv_qp *__wrap_ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	(void)pd;
	if (attr->cap.max_inline_data > 96) {
		attr->cap.max_send_wr = 0; /* what a driver leaves there says nothing */
		errno = EINVAL;
		return NULL;
	}
	given_sends = attr->cap.max_send_wr;
	return &given;
}

int __wrap_ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp;
	(void)attr;
	(void)mask;
	return 0;
}

static void what_a_nic_does_not_hold_inline_is_not_sent_inline(void **state)
{
	const struct verbs verbs = { .work_max = 64 };
	const struct verbs_cq cq = VERBS_CQ_INIT;
	struct verbs_qp qp = VERBS_QP_INIT;
	struct diag diag;

	(void)state;
	assert_int_equal(verbs_qp_open(&qp, &verbs, &cq, 16, 8, 64, 1, &diag), 0);
	assert_int_equal(qp.inline_bytes, 64);
	assert_int_equal(verbs_qp_open(&qp, &verbs, &cq, 16, 8, 128, 1, &diag), 0);
	assert_int_equal(qp.inline_bytes, 0);
	assert_int_equal(given_sends, 16);
}

static void an_address_of_nobody_s_cannot_be_listened_on(void **state)
{
	struct rdmacm rdmacm = RDMACM_INIT;
	struct verbs verbs = VERBS_INIT;
	struct diag diag;

	(void)state;
	strcpy(verbs.device, "mlx5_9");
	assert_true(gid_parse("192.0.2.1", verbs.gid));
	assert_true(rdmacm_listen(&rdmacm, &verbs, 1, &diag) < 0);
	assert_non_null(strstr(diag.text, "mlx5_9: "));
	assert_non_null(strstr(diag.text, "connection manager"));
	rdmacm_close(&rdmacm);
	rdmacm_close(&rdmacm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completions_come_with_their_stamps),
		cmocka_unit_test(no_more_are_taken_than_there_is_room_for),
		cmocka_unit_test(stamps_become_nanoseconds_also_round_the_end_of_the_clock),
		cmocka_unit_test(a_path_asks_for_no_more_reads_than_it_says),
		cmocka_unit_test(what_a_nic_does_not_hold_inline_is_not_sent_inline),
		cmocka_unit_test(an_address_of_nobody_s_cannot_be_listened_on),
	};

	return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}
