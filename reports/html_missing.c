/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "reports/html_mark.h"
#include "reports/html_parts.h"
#include "reports/number.h"
#include "reports/words.h"

#define NAMED_MAX 8u

static void item(const struct html *html, const char *text)
{
	mark_element(html->out, "li", NULL, text);
	fputc('\n', html->out);
}

/* Stages that did not run to their end and have layer, status and reason in common. */
static void stages(const struct html *html, size_t first)
{
	const struct run_stage *stage = &html->figures.stages[first].stage;
	size_t count = 0;
	char text[512];

	for (size_t i = 0; i < html->figures.stage_count; i++) {
		const struct run_stage *other = &html->figures.stages[i].stage;

		if (other->layer != stage->layer || other->status != stage->status ||
			strcmp(other->reason, stage->reason) != 0)
			continue;
		if (i < first)
			return;
		count++;
	}
	snprintf(text, sizeof(text), "%s: %zu stage%s %s: %s", plan_layer_name(stage->layer),
		count, count == 1 ? "" : "s", figure_status_name(stage->status),
		stage->reason[0] ? stage->reason : "no reason was given");
	item(html, text);
}

static void unknowns(const struct html *html)
{
	char text[WORDS_TEXT];

	for (size_t i = 0; i < html->findings->count; i++) {
		const struct finding *finding = &html->findings->items[i];

		if (finding->verdict != VERDICT_UNKNOWN)
			continue;
		snprintf(text, sizeof(text), "%s: %s", finding->check, finding->text);
		item(html, text);
	}
}

static void append_name(char *text, size_t size, uint32_t count, const char *name)
{
	size_t used = strlen(text);

	if (count <= NAMED_MAX && used < size)
		snprintf(text + used, size - used, "%s%s", count == 1 ? " " : ", ", name);
	else if (count == NAMED_MAX + 1 && used < size)
		snprintf(text + used, size - used, ", ...");
}

static void cables(const struct html *html)
{
	char silent[512] = "", unused[512] = "", text[640];
	uint32_t silent_count = 0, unused_count = 0;

	for (uint32_t i = 0; i < html->scene->link_count; i++) {
		const struct scene_link *link = &html->scene->links[i];
		char name[2 * RUN_NAME + 2];

		snprintf(name, sizeof(name), "%s-%s", link->a_port, link->b_port);
		if (!places_counted(&html->places, i))
			append_name(silent, sizeof(silent), ++silent_count, name);
		else if (!places_sent(&html->places, i))
			append_name(unused, sizeof(unused), ++unused_count, name);
	}
	if (silent_count) {
		snprintf(text, sizeof(text),
			"%u of %u cables: no counters from both ends, so neither use nor loss "
			"is known:%s",
			silent_count, html->scene->link_count, silent);
		item(html, text);
	}
	if (unused_count) {
		snprintf(text, sizeof(text), "%u of %u cables carried nothing:%s", unused_count,
			html->scene->link_count, unused);
		item(html, text);
	}
}

static void pairs(const struct html *html)
{
	uint64_t nics = html->scene->nic_count, tried = 0;
	char some[NUMBER_BYTES], all[NUMBER_BYTES], text[160];

	for (size_t i = 0; i < html->places.pair_count; i++)
		tried += html->places.pairs[i].layer == LAYER_PAIRS;
	if (nics < 2 || tried >= nics * (nics - 1))
		return;
	number_count(some, sizeof(some), tried);
	number_count(all, sizeof(all), nics * (nics - 1));
	snprintf(text, sizeof(text), "pairs of NICs, each direction: %s of %s were tried alone",
		some, all);
	item(html, text);
}

static void counters(const struct html *html)
{
	size_t ran = 0, drops = 0, marks = 0, pauses = 0;
	char text[160];

	for (size_t i = 0; i < html->figures.stage_count; i++) {
		const struct figure_stage *stage = &html->figures.stages[i];

		if (!stage->packets_sent)
			continue;
		ran++;
		drops += !stage->drops.present;
		marks += !stage->ecn_marked.present;
		pauses += !stage->pause.present;
	}
	if (!drops && !marks && !pauses)
		return;
	snprintf(text, sizeof(text),
		"counters that no port told: drops in %zu, ECN marks in %zu, PFC in %zu of %zu "
		"stages that ran",
		drops, marks, pauses, ran);
	item(html, text);
}

void html_missing(const struct html *html)
{
	const char *cut = words_cut(html->run);

	fputs("<section id=\"missing\"><h2>What was not measured</h2>\n<ul>\n", html->out);
	if (words_simulated(html->run))
		item(html, "Anything on hardware: this is a simulation. Every figure is "
			   "simulated, or "
			   "derived from the fabric file.");
	if (cut)
		item(html, cut);
	unknowns(html);
	for (size_t i = 0; i < html->figures.stage_count; i++)
		if (html->figures.stages[i].stage.status != RUN_COMPLETE)
			stages(html, i);
	cables(html);
	pairs(html);
	counters(html);
	fputs("</ul></section>\n", html->out);
}
