/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "reports/robust.h"

static int check_same(
	const struct digest *before, const struct digest *after, struct diag *diag)
{
	if (strcmp(before->fabric, after->fabric) != 0)
		return diag_error(diag, -EINVAL,
			"the runs are of two fabrics, %s and %s: expected two runs of one",
			before->fabric, after->fabric);
	if (strcmp(before->plane, after->plane) != 0)
		return diag_error(diag, -EINVAL,
			"the runs are of two planes of %s, \"%s\" and \"%s\": expected two "
			"runs "
			"of one",
			before->fabric, before->plane, after->plane);
	if (strcmp(before->backend, after->backend) != 0)
		return diag_error(diag, -EINVAL,
			"one run was made by %s and one by %s: expected two by the same, for "
			"their figures mean different things",
			before->backend, after->backend);
	return 0;
}

static void add_row(struct comparison *comparison, const struct digest_figure *before,
	const struct digest_figure *after)
{
	if (!digest_comparable(comparison->before, before, comparison->after, after)) {
		comparison->apart++;
		comparison->metrics[before->metric].apart++;
		return;
	}
	comparison->rows[comparison->count++] = (struct compared){
		.before = before,
		.after = after,
		.p = 1,
	};
}

/* Pairs up what both have; both are sorted. */
static void join(struct comparison *comparison)
{
	const struct digest *before = comparison->before, *after = comparison->after;
	size_t a = 0, b = 0, both;

	comparison->rows = zeroed(before->figure_count, sizeof(*comparison->rows));
	while (a < before->figure_count && b < after->figure_count) {
		int order = digest_order(&before->figures[a], &after->figures[b]);

		if (order == 0)
			add_row(comparison, &before->figures[a], &after->figures[b]);
		a += order <= 0;
		b += order >= 0;
	}
	both = comparison->count + comparison->apart;
	comparison->only_before = before->figure_count - both;
	comparison->only_after = after->figure_count - both;
}

static double row_change(const struct compared *row)
{
	return change_of(row->before->metric, row->before->value, row->after->value);
}

/* Rows first..end-1 are of one metric. */
static void measure_noise(struct comparison *comparison, size_t first, size_t end)
{
	struct compare_metric *metric =
		&comparison->metrics[comparison->rows[first].before->metric];
	double *changes = zeroed(end - first, sizeof(*changes));

	for (size_t i = first; i < end; i++)
		changes[i - first] = row_change(&comparison->rows[i]);
	metric->count = end - first;
	metric->median = robust_median(changes, end - first);
	metric->sigma = end - first >= COMPARE_PEERS ? robust_sigma(changes, end - first) : -1;
	free(changes);
}

static void judge_counts(struct compared *row, double alpha)
{
	row->p = robust_counts(
		row->before->events, row->before->of, row->after->events, row->after->of);
	if (row->p < alpha &&
		change_matters(row->before->metric, row->before->value, row->after->value))
		row->change = change_direction(
			row->before->metric, row->before->value, row->after->value);
}

static void judge_value(struct compared *row, const struct compare_metric *metric, double z)
{
	bool is_rate = digest_info(row->before->metric)->kind == DIGEST_RATE;

	row->limit = is_rate ? CHANGE_LEAST_RATE : CHANGE_LEAST_SHARE;
	row->limit = fmax(row->limit, metric->sigma < 0 ? COMPARE_LEAST : z * metric->sigma);
	if (fabs(row_change(row)) > row->limit)
		row->change = change_direction(
			row->before->metric, row->before->value, row->after->value);
}

static void judge(struct comparison *comparison)
{
	double alpha = CHANGE_ALPHA / (double)comparison->count, z = robust_z(alpha);

	for (size_t i = 0; i < comparison->count; i++) {
		struct compared *row = &comparison->rows[i];
		struct compare_metric *metric = &comparison->metrics[row->before->metric];

		if (digest_info(row->before->metric)->kind == DIGEST_COUNTS)
			judge_counts(row, alpha);
		else
			judge_value(row, metric, z);
		metric->worse += row->change == CHANGE_WORSE;
		metric->better += row->change == CHANGE_BETTER;
		comparison->worse += row->change == CHANGE_WORSE;
		comparison->better += row->change == CHANGE_BETTER;
	}
}

int compare_make(struct comparison *comparison, const struct digest *before,
	const struct digest *after, struct diag *diag)
{
	const struct digest *const runs[] = { before, after };
	int err = check_same(before, after, diag);
	size_t end;

	*comparison = (struct comparison){ .before = before, .after = after };
	if (err)
		return err;
	join(comparison);
	for (size_t first = 0; first < comparison->count; first = end) {
		end = first + 1;
		while (end < comparison->count &&
			comparison->rows[end].before->metric ==
				comparison->rows[first].before->metric)
			end++;
		measure_noise(comparison, first, end);
	}
	if (comparison->count)
		judge(comparison);
	turns_make(&comparison->turns, runs, COUNT_OF(runs));
	return 0;
}

int compare_status(const struct comparison *comparison)
{
	const struct turns *turns = &comparison->turns;

	if (comparison->worse || turns->each[TURN_NEW])
		return 1;
	if (!comparison->count || comparison->apart || comparison->only_before ||
		turns->each[TURN_UNSEEN] || !comparison->after->ended ||
		comparison->after->interrupted)
		return 2;
	return 0;
}

void compare_why_apart(char *text, size_t size, const struct comparison *comparison)
{
	const struct digest *before = comparison->before, *after = comparison->after;

	if (strcmp(before->profile, after->profile) != 0)
		snprintf(text, size, "the runs are of two profiles, %s and %s", before->profile,
			after->profile);
	else if (before->seed != after->seed)
		snprintf(text, size, "they were drawn by two seeds, %" PRIu64 " and %" PRIu64,
			before->seed, after->seed);
	else
		snprintf(text, size,
			"other stages or hosts took part, so other NICs sent to each other");
}

void compare_free(struct comparison *comparison)
{
	free(comparison->rows);
	turns_free(&comparison->turns);
	comparison->rows = NULL;
	comparison->count = 0;
}
