/*
 * json - a run and its findings as one JSON document: docs/report-json.md and
 * docs/report.schema.json. The same run file gives the same bytes.
 */
#ifndef REPORTS_JSON_H
#define REPORTS_JSON_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"
#include "reports/options.h"

struct diag;
struct json;

/* Raised when a key is taken away or changes its meaning; new keys do not raise it. */
#define REPORT_JSON_VERSION 1

/* As report_text(); of the options only run_path is used. */
int report_json(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag);

/* The same as a tree, which the caller frees; nothing on failure. */
int report_json_tree(struct json **root, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag);

#endif
