/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text_findings.h"

#include <stdio.h>
#include <string.h>

#include "reports/culprit.h"
#include "reports/table.h"
#include "reports/text_tables.h"
#include "reports/words.h"

#define BODY 3u       /* indent of what stands under a finding's first line */
#define SHORT_LIST 8u /* findings of a kind that the short form shows in full */
#define FOLDED 6u     /* names of folded checks on one line */

static void line(struct ink *ink, enum ink_style style, unsigned indent, const char *text)
{
	if (!text[0])
		return;
	ink_to(ink, indent);
	ink_wrap(ink, style, indent, text);
	ink_end(ink);
}

static void figure_line(struct ink *ink, unsigned indent, const struct finding *finding)
{
	char text[WORDS_TEXT];

	words_figure(text, sizeof(text), finding);
	line(ink, INK_PLAIN, indent, text);
}

#define NARROW 80u /* columns; a screen of fewer shows on two lines what fits on one there */

/* One line unless verbose: which stages and windows there were is detail. */
static void basis_line(struct ink *ink, const struct finding_view *view, unsigned indent,
	const struct finding *finding)
{
	const char *basis = finding->basis[0] ? finding->basis : view->source;

	if (!finding->basis[0] && !finding->has_measured)
		return;
	if (view->verbose || ink->width < NARROW) {
		line(ink, INK_DIM, indent, basis);
		return;
	}
	ink_to(ink, indent);
	ink_put(ink, INK_DIM, "%s", basis);
	ink_end(ink);
}

static void advice_line(struct ink *ink, const struct finding *finding)
{
	if (!finding->advice[0])
		return;
	ink_to(ink, BODY);
	ink_put(ink, INK_BOLD, "-> ");
	ink_wrap(ink, INK_PLAIN, BODY + 3, finding->advice);
	ink_end(ink);
}

/* The culprit, and the check at the right; where nobody is blamed check and layer. */
static void title_line(
	struct ink *ink, enum ink_style style, size_t number, const struct finding *finding)
{
	char culprit[CULPRIT_TEXT];
	unsigned edge = ink->width < REPORT_PROSE_WIDTH ? ink->width : REPORT_PROSE_WIDTH;
	const char *aside;
	unsigned length;

	culprit_text(culprit, sizeof(culprit), finding);
	aside = culprit[0] ? finding->check : finding->layer;
	length = (unsigned)ink_columns(aside);
	ink_put(ink, INK_PLAIN, "%zu", number);
	ink_to(ink, BODY);
	ink_put(ink, style, "%s", culprit[0] ? culprit : finding->check);
	if (ink->column + 2 + length <= edge) {
		ink_to(ink, edge - length);
	} else {
		ink_end(ink);
		ink_to(ink, BODY);
	}
	ink_put(ink, INK_DIM, "%s", aside);
	ink_end(ink);
}

static bool told_under(const struct findings *findings, size_t i, size_t leader)
{
	return i != leader && findings->items[i].verdict == VERDICT_FAIL &&
	       culprit_leader(findings, i) == leader;
}

/* "+ 12 symptoms: lossless.loss (4), ring.busbw", checks in order of finding. */
static void folded_line(struct ink *ink, const struct finding_view *view, size_t leader)
{
	const struct findings *findings = view->findings;
	const char *names[FOLDED + 1];
	size_t counts[FOLDED + 1] = { 0 }, used = 0, total = 0, named = 0;
	char text[1024];
	size_t at;

	for (size_t i = leader + 1; i < findings->count; i++) {
		size_t n = 0;

		if (!told_under(findings, i, leader))
			continue;
		total++;
		while (n < used && strcmp(names[n], findings->items[i].check) != 0)
			n++;
		if (n == used && used < FOLDED)
			names[used++] = findings->items[i].check;
		if (n < FOLDED)
			counts[n]++;
	}
	if (!total)
		return;
	at = (size_t)snprintf(
		text, sizeof(text), "+ %zu symptom%s:", total, total == 1 ? "" : "s");
	for (size_t n = 0; n < used && at < sizeof(text); n++) {
		named += counts[n];
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%s %s", n ? "," : "", names[n]);
		if (counts[n] > 1 && at < sizeof(text))
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, " (%zu)", counts[n]);
	}
	if (named < total && at < sizeof(text))
		snprintf(text + at, sizeof(text) - at, ", and %zu more", total - named);
	ink_to(ink, BODY);
	ink_wrap(ink, INK_DIM, BODY + 2, text);
	ink_end(ink);
}

