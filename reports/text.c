/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text.h"

#include <inttypes.h>
#include <string.h>

#include "reports/figures.h"
#include "reports/text_findings.h"
#include "reports/text_layers.h"
#include "reports/text_tables.h"

static const char *shouted(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return "PASS";
	case VERDICT_WARN:
		return "PASS, with warnings";
	case VERDICT_FAIL:
		return "FAIL";
	case VERDICT_UNKNOWN:
		break;
	}
	return "UNKNOWN";
}

static bool simulated(const struct run *run)
{
	return strcmp(run_info(run)->backend, "sim") == 0;
}

static void verdict_line(struct ink *ink, const struct run *run, enum verdict verdict)
{
	const struct run_info *info = run_info(run);
	char text[256];

	ink_put(ink, text_style(verdict), "%s", shouted(verdict));
	ink_put(ink, INK_PLAIN, "  ");
	if (simulated(run))
		ink_put(ink, INK_DOUBT, "SIMULATION");
	else
		ink_put(ink, INK_PLAIN, "measured by %s", info->backend);
	snprintf(text, sizeof(text), " of %s, %s plane, %s, seed %" PRIu64, info->fabric_name,
		info->plane[0] ? info->plane : "parameter", info->profile, info->seed);
	ink_wrap(ink, INK_PLAIN, 0, text);
	ink_end(ink);
}

/* How many findings of each kind, so that folding hides nothing. */
static void count_line(struct ink *ink, const struct findings *findings)
{
	size_t causes = 0, symptoms = 0, unknown = 0, warned = 0, passed = 0;
	char text[256], failures[96] = "";

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		causes += finding->verdict == VERDICT_FAIL && finding->rank == RANK_CAUSE;
		symptoms += finding->verdict == VERDICT_FAIL && finding->rank != RANK_CAUSE;
		unknown += finding->verdict == VERDICT_UNKNOWN;
		warned += finding->verdict == VERDICT_WARN;
		passed += finding->verdict == VERDICT_PASS;
	}
	if (causes + symptoms)
		snprintf(failures, sizeof(failures),
			"%zu cause%s and %zu symptom%s of failure, ", causes,
			causes == 1 ? "" : "s", symptoms, symptoms == 1 ? "" : "s");
	snprintf(text, sizeof(text), "%zu finding%s: %s%zu passed, %zu warned, %zu unknown",
		findings->count, findings->count == 1 ? "" : "s", failures, passed, warned,
		unknown);
	ink_wrap(ink, INK_PLAIN, 0, findings->count ? text : "Nothing was judged.");
	ink_end(ink);
}

static void cut_line(struct ink *ink, const struct run *run)
{
	bool interrupted = false;

	if (!run_ended(run, &interrupted))
		ink_wrap(ink, INK_DOUBT, 0,
			"The run was cut off before its end. What was measured until then is "
			"below; the rest is unknown.");
	else if (interrupted)
		ink_wrap(ink, INK_DOUBT, 0,
			"The run was interrupted. What was measured until then is below; the "
			"rest is unknown.");
	else
		return;
	ink_end(ink);
}

static void foot(struct ink *ink, const struct run *run, const struct report_options *options)
{
	const struct run_info *info = run_info(run);
	char line[1024];

	snprintf(line, sizeof(line), "%s Made by %s.",
		simulated(run) ? "All figures are simulated, or derived from the fabric file; "
				 "none was measured on hardware."
			       : "Figures are measured, unless they say derived.",
		info->program);
	ink_wrap(ink, INK_DIM, 0, line);
	ink_end(ink);
	if (!options->run_path)
		return;
	snprintf(line, sizeof(line), "Run file: %s (weft report draws it again)",
		options->run_path);
	ink_wrap(ink, INK_PLAIN, 0, line);
	ink_end(ink);
}

int report_text(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag)
{
	struct finding_view view = {
		.findings = findings,
		.source = simulated(run) ? "simulated" : "measured",
		.verbose = options->verbose,
	};
	struct figures figures = FIGURES_INIT;
	struct ink ink;
	int err;

	err = figures_read(&figures, run, diag);
	if (err)
		return err;
	ink_init(&ink, out, options);
	verdict_line(&ink, run, report_verdict(run, findings));
	count_line(&ink, findings);
	cut_line(&ink, run);
	text_failures(&ink, &view);
	text_unknowns(&ink, &view);
	text_warnings(&ink, &view);
	text_layers(&ink, &figures, findings);
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
	return 0;
}
