/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/discover.h"
#include "lib/grow.h"
#include "lib/units.h"

struct leaf {
	const char *name; /* of the switch that the first port of its hosts tells of; "" */
	uint32_t hosts;
};

struct shape {
	struct leaf *leaves; /* owned; groups of switches that serve the same hosts */
	const struct discover_host
		*pattern; /* whose names are those of the rails; NULL: none */
	uint32_t groups, most, rails, heard;
	uint64_t speed_bps;
	uint32_t mtu_bytes;
};

static bool is_good(const struct discover_port *port)
{
	return !port->why[0];
}

static uint32_t good_ports(const struct discover_host *host)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < host->count; i++)
		good += is_good(&host->ports[i]);
	return good;
}

static const struct discover_port *first_good(const struct discover_host *host)
{
	for (uint32_t i = 0; i < host->count; i++)
		if (is_good(&host->ports[i]))
			return &host->ports[i];
	return NULL;
}

static const struct discover_port *good_port(
	const struct discover_host *host, const char *device)
{
	for (uint32_t i = 0; host && i < host->count; i++)
		if (is_good(&host->ports[i]) && strcmp(host->ports[i].device, device) == 0)
			return &host->ports[i];
	return NULL;
}

/* A host that has all rails under names that all others use too tells which NIC is which: where
 * one is left out, those behind it do not move up. */
static const struct discover_host *pattern_of(
	const struct discover_host *hosts, uint32_t count, uint32_t rails)
{
	const struct discover_host *pattern = NULL;

	for (uint32_t i = 0; i < count && !pattern; i++)
		if (good_ports(&hosts[i]) == rails)
			pattern = &hosts[i];
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < hosts[i].count; k++)
			if (is_good(&hosts[i].ports[k]) &&
				!good_port(pattern, hosts[i].ports[k].device))
				return NULL;
	return pattern;
}

static struct leaf *leaf_of(struct shape *shape, const char *name)
{
	struct leaf *leaf;

	for (uint32_t i = 0; i < shape->groups; i++)
		if (strcmp(shape->leaves[i].name, name) == 0)
			return &shape->leaves[i];
	leaf = &shape->leaves[shape->groups++];
	leaf->name = name;
	return leaf;
}

static void measure(struct shape *shape, const struct discover_host *hosts, uint32_t count)
{
	shape->leaves = zeroed(count, sizeof(*shape->leaves));
	for (uint32_t i = 0; i < count; i++) {
		const struct discover_port *first = first_good(&hosts[i]);
		struct leaf *leaf;

		if (!first)
			continue;
		leaf = leaf_of(shape, first->neighbour);
		if (++leaf->hosts > shape->most)
			shape->most = leaf->hosts;
		if (good_ports(&hosts[i]) > shape->rails)
			shape->rails = good_ports(&hosts[i]);
		shape->heard += first->neighbour[0] != '\0';
		if (first->speed_bps > shape->speed_bps)
			shape->speed_bps = first->speed_bps;
		for (uint32_t k = 0; k < hosts[i].count; k++)
			if (is_good(&hosts[i].ports[k]) &&
				(!shape->mtu_bytes ||
					hosts[i].ports[k].mtu_bytes < shape->mtu_bytes))
				shape->mtu_bytes = hosts[i].ports[k].mtu_bytes;
	}
	shape->pattern = pattern_of(hosts, count, shape->rails);
}

static void put_speed(FILE *out, const char *key, uint64_t bps)
{
	if (bps % GBPS == 0)
		fprintf(out, "%s: %" PRIu64 "G", key, bps / GBPS);
	else
		fprintf(out, "%s: %" PRIu64 "M", key, bps / (GBPS / 1000));
}

static void put_shape(FILE *out, const struct shape *shape)
{
	fprintf(out,
		"# A first fabric file, from what the hosts told. What hosts cannot see is to "
		"be filled in:\n# spines and their cables, the policy and the limits "
		"(docs/fabric-file.md).\n");
	if (shape->heard)
		fprintf(out, "# Leaves are the switches that LLDP told of.\n");
	else
		fprintf(out,
			"# No host told of a switch (lldpd does not run there, or lldpcli "
			"does not tell this\n# user), so all are on one leaf here: correct "
			"it.\n");
	if (shape->rails > 1)
		fprintf(out,
			"# NIC %s of each host is on a leaf of its own: correct it where "
			"NICs of a host share one.\n",
			shape->rails > 2 ? "1, 2 and so on" : "1 and 2");
	fprintf(out, "# Where the counters of switches are not to be had, proof: hosts asks "
		     "for no more than hosts measure.\n");
	if (shape->rails > 1 && !shape->pattern)
		fprintf(out, "# Hosts name their devices differently: look whether the right "
			     "ones have the same number.\n");
	fprintf(out, "leaves: %u\nspines: 1\nhosts_per_leaf: %u\n",
		shape->groups * shape->rails, shape->most);
	if (shape->speed_bps) {
		put_speed(out, "speed", shape->speed_bps);
		fprintf(out, "\n");
	} else {
		fprintf(out, "# No port told its speed: add it, such as speed: 400G.\n");
	}
	if (shape->rails > 1)
		fprintf(out, "rails: %u\n", shape->rails);
	fprintf(out, "mtu: %u\nhosts:\n", shape->mtu_bytes);
}

