/*
 * alarm - what in the counters of a watched NIC is not as it should be, judged while it
 * happens.
 *
 * Blocks of at least ALARM_BLOCK_NS find what lasts fractions of a second: a pause without
 * a break, and a pause in both directions with nothing getting through. Intervals find
 * rates and shares. Limits are rows (alarm_limits), each with where it comes from; where no
 * source gives a figure, it says that it is weft's own.
 *
 * Pure: a gauge (pfc/gauge.h) in, alarms out. "Held" is what the other end of the cable did
 * to this NIC, "holds" what this NIC did to the other end.
 */
#ifndef PFC_ALARM_H
#define PFC_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/units.h"
#include "pfc/gauge.h"

#define ALARM_BLOCK_NS (50 * NS_PER_MS)

enum alarm_kind {
	ALARM_STORM,
	ALARM_DEADLOCK,
	ALARM_CNP,
	ALARM_DROP,
	ALARM_FLAP,
	ALARM_ERROR,
	ALARM_GONE, /* the NIC itself */
	ALARM_KINDS
};

/* What is judged, one row each: checks of the blocks first. */
enum alarm_check {
	CHECK_STORM_HELD,
	CHECK_STORM_HOLDS,
	CHECK_DEADLOCK,
	CHECK_STORM_WATCHDOG,
	CHECK_SHARE_HELD,
	CHECK_SHARE_HOLDS,
	CHECK_CNP_MISSING,
	CHECK_CNP_IGNORED,
	CHECK_CNP_UNHANDLED,
	CHECK_DROP_CLASS,
	CHECK_DROP_PORT,
	CHECK_DROP_TX,
	CHECK_LINK_DOWN,
	CHECK_CARRIER,
	CHECK_TIMEOUT,
	CHECK_OUT_OF_SEQUENCE,
	CHECK_SEQUENCE_NAK,
	CHECK_RETRY_EXCEEDED,
	CHECK_NOT_READY,
	CHECK_ICRC,
	CHECK_CRC,
	CHECK_SYMBOL,
	CHECK_FEC,
	CHECK_GONE,
	ALARM_CHECKS
};

struct alarm_limit {
	enum alarm_check check;
	enum alarm_kind kind;
	const char *id;     /* "pause.storm.held" */
	uint64_t limit;     /* more than this is an alarm, */
	bool at_least;      /* or this much already */
	const char *unit;   /* of measured and limit: "ms", "%", "/s" or what is counted */
	const char *source; /* where the limit comes from */
	const char *advice;
};

/* By check. */
extern const struct alarm_limit alarm_limits[ALARM_CHECKS];

struct alarm {
	const struct alarm_limit *limit; /* borrowed */
	int priority;                    /* GAUGE_NO_PRIORITY: of the port */
	double measured;                 /* in the limit's unit */
	char text[200];                  /* what was seen, with the counter and the window */
};

/* What is remembered of a NIC from block to block. All zero at first. */
struct alarm_state {
	uint64_t held_ns[GAUGE_PRIORITIES], holds_ns[GAUGE_PRIORITIES];
	uint64_t stuck_ns[GAUGE_PRIORITIES];
	uint64_t share_ns[2][GAUGE_PRIORITIES]; /* over the limit of shares, until now */
	uint64_t ce_alone;                      /* CE marks since the last CNP that was sent */
};

typedef void alarm_raise(void *context, const struct alarm *alarm);

/* When a block ends, before gauge_close(). lossless: bit N is priority N. */
void alarm_block(struct alarm_state *state, const struct gauge *gauge, uint8_t lossless,
	alarm_raise *raise, void *context);
/* When an interval ends, before gauge_close(). */
void alarm_interval(struct alarm_state *state, const struct gauge *gauge, uint8_t lossless,
	alarm_raise *raise, void *context);

/* When an interval ends and the NICs are all that talk to one another: CNPs that all of
 * them sent, against those that all of them handled. */
void alarm_between(
	const struct gauge *const *gauges, size_t count, alarm_raise *raise, void *context);

/* What could not be judged of a kind in the whole watch, for want of counters: a reason, or
 * NULL when all could be, or when there is nothing of it to judge (no PFC, no pause). */
const char *alarm_blind(
	enum alarm_kind kind, const struct gauge *gauge, bool lossless_known, uint8_t lossless);

const char *alarm_kind_name(enum alarm_kind kind); /* "storm", ... */

#endif
