/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/build.h"
#include "fabric/file_parts.h"
#include "lib/grow.h"
#include "lib/units.h"

static void change(const struct file *file, uint32_t link, const struct yaml_value *speed,
	const struct yaml_value *length)
{
	struct link *l = &file->fabric->links[link];

	l->speed_bps = file_number(speed, l->speed_bps);
	l->length_m = (uint32_t)file_number(length, l->length_m);
}

/* Names the ports of the cables that join the two nodes of an ambiguous name. */
static int no_such_link(
	const struct file *file, uint32_t line, const char *key, const char *name)
{
	const struct fabric *fabric = file->fabric;
	char link[2 * NAME_BYTES], left[64];
	const char *dash = strchr(name, '-');
	uint32_t a, b;

	if (!dash || dash == name)
		return file_refuse(file, line,
			"%s \"%s\": not a link: expected two ends such as leaf1-spine2 or "
			"leaf1:9-spine2:1",
			key, name);
	snprintf(left, sizeof(left), "%.*s", (int)(dash - name), name);
	a = fabric_find_node(fabric, left);
	b = fabric_find_node(fabric, dash + 1);
	for (uint32_t i = 0; a != PORT_NONE && b != PORT_NONE && i < fabric->link_count; i++) {
		uint32_t from = fabric->ports[fabric->links[i].a].node;
		uint32_t to = fabric->ports[fabric->links[i].b].node;

		if (!(from == a && to == b) && !(from == b && to == a))
			continue;
		fabric_link_name(fabric, i, link);
		return file_refuse(file, line,
			"%s \"%s\": several cables join the two: expected one by its ports, "
			"such as %s",
			key, name, link);
	}
	return file_refuse(file, line,
		"%s \"%s\": no such link in this fabric: expected two ends that a cable joins",
		key, name);
}

uint32_t file_find_link(
	const struct file *file, uint32_t line, const char *key, const char *name, int *err)
{
	uint32_t link = fabric_find_link(file->fabric, name);

	*err = link == PORT_NONE ? no_such_link(file, line, key, name) : 0;
	return link;
}

static int change_link(
	const struct file *file, const struct doc_link *doc, bool *absent, uint32_t *given)
{
	uint32_t link;
	int err;

	if (!doc->link.line)
		return file_refuse(file, doc->line,
			"links: an entry without a link: expected one such as link: "
			"leaf1-spine2");
	link = file_find_link(file, doc->link.line, "links.link", doc->link.text, &err);
	if (!err)
		err = file_check_speed(file, &doc->speed, "links.speed");
	if (err)
		return err;
	if (given[link])
		return file_refuse(file, doc->link.line,
			"links.link \"%s\": given in line %u already: expected each link once",
			doc->link.text, given[link]);
	given[link] = doc->link.line;
	change(file, link, &doc->speed, &doc->length);
	absent[link] = absent[link] || doc->absent.number;
	return 0;
}

static int bind_nic(const struct file *file, const struct doc_host *doc, uint32_t nic,
	const struct doc_host **given)
{
	if (given[nic])
		return file_refuse(file, doc->place.line,
			"hosts.place \"%s\": given in line %u already: expected each host and "
			"NIC once",
			doc->place.text, given[nic]->place.line);
	given[nic] = doc;
	return 0;
}

static int by_device(const void *left, const void *right)
{
	const struct doc_host *a = *(const struct doc_host *const *)left;
	const struct doc_host *b = *(const struct doc_host *const *)right;
	int order = strcmp(a->host.text, b->host.text);

	if (!order)
		order = strcmp(a->nic.text, b->nic.text);
	return order ? order : (a->nic.line > b->nic.line) - (a->nic.line < b->nic.line);
}

/* A device that stands behind two places would be measured against itself. */
static int check_devices(const struct file *file)
{
	const struct doc_plane *plane = file->plane;
	const struct doc_host **bound = zeroed(plane->host_count, sizeof(*bound));
	unsigned count = 0;
	int err = 0;

	for (unsigned i = 0; i < plane->host_count; i++)
		if (plane->hosts[i].host.line && plane->hosts[i].nic.line)
			bound[count++] = &plane->hosts[i];
	if (count)
		qsort(bound, count, sizeof(*bound), by_device);
	for (unsigned i = 1; i < count && !err; i++)
		if (strcmp(bound[i]->host.text, bound[i - 1]->host.text) == 0 &&
			strcmp(bound[i]->nic.text, bound[i - 1]->nic.text) == 0)
			err = file_refuse(file, bound[i]->nic.line,
				"hosts.nic \"%s\" of \"%s\": given in line %u already: "
				"expected each device of a machine once",
				bound[i]->nic.text, bound[i]->host.text,
				bound[i - 1]->nic.line);
	free(bound);
	return err;
}

