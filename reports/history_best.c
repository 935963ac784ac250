/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "lib/grow.h"
#include "reports/history.h"
#include "reports/robust.h"

static bool is_golden(const struct digest *digest)
{
	return digest_is_whole(digest) &&
	       (digest->verdict == VERDICT_PASS || digest->verdict == VERDICT_WARN);
}

static size_t most_figures(const struct history_run *runs, size_t count)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		if (is_golden(runs[i].digest) && runs[i].digest->figure_count > most)
			most = runs[i].digest->figure_count;
	return most;
}

/* How far a run's rates lie above those of another, in the middle. */
static double lead(const struct digest *digest, const struct digest *other)
{
	double *changes = zeroed(digest->figure_count, sizeof(*changes)), median = 0;
	size_t used = 0;

	for (size_t i = 0; i < digest->figure_count; i++) {
		const struct digest_figure *figure = &digest->figures[i], *theirs;

		if (digest_info(figure->metric)->kind != DIGEST_RATE)
			continue;
		theirs = digest_find(other, figure->metric, figure->subject);
		if (theirs && digest_comparable(digest, figure, other, theirs))
			changes[used++] =
				change_of(figure->metric, theirs->value, figure->value);
	}
	if (used)
		median = robust_median(changes, used);
	free(changes);
	return median;
}

/* A run that measured less than half of what others did is no standard for them. */
size_t history_best(const struct history_run *runs, size_t count)
{
	size_t best = HISTORY_NONE, most = most_figures(runs, count);

	for (size_t i = count; i-- > 0;) {
		const struct digest *digest = runs[i].digest;

		if (!is_golden(digest) || digest->figure_count * 2 < most)
			continue;
		if (best == HISTORY_NONE || lead(digest, runs[best].digest) > 0)
			best = i;
	}
	return best;
}
