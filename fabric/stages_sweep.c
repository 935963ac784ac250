/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages_sweep.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/stages.h"
#include "lib/grow.h"

/* A stage, and what is known of the unit that it belongs to. */
struct item {
	size_t stage, unit; /* unit: its first stage */
	uint64_t last;      /* of the unit: that of the stage that waits longest */
	uint64_t bytes;     /* of the unit */
};

/* A ring sends 2V(N-1)/N from each of N ranks. The largest product is 2^41 bytes of
 * 65536 ranks a few dozen times; what is more than 64 bits hold counts as all there is. */
uint64_t plan_stage_bytes(const struct plan_stage *stage)
{
	uint64_t bytes = 0, ring;

	for (uint32_t i = 0; i < stage->flow_count; i++)
		bytes += stage->flows[i].bytes;
	if (!stage->ring.ranks)
		return bytes;
	if (__builtin_mul_overflow(
		    2 * (uint64_t)(stage->ring.ranks - 1), stage->ring.bytes, &ring) ||
		__builtin_mul_overflow(ring, stage->ring.iterations, &ring) ||
		__builtin_add_overflow(bytes, ring, &bytes))
		return UINT64_MAX;
	return bytes;
}

static bool is_incast(const struct plan_stage *stage)
{
	return stage->layer == LAYER_LOSSLESS &&
	       (stage->subject == LOSSLESS_ALONE || stage->subject == LOSSLESS_NOT_ECT ||
		       stage->subject == LOSSLESS_ECT);
}

static bool belong_together(const struct plan_stage *a, const struct plan_stage *b)
{
	return is_incast(a) && is_incast(b) && a->variant == b->variant &&
	       a->repeat == b->repeat;
}

static size_t unit_of(const struct plan *plan, size_t stage)
{
	for (size_t i = 0; i < stage; i++)
		if (belong_together(&plan->stages[i], &plan->stages[stage]))
			return i;
	return stage;
}

static int by_age(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a->stage > b->stage) - (a->stage < b->stage);
}

static struct item *order(const struct plan *plan, const uint64_t *last)
{
	struct item *items = zeroed(plan->count, sizeof(*items));

	for (size_t i = 0; i < plan->count; i++) {
		struct item *unit;

		items[i].stage = i;
		items[i].unit = unit_of(plan, i);
		unit = &items[items[i].unit];
		if (items[i].unit == i || last[i] < unit->last)
			unit->last = last[i];
		if (__builtin_add_overflow(
			    unit->bytes, plan_stage_bytes(&plan->stages[i]), &unit->bytes))
			unit->bytes = UINT64_MAX;
	}
	for (size_t i = 0; i < plan->count; i++) {
		items[i].last = items[items[i].unit].last;
		items[i].bytes = items[items[i].unit].bytes;
	}
	if (plan->count)
		qsort(items, plan->count, sizeof(*items), by_age);
	return items;
}

size_t plan_sweep(struct plan *plan, const uint64_t *last, uint64_t bytes_max)
{
	struct plan swept = PLAN_INIT, rest = PLAN_INIT;
	struct item *items = order(plan, last);
	uint64_t room = bytes_max ? bytes_max : UINT64_MAX;
	bool fits = false;
	size_t left_out;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_stage *stage = &plan->stages[items[i].stage];

		if (i == 0 || items[i].unit != items[i - 1].unit) {
			fits = items[i].bytes <= room;
			if (fits && bytes_max)
				room -= items[i].bytes;
		}
		*plan_add(fits ? &swept : &rest, stage->layer) = *stage;
	}
	free(items);
	free(plan->stages); /* what they own has moved on */
	left_out = rest.count;
	plan_free(&rest);
	swept.seed = plan->seed;
	snprintf(swept.profile, sizeof(swept.profile), "sweep");
	*plan = swept;
	return left_out;
}
