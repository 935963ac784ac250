/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/html_parts.h"
#include "reports/html_series.h"

#define MAP_NICS 128u      /* a larger fabric's heat map is of leaves */
#define POINTS_ALL 100000u /* of all lines together */
#define POINTS_MAX 400u    /* of a line */
#define POINTS_MIN 40u
#define LINES_A_STAGE 8u

static double gbps(uint64_t bps)
{
	return round((double)bps / (double)GBPS * 100) / 100;
}

/* --- the map of pairs --- */

struct map {
	const struct html *html;
	uint32_t size;
	bool leaves;         /* a row and a column for each leaf, not for each NIC */
	uint32_t first_leaf; /* among the nodes */
	double *cells;       /* owned; slowest Gb/s, -1: none */
};

static uint32_t map_index(const struct map *map, uint32_t nic)
{
	const struct scene *scene = map->html->scene;
	uint32_t leaf;

	if (!map->leaves)
		return nic;
	leaf = scene->nodes[scene->nics[nic].node].leaf;
	return leaf == SCENE_NONE ? SCENE_NONE : leaf - map->first_leaf;
}

static void map_fill(struct map *map, enum plan_layer layer)
{
	const struct places *places = &map->html->places;

	for (size_t i = 0; i < (size_t)map->size * map->size; i++)
		map->cells[i] = -1;
	for (size_t i = 0; i < places->pair_count; i++) {
		const struct place_pair *pair = &places->pairs[i];
		uint32_t src = map_index(map, pair->src), dst = map_index(map, pair->dst);
		double *cell;

		if (pair->layer != layer || src >= map->size || dst >= map->size)
			continue;
		cell = &map->cells[(size_t)src * map->size + dst];
		if (*cell < 0 || gbps(pair->bps) < *cell)
			*cell = gbps(pair->bps);
	}
}

static void put_layer(struct json *object, struct map *map, enum plan_layer layer)
{
	struct json *cells = NULL;

	map_fill(map, layer);
	for (uint32_t i = 0; i < map->size * map->size; i++) {
		if (map->cells[i] < 0)
			continue;
		if (!cells)
			cells = json_put_array(object, plan_layer_name(layer));
		json_add_u64(cells, i / map->size);
		json_add_u64(cells, i % map->size);
		json_add_double(cells, map->cells[i]);
	}
}

static void put_map(struct json *root, const struct html *html)
{
	const struct scene *scene = html->scene;
	struct json *object = json_put_object(root, "pairs"), *names, *layers;
	struct map map = { .html = html, .leaves = scene->nic_count > MAP_NICS };
	uint64_t most_bps = 0;

	while (map.first_leaf < scene->node_count &&
		scene->nodes[map.first_leaf].tier == SCENE_HOST)
		map.first_leaf++;
	names = json_put_array(object, "names");
	for (uint32_t i = 0; i < scene->node_count && map.leaves; i++)
		if (scene->nodes[i].tier == SCENE_LEAF)
			json_add_text(names, scene->nodes[i].name);
	for (uint32_t i = 0; i < scene->nic_count && !map.leaves; i++)
		json_add_text(names, scene->nics[i].name);
	for (uint32_t i = 0; i < scene->nic_count; i++)
		if (scene->nics[i].link != SCENE_NONE &&
			scene->links[scene->nics[i].link].speed_bps > most_bps)
			most_bps = scene->links[scene->nics[i].link].speed_bps;
	map.size = (uint32_t)json_count(names);
	map.cells = zeroed((size_t)map.size * map.size, sizeof(*map.cells));
	json_put_bool(object, "leaves", map.leaves);
	json_put_double(object, "speed", gbps(most_bps));
	layers = json_put_object(object, "layers");
	put_layer(layers, &map, LAYER_PAIRS);
	put_layer(layers, &map, LAYER_NONBLOCKING);
	free(map.cells);
}

/* --- stages --- */

static bool has_run(const struct run_stage *stage)
{
	return stage->status == RUN_COMPLETE || stage->status == RUN_PARTIAL;
}

static void put_count(struct json *object, const char *key, const struct figure_count *count)
{
	if (count->present)
		json_put_u64(object, key, count->value);
	else
		json_put_null(object, key);
}

static void put_sums(struct json *object, const struct figure_stage *figure)
{
	const struct figure_flows *flows = figure->main.count ? &figure->main : &figure->victim;

	json_put_text(object, "name", figure->stage.name);
	json_put_text(object, "layer", plan_layer_name(figure->stage.layer));
	json_put_text(object, "note", figure->stage.note);
	json_put_u64(object, "variant", figure->stage.variant);
	json_put_u64(object, "gap", figure->stage.subject);
	json_put_bool(object, "ran", has_run(&figure->stage));
	json_put_double(object, "least", gbps(flows->slowest_bps));
	json_put_double(object, "median", gbps(flows->median_bps));
	json_put_double(object, "most", gbps(flows->fastest_bps));
	json_put_u64(object, "packets", figure->packets_sent);
	json_put_u64(object, "resent", figure->packets_resent);
	json_put_u64(object, "ce", figure->ce_packets);
	json_put_u64(object, "cnp", figure->cnps_sent);
	put_count(object, "drops", &figure->drops);
	put_count(object, "xoff", &figure->pause);
	put_count(object, "peak", &figure->queue_peak);
}

