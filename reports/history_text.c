/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "reports/change_show.h"
#include "reports/history.h"
#include "reports/number.h"
#include "reports/table.h"
#include "reports/text_tables.h"

static const char *kind_name(enum claim_kind kind)
{
	return kind == CLAIM_DRIFT ? "drift" : "step";
}

void claim_text(char *text, size_t size, const struct claim *claim)
{
	char from[CHANGE_TEXT], to[CHANGE_TEXT];

	change_value(from, sizeof(from), claim->metric, claim->from);
	change_value(to, sizeof(to), claim->metric, claim->to);
	snprintf(text, size, "%s: %s %s %s %s to %s over %zu runs", kind_name(claim->kind),
		digest_info(claim->metric)->subject, claim->subject,
		digest_info(claim->metric)->what, from, to, claim->runs);
}

static void claim_row(struct table *table, const struct claim *claim)
{
	char from[CHANGE_TEXT], to[CHANGE_TEXT], amount[CHANGE_TEXT], p[NUMBER_BYTES];

	change_value(from, sizeof(from), claim->metric, claim->from);
	change_value(to, sizeof(to), claim->metric, claim->to);
	change_amount(amount, sizeof(amount), claim->metric, claim->from, claim->to);
	number_probability(p, sizeof(p), claim->p);
	table_cell(table, claim->change == CHANGE_WORSE ? INK_BAD : INK_GOOD, "%s %s",
		digest_info(claim->metric)->subject, claim->subject);
	table_cell(table, INK_PLAIN, "%s", digest_info(claim->metric)->what);
	table_cell(table, INK_PLAIN, "%s", kind_name(claim->kind));
	table_cell(table, INK_PLAIN, "%s", from);
	table_cell(table, INK_PLAIN, "%s", to);
	table_cell(table, INK_BOLD, "%s", amount);
	table_cell(table, INK_PLAIN, "%zu", claim->runs);
	table_cell(table, INK_DIM, "%s", p);
}

static void claims(struct ink *ink, const struct history *history, enum change change,
	bool symptom, const char *heading)
{
	static const struct table_column columns[] = {
		{ "what", true, 0 },
		{ "figure", true, 0 },
		{ "how", true, 0 },
		{ "from", false, 2 },
		{ "to", false, 1 },
		{ "change", false, 0 },
		{ "runs", false, 0 },
		{ "chance", false, 4 },
	};
	struct table table;
	size_t rows = 0;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < history->count; i++) {
		if (history->claims[i].change != change ||
			history->claims[i].symptom != symptom)
			continue;
		claim_row(&table, &history->claims[i]);
		rows++;
	}
	if (rows)
		text_heading(ink, heading);
	table_print(&table, ink);
}

static void head(struct ink *ink, const struct history *history)
{
	change_head(ink, history_status(history), history->runs[history->run_count - 1].digest);
	ink_put(ink, INK_PLAIN, ", %zu run%s", history->run_count,
		history->run_count == 1 ? "" : "s");
	if (history->whole < history->run_count)
		ink_put(ink, INK_DOUBT, ", %zu of them whole", history->whole);
	ink_end(ink);
	change_line(ink, INK_PLAIN,
		"%zu figures: %zu tested, %zu always the same, %zu in fewer than %u runs that "
		"sent the same, of which nothing is known yet. %zu got worse, %zu better.",
		history->figures, history->tested, history->steady,
		history->figures - history->tested - history->steady, HISTORY_LEAST,
		history->worse, history->better);
}

void history_advice(char *text, size_t size, const struct history *history)
{
	text[0] = '\0';
	if (history->baseline != HISTORY_NONE && history->behind >= history->age)
		snprintf(text, size,
			"The baseline %s has %zu runs behind it, %zu or more: weft history "
			"--baseline best FOLDER replaces it.",
			history->runs[history->baseline].name, history->behind, history->age);
}

static void foot(struct ink *ink, const struct history *history)
{
	const struct history_run *runs = history->runs;
	char advice[ADVICE_TEXT];

	ink_end(ink);
	change_line(ink, INK_PLAIN, "First run %s, last %s, which said %s.", runs[0].name,
		runs[history->run_count - 1].name,
		verdict_name(runs[history->run_count - 1].digest->verdict));
	if (history->baseline != HISTORY_NONE)
		change_line(ink, INK_PLAIN, "Baseline %s, %zu runs before the last.",
			runs[history->baseline].name, history->behind);
	history_advice(advice, sizeof(advice), history);
	if (advice[0])
		change_line(ink, INK_DOUBT, "%s", advice);
	if (!history->tested)
		return;
	change_line(ink, INK_DIM,
		"Drift: Theil-Sen slope against the noise, p < %g / %zu figures, and "
		"Mann-Kendall p < %g. Step: the latest %u values against the %s, same p.",
		CHANGE_ALPHA, history->tested, HISTORY_TREND, HISTORY_CONFIRM,
		history->baseline == HISTORY_NONE ? "median before them" : "baseline");
}

void history_text(
	FILE *out, const struct history *history, const struct report_options *options)
{
	struct ink ink;

	ink_init(&ink, out, options);
	head(&ink, history);
	claims(&ink, history, CHANGE_WORSE, false, "Worse");
	claims(&ink, history, CHANGE_WORSE, true, "Where that shows as well");
	claims(&ink, history, CHANGE_BETTER, false, "Better");
	change_turns(&ink, &history->turns);
	foot(&ink, history);
}
