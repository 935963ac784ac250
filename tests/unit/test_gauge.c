/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "pfc/gauge.h"

static const struct step_case {
	const char *name;
	uint64_t from, to;
	unsigned bits;
	enum gauge_state state;
	uint64_t grown;
} steps[] = {
	{ "it grows", 10, 25, 64, GAUGE_COUNTED, 15 },
	{ "it stands still", 7, 7, 32, GAUGE_COUNTED, 0 },
	{ "the largest there is", 0, UINT64_MAX, 64, GAUGE_COUNTED, UINT64_MAX },
	{ "a reset is no number", 100, 5, 64, GAUGE_RESET, 0 },
	{ "64 bits do not wrap at 32", UINT32_MAX, 4, 64, GAUGE_RESET, 0 },
	{ "a wrap at 32 bits is no number either", UINT32_MAX - 5, 4, 32, GAUGE_WRAPPED, 0 },
	{ "32 bits that went down in the lower half were reset", 1000, 4, 32, GAUGE_RESET, 0 },
	{ "32 bits that went down in the upper half were reset", UINT32_MAX, UINT32_MAX - 1, 32,
		GAUGE_RESET, 0 },
};

static void a_step_is(void **state)
{
	const struct step_case *test = *state;
	uint64_t grown = 0;

	assert_int_equal(gauge_step(test->from, test->to, test->bits, &grown), test->state);
	if (test->state == GAUGE_COUNTED)
		assert_int_equal(grown, test->grown);
}

struct bench {
	struct gauge gauge;
	uint64_t now_ns;
	size_t fallen;
};

static void add(struct bench *bench, const char *name, char where)
{
	int priority = GAUGE_NO_PRIORITY;
	const struct counter_row *row = counter_find_of(name, where, "mlx5_core", &priority);

	assert_non_null(row);
	gauge_add(&bench->gauge, name, where == 'S' ? GAUGE_DRIVER : GAUGE_PORT, row, priority);
}

static void count_fallen(void *context, const struct gauge_counter *counter)
{
	struct bench *bench = context;

	assert_true(counter->value < counter->last);
	bench->fallen++;
}

/* A second later all sources are read, which takes 1 ms, and counter i has value i. */
static void read_all(struct bench *bench, const uint64_t *values)
{
	bench->now_ns += NS_PER_S;
	for (size_t i = 0; i < GAUGE_SOURCES; i++) {
		struct gauge_reading *reading = &bench->gauge.sources[i];

		reading->asked = reading->there = true;
		reading->before_ns = bench->now_ns;
		reading->after_ns = bench->now_ns + NS_PER_MS;
	}
	for (size_t i = 0; i < bench->gauge.count; i++) {
		bench->gauge.counters[i].there = true;
		bench->gauge.counters[i].value = values[i];
	}
	gauge_take(&bench->gauge, count_fallen, bench);
}

static void the_first_reading_is_no_growth(void **state)
{
	struct bench bench = { .gauge = GAUGE_INIT };
	struct gauge_growth growth;

	(void)state;
	add(&bench, "tx_bytes_phy", 'S');
	gauge_index(&bench.gauge);
	read_all(&bench, (const uint64_t[]){ 1000 });
	assert_false(gauge_get(
		&bench.gauge, GAUGE_BLOCK, MEANS_TX_BYTES, GAUGE_NO_PRIORITY, &growth));
	read_all(&bench, (const uint64_t[]){ 1500 });
	assert_true(gauge_get(
		&bench.gauge, GAUGE_BLOCK, MEANS_TX_BYTES, GAUGE_NO_PRIORITY, &growth));
	assert_int_equal(growth.grown, 500);
	assert_int_equal(growth.span_ns, NS_PER_S);
	gauge_free(&bench.gauge);
}

static void a_window_that_ends_is_part_of_the_larger_one(void **state)
{
	struct bench bench = { .gauge = GAUGE_INIT };
	struct gauge_growth growth;
	uint64_t total;

	(void)state;
	add(&bench, "rx_prio3_pause_duration", 'S');
	gauge_index(&bench.gauge);
	read_all(&bench, (const uint64_t[]){ 0 });
	read_all(&bench, (const uint64_t[]){ 250000 });
	gauge_close(&bench.gauge, GAUGE_BLOCK);
	read_all(&bench, (const uint64_t[]){ 500000 });
	gauge_close(&bench.gauge, GAUGE_BLOCK);
	assert_false(gauge_get(&bench.gauge, GAUGE_BLOCK, MEANS_PFC_RX_TIME, 3, &growth));
	assert_true(gauge_get(&bench.gauge, GAUGE_INTERVAL, MEANS_PFC_RX_TIME, 3, &growth));
	assert_int_equal(growth.grown, 500000);
	assert_int_equal(growth.span_ns, 2 * NS_PER_S);
	assert_int_equal(gauge_share_ppb(&growth), PPB / 4);
	gauge_close(&bench.gauge, GAUGE_INTERVAL);
	assert_true(gauge_total(&bench.gauge, MEANS_PFC_RX_TIME, 3, &total));
	assert_int_equal(total, 500000);
	gauge_free(&bench.gauge);
}

