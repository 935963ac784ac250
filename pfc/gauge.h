/*
 * gauge - the counters of one NIC, and what they grew by in three windows: the block
 * that is open now, the interval that a line or a screen covers, and the whole watch.
 *
 * Whoever samples fills value, there and the two time stamps of each source, and calls
 * gauge_take(); a counter that was not there has grown by nothing known, which is not 0.
 * A counter that went down was reset, or wrapped where its hardware has 32 bits: what it
 * grew by in that window is not known, and no number is made of it.
 *
 * Drivers count one thing under several names. Of those the largest stands for it, so
 * that nothing is counted twice; what is said is then "at least".
 *
 * Arithmetic only. Times are ns of CLOCK_MONOTONIC, or of the run a recording is of.
 */
#ifndef PFC_GAUGE_H
#define PFC_GAUGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pfc/counter_table.h"

#define GAUGE_NAME 40
#define GAUGE_PRIORITIES 8
#define GAUGE_NO_PRIORITY (-1)

enum gauge_window { GAUGE_BLOCK, GAUGE_INTERVAL, GAUGE_ALL, GAUGE_WINDOWS };

enum gauge_source {   /* each is read at its own time */
	GAUGE_DRIVER, /* ethtool -S */
	GAUGE_PORT,   /* hw_counters and counters of the RDMA port */
	GAUGE_NETDEV, /* files of the interface */
	GAUGE_LINE,   /* FEC and 802.3x by netlink: once an interval */
	GAUGE_SOURCES
};

enum gauge_state {
	GAUGE_UNSEEN, /* fewer than two readings in the window */
	GAUGE_COUNTED,
	GAUGE_WRAPPED, /* went down, and its hardware counts to 2^32 */
	GAUGE_RESET,   /* went down */
};

struct gauge_counter {
	char name[GAUGE_NAME];
	const struct counter_row *row; /* borrowed; NULL: watched by name alone */
	int priority;                  /* GAUGE_NO_PRIORITY */
	enum gauge_source source;
	bool there; /* filled by who samples */
	uint64_t value;
	bool based;    /* last holds a reading */
	uint64_t last; /* before gauge_take() the reading before */
	uint64_t grown[GAUGE_WINDOWS];
	enum gauge_state state[GAUGE_WINDOWS];
	bool counted;     /* ever, in any window */
	uint64_t largest; /* step of one reading in the interval */
	size_t next;      /* of the same meaning and priority; SIZE_MAX: none */
};

struct gauge_reading {
	bool asked; /* this time; otherwise all of it stays as it is */
	bool there;
	uint64_t before_ns, after_ns;
	bool based;
	uint64_t last_ns;                /* middle of the reading before */
	uint64_t span_ns[GAUGE_WINDOWS]; /* between the first and the last middle */
};

struct gauge {
	struct gauge_counter *counters; /* owned */
	size_t count, room;
	struct gauge_reading sources[GAUGE_SOURCES];
	size_t first[MEANINGS][GAUGE_PRIORITIES + 1]; /* priority + 1; SIZE_MAX: none */
};

#define GAUGE_INIT                                                                             \
	{                                                                                      \
		NULL, 0, 0, { { 0 } },                                                         \
		{                                                                              \
			{                                                                      \
				0                                                              \
			}                                                                      \
		}                                                                              \
	}

/* What one reading adds to the one before. *grown only for GAUGE_COUNTED. bits: 32 or 64. */
enum gauge_state gauge_step(uint64_t from, uint64_t to, unsigned bits, uint64_t *grown);

/* Adds a counter that is not there yet; gauge_index() after the last one. */
struct gauge_counter *gauge_add(struct gauge *gauge, const char *name, enum gauge_source source,
	const struct counter_row *row, int priority);
void gauge_index(struct gauge *gauge);

/* Carries over what is known of the counters that both have, when the set has changed. */
void gauge_keep(struct gauge *gauge, const struct gauge *before);

/* Takes in what was sampled. Each counter that went down is told to fell, which may be
 * NULL. */
typedef void gauge_fell(void *context, const struct gauge_counter *counter);
void gauge_take(struct gauge *gauge, gauge_fell *fell, void *context);

/* Adds a window that has ended to the next larger one, and empties it. */
void gauge_close(struct gauge *gauge, enum gauge_window window);

/* Forgets the last readings: the next ones begin anew, and no window knows of the gap. */
void gauge_rebase(struct gauge *gauge);

/* The largest of what the counters of a meaning grew by, with the time that it took, and
 * which it was. False when none is known in that window. Times come in us as drivers
 * count them, bytes in bytes; a time in no stated unit is not known. */
struct gauge_growth {
	uint64_t grown;
	uint64_t span_ns; /* > 0 */
	const struct gauge_counter *counter;
};
bool gauge_get(const struct gauge *gauge, enum gauge_window window, enum meaning means,
	int priority, struct gauge_growth *growth);

/* The same since the beginning, the open interval included. False when one went down. */
bool gauge_total(const struct gauge *gauge, enum meaning means, int priority, uint64_t *total);
bool gauge_counter_total(const struct gauge_counter *counter, uint64_t *total);

/* Whether a counter of the meaning has been counted at all, since the beginning. */
bool gauge_counted(const struct gauge *gauge, enum meaning means, int priority);

/* Whether a counter of the meaning is there, now. */
bool gauge_has(const struct gauge *gauge, enum meaning means, int priority);

/* Parts per billion of the time that the growth, in us, fills: at most PPB. */
uint64_t gauge_share_ppb(const struct gauge_growth *growth);

void gauge_free(struct gauge *gauge); /* safe on GAUGE_INIT, safe twice */

#endif
