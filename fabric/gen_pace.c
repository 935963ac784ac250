/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/gen_pace.h"

#include "lib/units.h"

#define MILLION UINT64_C(1000000)

/* Seconds, then their millionths, then the millionths of those, as in a division by hand.
 * The largest products are 2^43 * 8, and 10^13 * 10^6. */
uint64_t gen_pace_period_ps(uint64_t burst_bytes, uint64_t rate_bps)
{
	uint64_t bits = burst_bytes * 8, seconds = bits / rate_bps, rest = bits % rate_bps;
	uint64_t us = rest * MILLION / rate_bps, period;

	if (seconds >= GEN_PERIOD_NS_MAX / NS_PER_S)
		return UINT64_MAX;
	rest = rest * MILLION % rate_bps;
	period = (seconds * MILLION + us) * MILLION + rest * MILLION / rate_bps;
	return period ? period : 1;
}

/* The largest product is a day in picoseconds, 8.6e16. */
uint64_t gen_pace_allowed(const struct gen_plan *plan, uint64_t since_ns)
{
	uint64_t bursts = since_ns * PS_PER_NS / plan->period_ps + 1;
	uint64_t all = plan->messages * plan->qps;

	if (all && bursts > all / plan->burst)
		return all;
	return bursts * plan->burst;
}

uint64_t gen_pace_due_ns(const struct gen_plan *plan, uint64_t number)
{
	return (number / plan->burst * plan->period_ps + PS_PER_NS - 1) / PS_PER_NS;
}