static double us_into(const struct run_stage *stage, uint64_t t_ns)
{
	return t_ns > stage->t0_ns ? round((double)(t_ns - stage->t0_ns) / 100) / 10 : 0;
}

/* [at, what, where, 1 if it was injected and 0 if it was seen] */
static void put_event(
	struct json *array, double at_us, const char *what, const char *where, bool injected)
{
	struct json *event = json_add_array(array);

	json_add_double(event, at_us);
	json_add_text(event, what);
	json_add_text(event, where);
	json_add_u64(event, injected);
}

static void put_faults(
	struct json *array, const struct scene *scene, const struct run_stage *stage)
{
	char text[64];

	for (uint32_t i = 0; i < scene->fault_count; i++) {
		const struct scene_fault *fault = &scene->faults[i];
		bool ends = fault->to_ns > stage->t0_ns && fault->to_ns <= stage->t1_ns;

		if (fault->to_ns <= stage->t0_ns || fault->from_ns >= stage->t1_ns)
			continue;
		snprintf(text, sizeof(text), "%s %s", fault->kind,
			fault->from_ns > stage->t0_ns ? "begins" : "there already");
		put_event(array, us_into(stage, fault->from_ns), text, fault->place, true);
		if (!ends)
			continue;
		snprintf(text, sizeof(text), "%s ends", fault->kind);
		put_event(array, us_into(stage, fault->to_ns), text, fault->place, true);
	}
}

static void put_events(
	struct json *object, const struct html *html, const struct run_stage *stage)
{
	static const char *const words[] = { [FIRST_PAUSE] = "first XOFF",
		[FIRST_MARK] = "first CE mark",
		[FIRST_DROP] = "first drop" };
	struct json *array = json_put_array(object, "events");

	put_faults(array, html->scene, stage);
	for (size_t i = 0; i < html->places.event_count; i++) {
		const struct place_event *event = &html->places.events[i];

		if (event->stage == stage->id)
			put_event(array, us_into(stage, event->t_ns), words[event->what],
				event->place, false);
	}
}

static size_t points_a_line(const struct figures *figures)
{
	size_t stages = 1, points;

	for (size_t i = 0; i < figures->stage_count; i++)
		stages += has_run(&figures->stages[i].stage);
	points = POINTS_ALL / (stages * LINES_A_STAGE);
	return points > POINTS_MAX ? POINTS_MAX : points < POINTS_MIN ? POINTS_MIN : points;
}

static int put_stage(struct json *array, const struct html *html,
	const struct figure_stage *figure, size_t points, struct diag *diag)
{
	struct json *object = json_add_object(array);
	int err;

	put_sums(object, figure);
	if (!has_run(&figure->stage))
		return 0;
	put_events(object, html, &figure->stage);
	err = html_put_samples(object, html->run, &figure->stage, html->findings, points, diag);
	if (!err && figure->stage.layer == LAYER_RING)
		err = html_put_steps(
			object, html->run, &figure->stage, html->scene->spike, points, diag);
	return err;
}

static void put_onset(struct json *root, const struct figures *figures)
{
	struct json *array = json_put_array(root, "onset"), *object;
	struct figure_truth *rows;
	size_t count = figures_truth(figures, &rows);

	for (size_t i = 0; i < count; i++) {
		object = json_add_object(array);
		json_put_text(object, "name", rows[i].name);
		json_put_u64(object, "n", rows[i].variant);
		json_put_text(object, "kind", figure_kind_name(rows[i].kind));
		json_put_u64(object, "packets", rows[i].packets_sent);
		json_put_u64(object, "ce", rows[i].ce_packets);
		json_put_u64(object, "resent", rows[i].packets_resent);
		put_count(object, "drops", &rows[i].drops);
		put_count(object, "xoff", &rows[i].pause);
	}
	free(rows);
}

int html_put_data(struct json *root, const struct html *html, struct diag *diag)
{
	size_t points = points_a_line(&html->figures);
	struct json *array;
	int err = 0;

	json_put_double(root, "spike", html->scene->spike);
	put_map(root, html);
	put_onset(root, &html->figures);
	html_put_bursts(root, html);
	array = json_put_array(root, "stages");
	for (size_t i = 0; !err && i < html->figures.stage_count; i++)
		err = put_stage(array, html, &html->figures.stages[i], points, diag);
	return err;
}
