/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text_findings.h"

#include <stdio.h>
#include <string.h>

#include "lib/plan.h"
#include "reports/number.h"
#include "reports/table.h"
#include "reports/text_tables.h"

/* Passing findings of one check, as one row. */
struct group {
	const struct finding *first;
	size_t count, figures;
	double least, most;
	bool one_limit;
};

static struct group group_of(const struct findings *findings, size_t start)
{
	struct group group = { .first = &findings->items[start], .one_limit = true };

	for (size_t i = start; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (finding->verdict != VERDICT_PASS ||
			strcmp(finding->check, group.first->check) != 0)
			continue;
		group.count++;
		group.one_limit &= finding->has_limit && finding->limit == group.first->limit;
		if (!finding->has_measured)
			continue;
		if (!group.figures || finding->measured < group.least)
			group.least = finding->measured;
		if (!group.figures || finding->measured > group.most)
			group.most = finding->measured;
		group.figures++;
	}
	return group;
}

static void group_text(char *text, size_t size, const struct group *group)
{
	char range[2 * NUMBER_BYTES], limit[NUMBER_BYTES] = "";
	const struct finding *first = group->first;

	if (group->count == 1) {
		number_figure(limit, sizeof(limit), first->limit, first->unit);
		snprintf(text, size, "%s%s%s%s%s%s", first->text,
			first->has_limit ? " (limit " : "", first->has_limit ? limit : "",
			first->has_limit && first->limit_source[0] ? ": " : "",
			first->has_limit ? first->limit_source : "",
			first->has_limit ? ")" : "");
		return;
	}
	if (!group->figures) {
		snprintf(text, size, "%zu times; the first: %s", group->count, first->text);
		return;
	}
	number_range(range, sizeof(range), group->least, group->most, first->unit);
	if (group->one_limit)
		number_figure(limit, sizeof(limit), first->limit, first->unit);
	snprintf(text, size, "%zu times, found %s%s%s%s%s", group->count, range,
		group->one_limit ? ", limit " : "", limit,
		group->one_limit && first->limit_source[0] ? ": " : "",
		group->one_limit ? first->limit_source : "");
}

/* The layer's place in an acceptance; LAYER_COUNT for a name that is none. */
static enum plan_layer layer_of(const struct finding *finding)
{
	enum plan_layer layer = LAYER_PLAN;

	while (layer < LAYER_COUNT && strcmp(finding->layer, plan_layer_name(layer)) != 0)
		layer++;
	return layer;
}

static void passes_of_layer(
	struct table *table, const struct findings *findings, enum plan_layer layer)
{
	for (size_t i = 0; i < findings->count; i++) {
		char text[TABLE_CELL];
		struct group group;

		if (findings->items[i].verdict != VERDICT_PASS ||
			layer_of(&findings->items[i]) != layer || text_is_repeat(findings, i))
			continue;
		group = group_of(findings, i);
		group_text(text, sizeof(text), &group);
		table_cell(table, INK_PLAIN, "%s", group.first->check);
		table_cell(table, INK_PLAIN, "%s", text);
	}
}

void text_passes(struct ink *ink, const struct finding_view *view)
{
	static const struct table_column columns[] = { { NULL, true, 0 }, { NULL, true, 0 } };
	enum verdict verdict = findings_verdict(view->findings);
	struct table table;

	/* Next to a failure they are noise. */
	if (verdict == VERDICT_FAIL && !view->verbose)
		return;
	table_init(&table, columns, 2);
	for (enum plan_layer layer = LAYER_PLAN; layer <= LAYER_COUNT; layer++)
		passes_of_layer(&table, view->findings, layer);
	if (table.count)
		text_heading(ink, "What passed, and on what it rests");
	table_print(&table, ink);
}
