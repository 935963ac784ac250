/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/congest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/units.h"

static const struct congest_case {
	const char *name, *yaml;
	bool leaf_queues, spine_queues, leaf_paused, spine_paused, uplink_used;
} cases[] = {
	{ "three leaves meet at a spine's port",
		"leaves: 3\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n", true, true, true,
		true, true },
	{ "two leaves and one cable a spine cannot overload a spine",
		"leaves: 2\nspines: 4\nhosts_per_leaf: 4\nspeed: 100G\n", true, false, true,
		true, true },
	{ "two cables a spine can, by an uneven hash",
		"leaves: 2\nspines: 2\nlinks_per_spine: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		true, true, true, true, true },
	{ "one host a leaf is never more than a link carries",
		"leaves: 2\nspines: 2\nhosts_per_leaf: 1\nspeed: 100G\n", false, false, false,
		false, true },
	{ "under one leaf no uplink is used and nobody pauses the leaf",
		"leaves: 1\nspines: 1\nhosts_per_leaf: 8\nspeed: 100G\n", true, false, false,
		false, false },
	{ "two hosts under one leaf only talk to each other",
		"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n", false, false, false,
		false, false },
};

static void what_can_build_up_is_known(void **state)
{
	const struct congest_case *row = *state;
	struct fabric fabric = FABRIC_INIT;
	struct diag diag = { "" };
	uint32_t leaf, spine;

	assert_int_equal(
		fabric_parse(&fabric, "test", row->yaml, strlen(row->yaml), NULL, &diag), 0);
	leaf = fabric_find_node(&fabric, "leaf1");
	spine = fabric_find_node(&fabric, "spine1");
	assert_int_equal(congest_can_queue(&fabric, leaf), row->leaf_queues);
	assert_int_equal(congest_can_queue(&fabric, spine), row->spine_queues);
	assert_int_equal(congest_can_be_paused(&fabric, leaf), row->leaf_paused);
	assert_int_equal(congest_can_be_paused(&fabric, spine), row->spine_paused);
	assert_true(congest_link_used(&fabric, 0));
	assert_int_equal(congest_link_used(&fabric, fabric.link_count - 1), row->uplink_used);
	fabric_free(&fabric);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases)];

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = what_can_build_up_is_known,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("congest", tests, NULL, NULL);
}
