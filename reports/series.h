/*
 * series - values over time, thinned for a drawing so that what sticks out stays.
 */
#ifndef REPORTS_SERIES_H
#define REPORTS_SERIES_H

#include <stddef.h>

#include "lib/json.h"

struct series {
	double *at, *value; /* owned */
	size_t count, at_room, value_room;
};

#define SERIES_INIT                                                                            \
	{                                                                                      \
		NULL, NULL, 0, 0, 0                                                            \
	}

void series_add(struct series *series, double at, double value); /* at never goes back */
void series_free(struct series *series);                         /* safe twice */

/* Leaves at most most points (at least 2): of each stretch the lowest and the highest. */
void series_thin(struct series *series, size_t most);

/* Puts {"name": name, "points": [at, value, at, value, ...]} at the end of array, with
 * a decimal for at and two for values; nothing for an empty series. */
void series_put(struct json *array, const char *name, const struct series *series);

#endif
