/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/hand.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/number.h"
#include "reports/table.h"

#define ROWS_MAX 32u /* beyond that the slowest */

/* --- flows --- */

struct flow_row {
	struct run_flow flow;
	uint64_t took_ns; /* to the last byte, or to the end of the window */
	uint64_t bps;     /* of payload */
};

static uint64_t rate_bps(uint64_t bytes, uint64_t ns)
{
	return ns ? (uint64_t)((double)bytes * 8 * (double)NS_PER_S / (double)ns) : 0;
}

static int slowest_first(const void *left, const void *right)
{
	const struct flow_row *a = left, *b = right;

	if (a->bps != b->bps)
		return a->bps < b->bps ? -1 : 1;
	return a->flow.flow < b->flow.flow ? -1 : a->flow.flow > b->flow.flow;
}

static int by_time(const void *left, const void *right)
{
	const struct flow_row *const *a = left, *const *b = right;

	return (*a)->took_ns < (*b)->took_ns ? -1 : (*a)->took_ns > (*b)->took_ns;
}

static const struct table_column flow_columns[] = {
	{ "  flow", true, 0 },
	{ "QPs", false, 3 },
	{ "MiB", false, 0 },
	{ "us", false, 0 },
	{ "Gb/s", false, 0 },
	{ "resent", false, 1 },
	{ "timeouts", false, 2 },
	{ "CE", false, 4 },
	{ "CNP", false, 5 },
};

static void flow_cells(struct table *table, const struct flow_row *row)
{
	const struct run_flow *flow = &row->flow;
	char rate[NUMBER_BYTES];

	number_gbps(rate, sizeof(rate), row->bps);
	table_cell(table, INK_PLAIN, "  %s > %s%s", flow->src, flow->dst,
		flow->role == FLOW_VICTIM ? " (victim)" : "");
	table_cell(table, INK_PLAIN, "%u", flow->qps);
	table_cell(table, INK_PLAIN, "%.2f", (double)flow->bytes_delivered / (double)MIB);
	table_cell(table, flow->complete ? INK_PLAIN : INK_BAD, "%s%.1f",
		flow->complete ? "" : "> ", (double)row->took_ns / (double)NS_PER_US);
	table_cell(table, INK_PLAIN, "%s", rate);
	table_cell(table, flow->packets_resent ? INK_BAD : INK_PLAIN, "%" PRIu64,
		flow->packets_resent);
	table_cell(table, flow->timeouts ? INK_BAD : INK_PLAIN, "%" PRIu64, flow->timeouts);
	table_cell(table, INK_PLAIN, "%" PRIu64, flow->ce_packets);
	table_cell(table, INK_PLAIN, "%" PRIu64, flow->cnps_handled);
}

/* Rows are sorted, slowest first. */
static void say_spread(struct ink *ink, const struct flow_row *rows, size_t count)
{
	const struct flow_row **times = zeroed(count, sizeof(*times));
	char least[NUMBER_BYTES], median[NUMBER_BYTES], most[NUMBER_BYTES], text[256];

	for (size_t i = 0; i < count; i++)
		times[i] = &rows[i];
	qsort(times, count, sizeof(*times), by_time);
	number_gbps(least, sizeof(least), rows[0].bps);
	number_gbps(median, sizeof(median), rows[count / 2].bps);
	number_gbps(most, sizeof(most), rows[count - 1].bps);
	snprintf(text, sizeof(text),
		"%zu flow%s: least %s, p50 %s, most %s Gb/s; done p50 %.1f, max %.1f us", count,
		count == 1 ? "" : "s", least, median, most,
		(double)times[count / 2]->took_ns / (double)NS_PER_US,
		(double)times[count - 1]->took_ns / (double)NS_PER_US);
	ink_to(ink, 2);
	ink_wrap(ink, INK_PLAIN, 4, text);
	ink_end(ink);
	free(times);
}

static void show_flows(struct ink *ink, struct flow_row *rows, size_t count)
{
	struct table table;

	if (count == 0)
		return;
	table_init(&table, flow_columns, COUNT_OF(flow_columns));
	if (count <= ROWS_MAX)
		for (size_t i = 0; i < count; i++)
			flow_cells(&table, &rows[i]);
	qsort(rows, count, sizeof(*rows), slowest_first);
	if (count > ROWS_MAX)
		for (size_t i = 0; i < ROWS_MAX; i++)
			flow_cells(&table, &rows[i]);
	table_print(&table, ink);
	if (count > ROWS_MAX) {
		ink_put(ink, INK_DIM, "  the %u slowest of %zu flows", ROWS_MAX, count);
		ink_end(ink);
	}
	say_spread(ink, rows, count);
}