static void put_facts(FILE *out, const struct discover_port *port)
{
	fprintf(out, "  # %s%s%s%s", port->netdev[0] ? port->netdev : "no interface",
		port->soft ? ", Soft-RoCE" : "", port->driver[0] ? ", " : "", port->driver);
	if (port->firmware[0])
		fprintf(out, ", firmware %s", port->firmware);
	if (port->pci[0])
		fprintf(out, ", PCI %s", port->pci);
	if (port->numa >= 0)
		fprintf(out, ", NUMA node %" PRId64, port->numa);
	fprintf(out, ", MTU %u, GID %u %s", port->mtu_bytes, port->gid_index, port->gid);
	if (port->neighbour[0])
		fprintf(out, ", at %s %s", port->neighbour, port->neighbour_port);
	fprintf(out, "\n");
}

/* Other readers of YAML would take a name such as "on" or "1e3" for something else. */
static void put_quoted(FILE *out, const char *key, const char *text)
{
	fprintf(out, ", %s: \"", key);
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	fputc('"', out);
}

static void put_port(FILE *out, const struct shape *shape, uint32_t place, uint32_t rail,
	const char *host, const struct discover_port *port)
{
	fprintf(out, "  - {place: host%u", place);
	if (shape->rails > 1)
		fprintf(out, ":%u", rail);
	put_quoted(out, "host", host);
	put_quoted(out, "nic", port->device);
	if (port->speed_bps && port->speed_bps != shape->speed_bps) {
		fprintf(out, ", ");
		put_speed(out, "speed", port->speed_bps);
	}
	fprintf(out, "}\n");
	put_facts(out, port);
}

/* The NIC of a host on a rail, counted from 0, or NULL. */
static const struct discover_port *on_rail(
	const struct shape *shape, const struct discover_host *host, uint32_t rail)
{
	const struct discover_host *of = shape->pattern ? shape->pattern : host;

	for (uint32_t i = 0; i < of->count; i++)
		if (is_good(&of->ports[i]) && rail-- == 0)
			return good_port(host, of->ports[i].device);
	return NULL;
}

static void put_host(
	FILE *out, const struct shape *shape, uint32_t place, const struct discover_host *host)
{
	for (uint32_t rail = 0; rail < shape->rails; rail++) {
		const struct discover_port *port = on_rail(shape, host, rail);

		if (port)
			put_port(out, shape, place, rail + 1, host->name, port);
		else
			fprintf(out, "  - {place: host%u:%u, absent: yes}\n", place, rail + 1);
	}
	for (uint32_t i = 0; i < host->count; i++)
		if (!is_good(&host->ports[i]))
			fprintf(out, "  # left out: %s: %s\n", host->name, host->ports[i].why);
}

static void put_left_out(FILE *out, const struct discover_host *hosts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (first_good(&hosts[i]))
			continue;
		if (hosts[i].missing)
			fprintf(out, "# left out: %s did not answer\n", hosts[i].name);
		else if (hosts[i].count == 0)
			fprintf(out, "# left out: %s has no RDMA device\n", hosts[i].name);
		for (uint32_t k = 0; k < hosts[i].count; k++)
			fprintf(out, "# left out: %s: %s\n", hosts[i].name,
				hosts[i].ports[k].why);
	}
}

bool discover_write(FILE *out, const struct discover_host *hosts, uint32_t count)
{
	struct shape shape = { .leaves = NULL };
	uint32_t place = 0;

	measure(&shape, hosts, count);
	if (shape.groups)
		put_shape(out, &shape);
	for (uint32_t leaf = 0; leaf < shape.groups; leaf++) {
		uint32_t end = place + shape.most;

		if (shape.leaves[leaf].name[0])
			fprintf(out, "  # --- leaf%u: %s\n", leaf * shape.rails + 1,
				shape.leaves[leaf].name);
		for (uint32_t i = 0; i < count; i++) {
			const struct discover_port *first = first_good(&hosts[i]);

			if (first && strcmp(first->neighbour, shape.leaves[leaf].name) == 0)
				put_host(out, &shape, ++place, &hosts[i]);
		}
		while (place < end)
			fprintf(out, "  - {place: host%u, absent: yes}\n", ++place);
	}
	put_left_out(out, hosts, count);
	free(shape.leaves);
	return shape.groups > 0;
}
