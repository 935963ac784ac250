/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/figures.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/counter_kind.h"
#include "reports/figures_ring.h"

/* The largest product is a year of 1.6 Tb/s in bits; in double, since a rate is
 * for printing. */
static uint64_t rate_bps(uint64_t bytes, uint64_t ns)
{
	if (!ns)
		return 0;
	return (uint64_t)((double)bytes * 8 * (double)NS_PER_S / (double)ns + 0.5);
}

static uint64_t flow_end_ns(const struct run_flow *flow, const struct run_stage *stage)
{
	return flow->complete && flow->end_ns ? flow->end_ns : stage->t1_ns;
}

/* A time in which bytes went through; grows by flows. */
struct span {
	uint64_t from_ns, to_ns, bytes;
	bool any;
};

static void span_add(
	struct span *span, const struct run_flow *flow, const struct run_stage *stage)
{
	uint64_t end_ns = flow_end_ns(flow, stage);

	if (!span->any || flow->start_ns < span->from_ns)
		span->from_ns = flow->start_ns;
	if (!span->any || end_ns > span->to_ns)
		span->to_ns = end_ns;
	span->bytes += flow->bytes_delivered;
	span->any = true;
}

static uint64_t span_bps(const struct span *span)
{
	if (span->to_ns <= span->from_ns)
		return 0;
	return rate_bps(span->bytes, span->to_ns - span->from_ns);
}

/* In a stage that was stopped, flows whose turn had not come have no rate. */
static bool has_rate(
	const struct run_flow *flow, const struct run_stage *stage, enum flow_role role)
{
	return flow->role == role && (flow->complete || flow->start_ns < stage->t1_ns);
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

uint64_t figure_flow_bps(const struct run_flow *flow, const struct run_stage *stage)
{
	struct span alone = { 0 };

	if (!has_rate(flow, stage, flow->role))
		return 0;
	span_add(&alone, flow, stage);
	return span_bps(&alone);
}

static void rates_of_flows(struct figure_flows *sum, const struct run_stage *stage,
	const struct run_flow *flows, size_t count, enum flow_role role)
{
	uint64_t *rates = zeroed(count, sizeof(*rates));
	struct span together = { 0 };
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_rate(&flows[i], stage, role))
			continue;
		span_add(&together, &flows[i], stage);
		rates[used++] = figure_flow_bps(&flows[i], stage);
	}
	if (used) {
		qsort(rates, used, sizeof(*rates), by_number);
		sum->slowest_bps = rates[0];
		sum->median_bps = rates[used / 2];
		sum->fastest_bps = rates[used - 1];
	}
	sum->together_bps = span_bps(&together);
	free(rates);
}

static int by_target(const void *left, const void *right)
{
	const struct run_flow *a = *(const struct run_flow *const *)left;
	const struct run_flow *b = *(const struct run_flow *const *)right;

	return strcmp(a->dst, b->dst);
}

static void rates_of_targets(struct figure_flows *sum, const struct run_stage *stage,
	const struct run_flow *flows, size_t count, enum flow_role role)
{
	const struct run_flow **sorted = zeroed(count, sizeof(const struct run_flow *));
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (has_rate(&flows[i], stage, role))
			sorted[used++] = &flows[i];
	if (used)
		qsort(sorted, used, sizeof(const struct run_flow *), by_target);
	for (size_t i = 0; i < used; sum->targets++) {
		const char *dst = sorted[i]->dst;
		struct span span = { 0 };
		uint64_t bps;

		for (; i < used && strcmp(sorted[i]->dst, dst) == 0; i++)
			span_add(&span, sorted[i], stage);
		bps = span_bps(&span);
		if (!sum->targets || bps < sum->target_bps)
			sum->target_bps = bps;
	}
	free(sorted);
}

static struct figure_flows flows_of(const struct run_stage *stage, const struct run_flow *flows,
	size_t count, enum flow_role role)
{
	struct figure_flows sum = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (flows[i].role != role)
			continue;
		sum.count++;
		sum.complete += flows[i].complete;
		sum.qps += flows[i].qps;
		sum.not_ect += flows[i].not_ect;
		sum.bytes_planned += flows[i].bytes_planned;
		sum.bytes_posted += flows[i].bytes_posted;
		sum.bytes_delivered += flows[i].bytes_delivered;
	}
	rates_of_flows(&sum, stage, flows, count, role);
	rates_of_targets(&sum, stage, flows, count, role);
	return sum;
}

