/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "fabric/routing.h"
#include "lib/diag.h"
#include "lib/units.h"

static const struct wiring_case {
	const char *name, *file;
} cases[] = {
	{ "leaf-spine", "leaves: 4\nspines: 8\nhosts_per_leaf: 4\nspeed: 100G\n" },
	{ "parallel cables",
		"leaves: 3\nspines: 2\nhosts_per_leaf: 4\nlinks_per_spine: 3\nspeed: 100G\n" },
	{ "rails", "leaves: 4\nspines: 2\nhosts_per_leaf: 4\nrails: 2\nspeed: 100G\n" },
	{ "one leaf", "leaves: 1\nspines: 1\nhosts_per_leaf: 4\nspeed: 100G\n" },
	{ "links missing",
		"leaves: 4\nspines: 3\nhosts_per_leaf: 2\nspeed: 100G\nlinks:\n"
		"- {link: leaf1-spine1, absent: yes}\n- {link: leaf2-spine2, absent: yes}\n"
		"- {link: leaf3-spine3, absent: yes}\n" },
	{ "a detour over a third leaf",
		"leaves: 3\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\nlinks:\n"
		"- {link: leaf1-spine2, absent: yes}\n- {link: leaf3-spine1, absent: yes}\n" },
	{ "leaves joined directly", "leaves: 2\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n"
				    "cables:\n- {from: leaf1:9, to: leaf2:9}\n" },
	{ "a NIC on the wrong leaf", "leaves: 2\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\n"
				     "hosts:\n- {place: host1, absent: yes}\n"
				     "cables:\n- {from: host1, to: leaf2:9}\n" },
	{ "a leaf without hosts and without uplinks",
		"leaves: 2\nspines: 1\nhosts_per_leaf: 1\nspeed: 100G\n"
		"hosts:\n- {place: host2, absent: yes}\n"
		"links:\n- {link: leaf2-spine1, absent: yes}\n" },
};

static void make(struct fabric *fabric, struct routing *routing, const char *file)
{
	struct diag diag = { "" };

	*routing = (struct routing)ROUTING_INIT;
	if (fabric_parse(fabric, "f", file, strlen(file), NULL, &diag) ||
		routing_init(routing, fabric, 7, &diag))
		fail_msg("%s", diag.text);
}

static uint32_t peer_node(const struct fabric *fabric, uint32_t port)
{
	return fabric->ports[fabric->ports[port].peer].node;
}

/* The least number of links between two switches, by relaxing every link until
 * nothing changes: slow, and not the way the code does it. */
static void measure(const struct fabric *fabric, uint32_t from, uint32_t *links)
{
	bool changed = true;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		links[i] = i == from ? 0 : 1000;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < fabric->link_count; i++) {
			uint32_t a = fabric->ports[fabric->links[i].a].node;
			uint32_t b = fabric->ports[fabric->links[i].b].node;

			if (a < fabric->hosts)
				continue;
			if (links[a] + 1 < links[b] || links[b] + 1 < links[a]) {
				if (links[a] + 1 < links[b])
					links[b] = links[a] + 1;
				else
					links[a] = links[b] + 1;
				changed = true;
			}
		}
	}
}

static void check_path(const struct fabric *fabric, const uint32_t *ports, uint32_t count,
	uint32_t src, uint32_t dst)
{
	uint32_t links[64];

	assert_int_equal(ports[0], fabric->nics[src]);
	for (uint32_t i = 0; i + 1 < count; i++)
		assert_int_equal(peer_node(fabric, ports[i]), fabric->ports[ports[i + 1]].node);
	assert_int_equal(fabric->ports[ports[count - 1]].peer, fabric->nics[dst]);
	measure(fabric, peer_node(fabric, ports[0]), links);
	assert_int_equal(count - 2, links[fabric->ports[ports[count - 1]].node]);
}

static void every_path_is_a_shortest_one_and_arrives(void **state)
{
	const struct wiring_case *row = *state;
	struct fabric fabric;
	struct routing routing;
	uint32_t ports[16];

	make(&fabric, &routing, row->file);
	assert_true(fabric.node_count <= 64);
	for (uint32_t src = 0; src < fabric.nic_count; src++) {
		for (uint32_t dst = 0; dst < fabric.nic_count; dst++) {
			uint32_t count;

			if (src == dst)
				continue;
			for (uint32_t qp = 0; qp < 4; qp++) {
				count = routing_path(&routing, src, dst,
					route_sport(1, src, dst, qp), ports, 16);
				if (fabric_nic_leaf(&fabric, src) == PORT_NONE ||
					fabric_nic_leaf(&fabric, dst) == PORT_NONE)
					assert_int_equal(count, 0);
				else
					check_path(&fabric, ports, count, src, dst);
			}
		}
	}
	routing_free(&routing);
	fabric_free(&fabric);
}

