/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "fabric/sim_parts.h"

#define PACKETS_FIRST 256u

/* Packets are recycled through a free list; when that is empty the next that was never used
 * is taken, and when there is none, another chunk: packets never move. */
struct packet *packets_more(struct sim *sim)
{
	uint32_t room = PACKETS_FIRST;

	if (sim->packet_fresh == sim->packet_end) {
		assert(sim->chunk_count < PACKET_CHUNKS);
		if (sim->chunk_count)
			room <<= sim->chunk_count - 1;
		sim->packet_fresh = unset_lines(room, sizeof(*sim->packet_fresh));
		sim->packet_end = sim->packet_fresh + room;
		sim->chunks[sim->chunk_count++] = sim->packet_fresh;
	}
	return sim->packet_fresh++;
}
