/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/culprit.h"
#include "reports/html_mark.h"
#include "reports/html_parts.h"
#include "reports/number.h"
#include "reports/words.h"

unsigned *html_numbers(const struct findings *findings)
{
	unsigned *numbers = zeroed(findings->count, sizeof(*numbers)), last = 0;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].verdict == VERDICT_FAIL &&
			culprit_leader(findings, i) == i)
			numbers[i] = ++last;
	return numbers;
}

static void row(FILE *out, const char *term, const char *text)
{
	if (!text[0])
		return;
	fputs("<div>", out);
	mark_element(out, "dt", NULL, term);
	mark_element(out, "dd", NULL, text);
	fputs("</div>", out);
}

/* Found, limit, where the limit comes from, and what the figure rests on. */
static void figure(const struct html *html, const struct finding *finding)
{
	char measured[NUMBER_BYTES] = "", limit[NUMBER_BYTES] = "";

	if (finding->has_measured)
		number_figure(measured, sizeof(measured), finding->measured, finding->unit);
	if (finding->has_limit)
		number_figure(limit, sizeof(limit), finding->limit, finding->unit);
	fputs("<dl>", html->out);
	row(html->out, "found", measured);
	row(html->out, "limit", limit);
	row(html->out, finding->has_limit ? "the limit is" : "held against",
		finding->limit_source);
	row(html->out, "rests on",
		finding->basis[0]       ? finding->basis
		: finding->has_measured ? words_source(html->run)
					: "");
	fputs("</dl>\n", html->out);
}

static void title(FILE *out, unsigned number, const struct finding *finding)
{
	char culprit[CULPRIT_TEXT];

	culprit_text(culprit, sizeof(culprit), finding);
	fputs("<h3>", out);
	if (number)
		fprintf(out, "<span class=\"no\">%u</span> ", number);
	mark_text(out, culprit[0] ? culprit : finding->check);
	fputc(' ', out);
	mark_element(out, "code", NULL, culprit[0] ? finding->check : finding->layer);
	fputs("</h3>\n", out);
}

static size_t symptoms_of(const struct findings *findings, size_t leader)
{
	size_t count = 0;

	for (size_t i = leader + 1; i < findings->count; i++)
		count += findings->items[i].verdict == VERDICT_FAIL &&
			 culprit_leader(findings, i) == leader;
	return count;
}

static void symptoms(const struct html *html, size_t leader)
{
	const struct findings *findings = html->findings;
	size_t count = symptoms_of(findings, leader);

	if (!count)
		return;
	fprintf(html->out, "<details><summary>+ %zu symptom%s of it</summary><ul>\n", count,
		count == 1 ? "" : "s");
	for (size_t i = leader + 1; i < findings->count; i++) {
		if (findings->items[i].verdict != VERDICT_FAIL ||
			culprit_leader(findings, i) != leader)
			continue;
		fputs("<li>", html->out);
		mark_element(html->out, "code", NULL, findings->items[i].check);
		fputc(' ', html->out);
		mark_text(html->out, findings->items[i].text);
		figure(html, &findings->items[i]);
		fputs("</li>\n", html->out);
	}
	fputs("</ul></details>\n", html->out);
}

static void card(const struct html *html, const char *style, unsigned number, size_t i)
{
	const struct finding *finding = &html->findings->items[i];

	fprintf(html->out, "<li class=\"card %s\"", style);
	if (number)
		fprintf(html->out, " id=\"f%u\" tabindex=\"-1\"", number);
	fputs(">\n", html->out);
	title(html->out, number, finding);
	mark_element(html->out, "p", NULL, finding->text);
	if (finding->advice[0]) {
		fputs("<p class=\"advice\"><strong>To do</strong> ", html->out);
		mark_text(html->out, finding->advice);
		fputs("</p>", html->out);
	}
	figure(html, finding);
	if (number)
		symptoms(html, i);
	fputs("</li>\n", html->out);
}

void html_failures(const struct html *html)
{
	unsigned number, shown = 0;

	fputs("<section id=\"failed\"><h2>What failed</h2>\n", html->out);
	for (size_t i = 0; i < html->findings->count; i++) {
		number = html->numbers[i];
		if (!number)
			continue;
		fputs(shown++ ? "" : "<ol class=\"cards\">\n", html->out);
		card(html, "fail", number, i);
	}
	fputs(shown ? "</ol></section>\n" : "<p>No check failed.</p></section>\n", html->out);
}

static void list(const struct html *html, enum verdict verdict, const char *id,
	const char *heading, const char *style)
{
	const struct findings *findings = html->findings;
	size_t shown = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].verdict != verdict)
			continue;
		if (!shown++)
			fprintf(html->out,
				"<section id=\"%s\"><h2>%s</h2>\n<ul class=\"cards\">\n", id,
				heading);
		card(html, style, 0, i);
	}
	if (shown)
		fputs("</ul></section>\n", html->out);
}

void html_doubts(const struct html *html)
{
	list(html, VERDICT_UNKNOWN, "unknown", "What is unknown", "doubt");
	list(html, VERDICT_WARN, "warned", "Warnings", "doubt");
}

static void pass_row(
	struct table *table, const struct html *html, const struct finding *finding)
{
	char measured[NUMBER_BYTES] = "", limit[NUMBER_BYTES] = "";

	if (finding->has_measured)
		number_figure(measured, sizeof(measured), finding->measured, finding->unit);
	if (finding->has_limit)
		number_figure(limit, sizeof(limit), finding->limit, finding->unit);
	table_cell(table, INK_PLAIN, "%s", finding->check);
	table_cell(table, INK_PLAIN, "%s", finding->text);
	table_cell(table, INK_PLAIN, "%s", measured);
	table_cell(table, INK_PLAIN, "%s", limit);
	table_cell(table, INK_PLAIN, "%s", finding->limit_source);
	table_cell(table, INK_DIM, "%s",
		finding->basis[0] ? finding->basis : words_source(html->run));
}

void html_passes(const struct html *html)
{
	static const struct table_column columns[] = { { "check", true, 0 },
		{ "what was seen", true, 0 }, { "found", false, 0 }, { "limit", false, 0 },
		{ "where the limit comes from", true, 0 }, { "rests on", true, 0 } };
	struct table table;

	table_init(&table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < html->findings->count; i++)
		if (html->findings->items[i].verdict == VERDICT_PASS)
			pass_row(&table, html, &html->findings->items[i]);
	if (table.count)
		fputs("<section id=\"passed\"><h2>What passed</h2>\n", html->out);
	else
		fputs("<section id=\"passed\"><h2>What passed</h2><p>No check passed.</p>\n",
			html->out);
	mark_table(html->out, &table, "Every check that passed, with its figure and limit");
	fputs("</section>\n", html->out);
}
