/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/build.h"
#include "fabric/file_parts.h"
#include "lib/grow.h"
#include "lib/units.h"

static const uint64_t speeds_gbps[] = { 1, 10, 25, 40, 50, 100, 200, 400, 800, 1600 };

/* Below 1G, where only emulated fabrics are, any will do. */
int file_check_speed(const struct file *file, const struct yaml_value *speed, const char *key)
{
	if (!speed->line || speed->number < GBPS)
		return 0;
	for (size_t i = 0; i < COUNT_OF(speeds_gbps); i++)
		if (speed->number == speeds_gbps[i] * GBPS)
			return 0;
	return file_refuse(file, speed->line,
		"%s %s: no port has this speed: expected 1G, 10G, 25G, 40G, 50G, 100G, 200G, "
		"400G, 800G or 1.6T",
		key, speed->text);
}

/* The line to name for a key that is not there: the first that is. */
static uint32_t first_line(const struct doc_plane *plane)
{
	const struct yaml_value *values[] = { &plane->name, &plane->leaves, &plane->spines,
		&plane->hosts_per_leaf, &plane->speed };
	uint32_t line = plane->line;

	for (size_t i = 0; i < COUNT_OF(values); i++)
		if (values[i]->line && (!line || values[i]->line < line))
			line = values[i]->line;
	return line ? line : 1;
}

int file_check_required(const struct file *file)
{
	const struct doc_plane *plane = file->plane;
	const struct {
		const struct yaml_value *value;
		const char *sentence;
	} required[] = {
		{ &plane->leaves, "no key \"leaves\": expected one such as leaves: 4" },
		{ &plane->spines, "no key \"spines\": expected one such as spines: 8" },
		{ &plane->hosts_per_leaf,
			"no key \"hosts_per_leaf\": expected one such as hosts_per_leaf: 8" },
		{ &plane->speed, "no key \"speed\": expected one such as speed: 100G" },
	};

	for (size_t i = 0; i < COUNT_OF(required); i++)
		if (!required[i].value->line)
			return file_refuse(file, first_line(plane), "%s", required[i].sentence);
	return 0;
}

static int check_radix(const struct file *file, const struct shape *shape)
{
	const struct yaml_value *radix = &file->plane->switch_ports;
	uint32_t leaf = shape->hosts_per_leaf + shape->spines * shape->links_per_spine;
	uint32_t spine = shape->leaves * shape->links_per_spine;
	uint64_t most = file_number(radix, FABRIC_SWITCH_PORTS_MAX);
	uint32_t line = radix->line ? radix->line : file->plane->hosts_per_leaf.line;

	if (leaf > most)
		return file_refuse(file, line,
			"a leaf needs %u ports (%u hosts, %u uplinks) and a switch has %" PRIu64
			": expected fewer hosts or spines, or more switch_ports",
			leaf, shape->hosts_per_leaf, leaf - shape->hosts_per_leaf, most);
	if (spine > most)
		return file_refuse(file, line,
			"a spine needs %u ports (%u leaves, %u to each) and a switch has "
			"%" PRIu64 ": expected fewer leaves or cables, or more switch_ports",
			spine, shape->leaves, shape->links_per_spine, most);
	return 0;
}

static int check_size(const struct file *file, const struct shape *shape)
{
	const struct doc_plane *plane = file->plane;
	uint64_t hosts = (uint64_t)shape->leaves / shape->rails * shape->hosts_per_leaf;
	uint64_t uplinks = (uint64_t)shape->leaves * shape->spines * shape->links_per_spine;

	if (shape->leaves % shape->rails)
		return file_refuse(file, plane->rails.line,
			"rails %u with %u leaves: expected leaves in whole groups of one for "
			"each rail",
			shape->rails, shape->leaves);
	if (hosts > FABRIC_HOSTS_MAX)
		return file_refuse(file, plane->hosts_per_leaf.line,
			"%" PRIu64 " hosts in all: expected at most %u", hosts,
			FABRIC_HOSTS_MAX);
	if (hosts * shape->rails + uplinks > FABRIC_CABLES_MAX)
		return file_refuse(file, plane->hosts_per_leaf.line,
			"%" PRIu64 " cables in all: expected at most %u",
			hosts * shape->rails + uplinks, FABRIC_CABLES_MAX);
	return check_radix(file, shape);
}

