/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/routing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"

#define NO_PATH 255u
#define SPORT_FIRST 0xc000u
#define SPORT_COUNT 0x4000u

/* The switch at the other end of a port, from 0; PORT_NONE for hosts and for
 * ports with nothing plugged in. */
static uint32_t neighbour(const struct fabric *fabric, uint32_t port)
{
	uint32_t peer = fabric->ports[port].peer;

	if (peer == PORT_NONE || fabric->ports[peer].node < fabric->hosts)
		return PORT_NONE;
	return fabric->ports[peer].node - fabric->hosts;
}

/* Breadth first from a leaf over the switches; distances are the column of that
 * leaf. queue holds one entry a switch. */
static void measure(struct routing *routing, uint32_t leaf, uint32_t *queue)
{
	const struct fabric *fabric = routing->fabric;
	uint8_t *distance = routing->distance;
	uint32_t leaves = fabric->leaves, head = 0, tail = 0;

	distance[(size_t)leaf * leaves + leaf] = 0;
	queue[tail++] = leaf;
	while (head < tail) {
		uint32_t at = queue[head++];
		const struct node *node = &fabric->nodes[fabric->hosts + at];
		uint8_t here = distance[(size_t)at * leaves + leaf];

		if (here == NO_PATH - 1)
			continue;
		for (uint32_t i = 0; i < node->port_count; i++) {
			uint32_t next = neighbour(fabric, node->first_port + i);

			if (next == PORT_NONE ||
				distance[(size_t)next * leaves + leaf] != NO_PATH)
				continue;
			distance[(size_t)next * leaves + leaf] = (uint8_t)(here + 1);
			queue[tail++] = next;
		}
	}
}

/* The ports of a switch one link nearer to a leaf, ascending. */
static uint32_t collect(
	const struct routing *routing, uint32_t at, uint32_t leaf, uint32_t *members)
{
	const struct fabric *fabric = routing->fabric;
	const struct node *node = &fabric->nodes[fabric->hosts + at];
	uint32_t leaves = fabric->leaves, count = 0;
	uint8_t here = routing->distance[(size_t)at * leaves + leaf];

	if (here == 0 || here == NO_PATH)
		return 0;
	for (uint32_t i = 0; i < node->port_count; i++) {
		uint32_t next = neighbour(fabric, node->first_port + i);

		if (next != PORT_NONE &&
			routing->distance[(size_t)next * leaves + leaf] + 1 == here)
			members[count++] = node->first_port + i;
	}
	return count;
}

static void add_member(struct routing *routing, uint32_t port)
{
	routing->members = grow(routing->members, routing->member_count, &routing->member_room,
		sizeof(*routing->members));
	routing->members[routing->member_count++] = port;
}

/* Most destinations of a switch share their set of ports with the one before:
 * a leaf has the same uplinks towards all others. Such sets are stored once. */
static void tabulate(struct routing *routing, uint32_t at, uint32_t *found)
{
	uint32_t leaves = routing->fabric->leaves;
	struct route_group last = { 0, 0 };

	for (uint32_t leaf = 0; leaf < leaves; leaf++) {
		uint32_t count = collect(routing, at, leaf, found);
		struct route_group *group = &routing->groups[(size_t)at * leaves + leaf];

		if (count == 0)
			continue;
		if (count != last.count || memcmp(found, routing->members + last.first,
						   count * sizeof(*found)) != 0) {
			last = (struct route_group){ routing->member_count, count };
			for (uint32_t i = 0; i < count; i++)
				add_member(routing, found[i]);
		}
		*group = last;
	}
}

static int no_path(const struct fabric *fabric, uint32_t a, uint32_t b, struct diag *diag)
{
	return diag_error(diag, -EHOSTUNREACH,
		"no path between %s and %s: expected cables that join all leaves with hosts",
		fabric->nodes[fabric_leaf_node(fabric, a)].name,
		fabric->nodes[fabric_leaf_node(fabric, b)].name);
}

/* Reaching is mutual, so it is enough that the first leaf with a NIC reaches the
 * others. */
static int every_leaf_reaches_every_other(const struct routing *routing, struct diag *diag)
{
	const struct fabric *fabric = routing->fabric;
	uint32_t first = PORT_NONE;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		uint32_t leaf = fabric_nic_leaf(fabric, nic);

		if (leaf == PORT_NONE)
			continue;
		if (first == PORT_NONE)
			first = leaf;
		if (routing->distance[(size_t)leaf * fabric->leaves + first] == NO_PATH)
			return no_path(fabric, first, leaf, diag);
	}
	return 0;
}

int routing_init(
	struct routing *routing, const struct fabric *fabric, uint64_t seed, struct diag *diag)
{
	size_t switches = (size_t)fabric->leaves + fabric->spines;
	size_t cells = switches * fabric->leaves;
	uint32_t *scratch = zeroed(switches + fabric->port_count, sizeof(*scratch));
	struct routing made = ROUTING_INIT;
	int err;