static void unfolded(struct ink *ink, const struct finding_view *view, size_t leader)
{
	const struct findings *findings = view->findings;
	char text[FINDING_TEXT + 64];

	for (size_t i = leader + 1; i < findings->count; i++) {
		if (!told_under(findings, i, leader))
			continue;
		snprintf(text, sizeof(text), "+ %s: %s", findings->items[i].check,
			findings->items[i].text);
		ink_to(ink, BODY);
		ink_wrap(ink, INK_PLAIN, BODY + 2, text);
		ink_end(ink);
		figure_line(ink, BODY + 2, &findings->items[i]);
		basis_line(ink, view, BODY + 2, &findings->items[i]);
	}
}

static void whole_finding(struct ink *ink, const struct finding_view *view,
	enum ink_style style, size_t number, const struct finding *finding)
{
	title_line(ink, style, number, finding);
	line(ink, INK_PLAIN, BODY, finding->text);
	figure_line(ink, BODY, finding);
	basis_line(ink, view, BODY, finding);
	advice_line(ink, finding);
}

void text_failures(struct ink *ink, const struct finding_view *view)
{
	const struct findings *findings = view->findings;
	size_t number = 0, left = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].verdict != VERDICT_FAIL ||
			culprit_leader(findings, i) != i)
			continue;
		/* Causes are never left out. */
		if (number >= SHORT_LIST && !view->verbose &&
			findings->items[i].rank != RANK_CAUSE) {
			left++;
			continue;
		}
		if (!number)
			text_heading(ink, "What failed");
		else
			ink_end(ink);
		whole_finding(ink, view, INK_BAD, ++number, &findings->items[i]);
		if (view->verbose)
			unfolded(ink, view, i);
		else
			folded_line(ink, view, i);
	}
	if (left) {
		ink_put(ink, INK_DIM,
			"and %zu more symptoms without a cause of their own: --verbose", left);
		ink_end(ink);
	}
}

bool text_is_repeat(const struct findings *findings, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (findings->items[j].verdict == findings->items[i].verdict &&
			strcmp(findings->items[j].check, findings->items[i].check) == 0)
			return true;
	return false;
}

static void repeats_line(struct ink *ink, const struct findings *findings, size_t first)
{
	const struct finding *finding = &findings->items[first];
	char text[96];
	size_t count = 0;

	for (size_t i = first + 1; i < findings->count; i++)
		count += findings->items[i].verdict == finding->verdict &&
			 strcmp(findings->items[i].check, finding->check) == 0;
	if (!count)
		return;
	snprintf(text, sizeof(text), "+ %zu more of %s", count, finding->check);
	line(ink, INK_DIM, BODY, text);
}

/* One of each check, or all. */
static void list(struct ink *ink, const struct finding_view *view, enum verdict verdict,
	const char *heading)
{
	const struct findings *findings = view->findings;
	size_t number = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].verdict != verdict ||
			(!view->verbose && text_is_repeat(findings, i)))
			continue;
		if (!number)
			text_heading(ink, heading);
		whole_finding(ink, view, INK_DOUBT, ++number, &findings->items[i]);
		if (!view->verbose)
			repeats_line(ink, findings, i);
	}
}

void text_unknowns(struct ink *ink, const struct finding_view *view)
{
	list(ink, view, VERDICT_UNKNOWN, "What is unknown");
}

void text_warnings(struct ink *ink, const struct finding_view *view)
{
	list(ink, view, VERDICT_WARN, "Warnings");
}

static void closing_row(struct table *table, const struct finding *finding)
{
	char culprit[CULPRIT_TEXT];

	culprit_text(culprit, sizeof(culprit), finding);
	table_cell(table, finding->verdict == VERDICT_FAIL ? INK_BAD : INK_DOUBT, "%s",
		culprit[0] ? culprit : finding->layer);
	table_cell(table, INK_PLAIN, "%s", finding->check);
}

void text_closing(struct ink *ink, const struct finding_view *view)
{
	static const struct table_column columns[] = { { NULL, true, 0 }, { NULL, true, 0 } };
	const struct findings *findings = view->findings;
	enum verdict verdict = findings_verdict(findings);
	struct table table;
	size_t left = 0;

	if (verdict != VERDICT_FAIL && verdict != VERDICT_UNKNOWN)
		return;
	table_init(&table, columns, 2);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].verdict != verdict)
			continue;
		if (verdict == VERDICT_FAIL ? culprit_leader(findings, i) != i
					    : text_is_repeat(findings, i))
			continue;
		if (table.count < 2 * SHORT_LIST)
			closing_row(&table, &findings->items[i]);
		else
			left++;
	}
	table_print(&table, ink);
	if (left) {
		ink_put(ink, INK_DIM, "  and %zu more", left);
		ink_end(ink);
	}
}
