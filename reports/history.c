/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "reports/robust.h"

/* Fewer events in all than this are no trend of a count. */
#define EVENTS_LEAST 20u

/* A figure of one run. */
struct point {
	const struct digest_figure *figure;
	size_t run;
};

/* One figure over the runs that measured it: points[0..count-1]. */
struct series {
	const struct point *points;
	size_t count;
	double *times, *values; /* [count], owned */
	double noise;           /* of rates relative to the median */
	bool tested;
};

static int by_series(const void *left, const void *right)
{
	const struct point *a = left, *b = right;
	int order = digest_order(a->figure, b->figure);

	return order ? order : (a->run > b->run) - (a->run < b->run);
}

static struct point *gather(const struct history_run *runs, size_t count, size_t *points)
{
	struct point *all;

	*points = 0;
	for (size_t i = 0; i < count; i++)
		*points += runs[i].digest->figure_count;
	all = zeroed(*points, sizeof(*all));
	*points = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].digest->figure_count; k++)
			all[(*points)++] = (struct point){ &runs[i].digest->figures[k], i };
	if (*points)
		qsort(all, *points, sizeof(*all), by_series);
	return all;
}

static bool varies(const struct series *series)
{
	for (size_t i = 1; i < series->count; i++)
		if (series->values[i] < series->values[0] ||
			series->values[i] > series->values[0])
			return true;
	return false;
}

/* The noise of a rate is a share of it, so that links of all speeds are alike. */
static void measure_noise(struct series *series)
{
	double median = robust_median(series->values, series->count);

	series->noise = robust_noise(series->values, series->count);
	if (digest_info(series->points->figure->metric)->kind == DIGEST_RATE)
		series->noise = median > 0 ? series->noise / median : 0;
}

static struct series series_of(const struct point *points, size_t count)
{
	struct series series = {
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

/* Cuts the points into series; returns how many. */
static size_t cut(const struct point *points, size_t count, struct series **series)
{
	size_t made = 0, room = 0, end;

	*series = NULL;
	for (size_t first = 0; first < count; first = end) {
		end = first + 1;
		while (end < count &&
			digest_order(points[end].figure, points[first].figure) == 0)
			end++;
		*series = grow(*series, made, &room, sizeof(**series));
		(*series)[made++] = series_of(&points[first], end - first);
	}
	return made;
}

static void free_series(struct series *series, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(series[i].times);
		free(series[i].values);
	}
	free(series);
}

/* --- claims --- */

static struct claim *add_claim(struct history *history, const struct series *series,
	enum claim_kind kind, double from, double to)
{
	const struct digest_figure *figure = series->points->figure;
	struct claim *claim;

	history->claims =
		grow(history->claims, history->count, &history->room, sizeof(*history->claims));
	claim = &history->claims[history->count++];
	*claim = (struct claim){
		.kind = kind,
		.metric = figure->metric,
		.subject = figure->subject,
		.runs = series->count,
		.first = series->points[0].run,
		.last = series->points[series->count - 1].run,
		.from = from,
		.to = to,
		.latest = series->values[series->count - 1],
		.change = change_direction(figure->metric, from, to),
		.trend_p = 1,
	};
	return claim;
}

static bool enough_events(const struct series *series)
{
	uint64_t events = 0;

	if (digest_info(series->points->figure->metric)->kind != DIGEST_COUNTS)
		return true;
	for (size_t i = 0; i < series->count; i++)
		events += series->points[i].figure->events;
	return events >= EVENTS_LEAST;
}

/* The noise of one value, in the unit of the values. */
static double noise_at(const struct series *series, double level, double peer_noise)
{
	double noise = fmax(series->noise, peer_noise), of = 0;

	switch (digest_info(series->points->figure->metric)->kind) {
	case DIGEST_RATE:
		return noise * level;
	case DIGEST_COUNTS:
		for (size_t i = 0; i < series->count; i++)
			of += (double)series->points[i].figure->of / (double)series->count;
		return fmax(series->noise, sqrt(level / of));
	case DIGEST_SHARE:
		break;
	}
	return noise;
}

/* p of a slope as steep, by its standard error under noise; that of Theil and Sen's
 * is 1 / 0.955^(1/2) of least squares' (Sen 1968). */
static double slope_surprise(const struct series *series, double slope, double noise)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < series->count; i++)
		mean += series->times[i] / (double)series->count;
	for (size_t i = 0; i < series->count; i++)
		squares += (series->times[i] - mean) * (series->times[i] - mean);
	if (noise <= 0)
		return slope < 0 || slope > 0 ? 0 : 1;
	return erfc(fabs(slope) * sqrt(0.955 * squares) / noise / sqrt(2.0));
}

