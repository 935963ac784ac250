/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_parts.h"

#define PACKETS_FIRST 256u

/* Packets are recycled through a free list; when that is empty the next that was never
 * used is taken. The array only ever grows. */
uint32_t packets_more(struct sim *sim)
{
	uint32_t room = sim->packet_room ? sim->packet_room * 2 : PACKETS_FIRST;
	struct packet *packets;

	if (sim->packet_used < sim->packet_room)
		return sim->packet_used++;
	packets = unset_lines(room, sizeof(*packets));
	if (sim->packet_used)
		memcpy(packets, sim->packets, sim->packet_used * sizeof(*packets));
	free(sim->packets);
	sim->packets = packets;
	sim->packet_room = room;
	return sim->packet_used++;
}
