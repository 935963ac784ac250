/*
 * series - values over time, thinned for a drawing so that what sticks out stays.
 */
#ifndef REPORTS_SERIES_H
#define REPORTS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/json.h"

struct series_point {
	double at, value;
	bool after_gap; /* nothing is known between this and the one before */
};

struct series {
	struct series_point *points; /* owned */
	size_t count, room;
	double gap; /* a longer time between two points is a gap; 0: there are none */
};

#define SERIES_INIT                                                                            \
	{                                                                                      \
		NULL, 0, 0, 0                                                                  \
	}

void series_add(struct series *series, double at, double value); /* at never goes back */
void series_free(struct series *series);                         /* safe twice */

/* Leaves at most most points (at least 2): of each stretch the lowest and the highest. */
void series_thin(struct series *series, size_t most);

/* Puts {"name": name, "points": [at, value, at, value, ...]} at the end of array, with
 * a decimal for at and two for values; a gap is a value of null. Nothing for an empty
 * series. */
void series_put(struct json *array, const char *name, const struct series *series);

#endif
