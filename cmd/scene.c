/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/scene.h"

#include <stdio.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

static enum scene_tier tier_of(enum node_kind kind)
{
	switch (kind) {
	case NODE_HOST:
		return SCENE_HOST;
	case NODE_LEAF:
		return SCENE_LEAF;
	case NODE_SPINE:
		break;
	}
	return SCENE_SPINE;
}

/* The leaf of the first of a host's ports that has a cable. */
static uint32_t leaf_of(const struct fabric *fabric, const struct node *node)
{
	for (uint32_t i = 0; node->kind == NODE_HOST && i < node->port_count; i++) {
		uint32_t peer = fabric->ports[node->first_port + i].peer;

		if (peer != PORT_NONE)
			return fabric->ports[peer].node;
	}
	return SCENE_NONE;
}

static void port_name(const struct fabric *fabric, uint32_t port, char *name)
{
	char text[2 * NAME_BYTES];

	fabric_port_name(fabric, port, text);
	snprintf(name, RUN_NAME, "%.*s", RUN_NAME - 1, text);
}

static void put_nodes(struct scene *scene, const struct fabric *fabric)
{
	scene->nodes = zeroed(fabric->node_count, sizeof(*scene->nodes));
	scene->node_count = fabric->node_count;
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = &fabric->nodes[i];

		snprintf(scene->nodes[i].name, RUN_NAME, "%s", node->name);
		scene->nodes[i].tier = tier_of(node->kind);
		scene->nodes[i].leaf = leaf_of(fabric, node);
	}
}

static void put_links(struct scene *scene, const struct fabric *fabric)
{
	scene->links = zeroed(fabric->link_count, sizeof(*scene->links));
	scene->link_count = fabric->link_count;
	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct link *from = &fabric->links[i];
		struct scene_link *link = &scene->links[i];

		link->a = fabric->ports[from->a].node;
		link->b = fabric->ports[from->b].node;
		port_name(fabric, from->a, link->a_port);
		port_name(fabric, from->b, link->b_port);
		link->speed_bps = from->speed_bps;
	}
	scene->nics = zeroed(fabric->nic_count, sizeof(*scene->nics));
	scene->nic_count = fabric->nic_count;
	for (uint32_t i = 0; i < fabric->nic_count; i++) {
		const struct port *port = &fabric->ports[fabric->nics[i]];

		port_name(fabric, fabric->nics[i], scene->nics[i].name);
		scene->nics[i].node = port->node;
		scene->nics[i].link = port->link == PORT_NONE ? SCENE_NONE : port->link;
	}
}

void scene_of(struct scene *scene, const struct fabric *fabric)
{
	*scene = (struct scene)SCENE_INIT;
	scene->spike = (double)fabric->limits.spike_ppb / (double)PPB;
	scene->buffer_bytes = fabric->policy.buffer_bytes;
	put_nodes(scene, fabric);
	put_links(scene, fabric);
	scene->faults = zeroed(fabric->fault_count, sizeof(*scene->faults));
	scene->fault_count = fabric->fault_count;
	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];

		snprintf(scene->faults[i].kind, sizeof(scene->faults[i].kind), "%s",
			fault_kind_name(fault->kind));
		snprintf(scene->faults[i].place, sizeof(scene->faults[i].place), "%s",
			fault->place);
		scene->faults[i].from_ns = fault->from_ns;
		scene->faults[i].to_ns = fault->to_ns;
	}
}
