/*
 * cycle - cyclic buffer dependency: lossless buffers that can wait for each other
 * in a circle, found from forwarding tables and the PFC map alone, before a packet
 * is sent.
 *
 * A buffer is the lossless queue of what comes in over a link between switches; it
 * is named by the port that sends into it. It depends on the buffers at the far
 * ends of all ports that its packets may go on to. Where these dependencies form a
 * circle, pause can fill all its buffers, and then none of them drains again
 * (Dally and Seitz 1987; for PFC: Hu et al., HotNets 2016).
 *
 * Up-down routes of a leaf-spine have no circle, and are seen to have none without
 * a search.
 */
#ifndef FABRIC_CYCLE_H
#define FABRIC_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/routing.h"

/* lossless: by port, whether both its ends pause; NULL: all do. Fills ports, each of
 * which sends into the buffer of the next, the last into that of the first. Returns
 * how many they are, 0 when there is no circle; of a longer one than max the first
 * max. Of several circles the same one is found every time. */
uint32_t cycle_find(
	const struct routing *routing, const bool *lossless, uint32_t *ports, uint32_t max);

#endif
