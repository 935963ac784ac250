/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_state.h"

#define PACKETS_FIRST 256u

/* Packets are recycled through a free list; the array only ever grows. */
void packets_more(struct sim *sim)
{
	uint32_t first = sim->packet_room, room = first ? first * 2 : PACKETS_FIRST;
	struct packet *packets = zeroed_lines(room, sizeof(*packets));

	if (first)
		memcpy(packets, sim->packets, first * sizeof(*packets));
	free(sim->packets);
	sim->packets = packets;
	sim->packet_room = room;
	for (uint32_t i = first; i < room; i++)
		packets[i].next = i + 1 < room ? i + 1 : NONE;
	sim->packet_free = first;
}
