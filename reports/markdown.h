/*
 * markdown - a run and its findings as a summary for a ticket: verdict, what failed and
 * what to do, what is unknown, warnings, and a row for each layer.
 */
#ifndef REPORTS_MARKDOWN_H
#define REPORTS_MARKDOWN_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"
#include "reports/options.h"

struct diag;

/* As report_text(); of the options only run_path is used. */
int report_markdown(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag);

#endif
