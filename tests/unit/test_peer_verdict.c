/* SPDX-License-Identifier: Apache-2.0 */
/* What bw and lat conclude, and what they ask to be kept in mind. */
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
static struct peer_match match;
static struct peer_view view;

/* A clean run of 5 s over a port of 400 Gb/s: 98 % of it, in packets of 4096 bytes. */
static void begin(void)
{
	struct gen_side side = {
		.device = "mlx5_0",
		.mtu_bytes = 4096,
		.speed_bps = 400 * GBPS,
		.has_counters = true,
		.tells_loss = true,
	};

	args = (struct peer_args){ .command = "bw" };
	memset(&gen, 0, sizeof(gen));
	gen.active = true;
	gen.plan = (struct gen_plan){
		.qps = 1,
		.bytes = 64 * KIB,
		.mtu_bytes = 4096,
		.duration_ns = 5 * NS_PER_S,
		.timeout_exp = 14,
	};
	match = (struct peer_match){ .devices_here = 1, .devices_there = 1 };
	view = (struct peer_view){ .args = &args, .gen = &gen, .here = side, .there = side };
	snprintf(view.here.address, sizeof(view.here.address), "10.0.0.1");
	snprintf(view.there.address, sizeof(view.there.address), "10.0.0.2");
	view.here.window_ns = 5 * NS_PER_S;
	view.here.messages = view.here.messages_all = 3700000;
	view.here.bytes = view.here.messages * gen.plan.bytes; /* 387.97 Gb/s */
}

/* The other end sends as well. */
static void both_send(void)
{
	gen.plan.both = true;
	view.there.window_ns = view.here.window_ns;
	view.there.messages = view.there.messages_all = view.here.messages;
	view.there.bytes = view.here.bytes;
}

static void nothing(void)
{
}

static void a_short_count(void)
{
	gen.plan.messages = 5000;
	view.here.window_ns = 6600000;
	view.here.messages = view.here.messages_all = 5000;
	view.here.bytes = 5000 * gen.plan.bytes;
}

static void a_count_of_half_a_second(void)
{
	a_short_count();
	view.here.window_ns = NS_PER_S / 2;
}

static void a_short_count_of_datagrams(void)
{
	a_short_count();
	gen.plan.datagrams = true;
	view.there.received = 5000;
}

static void more_than_the_line(void)
{
	view.here.bytes = UINT64_C(395) * GBPS / 8 * 5;
}

static void of_the_other_end(void)
{
	both_send();
	view.there.bytes = UINT64_C(395) * GBPS / 8 * 5;
	snprintf(view.there.device, sizeof(view.there.device), "bnxt0");
}

static void small_messages(void)
{
	gen.plan.bytes = 82; /* as much as goes round a packet */
	view.here.bytes = UINT64_C(201) * GBPS / 8 * 5;
}

static void soft(void)
{
	more_than_the_line();
	view.here.soft = true;
}

static void a_limit_beyond_the_line(void)
{
	args.least_bps = 395 * GBPS;
}

static void a_limit_of_both_ways(void)
{
	both_send();
	args.least_bps = 700 * GBPS;
}

static void nothing_in_the_window(void)
{
	args.least_bps = 380 * GBPS;
	view.here.messages = view.here.bytes = 0;
}

static void one_of_eight(void)
{
	match.devices_here = match.devices_there = 8;
	view.match = &match;
}

static void one_of_two_by_address(void)
{
	view.devices = 2;
}

static void from_afar(void)
{
	view.there.elsewhere = true;
}

static void slower_than_paced(void)
{
	gen.plan.burst = 1;
	gen.plan.period_ps = 1310720; /* 64 KiB at 400 Gb/s */
	view.here.pace_late_ns = 150 * NS_PER_MS;
}

static void as_paced(void)
{
	gen.plan.burst = 16;
	gen.plan.period_ps = UINT64_C(21621621); /* at 387.97 Gb/s */
}

static void few_round_trips(void)
{
	static struct histogram times;

	times.count = 1000;
	gen.times = &times;
	gen.plan.latency = true;
	view.here.messages = 20000; /* with those of the warm-up */
	view.here.window_ns = NS_PER_MS;
}

static void few_that_the_other_end_measured(void)
{
	few_round_trips();
	gen.times = NULL;
}

