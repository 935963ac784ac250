/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/culprit.h"
#include "reports/number.h"

const char *change_name(enum change change)
{
	switch (change) {
	case CHANGE_NONE:
		return "same";
	case CHANGE_BETTER:
		return "better";
	case CHANGE_WORSE:
		break;
	}
	return "worse";
}

enum change change_direction(enum digest_metric metric, double before, double after)
{
	bool more_is_better = digest_info(metric)->kind == DIGEST_RATE;

	return (after > before) == more_is_better ? CHANGE_BETTER : CHANGE_WORSE;
}

double change_of(enum digest_metric metric, double before, double after)
{
	if (digest_info(metric)->kind != DIGEST_RATE)
		return after - before;
	return before > 0 ? after / before - 1 : (after > 0 ? 1 : 0);
}

bool change_matters(enum digest_metric metric, double before, double after)
{
	double change = fabs(change_of(metric, before, after));

	switch (digest_info(metric)->kind) {
	case DIGEST_COUNTS:
		return change > 0 && change >= CHANGE_LEAST_COUNTS * fmax(before, after);
	case DIGEST_RATE:
		return change >= CHANGE_LEAST_RATE;
	case DIGEST_SHARE:
		break;
	}
	return change >= CHANGE_LEAST_SHARE;
}

void change_value(char *text, size_t size, enum digest_metric metric, double value)
{
	switch (digest_info(metric)->kind) {
	case DIGEST_COUNTS:
		if (value > 0)
			number_probability(text, size, value);
		else
			snprintf(text, size, "0");
		return;
	case DIGEST_RATE:
		snprintf(text, size, "%.2f Gb/s", value / (double)GBPS);
		return;
	case DIGEST_SHARE:
		break;
	}
	snprintf(text, size, "%.2f %%", value * 100);
}

void change_amount(
	char *text, size_t size, enum digest_metric metric, double before, double after)
{
	if (digest_info(metric)->kind == DIGEST_RATE)
		snprintf(text, size, "%+.1f %%", change_of(metric, before, after) * 100);
	else if (before > 0)
		snprintf(text, size, "x %.3g", after / before);
	else
		snprintf(text, size, after > 0 ? "from 0" : "none");
}

/* --- findings --- */

const char *turn_name(enum turn turn)
{
	switch (turn) {
	case TURN_NEW:
		return "new";
	case TURN_PERSISTING:
		return "persisting";
	case TURN_UNSEEN:
		return "unseen";
	case TURN_FIXED:
		break;
	}
	return "fixed";
}

static bool is_same(const struct finding *a, const struct finding *b)
{
	if (strcmp(a->check, b->check) != 0)
		return false;
	if (culprit_same(a, b))
		return true;
	return a->culprit_kind == b->culprit_kind && strcmp(a->culprit, b->culprit) == 0;
}

/* The failure of the same check and culprit; NULL: none. */
static const struct finding *failure_like(
	const struct findings *findings, const struct finding *like)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].verdict == VERDICT_FAIL &&
			is_same(&findings->items[i], like))
			return &findings->items[i];
	return NULL;
}

/* What the later run says of a check that failed before, of another culprit or none: it
 * has looked, if it passed or blamed somebody else. */
static bool was_looked_at(const struct findings *findings, const struct finding *like)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].check, like->check) == 0 &&
			findings->items[i].verdict != VERDICT_UNKNOWN)
			return true;
	return false;
}

static void add(struct turns *turns, enum turn turn, const struct finding *finding)
{
	turns->items = grow(turns->items, turns->count, &turns->room, sizeof(*turns->items));
	turns->items[turns->count++] = (struct turned){ turn, finding };
	turns->each[turn]++;
}

/* A symptom is told of only where nothing tells its cause. */
static bool is_told(const struct findings *findings, const struct finding *finding)
{
	if (finding->verdict != VERDICT_FAIL)
		return false;
	if (finding->rank == RANK_CAUSE)
		return true;
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].verdict == VERDICT_FAIL &&
			findings->items[i].rank == RANK_CAUSE)
			return false;
	return true;
}

static int by_turn(const void *left, const void *right)
{
	const struct turned *a = left, *b = right;

	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (strcmp(a->finding->check, b->finding->check) != 0)
		return strcmp(a->finding->check, b->finding->check);
	return strcmp(a->finding->culprit, b->finding->culprit);
}

void turns_make(
	struct turns *turns, const struct findings *before, const struct findings *after)
{
	*turns = (struct turns)TURNS_INIT;
	for (size_t i = 0; i < after->count; i++) {
		const struct finding *finding = &after->items[i];

		if (is_told(after, finding))
			add(turns, failure_like(before, finding) ? TURN_PERSISTING : TURN_NEW,
				finding);
	}
	for (size_t i = 0; i < before->count; i++) {
		const struct finding *finding = &before->items[i];

		if (is_told(before, finding) && !failure_like(after, finding))
			add(turns, was_looked_at(after, finding) ? TURN_FIXED : TURN_UNSEEN,
				finding);
	}
	if (turns->count)
		qsort(turns->items, turns->count, sizeof(*turns->items), by_turn);
}

void turns_free(struct turns *turns)
{
	free(turns->items);
	*turns = (struct turns)TURNS_INIT;
}
