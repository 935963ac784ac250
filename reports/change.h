/*
 * change - when a figure of a run is worse or better than another, and how both read.
 *
 * The rates of false alarms and the least changes that count are weft's own defaults;
 * docs/history.md says what follows from them.
 */
#ifndef REPORTS_CHANGE_H
#define REPORTS_CHANGE_H

#include <stddef.h>

#include "lib/digest.h"

/* The chance that a report in which nothing changed names anything: shared out over all
 * figures that it tests, p < CHANGE_ALPHA / n (Bonferroni). */
#define CHANGE_ALPHA 0.01

/* Smaller changes are not named, however certain they are. */
#define CHANGE_LEAST_RATE 0.01  /* of the rate */
#define CHANGE_LEAST_SHARE 0.01 /* of the time */
#define CHANGE_LEAST_COUNTS 0.2 /* of the larger ratio */

enum change {
	CHANGE_NONE, /* within noise, or too small */
	CHANGE_BETTER,
	CHANGE_WORSE,
};

const char *change_name(enum change change); /* "same", "better", "worse" */

/* Which way a change from before to after goes; the caller knows that it is one. */
enum change change_direction(enum digest_metric metric, double before, double after);

/* The change as noise is measured: of a rate relative to before, else the difference. */
double change_of(enum digest_metric metric, double before, double after);

/* Whether the change from before to after is large enough to be named. */
bool change_matters(enum digest_metric metric, double before, double after);

/* "97.1 Gb/s", "1.2e-03", "12.5 %"; at least CHANGE_TEXT bytes. */
#define CHANGE_TEXT 48u
void change_value(char *text, size_t size, enum digest_metric metric, double value);

/* "-3.2 %"; of counts and shares "from 0", "x 2.4"; at least CHANGE_TEXT bytes. */
void change_amount(
	char *text, size_t size, enum digest_metric metric, double before, double after);

#endif
