/*
 * obey - is priority flow control at work on one direction of a link?
 *
 * The receiving port must send XOFF before it drops in the lossless priority, and
 * its peer must stop when told. Both leave traces in the counters of the two
 * ends: XOFF frames and the time of holding at the one that sends them, the same
 * received at the other, and drops. Arithmetic on the counters of one window.
 */
#ifndef PFC_OBEY_H
#define PFC_OBEY_H

#include <stdint.h>

struct obey_counters {
	uint64_t xoff_sent, hold_us;  /* of the receiving port */
	uint64_t xoff_heard, held_us; /* of its peer */
	uint64_t drop_buffer, drop_headroom;
};

enum obey {
	OBEY_UNPROVOKED,  /* nothing called for a pause */
	OBEY_WORKS,       /* XOFF was sent, heard and obeyed, nothing dropped */
	OBEY_NOT_SENT,    /* dropped in the lossless priority without any XOFF */
	OBEY_NOT_OBEYED,  /* the peer heard XOFF and was not held */
	OBEY_NOT_HEARD,   /* XOFF was sent and none arrived */
	OBEY_NO_HEADROOM, /* the peer obeyed, and headroom overflowed all the same */
};

/* Holding times below this are too short, in whole microseconds, to compare. */
#define OBEY_HOLD_US_LEAST 20u

enum obey obey_judge(const struct obey_counters *counters);

#endif
