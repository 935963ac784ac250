/*
 * text - a run and its findings as a screen for a person.
 *
 * The verdict first, in one line; then what failed, each cause with its culprit,
 * its figure against its limit and what to do, and the symptoms of the same
 * culprit folded under it; then what is unknown and what works with less than
 * promised; then the figures: layers, the lossless truth table, rings, the
 * zero-drop bound. No line is longer than the width, and no control character
 * of a name reaches the terminal.
 */
#ifndef REPORTS_TEXT_H
#define REPORTS_TEXT_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"
#include "reports/options.h"
#include "reports/verdict.h"

struct diag;

/* Draws run, open for reading or still being written, to out. findings are
 * sorted by findings_sort(). A run that was cut off or interrupted is said to be so.
 * Returns 0, or a negative errno of reading the run (-EIO); what goes wrong in
 * out is left in ferror(out). */
int report_text(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag);

#endif
