/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"
#include "pfc/alarm.h"

#define LOSSLESS (1u << 3)
#define STEP_NS (100 * NS_PER_MS)

/* A NIC of mlx5 that is read ten times a second; each counter grows by the same in each
 * reading. */
static const char *const names[] = { "rx_prio3_pause_duration", "tx_prio3_pause_duration",
	"rx_prio3_bytes", "tx_prio3_bytes", "rx_prio3_discards", "rx_prio0_discards",
	"rx_discards_phy", "link_down_events_phy", "tx_pause_storm_error_events",
	"rx_crc_errors_phy", "np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled",
	"rp_cnp_ignored", "out_of_sequence", "packet_seq_err", "local_ack_timeout_err",
	"rnr_nak_retry_err", "symbol_error" };

#define NAMES COUNT_OF(names)

struct growing {
	const char *name;
	uint64_t per_step;
};

static const struct alarm_case {
	const char *name;
	struct growing growing[4]; /* all others stand still */
	unsigned steps;            /* readings; an interval is ten */
	const char *raised;        /* the checks, in their order, with blanks */
} cases[] = {
	{ "nothing happens", { { 0 } }, 20, "" },
	{ "traffic is no alarm", { { "rx_prio3_bytes", 1000 }, { "tx_prio3_bytes", 1 } }, 20,
		"" },
	{ "held for 200 ms without a break", { { "rx_prio3_pause_duration", 98000 } }, 2,
		"pause.storm.held" },
	{ "held for 100 ms is no storm", { { "rx_prio3_pause_duration", 98000 } }, 1, "" },
	{ "nine tenths of each block is no storm", { { "rx_prio3_pause_duration", 90000 } }, 9,
		"" },
	{ "more than 10 % of 2 s", { { "tx_prio3_pause_duration", 11000 } }, 20,
		"pause.share.holds" },
	{ "more than 10 % of 1 s", { { "tx_prio3_pause_duration", 11000 } }, 10, "" },
	{ "10 % is the limit itself", { { "tx_prio3_pause_duration", 10000 } }, 20, "" },
	{ "paused both ways, and still",
		{ { "rx_prio3_pause_duration", 60000 }, { "tx_prio3_pause_duration", 60000 } },
		2, "pause.deadlock" },
	{ "paused both ways, with progress",
		{ { "rx_prio3_pause_duration", 60000 }, { "tx_prio3_pause_duration", 60000 },
			{ "tx_prio3_bytes", 64 } },
		9, "" },
	{ "the NIC's own watchdog", { { "tx_pause_storm_error_events", 1 } }, 10,
		"pause.watchdog" },
	{ "marks without a CNP", { { "np_ecn_marked_roce_packets", 10 } }, 10, "cnp.missing" },
	{ "few marks without a CNP", { { "np_ecn_marked_roce_packets", 9 } }, 10, "" },
	{ "few marks without a CNP, for long", { { "np_ecn_marked_roce_packets", 9 } }, 20,
		"cnp.missing" },
	{ "marks with CNPs", { { "np_ecn_marked_roce_packets", 100 }, { "np_cnp_sent", 1 } },
		20, "" },
	{ "CNPs ignored", { { "rp_cnp_ignored", 1 } }, 10, "cnp.ignored" },
	{ "drops in the lossless class",
		{ { "rx_prio3_discards", 1 }, { "rx_discards_phy", 1 } }, 10, "drop.class" },
	{ "drops in another class", { { "rx_prio0_discards", 1 }, { "rx_discards_phy", 1 } },
		10, "" },
	{ "a flap", { { "link_down_events_phy", 1 } }, 10, "link.flap" },
	{ "a bad frame", { { "rx_crc_errors_phy", 1 } }, 10, "error.crc" },
	{ "a gap", { { "out_of_sequence", 1 } }, 10, "error.sequence" },
	{ "a NAK", { { "packet_seq_err", 1 } }, 10, "error.nak" },
	{ "a receiver that is not ready", { { "rnr_nak_retry_err", 1 } }, 10, "error.rnr" },
	{ "ten time-outs a second", { { "local_ack_timeout_err", 1 } }, 10, "error.timeout" },
	{ "ten symbol errors a second are the limit", { { "symbol_error", 1 } }, 10, "" },
	{ "twenty symbol errors a second", { { "symbol_error", 2 } }, 10, "error.symbol" },
};

struct raised {
	char text[512];
};

/* Each check once. */
static void note(void *context, const struct alarm *alarm)
{
	struct raised *raised = context;
	size_t used = strlen(raised->text);

	assert_true(alarm->text[0] && alarm->limit->source[0] && alarm->limit->advice[0]);
	if (strstr(raised->text, alarm->limit->id))
		return;
	assert_true(used + strlen(alarm->limit->id) + 2 < sizeof(raised->text));
	strcat(strcat(raised->text, used ? " " : ""), alarm->limit->id);
}

static void fill(struct gauge *gauge, const char *const *which, size_t count)
{
	*gauge = (struct gauge)GAUGE_INIT;
	for (size_t i = 0; i < count; i++) {
		int priority = GAUGE_NO_PRIORITY;
		const struct counter_row *row =
			counter_find_of(which[i], 0, "mlx5_core", &priority);

		assert_non_null(row);
		gauge_add(gauge, which[i], row->where == 'S' ? GAUGE_DRIVER : GAUGE_PORT, row,
			priority);
	}
	gauge_index(gauge);
}

