/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text_plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/number.h"
#include "reports/places.h"
#include "reports/text_tables.h"

#define LABEL_COLUMNS 16u
#define RANGE_COLUMNS 26u /* what stands behind a line of bars */
#define LEVELS 8u
#define LEAVES_MAX 32u
#define POOR 0.5 /* of the line rate; below it a pair is drawn as bad */
#define FAIR 0.9

/* --- bars over the stages --- */

struct bars {
	double *values; /* owned; a stage each, NAN: none */
	size_t count;
	bool low_stands_out; /* of a goodput the least, of a count the most */
};

static bool has_run(const struct figure_stage *stage)
{
	return stage->stage.status == RUN_COMPLETE || stage->stage.status == RUN_PARTIAL;
}

static double goodput_of(const struct figure_stage *stage)
{
	return stage->main.count ? (double)stage->main.slowest_bps : NAN;
}

static double count_value(const struct figure_count *count)
{
	return count->present ? (double)count->value : NAN;
}

static double drops_of(const struct figure_stage *stage)
{
	return count_value(&stage->drops);
}

static double pauses_of(const struct figure_stage *stage)
{
	return count_value(&stage->pause);
}

static double marks_of(const struct figure_stage *stage)
{
	return (double)stage->ce_packets;
}

static double resent_of(const struct figure_stage *stage)
{
	return (double)stage->packets_resent;
}

/* Stages that did not run have no bar. */
static struct bars bars_of(const struct figures *figures,
	double (*value_of)(const struct figure_stage *stage), bool low_stands_out)
{
	struct bars bars = { zeroed(figures->stage_count, sizeof(double)), 0, low_stands_out };

	for (size_t i = 0; i < figures->stage_count; i++)
		if (has_run(&figures->stages[i]))
			bars.values[bars.count++] = value_of(&figures->stages[i]);
	return bars;
}

/* What stands out of [from, to); NAN when there is nothing. */
static double outstanding(const struct bars *bars, size_t from, size_t to)
{
	double found = NAN;

	for (size_t i = from; i < to; i++) {
		double value = bars->values[i];

		if (isnan(value))
			continue;
		if (isnan(found) || (bars->low_stands_out ? value < found : value > found))
			found = value;
	}
	return found;
}

/* Counts go by their magnitude: 1 among 100,000 must be seen. 0 has a level of its own. */
static unsigned level_of(const struct bars *bars, double value, double most)
{
	double share;

	if (value <= 0 || most <= 0)
		return 0;
	share = bars->low_stands_out ? value / most : log1p(value) / log1p(most);
	return 1 + (unsigned)(share * (LEVELS - 1.001));
}

static const char *bar_text(unsigned level, enum report_plots plots)
{
	static const char *const blocks[LEVELS] = { "\xe2\x96\x81", "\xe2\x96\x82",
		"\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87",
		"\xe2\x96\x88" };
	static const char *const ascii[LEVELS] = { "_", ".", ":", "-", "=", "+", "*", "#" };

	return plots == REPORT_PLOTS_UTF8 ? blocks[level] : ascii[level];
}

static void range_text(
	char *text, size_t size, const struct bars *bars, double least, double most)
{
	char low[NUMBER_BYTES], high[NUMBER_BYTES];

	if (bars->low_stands_out) {
		number_gbps(low, sizeof(low), (uint64_t)least);
		number_gbps(high, sizeof(high), (uint64_t)most);
	} else {
		number_count(low, sizeof(low), (uint64_t)least);
		number_count(high, sizeof(high), (uint64_t)most);
	}
	snprintf(text, size, "%s to %s%s", low, high, bars->low_stands_out ? " Gb/s" : "");
}

static void draw_bars(struct ink *ink, const char *label, const struct bars *bars,
	const struct report_options *options, bool bad)
{
	size_t room = ink->width - LABEL_COLUMNS - RANGE_COLUMNS;
	size_t columns = bars->count < room ? bars->count : room;
	double least = NAN, most = NAN;
	char range[3 * NUMBER_BYTES];

	for (size_t i = 0; i < bars->count; i++) {
		least = fmin(least, bars->values[i]); /* NAN is no number to fmin() */
		most = fmax(most, bars->values[i]);
	}
	if (isnan(most))
		return;
	range_text(range, sizeof(range), bars, least, most);
	ink_put(ink, INK_PLAIN, "  %s", label);
	ink_to(ink, LABEL_COLUMNS);
	for (size_t c = 0; c < columns; c++) {
		double value = outstanding(
			bars, c * bars->count / columns, (c + 1) * bars->count / columns);

		if (isnan(value))
			ink_put(ink, INK_DIM, " ");
		else
			ink_put(ink, bad && value > 0 ? INK_BAD : INK_PLAIN, "%s",
				bar_text(level_of(bars, value, most), options->plots));
	}
	ink_put(ink, INK_DIM, "  %s", range);
	ink_end(ink);
}

