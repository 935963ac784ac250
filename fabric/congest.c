/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/congest.h"

static bool is_switch(const struct fabric *fabric, uint32_t port)
{
	return fabric->nodes[fabric->ports[port].node].kind != NODE_HOST;
}

static bool leaf_has_nics(const struct fabric *fabric, uint32_t leaf)
{
	const struct node *node = &fabric->nodes[fabric_leaf_node(fabric, leaf)];

	for (uint32_t i = 0; i < node->port_count; i++) {
		uint32_t peer = fabric->ports[node->first_port + i].peer;

		if (peer != PORT_NONE && fabric->ports[peer].nic != PORT_NONE)
			return true;
	}
	return false;
}

bool congest_link_used(const struct fabric *fabric, uint32_t link)
{
	uint32_t leaves = 0;

	if (!is_switch(fabric, fabric->links[link].a))
		return true;
	for (uint32_t leaf = 0; leaf < fabric->leaves && leaves < 2; leaf++)
		leaves += leaf_has_nics(fabric, leaf);
	return leaves == 2;
}

/* NICs that can send to a port: all that do not lie behind it. Behind a port of a
 * spine lies a leaf; behind an uplink, all leaves but its own; behind a host's
 * port, the host. */
static uint64_t nics_before(const struct fabric *fabric, uint32_t port)
{
	const struct port *to = &fabric->ports[fabric->ports[port].peer];
	const struct node *node = &fabric->nodes[fabric->ports[port].node];
	const struct node *beyond = &fabric->nodes[to->node];
	uint64_t bps = 0;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		uint32_t leaf = fabric_nic_leaf(fabric, nic);
		bool before;

		if (leaf == PORT_NONE)
			continue;
		if (to->nic != PORT_NONE)
			before = nic != to->nic;
		else if (beyond->kind == NODE_LEAF)
			before = fabric_leaf_node(fabric, leaf) != to->node;
		else
			before = &fabric->nodes[fabric_leaf_node(fabric, leaf)] == node;
		bps += before ? fabric_nic_bps(fabric, nic) : 0;
	}
	return bps;
}

/* Links over which packets for this port come in: from a NIC or from below for
 * an uplink, from all but the same neighbour for the others. */
static uint64_t links_before(const struct fabric *fabric, uint32_t port)
{
	const struct node *node = &fabric->nodes[fabric->ports[port].node];
	uint32_t to = fabric->ports[fabric->ports[port].peer].node;
	bool up = node->kind == NODE_LEAF && fabric->nodes[to].kind == NODE_SPINE;
	uint64_t bps = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct port *in = &fabric->ports[node->first_port + i];

		if (in->link == PORT_NONE || fabric->ports[in->peer].node == to ||
			!congest_link_used(fabric, in->link))
			continue;
		if (!up || fabric->nodes[fabric->ports[in->peer].node].kind == NODE_HOST)
			bps += fabric->links[in->link].speed_bps;
	}
	return bps;
}

bool congest_can_queue(const struct fabric *fabric, uint32_t node)
{
	const struct node *at = &fabric->nodes[node];

	for (uint32_t i = 0; i < at->port_count; i++) {
		uint32_t port = at->first_port + i, link = fabric->ports[port].link;

		if (link == PORT_NONE || !congest_link_used(fabric, link))
			continue;
		if (links_before(fabric, port) > fabric->links[link].speed_bps &&
			nics_before(fabric, port) > fabric->links[link].speed_bps)
			return true;
	}
	return false;
}

bool congest_can_be_paused(const struct fabric *fabric, uint32_t node)
{
	const struct node *at = &fabric->nodes[node];
	bool joined = false;

	for (uint32_t i = 0; i < at->port_count && !joined; i++) {
		const struct port *port = &fabric->ports[at->first_port + i];

		joined = port->link != PORT_NONE && is_switch(fabric, port->peer) &&
			 congest_link_used(fabric, port->link);
	}
	if (!joined)
		return false;
	for (uint32_t n = fabric->hosts; n < fabric->node_count; n++)
		if (congest_can_queue(fabric, n))
			return true;
	return false;
}