static void equal_paths_are_all_members_ascending(void **state)
{
	struct fabric fabric;
	struct routing routing;

	(void)state;
	make(&fabric, &routing, cases[0].file);
	for (uint32_t at = 0; at < 4; at++) {
		for (uint32_t to = 0; to < 4; to++) {
			const struct route_group *group = &routing.groups[at * 4 + to];
			const uint32_t *member = routing.members + group->first;

			assert_int_equal(group->count, at == to ? 0 : 8);
			assert_int_equal(routing.distance[at * 4 + to], at == to ? 0 : 2);
			for (uint32_t i = 1; i < group->count; i++)
				assert_true(member[i] > member[i - 1]);
		}
	}
	/* All destinations of a leaf share one set; a spine has one port a leaf. */
	assert_int_equal(routing.member_count, 4 * 8 + 8 * 4);
	routing_free(&routing);
	fabric_free(&fabric);
}

static void the_same_seed_takes_the_same_way_and_others_do_not(void **state)
{
	struct fabric fabric;
	struct routing first, again, other;
	struct diag diag;
	uint32_t a[8], b[8], c[8], differ = 0;

	(void)state;
	make(&fabric, &first, cases[0].file);
	assert_int_equal(routing_init(&again, &fabric, 7, &diag), 0);
	assert_int_equal(routing_init(&other, &fabric, 8, &diag), 0);
	for (uint16_t sport = 0xc000; sport < 0xc100; sport++) {
		assert_int_equal(routing_path(&first, 0, 15, sport, a, 8), 4);
		assert_int_equal(routing_path(&again, 0, 15, sport, b, 8), 4);
		assert_int_equal(routing_path(&other, 0, 15, sport, c, 8), 4);
		assert_memory_equal(a, b, 4 * sizeof(*a));
		differ += memcmp(a, c, 4 * sizeof(*a)) != 0;
	}
	assert_in_range(differ, 256 * 6 / 8, 255);
	routing_free(&first);
	routing_free(&again);
	routing_free(&other);
	fabric_free(&fabric);
}

/* 4096 source ports over 8 uplinks: each within five standard deviations. */
static void source_ports_spread_over_all_uplinks(void **state)
{
	struct fabric fabric;
	struct routing routing;
	uint32_t ports[8], seen[8] = { 0 };

	(void)state;
	make(&fabric, &routing, cases[0].file);
	for (uint32_t qp = 0; qp < 4096; qp++) {
		assert_int_equal(
			routing_path(&routing, 1, 14, route_sport(3, 1, 14, qp), ports, 8), 4);
		seen[ports[1] - fabric_find_port(&fabric, "leaf1:5")]++;
	}
	for (unsigned i = 0; i < 8; i++)
		assert_in_range(seen[i], 512 - 106, 512 + 106);
	routing_free(&routing);
	fabric_free(&fabric);
}

static void source_ports_of_one_pair_differ_and_stay_in_range(void **state)
{
	static bool used[0x4000];

	(void)state;
	for (uint32_t qp = 0; qp < 0x4000; qp++) {
		uint16_t sport = route_sport(5, 2, 9, qp);

		assert_in_range(sport, 0xc000, 0xffff);
		assert_false(used[sport - 0xc000]);
		used[sport - 0xc000] = true;
	}
}

static void a_path_longer_than_there_is_room_for_is_none(void **state)
{
	struct fabric fabric;
	struct routing routing;
	uint32_t ports[4];

	(void)state;
	make(&fabric, &routing, cases[0].file);
	assert_int_equal(routing_path(&routing, 0, 15, 0xc000, ports, 4), 4);
	assert_int_equal(routing_path(&routing, 0, 15, 0xc000, ports, 3), 0);
	assert_int_equal(routing_path(&routing, 0, 15, 0xc000, ports, 0), 0);
	routing_free(&routing);
	routing_free(&routing);
	fabric_free(&fabric);
}

static void leaves_without_a_path_are_named(void **state)
{
	struct fabric fabric;
	struct routing routing;
	bool absent[32] = { false };
	struct diag diag = { "" };

	(void)state;
	make(&fabric, &routing, cases[1].file);
	routing_free(&routing);
	for (uint32_t i = 0; i < fabric.link_count; i++)
		absent[i] =
			fabric.ports[fabric.links[i].a].node == fabric_leaf_node(&fabric, 2);
	for (uint32_t i = 0; i < fabric.link_count; i++)
		if (absent[i])
			fabric.ports[fabric.links[i].a].peer =
				fabric.ports[fabric.links[i].b].peer = PORT_NONE;
	assert_int_equal(routing_init(&routing, &fabric, 1, &diag), -EHOSTUNREACH);
	assert_string_equal(diag.text, "no path between leaf1 and leaf3: expected cables that "
				       "join all leaves with hosts");
	fabric_free(&fabric);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 6] = {
		cmocka_unit_test(equal_paths_are_all_members_ascending),
		cmocka_unit_test(the_same_seed_takes_the_same_way_and_others_do_not),
		cmocka_unit_test(source_ports_spread_over_all_uplinks),
		cmocka_unit_test(source_ports_of_one_pair_differ_and_stay_in_range),
		cmocka_unit_test(a_path_longer_than_there_is_room_for_is_none),
		cmocka_unit_test(leaves_without_a_path_are_named),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 6] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = every_path_is_a_shortest_one_and_arrives,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("routing", tests, NULL, NULL);
}