static void add_packets(struct figure_stage *figure, const struct run_flow *flow)
{
	figure->packets_sent += flow->packets_sent;
	figure->packets_resent += flow->packets_resent;
	figure->packets_received += flow->packets_received;
	figure->timeouts += flow->timeouts;
	figure->naks += flow->naks;
	figure->out_of_sequence += flow->out_of_sequence;
	figure->ce_packets += flow->ce_packets;
	figure->cnps_sent += flow->cnps_sent;
	figure->cnps_handled += flow->cnps_handled;
	figure->qp_errors += flow->qp_error;
}

static int read_flows(struct figure_stage *figure, struct run *run, struct diag *diag)
{
	struct run_flow *flows = NULL;
	size_t count = 0;
	int err;

	err = run_get_flows(run, figure->stage.id, &flows, &count, diag);
	if (err)
		return err;
	figure->main = flows_of(&figure->stage, flows, count, FLOW_MAIN);
	figure->victim = flows_of(&figure->stage, flows, count, FLOW_VICTIM);
	for (size_t i = 0; i < count; i++)
		add_packets(figure, &flows[i]);
	free(flows);
	return 0;
}

/* A counter that went down was reset in the window: it says nothing. */
static void add_counter(struct figure_count *sum, const struct run_counter *row)
{
	if (row->last < row->first)
		return;
	sum->present = true;
	sum->value += row->last - row->first;
}

/* A watermark is a level, not a total. */
static void keep_peak(struct figure_count *peak, const struct run_counter *row)
{
	peak->present = true;
	if (row->last > peak->value)
		peak->value = row->last;
}

static void add_counters(
	struct figure_stage *figure, enum counter_kind kind, const struct run_counter *row)
{
	if (kind == COUNTER_DROP)
		add_counter(&figure->drops, row);
	else if (kind == COUNTER_XOFF_SENT)
		add_counter(&figure->pause, row);
	else if (kind == COUNTER_HELD_US)
		add_counter(&figure->pause_us, row);
	else if (kind == COUNTER_MARKED)
		add_counter(&figure->ecn_marked, row);
	else if (kind == COUNTER_QUEUE_PEAK)
		keep_peak(&figure->queue_peak, row);
}

static int read_counters(struct figure_stage *figure, struct counter_kinds *kinds,
	struct run *run, struct diag *diag)
{
	struct run_counter *rows = NULL;
	size_t count = 0;
	int err;

	err = run_get_counters(run, figure->stage.id, &rows, &count, diag);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		add_counters(figure, counter_kind(kinds, rows[i].name), &rows[i]);
	free(rows);
	return 0;
}

int figures_read(struct figures *figures, struct run *run, struct diag *diag)
{
	struct run_stage *stages = NULL;
	struct figures read = FIGURES_INIT;
	struct counter_kinds kinds = { .kinds = NULL };
	size_t count = 0;
	int err;

	err = run_get_planned(run, &stages, &count, diag);
	if (err)
		return err;
	read.stages = zeroed(count, sizeof(*read.stages));
	read.stage_count = count;
	for (size_t i = 0; !err && i < count; i++) {
		read.stages[i].stage = stages[i];
		err = read_flows(&read.stages[i], run, diag);
		if (!err)
			err = read_counters(&read.stages[i], &kinds, run, diag);
		if (!err && stages[i].layer == LAYER_BURST)
			err = run_get_burst(run, stages[i].id, &read.stages[i].burst, diag);
		if (!err && stages[i].layer == LAYER_RING)
			err = figures_read_ring(&read, (uint32_t)i, run, diag);
	}
	free(stages);
	counter_kinds_free(&kinds);
	if (err)
		figures_free(&read);
	else
		*figures = read;
	return err;
}

void figures_free(struct figures *figures)
{
	free(figures->stages);
	free(figures->rings);
	*figures = (struct figures)FIGURES_INIT;
}

const char *figure_status_name(enum run_status status)
{
	switch (status) {
	case RUN_COMPLETE:
		return "complete";
	case RUN_PARTIAL:
		return "partial";
	case RUN_SKIPPED:
		return "skipped";
	case RUN_FAILED:
		break;
	}
	return "failed";
}
