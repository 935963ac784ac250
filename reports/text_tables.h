/*
 * text_tables - the parts of the screen that figures fill: the layers, the lossless
 * truth table with the zero-drop bound, the rings, and every stage.
 */
#ifndef REPORTS_TEXT_TABLES_H
#define REPORTS_TEXT_TABLES_H

#include "lib/finding.h"
#include "reports/figures.h"
#include "reports/ink.h"

/* In bold, after an empty line. */
void text_heading(struct ink *ink, const char *heading);

/* pass good, fail bad, the others doubtful. */
enum ink_style text_style(enum verdict verdict);

void text_layers(
	struct ink *ink, const struct figures *figures, const struct findings *findings);
void text_lossless(struct ink *ink, const struct figures *figures);
void text_rings(struct ink *ink, const struct figures *figures);
void text_stages(struct ink *ink, const struct figures *figures);

#endif
