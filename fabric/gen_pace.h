/*
 * gen_pace - when the messages of a paced sender may leave: in bursts of so many, one every
 * period, counted over all its QPs and from its start; so at a rate, or on and off. Burst k
 * may leave k periods after the start, whenever those before it left: a delay is not passed
 * on.
 *
 * A period is in picoseconds, so that any rate is met within 10^-6 of itself when a burst
 * takes a microsecond or more. Arithmetic only.
 */
#ifndef FABRIC_GEN_PACE_H
#define FABRIC_GEN_PACE_H

#include <stdint.h>

#include "fabric/gen.h"

/* Of bursts of so many bytes (1..2^40) at a rate (1 bit/s..10^13): the period, which is at
 * least 1; UINT64_MAX when it is longer than GEN_PERIOD_NS_MAX. */
uint64_t gen_pace_period_ps(uint64_t burst_bytes, uint64_t rate_bps);

/* How many messages may have left since_ns after the start: a whole number of bursts, but
 * for the last when the plan has a count. plan->burst is not 0. */
uint64_t gen_pace_allowed(const struct gen_plan *plan, uint64_t since_ns);

/* How long after the start message number `number` (from 0) may leave. */
uint64_t gen_pace_due_ns(const struct gen_plan *plan, uint64_t number);

#endif
