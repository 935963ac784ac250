/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/numa.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/host.h"
#include "lib/units.h"

static char root[] = "/tmp/weft-numa-XXXXXX";

/* Writes a file below the root, with the folders that it needs; NULL removes it. */
static void put(const char *path, const char *text)
{
	char full[300];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	if (!text) {
		unlink(full);
		return;
	}
	for (char *at = full + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0700);
		*at = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#define NODE_FILE "/sys/class/infiniband/mlx5_0/device/numa_node"
#define LIST_FILE "/sys/devices/system/node/node1/cpulist"

static const struct target_case {
	const char *name, *node, *list, *mine;
	enum numa_bound bound;
	const char *target;
} cases[] = {
	{ "a process that may go anywhere goes to the NIC's node", "1\n", "8-15,24-31\n",
		"0-31", NUMA_BOUND, "8-15,24-31" },
	{ "one that was restricted goes where both allow", "1\n", "8-15\n", "4-9", NUMA_BOUND,
		"8-9" },
	{ "one that may not use the node stays where it is", "1\n", "8-15\n", "0-7",
		NUMA_ELSEWHERE, NULL },
	{ "a device of no node binds nothing", "-1\n", "8-15\n", "0-31", NUMA_NO_NODE, NULL },
	{ "a device that tells no node binds nothing", NULL, "8-15\n", "0-31", NUMA_NO_NODE,
		NULL },
	{ "a node without a list is not known", "1\n", NULL, "0-31", NUMA_UNKNOWN, NULL },
	{ "a list that makes no sense is not known", "1\n", "8-\n", "0-31", NUMA_UNKNOWN,
		NULL },
	{ "a range that goes down is not known", "1\n", "8-4\n", "0-31", NUMA_UNKNOWN, NULL },
	{ "a processor beyond all sets is not known", "1\n", "0-999999\n", "0-31", NUMA_UNKNOWN,
		NULL },
	{ "a node without processors is one that it may not use", "1\n", "\n", "0-31",
		NUMA_ELSEWHERE, NULL },
};

/* A set as text, read by what is tested: a node of its own. */
static cpu_set_t set(const struct host *host, const char *list)
{
	cpu_set_t got;

	put("/sys/devices/system/node/node9/cpulist", list);
	assert_int_equal(numa_processors(host, 9, &got), 0);
	return got;
}

static void a_process_goes_where_it_may(void **state)
{
	const struct target_case *row = *state;
	struct host host = { .root = root };
	cpu_set_t mine = set(&host, row->mine), target, wanted;
	int node = -1;

	put(NODE_FILE, row->node);
	put(LIST_FILE, row->list);
	assert_int_equal(numa_target(&host, "mlx5_0", &mine, &target, &node), row->bound);
	assert_int_equal(node, row->bound == NUMA_NO_NODE ? -1 : 1);
	if (!row->target)
		return;
	wanted = set(&host, row->target);
	assert_true(CPU_EQUAL(&target, &wanted));
}

static void a_list_is_read_as_the_kernel_writes_it(void **state)
{
	struct host host = { .root = root };
	cpu_set_t got = set(&host, "0,2-3\n");

	(void)state;
	assert_int_equal(CPU_COUNT(&got), 3);
	assert_true(CPU_ISSET(0, &got) && CPU_ISSET(2, &got) && CPU_ISSET(3, &got));
}

static void what_cannot_be_bound_is_said(void **state)
{
	char text[96];

	(void)state;
	assert_int_equal(numa_bind("no-such-device", text, sizeof(text)), NUMA_NO_NODE);
	assert_string_equal(text, "not bound, no-such-device belongs to no NUMA node");
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 2] = {
		cmocka_unit_test(a_list_is_read_as_the_kernel_writes_it),
		cmocka_unit_test(what_cannot_be_bound_is_said),
	};
	char command[64];
	int failed;

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = a_process_goes_where_it_may,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	if (!mkdtemp(root))
		return 1;
	failed = cmocka_run_group_tests_name("numa", tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? 1 : failed;
}
