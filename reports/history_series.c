/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/history_series.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "reports/robust.h"

static int by_series(const void *left, const void *right)
{
	const struct figure_point *a = left, *b = right;
	int order = digest_order(a->figure, b->figure);

	return order ? order : (a->run > b->run) - (a->run < b->run);
}

static struct figure_point *gather(const struct history_run *runs, size_t count, size_t *points)
{
	struct figure_point *all;

	*points = 0;
	for (size_t i = 0; i < count; i++)
		*points += runs[i].digest->figure_count;
	all = zeroed(*points, sizeof(*all));
	*points = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0;
			digest_is_whole(runs[i].digest) && k < runs[i].digest->figure_count;
			k++)
			all[(*points)++] =
				(struct figure_point){ &runs[i].digest->figures[k], i };
	if (*points)
		qsort(all, *points, sizeof(*all), by_series);
	return all;
}

static bool varies(const struct figure_series *series)
{
	for (size_t i = 1; i < series->count; i++)
		if (series->values[i] < series->values[0] ||
			series->values[i] > series->values[0])
			return true;
	return false;
}

/* The noise of a rate is a share of it, so that links of all speeds are alike. */
static void measure_noise(struct figure_series *series)
{
	double median = robust_median(series->values, series->count);

	series->noise = robust_noise(series->values, series->count);
	if (digest_info(series->points->figure->metric)->kind == DIGEST_RATE)
		series->noise = median > 0 ? series->noise / median : 0;
}

static struct figure_series series_of(struct figure_point *points, size_t count)
{
	struct figure_series series = {
		.points = points,
		.count = count,
		.times = zeroed(count, sizeof(double)),
		.values = zeroed(count, sizeof(double)),
	};

	for (size_t i = 0; i < count; i++) {
		series.times[i] = (double)points[i].run;
		series.values[i] = points[i].figure->value;
	}
	if (count >= HISTORY_LEAST) {
		series.tested = varies(&series);
		measure_noise(&series);
	}
	return series;
}

/* Those that mean the same as the latest, which is the last, come first; returns how many. */
static size_t keep_comparable(
	struct figure_point *points, size_t count, const struct history_run *runs)
{
	const struct figure_point latest = points[count - 1];
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (digest_comparable(runs[points[i].run].digest, points[i].figure,
			    runs[latest.run].digest, latest.figure))
			points[kept++] = points[i];
	return kept;
}

size_t figure_series_make(
	struct figure_series **series, const struct history_run *runs, size_t run_count)
{
	size_t made = 0, room = 0, count, end;
	struct figure_point *points = gather(runs, run_count, &count);

	*series = NULL;
	for (size_t first = 0; first < count; first = end) {
		end = first + 1;
		while (end < count &&
			digest_order(points[end].figure, points[first].figure) == 0)
			end++;
		*series = grow(*series, made, &room, sizeof(**series));
		(*series)[made++] = series_of(
			&points[first], keep_comparable(&points[first], end - first, runs));
	}
	return made;
}

void figure_series_free(struct figure_series *series, size_t count)
{
	if (count)
		free(series->points);
	for (size_t i = 0; i < count; i++) {
		free(series[i].times);
		free(series[i].values);
	}
	free(series);
}
