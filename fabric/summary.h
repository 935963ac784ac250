/*
 * summary - what a fabric is in a few figures: sizes, cables, oversubscription,
 * hops, bisection, headroom. Derived from the file alone; nothing is measured.
 */
#ifndef FABRIC_SUMMARY_H
#define FABRIC_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/routing.h"

#define SUMMARY_HOPS 256u

/* Cables that are alike. */
struct summary_cable {
	bool uplink; /* between switches; else of a NIC */
	uint64_t speed_bps;
	uint32_t length_m;
	uint32_t count;
	uint64_t headroom_bytes; /* per port and lossless priority, at a switch's end */
};

struct summary_leaf {
	uint32_t nics;
	uint64_t host_bps, uplink_bps;
	uint64_t oversub_ppb; /* host : uplink; UINT64_MAX: hosts and no uplink at all */
};

struct summary {
	uint32_t nic_links, uplinks;
	struct summary_cable *cables; /* owned; NICs first, then by speed and length */
	size_t cable_count, cable_room;
	struct summary_leaf *leaves; /* owned; fabric->leaves of them */
	/* Over leaves with NICs; of a fabric with one such leaf only, 0. */
	uint64_t oversub_min_ppb, oversub_max_ppb;
	uint32_t oversub_max_leaf;    /* from 0 */
	uint64_t pairs[SUMMARY_HOPS]; /* unordered NIC pairs by switches on the path */
	/* What half of the NICs can send to the other half, on other leaves, at once:
	 * the lesser of host and uplink speed of each leaf, summed, over 2. */
	uint64_t bisection_bps;
	uint64_t nic_bps_min, nic_bps_max;
	uint64_t leaf_headroom_bytes, spine_headroom_bytes; /* of the switch with the most */
};

void summary_make(
	struct summary *summary, const struct fabric *fabric, const struct routing *routing);
void summary_free(struct summary *summary); /* safe twice */

/* The headroom that all cabled ports of a switch set aside. */
uint64_t summary_headroom(const struct fabric *fabric, uint32_t node);

#endif
