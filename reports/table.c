/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

#define INDENT 2u
#define GAP 2u         /* between columns; */
#define GAP_LEAST 1u   /* before a column has to go */
#define WRAP_LEAST 36u /* a last column narrower than this costs another one */

struct layout {
	unsigned gap;
	unsigned width[TABLE_COLUMNS_MAX];
	bool shown[TABLE_COLUMNS_MAX];
	size_t last; /* shown */
};

void table_init(struct table *table, const struct table_column *columns, size_t count)
{
	assert(count && count <= TABLE_COLUMNS_MAX);
	*table = (struct table){ .columns = columns, .column_count = count };
}

void table_cell(struct table *table, enum ink_style style, const char *fmt, ...)
{
	struct table_cell *cell;
	va_list args;

	table->cells = grow(table->cells, table->count, &table->room, sizeof(*table->cells));
	cell = &table->cells[table->count++];
	cell->style = style;
	va_start(args, fmt);
	vsnprintf(cell->text, sizeof(cell->text), fmt, args);
	va_end(args);
}

static unsigned widest(const struct table *table, size_t column)
{
	const char *title = table->columns[column].title;
	size_t width = title ? ink_columns(title) : 0;

	for (size_t i = column; i < table->count; i += table->column_count) {
		size_t columns = ink_columns(table->cells[i].text);

		if (columns > width)
			width = columns;
	}
	return (unsigned)width;
}

/* A wrapping last column counts with what it needs at least. */
static unsigned total(const struct table *table, const struct layout *layout)
{
	unsigned sum = INDENT;

	for (size_t c = 0; c < table->column_count; c++) {
		unsigned width = layout->width[c];

		if (!layout->shown[c])
			continue;
		if (c == layout->last && table->columns[c].left && width > WRAP_LEAST)
			width = WRAP_LEAST;
		sum += width + (c == layout->last ? 0 : layout->gap);
	}
	return sum;
}

/* Drops the column that is missed least, if that is more than least. */
static bool drop_one(const struct table *table, struct layout *layout, unsigned least)
{
	size_t worst = 0;
	unsigned spare = least;

	for (size_t c = 0; c < table->column_count; c++) {
		if (layout->shown[c] && table->columns[c].spare > spare) {
			spare = table->columns[c].spare;
			worst = c;
		}
	}
	if (spare == least)
		return false;
	layout->shown[worst] = false;
	while (!layout->shown[layout->last])
		layout->last--;
	return true;
}

static bool too_wide(const struct table *table, const struct layout *layout, unsigned width)
{
	return total(table, layout) > width;
}

/* A last column that wraps needs no help. */
static unsigned gap_for(const struct table *table, const struct layout *layout, unsigned width)
{
	bool wraps = table->columns[layout->last].left;

	return too_wide(table, layout, width) && !wraps ? GAP_LEAST : GAP;
}

static struct layout lay_out(const struct table *table, unsigned width)
{
	struct layout layout = { .gap = GAP, .last = table->column_count - 1 };

	for (size_t c = 0; c < table->column_count; c++) {
		layout.width[c] = widest(table, c);
		layout.shown[c] = true;
	}
	while (too_wide(table, &layout, width) && drop_one(table, &layout, TABLE_WANTED))
		;
	layout.gap = gap_for(table, &layout, width);
	while (too_wide(table, &layout, width) && drop_one(table, &layout, 0))
		;
	/* What has gone may have made room for more air. */
	layout.gap = GAP;
	layout.gap = gap_for(table, &layout, width);
	return layout;
}

static void print_cell(struct ink *ink, const struct table *table, const struct layout *layout,
	size_t c, unsigned at, enum ink_style style, const char *text)
{
	size_t columns = ink_columns(text);

	ink_to(ink, at);
	if (c == layout->last && table->columns[c].left) {
		ink_wrap(ink, style, at, text);
		return;
	}
	if (!table->columns[c].left && columns < layout->width[c])
		ink_to(ink, at + layout->width[c] - (unsigned)columns);
	ink_put(ink, style, "%s", text);
}

static void print_titles(
	struct ink *ink, const struct table *table, const struct layout *layout)
{
	unsigned at = INDENT;

	if (!table->columns[0].title)
		return;
	for (size_t c = 0; c < table->column_count; c++) {
		if (!layout->shown[c])
			continue;
		print_cell(ink, table, layout, c, at, INK_DIM, table->columns[c].title);
		at += layout->width[c] + layout->gap;
	}
	ink_end(ink);
}

static void print_row(struct ink *ink, const struct table *table, const struct layout *layout,
	const struct table_cell *cells)
{
	unsigned at = INDENT;

	for (size_t c = 0; c < table->column_count; c++) {
		if (!layout->shown[c])
			continue;
		print_cell(ink, table, layout, c, at, cells[c].style, cells[c].text);
		at += layout->width[c] + layout->gap;
	}
	ink_end(ink);
}

void table_free(struct table *table)
{
	free(table->cells);
	table->cells = NULL;
	table->count = table->room = 0;
}

void table_print(struct table *table, struct ink *ink)
{
	struct layout layout;

	if (table->count) {
		assert(table->count % table->column_count == 0);
		layout = lay_out(table, ink->width);
		print_titles(ink, table, &layout);
		for (size_t i = 0; i < table->count; i += table->column_count)
			print_row(ink, table, &layout, &table->cells[i]);
	}
	table_free(table);
}
