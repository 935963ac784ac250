/*
 * options - how a report is drawn, the same for every form of it.
 *
 * All zero means: no colour, 80 columns, the short form.
 */
#ifndef REPORTS_OPTIONS_H
#define REPORTS_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#define REPORT_WIDTH 80u     /* where out is no terminal */
#define REPORT_WIDTH_MIN 40u /* narrower screens are drawn as if they were this wide */
#define REPORT_WIDTH_MAX 160u
#define REPORT_PROSE_WIDTH 100u /* sentences are wrapped here at the latest */

/* Small pictures between the figures of a screen. */
enum report_plots {
	REPORT_PLOTS_NONE,
	REPORT_PLOTS_ASCII,
	REPORT_PLOTS_UTF8, /* bars of an eighth of a line each */
};

struct scene;

struct report_options {
	bool colour;
	unsigned width;       /* columns; 0: REPORT_WIDTH */
	bool verbose;         /* every stage and every passing check, each with its basis */
	const char *run_path; /* borrowed; where the run file is; NULL: not said */
	enum report_plots plots;
	const struct scene *scene; /* borrowed; for the map of pairs; NULL: none is drawn */
};

/* What suits out: on a terminal its width, plots in the locale's characters, and colour
 * unless NO_COLOR is set or TERM is "dumb"; otherwise REPORT_WIDTH, no plots and no
 * colour. Leaves the rest alone. */
void report_options_for(struct report_options *options, FILE *out);

#endif