/* One agent drives all NICs of a host. */
static int check_machines(const struct fabric *fabric, const struct file *file,
	const struct doc_host *const *given)
{
	for (uint32_t node = 0; node < fabric->hosts; node++) {
		const struct node *host = &fabric->nodes[node];
		const struct doc_host *first = given[fabric->ports[host->first_port].nic];

		for (uint32_t i = 1; i < host->port_count; i++) {
			const struct doc_host *other =
				given[fabric->ports[host->first_port + i].nic];

			if (first && other && first->host.line && other->host.line &&
				strcmp(first->host.text, other->host.text) != 0)
				return file_refuse(file, other->host.line,
					"hosts.host \"%s\": %s is \"%s\" by line %u: expected "
					"one machine for all NICs of a host",
					other->host.text, host->name, first->host.text,
					first->host.line);
		}
	}
	return 0;
}

static void keep_bindings(struct fabric *fabric, const struct doc_host *const *given)
{
	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		struct binding *binding = &fabric->bindings[fabric->binding_count];

		if (!given[nic] || (!given[nic]->host.line && !given[nic]->nic.line))
			continue;
		binding->nic = nic;
		if (given[nic]->host.line)
			snprintf(binding->host, sizeof(binding->host), "%s",
				given[nic]->host.text);
		if (given[nic]->nic.line)
			snprintf(binding->device, sizeof(binding->device), "%s",
				given[nic]->nic.text);
		fabric->binding_count++;
	}
}

/* A link's figures may stand in links or in hosts, not in both. */
static int given_twice(const struct file *file, const struct doc_host *doc, uint32_t link)
{
	const struct yaml_value *mine = doc->speed.line ? &doc->speed : &doc->length;
	int err;

	for (unsigned i = 0; i < file->plane->link_count; i++) {
		const struct doc_link *other = &file->plane->links[i];
		bool both = (doc->speed.line && other->speed.line) ||
			    (doc->length.line && other->length.line);

		if (both && file_find_link(file, other->link.line, "links.link",
				    other->link.text, &err) == link)
			return file_refuse(file, mine->line,
				"hosts: the link of %s is given in line %u already, in links: "
				"expected its speed and length in one of the two",
				doc->place.text, other->link.line);
	}
	return 0;
}

/* One entry of hosts: a host with all its NICs, or one NIC. */
static int change_host(const struct file *file, const struct doc_host *doc, bool *absent,
	const struct doc_host **given)
{
	struct fabric *fabric = file->fabric;
	const char *name = doc->place.line ? doc->place.text : "";
	uint32_t node = fabric_find_node(fabric, name), port = fabric_find_port(fabric, name);
	uint32_t count = 1, first = port;
	int err = file_check_speed(file, &doc->speed, "hosts.speed");

	if (err)
		return err;
	if (node != PORT_NONE && node < fabric->hosts) {
		first = fabric->nodes[node].first_port;
		count = fabric->nodes[node].port_count;
	} else if (port == PORT_NONE || fabric->ports[port].nic == PORT_NONE) {
		return file_refuse(file, doc->place.line ? doc->place.line : doc->line,
			"hosts.place \"%s\": no such host or NIC: expected one such as host3 "
			"or host3:2, up to host%u",
			name, fabric->hosts);
	}
	if (doc->nic.line && count > 1)
		return file_refuse(file, doc->nic.line,
			"hosts.nic \"%s\": %s has %u NICs: expected the place of one, such as "
			"%s:1",
			doc->nic.text, name, count, name);
	for (uint32_t i = 0; i < count && !err; i++) {
		uint32_t link = fabric->ports[first + i].link;

		err = given_twice(file, doc, link);
		if (err)
			return err;
		change(file, link, &doc->speed, &doc->length);
		absent[link] = absent[link] || doc->absent.number;
		err = bind_nic(file, doc, fabric->ports[first + i].nic, given);
	}
	return err;
}

static int change_hosts(const struct file *file, bool *absent)
{
	struct fabric *fabric = file->fabric;
	const struct doc_plane *plane = file->plane;
	const struct doc_host **given;
	int err = 0;

	if (plane->host_count == 0)
		return 0;
	given = zeroed(fabric->nic_count, sizeof(*given));
	fabric->bindings = zeroed(fabric->nic_count, sizeof(*fabric->bindings));
	for (unsigned i = 0; i < plane->host_count && !err; i++)
		err = change_host(file, &plane->hosts[i], absent, given);
	if (!err)
		err = check_devices(file);
	if (!err)
		err = check_machines(fabric, file, given);
	if (!err)
		keep_bindings(fabric, given);
	free(given);
	return err;
}

