/*
 * figure - a curve of the page, as an SVG file beside it: what an equation gives as a line,
 * what was simulated as dots. Readable on light and dark.
 */
#ifndef TESTS_VALIDATE_FIGURE_H
#define TESTS_VALIDATE_FIGURE_H

#include "tests/validate/validate.h"

#define FIGURE_STEPS 100

struct figure {
	const char *name, *title, *x_label;
	double x[2], y[2]; /* from, to; x[0] > 0 where log_x */
	double x_step;     /* between two figures of the axis: added, or a factor where log_x */
	bool log_x;
	unsigned colour; /* 0..3, of what is drawn next */

	FILE *out; /* the rest is figure.c's */
	char *text;
	size_t bytes;
};

/* The caller has set what stands above. */
void figure_open(struct figure *figure);

/* y = of(x, which) over the whole width. */
void figure_curve(struct figure *figure, const char *label,
	double (*of)(double x, double which), double which);

void figure_dot(struct figure *figure, double x, double y);

void figure_line(struct figure *figure, const char *label, const double *x, const double *y,
	size_t count);

/* Keeps the file for the end of the program, and names it on the page. */
void figure_close(struct report *report, struct figure *figure);

#endif