static void a_reset_spoils_its_window_and_not_the_next_one(void **state)
{
	struct bench bench = { .gauge = GAUGE_INIT };
	struct gauge_growth growth;
	uint64_t total;

	(void)state;
	add(&bench, "np_cnp_sent", 'H');
	gauge_index(&bench.gauge);
	read_all(&bench, (const uint64_t[]){ 900 });
	read_all(&bench, (const uint64_t[]){ 3 });
	read_all(&bench, (const uint64_t[]){ 8 });
	assert_int_equal(bench.fallen, 1);
	assert_false(
		gauge_get(&bench.gauge, GAUGE_BLOCK, MEANS_CNP_TX, GAUGE_NO_PRIORITY, &growth));
	gauge_close(&bench.gauge, GAUGE_BLOCK);
	gauge_close(&bench.gauge, GAUGE_INTERVAL);
	read_all(&bench, (const uint64_t[]){ 10 });
	assert_true(
		gauge_get(&bench.gauge, GAUGE_BLOCK, MEANS_CNP_TX, GAUGE_NO_PRIORITY, &growth));
	assert_int_equal(growth.grown, 2);
	assert_false(gauge_total(&bench.gauge, MEANS_CNP_TX, GAUGE_NO_PRIORITY, &total));
	assert_true(gauge_counted(&bench.gauge, MEANS_CNP_TX, GAUGE_NO_PRIORITY));
	gauge_free(&bench.gauge);
}

static void two_names_of_one_thing_are_not_added(void **state)
{
	struct bench bench = { .gauge = GAUGE_INIT };
	struct gauge_growth growth;

	(void)state;
	add(&bench, "np_cnp_sent", 'H');
	add(&bench, "cc_tx_cnp_pkts", 'H');
	gauge_index(&bench.gauge);
	read_all(&bench, (const uint64_t[]){ 0, 0 });
	read_all(&bench, (const uint64_t[]){ 7, 9 });
	assert_true(
		gauge_get(&bench.gauge, GAUGE_BLOCK, MEANS_CNP_TX, GAUGE_NO_PRIORITY, &growth));
	assert_int_equal(growth.grown, 9);
	assert_string_equal(growth.counter->name, "cc_tx_cnp_pkts");
	gauge_free(&bench.gauge);
}

static void absent_is_not_zero(void **state)
{
	struct bench bench = { .gauge = GAUGE_INIT };
	struct gauge_growth growth;

	(void)state;
	add(&bench, "np_cnp_sent", 'H');
	gauge_index(&bench.gauge);
	read_all(&bench, (const uint64_t[]){ 5 });
	bench.gauge.counters[0].there = false;
	gauge_take(&bench.gauge, NULL, NULL);
	assert_false(gauge_has(&bench.gauge, MEANS_CNP_TX, GAUGE_NO_PRIORITY));
	/* Back with more: what it grew by meanwhile is of no known time. */
	read_all(&bench, (const uint64_t[]){ 50 });
	assert_false(
		gauge_get(&bench.gauge, GAUGE_BLOCK, MEANS_CNP_TX, GAUGE_NO_PRIORITY, &growth));
	assert_false(gauge_has(&bench.gauge, MEANS_CE_RX, GAUGE_NO_PRIORITY));
	gauge_free(&bench.gauge);
}

static void a_new_set_of_counters_keeps_what_both_have(void **state)
{
	struct bench bench = { .gauge = GAUGE_INIT }, after = { .gauge = GAUGE_INIT };
	struct gauge_growth growth;

	(void)state;
	add(&bench, "tx_bytes_phy", 'S');
	gauge_index(&bench.gauge);
	read_all(&bench, (const uint64_t[]){ 100 });
	add(&after, "rx_prio3_pause", 'S');
	add(&after, "tx_bytes_phy", 'S');
	gauge_index(&after.gauge);
	gauge_keep(&after.gauge, &bench.gauge);
	after.now_ns = bench.now_ns;
	read_all(&after, (const uint64_t[]){ 40, 160 });
	assert_true(gauge_get(
		&after.gauge, GAUGE_BLOCK, MEANS_TX_BYTES, GAUGE_NO_PRIORITY, &growth));
	assert_int_equal(growth.grown, 60);
	assert_false(gauge_get(&after.gauge, GAUGE_BLOCK, MEANS_PFC_RX, 3, &growth));
	gauge_free(&bench.gauge);
	gauge_free(&after.gauge);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(steps) + 6] = {
		cmocka_unit_test(the_first_reading_is_no_growth),
		cmocka_unit_test(a_window_that_ends_is_part_of_the_larger_one),
		cmocka_unit_test(a_reset_spoils_its_window_and_not_the_next_one),
		cmocka_unit_test(two_names_of_one_thing_are_not_added),
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(a_new_set_of_counters_keeps_what_both_have),
	};

	for (size_t i = 0; i < COUNT_OF(steps); i++)
		tests[i + 6] = (struct CMUnitTest){
			.name = steps[i].name,
			.test_func = a_step_is,
			.initial_state = (void *)(uintptr_t)&steps[i],
		};
	return cmocka_run_group_tests_name("gauge", tests, NULL, NULL);
}