static bool judge_drift(
	struct history *history, const struct series *series, double alpha, double peer_noise)
{
	double trend_p = robust_trend(series->values, series->count, NULL), p;
	double slope, middle, median, from, to;
	struct claim *claim;

	if (trend_p >= HISTORY_TREND || !enough_events(series))
		return false;
	slope = robust_slope(series->times, series->values, series->count);
	median = robust_median(series->values, series->count);
	middle = robust_median(series->times, series->count);
	p = slope_surprise(series, slope, noise_at(series, median, peer_noise));
	/* A loss, a rate and a share are never below 0. */
	from = fmax(median + slope * (series->times[0] - middle), 0);
	to = fmax(median + slope * (series->times[series->count - 1] - middle), 0);
	if (p >= alpha || !change_matters(series->points->figure->metric, from, to) ||
		(series->values[series->count - 1] - median) * slope <= 0)
		return false;
	claim = add_claim(history, series, CLAIM_DRIFT, from, to);
	claim->p = p;
	claim->trend_p = trend_p;
	return true;
}

/* The value of the baseline run; false: it did not measure this. */
static bool baseline_value(
	const struct history *history, const struct series *series, size_t *index)
{
	for (size_t i = 0; i + HISTORY_CONFIRM < series->count; i++) {
		if (series->points[i].run == history->baseline) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* p of one of the latest counts against the reference; 1 where one before was as far. */
static double count_surprise(const struct series *series, size_t i, size_t first, size_t end)
{
	uint64_t events = 0, of = 0;
	double value = series->values[i];
	bool above = true, below = true;

	for (size_t k = first; k < end; k++) {
		events += series->points[k].figure->events;
		of += series->points[k].figure->of;
	}
	for (size_t k = 0; k + HISTORY_CONFIRM < series->count; k++) {
		above = above && value > series->values[k];
		below = below && value < series->values[k];
	}
	if (!above && !below)
		return 1;
	return robust_counts(
		events, of, series->points[i].figure->events, series->points[i].figure->of);
}

/* p of a value that far from a reference of so many values; the median of k values has
 * the variance pi / 2k of one. */
static double value_surprise(const struct series *series, size_t i, double reference,
	size_t values, double peer_noise)
{
	double noise = noise_at(series, reference, peer_noise);
	double change = fabs(series->values[i] - reference);

	noise *= sqrt(1 + (values > 1 ? acos(-1.0) / 2 / (double)values : 1.0));
	if (noise <= 0)
		return change > 0 ? 0 : 1;
	return erfc(change / noise / sqrt(2.0));
}

static void judge_step(
	struct history *history, const struct series *series, double alpha, double peer_noise)
{
	enum digest_metric metric = series->points->figure->metric;
	size_t first = 0, end = series->count - HISTORY_CONFIRM, at;
	double reference, p = 0;

	if (history->baseline != HISTORY_NONE && baseline_value(history, series, &at)) {
		first = at;
		end = at + 1;
	}
	reference = robust_median(&series->values[first], end - first);
	for (size_t i = series->count - HISTORY_CONFIRM; i < series->count; i++) {
		double surprise =
			digest_info(metric)->kind == DIGEST_COUNTS
				? count_surprise(series, i, first, end)
				: value_surprise(series, i, reference, end - first, peer_noise);

		if (!change_matters(metric, reference, series->values[i]) ||
			(series->values[i] > reference) !=
				(series->values[series->count - 1] > reference))
			return;
		p = fmax(p, surprise);
	}
	if (p < alpha)
		add_claim(history, series, CLAIM_STEP, reference,
			series->values[series->count - 1])
			->p = p;
}

/* What the figures of a metric have as noise, in the middle; 0: none was tested. */
static double noise_of_kind(
	const struct series *series, size_t count, enum digest_metric metric)
{
	double *noises = zeroed(count, sizeof(*noises)), median = 0;
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (series[i].count >= HISTORY_LEAST &&
			series[i].points->figure->metric == metric)
			noises[used++] = series[i].noise;
	if (used)
		median = robust_median(noises, used);
	free(noises);
	return median;
}

static int by_weight(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;

	if (a->change != b->change)
		return a->change == CHANGE_WORSE ? -1 : 1;
	if (a->symptom != b->symptom)
		return a->symptom ? 1 : -1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	if (a->p < b->p || a->p > b->p)
		return a->p < b->p ? -1 : 1;
	return strcmp(a->subject, b->subject);
}

static bool is_link(enum digest_metric metric)
{
	return metric == DIGEST_LINK_LOSS || metric == DIGEST_LINK_ERRORS ||
	       metric == DIGEST_LINK_RATE;
}

/* Pausing is the NIC's own doing. */
static void mark_symptoms(struct history *history)
{
	bool link = false;

	for (size_t i = 0; i < history->count; i++)
		link = link || (history->claims[i].change == CHANGE_WORSE &&
				       is_link(history->claims[i].metric));
	for (size_t i = 0; i < history->count; i++) {
		struct claim *claim = &history->claims[i];
		bool worse = claim->change == CHANGE_WORSE;

		claim->symptom = worse && link && !is_link(claim->metric) &&
				 claim->metric != DIGEST_NIC_PAUSE;
		history->worse += worse && !claim->symptom;
		history->symptoms += claim->symptom;
		history->better += !worse;
	}
}

static void judge(struct history *history, const struct series *series, size_t count)
{
	double alpha, noises[DIGEST_METRICS];

	for (size_t i = 0; i < count; i++) {
		history->tested += series[i].tested;
		history->steady += series[i].count >= HISTORY_LEAST && !series[i].tested;
	}
	history->figures = count;
	if (!history->tested)
		return;
	alpha = CHANGE_ALPHA / (double)history->tested;
	for (unsigned metric = 0; metric < DIGEST_METRICS; metric++)
		noises[metric] = noise_of_kind(series, count, (enum digest_metric)metric);
	for (size_t i = 0; i < count; i++) {
		double noise = noises[series[i].points->figure->metric];

		if (series[i].tested && !judge_drift(history, &series[i], alpha, noise))
			judge_step(history, &series[i], alpha, noise);
	}
	mark_symptoms(history);
	if (history->count)
		qsort(history->claims, history->count, sizeof(*history->claims), by_weight);
}

void history_make(
	struct history *history, const struct history_run *runs, size_t count, size_t baseline)
{
	struct series *series;
	struct point *points;
	size_t point_count, series_count;

	*history = (struct history){ .runs = runs, .run_count = count, .baseline = baseline };
	points = gather(runs, count, &point_count);
	series_count = cut(points, point_count, &series);
	judge(history, series, series_count);
	free_series(series, series_count);
	free(points);
	if (count > 1)
		turns_make(&history->turns, &runs[count - 2].digest->findings,
			&runs[count - 1].digest->findings);
}

void history_free(struct history *history)
{
	free(history->claims);
	turns_free(&history->turns);
	history->claims = NULL;
	history->count = history->room = 0;
}

int history_status(const struct history *history)
{
	if (history->worse || history->turns.each[TURN_NEW])
		return 1;
	return history->tested + history->steady ? 0 : 2;
}
