/*
 * agent_counters - the counters of a host's devices over a stage: all of them at both ends of
 * the window, and in between those that tell of loss, of receivers that were not ready, and of
 * congestion, by a thread of its own, so that no data path waits for the kernel.
 *
 * They are those of the RDMA device (rdma statistic by netlink; its hw_counters where the
 * kernel has none), carrier_changes, and what the driver of the netdev behind it tells
 * (ethtool -S), but for counters of single queues. Names are the driver's.
 */
#ifndef FABRIC_AGENT_COUNTERS_H
#define FABRIC_AGENT_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/hwcounters.h"

#define AGENT_COUNTERS_MAX 512u /* of a device */
#define AGENT_SAMPLES_MAX 400u  /* of a device in a stage */

struct diag;
struct json;
struct verbs;

struct agent_counter {
	char name[HWCOUNTERS_NAME];
	uint64_t first, last;
};

/* A counter that had another value than before. */
struct agent_sample {
	uint64_t at_ns, value; /* the agent's clock */
	uint32_t counter;      /* place in items */
};

struct agent_counters {
	bool read; /* those of the RDMA device, at both ends */
	uint64_t first_ns, last_ns;
	struct agent_counter *items; /* owned; by name */
	uint32_t count;
	struct agent_sample *samples; /* owned; by time */
	uint32_t sample_count;
};

/* The thread that looks at devices now and then. */
struct agent_watch;

/* counters is an array, one a device, all zero before. */
void agent_counters_first(
	struct agent_counters *counters, const struct verbs *devices, uint32_t count);
void agent_counters_last(
	struct agent_counters *counters, const struct verbs *devices, uint32_t count);
void agent_counters_free(struct agent_counters *counters, uint32_t count);

/* From agent_counters_first() to agent_counters_last(), both arrays borrowed. NULL when there can
 * be no thread: then nothing is seen in between. */
struct agent_watch *agent_watch_begin(
	struct agent_counters *counters, const struct verbs *devices, uint32_t count);
void agent_watch_end(struct agent_watch *watch); /* NULL is nothing */

/* As the frame RESULT has them. The second returns 0, or -EPROTO with what is wrong; what it
 * fills is to be freed in any case. */
void agent_put_counters(struct json *object, const struct agent_counters *counters);
int agent_get_counters(
	const struct json *object, struct agent_counters *counters, struct diag *diag);

#endif
