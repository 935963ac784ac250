/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of traffic, without a device: what is opened, looked at and concluded. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/gen.h"
#include "lib/crc32c.h"
#include "lib/diag.h"

#define SLOTS 4u
#define STRIDE 64u

static void writes_are_checked_as_far_as_every_qp_has_come(void **state)
{
	static struct gen gen;
	uint32_t crcs[2 * SLOTS];
	struct diag diag;

	(void)state;
	gen.plan = (struct gen_plan){
		.work = VERBS_WRITE, .qps = 2, .bytes = STRIDE, .slots = SLOTS, .check = true
	};
	gen.stride = STRIDE;
	gen.arrival_slots = SLOTS;
	gen.crcs = crcs;
	gen.memory.base = calloc(2 * 2 * SLOTS, STRIDE);
	assert_non_null(gen.memory.base);
	/* One QP has written all, the other one two: that is three on the average. */
	for (uint32_t qp = 0; qp < 2; qp++)
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			uint8_t payload[STRIDE];

			memset(payload, (int)(1 + qp * SLOTS + slot), STRIDE);
			crcs[qp * SLOTS + slot] = crc32c(payload, STRIDE);
			if (qp == 0 || slot < 2)
				memcpy(gen.memory.base + gen_receive_offset(&gen, qp) +
						slot * STRIDE,
					payload, STRIDE);
		}
	assert_int_equal(gen_receive_rest(&gen, 6, 2, &diag), 0);
	assert_int_equal(gen.result.corrupt, 0);
	assert_int_equal(gen.result.checked, 4);
	assert_int_equal(gen_receive_rest(&gen, 8, 4, &diag), 0);
	assert_int_equal(gen.result.corrupt, 2);
	free(gen.memory.base);
}

static void a_large_message_has_the_time_that_it_takes(void **state)
{
	struct gen_plan plan = {
		.qps = 2, .bytes = GEN_BYTES_MAX, .every = 1, .timeout_exp = 14, .retry = 7
	};

	(void)state;
	/* 2 GiB at 1 Gb/s */
	assert_true(gen_stall_ns(&plan) > 17 * NS_PER_S);
	plan.latency = true;
	plan.qps = 1;
	assert_true(gen_stall_ns(&plan) > 17 * NS_PER_S);
	plan.bytes = 64;
	assert_in_range(gen_stall_ns(&plan), 5 * NS_PER_S, 6 * NS_PER_S);
}

static void no_two_qps_share_a_source_port(void **state)
{
	struct gen_plan plan = { .qps = VERBS_QPS_MAX };
	uint32_t neighbours = 0, last = 0;

	(void)state;
	for (; plan.seed < 100; plan.seed++) {
		bool seen[1 << 14] = { false };

		for (uint32_t qp = 0; qp < plan.qps; qp++) {
			uint32_t label = gen_flow_label(plan.seed, qp);

			assert_in_range(label, 1, (1 << 14) - 1);
			assert_false(seen[label]);
			seen[label] = true;
			neighbours += label == last + 1 || last == label + 1;
			last = label;
		}
	}
	/* By chance 3 of 25,600 are; hashes of switches keep neighbours together. */
	assert_in_range(neighbours, 0, 20);
}

/* --- a device played by this file: nothing is completed --- */

static int port_is_up; /* as verbs_is_up() tells */

int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX]);
int __wrap_verbs_is_up(const struct verbs *verbs);

int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX])
{
	(void)cq;
	(void)done;
	return 0;
}

int __wrap_verbs_is_up(const struct verbs *verbs)
{
	(void)verbs;
	return port_is_up;
}

static void who_stands_still_looks_at_its_own_port(void **state)
{
	static const struct {
		int up, err;
		const char *words;
	} cases[] = {
		{ 1, -EHOSTUNREACH, "nothing was completed for" },
		{ 0, -EHOSTUNREACH, "mlx5_0 port 1 went down in mid-run" },
		{ -EIO, -EIO, "mlx5_0 tells nothing of its port 1 any more" },
	};
	static const struct verbs verbs = { .device = "mlx5_0", .port = 1 };
	static struct gen gen;
	struct diag diag;

	(void)state;
	gen.verbs = &verbs;
	gen.in_flight = 1;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int err = 0;

		port_is_up = cases[i].up;
		while (!err)
			err = gen_turn(&gen, &diag);
		assert_int_equal(err, cases[i].err);
		assert_non_null(strstr(diag.text, cases[i].words));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_are_checked_as_far_as_every_qp_has_come),
		cmocka_unit_test(a_large_message_has_the_time_that_it_takes),
		cmocka_unit_test(no_two_qps_share_a_source_port),
		cmocka_unit_test(who_stands_still_looks_at_its_own_port),
	};

	return cmocka_run_group_tests_name("gen", tests, NULL, NULL);
}
