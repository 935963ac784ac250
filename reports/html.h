/*
 * html - a run and its findings as one HTML file that needs nothing else: styles,
 * script, charts and figures are inside, and it opens without a network.
 *
 * The verdict and what failed stand first, beside a drawing of the fabric with the
 * culprits marked; then charts and tables, and what was not measured. Charts are
 * drawn by Apache ECharts; a weft that was built without it says so and has the
 * tables.
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"
#include "reports/options.h"
#include "reports/scene.h"

struct diag;

/* As report_text(); of the options only run_path is used. The same run file gives the
 * same bytes, except for that path. */
int report_html(FILE *out, struct run *run, const struct findings *findings,
	const struct scene *scene, const struct report_options *options, struct diag *diag);

#endif
