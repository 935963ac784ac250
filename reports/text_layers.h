/*
 * text_layers - a row for each layer of an acceptance: whether it passed, what
 * ran, what it carried, and the figure that says most about it.
 */
#ifndef REPORTS_TEXT_LAYERS_H
#define REPORTS_TEXT_LAYERS_H

#include "lib/finding.h"
#include "reports/figures.h"
#include "reports/ink.h"

void text_layers(
	struct ink *ink, const struct figures *figures, const struct findings *findings);

#endif