static int read_flows(struct run *run, const struct run_stage *stage, struct flow_row **rows,
	size_t *count, struct diag *diag)
{
	struct run_flow *flows;
	int err = run_get_flows(run, stage->id, &flows, count, diag);

	if (err)
		return err;
	*rows = zeroed(*count, sizeof(**rows));
	for (size_t i = 0; i < *count; i++) {
		uint64_t end_ns = flows[i].complete ? flows[i].end_ns : stage->t1_ns;

		(*rows)[i].flow = flows[i];
		(*rows)[i].took_ns =
			end_ns > flows[i].start_ns ? end_ns - flows[i].start_ns : 0;
		(*rows)[i].bps = rate_bps(flows[i].bytes_delivered, (*rows)[i].took_ns);
	}
	free(flows);
	return 0;
}

/* --- ring --- */

static const struct table_column ring_columns[] = {
	{ "  all-reduce", true, 0 },
	{ "us", false, 0 },
	{ "algbw Gb/s", false, 0 },
	{ "busbw Gb/s", false, 0 },
};

/* From the first byte posted to the last arrived; 0 for one that was not completed. */
static uint64_t iteration_ns(const struct run_step *steps, size_t count, uint32_t iteration)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < count; i++) {
		if (steps[i].iteration != iteration)
			continue;
		if (steps[i].arrived_ns == 0)
			return 0;
		first = steps[i].posted_ns < first ? steps[i].posted_ns : first;
		last = steps[i].arrived_ns > last ? steps[i].arrived_ns : last;
	}
	return last > first ? last - first : 0;
}

/* nccl-tests: algbw = V / t, busbw = algbw x 2 (n - 1) / n. */
static void ring_cells(
	struct table *table, const struct plan_ring *ring, uint32_t iteration, uint64_t ns)
{
	double algbw = (double)rate_bps(ring->bytes, ns) / (double)GBPS;

	table_cell(table, INK_PLAIN, "  %u", iteration + 1);
	if (ns) {
		table_cell(table, INK_PLAIN, "%.1f", (double)ns / (double)NS_PER_US);
		table_cell(table, INK_PLAIN, "%.2f", algbw);
		table_cell(
			table, INK_PLAIN, "%.2f", algbw * 2 * (ring->ranks - 1) / ring->ranks);
		return;
	}
	table_cell(table, INK_BAD, "not done");
	table_cell(table, INK_PLAIN, "-");
	table_cell(table, INK_PLAIN, "-");
}

static int show_ring(struct ink *ink, struct run *run, uint32_t stage,
	const struct plan_ring *ring, struct diag *diag)
{
	uint32_t last = ring->iterations < ROWS_MAX ? ring->iterations : ROWS_MAX;
	struct run_step *steps;
	struct table table;
	size_t count;
	int err = run_get_steps(run, stage, &steps, &count, diag);

	if (err)
		return err;
	table_init(&table, ring_columns, COUNT_OF(ring_columns));
	for (uint32_t i = 0; i < last; i++)
		ring_cells(&table, ring, i, iteration_ns(steps, count, i));
	table_print(&table, ink);
	if (last < ring->iterations) {
		ink_put(ink, INK_DIM, "  the first %u of %u", last, ring->iterations);
		ink_end(ink);
	}
	free(steps);
	return 0;
}

/* --- stages --- */

static int show_stage(
	struct ink *ink, struct run *run, const struct run_stage *stage, struct diag *diag)
{
	struct plan_ring ring = { .nics = NULL };
	struct flow_row *rows;
	size_t count;
	int err = run_get_ring(run, stage->id, &ring, diag);

	if (err)
		return err;
	ink_put(ink, INK_BOLD, "%s", stage->name);
	ink_put(ink, INK_PLAIN, "  ");
	ink_wrap(ink, INK_PLAIN, 2, stage->note);
	ink_end(ink);
	if (ring.ranks)
		err = show_ring(ink, run, stage->id, &ring, diag);
	if (!err)
		err = read_flows(run, stage, &rows, &count, diag);
	if (!err) {
		show_flows(ink, rows, count);
		free(rows);
	}
	ink_end(ink);
	free(ring.nics);
	return err;
}

int hand_show(FILE *out, struct run *run, struct diag *diag)
{
	struct report_options options = { .width = 0 };
	struct run_stage *stages;
	struct ink ink;
	size_t count;
	int err = run_get_stages(run, &stages, &count, diag);

	if (err)
		return err;
	report_options_for(&options, out);
	ink_init(&ink, out, &options);
	for (size_t i = 0; i < count && !err; i++)
		err = show_stage(&ink, run, &stages[i], diag);
	free(stages);
	return err;
}
