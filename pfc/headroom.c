/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/headroom.h"

#include <stddef.h>

#include "lib/units.h"

#define QUANTUM_BYTES (BITS_PER_QUANTUM / 8)
#define PFC_FRAME_BYTES 64u

static const struct reaction {
	uint64_t gbps;
	uint32_t quanta;
} reactions[] = {
	{ 25, 80 },
	{ 100, 394 },
	{ 200, 453 },
	{ 400, 905 },
};

uint32_t headroom_quanta(uint64_t speed_bps)
{
	const struct reaction *last = &reactions[COUNT_OF(reactions) - 1];

	for (size_t i = 0; i < COUNT_OF(reactions); i++)
		if (speed_bps <= reactions[i].gbps * GBPS)
			return reactions[i].quanta;
	return (uint32_t)(speed_bps / GBPS * last->quanta / last->gbps);
}

/* What a link of this speed sends in a time. The largest product is 1.6 * 10^12
 * by the 10^6 ns that a mile of cable and a slow peer stay well under. */
static uint64_t sent_bytes(uint64_t speed_bps, uint64_t time_ns)
{
	return speed_bps / 8 * time_ns / NS_PER_S;
}

uint64_t headroom_bytes(uint64_t speed_bps, uint32_t length_m)
{
	uint64_t flight_ns = (uint64_t)2 * length_m * HEADROOM_NS_PER_M;

	return sent_bytes(speed_bps, flight_ns) +
	       (uint64_t)headroom_quanta(speed_bps) * QUANTUM_BYTES + 2 * HEADROOM_FRAME_BYTES;
}

uint64_t headroom_reaction_bytes(
	uint64_t speed_bps, uint32_t length_m, uint64_t reaction_ns, uint32_t frame_bytes)
{
	uint64_t flight_ns = (uint64_t)2 * length_m * HEADROOM_NS_PER_M;

	return sent_bytes(speed_bps, flight_ns + reaction_ns) + (uint64_t)2 * frame_bytes +
	       PFC_FRAME_BYTES;
}

uint64_t policy_headroom(const struct policy *policy, uint64_t speed_bps, uint32_t length_m)
{
	if (policy->headroom_bytes)
		return policy->headroom_bytes;
	return headroom_bytes(speed_bps, length_m);
}
