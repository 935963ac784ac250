/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "lib/grow.h"

void series_add(struct series *series, double at, double value)
{
	struct series_point *last;

	series->points =
		grow(series->points, series->count, &series->room, sizeof(*series->points));
	last = series->count ? &series->points[series->count - 1] : NULL;
	series->points[series->count++] = (struct series_point){ at, value,
		last && series->gap > 0 && at - last->at > series->gap };
}

void series_free(struct series *series)
{
	free(series->points);
	*series = (struct series)SERIES_INIT;
}

/* The lowest and the highest of [from, to) go to kept, in the order of time; returns
 * how many are kept then. */
static size_t thin_stretch(struct series *series, size_t kept, size_t from, size_t to)
{
	struct series_point *points = series->points, first, last;
	size_t low = from, high = from;
	bool gap = false;

	for (size_t i = from; i < to; i++) {
		if (points[i].value < points[low].value)
			low = i;
		if (points[i].value > points[high].value)
			high = i;
		gap |= points[i].after_gap;
	}
	first = points[low < high ? low : high];
	last = points[low < high ? high : low];
	first.after_gap = gap;
	last.after_gap = false;
	points[kept++] = first;
	if (high != low)
		points[kept++] = last;
	return kept;
}

void series_thin(struct series *series, size_t most)
{
	size_t stretches = most / 2, kept = 0;

	assert(most >= 2);
	if (series->count <= most)
		return;
	for (size_t i = 0; i < stretches; i++)
		kept = thin_stretch(series, kept, i * series->count / stretches,
			(i + 1) * series->count / stretches);
	series->count = kept;
}

static double tenths(double value)
{
	return round(value * 10) / 10;
}

void series_put(struct json *array, const char *name, const struct series *series)
{
	struct json *object, *points;

	if (!series->count)
		return;
	object = json_add_object(array);
	json_put_text(object, "name", name);
	points = json_put_array(object, "points");
	for (size_t i = 0; i < series->count; i++) {
		const struct series_point *point = &series->points[i];

		if (point->after_gap) {
			json_add_double(points, tenths(point->at));
			json_add_null(points);
		}
		json_add_double(points, tenths(point->at));
		json_add_double(points, round(point->value * 100) / 100);
	}
}
