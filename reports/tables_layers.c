/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/number.h"
#include "reports/text_tables.h"

struct layer_sum {
	uint32_t stages, ran, skipped;
	uint64_t flows, bytes;
	const char *reason; /* of the first stage that did not run to its end; NULL: all did */
	uint32_t checks;    /* findings of the layer */
	enum verdict verdict; /* the worst of them */
};

static void add_stage(struct layer_sum *sum, const struct figure_stage *figure)
{
	sum->stages++;
	sum->ran += figure->stage.status == RUN_COMPLETE;
	sum->skipped += figure->stage.status == RUN_SKIPPED;
	sum->flows += figure->main.count + figure->victim.count;
	sum->bytes += figure->main.bytes_delivered + figure->victim.bytes_delivered;
	if (figure->stage.status != RUN_COMPLETE && !sum->reason)
		sum->reason = figure->stage.reason;
}

static struct layer_sum sum_layer(
	const struct figures *figures, const struct findings *findings, enum plan_layer layer)
{
	struct findings own = FINDINGS_INIT;
	struct layer_sum sum = { 0 };

	for (size_t i = 0; i < figures->stage_count; i++)
		if (figures->stages[i].stage.layer == layer)
			add_stage(&sum, &figures->stages[i]);
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].layer, plan_layer_name(layer)) == 0)
			findings_add(&own, "", "", findings->items[i].verdict);
	sum.checks = (uint32_t)own.count;
	sum.verdict = findings_verdict(&own);
	findings_free(&own);
	return sum;
}

/* Text that grows at its end and stops growing when it is full. */
struct growing {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void grow_text(
	struct growing *growing, const char *fmt, ...)
{
	va_list args;
	int length;

	if (growing->used >= growing->size)
		return;
	va_start(args, fmt);
	length = vsnprintf(
		growing->text + growing->used, growing->size - growing->used, fmt, args);
	va_end(args);
	if (length > 0)
		growing->used += (size_t)length;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The slowest flow of all stages and the median of their medians. */
static void flow_rates(struct growing *to, const struct figures *figures, enum plan_layer layer)
{
	uint64_t *medians = zeroed(figures->stage_count, sizeof(*medians)), slowest = 0;
	char least[NUMBER_BYTES], middle[NUMBER_BYTES];
	size_t count = 0;

	for (size_t i = 0; i < figures->stage_count; i++) {
		const struct figure_stage *figure = &figures->stages[i];

		if (figure->stage.layer != layer || !figure->main.count)
			continue;
		if (!count || figure->main.slowest_bps < slowest)
			slowest = figure->main.slowest_bps;
		medians[count++] = figure->main.median_bps;
	}
	if (count) {
		qsort(medians, count, sizeof(*medians), by_number);
		number_gbps(least, sizeof(least), slowest);
		number_gbps(middle, sizeof(middle), medians[count / 2]);
		grow_text(to, "a flow: median %s, slowest %s Gb/s", middle, least);
	}
	free(medians);
}

/* "a pair: median 41.2 Gb/s at 1 QP, 60.1 at 4": the worst permutation of
 * each number of QPs. */
static void rates_by_qps(struct growing *to, const struct figures *figures)
{
	uint32_t last = 0;

	for (;;) {
		uint32_t variant = UINT32_MAX;
		uint64_t worst = UINT64_MAX;
		char rate[NUMBER_BYTES];

		for (size_t i = 0; i < figures->stage_count; i++) {
			const struct figure_stage *figure = &figures->stages[i];

			if (figure->stage.layer != LAYER_NONBLOCKING || !figure->main.count ||
				figure->stage.variant <= last ||
				figure->stage.variant > variant)
				continue;
			if (figure->stage.variant < variant || figure->main.median_bps < worst)
				worst = figure->main.median_bps;
			variant = figure->stage.variant;
		}
		if (variant == UINT32_MAX)
			return;
		number_gbps(rate, sizeof(rate), worst);
		grow_text(to,
			last ? ", %s%s at %" PRIu32 : "a pair: median %s%s at %" PRIu32 " QP",
			rate, last ? "" : " Gb/s", variant);
		last = variant;
	}
}

static void loss_of_layer(
	struct growing *to, const struct figures *figures, enum plan_layer layer)
{
	struct figure_loss loss = figures_loss(figures, layer);
	char packets[NUMBER_BYTES], resent[NUMBER_BYTES], dropped[NUMBER_BYTES];

