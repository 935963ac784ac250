/*
 * metrics - lines in the text format that Prometheus, its textfile collector and
 * OpenMetrics share.
 */
#ifndef REPORTS_METRICS_H
#define REPORTS_METRICS_H

#include <stdio.h>

/* What comes before the lines of a metric: of a gauge, and of a counter, whose lines are
 * called NAME_total. */
void metrics_family(FILE *out, const char *name, const char *help);
void metrics_counter(FILE *out, const char *name, const char *help);

/* `{name="value"`, and with before "," the next one; the caller ends with "}". */
void metrics_label(FILE *out, const char *before, const char *name, const char *value);

#endif
