/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/turns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "reports/culprit.h"
#include "reports/looked.h"

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

/* Failures that no run has shown to be gone. */
struct open_failure {
	const struct finding *finding;
	const struct digest *digest; /* the last that had it */
};

struct open_failures {
	struct open_failure *items; /* owned */
	size_t count, room;
};

static void keep_open(
	struct open_failures *open, const struct finding *finding, const struct digest *digest)
{
	open->items = grow(open->items, open->count, &open->room, sizeof(*open->items));
	open->items[open->count++] = (struct open_failure){ finding, digest };
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

/* The next failure of a check that was not located is the same one, and says where. */
static bool is_again(const struct finding *before, const struct finding *now)
{
	return is_same(before, now) || (before->culprit_kind == CULPRIT_UNLOCATED &&
					       strcmp(before->check, now->check) == 0);
}

static bool is_open(const struct open_failures *open, const struct finding *finding)
{
	for (size_t i = 0; i < open->count; i++)
		if (is_again(open->items[i].finding, finding))
			return true;
	return false;
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

static void add(
	struct turns *turns, enum turn turn, const struct finding *finding, const char *why)
{
	turns->items = grow(turns->items, turns->count, &turns->room, sizeof(*turns->items));
	turns->items[turns->count++] = (struct turned){ turn, finding, why };
	turns->each[turn]++;
}

/* Whether what a run tells of holds this failure: itself, or a cause at its culprit. */
static bool is_covered(const struct findings *findings, const struct finding *failure)
{
	for (size_t i = 0; i < findings->count; i++)
		if (is_told(findings, &findings->items[i]) &&
			(&findings->items[i] == failure ||
				culprit_same(&findings->items[i], failure)))
			return true;
	return false;
}

/* What a run says of a failure that was not located; NULL: nothing. */
static const struct finding *located(
	const struct findings *findings, const struct finding *before)
{
	const struct finding *found = NULL;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *at = &findings->items[i];

		if (at->verdict != VERDICT_FAIL || !is_again(before, at))
			continue;
		if (is_covered(findings, at))
			return at;
		found = found ? found : at;
	}
	return found;
}

/* What was open before this run, and is not among the failures that it tells of. */
static void settle(struct turns *turns, struct open_failures *next,
	const struct open_failure *before, const struct digest *run)
{
	const struct finding *again = failure_like(&run->findings, before->finding);
	const struct finding *more = located(&run->findings, before->finding);
	const char *why;

	if (again && is_told(&run->findings, again))
		return;
	if (again) {
		keep_open(next, before->finding, run);
		return;
	}
	if (more) {
		if (!is_covered(&run->findings, more) && !is_open(next, more))
			keep_open(next, more, run);
		return;
	}
	why = looked_not(before->digest, before->finding, run);
	add(turns, why ? TURN_UNSEEN : TURN_FIXED, before->finding, why);
	if (why)
		keep_open(next, before->finding, before->digest);
}

/* One run more: turns are then those of this run, and *open what it leaves open. */
static void take_run(struct turns *turns, struct open_failures *open, const struct digest *run)
{
	struct open_failures next = { NULL, 0, 0 };

	turns_free(turns);
	for (size_t i = 0; i < run->findings.count; i++) {
		const struct finding *finding = &run->findings.items[i];

		if (!is_told(&run->findings, finding))
			continue;
		add(turns, is_open(open, finding) ? TURN_PERSISTING : TURN_NEW, finding, NULL);
		keep_open(&next, finding, run);
	}
	for (size_t i = 0; i < open->count; i++)
		settle(turns, &next, &open->items[i], run);
	free(open->items);
	*open = next;
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

void turns_make(struct turns *turns, const struct digest *const *runs, size_t count)
{
	struct open_failures open = { NULL, 0, 0 };

	assert(count > 0);
	*turns = (struct turns)TURNS_INIT;
	for (size_t i = 0; i < count; i++)
		take_run(turns, &open, runs[i]);
	free(open.items);
	if (turns->count)
		qsort(turns->items, turns->count, sizeof(*turns->items), by_turn);
}

void turns_free(struct turns *turns)
{
	free(turns->items);
	*turns = (struct turns)TURNS_INIT;
}
