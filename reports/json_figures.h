/*
 * json_figures - the figures of a run as the arrays of a JSON report: stages,
 * lossless, ring, and the zero-drop bound.
 */
#ifndef REPORTS_JSON_FIGURES_H
#define REPORTS_JSON_FIGURES_H

#include "lib/json.h"
#include "reports/figures.h"

void json_put_figures(struct json *root, const struct figures *figures);

#endif
