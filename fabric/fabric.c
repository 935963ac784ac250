/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/headroom.h"

void fabric_free(struct fabric *fabric)
{
	free(fabric->nodes);
	free(fabric->ports);
	free(fabric->links);
	free(fabric->nics);
	free(fabric->faults);
	free(fabric->bindings);
	free(fabric->text);
	*fabric = (struct fabric)FABRIC_INIT;
}

uint32_t fabric_nic_leaf(const struct fabric *fabric, uint32_t nic)
{
	uint32_t peer = fabric->ports[fabric->nics[nic]].peer;

	if (peer == PORT_NONE)
		return PORT_NONE;
	return fabric->ports[peer].node - fabric->hosts;
}

uint64_t fabric_nic_bps(const struct fabric *fabric, uint32_t nic)
{
	uint32_t link = fabric->ports[fabric->nics[nic]].link;

	return link == PORT_NONE ? 0 : fabric->links[link].speed_bps;
}

void fabric_port_name(const struct fabric *fabric, uint32_t port, char *text)
{
	const struct port *p = &fabric->ports[port];
	const struct node *node = &fabric->nodes[p->node];

	if (node->kind == NODE_HOST && node->port_count == 1)
		snprintf(text, 2 * NAME_BYTES, "%s", node->name);
	else
		snprintf(text, 2 * NAME_BYTES, "%s:%u", node->name, p->number);
}

void fabric_nic_name(const struct fabric *fabric, uint32_t nic, char *text)
{
	fabric_port_name(fabric, fabric->nics[nic], text);
}

void fabric_link_name(const struct fabric *fabric, uint32_t link, char *text)
{
	char a[2 * NAME_BYTES], b[2 * NAME_BYTES];

	fabric_port_name(fabric, fabric->links[link].a, a);
	fabric_port_name(fabric, fabric->links[link].b, b);
	/* A port name is a kind and two numbers, so both fit well inside. */
	snprintf(text, 2 * NAME_BYTES, "%.30s-%.30s", a, b);
}

/* A whole decimal number from 1 without leading zeros, of length characters;
 * 0 for anything else. */
static uint32_t number_in(const char *text, size_t length)
{
	uint32_t number = 0;

	if (length == 0 || length > 7 || text[0] == '0')
		return 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		number = number * 10 + (uint32_t)(text[i] - '0');
	}
	return number;
}

static uint32_t find_node(const struct fabric *fabric, const char *name, size_t length)
{
	const struct {
		const char *prefix;
		uint32_t first, count;
	} kinds[] = {
		{ "host", 0, fabric->hosts },
		{ "leaf", fabric->hosts, fabric->leaves },
		{ "spine", fabric->hosts + fabric->leaves, fabric->spines },
	};

	for (unsigned i = 0; i < 3; i++) {
		size_t prefix = strlen(kinds[i].prefix);
		uint32_t number;

		if (length <= prefix || strncmp(name, kinds[i].prefix, prefix) != 0)
			continue;
		number = number_in(name + prefix, length - prefix);
		if (number >= 1 && number <= kinds[i].count)
			return kinds[i].first + number - 1;
	}
	return PORT_NONE;
}

uint32_t fabric_find_node(const struct fabric *fabric, const char *name)
{
	return find_node(fabric, name, strlen(name));
}

static uint32_t find_port(const struct fabric *fabric, const char *name, size_t length)
{
	const char *colon = memchr(name, ':', length);
	size_t stem = colon ? (size_t)(colon - name) : length;
	uint32_t node = find_node(fabric, name, stem);
	const struct node *n;
	uint32_t number = 1;

	if (node == PORT_NONE)
		return PORT_NONE;
	n = &fabric->nodes[node];
	if (colon)
		number = number_in(colon + 1, length - stem - 1);
	else if (n->kind != NODE_HOST || n->port_count != 1)
		return PORT_NONE;
	if (number < 1 || number > n->port_count)
		return PORT_NONE;
	return n->first_port + number - 1;
}

uint32_t fabric_find_port(const struct fabric *fabric, const char *name)
{
	return find_port(fabric, name, strlen(name));
}

/* The only cable between two nodes; PORT_NONE for none or several. */
static uint32_t only_link(const struct fabric *fabric, uint32_t a, uint32_t b)
{
	const struct node *node = &fabric->nodes[a];
	uint32_t found = PORT_NONE;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct port *port = &fabric->ports[node->first_port + i];

		if (port->peer == PORT_NONE || fabric->ports[port->peer].node != b)
			continue;
		if (found != PORT_NONE)
			return PORT_NONE;
		found = port->link;
	}
	return found;
}

uint32_t fabric_find_link(const struct fabric *fabric, const char *name)
{
	const char *dash = strchr(name, '-');
	size_t left = dash ? (size_t)(dash - name) : 0;
	uint32_t a, b;

	if (!dash)
		return PORT_NONE;
	a = find_port(fabric, name, left);
	b = fabric_find_port(fabric, dash + 1);
	if (a != PORT_NONE && b != PORT_NONE)
		return fabric->ports[a].peer == b ? fabric->ports[a].link : PORT_NONE;
	/* One end as a port, or none: the cable must be the only one. */
	if (a != PORT_NONE || b != PORT_NONE) {
		uint32_t port = a != PORT_NONE ? a : b;
		uint32_t node = a != PORT_NONE ? fabric_find_node(fabric, dash + 1)
					       : find_node(fabric, name, left);
		uint32_t peer = fabric->ports[port].peer;

		if (node == PORT_NONE || peer == PORT_NONE || fabric->ports[peer].node != node)
			return PORT_NONE;
		return fabric->ports[port].link;
	}
	a = find_node(fabric, name, left);
	b = fabric_find_node(fabric, dash + 1);
	if (a == PORT_NONE || b == PORT_NONE)
		return PORT_NONE;
	return only_link(fabric, a, b);
}

uint64_t fabric_headroom(const struct fabric *fabric, uint32_t link)
{
	const struct link *of = &fabric->links[link];
	uint64_t bytes = policy_headroom(&fabric->policy, of->speed_bps, of->length_m);
	uint64_t obey_ns =
		headroom_quanta(of->speed_bps) * UINT64_C(512) * NS_PER_S / of->speed_bps;

	if (fabric->policy.headroom_bytes || fabric->switch_ns <= obey_ns ||
		fabric->ports[of->a].nic != PORT_NONE || fabric->ports[of->b].nic != PORT_NONE)
		return bytes;
	return bytes + of->speed_bps / 8 * (fabric->switch_ns - obey_ns) / NS_PER_S;
}
