/*
 * table - rows of cells, aligned, that never grow wider than the screen.
 *
 * Where the columns do not fit, those that can be missed go, the least needed
 * first; a last column that is left-aligned wraps.
 */
#ifndef REPORTS_TABLE_H
#define REPORTS_TABLE_H

#include <stddef.h>

#include "reports/ink.h"

#define TABLE_COLUMNS_MAX 16u
#define TABLE_WANTED 3u /* spare columns up to here are kept while it helps to move closer */
#define TABLE_CELL 800u

struct table_column {
	const char *title; /* borrowed; NULL in the first column: no line of titles */
	bool left;         /* aligned left; numbers are not */
	unsigned spare;    /* 0: always shown; else the highest goes first; TABLE_WANTED */
};

struct table_cell {
	enum ink_style style;
	char text[TABLE_CELL];
};

struct table {
	const struct table_column *columns; /* borrowed */
	size_t column_count;
	struct table_cell *cells; /* owned; row after row */
	size_t count, room;
};

/* At most TABLE_COLUMNS_MAX columns. */
void table_init(struct table *table, const struct table_column *columns, size_t count);

/* The next cell of the present row; a row is full after column_count cells. */
__attribute__((format(printf, 3, 4))) void table_cell(
	struct table *table, enum ink_style style, const char *fmt, ...);

void table_free(struct table *table); /* safe twice */

/* Prints the rows, if there are any, and frees them. */
void table_print(struct table *table, struct ink *ink);

#endif
