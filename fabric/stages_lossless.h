/*
 * stages_lossless - the parts of the lossless layer and the volumes that they
 * share. Known to fabric/stages_*.c alone.
 */
#ifndef FABRIC_STAGES_LOSSLESS_H
#define FABRIC_STAGES_LOSSLESS_H

#include <stdint.h>

#include "fabric/stage_build.h"

#define NOT_ECT_QPS 32u /* a sender's packets must reach every spine */
#define ECT_QPS 2u      /* few: each starts at line rate, before the first CNP */

/* How long a target is kept busy with ECT traffic: long against DCQCN's timers of
 * some 50 us. */
uint64_t lossless_ect_ns(const struct stage_build *build);

/*
 * Not-ECT payload for a target that n senders share, n >= 2, so that with a target on
 * every leaf the pause reaches the NICs: one and a half times the target's share of what
 * all switches hold when every port stands at its threshold, and what the target
 * drains meanwhile: n arrive for each that leaves.
 */
uint64_t lossless_not_ect_bytes(const struct stage_build *build, uint32_t n);

void stages_local_incast(struct stage_build *build);
void stages_pause_spread(struct stage_build *build);
void stages_leaf_wide(struct stage_build *build);

#endif
