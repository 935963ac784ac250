/* SPDX-License-Identifier: Apache-2.0 */
/* From the options of bw and lat to the plan. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/peer.h"
#include "lib/diag.h"
#include "lib/units.h"

static const struct verbs verbs = { .device = "mlx5_0", .port = 1, .mtu_bytes = 4096 };

static struct peer_args usual(void)
{
	return (struct peer_args){
		.command = "bw",
		.bytes = 64 * KIB,
		.seconds = 5,
		.qps = 1,
		.depth = 128,
		.interval_ns = 100 * NS_PER_MS,
		.traffic_class = 106,
	};
}

static void the_series_has_room_for_a_run_of_a_day(void **state)
{
	static const uint64_t seconds[] = { 1, 5, 3599, 3600, 7200, 86400 };
	struct peer_args args = usual();
	struct gen_plan plan;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(seconds); i++) {
		args.seconds = seconds[i];
		assert_int_equal(peer_plan(&args, &verbs, &plan, &diag), 0);
		assert_true(plan.duration_ns / plan.interval_ns < GEN_SERIES_MAX);
		assert_int_equal(plan.interval_ns % NS_PER_MS, 0);
		if (seconds[i] < 3600)
			assert_int_equal(plan.interval_ns, 100 * NS_PER_MS);
	}
}

static void a_datagram_fills_the_mtu_unless_it_is_told_otherwise(void **state)
{
	struct peer_args args = usual();
	struct gen_plan plan;
	struct diag diag;

	(void)state;
	args.bytes = 0;
	args.connection = 1;
	args.work = VERBS_SEND;
	assert_int_equal(peer_plan(&args, &verbs, &plan, &diag), 0);
	assert_int_equal(plan.bytes, 4096);
	args.mtu_bytes = 1024;
	assert_int_equal(peer_plan(&args, &verbs, &plan, &diag), 0);
	assert_int_equal(plan.bytes, 1024);
	args.bytes = 1025;
	assert_int_equal(peer_plan(&args, &verbs, &plan, &diag), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_series_has_room_for_a_run_of_a_day),
		cmocka_unit_test(a_datagram_fills_the_mtu_unless_it_is_told_otherwise),
	};

	return cmocka_run_group_tests_name("peer_plan", tests, NULL, NULL);
}
