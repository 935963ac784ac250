/*
 * sim_wheel - the one ordered queue of events of a simulation.
 *
 * An event is a number below a bound given at the start; each is pending at most
 * once. Events come out by time, those of the same time in the order in which they
 * were scheduled, but those that were far away when they were first: the order
 * depends on nothing else, which is what makes a run repeatable.
 *
 * Time is cut into slots of 2^shift ps: a calendar of sorted chains through arrays for
 * what is near, a binary heap for what is far. Quick when a slot holds one event or
 * none. No allocation once the heap has grown. The caller never schedules before the
 * last event that came out.
 */
#ifndef FABRIC_SIM_WHEEL_H
#define FABRIC_SIM_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHEEL_NEVER UINT64_MAX
#define WHEEL_NONE UINT32_MAX

struct wheel_event {
	uint64_t when; /* ps, or WHEEL_NEVER when it is not pending */
	uint32_t next; /* in the slot; the last one's is the first */
};

struct wheel_far {
	uint64_t when;
	uint64_t order; /* of scheduling */
	uint32_t id;
};

struct wheel {
	struct wheel_event *events; /* by id */
	uint32_t *tails;            /* by slot & mask: the latest scheduled */
	uint64_t *bits, *summary;   /* non-empty slots; non-zero words of bits */
	uint32_t mask, words;
	unsigned shift;
	uint32_t open_head, open_tail; /* chain of the open slot, in order, not a ring */
	uint64_t slot;                 /* the open one: time >> shift */
	uint64_t far_slot;             /* of the first of far; UINT64_MAX: none */
	struct wheel_far *far;
	size_t far_count, far_room;
	uint64_t far_order;
};

/* events: ids are below it. shift: 2^shift ps a slot. slots_log2: 12..20. */
void wheel_init(struct wheel *wheel, uint32_t events, unsigned shift, unsigned slots_log2);
void wheel_free(struct wheel *wheel);

/* Used by wheel_at() and wheel_pop(); not for others. */
void wheel_aside(struct wheel *wheel, uint32_t id); /* into the open slot, or far away */
void wheel_insert(struct wheel *wheel, uint32_t tail, uint32_t id); /* before its tail */
uint32_t wheel_advance(struct wheel *wheel); /* opens the next slot with an event */

static inline bool wheel_pending(const struct wheel *wheel, uint32_t id)
{
	return wheel->events[id].when != WHEEL_NEVER;
}

/* Schedules an event that is not pending. */
static inline void wheel_at(struct wheel *wheel, uint32_t id, uint64_t when)
{
	uint64_t slot = when >> wheel->shift;
	uint32_t place = (uint32_t)slot & wheel->mask, tail;
	struct wheel_event *event = &wheel->events[id];

	event->when = when;
	if (__builtin_expect(slot - wheel->slot - 1 >= wheel->mask, 0)) {
		wheel_aside(wheel, id);
		return;
	}
	tail = wheel->tails[place];
	if (tail == WHEEL_NONE) {
		wheel->tails[place] = event->next = id;
		if (wheel->bits[place >> 6] == 0)
			wheel->summary[place >> 12] |= UINT64_C(1) << (place >> 6 & 63);
		wheel->bits[place >> 6] |= UINT64_C(1) << (place & 63);
	} else if (when >= wheel->events[tail].when) {
		wheel->tails[place] = id;
		event->next = wheel->events[tail].next;
		wheel->events[tail].next = id;
	} else {
		wheel_insert(wheel, tail, id);
	}
}

/* Empties a place, whose slot becomes the open one, and gives its first event. */
static inline uint32_t wheel_open(struct wheel *wheel, uint32_t place)
{
	uint32_t tail = wheel->tails[place], word = place >> 6;
	uint32_t first = wheel->events[tail].next;

	wheel->tails[place] = WHEEL_NONE;
	wheel->bits[word] &= ~(UINT64_C(1) << (place & 63));
	if (wheel->bits[word] == 0)
		wheel->summary[word >> 6] &= ~(UINT64_C(1) << (word & 63));
	wheel->events[tail].next = WHEEL_NONE;
	wheel->open_tail = tail;
	return first;
}

/* The first place from one on that is not empty, among those that one word of the summary
 * speaks of; WHEEL_NONE: not there. */
static inline uint32_t wheel_next(const struct wheel *wheel, uint32_t from)
{
	uint32_t word = from >> 6;
	uint64_t some = wheel->bits[word] >> (from & 63);

	if (some)
		return from + (uint32_t)__builtin_ctzll(some);
	some = wheel->summary[word >> 6] & ~UINT64_C(1) << (word & 63);
	if (!some)
		return WHEEL_NONE;
	word = (word & ~63u) + (uint32_t)__builtin_ctzll(some);
	return (word << 6) + (uint32_t)__builtin_ctzll(wheel->bits[word]);
}

/* The next event, no longer pending, and its time; WHEEL_NONE and WHEEL_NEVER when there
 * is none. */
static inline uint32_t wheel_pop(struct wheel *wheel, uint64_t *when)
{
	uint32_t id = wheel->open_head;
	struct wheel_event *event;

	if (id == WHEEL_NONE) {
		uint32_t from = (uint32_t)(wheel->slot + 1) & wheel->mask;
		uint32_t place = wheel_next(wheel, from);
		uint64_t slot = wheel->slot + 1 + (place - from);

		if (place != WHEEL_NONE && slot < wheel->far_slot) {
			wheel->slot = slot;
			id = wheel_open(wheel, place);
		} else {
			id = wheel_advance(wheel);
		}
		if (id == WHEEL_NONE) {
			*when = WHEEL_NEVER;
			return id;
		}
	}
	event = &wheel->events[id];
	wheel->open_head = event->next;
	*when = event->when;
	event->when = WHEEL_NEVER;
	return id;
}

#endif
