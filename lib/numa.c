/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/numa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/host.h"

int numa_node(const struct host *host, const char *device)
{
	char path[HOST_NAME + 64];
	long long node;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%.63s/device/numa_node", device);
	if (host_read_number(host, path, &node) || node < 0 || node > 4095)
		return -1;
	return (int)node;
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
