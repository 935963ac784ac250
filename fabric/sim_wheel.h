/*
 * sim_wheel - the one ordered queue of events of a simulation.
 *
 * An event is a number below a bound given at the start; each is pending at most
 * once. Events come out by time, equal times by number: the order depends on
 * nothing else, which is what makes a run repeatable.
 *
 * A calendar of slots of 2^shift ps for what is near, each a chain through
 * arrays; a binary heap for what is far; and a small heap for the slot that is
 * being worked off. No allocation once the heaps have grown. The caller never
 * schedules before the last event that came out.
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
	uint32_t id;
};

struct wheel {
	uint64_t *when;           /* by id: ps, or WHEEL_NEVER when it is not pending */
	uint32_t *next;           /* by id: chain of a slot */
	uint32_t *heads;          /* by slot & mask */
	uint64_t *bits, *summary; /* non-empty slots; non-zero words of bits */
	uint32_t mask, words;
	unsigned shift;
	uint64_t slot;  /* the open one: time >> shift */
	uint64_t *open; /* heap of (ps into the slot) << 32 | id */
	size_t open_count, open_room;
	struct wheel_far *far;
	size_t far_count, far_room;
};

/* events: ids are below it. shift: 2^shift ps a slot, at most 31. slots_log2: 12..20. */
void wheel_init(struct wheel *wheel, uint32_t events, unsigned shift, unsigned slots_log2);
void wheel_free(struct wheel *wheel);

/* Used by wheel_at() and wheel_pop(); not for others. */
void wheel_push_far(struct wheel *wheel, uint32_t id, uint64_t when);
void wheel_push_open(struct wheel *wheel, uint32_t id, uint64_t when);
bool wheel_advance(struct wheel *wheel);
uint64_t wheel_pop_open(struct wheel *wheel);

static inline bool wheel_pending(const struct wheel *wheel, uint32_t id)
{
	return wheel->when[id] != WHEEL_NEVER;
}

/* Schedules an event that is not pending. */
static inline void wheel_at(struct wheel *wheel, uint32_t id, uint64_t when)
{
	uint64_t ahead = (when >> wheel->shift) - wheel->slot;
	uint32_t place = (uint32_t)(when >> wheel->shift) & wheel->mask;

	wheel->when[id] = when;
	if (ahead - 1 >= wheel->mask) { /* the open slot, or past the calendar */
		if (ahead == 0)
			wheel_push_open(wheel, id, when);
		else
			wheel_push_far(wheel, id, when);
		return;
	}
	wheel->next[id] = wheel->heads[place];
	wheel->heads[place] = id;
	wheel->bits[place >> 6] |= UINT64_C(1) << (place & 63);
	wheel->summary[place >> 12] |= UINT64_C(1) << (place >> 6 & 63);
}

/* The next event, no longer pending, and its time; WHEEL_NONE when there is none. */
static inline uint32_t wheel_pop(struct wheel *wheel, uint64_t *when)
{
	uint32_t id;

	while (wheel->open_count == 0)
		if (!wheel_advance(wheel))
			return WHEEL_NONE;
	id = (uint32_t)(wheel->open_count == 1 ? wheel->open[--wheel->open_count]
					       : wheel_pop_open(wheel));
	*when = wheel->when[id];
	wheel->when[id] = WHEEL_NEVER;
	return id;
}

#endif
