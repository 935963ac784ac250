/*
 * text_plots - small pictures for a terminal: a line of bars over the stages for
 * goodput, drops, pause and marks, and a map of the slowest pairs from leaf to leaf.
 * Nothing where options ask for none, as for a pipe.
 */
#ifndef REPORTS_TEXT_PLOTS_H
#define REPORTS_TEXT_PLOTS_H

#include "reports/figures.h"
#include "reports/ink.h"
#include "reports/options.h"

struct diag;

void text_bars(
	struct ink *ink, const struct figures *figures, const struct report_options *options);

/* Needs options->scene; without pairs nothing is drawn. Returns 0, or a negative errno of
 * reading the run. */
int text_map(struct ink *ink, struct run *run, const struct report_options *options,
	struct diag *diag);

#endif