	made.fabric = fabric;
	made.groups = zeroed(cells, sizeof(*made.groups));
	made.distance = zeroed(cells, sizeof(*made.distance));
	made.seeds = zeroed(switches, sizeof(*made.seeds));
	if (cells)
		memset(made.distance, NO_PATH, cells);
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++)
		measure(&made, leaf, scratch);
	for (uint32_t at = 0; at < switches; at++) {
		made.seeds[at] = (uint32_t)rng_derive(seed, at);
		tabulate(&made, at, scratch);
	}
	free(scratch);
	err = every_leaf_reaches_every_other(&made, diag);
	if (err) {
		routing_free(&made);
		return err;
	}
	*routing = made;
	return 0;
}

void routing_free(struct routing *routing)
{
	free(routing->groups);
	free(routing->members);
	free(routing->distance);
	free(routing->seeds);
	*routing = (struct routing)ROUTING_INIT;
}

static void *copy_of(const void *items, size_t count, size_t item_bytes)
{
	void *copy = zeroed(count, item_bytes);

	if (count)
		memcpy(copy, items, count * item_bytes);
	return copy;
}

struct routing routing_copy(const struct routing *routing)
{
	size_t switches = (size_t)routing->fabric->leaves + routing->fabric->spines;
	size_t cells = switches * routing->fabric->leaves;
	struct routing copy = *routing;

	copy.groups = copy_of(routing->groups, cells, sizeof(*copy.groups));
	copy.members = copy_of(routing->members, routing->member_count, sizeof(*copy.members));
	copy.member_room = routing->member_count;
	copy.distance = copy_of(routing->distance, cells, sizeof(*copy.distance));
	copy.seeds = copy_of(routing->seeds, switches, sizeof(*copy.seeds));
	return copy;
}

static struct route_group *groups_of(struct routing *routing, uint32_t port)
{
	uint32_t sw = routing->fabric->ports[port].node - routing->fabric->hosts;

	return &routing->groups[(size_t)sw * routing->fabric->leaves];
}

void routing_force(struct routing *routing, uint32_t port, uint32_t leaf)
{
	groups_of(routing, port)[leaf] = (struct route_group){ routing->member_count, 1 };
	add_member(routing, port);
}

void routing_take_out(struct routing *routing, uint32_t port)
{
	struct route_group *groups = groups_of(routing, port);

	for (uint32_t leaf = 0; leaf < routing->fabric->leaves; leaf++) {
		struct route_group old = groups[leaf];
		uint32_t first = routing->member_count;

		for (uint32_t i = 0; i < old.count; i++)
			if (routing->members[old.first + i] != port)
				add_member(routing, routing->members[old.first + i]);
		groups[leaf] = (struct route_group){ first, routing->member_count - first };
	}
}

/* Ports of the QPs of one pair differ: an odd stride in a power of two. */
uint16_t route_sport(uint64_t seed, uint32_t src_nic, uint32_t dst_nic, uint32_t qp)
{
	uint64_t pair = rng_derive(seed, (uint64_t)src_nic << 32 | dst_nic);
	uint32_t stride = (uint32_t)(pair >> 32) | 1;

	return (uint16_t)(SPORT_FIRST + ((uint32_t)pair + qp * stride) % SPORT_COUNT);
}

uint32_t routing_path_hashed(const struct routing *routing, const bool *by_pair,
	uint32_t src_nic, uint32_t dst_nic, uint16_t sport, uint32_t *ports, uint32_t max)
{
	const struct fabric *fabric = routing->fabric;
	uint32_t at = fabric_nic_leaf(fabric, src_nic), to = fabric_nic_leaf(fabric, dst_nic);
	uint32_t entropy = route_entropy(src_nic, dst_nic, sport), count = 0;
	uint32_t of_pair = route_entropy(src_nic, dst_nic, 0);

	if (at == PORT_NONE || to == PORT_NONE || max == 0)
		return 0;
	ports[count++] = fabric->nics[src_nic];
	while (at != to && count < max) {
		const struct route_group *group =
			&routing->groups[(size_t)at * fabric->leaves + to];
		uint32_t port;

		if (group->count == 0)
			return 0;
		port = routing->members[group->first +
					route_pick(by_pair && by_pair[at] ? of_pair : entropy,
						routing->seeds[at], group->count)];
		ports[count++] = port;
		at = neighbour(fabric, port);
	}
	if (count == max)
		return 0;
	ports[count++] = fabric->ports[fabric->nics[dst_nic]].peer;
	return count;
}

uint32_t routing_path(const struct routing *routing, uint32_t src_nic, uint32_t dst_nic,
	uint16_t sport, uint32_t *ports, uint32_t max)
{
	return routing_path_hashed(routing, NULL, src_nic, dst_nic, sport, ports, max);
}
