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

/* Cells of numbers; a counter that no place has is "?". */
void tables_count(struct table *table, enum ink_style style, uint64_t value);
void tables_counter(
	struct table *table, enum ink_style style, const struct figure_count *count);
enum ink_style tables_bad_if(uint64_t value);

void tables_layers(
	struct table *table, const struct figures *figures, const struct findings *findings);
void tables_lossless(struct table *table, const struct figures *figures);
void tables_rings(struct table *table, const struct figures *figures);
void tables_stages(struct table *table, const struct figures *figures);

/* The grid of bursts, a row a cell; buffer_bytes: of a switch, 0: not known. */
void tables_bursts(struct table *table, const struct figures *figures,
	const struct figure_bursts *bursts, uint64_t buffer_bytes);

/* Every NIC, and the cables that stand out, the worst first: packets missing, drops,
 * time held, CRC errors, carrier changes; at most most of them. */
void tables_nics(struct table *table, const struct places *places);
void tables_links(struct table *table, const struct places *places, size_t most);
/* The slowest pairs of a layer. */
void tables_pairs(
	struct table *table, const struct places *places, enum plan_layer layer, size_t most);

#endif
