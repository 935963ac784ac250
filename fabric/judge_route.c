/* SPDX-License-Identifier: Apache-2.0 */

/*
 * plan.route, plan.buffer-cycle: forwarding before a packet is sent. Tables are
 * those of the shortest paths over the cables of the file, with the routes that
 * switches told of as set by hand (facts "route LEAF"). A route that leads away
 * from its destination is a fault of its own; lossless buffers that can wait for
 * each other in a circle are one whatever made it.
 */
#include <stdio.h>
#include <string.h>

#include "fabric/cycle.h"
#include "fabric/judge.h"
#include "fabric/judging.h"
#include "fabric/routing.h"
#include "lib/counters.h"
#include "lib/diag.h"

#define CYCLE_SHOWN 8u

static bool is_member(const struct routing *routing, uint32_t port, uint32_t leaf)
{
	const struct fabric *fabric = routing->fabric;
	uint32_t sw = fabric->ports[port].node - fabric->hosts;
	const struct route_group *group = &routing->groups[(size_t)sw * fabric->leaves + leaf];

	for (uint32_t i = 0; i < group->count; i++)
		if (routing->members[group->first + i] == port)
			return true;
	return false;
}

/* A route that a fact tells of: the port that is the only way to a leaf. */
static bool read_route(const struct judging *judging, const struct run_fact *fact,
	uint32_t *port, uint32_t *leaf)
{
	const struct fabric *fabric = judging->fabric;
	uint32_t node, peer;

	if (strncmp(fact->key, F_ROUTE, strlen(F_ROUTE)) != 0)
		return false;
	*port = fabric_find_port(fabric, fact->value);
	node = fabric_find_node(fabric, fact->key + strlen(F_ROUTE));
	if (*port == PORT_NONE || node == PORT_NONE || fabric->nodes[node].kind != NODE_LEAF)
		return false;
	peer = fabric->ports[*port].peer;
	*leaf = fabric->nodes[node].number - 1;
	return fabric->ports[*port].nic == PORT_NONE && peer != PORT_NONE &&
	       fabric->ports[peer].nic == PORT_NONE;
}

static void blame_route(struct judging *judging, uint32_t port, uint32_t leaf, uint32_t circle)
{
	const struct fabric *fabric = judging->fabric;
	struct place place = place_port(fabric, port);
	struct finding *finding =
		judging_cause(judging, "plan.route", "plan", CLASS_WIRING, 1, &place, NULL);
	const char *to = fabric->nodes[fabric_leaf_node(fabric, leaf)].name;
	const char *sw = fabric->nodes[fabric->ports[port].node].name;

	finding_text(finding, "%s sends what is for %s out of %s, which is no shortest way%s",
		sw, to, finding->culprit,
		circle ? "; and lossless buffers can now wait for each other in a circle" : "");
	finding_advice(
		finding, "take the route for %s off %s, or say why it leads there", to, sw);
}

/* Puts the routes that were told of into the tables. */
static void force_routes(const struct judging *judging, struct routing *routing)
{
	uint32_t port, leaf;

	for (size_t i = 0; i < judging->fact_count; i++)
		if (read_route(judging, &judging->facts[i], &port, &leaf))
			routing_force(routing, port, leaf);
}

/* Names the routes that lead astray; returns how many. */
static uint32_t blame_routes(
	struct judging *judging, const struct routing *sound, uint32_t circle)
{
	uint32_t wrong = 0, port, leaf;

	for (size_t i = 0; i < judging->fact_count; i++) {
		if (!read_route(judging, &judging->facts[i], &port, &leaf) ||
			is_member(sound, port, leaf))
			continue;
		blame_route(judging, port, leaf, circle);
		wrong++;
	}
	return wrong;
}

static void blame_cycle(struct judging *judging, const uint32_t *ports, uint32_t count)
{
	struct place place = place_direction(judging->fabric, ports[0]);
	struct finding *finding = judging_cause(
		judging, "plan.buffer-cycle", "plan", CLASS_WIRING, count, &place, NULL);
	char text[CYCLE_SHOWN * 2 * NAME_BYTES] = "", name[2 * NAME_BYTES];
	size_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		fabric_port_name(judging->fabric, ports[i], name);
		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%s%s", i ? " > " : "", name);
	}
	finding_text(finding,
		"the lossless buffers behind %s%s wait for each other in a circle: pause can "
		"fill them all, and then none drains",
		text, count == CYCLE_SHOWN ? " ..." : "");
	finding_advice(finding,
		"keep routes up-down (no way down and up again), or take one of these links "
		"out of the lossless class; a PFC watchdog breaks the circle by dropping");
	snprintf(finding->basis, sizeof(finding->basis),
		"forwarding tables and PFC map, before any packet was sent");
}

static void judge_forwarding(struct judging *judging)
{
	struct routing sound = ROUTING_INIT, told;
	uint32_t ports[CYCLE_SHOWN], count = 0, wrong;
	struct finding *finding;
	struct diag diag;

	if (routing_init(&sound, judging->fabric, 0, &diag))
		return; /* such a fabric cannot be simulated, and plan refuses it */
	told = routing_copy(&sound);
	force_routes(judging, &told);
	if (judging->fabric->policy.pfc)
		count = cycle_find(&told, NULL, ports, CYCLE_SHOWN);
	wrong = blame_routes(judging, &sound, count);
	routing_free(&told);
	routing_free(&sound);
	if (count && !wrong)
		blame_cycle(judging, ports, count);
	if (count || wrong || strcmp(judging->info->profile, "hand") == 0)
		return;
	finding = judging_say(judging, "plan.buffer-cycle", "plan", VERDICT_PASS, NULL);
	finding_text(finding, "no lossless buffers can wait for each other in a circle");
	snprintf(finding->basis, sizeof(finding->basis),
		"forwarding tables by shortest path, and PFC map");
}

static void end(struct judging *judging, void *state, bool speak)
{
	(void)state;
	if (speak && judging->layers & JUDGE_LAYER(LAYER_PLAN))
		judge_forwarding(judging);
}

const struct judge judge_route = { .end = end };
