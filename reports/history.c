/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "reports/history_series.h"
#include "reports/robust.h"

/* Fewer events in all than this are no trend of a count. */
#define EVENTS_LEAST 20u

/* --- claims --- */

static struct claim *add_claim(struct history *history, const struct figure_series *series,
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

static bool enough_events(const struct figure_series *series)
{
	uint64_t events = 0;

	if (digest_info(series->points->figure->metric)->kind != DIGEST_COUNTS)
		return true;
	for (size_t i = 0; i < series->count; i++)
		events += series->points[i].figure->events;
	return events >= EVENTS_LEAST;
}

/* The noise of one value, in the unit of the values. */
static double noise_at(const struct figure_series *series, double level, double peer_noise)
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
static double slope_surprise(const struct figure_series *series, double slope, double noise)
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

static bool judge_drift(struct history *history, const struct figure_series *series,
	double alpha, double peer_noise)
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
	const struct history *history, const struct figure_series *series, size_t *index)
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
static double count_surprise(
	const struct figure_series *series, size_t i, size_t first, size_t end)
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
static double value_surprise(const struct figure_series *series, size_t i, double reference,
	size_t values, double peer_noise)
{
	double noise = noise_at(series, reference, peer_noise);
	double change = fabs(series->values[i] - reference);

	noise *= sqrt(1 + (values > 1 ? acos(-1.0) / 2 / (double)values : 1.0));
	if (noise <= 0)
		return change > 0 ? 0 : 1;
	return erfc(change / noise / sqrt(2.0));
}

static void judge_step(struct history *history, const struct figure_series *series,
	double alpha, double peer_noise)
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
	const struct figure_series *series, size_t count, enum digest_metric metric)
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

static void judge(struct history *history, const struct figure_series *series, size_t count)
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

static void make_turns(struct history *history)
{
	const struct digest **digests = zeroed(history->run_count, sizeof(*digests));

	for (size_t i = 0; i < history->run_count; i++) {
		digests[i] = history->runs[i].digest;
		history->whole += digest_is_whole(digests[i]);
	}
	turns_make(&history->turns, digests, history->run_count);
	free(digests);
}

void history_make(
	struct history *history, const struct history_run *runs, size_t count, size_t baseline)
{
	struct figure_series *series;
	size_t series_count = figure_series_make(&series, runs, count);

	*history = (struct history){
		.runs = runs,
		.run_count = count,
		.baseline = baseline,
		.behind = baseline == HISTORY_NONE ? 0 : count - 1 - baseline,
		.age = HISTORY_AGE,
	};
	judge(history, series, series_count);
	figure_series_free(series, series_count);
	make_turns(history);
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
	if (history->turns.each[TURN_UNSEEN] ||
		!digest_is_whole(history->runs[history->run_count - 1].digest))
		return 2;
	return history->tested + history->steady ? 0 : 2;
}