int file_change_links(const struct file *file)
{
	struct fabric *fabric = file->fabric;
	const struct doc_plane *plane = file->plane;
	bool *absent = zeroed(fabric->link_count, sizeof(*absent));
	uint32_t *given = zeroed(fabric->link_count, sizeof(*given)); /* in which line */
	int err = change_hosts(file, absent);

	for (unsigned i = 0; i < plane->link_count && !err; i++)
		err = change_link(file, &plane->links[i], absent, given);
	if (!err)
		fabric_unplug(fabric, absent);
	free(given);
	free(absent);
	return err;
}

/* "leaf3:12" beyond the ports that the leaf-spine uses: index of the switch and
 * port number; false for anything else. */
static bool switch_port(
	const struct shape *shape, const char *name, uint32_t *index, uint32_t *number)
{
	char kind[8], rest;
	unsigned at, port;

	if (sscanf(name, "%7[a-z]%5u:%5u%c", kind, &at, &port, &rest) != 3 || at == 0)
		return false;
	*number = port;
	*index = at - 1;
	if (strcmp(kind, "leaf") == 0)
		return at <= shape->leaves;
	*index += shape->leaves;
	return strcmp(kind, "spine") == 0 && at <= shape->spines;
}

static void count_port(const struct file *file, const struct shape *shape,
	const struct yaml_value *end, uint32_t *ports)
{
	uint64_t most = file_number(&file->plane->switch_ports, FABRIC_SWITCH_PORTS_MAX);
	uint32_t index, number;

	if (end->line && switch_port(shape, end->text, &index, &number) && number <= most &&
		number > ports[index])
		ports[index] = number;
}

void file_count_ports(const struct file *file, const struct shape *shape, uint32_t *ports)
{
	for (unsigned i = 0; i < file->plane->cable_count; i++) {
		count_port(file, shape, &file->plane->cables[i].from, ports);
		count_port(file, shape, &file->plane->cables[i].to, ports);
	}
}

static int find_end(const struct file *file, const struct doc_cable *doc,
	const struct yaml_value *end, const char *key, uint32_t *port)
{
	const struct fabric *fabric = file->fabric;
	char link[2 * NAME_BYTES];

	if (!end->line)
		return file_refuse(file, doc->line,
			"cables: an entry without %s: expected a port such as leaf1:9", key);
	*port = fabric_find_port(fabric, end->text);
	if (*port == PORT_NONE)
		return file_refuse(file, end->line,
			"cables.%s \"%s\": a cable to nowhere: expected a port of this fabric "
			"such as leaf1:9 or host3",
			key, end->text);
	if (fabric->ports[*port].link == PORT_NONE)
		return 0;
	fabric_link_name(fabric, fabric->ports[*port].link, link);
	return file_refuse(file, end->line,
		"cables.%s \"%s\": the port holds the cable %s already: expected a free port, "
		"or that link as absent",
		key, end->text, link);
}

static int add_cable(
	const struct file *file, const struct shape *shape, const struct doc_cable *doc)
{
	struct fabric *fabric = file->fabric;
	uint32_t from, to;
	bool from_nic, to_nic;
	int err = find_end(file, doc, &doc->from, "from", &from);

	if (!err)
		err = find_end(file, doc, &doc->to, "to", &to);
	if (!err)
		err = file_check_speed(file, &doc->speed, "cables.speed");
	if (err)
		return err;
	if (fabric->ports[from].node == fabric->ports[to].node)
		return file_refuse(file, doc->to.line,
			"cables: from %s to %s, the same device: expected two devices",
			doc->from.text, doc->to.text);
	from_nic = fabric->ports[from].nic != PORT_NONE;
	to_nic = fabric->ports[to].nic != PORT_NONE;
	if ((from_nic && fabric->nodes[fabric->ports[to].node].kind != NODE_LEAF) ||
		(to_nic && fabric->nodes[fabric->ports[from].node].kind != NODE_LEAF))
		return file_refuse(file, doc->to.line,
			"cables: from %s to %s: expected the cable of a NIC to end at a leaf",
			doc->from.text, doc->to.text);
	fabric_plug(fabric, from, to,
		file_number(
			&doc->speed, from_nic || to_nic ? shape->speed_bps : shape->uplink_bps),
		(uint32_t)file_number(
			&doc->length, from_nic || to_nic ? shape->host_m : shape->uplink_m));
	return 0;
}

int file_add_cables(const struct file *file, const struct shape *shape)
{
	int err = 0;

	for (unsigned i = 0; i < file->plane->cable_count && !err; i++)
		err = add_cable(file, shape, &file->plane->cables[i]);
	return err;
}
