/*
 * progress - one line on a terminal, updated in place while a run goes on, and
 * gone when it ends. Where there is no terminal nothing is written.
 *
 *     struct progress progress = PROGRESS_INIT;
 *
 *     progress_begin(&progress, stderr);
 *     progress_show(&progress, &(struct progress_at){ "lossless", "incast-8-leaf2", 17, 40, done, all });
 *     progress_end(&progress);
 */
#ifndef REPORTS_PROGRESS_H
#define REPORTS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out; /* borrowed; NULL: silent */
	unsigned width;
	uint64_t began_ns, shown_ns; /* CLOCK_MONOTONIC */
};

#define PROGRESS_INIT                                                                          \
	{                                                                                      \
		NULL, 0, 0, 0                                                                  \
	}

struct progress_at {
	const char *layer, *stage; /* borrowed for the call; what runs, or ended last */
	uint32_t index, count;     /* stage index of count, from 1 */
	uint64_t done, all;        /* work in any unit, expected_ns say; all 0: by index */
};

/* Silent from here on unless out is a terminal that can move its cursor. */
void progress_begin(struct progress *progress, FILE *out);

/* Draws at most ten times a second, whatever is called. */
void progress_show(struct progress *progress, const struct progress_at *at);

/* Clears the line; safe twice. Call it before anything else is printed. */
void progress_end(struct progress *progress);

/* The line, without cursor movement, of at most width columns: size > width. */
void progress_line(char *text, size_t size, unsigned width, const struct progress_at *at,
	uint64_t elapsed_ns);

#endif