void text_bars(
	struct ink *ink, const struct figures *figures, const struct report_options *options)
{
	static const struct {
		const char *label;
		double (*value_of)(const struct figure_stage *stage);
		bool low_stands_out, bad;
	} rows[] = {
		{ "slowest flow", goodput_of, true, false },
		{ "drops", drops_of, false, true },
		{ "resent", resent_of, false, true },
		{ "PFC XOFF", pauses_of, false, false },
		{ "CE marks", marks_of, false, false },
	};
	size_t ran = 0;

	for (size_t i = 0; i < figures->stage_count; i++)
		ran += has_run(&figures->stages[i]);
	if (options->plots == REPORT_PLOTS_NONE || ran < 2)
		return;
	text_heading(ink, "Over the stages that ran, in the order of the plan");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bars bars = bars_of(figures, rows[i].value_of, rows[i].low_stands_out);

		draw_bars(ink, rows[i].label, &bars, options, rows[i].bad);
		free(bars.values);
	}
}

/* --- the map of pairs --- */

struct map {
	const struct scene *scene;
	uint32_t first, leaves;               /* the first leaf among the nodes */
	double share[LEAVES_MAX][LEAVES_MAX]; /* of the sender's line rate; NAN: not tried */
};

static uint32_t leaf_of(const struct map *map, uint32_t nic)
{
	uint32_t leaf = map->scene->nodes[map->scene->nics[nic].node].leaf;

	return leaf == SCENE_NONE ? SCENE_NONE : leaf - map->first;
}

static void add_pair(struct map *map, const struct place_pair *pair)
{
	uint32_t src = leaf_of(map, pair->src), dst = leaf_of(map, pair->dst);
	uint32_t link = map->scene->nics[pair->src].link;
	double share;

	if (src >= map->leaves || dst >= map->leaves || link == SCENE_NONE ||
		!map->scene->links[link].speed_bps)
		return;
	share = (double)pair->bps / (double)map->scene->links[link].speed_bps;
	map->share[src][dst] = fmin(map->share[src][dst], share);
}

static void fill_map(struct map *map, const struct places *places)
{
	const struct scene *scene = map->scene;

	while (map->first < scene->node_count && scene->nodes[map->first].tier == SCENE_HOST)
		map->first++;
	while (map->first + map->leaves < scene->node_count &&
		scene->nodes[map->first + map->leaves].tier == SCENE_LEAF)
		map->leaves++;
	for (uint32_t i = 0; i < LEAVES_MAX; i++)
		for (uint32_t k = 0; k < LEAVES_MAX; k++)
			map->share[i][k] = NAN;
	for (size_t i = 0; i < places->pair_count && map->leaves <= LEAVES_MAX; i++)
		if (places->pairs[i].layer == LAYER_PAIRS)
			add_pair(map, &places->pairs[i]);
}

static void cell(struct ink *ink, double share)
{
	unsigned tenths = share < 0.95 ? (unsigned)(share * 10) : 10;

	if (isnan(share))
		ink_put(ink, INK_DIM, "  .");
	else
		ink_put(ink,
			share < POOR   ? INK_BAD
			: share < FAIR ? INK_DOUBT
				       : INK_PLAIN,
			"%3u", tenths);
}

static void draw_map(struct ink *ink, const struct map *map)
{
	text_heading(ink,
		"Pairs alone, from leaf (row) to leaf: slowest, in tenths of the line rate");
	ink_to(ink, LABEL_COLUMNS);
	for (uint32_t k = 0; k < map->leaves; k++)
		ink_put(ink, INK_DIM, "%3u", k + 1);
	ink_end(ink);
	for (uint32_t i = 0; i < map->leaves; i++) {
		ink_put(ink, INK_PLAIN, "  %s", map->scene->nodes[map->first + i].name);
		ink_to(ink, LABEL_COLUMNS);
		for (uint32_t k = 0; k < map->leaves; k++)
			cell(ink, map->share[i][k]);
		ink_end(ink);
	}
}

int text_map(struct ink *ink, struct run *run, const struct report_options *options,
	struct diag *diag)
{
	struct places places = PLACES_INIT;
	struct map map = { .scene = options->scene };
	bool any = false;
	int err;

	if (options->plots == REPORT_PLOTS_NONE || !options->scene)
		return 0;
	err = places_read_flows(&places, options->scene, run, diag);
	if (err)
		return err;
	fill_map(&map, &places);
	for (size_t i = 0; i < places.pair_count; i++)
		any |= places.pairs[i].layer == LAYER_PAIRS;
	if (any && map.leaves > 1 && map.leaves <= LEAVES_MAX &&
		LABEL_COLUMNS + 3 * map.leaves <= ink->width)
		draw_map(ink, &map);
	places_free(&places);
	return 0;
}
