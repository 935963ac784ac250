/*
 * html_parts - the parts of the HTML report, each a file; html.c puts them in order.
 */
#ifndef REPORTS_HTML_PARTS_H
#define REPORTS_HTML_PARTS_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/json.h"
#include "reports/figures.h"
#include "reports/places.h"
#include "reports/scene.h"

struct diag;

struct html {
	FILE *out; /* borrowed, as all of these */
	struct run *run;
	const struct findings *findings; /* sorted */
	const struct scene *scene;
	struct figures figures;
	struct places places;
	/* Owned; of each finding its number on the page, from 1, if it is a failure that is
	 * told in full; 0 for the others. */
	unsigned *numbers;
};

unsigned *html_numbers(const struct findings *findings); /* for numbers */

void html_failures(const struct html *html); /* sections, each with its heading */
void html_doubts(const struct html *html);   /* unknowns and warnings */
void html_passes(const struct html *html);
void html_fabric(const struct html *html);
void html_bursts(const struct html *html);
void html_missing(const struct html *html);

/* A place for a chart, if there are charts: id, title, and how to read it. */
void html_chart(FILE *out, const char *id, const char *title, const char *help);

/* The surface of bursts, if there is one: names of its columns and rows, and of each cell
 * those, its index among the stages, the period, and why it has no queue or "". */
void html_put_bursts(struct json *root, const struct html *html);
/* What the charts draw. Returns 0, or a negative errno of reading the run. */
int html_put_data(struct json *root, const struct html *html, struct diag *diag);

#endif
