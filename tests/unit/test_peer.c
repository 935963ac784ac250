/* SPDX-License-Identifier: Apache-2.0 */
/* What bw between two hosts reports and says in the end, of figures that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/cmd.h"
#include "cmd/peer.h"

static struct peer_args args;
static struct gen gen;
static struct peer_view view;

/* A clean run of writes from here to there, by count. */
static int begin(void **state)
{
	struct gen_side side = {
		.port = 1,
		.mtu_bytes = 4096,
		.window_ns = NS_PER_S,
		.has_counters = true,
		.tells_loss = true,
	};

	(void)state;
	args = (struct peer_args){ .command = "bw" };
	memset(&gen, 0, sizeof(gen));
	gen.active = true;
	gen.plan = (struct gen_plan){
		.qps = 1,
		.bytes = 65536,
		.depth = 128,
		.every = 16,
		.messages = 1000,
		.interval_ns = NS_PER_S,
		.mtu_bytes = 4096,
	};
	view = (struct peer_view){ .args = &args, .gen = &gen, .here = side, .there = side };
	strcpy(view.here.device, "mlx5_0");
	strcpy(view.there.device, "mlx5_1");
	strcpy(view.here.address, "10.0.0.1");
	strcpy(view.there.address, "10.0.0.2");
	view.here.messages = view.here.messages_all = 1000;
	view.here.bytes = 1000 * gen.plan.bytes;
	return 0;
}

/* All that is printed; valid until the next call. */
static const char *print(int *status)
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	if (status)
		*status = peer_verdict(out, &view);
	else
		peer_show(out, &view);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_verdict(int wanted, const char *words)
{
	int status;
	const char *text = print(&status);

	if (!strstr(text, words))
		fail_msg("no \"%s\" in: %s", words, text);
	assert_int_equal(status, wanted);
}

static void assert_shown(const char *words)
{
	const char *text = print(NULL);

	if (!strstr(text, words))
		fail_msg("no \"%s\" in: %s", words, text);
}

static void a_clean_run_passes(void **state)
{
	(void)state;
	assert_verdict(
		EXIT_PASS, "pass: every message arrived, and no packet was sent again\n");
	assert_shown("no counter moved\n");
}

static void where_no_losses_are_counted_none_are_denied(void **state)
{
	(void)state;
	view.there.tells_loss = false;
	assert_verdict(EXIT_PASS, "whether packets were sent again is not known");
	assert_shown("no counter moved (losses are not told)");
	view.there.reset = true;
	assert_verdict(EXIT_PASS, "whether packets were sent again is not known");
	assert_shown("no counter moved (some were reset meanwhile)\n");
}

static void both_ways_have_to_be_counted_and_checked(void **state)
{
	(void)state;
	gen.plan.both = gen.plan.check = true;
	view.here.checked = view.there.checked = 128;
	assert_verdict(EXIT_UNKNOWN, "unknown: nothing was counted, one way or both\n");
	view.there.messages = 1000;
	assert_verdict(EXIT_PASS, "pass: every message arrived");
	view.there.checked = 0;
	assert_verdict(EXIT_UNKNOWN, "unknown: nothing was checked, one way or both\n");
	gen.active = false; /* the end that listens has been told, too */
	assert_verdict(EXIT_UNKNOWN, "unknown: nothing was checked, one way or both\n");
	gen.plan.both = false;
	assert_verdict(EXIT_PASS, "pass: every message arrived");
}

/* The window is half of it: so is what was sent. */
static void the_processor_s_time_is_of_all_that_was_sent(void **state)
{
	(void)state;
	view.here.messages = 500;
	view.here.bytes = 500 * gen.plan.bytes;
	view.here.cpu_ns = 1000 * gen.plan.bytes;
	assert_shown(", 1 s of CPU a GB");
}

static void long_intervals_at_high_rates_have_a_rate(void **state)
{
	uint64_t series[] = { UINT64_C(3000000000000), UINT64_C(3000000000000), 0 };

	(void)state;
	gen.plan.interval_ns = 30 * NS_PER_S;
	gen.result.series = series;
	gen.result.series_count = 3;
	assert_shown("per 30.0 s      least 800 Gb/s, most 800 Gb/s\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_clean_run_passes, begin),
		cmocka_unit_test_setup(where_no_losses_are_counted_none_are_denied, begin),
		cmocka_unit_test_setup(the_processor_s_time_is_of_all_that_was_sent, begin),
		cmocka_unit_test_setup(long_intervals_at_high_rates_have_a_rate, begin),
		cmocka_unit_test_setup(both_ways_have_to_be_counted_and_checked, begin),
	};

	return cmocka_run_group_tests_name("peer", tests, NULL, NULL);
}
