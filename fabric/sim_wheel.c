/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_wheel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

void wheel_init(struct wheel *wheel, uint32_t events, unsigned shift, unsigned slots_log2)
{
	uint32_t slots = UINT32_C(1) << slots_log2;

	assert(slots_log2 >= 12 && slots_log2 <= 20);
	memset(wheel, 0, sizeof(*wheel));
	wheel->when = zeroed(events, sizeof(*wheel->when));
	wheel->next = zeroed(events, sizeof(*wheel->next));
	wheel->heads = zeroed(slots, sizeof(*wheel->heads));
	memset(wheel->when, 0xff, events * sizeof(*wheel->when));
	memset(wheel->heads, 0xff, slots * sizeof(*wheel->heads));
	wheel->words = slots / 64;
	wheel->bits = zeroed(wheel->words, sizeof(*wheel->bits));
	wheel->summary = zeroed((wheel->words + 63) / 64, sizeof(*wheel->summary));
	wheel->mask = slots - 1;
	wheel->shift = shift;
	wheel->open_head = WHEEL_NONE;
}

void wheel_free(struct wheel *wheel)
{
	free(wheel->when);
	free(wheel->next);
	free(wheel->heads);
	free(wheel->bits);
	free(wheel->summary);
	free(wheel->far);
	memset(wheel, 0, sizeof(*wheel));
}

static bool far_before(const struct wheel_far *a, const struct wheel_far *b)
{
	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

void wheel_push_far(struct wheel *wheel, uint32_t id, uint64_t when)
{
	struct wheel_far item = { when, wheel->far_order++, id };
	size_t at;

	wheel->far = grow(wheel->far, wheel->far_count, &wheel->far_room, sizeof(item));
	for (at = wheel->far_count++; at > 0; at = (at - 1) / 2) {
		if (!far_before(&item, &wheel->far[(at - 1) / 2]))
			break;
		wheel->far[at] = wheel->far[(at - 1) / 2];
	}
	wheel->far[at] = item;
}

static uint32_t pop_far(struct wheel *wheel)
{
	uint32_t id = wheel->far[0].id;
	struct wheel_far item = wheel->far[--wheel->far_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < wheel->far_count) {
		if (child + 1 < wheel->far_count &&
			far_before(&wheel->far[child + 1], &wheel->far[child]))
			child++;
		if (!far_before(&wheel->far[child], &item))
			break;
		wheel->far[at] = wheel->far[child];
		at = child;
	}
	wheel->far[at] = item;
	return id;
}

/* The first non-empty place at or after from, going round once. */
static uint32_t find_place(const struct wheel *wheel, uint32_t from)
{
	uint32_t word = from >> 6, groups = (wheel->words + 63) / 64;
	uint64_t bits = wheel->bits[word] >> (from & 63);

	if (bits)
		return from + (uint32_t)__builtin_ctzll(bits);
	word++;
	for (uint32_t i = 0, group = word >> 6; i <= groups; i++, group++) {
		uint64_t some;

		if (group >= groups) {
			group = 0;
			word = 0;
		}
		some = wheel->summary[group];
		if (i == 0 && group == word >> 6)
			some &= ~UINT64_C(0) << (word & 63);
		if (some) {
			word = group * 64 + (uint32_t)__builtin_ctzll(some);
			return word * 64 + (uint32_t)__builtin_ctzll(wheel->bits[word]);
		}
	}
	return WHEEL_NONE;
}

/* Empties a place and opens its chain, first scheduled first. */
static void open_place(struct wheel *wheel, uint32_t place)
{
	uint32_t id = wheel->heads[place], later = WHEEL_NONE;

	wheel->heads[place] = WHEEL_NONE;
	wheel->bits[place >> 6] &= ~(UINT64_C(1) << (place & 63));
	if (wheel->bits[place >> 6] == 0)
		wheel->summary[place >> 12] &= ~(UINT64_C(1) << (place >> 6 & 63));
	if (wheel->open_head == WHEEL_NONE && wheel->next[id] == WHEEL_NONE) {
		wheel->open_head = wheel->open_tail = id;
		return;
	}
	while (id != WHEEL_NONE) {
		uint32_t earlier = wheel->next[id];

		wheel->next[id] = later;
		later = id;
		id = earlier;
	}
	while (later != WHEEL_NONE) {
		id = wheel->next[later];
		wheel_push_open(wheel, later);
		later = id;
	}
}

/* Opens the next slot that holds something; false when nothing is pending. */
bool wheel_advance(struct wheel *wheel)
{
	uint32_t here = (uint32_t)wheel->slot & wheel->mask;
	uint32_t place = find_place(wheel, (here + 1) & wheel->mask);
	uint64_t near = UINT64_MAX, far = UINT64_MAX;

	if (place != WHEEL_NONE)
		near = wheel->slot + ((place - here) & wheel->mask);
	if (wheel->far_count)
		far = wheel->far[0].when >> wheel->shift;
	if (near == UINT64_MAX && far == UINT64_MAX)
		return false;
	wheel->slot = near < far ? near : far;
	while (wheel->far_count && wheel->far[0].when >> wheel->shift == wheel->slot)
		wheel_push_open(wheel, pop_far(wheel));
	if (near == wheel->slot)
		open_place(wheel, place);
	return true;
}
