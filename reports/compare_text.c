/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "reports/change_show.h"
#include "reports/compare.h"
#include "reports/table.h"
#include "reports/text_tables.h"

static void noise_text(char *text, size_t size, const struct compared *row)
{
	switch (digest_info(row->before->metric)->kind) {
	case DIGEST_COUNTS:
		snprintf(text, size, "p %.1e", row->p);
		return;
	case DIGEST_RATE:
	case DIGEST_SHARE:
		break;
	}
	snprintf(text, size, "%.1f %%", row->limit * 100);
}

static void row_cells(struct table *table, const struct compared *row)
{
	static const enum ink_style styles[] = { INK_PLAIN, INK_GOOD, INK_BAD };
	enum digest_metric metric = row->before->metric;
	char before[CHANGE_TEXT], after[CHANGE_TEXT], amount[CHANGE_TEXT], noise[CHANGE_TEXT];

	change_value(before, sizeof(before), metric, row->before->value);
	change_value(after, sizeof(after), metric, row->after->value);
	change_amount(amount, sizeof(amount), metric, row->before->value, row->after->value);
	noise_text(noise, sizeof(noise), row);
	table_cell(table, styles[row->change], "%s %s", digest_info(metric)->subject,
		row->before->subject);
	table_cell(table, INK_PLAIN, "%s", digest_info(metric)->what);
	table_cell(table, INK_PLAIN, "%s", before);
	table_cell(table, INK_PLAIN, "%s", after);
	table_cell(table, row->change == CHANGE_NONE ? INK_PLAIN : INK_BOLD, "%s", amount);
	table_cell(table, INK_DIM, "%s", noise);
}

static void rows(struct ink *ink, const struct comparison *comparison, enum change change,
	const char *heading)
{
	static const struct table_column columns[] = {
		{ "what", true, 0 },
		{ "figure", true, 0 },
		{ "before", false, 2 },
		{ "after", false, 1 },
		{ "change", false, 0 },
		{ "noise", false, 3 },
	};
	struct table table;
	size_t shown = 0;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < comparison->count; i++) {
		if (comparison->rows[i].change != change)
			continue;
		row_cells(&table, &comparison->rows[i]);
		shown++;
	}
	if (shown)
		text_heading(ink, heading);
	table_print(&table, ink);
}

/* What all figures of a kind did, so that a change of the whole fabric shows. */
static void kinds(struct ink *ink, const struct comparison *comparison)
{
	static const struct table_column columns[] = {
		{ "all", true, 0 },
		{ "figure", true, 0 },
		{ "count", false, 0 },
		{ "median change", false, 0 },
		{ "worse", false, 0 },
		{ "better", false, 0 },
		{ "not compared", false, 0 },
	};
	struct table table;

	if (!comparison->count && !comparison->apart)
		return;
	text_heading(ink, "By kind");
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned i = 0; i < DIGEST_METRICS; i++) {
		const struct compare_metric *metric = &comparison->metrics[i];
		const struct digest_info *info = digest_info((enum digest_metric)i);

		if (!metric->count && !metric->apart)
			continue;
		table_cell(&table, INK_PLAIN, "%ss", info->subject);
		table_cell(&table, INK_PLAIN, "%s", info->what);
		table_cell(&table, INK_PLAIN, "%zu", metric->count);
		if (!metric->count)
			table_cell(&table, INK_PLAIN, "-");
		else if (info->kind == DIGEST_COUNTS)
			table_cell(&table, INK_PLAIN, "%+.1e", metric->median);
		else
			table_cell(&table, INK_PLAIN, "%+.2f %%", metric->median * 100);
		table_cell(&table, metric->worse ? INK_BAD : INK_PLAIN, "%zu", metric->worse);
		table_cell(
			&table, metric->better ? INK_GOOD : INK_PLAIN, "%zu", metric->better);
		table_cell(&table, metric->apart ? INK_DOUBT : INK_PLAIN, "%zu", metric->apart);
	}
	table_print(&table, ink);
}

static void foot(struct ink *ink, const struct comparison *comparison)
{
	char why[COMPARE_WHY];

	ink_end(ink);
	compare_why_apart(why, sizeof(why), comparison);
	if (comparison->apart)
		change_line(ink, INK_DOUBT,
			"%zu figures of NICs, pairs and stages are in both and mean something "
			"else in each, for %s: nothing is said of them.",
			comparison->apart, why);
	if (comparison->only_before + comparison->only_after)
		change_line(ink, INK_PLAIN,
			"%zu figures are in the first run only, %zu in the second only: "
			"nothing is said of them.",
			comparison->only_before, comparison->only_after);
	change_line(ink, INK_DIM,
		"Noise: 1.4826 MAD of what all figures of the kind changed by, as wide as "
		"p < %g / %zu figures asks, at least %g %%. Counts: binomial, same p, and a "
		"change of %g %%.",
		CHANGE_ALPHA, comparison->count, CHANGE_LEAST_RATE * 100,
		CHANGE_LEAST_COUNTS * 100);
}

void compare_text(FILE *out, const struct comparison *comparison, const char *before,
	const char *after, const struct report_options *options)
{
	const struct digest *digest = comparison->after;
	struct ink ink;

	ink_init(&ink, out, options);
	change_head(&ink, compare_status(comparison), digest);
	ink_end(&ink);
	change_line(&ink, INK_PLAIN, "%s (%s) against %s (%s)", after,
		verdict_name(digest->verdict), before,
		verdict_name(comparison->before->verdict));
	change_line(&ink, INK_PLAIN,
		"%zu figures in both: %zu worse, %zu better, %zu within noise",
		comparison->count, comparison->worse, comparison->better,
		comparison->count - comparison->worse - comparison->better);
	if (!digest->ended || digest->interrupted)
		change_line(&ink, INK_DOUBT,
			"%s is not whole: what it did not measure is unknown.", after);
	rows(&ink, comparison, CHANGE_WORSE, "Worse");
	rows(&ink, comparison, CHANGE_BETTER, "Better");
	change_turns(&ink, &comparison->turns);
	if (options->verbose)
		rows(&ink, comparison, CHANGE_NONE, "Within noise");
	kinds(&ink, comparison);
	foot(&ink, comparison);
}
