/*
 * draw - a hash of what was sent: equal for two stages, or two flows, of any run where the
 * same NICs sent the same bytes to each other in the same way. Figures of runs that were
 * drawn differently (another seed, another profile, hosts left out) mean something else.
 *
 * What a flow across leaves meets depends on its UDP source ports as well, and in a
 * simulation on the seed, by which switches hash. Inside a leaf there is one way.
 */
#ifndef FABRIC_DRAW_H
#define FABRIC_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/evidence.h"

/* What of the seed the ways of a run depend on. */
uint64_t draw_seed(const struct run_info *info);

/* Never 0. */
uint64_t draw_flow(const struct evidence *evidence, size_t flow, uint64_t seed);
uint64_t draw_stage(const struct evidence *evidence, uint64_t seed);

#endif