static int read_shape(const struct file *file, struct shape *shape)
{
	const struct doc_plane *plane = file->plane;
	int err = file_check_speed(file, &plane->uplink_speed, "uplink_speed");

	if (err)
		return err;
	*shape = (struct shape){
		.leaves = (uint32_t)plane->leaves.number,
		.spines = (uint32_t)plane->spines.number,
		.hosts_per_leaf = (uint32_t)plane->hosts_per_leaf.number,
		.rails = (uint32_t)file_number(&plane->rails, 1),
		.links_per_spine = (uint32_t)file_number(&plane->links_per_spine, 1),
		.speed_bps = plane->speed.number,
		.uplink_bps = file_number(&plane->uplink_speed, plane->speed.number),
		.host_m = (uint32_t)file_number(&plane->cable->host, 5),
		.uplink_m = (uint32_t)file_number(&plane->cable->uplink, 100),
		.extra_links = plane->cable_count,
	};
	return check_size(file, shape);
}

/* The first leaf from 0 that has a NIC and has not been seen; PORT_NONE: none. */
static uint32_t unseen_leaf(const struct fabric *fabric, const bool *seen)
{
	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		uint32_t leaf = fabric_nic_leaf(fabric, nic);

		if (leaf != PORT_NONE && !seen[leaf])
			return leaf;
	}
	return PORT_NONE;
}

/* Marks all switches that cables join to a leaf. */
static void spread(const struct fabric *fabric, uint32_t leaf, bool *seen)
{
	uint32_t *queue = zeroed(fabric->node_count, sizeof(*queue));
	uint32_t head = 0, tail = 0;

	seen[leaf] = true;
	queue[tail++] = leaf;
	while (head < tail) {
		const struct node *node = &fabric->nodes[fabric->hosts + queue[head++]];

		for (uint32_t i = 0; i < node->port_count; i++) {
			uint32_t peer = fabric->ports[node->first_port + i].peer, next;

			if (peer == PORT_NONE || fabric->ports[peer].node < fabric->hosts)
				continue;
			next = fabric->ports[peer].node - fabric->hosts;
			if (seen[next])
				continue;
			seen[next] = true;
			queue[tail++] = next;
		}
	}
	free(queue);
}

static int check_paths(const struct file *file)
{
	const struct fabric *fabric = file->fabric;
	bool *seen = zeroed(fabric->node_count, sizeof(*seen));
	uint32_t first = unseen_leaf(fabric, seen), lost = PORT_NONE;

	if (first != PORT_NONE) {
		spread(fabric, first, seen);
		lost = unseen_leaf(fabric, seen);
	}
	free(seen);
	if (first == PORT_NONE)
		return file_refuse(file, file->plane->leaves.line,
			"no host has a cable: expected at least one that is not absent");
	if (lost != PORT_NONE)
		return file_refuse(file, file->plane->leaves.line,
			"no path between leaf%u and leaf%u: expected cables that join all "
			"leaves with hosts",
			first + 1, lost + 1);
	return 0;
}

int file_read_wiring(const struct file *file)
{
	struct shape shape;
	uint32_t *ports;
	int err = read_shape(file, &shape);

	if (err)
		return err;
	ports = zeroed((size_t)shape.leaves + shape.spines, sizeof(*ports));
	file_count_ports(file, &shape, ports);
	shape.ports = ports;
	fabric_expand(file->fabric, &shape);
	free(ports);
	err = file_change_links(file);
	if (!err)
		err = file_add_cables(file, &shape);
	if (!err)
		err = check_paths(file);
	return err;
}
