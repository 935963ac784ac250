/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

static bool has_run(const struct figure_stage *figure)
{
	return figure->stage.status == RUN_COMPLETE || figure->stage.status == RUN_PARTIAL;
}

static void add_count(struct figure_count *sum, const struct figure_count *more)
{
	sum->present |= more->present;
	sum->value += more->value;
}

static void keep_least(uint64_t *least, uint64_t value)
{
	if (value && (!*least || value < *least))
		*least = value;
}

static void add_stage(struct figure_truth *row, const struct figure_stage *figure)
{
	/* No target and no victim yet: the rate of a stage in which nothing arrived
	 * is 0 and must stay the worst. */
	if (!row->stages || figure->main.target_bps < row->slowest_bps)
		row->slowest_bps = figure->main.target_bps;
	keep_least(&row->victim_bps, figure->victim.slowest_bps);
	row->stages++;
	row->complete += figure->stage.status == RUN_COMPLETE;
	row->targets += figure->main.targets;
	row->bytes_posted += figure->main.bytes_posted;
	row->bytes_delivered += figure->main.bytes_delivered;
	row->packets_sent += figure->packets_sent;
	row->packets_resent += figure->packets_resent;
	row->timeouts += figure->timeouts;
	row->out_of_sequence += figure->out_of_sequence;
	row->ce_packets += figure->ce_packets;
	row->cnps_sent += figure->cnps_sent;
	add_count(&row->drops, &figure->drops);
	add_count(&row->pause, &figure->pause);
}

enum figure_kind figure_kind(const struct figure_flows *flows)
{
	if (!flows->not_ect)
		return FIGURE_ECT;
	return flows->not_ect == flows->count ? FIGURE_NOT_ECT : FIGURE_BOTH;
}

const char *figure_kind_name(enum figure_kind kind)
{
	switch (kind) {
	case FIGURE_ECT:
		return "ECT";
	case FIGURE_NOT_ECT:
		return "Not-ECT";
	case FIGURE_BOTH:
		break;
	}
	return "both";
}

/* Stages that only differ in their repeat have names that end in its number,
 * counted from 0 or from 1. */
static void name_without_repeat(char *name, size_t size, const struct run_stage *stage)
{
	const char *dash = strrchr(stage->name, '-');
	size_t length = strlen(stage->name);
	char *end;

	if (dash && dash[1] >= '0' && dash[1] <= '9') {
		unsigned long number = strtoul(dash + 1, &end, 10);

		if (!*end && (number == stage->repeat || number == stage->repeat + 1ul))
			length = (size_t)(dash - stage->name);
	}
	snprintf(name, size, "%.*s", (int)length, stage->name);
}

static struct figure_truth *row_of(
	struct figure_truth *rows, size_t *count, const struct figure_stage *figure)
{
	struct figure_truth *row = rows;
	char name[sizeof(row->name)];

	name_without_repeat(name, sizeof(name), &figure->stage);
	for (; row < rows + *count; row++)
		if (strcmp(row->name, name) == 0 && row->kind == figure_kind(&figure->main))
			return row;
	memcpy(row->name, name, sizeof(name));
	row->variant = figure->stage.variant;
	row->kind = figure_kind(&figure->main);
	++*count;
	return row;
}

size_t figures_truth(const struct figures *figures, struct figure_truth **rows)
{
	struct figure_truth *found = zeroed(figures->stage_count, sizeof(*found));
	size_t count = 0;

	for (size_t i = 0; i < figures->stage_count; i++) {
		const struct figure_stage *figure = &figures->stages[i];

		if (figure->stage.layer == LAYER_LOSSLESS && has_run(figure) &&
			figure->main.count)
			add_stage(row_of(found, &count, figure), figure);
	}
	*rows = found;
	return count;
}

struct figure_loss figures_loss(const struct figures *figures, enum plan_layer layer)
{
	struct figure_loss loss = { .counted = true };

	for (size_t i = 0; i < figures->stage_count; i++) {
		const struct figure_stage *figure = &figures->stages[i];

		if (!has_run(figure) || (layer != LAYER_COUNT && figure->stage.layer != layer))
			continue;
		if (!figure->packets_sent)
			continue;
		loss.packets += figure->packets_received;
		loss.resent += figure->packets_resent;
		loss.dropped += figure->drops.value;
		loss.counted &= figure->drops.present;
	}
	return loss;
}

double figures_loss_bound(uint64_t n)
{
	return n > 3 ? 3.0 / (double)n : 1.0;
}
