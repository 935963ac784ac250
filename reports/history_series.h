/*
 * history_series - each figure over the runs of a history that measured it and in which it
 * means the same. Internal to reports/history*.c.
 */
#ifndef REPORTS_HISTORY_SERIES_H
#define REPORTS_HISTORY_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/digest.h"
#include "reports/history.h"

/* A figure of one run. */
struct figure_point {
	const struct digest_figure *figure; /* borrowed */
	size_t run;
};

struct figure_series {
	struct figure_point
		*points; /* [count], in the order of time; those of all series are one array */
	size_t count;    /* > 0 */
	double *times, *values; /* [count], owned */
	double noise;           /* of rates relative to the median */
	bool tested;            /* in HISTORY_LEAST runs or more, and not always the same */
};

/* Of the runs that are whole, one for each figure; returns how many. Keeps the digests. */
size_t figure_series_make(
	struct figure_series **series, const struct history_run *runs, size_t run_count);
void figure_series_free(struct figure_series *series, size_t count);

#endif
