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
	wheel->events = zeroed(events, sizeof(*wheel->events));
	wheel->tails = zeroed(slots, sizeof(*wheel->tails));
	memset(wheel->events, 0xff, events * sizeof(*wheel->events));
	memset(wheel->tails, 0xff, slots * sizeof(*wheel->tails));
	wheel->words = slots / 64;
	wheel->bits = zeroed(wheel->words, sizeof(*wheel->bits));
	wheel->summary = zeroed((wheel->words + 63) / 64, sizeof(*wheel->summary));
	wheel->mask = slots - 1;
	wheel->shift = shift;
	wheel->open_head = WHEEL_NONE;
	wheel->far_slot = UINT64_MAX;
}

void wheel_free(struct wheel *wheel)
{
	free(wheel->events);
	free(wheel->tails);
	free(wheel->bits);
	free(wheel->summary);
	free(wheel->far);
	memset(wheel, 0, sizeof(*wheel));
}

static bool far_before(const struct wheel_far *a, const struct wheel_far *b)
{
	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void note_far(struct wheel *wheel)
{
	wheel->far_slot = wheel->far_count ? wheel->far[0].when >> wheel->shift : UINT64_MAX;
}

static void push_far(struct wheel *wheel, uint32_t id)
{
	struct wheel_far item = { wheel->events[id].when, wheel->far_order++, id };
	size_t at;

	wheel->far = grow(wheel->far, wheel->far_count, &wheel->far_room, sizeof(item));
	for (at = wheel->far_count++; at > 0; at = (at - 1) / 2) {
		if (!far_before(&item, &wheel->far[(at - 1) / 2]))
			break;
		wheel->far[at] = wheel->far[(at - 1) / 2];
	}
	wheel->far[at] = item;
	note_far(wheel);
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
	note_far(wheel);
	return id;
}

/* Behind all that are not later, between one before the chain and its last. */
static void insert_after(struct wheel *wheel, uint32_t before, uint32_t id)
{
	uint64_t when = wheel->events[id].when;
	uint32_t next = wheel->events[before].next;

	while (next != WHEEL_NONE && wheel->events[next].when <= when) {
		before = next;
		next = wheel->events[before].next;
	}
	wheel->events[id].next = next;
	wheel->events[before].next = id;
}

void wheel_insert(struct wheel *wheel, uint32_t tail, uint32_t id)
{
	insert_after(wheel, tail, id);
}

static void push_open(struct wheel *wheel, uint32_t id)
{
	struct wheel_event *event = &wheel->events[id];
	uint32_t head = wheel->open_head;

	if (head == WHEEL_NONE || event->when < wheel->events[head].when) {
		wheel->open_head = id;
		event->next = head;
		if (head == WHEEL_NONE)
			wheel->open_tail = id;
	} else if (event->when >= wheel->events[wheel->open_tail].when) {
		event->next = WHEEL_NONE;
		wheel->events[wheel->open_tail].next = id;
		wheel->open_tail = id;
	} else {
		insert_after(wheel, head, id);
	}
}

void wheel_aside(struct wheel *wheel, uint32_t id)
{
	if (wheel->events[id].when >> wheel->shift == wheel->slot)
		push_open(wheel, id);
	else
		push_far(wheel, id);
}

/* The first non-empty place after here, going round once. */
static uint32_t find_place(const struct wheel *wheel, uint32_t here)
{
	uint32_t word = here >> 6, groups = (wheel->words + 63) / 64, group = word >> 6;
	uint64_t some = wheel->bits[word] & ~UINT64_C(1) << (here & 63);

	if (some)
		return (word << 6) + (uint32_t)__builtin_ctzll(some);
	some = wheel->summary[group] & ~UINT64_C(1) << (word & 63);
	for (uint32_t i = 0; !some && i < groups; i++) {
		group = group + 1 < groups ? group + 1 : 0;
		some = wheel->summary[group];
	}
	if (!some)
		return WHEEL_NONE;
	word = (group << 6) + (uint32_t)__builtin_ctzll(some);
	return (word << 6) + (uint32_t)__builtin_ctzll(wheel->bits[word]);
}

/* What was near, among what was far and is in the open slot already. */
static void merge_near(struct wheel *wheel, uint32_t place)
{
	uint32_t tail = wheel->open_tail, id = wheel_open(wheel, place), next;

	wheel->open_tail = tail;
	for (; id != WHEEL_NONE; id = next) {
		next = wheel->events[id].next;
		push_open(wheel, id);
	}
}

/* The first event of the next slot that holds one: what was far away before what was
 * near. WHEEL_NONE when nothing is pending. */
uint32_t wheel_advance(struct wheel *wheel)
{
	uint32_t here = (uint32_t)wheel->slot & wheel->mask;
	uint32_t place = find_place(wheel, here);
	uint64_t near = UINT64_MAX;

	if (place != WHEEL_NONE)
		near = wheel->slot + ((place - here) & wheel->mask);
	if (near < wheel->far_slot) {
		wheel->slot = near;
		return wheel_open(wheel, place);
	}
	if (wheel->far_count == 0)
		return WHEEL_NONE;
	wheel->slot = wheel->far_slot;
	while (wheel->far_slot == wheel->slot)
		push_open(wheel, pop_far(wheel));
	if (near == wheel->slot)
		merge_near(wheel, place);
	return wheel->open_head;
}
