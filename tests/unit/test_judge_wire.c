/* SPDX-License-Identifier: Apache-2.0 */
/* A capture in a run file beside what was counted. Stages last 1 ms; host1 sends host3
 * 1000 packets in each of the three, in the last of them 70 arrive marked and 5 CNPs
 * answer. */
#include "judge_bench.h"

#define CAPTURE "leaf1-1.pcap"
#define MS NS_PER_MS

struct wire_bench {
	struct bench *bench;
	struct run_wire rows[64];
	size_t count;
	struct run_wire_finding findings[2];
	size_t finding_count;
};

static void add(struct wire_bench *wire, const char *src, const char *dst, const char *name,
	uint64_t value)
{
	struct run_wire *row = &wire->rows[wire->count++];

	*row = (struct run_wire){ .capture = CAPTURE, .value = value };
	snprintf(row->src, sizeof(row->src), "%s", src);
	snprintf(row->dst, sizeof(row->dst), "%s", dst);
	snprintf(row->name, sizeof(row->name), "%s", name);
}

/* The row that a test spoils. */
static uint64_t *at(struct wire_bench *wire, const char *src, const char *name)
{
	for (size_t i = 0; i < wire->count; i++)
		if (strcmp(wire->rows[i].src, src) == 0 &&
			strcmp(wire->rows[i].name, name) == 0)
			return &wire->rows[i].value;
	fail_msg("no row %s %s", src, name);
	return NULL;
}

/* What a tap at host1 sees in the last stage, all right. */
static struct wire_bench wire_begin(void)
{
	struct wire_bench wire = { .bench = bench_new() };

	bench_fact(wire.bench, "host1", F_ADDRESS, "10.0.0.1");
	bench_fact(wire.bench, "host3", F_ADDRESS, "10.0.0.3");
	bench_fact(wire.bench, "leaf1:1", F_MAC, "02:01:00:00:00:01");
	add(&wire, "", "", W_RECORDS, 1100);
	add(&wire, "", "", W_FIRST_NS, 2 * MS + 10);
	add(&wire, "", "", W_LAST_NS, 3 * MS - 10);
	add(&wire, "10.0.0.1", "10.0.0.3", W_DATA, 1000);
	add(&wire, "10.0.0.1", "10.0.0.3", W_RESENT, 0);
	add(&wire, "10.0.0.1", "10.0.0.3", W_CE, 0);
	add(&wire, "10.0.0.3", "10.0.0.1", W_DATA, 0);
	add(&wire, "10.0.0.3", "10.0.0.1", W_CNPS, 5);
	add(&wire, "02:01:00:00:00:01", "", "tx_prio3_pause", 0);
	return wire;
}

/* Writes the run, reads the captures into it twice, as people do, and judges it. */
static void wire_judge_run(struct wire_bench *wire)
{
	struct bench *bench = wire->bench;
	struct run_info info = { .backend = "sim",
		.program = "test",
		.profile = "quick",
		.plane = "parameter",
		.fabric_text = BENCH_TEXT,
		.fabric_bytes = strlen(BENCH_TEXT) };
	char path[] = "weft-wire-XXXXXX";
	struct run *run = NULL;
	struct diag diag;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	bench_ok(run_create(&run, path, &info, &diag), &diag);
	bench_write(bench, run, &diag);
	run_close(run);
	for (unsigned times = 0; times < 2; times++) {
		bench_ok(run_append(&run, path, &diag), &diag);
		bench_ok(run_put_wire(run, CAPTURE, wire->rows, wire->count, &diag), &diag);
		bench_ok(run_put_wire_findings(
				 run, CAPTURE, wire->findings, wire->finding_count, &diag),
			&diag);
		bench_ok(run_commit(run, &diag), &diag);
		run_close(run);
	}
	bench_ok(run_open(&run, path, &diag), &diag);
	bench_ok(judge_run(run, &bench->fabric, JUDGE_ALL, &bench->findings, &diag), &diag);
	run_close(run);
	unlink(path);
}

static void the_same_on_both_sides_passes(void **state)
{
	struct wire_bench wire = wire_begin();
	const struct finding *finding;

	(void)state;
	wire_judge_run(&wire);
	finding = bench_find(wire.bench, "wire.counters");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_PASS);
	assert_non_null(strstr(finding->text, "2 pairs of NICs at 1 tap: 1000 data packets"));
	assert_null(bench_find(wire.bench, "wire.unjoined"));
	bench_free(wire.bench);
}

static const struct wire_case {
	const char *name, *src, *row;
	uint64_t value;
	const char *culprit; /* NULL: still the same on both sides */
} cases[] = {
	{ "more sent again on the wire than counted", "10.0.0.1", W_RESENT, 9, "host1" },
	{ "more data on the wire than counted", "10.0.0.1", W_DATA, 1001, "host1" },
	{ "more CE on the wire than counted at its receiver", "10.0.0.1", W_CE, 71, "host3" },
	{ "less CE on the wire: marked behind the tap", "10.0.0.1", W_CE, 69, NULL },
	{ "more CNPs on the wire than counted", "10.0.0.3", W_CNPS, 6, "host3" },
	{ "fewer CNPs on the wire: another way back", "10.0.0.3", W_CNPS, 4, NULL },
	{ "XOFF on the wire and none counted", "02:01:00:00:00:01", "tx_prio3_pause", 3,
		"leaf1:1" },
};

