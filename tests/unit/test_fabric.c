/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/build.h"
#include "fabric/fabric.h"
#include "lib/units.h"

static const struct shape_case {
	const char *name;
	struct shape shape;
	uint32_t hosts, nics, leaf_ports, spine_ports;
} cases[] = {
	{ "one leaf", { 1, 1, 4, 1, 1, 100 * GBPS, 100 * GBPS, 5, 100, NULL, 0 }, 4, 4, 5, 1 },
	{ "32 hosts", { 4, 8, 8, 1, 1, 100 * GBPS, 100 * GBPS, 5, 100, NULL, 0 }, 32, 32, 16,
		4 },
	{ "two cables to a spine", { 4, 2, 8, 1, 2, 100 * GBPS, 200 * GBPS, 3, 20, NULL, 0 },
		32, 32, 12, 8 },
	{ "two rails", { 4, 4, 4, 2, 1, 100 * GBPS, 100 * GBPS, 5, 100, NULL, 0 }, 8, 16, 8,
		4 },
	{ "eight rails on eight leaves",
		{ 8, 4, 16, 8, 2, 400 * GBPS, 400 * GBPS, 5, 100, NULL, 0 }, 16, 128, 24, 16 },
};

static void numbers_of_everything_follow_from_the_shape(void **state)
{
	const struct shape_case *row = *state;
	const struct shape *shape = &row->shape;
	struct fabric fabric = FABRIC_INIT;

	fabric_expand(&fabric, shape);
	assert_int_equal(fabric.hosts, row->hosts);
	assert_int_equal(fabric.nic_count, row->nics);
	assert_int_equal(fabric.node_count, row->hosts + shape->leaves + shape->spines);
	assert_int_equal(fabric.link_count,
		row->nics + shape->leaves * shape->spines * shape->links_per_spine);
	for (uint32_t i = 0; i < fabric.node_count; i++) {
		const struct node *node = &fabric.nodes[i];

		assert_int_equal(node->port_count, node->kind == NODE_HOST ? shape->rails
						   : node->kind == NODE_LEAF
							   ? row->leaf_ports
							   : row->spine_ports);
	}
	fabric_free(&fabric);
}

/* Every cable seen from both ends, every name found again. */
static void every_port_is_plugged_once_and_found_by_name(void **state)
{
	const struct shape_case *row = *state;
	struct fabric fabric = FABRIC_INIT;
	char name[2 * NAME_BYTES];

	fabric_expand(&fabric, &row->shape);
	for (uint32_t i = 0; i < fabric.port_count; i++) {
		const struct port *port = &fabric.ports[i];

		assert_int_equal(fabric.ports[port->peer].peer, i);
		assert_int_equal(fabric.ports[port->peer].link, port->link);
		fabric_port_name(&fabric, i, name);
		assert_int_equal(fabric_find_port(&fabric, name), i);
	}
	for (uint32_t i = 0; i < fabric.link_count; i++) {
		assert_true(fabric.ports[fabric.links[i].a].node <
			    fabric.ports[fabric.links[i].b].node);
		fabric_link_name(&fabric, i, name);
		assert_int_equal(fabric_find_link(&fabric, name), i);
	}
	for (uint32_t i = 0; i < fabric.node_count; i++)
		assert_int_equal(fabric_find_node(&fabric, fabric.nodes[i].name), i);
	fabric_free(&fabric);
}

static void the_nics_of_a_host_meet_their_peers_rail_by_rail(void **state)
{
	const struct shape_case *row = *state;
	const struct shape *shape = &row->shape;
	struct fabric fabric = FABRIC_INIT;

	fabric_expand(&fabric, shape);
	for (uint32_t nic = 0; nic < fabric.nic_count; nic++) {
		uint32_t host = nic / shape->rails, rail = nic % shape->rails;
		uint32_t group = host / shape->hosts_per_leaf;

		assert_int_equal(fabric_nic_leaf(&fabric, nic), group * shape->rails + rail);
		assert_int_equal(fabric_nic_bps(&fabric, nic), shape->speed_bps);
		assert_int_equal(fabric.ports[fabric.nics[nic]].node, host);
	}
	fabric_free(&fabric);
}

static void make(struct fabric *fabric, uint32_t rails, uint32_t links_per_spine)
{
	struct shape shape = { 4, 2, 4, rails, links_per_spine, 100 * GBPS, 100 * GBPS, 5, 100,
		NULL, 2 };

	*fabric = (struct fabric)FABRIC_INIT;
	fabric_expand(fabric, &shape);
}

static void names_are_those_of_the_header(void **state)
{
	struct fabric fabric;
	char name[2 * NAME_BYTES];

	(void)state;
	make(&fabric, 2, 2);
	fabric_nic_name(&fabric, 3, name);
	assert_string_equal(name, "host2:2");
	fabric_link_name(&fabric, 0, name);
	assert_string_equal(name, "host1:1-leaf1:1");
	/* Uplinks follow the hosts, by spine and then by cable. */
	fabric_link_name(&fabric, fabric.nic_count + 3, name);
	assert_string_equal(name, "leaf1:8-spine2:2");
	fabric_free(&fabric);
	make(&fabric, 1, 1);
	fabric_nic_name(&fabric, 1, name);
	assert_string_equal(name, "host2");
	fabric_link_name(&fabric, 1, name);
	assert_string_equal(name, "host2-leaf1:2");
	fabric_free(&fabric);
}

