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
#include "lib/grow.h"
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

/* A ring all-reduce over all NICs, in their order. */
static inline void bed_ring(struct bed *bed, uint32_t qps, uint64_t bytes, uint32_t iterations)
{
	uint32_t ranks = bed->fabric.nic_count;

	bed->stage.ring = (struct plan_ring){
		.nics = zeroed(ranks, sizeof(uint32_t)),
		.ranks = ranks,
		.qps = qps,
		.bytes = bytes,
		.elem_bytes = 4,
		.iterations = iterations,
	};
	for (uint32_t rank = 0; rank < ranks; rank++)
		bed->stage.ring.nics[rank] = rank;
}

/* A step of a rank: posted and arrived, in order of iteration and step. */
static inline const struct run_step *bed_step(const struct bed *bed, uint32_t rank, size_t step)
{
	return &bed->result
			.steps[rank * (bed->result.step_count / bed->stage.ring.ranks) + step];
}

static inline uint64_t bed_took_ns(const struct run_step *step)
{
	return step->arrived_ns - step->posted_ns;
}

/* Payload rate of a flow that ended, in Gb/s. */
static inline double bed_gbps(const struct bed *bed, uint32_t flow)
{
	const struct run_flow *row = &bed->result.flows[flow];

	return row->complete ? (double)row->bytes_delivered * 8 /
				       (double)(row->end_ns - row->start_ns)
			     : 0;
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
