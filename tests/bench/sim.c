/* SPDX-License-Identifier: Apache-2.0 */

/*
 * sim - one shape of load on the simulator, for tests/bench/run.
 *
 *   bench-sim              names the shapes
 *   bench-sim SHAPE SIZE   runs one with flows, or chunks of a ring, of SIZE bytes
 *
 * Prints one line: packets and packet-hops (data, ACKs, NAKs and CNPs), events,
 * simulated and processor time, peak memory of the process, and a digest of the
 * result, the same on any machine. Status 2 for what cannot be run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "fabric/file.h"
#include "fabric/sim.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

enum pattern { PERMUTATION, INCAST, ALL_TO_ALL, RING };

static const struct shape {
	const char *name;
	const char *yaml;
	enum pattern pattern;
	uint32_t hosts; /* that take part, from the first */
	uint32_t qps;
} shapes[] = {
#define LINKS "cable: {host: 200m, uplink: 200m}\n" /* 1 us each */
#define SPINE8 "spines: 8\nhosts_per_leaf: 8\n" LINKS
#define LARGE "leaves: 32\nspines: 16\nhosts_per_leaf: 32\nlinks_per_spine: 2\nspeed: 200G\n"
	{ "permutation-32", "leaves: 4\nspeed: 100G\n" SPINE8, PERMUTATION, 32, 1 },
	{ "permutation-128", "leaves: 16\nspeed: 100G\n" SPINE8, PERMUTATION, 128, 1 },
	{ "permutation-128-200g", "leaves: 16\nspeed: 200G\n" SPINE8, PERMUTATION, 128, 1 },
	{ "incast-64", "leaves: 16\nspeed: 100G\n" SPINE8, INCAST, 65, 1 },
	{ "all-to-all-64", "leaves: 8\nspeed: 100G\n" SPINE8, ALL_TO_ALL, 64, 1 },
	{ "ring-128", "leaves: 16\nspeed: 100G\n" SPINE8, RING, 128, 1 },
	{ "permutation-1024", LARGE LINKS, PERMUTATION, 1024, 1 },
	{ "ring-1024", LARGE LINKS, RING, 1024, 1 },
	{ "ring-1024-16qp", LARGE LINKS, RING, 1024, 16 },
	{ "permutation-8192",
		"leaves: 256\nspines: 32\nhosts_per_leaf: 32\nspeed: 200G\n" LINKS, PERMUTATION,
		8192, 1 },
};

static void add_flow(struct plan_stage *stage, const struct shape *shape, uint32_t src,
	uint32_t dst, uint64_t bytes)
{
	struct plan_flow *flow = plan_stage_add(stage);

	flow->src = src;
	flow->dst = dst;
	flow->qps = shape->qps;
	flow->bytes = bytes;
}

static void add_ring(struct plan_stage *stage, const struct shape *shape, uint64_t chunk)
{
	stage->ring = (struct plan_ring){
		.nics = zeroed(shape->hosts, sizeof(uint32_t)),
		.ranks = shape->hosts,
		.qps = shape->qps,
		.bytes = chunk * shape->hosts,
		.elem_bytes = 4,
		.iterations = 1,
	};
	for (uint32_t rank = 0; rank < shape->hosts; rank++)
		stage->ring.nics[rank] = rank;
}

/* A permutation crosses the spines with every flow: to the host half way round. */
static void fill(struct plan_stage *stage, const struct shape *shape, uint64_t bytes)
{
	snprintf(stage->name, sizeof(stage->name), "%s", shape->name);
	stage->deadline_ns = 100 * NS_PER_S;
	if (shape->pattern == RING)
		add_ring(stage, shape, bytes / 4 * 4);
	for (uint32_t i = 0; i < shape->hosts; i++) {
		if (shape->pattern == PERMUTATION)
			add_flow(stage, shape, i, (i + shape->hosts / 2) % shape->hosts, bytes);
		else if (shape->pattern == INCAST && i > 0)
			add_flow(stage, shape, i, 0, bytes);
		for (uint32_t k = 1; shape->pattern == ALL_TO_ALL && k < shape->hosts; k++)
			add_flow(stage, shape, i, (i + k) % shape->hosts, bytes);
	}
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t digest(const struct sim_result *result)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < result->counter_count; i++)
		hash = mix(hash, result->counters[i].last);
	for (size_t i = 0; i < result->flow_count; i++)
		hash = mix(hash, result->flows[i].end_ns);
	for (size_t i = 0; i < result->step_count; i++)
		hash = mix(hash, result->steps[i].completed_ns);
	return hash;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print(const struct sim_result *result, double took)
{
	const struct sim_totals *t = &result->totals;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%s packets %llu hops %llu events %llu simulated_us %llu cpu_s %.3f peak_kib "
	       "%ld "
	       "digest %016llx %s\n",
		result->stage.name, (unsigned long long)(t->data_sent + t->control_sent),
		(unsigned long long)t->packet_hops, (unsigned long long)t->events,
		(unsigned long long)(result->stage.t1_ns / NS_PER_US), took, usage.ru_maxrss,
		(unsigned long long)digest(result),
		result->stage.status == RUN_COMPLETE ? "complete" : "partial");
}

static int run(const struct shape *shape, uint64_t bytes, struct diag *diag)
{
	struct fabric fabric;
	struct routing routing = ROUTING_INIT;
	struct plan plan = PLAN_INIT;
	struct sim_result result = { .flows = NULL };
	struct sim_config config = { .fabric = &fabric, .routing = &routing, .seed = 1 };
	double began;
	int err = fabric_parse(
		&fabric, shape->name, shape->yaml, strlen(shape->yaml), NULL, diag);

	if (err)
		return err;
	fill(plan_add(&plan, LAYER_PAIRS), shape, bytes);
	err = routing_init(&routing, &fabric, 1, diag);
	began = cpu_seconds();
	if (!err)
		err = sim_run(&config, &plan.stages[0], 0, &result, diag);
	if (!err)
		print(&result, cpu_seconds() - began);
	sim_result_free(&result);
	plan_free(&plan);
	routing_free(&routing);
	fabric_free(&fabric);
	return err;
}

int main(int argc, char **argv)
{
	struct diag diag = { "" };
	uint64_t bytes = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		if (argc == 1)
			printf("%s\n", shapes[i].name);
		if (argc == 3 && strcmp(argv[1], shapes[i].name) == 0) {
			if (run(&shapes[i], bytes, &diag) == 0)
				return 0;
			fprintf(stderr, "%s\n", diag.text);
			return 2;
		}
	}
	if (argc == 1)
		return 0;
	fprintf(stderr, "usage: bench-sim [SHAPE BYTES]; without arguments, the shapes\n");
	return 2;
}
