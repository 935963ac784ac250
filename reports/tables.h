/*
 * tables - the figures of a run as rows of cells, for whatever draws them: the
 * screen, HTML, Markdown.
 *
 * Each call begins the table; whoever draws it frees its cells (table_print(),
 * table_free()).
 */
#ifndef REPORTS_TABLES_H
#define REPORTS_TABLES_H

#include "lib/finding.h"
#include "reports/figures.h"
#include "reports/places.h"
#include "reports/table.h"

/* pass good, fail bad, the others doubtful. */
enum ink_style tables_style(enum verdict verdict);

void tables_layers(
	struct table *table, const struct figures *figures, const struct findings *findings);
void tables_lossless(struct table *table, const struct figures *figures);
void tables_rings(struct table *table, const struct figures *figures);
void tables_stages(struct table *table, const struct figures *figures);

#endif
