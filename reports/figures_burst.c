/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/figures.h"

#define SAME_RATE 1.02 /* gaps are those of the plan, but for its rounding */

struct found {
	const struct figure_stage *figure;
	struct figure_burst cell;
};

static double burst_bytes(const struct run_burst *burst)
{
	return (double)burst->bytes * burst->senders;
}

static int by_rate(const void *left, const void *right)
{
	const struct found *a = left, *b = right;

	return (a->cell.offered_bps > b->cell.offered_bps) -
	       (a->cell.offered_bps < b->cell.offered_bps);
}

static int by_size(const void *left, const void *right)
{
	const struct run_burst *a = &((const struct found *)left)->figure->burst;
	const struct run_burst *b = &((const struct found *)right)->figure->burst;

	if (burst_bytes(a) != burst_bytes(b))
		return burst_bytes(a) < burst_bytes(b) ? -1 : 1;
	return (a->senders > b->senders) - (a->senders < b->senders);
}

/* The one to tell of a cell comes first. */
static int by_cell(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	const struct figure_count *p = &a->figure->queue_peak, *q = &b->figure->queue_peak;

	if (a->cell.gap != b->cell.gap)
		return a->cell.gap < b->cell.gap ? -1 : 1;
	if (a->cell.size != b->cell.size)
		return a->cell.size < b->cell.size ? -1 : 1;
	if (p->present != q->present)
		return p->present ? -1 : 1;
	if (p->value != q->value)
		return p->value > q->value ? -1 : 1;
	return (a->cell.stage > b->cell.stage) - (a->cell.stage < b->cell.stage);
}

static struct found *gather(const struct figures *figures, size_t *count)
{
	struct found *all = zeroed(figures->stage_count, sizeof(*all));

	*count = 0;
	for (size_t i = 0; i < figures->stage_count; i++) {
		const struct run_burst *burst = &figures->stages[i].burst;
		struct found *one = &all[*count];

		if (!burst->senders)
			continue;
		one->figure = &figures->stages[i];
		one->cell.stage = (uint32_t)i;
		one->cell.offered_bps =
			burst_bytes(burst) * 8 * (double)NS_PER_S / (double)burst->period_ns;
		(*count)++;
	}
	return all;
}

/* Gives rows and columns their numbers, and leaves all in the order of the cells. */
static void arrange(struct found *all, size_t count, struct figure_bursts *bursts)
{
	double first_bps = 0;

	qsort(all, count, sizeof(*all), by_rate);
	for (size_t i = 0; i < count; i++) {
		if (!i || all[i].cell.offered_bps > first_bps * SAME_RATE) {
			first_bps = all[i].cell.offered_bps;
			bursts->gaps++;
		}
		all[i].cell.gap = bursts->gaps - 1;
	}
	qsort(all, count, sizeof(*all), by_size);
	for (size_t i = 0; i < count; i++) {
		bursts->sizes += !i || by_size(&all[i - 1], &all[i]) != 0;
		all[i].cell.size = bursts->sizes - 1;
	}
	qsort(all, count, sizeof(*all), by_cell);
}

void figures_bursts(const struct figures *figures, struct figure_bursts *bursts)
{
	size_t count;
	struct found *all = gather(figures, &count);

	*bursts = (struct figure_bursts){ .cells = zeroed(count, sizeof(*bursts->cells)) };
	if (count)
		arrange(all, count, bursts);
	for (size_t i = 0; i < count; i++) {
		const struct figure_burst *cell = &all[i].cell;

		if (i && cell->gap == all[i - 1].cell.gap && cell->size == all[i - 1].cell.size)
			continue;
		bursts->cells[bursts->count++] = *cell;
	}
	free(all);
}
