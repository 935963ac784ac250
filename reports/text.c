/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text.h"

#include <stdio.h>

#include "reports/figures.h"
#include "reports/text_findings.h"
#include "reports/text_plots.h"
#include "reports/text_tables.h"
#include "reports/words.h"

static void verdict_line(struct ink *ink, const struct run *run, enum verdict verdict)
{
	char words[WORDS_TEXT], text[WORDS_TEXT + 8];

	ink_put(ink, text_style(verdict), "%s", words_verdict(verdict));
	ink_put(ink, INK_PLAIN, "  ");
	if (words_simulated(run))
		ink_put(ink, INK_DOUBT, "SIMULATION");
	else
		ink_put(ink, INK_PLAIN, "measured by %s", run_info(run)->backend);
	words_run(words, sizeof(words), run);
	snprintf(text, sizeof(text), " of %s", words);
	ink_wrap(ink, INK_PLAIN, 0, text);
	ink_end(ink);
}

static void sentence(struct ink *ink, enum ink_style style, const char *text)
{
	if (!text)
		return;
	ink_wrap(ink, style, 0, text);
	ink_end(ink);
}

static void foot(struct ink *ink, const struct run *run, const struct report_options *options)
{
	char line[1024];

	words_foot(line, sizeof(line), run);
	sentence(ink, INK_DIM, line);
	if (!options->run_path)
		return;
	snprintf(line, sizeof(line), "Run file: %s (weft report draws it again)",
		options->run_path);
	sentence(ink, INK_PLAIN, line);
}

int report_text(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag)
{
	struct finding_view view = {
		.findings = findings,
		.source = words_source(run),
		.verbose = options->verbose,
	};
	struct figures figures = FIGURES_INIT;
	char counts[WORDS_TEXT];
	struct ink ink;
	int err;

	err = figures_read(&figures, run, diag);
	if (err)
		return err;
	ink_init(&ink, out, options);
	verdict_line(&ink, run, report_verdict(run, findings));
	words_counts(counts, sizeof(counts), findings);
	sentence(&ink, INK_PLAIN, counts);
	sentence(&ink, INK_DOUBT, words_cut(run));
	text_failures(&ink, &view);
	text_unknowns(&ink, &view);
	text_warnings(&ink, &view);
	text_layers(&ink, &figures, findings);
	text_bars(&ink, &figures, options);
	err = text_map(&ink, run, options, diag);
	text_lossless(&ink, &figures);
	text_rings(&ink, &figures);
	if (options->verbose)
		text_stages(&ink, &figures);
	text_passes(&ink, &view);
	/* The last screen says it all: the first has scrolled away. */
	ink_end(&ink);
	verdict_line(&ink, run, report_verdict(run, findings));
	text_closing(&ink, &view);
	foot(&ink, run, options);
	figures_free(&figures);
	return err;
}
