/*
 * build - nodes, ports, links and NICs of a leaf-spine from its few figures, and
 * the changes that one link at a time makes to it.
 *
 * Arithmetic on checked figures: the caller has seen to it that the products
 * stay inside the limits of fabric/file_keys.h. Nothing here fails.
 */
#ifndef FABRIC_BUILD_H
#define FABRIC_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

struct shape {
	uint32_t leaves, spines;
	uint32_t hosts_per_leaf; /* host-facing ports of a leaf in use */
	uint32_t rails;          /* divides leaves */
	uint32_t links_per_spine;
	uint64_t speed_bps, uplink_bps;
	uint32_t host_m, uplink_m; /* cable lengths */
	/* Least number of ports of each switch, leaves first; NULL: what the shape needs. */
	const uint32_t *ports;
	uint32_t extra_links; /* room for fabric_plug() calls */
};

/* Fills nodes, ports, links and NICs of a FABRIC_INIT. */
void fabric_expand(struct fabric *fabric, const struct shape *shape);

/* Takes out the links whose entry is true; the others move up. */
void fabric_unplug(struct fabric *fabric, const bool *absent);

/* Joins two free ports; whichever is of the lower tier becomes a. At most
 * extra_links times. */
void fabric_plug(
	struct fabric *fabric, uint32_t a, uint32_t b, uint64_t speed_bps, uint32_t length_m);

#endif
