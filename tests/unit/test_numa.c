/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/numa.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

static void a_node_is_common_where_all_devices_have_it(void **state)
{
	static const char *const devices[] = { "mlx5_0", "mlx5_7", "mlx5_8" };
	const struct host host = { .root = root };

	(void)state;
	put(NODE_FILE, "1\n");
	put("/sys/class/infiniband/mlx5_7/device/numa_node", "1\n");
	put("/sys/class/infiniband/mlx5_8/device/numa_node", "0\n");
	assert_int_equal(numa_common(&host, devices, 2), 1);
	assert_int_equal(numa_common(&host, devices, 3), -1);
	assert_int_equal(numa_common(&host, devices, 0), -1);
}

/* Of a page. */
static int policy_of(void *base)
{
	int policy = -1;

	syscall(SYS_get_mempolicy, &policy, NULL, 0ul, base, (unsigned long)MPOL_F_ADDR);
	return policy;
}

static void memory_is_asked_for_of_a_node(void **state)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *base =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long node0 = 1;

	(void)state;
	assert_ptr_not_equal(base, MAP_FAILED);
	/* Not every kernel, and not every sandbox, has policies of memory. */
	if (syscall(SYS_mbind, base, bytes, (unsigned long)MPOL_PREFERRED, &node0, 64ul, 0ul) ||
		policy_of(base) != MPOL_PREFERRED) {
		munmap(base, bytes);
		skip();
	}
	assert_int_equal(
		syscall(SYS_mbind, base, bytes, (unsigned long)MPOL_DEFAULT, NULL, 0ul, 0ul),
		0);
	numa_prefer(-1, base, bytes);
	assert_int_equal(policy_of(base), MPOL_DEFAULT);
	numa_prefer(0, base, bytes);
	assert_int_equal(policy_of(base), MPOL_PREFERRED);
	munmap(base, bytes);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 4] = {
		cmocka_unit_test(a_list_is_read_as_the_kernel_writes_it),
		cmocka_unit_test(what_cannot_be_bound_is_said),
		cmocka_unit_test(a_node_is_common_where_all_devices_have_it),
		cmocka_unit_test(memory_is_asked_for_of_a_node),
	};
	char command[64];
	int failed;

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 4] = (struct CMUnitTest){
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
