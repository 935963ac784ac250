/*
 * measure_parts - what the two halves of measure.c share: the sums over all stages, and
 * the figures that are made of them. Internal to fabric/measure*.c.
 */
#ifndef FABRIC_MEASURE_PARTS_H
#define FABRIC_MEASURE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/evidence.h"
#include "fabric/fabric.h"
#include "lib/digest.h"

struct at_port {
	uint64_t sent, lost; /* in the direction that leaves it */
	uint64_t received, crc;
	uint64_t bytes, busy_ns; /* with preamble and gap */
	uint64_t pause_us, window_ns;
	uint64_t load[LAYER_COUNT]; /* packets that left it */
	uint64_t data, retries;     /* of a NIC */
	uint64_t draw;              /* of a NIC: of the stages that it took part in */
	uint32_t stage;             /* of a NIC: id + 1 of the last one; 0: none */
	bool has_crc, has_pause;
};

struct pair {
	uint32_t src, dst;
	double goodput_bps; /* 0: too few packets to say */
	uint64_t sent, retries, draw;
};

struct measure {
	const struct fabric *fabric; /* borrowed, as digest */
	struct digest *digest;
	struct at_port *ports; /* owned, [port_count] */
	struct pair *pairs;    /* owned */
	size_t pair_count, pair_room;
	uint64_t seed; /* draw_seed() */
};

/* Puts all figures and loads into the digest, in their order; sorts the pairs. */
void measure_put(const struct measure *measure);

#endif
