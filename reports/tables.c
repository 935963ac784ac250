/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/units.h"
#include "reports/number.h"

void tables_count(struct table *table, enum ink_style style, uint64_t value)
{
	char text[NUMBER_BYTES];

	number_count(text, sizeof(text), value);
	table_cell(table, style, "%s", text);
}

/* Absent is not zero. */
void tables_counter(struct table *table, enum ink_style style, const struct figure_count *count)
{
	if (count->present)
		tables_count(table, style, count->value);
	else
		table_cell(table, INK_DIM, "?");
}

static void rate_cell(struct table *table, uint64_t bps)
{
	char text[NUMBER_BYTES];

	number_gbps(text, sizeof(text), bps);
	table_cell(table, INK_PLAIN, "%s", text);
}

enum ink_style tables_bad_if(uint64_t value)
{
	return value ? INK_BAD : INK_PLAIN;
}

static void truth_cells(struct table *table, const struct figure_truth *row)
{
	char offered[NUMBER_BYTES], goodput[NUMBER_BYTES];

	number_bytes(offered, sizeof(offered), row->bytes_posted);
	number_bytes(goodput, sizeof(goodput), row->bytes_delivered);
	table_cell(table, INK_PLAIN, "%s%s", row->name,
		row->complete < row->stages ? " (part)" : "");
	table_cell(table, INK_PLAIN, "%" PRIu32 ":1", row->variant);
	table_cell(table, INK_PLAIN, "%s", figure_kind_name(row->kind));
	tables_count(table, INK_PLAIN, row->targets);
	table_cell(table, INK_PLAIN, "%s", offered);
	if (row->bytes_delivered == row->bytes_posted)
		table_cell(table, INK_PLAIN, "all");
	else
		table_cell(table, INK_BAD, "%s", goodput);
	rate_cell(table, row->slowest_bps);
	if (row->victim_bps)
		rate_cell(table, row->victim_bps);
	else
		table_cell(table, INK_DIM, "-");
	tables_count(table, tables_bad_if(row->packets_resent), row->packets_resent);
	tables_counter(table, tables_bad_if(row->drops.value), &row->drops);
	tables_counter(table, INK_PLAIN, &row->pause);
	tables_count(table, INK_PLAIN, row->ce_packets);
	tables_count(table, INK_PLAIN, row->cnps_sent);
}

void tables_lossless(struct table *table, const struct figures *figures)
{
	static const struct table_column columns[] = { { "lossless", true, 0 },
		{ "N:1", false, 5 }, { "ECN", true, 4 }, { "targets", false, 7 },
		{ "offered", false, 3 }, { "arrived", false, 6 }, { "Gb/s", false, 2 },
		{ "victim", false, 1 }, { "resent", false, 0 }, { "drops", false, 0 },
		{ "PFC", false, 0 }, { "CE", false, 0 }, { "CNP", false, 0 } };
	struct figure_truth *rows;
	size_t count = figures_truth(figures, &rows);

	table_init(table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < count; i++)
		truth_cells(table, &rows[i]);
	free(rows);
}

static void ring_cells(
	struct table *table, const struct figures *figures, const struct figure_ring *ring)
{
	char bytes[NUMBER_BYTES], time[NUMBER_BYTES], slowest[NUMBER_BYTES],
		median[NUMBER_BYTES];

	number_bytes(bytes, sizeof(bytes), ring->bytes);
	number_time(time, sizeof(time), ring->time_ns);
	number_time(slowest, sizeof(slowest), ring->slowest_ns);
	number_time(median, sizeof(median), ring->median_ns);
	table_cell(table, INK_PLAIN, "%s", figures->stages[ring->stage].stage.name);
	tables_count(table, INK_PLAIN, ring->ranks);
	table_cell(table, INK_PLAIN, "%s", bytes);
	table_cell(table, ring->iterations_complete < ring->iterations ? INK_BAD : INK_PLAIN,
		"%" PRIu32 "/%" PRIu32, ring->iterations_complete, ring->iterations);
	table_cell(table, INK_PLAIN, "%s", ring->time_ns ? time : "?");
	rate_cell(table, ring->algbw_bps);
	rate_cell(table, ring->busbw_bps);
	if (!ring->has_slowest)
		table_cell(table, INK_DIM, "?");
	else
		table_cell(table, INK_PLAIN, "%s->%s %s (median %s)", ring->slowest_src,
			ring->slowest_dst, slowest, median);
}

void tables_rings(struct table *table, const struct figures *figures)
{
	static const struct table_column columns[] = { { "all-reduce", true, 0 },
		{ "ranks", false, 4 }, { "bytes", false, 6 }, { "done", false, 5 },
		{ "time", false, 0 }, { "algbw", false, 7 }, { "busbw Gb/s", false, 0 },
		{ "slowest step", true, 0 } };

	table_init(table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < figures->ring_count; i++)
		if (figures->rings[i].has_slowest ||
			figures->stages[figures->rings[i].stage].stage.status == RUN_COMPLETE)
			ring_cells(table, figures, &figures->rings[i]);
}

static void flow_cell(struct table *table, uint32_t flows, uint64_t bps)
{
	if (flows)
		rate_cell(table, bps);
	else
		table_cell(table, INK_DIM, "-");
}

static void stage_cells(struct table *table, const struct figure_stage *figure)
{
	const struct run_stage *stage = &figure->stage;
	const struct figure_flows *flows = figure->main.count ? &figure->main : &figure->victim;
	char from[NUMBER_BYTES], length[NUMBER_BYTES];

	number_time(from, sizeof(from), stage->t0_ns);
	number_time(length, sizeof(length),
		stage->t1_ns > stage->t0_ns ? stage->t1_ns - stage->t0_ns : 0);
	table_cell(table, INK_PLAIN, "%s", stage->name);
	table_cell(table, stage->status == RUN_COMPLETE ? INK_PLAIN : INK_DOUBT, "%s",
		figure_status_name(stage->status));
	table_cell(table, INK_PLAIN, "%s", from);
	table_cell(table, INK_PLAIN, "%s", length);
	table_cell(table, INK_PLAIN, "%" PRIu32 "/%" PRIu32,
		figure->main.complete + figure->victim.complete,
		figure->main.count + figure->victim.count);
	flow_cell(table, flows->count, flows->median_bps);
	flow_cell(table, flows->count, flows->slowest_bps);
	tables_count(table, tables_bad_if(figure->packets_resent), figure->packets_resent);
	tables_counter(table, tables_bad_if(figure->drops.value), &figure->drops);
	tables_counter(table, INK_PLAIN, &figure->pause);
	tables_count(table, INK_PLAIN, figure->ce_packets);
	table_cell(table, INK_DIM, "%s", stage->reason[0] ? stage->reason : stage->note);
}

void tables_stages(struct table *table, const struct figures *figures)
{
	static const struct table_column columns[] = { { "stage", true, 0 },
		{ "status", true, 2 }, { "from", false, 6 }, { "window", false, 5 },
		{ "flows", false, 1 }, { "median", false, 0 }, { "least Gb/s", false, 0 },
		{ "resent", false, 0 }, { "drops", false, 0 }, { "PFC", false, 3 },
		{ "CE", false, 4 }, { "note", true, 7 } };

	table_init(table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < figures->stage_count; i++)
		stage_cells(table, &figures->stages[i]);
}
