/*
 * html_series - what a stage's samples and steps look like over time, for charts.
 *
 * Times are us from the start of the stage, rates Gb/s, queues KiB, steps us. The
 * lines are thinned to a number of points, spikes kept.
 */
#ifndef REPORTS_HTML_SERIES_H
#define REPORTS_HTML_SERIES_H

#include "lib/finding.h"
#include "lib/json.h"
#include "lib/run.h"

struct diag;

/* Adds to the stage's object "goodput" (slowest, median and fastest NIC, and those that
 * findings blame) and "queue" (the highest, and the two ports where it was highest),
 * each where there are samples. Returns 0, or a negative errno of reading the run. */
int html_put_samples(struct json *object, struct run *run, const struct run_stage *stage,
	const struct findings *findings, size_t points, struct diag *diag);

/* The same for a ring: "steps" (median and slowest edge of each step) and "spikes",
 * those above the median of their edge + max(spike, 5 MAD). */
int html_put_steps(struct json *object, struct run *run, const struct run_stage *stage,
	double spike, size_t points, struct diag *diag);

#endif
