/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/html_series.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/series.h"

#define NAMED_MAX 3u /* lines for NICs that findings blame */
#define GAP_PERIODS 1.5
#define QUEUES_MAX 2u /* lines for single ports */

/* A sample of one metric: small, as half a million of them are sorted. */
struct point {
	uint64_t t_ns, value;
	const char *place;
};

struct samples {
	const struct run_stage *stage;
	const struct point *rows; /* of one metric, by time, then value */
	size_t count;
	double scale; /* from value to what is drawn */
	double gap;   /* us; without a sample for longer than this nothing is drawn */
};

static int by_time(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static double us_into(const struct run_stage *stage, uint64_t t_ns)
{
	return t_ns > stage->t0_ns ? (double)(t_ns - stage->t0_ns) / NS_PER_US : 0;
}

static void add_point(
	struct series *line, const struct samples *samples, const struct point *row)
{
	series_add(
		line, us_into(samples->stage, row->t_ns), (double)row->value * samples->scale);
}

static void put_line(struct json *array, const char *name, struct series *line, size_t points)
{
	series_thin(line, points);
	series_put(array, name, line);
	series_free(line);
}

/* End of the rows that have the time of row from. */
static size_t same_time(const struct samples *samples, size_t from)
{
	size_t to = from;

	while (to < samples->count && samples->rows[to].t_ns == samples->rows[from].t_ns)
		to++;
	return to;
}

/* Where among the rows of one time: 0 the lowest, 1 the median, 2 the highest. */
static void put_rank(struct json *array, const char *name, const struct samples *samples,
	unsigned rank, size_t points)
{
	struct series line = { .gap = samples->gap };

	for (size_t from = 0, to; from < samples->count; from = to) {
		to = same_time(samples, from);
		add_point(&line, samples,
			&samples->rows[rank == 0   ? from
				       : rank == 1 ? from + (to - from) / 2
						   : to - 1]);
	}
	put_line(array, name, &line, points);
}

static void put_place(
	struct json *array, const char *place, const struct samples *samples, size_t points)
{
	struct series line = { .gap = samples->gap };

	for (size_t i = 0; i < samples->count; i++)
		if (strcmp(samples->rows[i].place, place) == 0)
			add_point(&line, samples, &samples->rows[i]);
	put_line(array, place, &line, points);
}

static bool is_blamed(const struct finding *finding)
{
	return finding->verdict == VERDICT_FAIL && finding->rank == RANK_CAUSE &&
	       (finding->culprit_kind == CULPRIT_NIC || finding->culprit_kind == CULPRIT_HOST);
}

static void put_blamed(struct json *array, const struct samples *samples,
	const struct findings *findings, size_t points)
{
	unsigned named = 0;

	for (size_t i = 0; i < findings->count && named < NAMED_MAX; i++) {
		if (!is_blamed(&findings->items[i]))
			continue;
		put_place(array, findings->items[i].culprit, samples, points);
		named++;
	}
}

/* The place of the highest value, but those in not. */
static const char *highest(
	const struct samples *samples, const char *const * not, unsigned not_count)
{
	const struct point *most = NULL;

	for (size_t i = 0; i < samples->count; i++) {
		bool skip = false;

		for (unsigned k = 0; k < not_count; k++)
			skip |= strcmp(samples->rows[i].place, not [k]) == 0;
		if (!skip && (!most || samples->rows[i].value > most->value))
			most = &samples->rows[i];
	}
	return most ? most->place : NULL;
}

static void put_queues(struct json *array, const struct samples *samples, size_t points)
{
	const char *done[QUEUES_MAX];

	put_rank(array, "highest of all ports", samples, 2, points);
	for (unsigned i = 0; i < QUEUES_MAX; i++) {
		done[i] = highest(samples, done, i);
		if (!done[i])
			return;
		put_place(array, done[i], samples, points);
	}
}

/* The samples' period: the shortest time between two of them; of a single one the time
 * since the stage began. */
static uint64_t period_ns(const struct samples *samples)
{
	uint64_t last_ns = samples->rows[0].t_ns, least_ns = UINT64_MAX;

	for (size_t i = 1; i < samples->count; i++) {
		uint64_t t_ns = samples->rows[i].t_ns;

		if (t_ns > last_ns && t_ns - last_ns < least_ns)
			least_ns = t_ns - last_ns;
		last_ns = t_ns;
	}
	if (least_ns == UINT64_MAX && last_ns > samples->stage->t0_ns)
		least_ns = last_ns - samples->stage->t0_ns;
	return least_ns;
}

static void put_goodput(struct json *object, const struct samples *samples, uint64_t step_ns,
	const struct findings *findings, size_t points)
{
	struct samples scaled = *samples;
	struct json *array = json_put_array(object, "goodput");

	scaled.scale = 8.0 / (double)step_ns; /* bytes to Gb/s */
	put_rank(array, "slowest NIC", &scaled, 0, points);
	put_rank(array, "median NIC", &scaled, 1, points);
	put_rank(array, "fastest NIC", &scaled, 2, points);
	put_blamed(array, &scaled, findings, points);
}

/* to has room for count. */
static void take_metric(struct samples *samples, const char *metric,
	const struct run_sample *rows, size_t count, struct point *to)
{
	samples->rows = to;
	samples->count = 0;
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].metric, metric) == 0)
			to[samples->count++] =
				(struct point){ rows[i].t_ns, rows[i].value, rows[i].place };
	if (samples->count)
		qsort(to, samples->count, sizeof(*to), by_time);
}

static void put_metrics(struct json *object, const struct run_stage *stage,
	const struct findings *findings, const struct run_sample *rows, size_t count,
	size_t points)
{
	struct point *taken = zeroed(count, sizeof(*taken));
	struct samples samples = { .stage = stage };
	uint64_t step_ns;

	take_metric(&samples, "goodput_bytes", rows, count, taken);
	if (samples.count) {
		step_ns = period_ns(&samples);
		samples.gap = GAP_PERIODS * (double)step_ns / NS_PER_US;
		put_goodput(object, &samples, step_ns, findings, points);
	}
	take_metric(&samples, "queue_bytes", rows, count, taken);
	if (samples.count) {
		samples.gap = GAP_PERIODS * (double)period_ns(&samples) / NS_PER_US;
		samples.scale = 1.0 / (double)KIB;
		put_queues(json_put_array(object, "queue"), &samples, points);
	}
	free(taken);
}

int html_put_samples(struct json *object, struct run *run, const struct run_stage *stage,
	const struct findings *findings, size_t points, struct diag *diag)
{
	struct run_sample *rows = NULL;
	size_t count = 0;
	int err;

	err = run_get_samples(run, stage->id, &rows, &count, diag);
	if (err)
		return err;
	put_metrics(object, stage, findings, rows, count, points);
	free(rows);
	return 0;
}