	if (!loss.packets)
		return;
	number_count(packets, sizeof(packets), loss.packets);
	number_count(resent, sizeof(resent), loss.resent);
	number_count(dropped, sizeof(dropped), loss.dropped);
	grow_text(to, "%s dropped, %s resent, %s packets arrived",
		loss.counted ? dropped : "unknown number", resent, packets);
}

static void peak_queue(struct growing *to, const struct figures *figures)
{
	char peak[NUMBER_BYTES];
	uint64_t highest = 0;

	for (size_t i = 0; i < figures->stage_count; i++)
		if (figures->stages[i].stage.layer == LAYER_BURST &&
			figures->stages[i].queue_peak.value > highest)
			highest = figures->stages[i].queue_peak.value;
	if (!highest)
		return;
	number_bytes(peak, sizeof(peak), highest);
	grow_text(to, "; highest queue %s", peak);
}

static void slowest_ring(struct growing *to, const struct figures *figures)
{
	const struct figure_ring *worst = NULL;
	char rate[NUMBER_BYTES];

	for (size_t i = 0; i < figures->ring_count; i++)
		if (figures->rings[i].time_ns &&
			(!worst || figures->rings[i].busbw_bps < worst->busbw_bps))
			worst = &figures->rings[i];
	if (!worst)
		return;
	number_rate(rate, sizeof(rate), worst->busbw_bps);
	grow_text(to, "busbw %s over %" PRIu32 " ranks", rate, worst->ranks);
}

static void figure_of_layer(
	struct growing *to, const struct figures *figures, enum plan_layer layer)
{
	switch (layer) {
	case LAYER_PAIRS:
		flow_rates(to, figures, layer);
		return;
	case LAYER_NONBLOCKING:
		rates_by_qps(to, figures);
		return;
	case LAYER_LOSSLESS:
		loss_of_layer(to, figures, layer);
		return;
	case LAYER_BURST:
		loss_of_layer(to, figures, layer);
		peak_queue(to, figures);
		return;
	case LAYER_RING:
		slowest_ring(to, figures);
		return;
	case LAYER_PLAN:
	case LAYER_CLASS:
	case LAYER_COUNT:
		break;
	}
}

/* What plan and class show is had from the file and from what all layers sent. */
static bool sends(enum plan_layer layer)
{
	return layer != LAYER_PLAN && layer != LAYER_CLASS;
}

/* Findings that pass are filed under a layer that did not run, or not to its end: they rest on
 * what others sent, or on a part. */
static void verdict_cell(
	struct table *table, enum plan_layer layer, const struct layer_sum *sum)
{
	enum verdict verdict = sum->verdict;
	bool passes = verdict == VERDICT_PASS || verdict == VERDICT_WARN;

	if (sum->stages && sum->skipped == sum->stages) {
		table_cell(table, INK_DIM, "skipped");
		return;
	}
	if (passes && sum->ran + sum->skipped < sum->stages)
		verdict = VERDICT_UNKNOWN;
	else if (!sum->checks || (verdict == VERDICT_PASS && !sum->stages && sends(layer))) {
		table_cell(table, INK_DIM, "-");
		return;
	}
	table_cell(table, text_style(verdict), "%s", verdict_name(verdict));
}

static void layer_cells(struct table *table, const struct figures *figures,
	enum plan_layer layer, const struct layer_sum *sum)
{
	bool skipped = sum->stages && sum->skipped == sum->stages;
	char text[TABLE_CELL] = "", bytes[NUMBER_BYTES] = "-";
	struct growing to = { text, sizeof(text), 0 };

	if (!skipped)
		figure_of_layer(&to, figures, layer);
	if (sum->reason)
		grow_text(&to, "%s%s%s", to.used ? "; " : "",
			skipped ? "" : "not complete: ", sum->reason);
	if (!sum->stages && sends(layer))
		grow_text(&to, "no stage%s", sum->checks ? ", " : "");
	if (sum->checks && (!to.used || !sum->stages))
		grow_text(
			&to, "%" PRIu32 " finding%s", sum->checks, sum->checks == 1 ? "" : "s");
	if (sum->bytes)
		number_bytes(bytes, sizeof(bytes), sum->bytes);
	table_cell(table, INK_PLAIN, "%s", plan_layer_name(layer));
	verdict_cell(table, layer, sum);
	if (sum->stages)
		table_cell(table, INK_PLAIN, "%" PRIu32 "/%" PRIu32, sum->ran, sum->stages);
	else
		table_cell(table, INK_PLAIN, "-");
	table_cell(table, INK_PLAIN, "%" PRIu64, sum->flows);
	table_cell(table, INK_PLAIN, "%s", bytes);
	table_cell(table, INK_PLAIN, "%s", text);
}

/* A whole acceptance begins with pairs and ends with a ring: what it has no stage for, the fabric
 * is too small for, and a row says so. */
static bool is_whole(const struct figures *figures)
{
	bool has[LAYER_COUNT] = { false };

	for (size_t i = 0; i < figures->stage_count; i++)
		has[figures->stages[i].stage.layer] = true;
	return has[LAYER_PAIRS] && has[LAYER_RING];
}

void tables_layers(
	struct table *table, const struct figures *figures, const struct findings *findings)
{
	static const struct table_column columns[] = { { "layer", true, 0 },
		{ "verdict", true, 0 }, { "stages", false, 4 }, { "flows", false, 6 },
		{ "carried", false, 5 }, { "result", true, 0 } };

	bool whole = is_whole(figures);

	table_init(table, columns, COUNT_OF(columns));
	for (enum plan_layer layer = LAYER_PLAN; layer < LAYER_COUNT; layer++) {
		struct layer_sum sum = sum_layer(figures, findings, layer);

		if (sum.stages || sum.checks || (whole && sends(layer)))
			layer_cells(table, figures, layer, &sum);
	}
}
