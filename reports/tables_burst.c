/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lib/units.h"
#include "reports/number.h"
#include "reports/tables.h"

#define NOTHING_SEEN 5u /* cells of a stage that was not measured */

static void onset_cell(struct table *table, const struct figure_stage *figure)
{
	const char *marked = figure->ce_packets ? ", marked" : "";
	const char *paused = figure->pause.value ? ", paused" : "";
	const char *dropped = figure->drops.value ? ", dropped" : "";
	bool counted = figure->pause.present && figure->drops.present;
	char text[64];

	snprintf(text, sizeof(text), "%s%s%s", marked, paused, dropped);
	table_cell(table, dropped[0] ? INK_BAD : INK_PLAIN, "%s",
		text[0]   ? text + 2
		: counted ? "none"
			  : "?");
}

static void seen_cells(
	struct table *table, const struct figure_stage *figure, uint64_t buffer_bytes)
{
	const struct figure_count *queue = &figure->queue_peak;
	char peak[NUMBER_BYTES];

	number_bytes(peak, sizeof(peak), queue->value);
	table_cell(
		table, queue->present ? INK_PLAIN : INK_DIM, "%s", queue->present ? peak : "?");
	if (queue->present && buffer_bytes)
		table_cell(table, INK_PLAIN, "%.1f %%",
			100 * (double)queue->value / (double)buffer_bytes);
	else
		table_cell(table, INK_DIM, "?");
	tables_count(table, INK_PLAIN, figure->ce_packets);
	tables_counter(table, INK_PLAIN, &figure->pause);
	tables_counter(table, tables_bad_if(figure->drops.value), &figure->drops);
	onset_cell(table, figure);
}

static void burst_cells(struct table *table, const struct figure_stage *figure,
	const struct figure_burst *cell, uint64_t buffer_bytes)
{
	const struct run_stage *stage = &figure->stage;
	char bytes[NUMBER_BYTES], period[NUMBER_BYTES], offered[NUMBER_BYTES];

	number_bytes(bytes, sizeof(bytes), figure->burst.bytes);
	number_time(period, sizeof(period), figure->burst.period_ns);
	number_gbps(offered, sizeof(offered), (uint64_t)cell->offered_bps);
	table_cell(table, INK_PLAIN, "%s", stage->name);
	table_cell(table, INK_PLAIN, "%u x %s", figure->burst.senders, bytes);
	table_cell(table, INK_PLAIN, "%s", period);
	table_cell(table, INK_PLAIN, "%s", offered);
	if (stage->t1_ns > stage->t0_ns) {
		seen_cells(table, figure, buffer_bytes);
		return;
	}
	for (unsigned i = 0; i < NOTHING_SEEN; i++)
		table_cell(table, INK_DIM, "?");
	table_cell(table, INK_DOUBT, "not measured: %s", stage->reason);
}

void tables_bursts(struct table *table, const struct figures *figures,
	const struct figure_bursts *bursts, uint64_t buffer_bytes)
{
	static const struct table_column columns[] = { { "burst", true, 0 },
		{ "senders x size", false, 0 }, { "one each", false, 0 },
		{ "offered Gb/s", false, 0 }, { "highest queue", false, 0 },
		{ "of the buffer", false, 0 }, { "CE", false, 0 }, { "PFC", false, 0 },
		{ "drops", false, 0 }, { "provoked", true, 0 } };

	table_init(table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < bursts->count; i++)
		burst_cells(table, &figures->stages[bursts->cells[i].stage], &bursts->cells[i],
			buffer_bytes);
}
