/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text_tables.h"

#include <stdio.h>

#include "reports/number.h"
#include "reports/tables.h"

void text_heading(struct ink *ink, const char *heading)
{
	ink_end(ink);
	ink_wrap(ink, INK_BOLD, 0, heading);
	ink_end(ink);
}

enum ink_style text_style(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return INK_GOOD;
	case VERDICT_FAIL:
		return INK_BAD;
	case VERDICT_WARN:
	case VERDICT_UNKNOWN:
		break;
	}
	return INK_DOUBT;
}

static void bound_line(struct ink *ink, const struct figure_loss *loss)
{
	char packets[NUMBER_BYTES], bound[NUMBER_BYTES], text[256];

	number_count(packets, sizeof(packets), loss->packets);
	number_probability(bound, sizeof(bound), figures_loss_bound(loss->packets));
	snprintf(text, sizeof(text),
		"Zero-drop bound: none of %s data packets was dropped or sent again, so the "
		"loss "
		"probability is below %s (3/n, 95 %% confidence).",
		packets, bound);
	ink_to(ink, 2);
	ink_wrap(ink, INK_PLAIN, 2, text);
	ink_end(ink);
}

void text_lossless(struct ink *ink, const struct figures *figures)
{
	struct figure_loss loss = figures_loss(figures, LAYER_COUNT);
	bool none_lost = loss.packets && loss.counted && !loss.resent && !loss.dropped;
	struct table table;

	tables_lossless(&table, figures);
	if (table.count || none_lost)
		ink_end(ink);
	table_print(&table, ink);
	if (none_lost)
		bound_line(ink, &loss);
}

void text_layers(
	struct ink *ink, const struct figures *figures, const struct findings *findings)
{
	struct table table;

	tables_layers(&table, figures, findings);
	if (table.count)
		text_heading(ink, "Layers");
	table_print(&table, ink);
}

void text_rings(struct ink *ink, const struct figures *figures)
{
	struct table table;

	tables_rings(&table, figures);
	if (table.count)
		ink_end(ink);
	table_print(&table, ink);
}

void text_stages(struct ink *ink, const struct figures *figures)
{
	struct table table;

	tables_stages(&table, figures);
	if (table.count)
		text_heading(ink, "Stages");
	table_print(&table, ink);
}
