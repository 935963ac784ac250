/*
 * simbed - what the tests of the simulator share: a fabric from a few lines of
 * YAML, a stage run on it, and its counters by name.
 */
#ifndef TESTS_SIMBED_H
#define TESTS_SIMBED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fabric/file.h"
#include "fabric/sim.h"
#include "lib/diag.h"
#include "lib/units.h"

struct bed {
	struct fabric fabric;
	struct routing routing;
	struct plan_stage stage;
	struct sim_result result;
};

static inline void bed_open(struct bed *bed, const char *yaml)
{
	struct diag diag = { "" };

	memset(bed, 0, sizeof(*bed));
	if (fabric_parse(&bed->fabric, "test", yaml, strlen(yaml), NULL, &diag))
		fail_msg("%s", diag.text);
	if (routing_init(&bed->routing, &bed->fabric, 1, &diag))
		fail_msg("%s", diag.text);
	snprintf(bed->stage.name, sizeof(bed->stage.name), "test");
	bed->stage.deadline_ns = NS_PER_S;
}

static inline struct plan_flow *bed_flow(
	struct bed *bed, uint32_t src, uint32_t dst, uint32_t qps, uint64_t bytes)
{
	struct plan_flow *flow = plan_stage_add(&bed->stage);

	flow->src = src;
	flow->dst = dst;
	flow->qps = qps;
	flow->bytes = bytes;
	return flow;
}

static inline void bed_run(struct bed *bed, uint64_t seed)
{
	struct sim_config config = {
		.fabric = &bed->fabric,
		.routing = &bed->routing,
		.seed = seed,
	};
	struct diag diag = { "" };

	sim_result_free(&bed->result);
	if (sim_run(&config, &bed->stage, 0, &bed->result, &diag))
		fail_msg("%s", diag.text);
}

/* The counter, or UINT64_MAX when the place does not have it. */
static inline uint64_t bed_counter(const struct bed *bed, const char *place, const char *name)
{
	for (size_t i = 0; i < bed->result.counter_count; i++)
		if (strcmp(bed->result.counters[i].place, place) == 0 &&
			strcmp(bed->result.counters[i].name, name) == 0)
			return bed->result.counters[i].last;
	return UINT64_MAX;
}

/* The counter summed over all places whose name begins so. */
static inline uint64_t bed_sum(const struct bed *bed, const char *prefix, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bed->result.counter_count; i++)
		if (strncmp(bed->result.counters[i].place, prefix, strlen(prefix)) == 0 &&
			strcmp(bed->result.counters[i].name, name) == 0)
			sum += bed->result.counters[i].last;
	return sum;
}

static inline void bed_close(struct bed *bed)
{
	struct plan plan = PLAN_INIT;

	*plan_add(&plan, LAYER_PAIRS) = bed->stage;
	plan_free(&plan);
	sim_result_free(&bed->result);
	routing_free(&bed->routing);
	fabric_free(&bed->fabric);
}

#endif
