/*
 * looked - whether a run has looked again at what failed before, so that it may be called
 * fixed: its check was made, and its culprit was under load in the layer that failed.
 *
 * A link, port, NIC, host or switch has to carry LOOKED_SHARE of the packets, each way, that it
 * carried when it failed; where loss or corruption was counted, enough of them to show it
 * again. Where a failure names no place, every link that carried something then has to; where
 * nothing was counted then in the layer that failed, for the run was cut short, every stage that
 * was planned then has to run to its end.
 */
#ifndef REPORTS_LOOKED_H
#define REPORTS_LOOKED_H

#include "lib/digest.h"

/* weft's own defaults. */
#define LOOKED_SHARE 4u    /* one in so many of the packets of the run that failed */
#define LOOKED_PACKETS 64u /* where it is not known what that run sent */
#define LOOKED_EVENTS 5.0  /* of them none would come with p < 0.01 */

/* NULL: now has looked at the culprit of a failure of then. Else why not, a clause:
 * "nothing was sent over it". */
const char *looked_not(
	const struct digest *then, const struct finding *failure, const struct digest *now);

#endif
