/*
 * ink - text on a screen of a known width: styles, wrapping, display columns,
 * and names that cannot harm the terminal.
 *
 * What is put on a line beyond the width is left out, so that no line can be
 * longer. Text is UTF-8; a byte that is none, and every control character, bidi
 * override included, is replaced before it is written.
 */
#ifndef REPORTS_INK_H
#define REPORTS_INK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/options.h"

enum ink_style {
	INK_PLAIN,
	INK_BOLD,
	INK_DIM,
	INK_GOOD,
	INK_BAD,
	INK_DOUBT, /* warnings, unknowns, and that this is a simulation */
};

struct ink {
	FILE *out; /* borrowed */
	unsigned width;
	unsigned column; /* of the next character, from 0 */
	bool colour;
};

void ink_init(struct ink *ink, FILE *out, const struct report_options *options);

/* The columns that text takes: 2 for wide CJK, 0 for combining characters. */
size_t ink_columns(const char *text);

/* Text with everything replaced that is not printable UTF-8: '?' for controls,
 * U+FFFD for broken bytes; white space becomes a space. Cut at a whole character
 * when size is too small. */
void ink_safe(char *safe, size_t size, const char *text);

/* Puts text on the line, as far as it fits; a text that is cut ends in "..", and never
 * inside a number. */
__attribute__((format(printf, 3, 4))) void ink_put(
	struct ink *ink, enum ink_style style, const char *fmt, ...);

/* Fills with spaces up to column; nothing if the line is there already. */
void ink_to(struct ink *ink, unsigned column);

/* Text wrapped at words from the present column on; following lines start at
 * indent. A word that fits on no line is broken. A space at the start is kept, if
 * the first word stays on this line. Leaves the last line open. */
void ink_wrap(struct ink *ink, enum ink_style style, unsigned indent, const char *text);

void ink_end(struct ink *ink); /* ends the line */

#endif