static void a_difference_names_the_counter(void **state)
{
	const struct wire_case *row = *state;
	struct wire_bench wire = wire_begin();
	const struct finding *finding;

	*at(&wire, row->src, row->row) = row->value;
	wire_judge_run(&wire);
	finding = bench_find(wire.bench, "wire.counters");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, row->culprit ? VERDICT_WARN : VERDICT_PASS);
	if (row->culprit)
		assert_string_equal(finding->culprit, row->culprit);
	bench_free(wire.bench);
}

static void a_tap_that_saw_all_must_agree_on_what_was_sent_again(void **state)
{
	struct wire_bench wire = wire_begin();

	(void)state;
	wire.bench->flows[3].packets_resent = 9;
	wire_judge_run(&wire);
	assert_int_equal(bench_find(wire.bench, "wire.counters")->verdict, VERDICT_WARN);
	bench_free(wire.bench);
	wire = wire_begin();
	wire.bench->flows[3].packets_resent = 9;
	*at(&wire, "10.0.0.1", W_DATA) = 900;
	wire_judge_run(&wire);
	assert_int_equal(bench_find(wire.bench, "wire.counters")->verdict, VERDICT_PASS);
	bench_free(wire.bench);
}

static void marks_that_nobody_answers_are_the_receivers_doing(void **state)
{
	struct wire_bench wire = wire_begin();
	const struct finding *finding;

	(void)state;
	wire.bench->flows[3].ce_packets = 0; /* its counter is silent, too */
	wire.bench->flows[3].cnps_sent = wire.bench->flows[3].cnps_handled = 0;
	*at(&wire, "10.0.0.1", W_CE) = 400;
	*at(&wire, "10.0.0.3", W_CNPS) = 0;
	wire_judge_run(&wire);
	finding = bench_find(wire.bench, "wire.cnp-off");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	assert_string_equal(finding->culprit, "host3");
	bench_free(wire.bench);
}

static void notices_that_nobody_heeds_are_the_senders_doing(void **state)
{
	struct wire_bench wire = wire_begin();
	const struct finding *finding;

	(void)state;
	wire.bench->flows[3].cnps_sent = wire.bench->flows[3].cnps_handled = 0;
	*at(&wire, "10.0.0.3", W_CNPS) = 30;
	wire_judge_run(&wire);
	finding = bench_find(wire.bench, "wire.cnp-ignored");
	assert_non_null(finding);
	assert_string_equal(finding->culprit, "host1");
	bench_free(wire.bench);
}

static void another_clock_or_other_addresses_are_not_compared(void **state)
{
	struct wire_bench wire = wire_begin();
	const struct finding *finding;

	(void)state;
	*at(&wire, "", W_FIRST_NS) = UINT64_C(1700000000) * NS_PER_S;
	*at(&wire, "", W_LAST_NS) = UINT64_C(1700000001) * NS_PER_S;
	*at(&wire, "10.0.0.1", W_DATA) = 123456;
	wire_judge_run(&wire);
	finding = bench_find(wire.bench, "wire.unjoined");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_WARN);
	assert_null(bench_find(wire.bench, "wire.counters"));
	bench_free(wire.bench);
	wire = wire_begin();
	for (size_t i = 0; i < wire.count; i++)
		if (strcmp(wire.rows[i].src, "10.0.0.1") == 0)
			snprintf(wire.rows[i].src, sizeof(wire.rows[i].src), "192.0.2.1");
	wire_judge_run(&wire);
	assert_non_null(bench_find(wire.bench, "wire.unjoined"));
	bench_free(wire.bench);
}

static void what_a_capture_showed_is_told_again(void **state)
{
	struct wire_bench wire = wire_begin();
	size_t lost = 0, unknown = 0;

	(void)state;
	wire.findings[0] = (struct run_wire_finding){ .capture = CAPTURE,
		.name = "wire.loss.before",
		.verdict = VERDICT_FAIL,
		.culprit_kind = CULPRIT_PORT,
		.culprit = "02:01:00:00:00:01",
		.text = "7 packets lost" };
	wire.findings[1] = (struct run_wire_finding){ .capture = CAPTURE,
		.name = "wire.one_sided",
		.verdict = VERDICT_UNKNOWN,
		.text = "one-sided" };
	wire.finding_count = 2;
	wire_judge_run(&wire);
	for (size_t i = 0; i < wire.bench->findings.count; i++) {
		const struct finding *finding = &wire.bench->findings.items[i];

		lost += strcmp(finding->check, "wire.loss.before") == 0 &&
			finding->verdict == VERDICT_FAIL &&
			strcmp(finding->culprit, "leaf1:1") == 0;
		unknown += strcmp(finding->check, "wire.one_sided") == 0 &&
			   finding->verdict == VERDICT_WARN;
	}
	assert_int_equal(lost, 1);
	assert_int_equal(unknown, 1);
	bench_free(wire.bench);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 6] = {
		cmocka_unit_test(the_same_on_both_sides_passes),
		cmocka_unit_test(a_tap_that_saw_all_must_agree_on_what_was_sent_again),
		cmocka_unit_test(marks_that_nobody_answers_are_the_receivers_doing),
		cmocka_unit_test(notices_that_nobody_heeds_are_the_senders_doing),
		cmocka_unit_test(another_clock_or_other_addresses_are_not_compared),
		cmocka_unit_test(what_a_capture_showed_is_told_again),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[6 + i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = a_difference_names_the_counter,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("judge_wire", tests, NULL, NULL);
}
