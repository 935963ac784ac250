/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

#define NONE PORT_NONE

/* Which ports of the next switch the packets of a port go on to: a row of bits for
 * each port between switches. */
struct graph {
	const struct routing *routing;
	const struct fabric *fabric;
	const bool *lossless;
	size_t *rows; /* by port: first word of its row */
	uint64_t *bits;
	uint8_t *colour; /* by port: 0 new, 1 on the way, 2 done */
};

static uint32_t switch_after(const struct fabric *fabric, uint32_t port)
{
	uint32_t peer = fabric->ports[port].peer;

	return peer == PORT_NONE || fabric->ports[peer].nic != PORT_NONE
		       ? NONE
		       : fabric->ports[peer].node - fabric->hosts;
}

static const struct node *node_of(const struct fabric *fabric, uint32_t sw)
{
	return &fabric->nodes[fabric->hosts + sw];
}

static const struct route_group *group_of(
	const struct routing *routing, uint32_t sw, uint32_t leaf)
{
	return &routing->groups[(size_t)sw * routing->fabric->leaves + leaf];
}

/* Whether a switch sends what is for leaf to another leaf, or from spine to spine:
 * without that all ways lead up once and down once. */
static bool turns(const struct routing *routing, uint32_t sw, uint32_t leaf)
{
	const struct route_group *group = group_of(routing, sw, leaf);
	uint32_t leaves = routing->fabric->leaves;

	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t next =
			switch_after(routing->fabric, routing->members[group->first + i]);

		if (next != leaf && (next < leaves || sw >= leaves))
			return true;
	}
	return false;
}

/* A leaf has the same group towards most others, and one that has spines only is
 * good for all of them. */
static bool can_turn(const struct routing *routing)
{
	const struct fabric *fabric = routing->fabric;

	for (uint32_t sw = 0; sw < fabric->leaves + fabric->spines; sw++) {
		uint32_t seen = NONE;

		for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++) {
			const struct route_group *group = group_of(routing, sw, leaf);

			if (group->count == 0 || (sw < fabric->leaves && group->first == seen))
				continue;
			if (turns(routing, sw, leaf))
				return true;
			seen = group->first;
		}
	}
	return false;
}

static bool is_lossless(const struct graph *graph, uint32_t port)
{
	return !graph->lossless || graph->lossless[port];
}

/* What port sends towards leaf goes on to the ports of the next switch's group. */
static void depend(struct graph *graph, uint32_t port, uint32_t next, uint32_t leaf)
{
	const struct route_group *group = group_of(graph->routing, next, leaf);
	uint32_t first = node_of(graph->fabric, next)->first_port;

	if (next == leaf || !is_lossless(graph, port))
		return;
	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t to = graph->routing->members[group->first + i];

		if (is_lossless(graph, to))
			graph->bits[graph->rows[port] + (to - first) / 64] |=
				UINT64_C(1) << (to - first) % 64;
	}
}

/* All ways to leaf, from every leaf with NICs on. */
static void follow(struct graph *graph, uint32_t leaf, uint32_t *queue, bool *reached)
{
	const struct fabric *fabric = graph->fabric;
	uint32_t head = 0, tail = 0;

	memset(reached, 0, (fabric->leaves + fabric->spines) * sizeof(*reached));
	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		uint32_t from = fabric_nic_leaf(fabric, nic);

		if (from == PORT_NONE || from == leaf || reached[from])
			continue;
		reached[from] = true;
		queue[tail++] = from;
	}
	while (head < tail) {
		uint32_t at = queue[head++];
		const struct route_group *group = group_of(graph->routing, at, leaf);

		for (uint32_t i = 0; i < group->count; i++) {
			uint32_t port = graph->routing->members[group->first + i];
			uint32_t next = switch_after(fabric, port);

			depend(graph, port, next, leaf);
			if (next == leaf || reached[next])
				continue;
			reached[next] = true;
			queue[tail++] = next;
		}
	}
}

/* The next port after `after` that port depends on, or NONE. */
static uint32_t next_of(const struct graph *graph, uint32_t port, uint32_t after)
{
	uint32_t next = switch_after(graph->fabric, port);
	const struct node *node = node_of(graph->fabric, next);
	uint32_t from = after == NONE ? 0 : after - node->first_port + 1;

	for (uint32_t i = from; i < node->port_count; i++)
		if (graph->bits[graph->rows[port] + i / 64] >> i % 64 & 1)
			return node->first_port + i;
	return NONE;
}

/* Depth first from port; the circle is the end of the way on which it closes. */
static uint32_t close_from(
	struct graph *graph, uint32_t start, uint32_t *way, uint32_t *tried, uint32_t *first)
{
	uint32_t depth = 1;

	way[0] = start;
	tried[start] = NONE;
	graph->colour[start] = 1;
	while (depth) {
		uint32_t port = way[depth - 1];
		uint32_t to = next_of(graph, port, tried[port]);

		tried[port] = to;
		if (to == NONE) {
			graph->colour[port] = 2;
			depth--;
		} else if (graph->colour[to] == 1) {
			for (*first = 0; way[*first] != to; ++*first)
				;
			return depth - *first;
		} else if (graph->colour[to] == 0) {
			graph->colour[to] = 1;
			tried[to] = NONE;
			way[depth++] = to;
		}
	}
	return 0;
}

static void lay_rows(struct graph *graph)
{
	const struct fabric *fabric = graph->fabric;
	size_t words = 0;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		uint32_t next = switch_after(fabric, port);

		graph->rows[port] = words;
		if (next != NONE)
			words += (node_of(fabric, next)->port_count + 63) / 64;
	}
	graph->bits = zeroed(words, sizeof(*graph->bits));
}

uint32_t cycle_find(
	const struct routing *routing, const bool *lossless, uint32_t *ports, uint32_t max)
{
	const struct fabric *fabric = routing->fabric;
	size_t switches = (size_t)fabric->leaves + fabric->spines;
	struct graph graph = { .routing = routing, .fabric = fabric, .lossless = lossless };
	uint32_t *way, *tried, first = 0, count = 0;
	bool *reached;

	if (!can_turn(routing))
		return 0;
	graph.rows = zeroed(fabric->port_count, sizeof(*graph.rows));
	graph.colour = zeroed(fabric->port_count, sizeof(*graph.colour));
	way = zeroed(fabric->port_count + switches, sizeof(*way));
	tried = zeroed(fabric->port_count, sizeof(*tried));
	reached = zeroed(switches, sizeof(*reached));
	lay_rows(&graph);
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++)
		follow(&graph, leaf, way, reached);
	for (uint32_t port = 0; port < fabric->port_count && count == 0; port++)
		if (graph.colour[port] == 0 && fabric->ports[port].nic == PORT_NONE &&
			switch_after(fabric, port) != NONE)
			count = close_from(&graph, port, way, tried, &first);
	for (uint32_t i = 0; i < count && i < max; i++)
		ports[i] = way[first + i];
	free(graph.rows);
	free(graph.bits);
	free(graph.colour);
	free(way);
	free(tried);
	free(reached);
	return count < max ? count : max;
}
