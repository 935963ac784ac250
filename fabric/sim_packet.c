/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_state.h"

#include <string.h>

#include "lib/grow.h"

/* Packets are recycled through a free list; the array only ever grows. */
static void more_packets(struct sim *sim)
{
	uint32_t first = sim->packet_room;
	size_t room = first;

	sim->packets = grow(sim->packets, first, &room, sizeof(*sim->packets));
	sim->packet_room = (uint32_t)room;
	for (uint32_t i = first; i < room; i++)
		sim->packets[i].next = i + 1 < room ? i + 1 : NONE;
	sim->packet_free = first;
}

uint32_t packet_new(struct sim *sim)
{
	uint32_t index;

	if (sim->packet_free == NONE)
		more_packets(sim);
	index = sim->packet_free;
	sim->packet_free = sim->packets[index].next;
	sim->packets[index].kind = PACKET_PFC;
	return index;
}

void packet_free(struct sim *sim, uint32_t index)
{
	if (sim->packets[index].kind != PACKET_PFC)
		sim->live--;
	sim->packets[index].next = sim->packet_free;
	sim->packet_free = index;
}
