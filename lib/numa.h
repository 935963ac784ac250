/*
 * numa - puts this process, and so the memory that it takes from then on, next to a NIC:
 * on the processors of the NUMA node that the RDMA device belongs to.
 *
 * Who has restricted the process before (taskset, numactl, a cgroup) is not overruled: it
 * goes to those of the node that it may use, and stays where it is when there are none.
 */
#ifndef LIB_NUMA_H
#define LIB_NUMA_H

#include <sched.h>
#include <stddef.h>

struct host;

enum numa_bound {
	NUMA_BOUND,     /* to the node's processors that it may use */
	NUMA_NO_NODE,   /* the device belongs to none, as on hosts with one and for Soft-RoCE */
	NUMA_ELSEWHERE, /* it may use none of them */
	NUMA_UNKNOWN,   /* the kernel does not tell, or does not let us */
};

/* The node of an RDMA device, or -1. */
int numa_node(const struct host *host, const char *device);

/* The processors of a node; 0, or -ENOENT where the kernel does not tell, -EINVAL when its
 * list makes no sense. */
int numa_processors(const struct host *host, int node, cpu_set_t *processors);

/* What of the processors of a device's node a process that may use `mine` is to go to;
 * *target is set for NUMA_BOUND, *node unless NUMA_NO_NODE. */
enum numa_bound numa_target(const struct host *host, const char *device, const cpu_set_t *mine,
	cpu_set_t *target, int *node);

/* The node of all these devices; -1: they have none, or several. */
int numa_common(const struct host *host, const char *const *devices, size_t count);

/* Memory that has not been touched yet is to be of this node, if there is some. Nothing for -1,
 * and where somebody has said before where memory is to be (numactl). */
void numa_prefer(int node, void *base, size_t bytes);

/* Goes there, and says so in at most size bytes: "NUMA node 1 of mlx5_0, 32 processors". */
enum numa_bound numa_bind(const char *device, char *text, size_t size);

#endif
