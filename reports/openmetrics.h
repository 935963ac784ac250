/*
 * openmetrics - a run as metrics for the node exporter's textfile collector, in the text
 * format that it and OpenMetrics share. Every metric is a gauge: it is of this one run.
 *
 * Rates are bytes per second and times seconds, as that world has them. What was not
 * measured has no line, for there absent is not zero either.
 */
#ifndef REPORTS_OPENMETRICS_H
#define REPORTS_OPENMETRICS_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"

struct diag;

/* Returns 0, or a negative errno of reading the run; what goes wrong in out is left in
 * ferror(out). */
int report_openmetrics(
	FILE *out, struct run *run, const struct findings *findings, struct diag *diag);

#endif
