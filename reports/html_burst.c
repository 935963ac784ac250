/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/units.h"
#include "reports/html_mark.h"
#include "reports/html_parts.h"
#include "reports/number.h"
#include "reports/tables.h"
#include "reports/words.h"

/* Less than this is a line or a point: the table tells it. */
static bool is_surface(const struct html *html, const struct figure_bursts *bursts)
{
	return bursts->sizes > 1 && bursts->gaps > 1 && html->scene->buffer_bytes;
}

static void explain(const struct html *html, const struct figure_bursts *bursts)
{
	char text[160];

	if (!bursts->count)
		snprintf(text, sizeof(text),
			"This run has no stage that sends bursts of one size and gap.");
	else if (bursts->sizes > 1 && bursts->gaps > 1)
		snprintf(text, sizeof(text),
			"No surface is drawn: how large the buffer of a switch is, is not "
			"known.");
	else
		snprintf(text, sizeof(text),
			"No surface is drawn: that takes two sizes and two gaps, and this run "
			"has %u and %u.",
			bursts->sizes, bursts->gaps);
	mark_element(html->out, "p", "dim", text);
}

void html_bursts(const struct html *html)
{
	char buffer[NUMBER_BYTES], caption[192] = "Bursts by gap and size";
	struct figure_bursts bursts;
	struct table table;

	figures_bursts(&html->figures, &bursts);
	number_bytes(buffer, sizeof(buffer), html->scene->buffer_bytes);
	if (html->scene->buffer_bytes)
		snprintf(caption, sizeof(caption),
			"Bursts by gap and size; the buffer: %s, shared by the ports of a "
			"switch (policy.buffer)",
			buffer);
	fputs("<section id=\"bursts\"><h2>Bursts</h2>\n", html->out);
	if (is_surface(html, &bursts))
		html_chart(html->out, "surface", "Queues by size and gap of bursts",
			"colour: highest queue as a share of a switch's buffer; words: what "
			"the bursts provoked");
	else
		explain(html, &bursts);
	tables_bursts(&table, &html->figures, &bursts, html->scene->buffer_bytes);
	mark_table(html->out, &table, caption);
	fputs("</section>\n", html->out);
	free(bursts.cells);
}

/* The name of a column or a row, from any of its cells. */
static void name_column(char *text, size_t size, const struct run_burst *burst)
{
	char bytes[NUMBER_BYTES];

	number_bytes(bytes, sizeof(bytes), burst->bytes);
	snprintf(text, size, "%u x\n%s", burst->senders, bytes);
}

static void put_names(
	struct json *object, const struct html *html, const struct figure_bursts *bursts)
{
	struct json *sizes = json_put_array(object, "sizes");
	struct json *gaps = json_put_array(object, "gaps");
	char text[2 * NUMBER_BYTES];

	for (uint32_t column = 0; column < bursts->sizes; column++) {
		size_t i = 0;

		while (bursts->cells[i].size != column)
			i++;
		name_column(text, sizeof(text),
			&html->figures.stages[bursts->cells[i].stage].burst);
		json_add_text(sizes, text);
	}
	for (uint32_t row = 0; row < bursts->gaps; row++) {
		size_t i = 0;

		while (bursts->cells[i].gap != row)
			i++;
		number_gbps(text, sizeof(text), (uint64_t)bursts->cells[i].offered_bps);
		json_add_text(gaps, text);
	}
}

/* Why there is no queue to draw; "" where there is one. */
static const char *why_not(const struct figure_stage *figure)
{
	if (figure->queue_peak.present)
		return "";
	return figure->stage.reason[0] ? figure->stage.reason : "no port told its queues";
}

static void put_cell(
	struct json *array, const struct figure_burst *cell, const struct figure_stage *figure)
{
	struct json *object = json_add_object(array);
	char period[NUMBER_BYTES];

	number_time(period, sizeof(period), figure->burst.period_ns);
	json_put_u64(object, "size", cell->size);
	json_put_u64(object, "gap", cell->gap);
	json_put_u64(object, "stage", cell->stage);
	json_put_text(object, "each", period);
	json_put_text(object, "why", why_not(figure));
}

void html_put_bursts(struct json *root, const struct html *html)
{
	struct figure_bursts bursts;
	struct json *object, *cells;

	figures_bursts(&html->figures, &bursts);
	if (is_surface(html, &bursts)) {
		object = json_put_object(root, "surface");
		json_put_u64(object, "buffer", html->scene->buffer_bytes);
		json_put_bool(object, "simulated", words_simulated(html->run));
		put_names(object, html, &bursts);
		cells = json_put_array(object, "cells");
		for (size_t i = 0; i < bursts.count; i++)
			put_cell(cells, &bursts.cells[i],
				&html->figures.stages[bursts.cells[i].stage]);
	}
	free(bursts.cells);
}
