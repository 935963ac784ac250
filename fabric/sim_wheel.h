/*
 * sim_wheel - the one ordered queue of events of a simulation.
 *
 * An event is a number below a bound given at the start; each is pending at most
 * once. Time is cut into slots of 2^shift ps. Events come out slot by slot and,
 * within a slot, in the order in which they were scheduled, those that were far
 * away at the time first: the order depends on nothing else, which is what makes
 * a run repeatable. The time that comes with an event never goes backwards; where
 * two events of a slot are taken out of order it is late by less than a slot.
 *
 * A calendar of chains through arrays for what is near, a binary heap for what is
 * far. No allocation once the heap has grown. The caller never schedules before
 * the last event that came out.
 */
#ifndef FABRIC_SIM_WHEEL_H
#define FABRIC_SIM_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHEEL_NEVER UINT64_MAX
#define WHEEL_NONE UINT32_MAX

struct wheel_far {
	uint64_t when;
	uint64_t order; /* of scheduling */
	uint32_t id;
};

struct wheel {
	uint64_t *when;           /* by id: ps, or WHEEL_NEVER when it is not pending */
	uint32_t *next;           /* by id: chain of a slot */
	uint32_t *heads;          /* by slot & mask: the latest scheduled first */
	uint64_t *bits, *summary; /* non-empty slots; non-zero words of bits */
	uint32_t mask, words;
	unsigned shift;
	uint64_t slot;                 /* the open one: time >> shift */
	uint64_t now;                  /* of the last event that came out */
	uint32_t open_head, open_tail; /* chain of the open slot, in order */
	struct wheel_far *far;
	size_t far_count, far_room;
	uint64_t far_order;
};

/* events: ids are below it. shift: 2^shift ps a slot. slots_log2: 12..20. */
void wheel_init(struct wheel *wheel, uint32_t events, unsigned shift, unsigned slots_log2);
void wheel_free(struct wheel *wheel);

/* Used by wheel_at() and wheel_pop(); not for others. */
void wheel_push_far(struct wheel *wheel, uint32_t id, uint64_t when);
bool wheel_advance(struct wheel *wheel);

static inline bool wheel_pending(const struct wheel *wheel, uint32_t id)
{
	return wheel->when[id] != WHEEL_NEVER;
}

static inline void wheel_push_open(struct wheel *wheel, uint32_t id)
{
	wheel->next[id] = WHEEL_NONE;
	if (wheel->open_head == WHEEL_NONE)
		wheel->open_head = id;
	else
		wheel->next[wheel->open_tail] = id;
	wheel->open_tail = id;
}

/* Schedules an event that is not pending. */
static inline void wheel_at(struct wheel *wheel, uint32_t id, uint64_t when)
{
	uint64_t slot = when >> wheel->shift;
	uint64_t ahead = slot - wheel->slot;
	uint32_t place = (uint32_t)slot & wheel->mask, head;

	wheel->when[id] = when;
	if (__builtin_expect(ahead - 1 >= wheel->mask, 0)) { /* the open slot, or too far */
		if (ahead == 0)
			wheel_push_open(wheel, id);
		else
			wheel_push_far(wheel, id, when);
		return;
	}
	head = wheel->heads[place];
	wheel->next[id] = head;
	wheel->heads[place] = id;
	if (head == WHEEL_NONE) {
		wheel->bits[place >> 6] |= UINT64_C(1) << (place & 63);
		wheel->summary[place >> 12] |= UINT64_C(1) << (place >> 6 & 63);
	}
}

/* The next event, no longer pending, and its time; WHEEL_NONE when there is none. */
static inline uint32_t wheel_pop(struct wheel *wheel, uint64_t *when)
{
	uint32_t id;

	if (wheel->open_head == WHEEL_NONE && !wheel_advance(wheel))
		return WHEEL_NONE;
	id = wheel->open_head;
	wheel->open_head = wheel->next[id];
	if (wheel->when[id] > wheel->now)
		wheel->now = wheel->when[id];
	*when = wheel->now;
	wheel->when[id] = WHEEL_NEVER;
	return id;
}

#endif
