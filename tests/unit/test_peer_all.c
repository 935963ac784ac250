/* SPDX-License-Identifier: Apache-2.0 */
/* What bw with -a says of its sizes, and of the whole. */
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
#include "lib/units.h"

static struct peer_args args;
static struct gen gen;
static struct peer_view view;
static struct peer_all all;
static char *said;
static size_t said_bytes;
static FILE *real_stdout, *real_stderr;

/* What the program prints is kept; of JSON both streams. */
static int begin(void **state)
{
	struct gen_side side = {
		.device = "mlx5_0",
		.mtu_bytes = 4096,
		.window_ns = NS_PER_S,
		.has_counters = true,
		.tells_loss = true,
	};

	(void)state;
	args = (struct peer_args){ .command = "bw", .all = true };
	memset(&gen, 0, sizeof(gen));
	gen.active = true;
	gen.plan = (struct gen_plan){ .qps = 1, .bytes = 2, .mtu_bytes = 4096 };
	view = (struct peer_view){ .args = &args, .gen = &gen, .here = side, .there = side };
	strcpy(view.here.address, "10.0.0.1");
	strcpy(view.there.address, "10.0.0.2");
	strcpy(view.there.device, "bnxt0");
	all = (struct peer_all){ .count = 0 };
	real_stdout = stdout;
	real_stderr = stderr;
	stdout = stderr = open_memstream(&said, &said_bytes);
	return stdout ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	peer_all_drop(&all);
	free(said);
	return 0;
}

/* A clean size. */
static void add(uint64_t bytes, uint64_t messages)
{
	gen.plan.bytes = bytes;
	view.here.messages = view.here.messages_all = messages;
	view.here.bytes = messages * bytes;
	peer_all_add(&all, &view);
}

static void lose(uint64_t packets)
{
	view.there.grown.count = packets != 0;
	strcpy(view.there.grown.items[0].name, "out_of_sequence");
	view.there.grown.items[0].value = packets;
}

/* Of the whole; then the streams are the test's again. */
static int conclude(const char *broke, int status)
{
	int got =
		broke ? peer_all_break(&all, &view, status, broke) : peer_all_end(&all, &view);
	FILE *memory = stdout;

	stdout = real_stdout;
	stderr = real_stderr;
	assert_int_equal(fclose(memory), 0);
	return got;
}

static void assert_said(const char *words)
{
	if (!strstr(said, words))
		fail_msg("no \"%s\" in: %s", words, said);
}

static void a_pass_is_one_of_all_sizes(void **state)
{
	(void)state;
	add(2, 1000);
	add(4, 1000);
	assert_int_equal(conclude(NULL, 0), EXIT_PASS);
	assert_said("\npass: all 2 sizes\n");
}

static void losses_that_are_not_told_are_not_denied(void **state)
{
	(void)state;
	view.there.tells_loss = false;
	add(2, 1000);
	add(4, 1000);
	assert_int_equal(conclude(NULL, 0), EXIT_PASS);
	assert_said("\npass: all 2 sizes; whether packets were sent again is not known\n");
}

static void nor_are_those_of_some_sizes(void **state)
{
	(void)state;
	add(2, 1000);
	view.there.tells_loss = false;
	add(4, 1000);
	assert_int_equal(conclude(NULL, 0), EXIT_PASS);
	assert_said("; whether packets were sent again is not known of 1\n");
}

static void datagrams_need_no_counters(void **state)
{
	(void)state;
	view.there.tells_loss = false;
	gen.plan.datagrams = true;
	view.there.received = 1000;
	add(2, 1000);
	assert_int_equal(conclude(NULL, 0), EXIT_PASS);
	assert_said("\npass: all 1 sizes\n");
}

static void a_fault_has_the_counters_that_it_speaks_of(void **state)
{
	(void)state;
	add(2, 1000);
	lose(3);
	add(4, 1000);
	assert_int_equal(conclude(NULL, 0), EXIT_FAIL);
	assert_said("  mlx5_0          no counter moved\n"
		    "  bnxt0           out_of_sequence +3\n"
		    "  fail: bnxt0 counts 3 packets");
	assert_said("\nfail: 1 of 2 sizes failed, see above\n");
}

static void a_note_is_told_once_whatever_its_figures(void **state)
{
	(void)state;
	add(2, 1000);
	view.here.window_ns = 5 * NS_PER_MS;
	add(4, 1000);
	view.here.window_ns = 6 * NS_PER_MS;
	add(8, 1000);
	view.here.window_ns = NS_PER_S;
	add(16, 1000);
	assert_int_equal(conclude(NULL, 0), EXIT_PASS);
	assert_said("note: 5 ms are too short for congestion control to settle: choose -D "
		    "instead of -n (at 4 bytes; likewise at 2 of 4 sizes)\n");
	assert_null(strstr(said, "6 ms are"));
}

static void a_note_that_holds_of_all_has_nothing_added(void **state)
{
	(void)state;
	view.devices = 2;
	add(2, 1000);
	add(4, 1000);
	conclude(NULL, 0);
	assert_said("and no other: -d chooses\npass: ");
}

static void what_breaks_down_forgets_no_failure(void **state)
{
	(void)state;
	lose(3);
	add(2, 1000);
	lose(0);
	add(4, 1000);
	assert_int_equal(conclude("the weft there has gone", EXIT_UNKNOWN), EXIT_FAIL);
	assert_said("\nfail: 1 of 2 sizes failed, see above; then it broke down\n");
}

static void what_breaks_down_is_no_pass(void **state)
{
	(void)state;
	add(2, 1000);
	assert_int_equal(conclude("the weft there has gone", EXIT_UNKNOWN), EXIT_UNKNOWN);
	assert_said("\nunknown: it broke down after 1 size\n");
}

static void nor_does_it_forget_what_was_measured(void **state)
{
	(void)state;
	args.json = true;
	add(2, 1000);
	assert_int_equal(conclude("10.0.0.2 does not acknowledge", EXIT_FAIL), EXIT_FAIL);
	assert_said("\"sizes\"");
	assert_said("\"verdict\": \"pass\"");
	assert_said("\"broke\": \"10.0.0.2 does not acknowledge\"");
	assert_said("\nfail: it broke down after 1 size\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_pass_is_one_of_all_sizes, begin, end),
		cmocka_unit_test_setup_teardown(
			losses_that_are_not_told_are_not_denied, begin, end),
		cmocka_unit_test_setup_teardown(nor_are_those_of_some_sizes, begin, end),
		cmocka_unit_test_setup_teardown(datagrams_need_no_counters, begin, end),
		cmocka_unit_test_setup_teardown(
			a_fault_has_the_counters_that_it_speaks_of, begin, end),
		cmocka_unit_test_setup_teardown(
			a_note_is_told_once_whatever_its_figures, begin, end),
		cmocka_unit_test_setup_teardown(
			a_note_that_holds_of_all_has_nothing_added, begin, end),
		cmocka_unit_test_setup_teardown(
			what_breaks_down_forgets_no_failure, begin, end),
		cmocka_unit_test_setup_teardown(what_breaks_down_is_no_pass, begin, end),
		cmocka_unit_test_setup_teardown(
			nor_does_it_forget_what_was_measured, begin, end),
	};

	return cmocka_run_group_tests_name("peer_all", tests, NULL, NULL);
}
