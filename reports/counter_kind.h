/*
 * counter_kind - which of the counters of lib/counters.h a name is, as far as reports show
 * them. A run has hundreds of thousands of rows and a few dozen names, so a name is
 * compared with all of them once, and looked up from then on.
 */
#ifndef REPORTS_COUNTER_KIND_H
#define REPORTS_COUNTER_KIND_H

#include <stddef.h>

#include "lib/names.h"

enum counter_kind {
	COUNTER_OTHER,
	COUNTER_DROP, /* packets that a switch discarded, of whatever cause */
	COUNTER_XOFF_SENT,
	COUNTER_HELD_US,
	COUNTER_MARKED,
	COUNTER_QUEUE_PEAK, /* a level */
	COUNTER_TX_PACKETS,
	COUNTER_RX_PACKETS,
	COUNTER_TX_BYTES,
	COUNTER_CRC_ERRORS,
	COUNTER_CARRIER_CHANGES,
	COUNTER_FIRST_PAUSE_NS, /* a time on the run's clock, as those that follow */
	COUNTER_FIRST_MARK_NS,
	COUNTER_FIRST_DROP_NS,
};

/* All zero is empty. */
struct counter_kinds {
	struct names names;
	enum counter_kind *kinds; /* owned; by number of the name */
	size_t room;
};

enum counter_kind counter_kind(struct counter_kinds *kinds, const char *name);
void counter_kinds_free(struct counter_kinds *kinds); /* safe twice */

#endif
