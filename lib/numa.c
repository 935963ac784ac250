/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/numa.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/host.h"

#define NODES_MAX 1024u
#define NODE_BITS (8 * sizeof(unsigned long))

int numa_node(const struct host *host, const char *device)
{
	char path[HOST_NAME + 64];
	long long node;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%.63s/device/numa_node", device);
	if (host_read_number(host, path, &node) || node < 0 || node > 4095)
		return -1;
	return (int)node;
}

int numa_common(const struct host *host, const char *const *devices, size_t count)
{
	int node = count ? numa_node(host, devices[0]) : -1;

	for (size_t i = 1; i < count; i++)
		if (numa_node(host, devices[i]) != node)
			return -1;
	return node;
}

void numa_prefer(int node, void *base, size_t bytes)
{
	unsigned long nodes[NODES_MAX / NODE_BITS] = { 0 };
	int policy;

	if (node < 0 || node >= (int)NODES_MAX ||
		syscall(SYS_get_mempolicy, &policy, NULL, 0ul, NULL, 0ul) ||
		policy != MPOL_DEFAULT)
		return;
	nodes[(size_t)node / NODE_BITS] |= 1ul << (size_t)node % NODE_BITS;
	/* The kernel takes one bit less than it is told of. */
	syscall(SYS_mbind, base, bytes, (unsigned long)MPOL_PREFERRED, nodes, NODES_MAX + 1ul,
		0ul);
}

/* "0-7,16-23", as the kernel writes it. */
int numa_processors(const struct host *host, int node, cpu_set_t *processors)
{
	char path[64], text[1024], *at = text;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	if (host_read(host, path, text, sizeof(text)) < 0)
		return -ENOENT;
	CPU_ZERO(processors);
	while (*at) {
		char *end;
		unsigned long first = strtoul(at, &end, 10), last = first;

		if (end == at)
			return -EINVAL;
		if (*end == '-') {
			at = end + 1;
			last = strtoul(at, &end, 10);
		}
		if (end == at || last < first || last >= CPU_SETSIZE || (*end && *end != ','))
			return -EINVAL;
		for (; first <= last; first++)
			CPU_SET(first, processors);
		at = *end ? end + 1 : end;
	}
	return 0;
}

enum numa_bound numa_target(const struct host *host, const char *device, const cpu_set_t *mine,
	cpu_set_t *target, int *node)
{
	cpu_set_t there;
	int found = numa_node(host, device);

	if (found < 0)
		return NUMA_NO_NODE;
	*node = found;
	if (numa_processors(host, found, &there))
		return NUMA_UNKNOWN;
	CPU_AND(&there, &there, mine);
	if (CPU_COUNT(&there) == 0)
		return NUMA_ELSEWHERE;
	*target = there;
	return NUMA_BOUND;
}

enum numa_bound numa_bind(const char *device, char *text, size_t size)
{
	struct host host = { .root = NULL };
	enum numa_bound bound = NUMA_UNKNOWN;
	cpu_set_t mine, target;
	int node = -1;

	if (!sched_getaffinity(0, sizeof(mine), &mine))
		bound = numa_target(&host, device, &mine, &target, &node);
	if (bound == NUMA_BOUND && sched_setaffinity(0, sizeof(target), &target))
		bound = NUMA_UNKNOWN;
	switch (bound) {
	case NUMA_BOUND:
		snprintf(text, size, "NUMA node %d of %.31s, %d processors", node, device,
			CPU_COUNT(&target));
		break;
	case NUMA_NO_NODE:
		snprintf(text, size, "not bound, %.31s belongs to no NUMA node", device);
		break;
	case NUMA_ELSEWHERE:
		snprintf(text, size, "not on NUMA node %d of %.31s, which it may not use", node,
			device);
		break;
	case NUMA_UNKNOWN:
		snprintf(
			text, size, "not bound, the processors of %.31s are not known", device);
		break;
	}
	return bound;
}
