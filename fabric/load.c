/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/load.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

#define NO_PATH 255u

struct demand {
	const struct routing *routing;
	uint64_t *pairs;  /* [to * leaves + from]: bytes from leaf to leaf */
	uint64_t *inflow; /* of each switch, towards the leaf in hand */
	uint64_t *bytes;  /* of each port */
};

static void add_flow(struct demand *demand, uint32_t src, uint32_t dst, uint64_t bytes)
{
	const struct fabric *fabric = demand->routing->fabric;
	uint32_t from = fabric_nic_leaf(fabric, src), to = fabric_nic_leaf(fabric, dst);

	if (from == PORT_NONE || to == PORT_NONE)
		return;
	demand->bytes[fabric->nics[src]] += bytes;
	demand->bytes[fabric->ports[fabric->nics[dst]].peer] += bytes;
	if (from != to)
		demand->pairs[(size_t)to * fabric->leaves + from] += bytes;
}

static void split(struct demand *demand, uint32_t at, uint32_t to)
{
	const struct routing *routing = demand->routing;
	const struct fabric *fabric = routing->fabric;
	const struct route_group *group = &routing->groups[(size_t)at * fabric->leaves + to];
	uint64_t bytes = demand->inflow[at];

	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t port = routing->members[group->first + i];
		uint64_t share = bytes / group->count + (i < bytes % group->count);

		demand->bytes[port] += share;
		demand->inflow[fabric->ports[fabric->ports[port].peer].node - fabric->hosts] +=
			share;
	}
}

/* From the farthest switches inwards, so that a switch has all its inflow before
 * it is split. */
static void drain(struct demand *demand, uint32_t to)
{
	const struct routing *routing = demand->routing;
	const struct fabric *fabric = routing->fabric;
	uint32_t switches = fabric->leaves + fabric->spines, farthest = 0;
	const uint64_t *from = demand->pairs + (size_t)to * fabric->leaves;

	memset(demand->inflow, 0, switches * sizeof(*demand->inflow));
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++) {
		uint32_t distance = routing->distance[(size_t)leaf * fabric->leaves + to];

		demand->inflow[leaf] = from[leaf];
		if (from[leaf] && distance != NO_PATH && distance > farthest)
			farthest = distance;
	}
	for (uint32_t distance = farthest; distance > 0; distance--)
		for (uint32_t at = 0; at < switches; at++)
			if (demand->inflow[at] &&
				routing->distance[(size_t)at * fabric->leaves + to] == distance)
				split(demand, at, to);
}

uint64_t load_ring_bytes(const struct plan_ring *ring)
{
	if (ring->ranks < 2)
		return 0;
	/* In this order, so that no payload that fits 63 bits overflows. */
	return ring->bytes / ring->ranks * 2 * (ring->ranks - 1) +
	       ring->bytes % ring->ranks * 2 * (ring->ranks - 1) / ring->ranks;
}

uint64_t load_stage_bytes(const struct plan_stage *stage)
{
	uint64_t bytes =
		load_ring_bytes(&stage->ring) * stage->ring.ranks * stage->ring.iterations;

	for (uint32_t i = 0; i < stage->flow_count; i++)
		bytes += stage->flows[i].bytes;
	return bytes;
}

void load_add(const struct routing *routing, const struct plan_stage *stage, uint64_t *bytes)
{
	const struct fabric *fabric = routing->fabric;
	const struct plan_ring *ring = &stage->ring;
	uint64_t edge = load_ring_bytes(ring) * ring->iterations;
	struct demand demand = { .routing = routing, .bytes = bytes };

	demand.pairs = zeroed((size_t)fabric->leaves * fabric->leaves, sizeof(uint64_t));
	demand.inflow = zeroed((size_t)fabric->leaves + fabric->spines, sizeof(uint64_t));
	for (uint32_t i = 0; i < stage->flow_count; i++)
		add_flow(&demand, stage->flows[i].src, stage->flows[i].dst,
			stage->flows[i].bytes);
	for (uint32_t i = 0; i < ring->ranks; i++)
		add_flow(&demand, ring->nics[i], ring->nics[(i + 1) % ring->ranks], edge);
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++)
		drain(&demand, leaf);
	free(demand.pairs);
	free(demand.inflow);
}

struct load_uplinks load_uplinks(const struct fabric *fabric, const uint64_t *bytes)
{
	struct load_uplinks load = { 0, 0, 0 };

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct port *port = &fabric->ports[i];

		if (port->peer == PORT_NONE || port->node < fabric->hosts ||
			fabric->ports[port->peer].node < fabric->hosts)
			continue;
		load.ports++;
		load.total_bytes += bytes[i];
		if (bytes[i] > load.max_bytes)
			load.max_bytes = bytes[i];
	}
	return load;
}