static void lost(void)
{
	view.there.grown.count = 1;
	snprintf(view.there.grown.items[0].name, sizeof(view.there.grown.items[0].name),
		"out_of_sequence");
	view.there.grown.items[0].value = 3;
}

static void lost_as_may_be(void)
{
	lost();
	args.lossy = true;
}

static void at_home(void)
{
	memcpy(view.there.address, view.here.address, sizeof(view.there.address));
}

static const struct verdict_case {
	const char *name;
	void (*change)(void);
	int status;
	const char *says; /* a part of it; NULL: nothing but the pass */
} cases[] = {
	{ "a clean run has nothing to be kept in mind", nothing, EXIT_PASS, NULL },
	{ "both ways too", both_send, EXIT_PASS, NULL },
	{ "a default run of perftest is too short", a_short_count, EXIT_PASS,
		"note: 6.6 ms are too short for congestion control to settle, and less than "
		"the "
		"67.1 ms until a lost packet is sent again: choose -D instead of -n\n" },
	{ "half a second is, too", a_count_of_half_a_second, EXIT_PASS,
		"note: 500 ms are too short for congestion control to settle: choose -D" },
	{ "datagrams have no timeout", a_short_count_of_datagrams, EXIT_PASS,
		"note: 6.6 ms are too short for congestion control to settle: choose -D" },
	{ "no line carries that much", more_than_the_line, EXIT_PASS,
		"note: 395.0 Gb/s from mlx5_0 are more than its port of 400.0 Gb/s carries, "
		"which "
		"is 392.1 of payload" },
	{ "nor that of the other end", of_the_other_end, EXIT_PASS, "395.0 Gb/s from bnxt0" },
	{ "small messages have a lower ceiling", small_messages, EXIT_PASS,
		"which is 200.0 of payload" },
	{ "a soft device has none", soft, EXIT_PASS, NULL },
	{ "a limit that cannot be reached", a_limit_beyond_the_line, EXIT_FAIL,
		"note: --min 395.0G cannot be reached: a port of 400.0 Gb/s carries 392.1 of "
		"payload in packets of 4096 bytes" },
	{ "a limit of both directions can", a_limit_of_both_ways, EXIT_PASS, NULL },
	{ "what was not counted is not too little", nothing_in_the_window, EXIT_UNKNOWN,
		"unknown: nothing was counted\n" },
	{ "NICs that were not tested", one_of_eight, EXIT_PASS,
		"note: of 8 devices here and 8 there, mlx5_0 and mlx5_0 were tested and no "
		"other" },
	{ "nor by the control channel's address", one_of_two_by_address, EXIT_PASS,
		"note: of 2 devices here, mlx5_0 was tested and no other: -d chooses" },
	{ "an outer taskset", from_afar, EXIT_PASS,
		"note: mlx5_0 was driven from processors that are not on its NUMA node" },
	{ "a pace that was not kept", slower_than_paced, EXIT_PASS,
		"note: mlx5_0 sent 388 Gb/s of the 400 asked for, the latest message 150 ms "
		"late" },
	{ "a pace that was", as_paced, EXIT_PASS, NULL },
	{ "too few for the tail", few_round_trips, EXIT_PASS,
		"note: a p99.9 needs 10000 messages or more, these were 1000\n" },
	{ "which who measures none does not tell of", few_that_the_other_end_measured,
		EXIT_PASS, NULL },
	{ "what was sent again fails", lost, EXIT_FAIL,
		"fail: mlx5_0 counts 3 packets lost, late or sent again" },
	{ "or is warned of", lost_as_may_be, EXIT_PASS,
		"warn: mlx5_0 counts 3 packets lost, late or sent again" },
	{ "no network", at_home, EXIT_PASS, "note: both ends are 10.0.0.1" },
};

static void says_so(void **state)
{
	const struct verdict_case *row = *state;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	int status;

	assert_non_null(memory);
	begin();
	row->change();
	status = peer_verdict(memory, &view);
	assert_int_equal(fclose(memory), 0);
	if (row->says ? !strstr(text, row->says) : strncmp(text, "pass: ", 6) != 0)
		fail_msg("said: %s", text);
	assert_int_equal(status, row->status);
	free(text);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases)];

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = says_so,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("peer_verdict", tests, NULL, NULL);
}
