/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/markdown.h"

#include <string.h>

#include "reports/culprit.h"
#include "reports/figures.h"
#include "reports/tables.h"
#include "reports/verdict.h"
#include "reports/words.h"

#define TEXT_BYTES 2048u

/* Whatever could be markup becomes text. */
static void put(FILE *out, const char *text)
{
	char safe[TEXT_BYTES];

	ink_safe(safe, sizeof(safe), text);
	for (const char *c = safe; *c; c++) {
		if (*c == '<')
			fputs("&lt;", out);
		else if (*c == '&')
			fputs("&amp;", out);
		else if (strchr("\\`*_[]|~>#@", *c))
			fprintf(out, "\\%c", *c);
		else
			fputc(*c, out);
	}
}

static void item(FILE *out, const char *lead, const char *text)
{
	if (!text[0])
		return;
	fprintf(out, "   - %s", lead);
	put(out, text);
	fputc('\n', out);
}

static void finding_lines(
	FILE *out, const struct run *run, unsigned number, const struct finding *finding)
{
	char culprit[CULPRIT_TEXT], figure[WORDS_TEXT];

	culprit_text(culprit, sizeof(culprit), finding);
	words_figure(figure, sizeof(figure), finding);
	fprintf(out, "%u. **", number);
	put(out, culprit[0] ? culprit : finding->check);
	fputs("** (", out);
	put(out, culprit[0] ? finding->check : finding->layer);
	fputs("): ", out);
	put(out, finding->text);
	fputc('\n', out);
	item(out, "", figure);
	item(out, "rests on: ", finding->basis[0] ? finding->basis : words_source(run));
	item(out, "to do: ", finding->advice);
}

static void section(FILE *out, const struct run *run, const struct findings *findings,
	enum verdict verdict, const char *heading)
{
	unsigned number = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].verdict != verdict ||
			(verdict == VERDICT_FAIL && culprit_leader(findings, i) != i))
			continue;
		if (!number)
			fprintf(out, "\n### %s\n\n", heading);
		finding_lines(out, run, ++number, &findings->items[i]);
	}
}

static void table(FILE *out, struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++)
		fprintf(out, "| %s ", table->columns[c].title);
	fputs("|\n", out);
	for (size_t c = 0; c < table->column_count; c++)
		fputs(table->columns[c].left ? "|---" : "|--:", out);
	fputs("|\n", out);
	for (size_t i = 0; i < table->count; i++) {
		fputs("| ", out);
		put(out, table->cells[i].text);
		fputs(i % table->column_count + 1 == table->column_count ? " |\n" : " ", out);
	}
	table_free(table);
}

int report_markdown(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag)
{
	struct figures figures = FIGURES_INIT;
	struct table layers;
	char text[WORDS_TEXT];
	int err;

	err = figures_read(&figures, run, diag);
	if (err)
		return err;
	fprintf(out, "## %s: ", words_verdict(report_verdict(run, findings)));
	words_run(text, sizeof(text), run);
	put(out, text);
	fputs(words_simulated(run) ? " (simulated)\n\n" : "\n\n", out);
	words_counts(text, sizeof(text), findings);
	put(out, text);
	fputc('\n', out);
	if (words_cut(run))
		fprintf(out, "\n**%s**\n", words_cut(run));
	section(out, run, findings, VERDICT_FAIL, "What failed");
	section(out, run, findings, VERDICT_UNKNOWN, "What is unknown");
	section(out, run, findings, VERDICT_WARN, "Warnings");
	fputs("\n### Layers\n\n", out);
	tables_layers(&layers, &figures, findings);
	table(out, &layers);
	fputc('\n', out);
	words_foot(text, sizeof(text), run);
	put(out, text);
	if (options->run_path) {
		fputs(" Run file: ", out);
		put(out, options->run_path);
		fputc('.', out);
	}
	fputc('\n', out);
	figures_free(&figures);
	return 0;
}
