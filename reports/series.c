/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "lib/grow.h"

void series_add(struct series *series, double at, double value)
{
	series->at = grow(series->at, series->count, &series->at_room, sizeof(*series->at));
	series->value =
		grow(series->value, series->count, &series->value_room, sizeof(*series->value));
	series->at[series->count] = at;
	series->value[series->count++] = value;
}

void series_free(struct series *series)
{
	free(series->at);
	free(series->value);
	*series = (struct series)SERIES_INIT;
}

static void keep(struct series *series, size_t to, size_t from)
{
	series->at[to] = series->at[from];
	series->value[to] = series->value[from];
}

/* The lowest and the highest of [from, to) go to kept, in the order of time; returns
 * how many are kept then. */
static size_t thin_stretch(struct series *series, size_t kept, size_t from, size_t to)
{
	size_t low = from, high = from;

	for (size_t i = from; i < to; i++) {
		if (series->value[i] < series->value[low])
			low = i;
		if (series->value[i] > series->value[high])
			high = i;
	}
	if (low > high) {
		size_t first = high;

		high = low;
		low = first;
	}
	keep(series, kept++, low);
	if (high != low)
		keep(series, kept++, high);
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

void series_put(struct json *array, const char *name, const struct series *series)
{
	struct json *object, *points;

	if (!series->count)
		return;
	object = json_add_object(array);
	json_put_text(object, "name", name);
	points = json_put_array(object, "points");
	for (size_t i = 0; i < series->count; i++) {
		json_add_double(points, round(series->at[i] * 10) / 10);
		json_add_double(points, round(series->value[i] * 100) / 100);
	}
}
