/*
 * csv - a table of a run as comma-separated values: the rows of the JSON report
 * (docs/report-json.md), a column a key, those of an object inside as "main.flows"; and
 * NICs, cables and pairs. What is null there is empty here.
 *
 * Lines end in a newline; a field with a comma, a quote or a line end is quoted as RFC 4180
 * says. A text that a spreadsheet would take for a formula gets an apostrophe in front.
 */
#ifndef REPORTS_CSV_H
#define REPORTS_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"
#include "reports/scene.h"

#define CSV_TABLES "findings, stages, lossless, ring, nics, cables, pairs"

struct diag;

bool csv_knows(const char *table); /* one of CSV_TABLES */

/* table: one that csv_knows(). As report_text(). */
int report_csv(FILE *out, const char *table, struct run *run, const struct findings *findings,
	const struct scene *scene, struct diag *diag);

#endif