static uint64_t step_of(const struct growing *growing, const char *name)
{
	for (size_t i = 0; i < 4 && growing[i].name; i++)
		if (strcmp(growing[i].name, name) == 0)
			return growing[i].per_step;
	return 0;
}

static void read_once(struct gauge *gauge, const struct growing *growing, unsigned step)
{
	for (size_t i = 0; i < GAUGE_SOURCES; i++) {
		gauge->sources[i].asked = gauge->sources[i].there = true;
		gauge->sources[i].before_ns = gauge->sources[i].after_ns = step * STEP_NS;
	}
	for (size_t i = 0; i < gauge->count; i++) {
		gauge->counters[i].there = true;
		gauge->counters[i].value = step * step_of(growing, gauge->counters[i].name);
	}
	gauge_take(gauge, NULL, NULL);
}

static void run(struct gauge *gauge, const struct alarm_case *test, struct raised *raised)
{
	struct alarm_state state = { 0 };

	read_once(gauge, test->growing, 0);
	for (unsigned step = 1; step <= test->steps; step++) {
		read_once(gauge, test->growing, step);
		alarm_block(&state, gauge, LOSSLESS, note, raised);
		gauge_close(gauge, GAUGE_BLOCK);
		if (step % 10)
			continue;
		alarm_interval(&state, gauge, LOSSLESS, note, raised);
		gauge_close(gauge, GAUGE_INTERVAL);
	}
}

static void raises(void **state)
{
	const struct alarm_case *test = *state;
	struct raised raised = { "" };
	struct gauge gauge;

	fill(&gauge, names, NAMES);
	run(&gauge, test, &raised);
	assert_string_equal(raised.text, test->raised);
	gauge_free(&gauge);
}

static void a_drop_without_a_class_is_told_of_the_port(void **state)
{
	static const struct alarm_case drop = { "", { { "rx_discards_phy", 1 } }, 10, "" };
	static const char *const port[] = { "rx_discards_phy" };
	struct raised raised = { "" };
	struct gauge gauge;

	(void)state;
	fill(&gauge, port, 1);
	run(&gauge, &drop, &raised);
	assert_string_equal(raised.text, "drop.port");
	gauge_free(&gauge);
}

static void cnps_that_nobody_handled_are_found_between_all(void **state)
{
	static const struct growing sends[4] = { { "np_cnp_sent", 50 } };
	static const struct growing half[4] = { { "rp_cnp_handled", 25 } };
	static const struct growing few[4] = { { "rp_cnp_handled", 24 } };
	const struct gauge *both[2];
	struct gauge gauges[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct raised raised = { "" };

		for (int j = 0; j < 2; j++) {
			fill(&gauges[j], names, NAMES);
			both[j] = &gauges[j];
		}
		for (unsigned step = 0; step <= 10; step++) {
			read_once(&gauges[0], sends, step);
			read_once(&gauges[1], i ? few : half, step);
		}
		for (int j = 0; j < 2; j++)
			gauge_close(&gauges[j], GAUGE_BLOCK);
		alarm_between(both, 2, note, &raised);
		assert_string_equal(raised.text, i ? "cnp.unhandled" : "");
		for (int j = 0; j < 2; j++)
			gauge_free(&gauges[j]);
	}
}

static void what_has_no_counters_is_not_a_pass(void **state)
{
	static const char *const frames[] = { "rx_prio3_pause", "tx_prio3_pause" };
	static const struct growing still[4] = { { 0 } };
	struct gauge gauge;

	(void)state;
	fill(&gauge, frames, 2);
	for (unsigned step = 0; step < 3; step++)
		read_once(&gauge, still, step);
	for (int kind = 0; kind < ALARM_GONE; kind++)
		assert_non_null(alarm_blind((enum alarm_kind)kind, &gauge, true, LOSSLESS));
	/* Where nothing is lossless, no pause and no loss of it can be. */
	assert_null(alarm_blind(ALARM_STORM, &gauge, true, 0));
	assert_non_null(alarm_blind(ALARM_STORM, &gauge, false, 0));
	gauge_free(&gauge);

	fill(&gauge, names, NAMES);
	for (int kind = 0; kind < ALARM_GONE; kind++)
		assert_non_null(alarm_blind((enum alarm_kind)kind, &gauge, true, LOSSLESS));
	for (unsigned step = 0; step < 3; step++)
		read_once(&gauge, still, step);
	for (int kind = 0; kind < ALARM_GONE; kind++)
		assert_null(alarm_blind((enum alarm_kind)kind, &gauge, true, LOSSLESS));
	gauge_free(&gauge);
}

static void each_limit_stands_at_its_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < ALARM_CHECKS; i++) {
		assert_int_equal(alarm_limits[i].check, i);
		assert_true(alarm_limits[i].source[0] && alarm_limits[i].advice[0]);
	}
}

#define OTHERS 4

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + OTHERS] = {
		cmocka_unit_test(a_drop_without_a_class_is_told_of_the_port),
		cmocka_unit_test(cnps_that_nobody_handled_are_found_between_all),
		cmocka_unit_test(what_has_no_counters_is_not_a_pass),
		cmocka_unit_test(each_limit_stands_at_its_check),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + OTHERS] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = raises,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("alarm", tests, NULL, NULL);
}
