/*
 * load - what each port is expected to send in a stage, in payload bytes: what
 * ECMP does on the average over all hash seeds, every member of a group taking
 * the same share.
 *
 * Bytes are whole: the rest of a division goes to the first members, so that
 * nothing is lost or made up.
 */
#ifndef FABRIC_LOAD_H
#define FABRIC_LOAD_H

#include <stdint.h>

#include "fabric/routing.h"
#include "lib/plan.h"

/* Adds the bytes of the stage's flows and ring to bytes[port], of port_count. */
void load_add(const struct routing *routing, const struct plan_stage *stage, uint64_t *bytes);

/* Over all ports between two switches. */
struct load_uplinks {
	uint64_t max_bytes, total_bytes;
	uint32_t ports; /* both directions of each link */
};

struct load_uplinks load_uplinks(const struct fabric *fabric, const uint64_t *bytes);

/* What one NIC of a ring of ranks sends in one all-reduce of bytes, on the average:
 * 2 V (N - 1) / N. */
uint64_t load_ring_bytes(const struct plan_ring *ring);

/* Payload of a whole stage, all flows and ring edges. */
uint64_t load_stage_bytes(const struct plan_stage *stage);

#endif
