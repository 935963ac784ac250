/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/obey.h"

enum obey obey_judge(const struct obey_counters *counters)
{
	uint64_t dropped = counters->drop_buffer + counters->drop_headroom;

	if (counters->xoff_sent == 0)
		return dropped ? OBEY_NOT_SENT : OBEY_UNPROVOKED;
	if (counters->hold_us >= OBEY_HOLD_US_LEAST) {
		if (counters->xoff_heard == 0)
			return OBEY_NOT_HEARD;
		/* Each pause ends some hundred ns later at the peer, and both
		 * clocks cut to whole us: a quarter is far below any of that. */
		if (counters->held_us < counters->hold_us / 4)
			return OBEY_NOT_OBEYED;
	}
	return dropped ? OBEY_NO_HEADROOM : OBEY_WORKS;
}