static void a_name_that_is_not_quite_one_is_not_found(void **state)
{
	static const char *const nodes[] = { "", "leaf", "leaf0", "leaf5", "leaf01", "leaf-1",
		"Leaf1", "leaf1 ", "leaf1x", "spine3", "host17", "leaf99999999999999" };
	static const char *const ports[] = { "leaf1", "leaf1:", "leaf1:0", "leaf1:7",
		"leaf1:1:1", "host1:2", "leaf1:01", ":1", "spine1:5" };
	static const char *const links[] = { "", "-", "leaf1", "leaf1-", "-leaf1",
		"leaf1-leaf2", "leaf1:5-spine1:2", "leaf1:5-spine2", "host1-leaf2",
		"leaf1-spine1-spine2", "leaf1:9-spine1:1" };
	struct fabric fabric;

	(void)state;
	make(&fabric, 1, 1);
	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		assert_int_equal(fabric_find_node(&fabric, nodes[i]), PORT_NONE);
	for (size_t i = 0; i < COUNT_OF(ports); i++)
		assert_int_equal(fabric_find_port(&fabric, ports[i]), PORT_NONE);
	for (size_t i = 0; i < COUNT_OF(links); i++)
		assert_int_equal(fabric_find_link(&fabric, links[i]), PORT_NONE);
	fabric_free(&fabric);
}

static void a_link_is_found_by_nodes_only_where_it_is_the_only_one(void **state)
{
	struct fabric fabric;
	uint32_t link;

	(void)state;
	make(&fabric, 1, 1);
	link = fabric_find_link(&fabric, "leaf1:6-spine2:1");
	assert_int_not_equal(link, PORT_NONE);
	assert_int_equal(fabric_find_link(&fabric, "leaf1-spine2"), link);
	assert_int_equal(fabric_find_link(&fabric, "spine2-leaf1"), link);
	assert_int_equal(fabric_find_link(&fabric, "leaf1:6-spine2"), link);
	assert_int_equal(fabric_find_link(&fabric, "leaf1-spine2:1"), link);
	assert_int_equal(fabric_find_link(&fabric, "host3-leaf1"), 2);
	fabric_free(&fabric);
	make(&fabric, 1, 2);
	assert_int_equal(fabric_find_link(&fabric, "leaf1-spine2"), PORT_NONE);
	assert_int_not_equal(fabric_find_link(&fabric, "leaf1:8-spine2"), PORT_NONE);
	fabric_free(&fabric);
}

static void unplugging_leaves_the_rest_in_order(void **state)
{
	struct fabric fabric;
	bool absent[24] = { false };
	char name[2 * NAME_BYTES];
	uint32_t port;

	(void)state;
	make(&fabric, 1, 1);
	assert_int_equal(fabric.link_count, COUNT_OF(absent));
	absent[0] = absent[16] = true; /* host1, leaf1-spine1 */
	fabric_unplug(&fabric, absent);
	assert_int_equal(fabric.link_count, 22);
	assert_int_equal(fabric_nic_leaf(&fabric, 0), PORT_NONE);
	assert_int_equal(fabric_nic_bps(&fabric, 0), 0);
	assert_int_equal(fabric_find_link(&fabric, "leaf1-spine1"), PORT_NONE);
	fabric_link_name(&fabric, 0, name);
	assert_string_equal(name, "host2-leaf1:2");
	assert_int_equal(fabric_find_link(&fabric, "leaf1-spine2"), 15);

	/* The cable comes back, in another leaf. */
	port = fabric_find_port(&fabric, "leaf1:5");
	fabric_plug(&fabric, port, fabric.nics[0], 25 * GBPS, 7);
	fabric_link_name(&fabric, 22, name);
	assert_string_equal(name, "host1-leaf1:5");
	assert_int_equal(fabric_nic_bps(&fabric, 0), 25 * GBPS);
	fabric_free(&fabric);
}

int main(void)
{
	static const CMUnitTestFunction of_shapes[] = {
		numbers_of_everything_follow_from_the_shape,
		every_port_is_plugged_once_and_found_by_name,
		the_nics_of_a_host_meet_their_peers_rail_by_rail,
	};
	struct CMUnitTest tests[COUNT_OF(of_shapes) * COUNT_OF(cases) + 4] = {
		cmocka_unit_test(names_are_those_of_the_header),
		cmocka_unit_test(a_name_that_is_not_quite_one_is_not_found),
		cmocka_unit_test(a_link_is_found_by_nodes_only_where_it_is_the_only_one),
		cmocka_unit_test(unplugging_leaves_the_rest_in_order),
	};

	for (size_t i = 0; i < COUNT_OF(of_shapes) * COUNT_OF(cases); i++)
		tests[i + 4] = (struct CMUnitTest){
			.name = cases[i % COUNT_OF(cases)].name,
			.test_func = of_shapes[i / COUNT_OF(cases)],
			.initial_state = (void *)(uintptr_t)&cases[i % COUNT_OF(cases)],
		};
	return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
