/*
 * stages_sweep - what a sweep tries tonight: of all stages of an acceptance those that
 * were not run for longest, as far as a budget of traffic lets them.
 *
 * Stages that are judged against each other stay together: an incast with and without
 * ECN, and its victims alone. Pure functions of their arguments.
 */
#ifndef FABRIC_STAGES_SWEEP_H
#define FABRIC_STAGES_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "lib/plan.h"

/* Payload that the stage sends when nothing is lost. */
uint64_t plan_stage_bytes(const struct plan_stage *stage);

/*
 * Makes a plan of profile "sweep" of an acceptance's. last[i] tells when stage i ran to
 * its end: 0 never, else the larger the later. Those of the least come first, of equals
 * in the order of the plan. Stages for which bytes_max has no room are taken out and
 * freed; 0: no budget. Returns how many those are.
 */
size_t plan_sweep(struct plan *plan, const uint64_t *last, uint64_t bytes_max);

#endif
