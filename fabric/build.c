/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/build.h"

#include <assert.h>
#include <stdio.h>

#include "lib/grow.h"

static uint32_t switch_ports(const struct shape *shape, uint32_t index)
{
	uint32_t wanted = shape->ports ? shape->ports[index] : 0;
	uint32_t needed = shape->leaves * shape->links_per_spine;

	if (index < shape->leaves)
		needed = shape->hosts_per_leaf + shape->spines * shape->links_per_spine;
	return wanted > needed ? wanted : needed;
}

static uint32_t node_ports(
	const struct fabric *fabric, const struct shape *shape, uint32_t node)
{
	return node < fabric->hosts ? shape->rails : switch_ports(shape, node - fabric->hosts);
}

static void name_node(struct fabric *fabric, uint32_t index)
{
	static const char *const kinds[] = { "host", "leaf", "spine" };
	struct node *node = &fabric->nodes[index];

	if (index < fabric->hosts) {
		node->kind = NODE_HOST;
		node->number = index + 1;
	} else if (index < fabric->hosts + fabric->leaves) {
		node->kind = NODE_LEAF;
		node->number = index - fabric->hosts + 1;
	} else {
		node->kind = NODE_SPINE;
		node->number = index - fabric->hosts - fabric->leaves + 1;
	}
	snprintf(node->name, sizeof(node->name), "%s%u", kinds[node->kind], node->number);
}

static void make_nodes(struct fabric *fabric, const struct shape *shape)
{
	uint32_t next = 0;

	fabric->nodes = zeroed(fabric->node_count, sizeof(*fabric->nodes));
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		name_node(fabric, i);
		fabric->nodes[i].first_port = next;
		fabric->nodes[i].port_count = node_ports(fabric, shape, i);
		next += fabric->nodes[i].port_count;
	}
	fabric->port_count = next;
}

static void make_ports(struct fabric *fabric)
{
	fabric->ports = zeroed(fabric->port_count, sizeof(*fabric->ports));
	fabric->nics = zeroed(fabric->hosts * fabric->rails, sizeof(*fabric->nics));
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = &fabric->nodes[i];

		for (uint32_t j = 0; j < node->port_count; j++) {
			struct port *port = &fabric->ports[node->first_port + j];

			*port = (struct port){ .node = i,
				.number = j + 1,
				.link = PORT_NONE,
				.peer = PORT_NONE,
				.nic = PORT_NONE };
			if (node->kind != NODE_HOST)
				continue;
			port->nic = fabric->nic_count;
			fabric->nics[fabric->nic_count++] = node->first_port + j;
		}
	}
}

void fabric_plug(
	struct fabric *fabric, uint32_t a, uint32_t b, uint64_t speed_bps, uint32_t length_m)
{
	uint32_t link = fabric->link_count++;

	assert(fabric->ports[a].link == PORT_NONE && fabric->ports[b].link == PORT_NONE);
	if (fabric->ports[a].node > fabric->ports[b].node) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	fabric->links[link] =
		(struct link){ .a = a, .b = b, .speed_bps = speed_bps, .length_m = length_m };
	fabric->ports[a].link = fabric->ports[b].link = link;
	fabric->ports[a].peer = b;
	fabric->ports[b].peer = a;
}

/* NIC r of the h-th host of a group goes to the group's r-th leaf, port h. */
static void plug_hosts(struct fabric *fabric, const struct shape *shape)
{
	for (uint32_t host = 0; host < fabric->hosts; host++) {
		uint32_t group = host / shape->hosts_per_leaf;
		uint32_t place = host % shape->hosts_per_leaf;

		for (uint32_t rail = 0; rail < shape->rails; rail++) {
			uint32_t leaf = fabric_leaf_node(fabric, group * shape->rails + rail);

			fabric_plug(fabric, fabric->nodes[host].first_port + rail,
				fabric->nodes[leaf].first_port + place, shape->speed_bps,
				shape->host_m);
		}
	}
}

static void plug_uplinks(struct fabric *fabric, const struct shape *shape)
{
	uint32_t cables = shape->links_per_spine;

	for (uint32_t leaf = 0; leaf < shape->leaves; leaf++) {
		const struct node *lower = &fabric->nodes[fabric_leaf_node(fabric, leaf)];
		uint32_t port = lower->first_port + shape->hosts_per_leaf;

		for (uint32_t i = 0; i < shape->spines * cables; i++) {
			const struct node *upper =
				&fabric->nodes[fabric_spine_node(fabric, i / cables)];

			fabric_plug(fabric, port + i,
				upper->first_port + leaf * cables + i % cables,
				shape->uplink_bps, shape->uplink_m);
		}
	}
}

void fabric_expand(struct fabric *fabric, const struct shape *shape)
{
	uint32_t links;

	assert(shape->rails && shape->leaves % shape->rails == 0);
	fabric->rails = shape->rails;
	fabric->leaves = shape->leaves;
	fabric->spines = shape->spines;
	fabric->hosts = shape->leaves / shape->rails * shape->hosts_per_leaf;
	fabric->node_count = fabric->hosts + fabric->leaves + fabric->spines;
	make_nodes(fabric, shape);
	make_ports(fabric);
	links = fabric->nic_count + shape->leaves * shape->spines * shape->links_per_spine;
	fabric->links = zeroed((size_t)links + shape->extra_links, sizeof(*fabric->links));
	plug_hosts(fabric, shape);
	plug_uplinks(fabric, shape);
}

void fabric_unplug(struct fabric *fabric, const bool *absent)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fabric->link_count; i++) {
		struct link link = fabric->links[i];

		fabric->ports[link.a].link = fabric->ports[link.b].link =
			absent[i] ? PORT_NONE : kept;
		if (absent[i])
			fabric->ports[link.a].peer = fabric->ports[link.b].peer = PORT_NONE;
		else
			fabric->links[kept++] = link;
	}
	fabric->link_count = kept;
}
