/*
 * judge_bench - a run file made by hand for the tests of the judges: a small
 * fabric, three clean stages, and the means to spoil one thing.
 *
 * Counters, flows, paths and steps are held in arrays until bench_judge() writes
 * them, so that a test can change what the clean run put there.
 */
#ifndef TESTS_JUDGE_BENCH_H
#define TESTS_JUDGE_BENCH_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric/fabric.h"
#include "fabric/file.h"
#include "fabric/judge.h"
#include "fabric/stages.h"
#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "lib/run.h"
#include "lib/units.h"

#define BENCH_TEXT "leaves: 2\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\n"
#define BENCH_STAGES 8u
#define BENCH_ROWS 4000u
#define BENCH_PACKETS 4000u
#define BENCH_FRAME 4158u

enum { BENCH_PAIRS, BENCH_NOT_ECT, BENCH_ECT };

struct bench {
	struct fabric fabric;
	char path[64];
	const char *profile, *backend;
	bool no_facts;
	struct run_stage stages[BENCH_STAGES];
	uint32_t stage_count;
	struct run_counter counters[BENCH_ROWS];
	size_t counter_count;
	struct run_flow flows[64];
	size_t flow_count;
	struct run_path paths[64];
	size_t path_count;
	struct run_step steps[512];
	size_t step_count;
	struct run_fact facts[128];
	size_t fact_count;
	struct plan plan;
	struct findings findings;
};

static inline void bench_ok(int err, const struct diag *diag)
{
	if (err)
		print_message("%s\n", diag->text);
	assert_int_equal(err, 0);
}

/* Sets a counter's difference over a stage; %u in a name is the lossless priority. */
static inline void bench_set(struct bench *bench, uint32_t stage, const char *place,
	const char *name, uint64_t value)
{
	struct run_counter *row;
	char text[40];

	snprintf(text, sizeof(text), name, 3u);
	for (size_t i = 0; i < bench->counter_count; i++) {
		row = &bench->counters[i];
		if (row->stage == stage && strcmp(row->place, place) == 0 &&
			strcmp(row->name, text) == 0) {
			row->last = row->first + value;
			return;
		}
	}
	assert_true(bench->counter_count < BENCH_ROWS);
	row = &bench->counters[bench->counter_count++];
	*row = (struct run_counter){ .stage = stage, .first = 0, .last = value };
	snprintf(row->place, sizeof(row->place), "%.31s", place);
	snprintf(row->name, sizeof(row->name), "%.39s", text);
}

/* It starts again in this stage. */
static inline void bench_reset(
	struct bench *bench, uint32_t stage, const char *place, const char *name)
{
	bench_set(bench, stage, place, name, 0);
	for (size_t i = 0; i < bench->counter_count; i++) {
		struct run_counter *row = &bench->counters[i];

		if (row->stage == stage && strcmp(row->place, place) == 0 &&
			strcmp(row->name, name) == 0)
			row->first = 9;
	}
}

/* Takes a counter away from every place and stage. */
static inline void bench_absent(struct bench *bench, const char *name)
{
	size_t kept = 0;
	char text[40];

	snprintf(text, sizeof(text), name, 3u);
	for (size_t i = 0; i < bench->counter_count; i++)
		if (strcmp(bench->counters[i].name, text) != 0)
			bench->counters[kept++] = bench->counters[i];
	bench->counter_count = kept;
}

static inline uint32_t bench_stage(
	struct bench *bench, const char *name, enum plan_layer layer, uint64_t subject)
{
	uint32_t id = bench->stage_count++;
	struct run_stage *stage = &bench->stages[id];

	*stage = (struct run_stage){
		.id = id,
		.layer = layer,
		.subject = subject,
		.variant = 3,
		.t0_ns = id * NS_PER_MS,
		.t1_ns = (id + 1) * NS_PER_MS,
		.expected_ns = NS_PER_MS / 2,
		.deadline_ns = 2 * NS_PER_MS,
	};
	snprintf(stage->name, sizeof(stage->name), "%s", name);
	return id;
}

/* A flow that was done in the first ns of its stage. */
static inline struct run_flow *bench_flow(struct bench *bench, uint32_t stage, uint32_t number,
	const char *src, const char *dst, uint64_t bytes, uint64_t ns)
{
	struct run_flow *flow = &bench->flows[bench->flow_count++];

	*flow = (struct run_flow){
		.stage = stage,
		.flow = number,
		.qps = 1,
		.bytes_planned = bytes,
		.bytes_posted = bytes,
		.bytes_delivered = bytes,
		.packets_sent = bytes / 4096,
		.packets_received = bytes / 4096,
		.start_ns = bench->stages[stage].t0_ns,
		.end_ns = bench->stages[stage].t0_ns + ns,
		.complete = true,
	};
	snprintf(flow->src, sizeof(flow->src), "%s", src);
	snprintf(flow->dst, sizeof(flow->dst), "%s", dst);
	return flow;
}

static inline void bench_path(
	struct bench *bench, uint32_t stage, uint32_t flow, const char *ports)
{
	struct run_path *path = &bench->paths[bench->path_count++];

	*path = (struct run_path){ .stage = stage, .flow = flow };
	snprintf(path->ports, sizeof(path->ports), "%s", ports);
}

static inline void bench_fact(
	struct bench *bench, const char *place, const char *key, const char *value)
{
	struct run_fact *fact = &bench->facts[bench->fact_count++];

	for (size_t i = 0; i + 1 < bench->fact_count; i++)
		if (strcmp(bench->facts[i].place, place) == 0 &&
			strcmp(bench->facts[i].key, key) == 0) {
			fact = &bench->facts[i];
			bench->fact_count--;
			break;
		}
	snprintf(fact->place, sizeof(fact->place), "%s", place);
	snprintf(fact->key, sizeof(fact->key), "%s", key);
	snprintf(fact->value, sizeof(fact->value), "%s", value);
	snprintf(fact->source, sizeof(fact->source), "made");
}

/* What a healthy port counts in a stage. */
static inline void bench_clean_port(struct bench *bench, uint32_t stage, uint32_t port)
{
	const struct port *at = &bench->fabric.ports[port];
	bool nic = at->nic != PORT_NONE, paused = stage == BENCH_NOT_ECT;
	uint64_t bytes = (uint64_t)BENCH_PACKETS * BENCH_FRAME;
	char name[2 * NAME_BYTES];

	fabric_port_name(&bench->fabric, port, name);
	bench_set(bench, stage, name, C_TX_PACKETS, BENCH_PACKETS);
	bench_set(bench, stage, name, C_RX_PACKETS, BENCH_PACKETS);
	bench_set(bench, stage, name, C_TX_BYTES, bytes);
	bench_set(bench, stage, name, C_RX_BYTES, bytes);
	bench_set(bench, stage, name, C_RX_PRIO_PACKETS, BENCH_PACKETS);
	bench_set(
		bench, stage, name, C_TX_PRIO_BUSY_NS, (bytes + 20u * BENCH_PACKETS) * 8 / 100);
	bench_set(bench, stage, name, C_CARRIER_CHANGES, 0);
	bench_set(bench, stage, name, C_TX_PRIO_PAUSE, !nic && paused ? 10 : 0);
	bench_set(bench, stage, name, C_TX_PRIO_PAUSE_US, !nic && paused ? 100 : 0);
	bench_set(bench, stage, name, C_RX_PRIO_PAUSE,
		paused && bench->fabric.ports[at->peer].nic == PORT_NONE ? 10 : 0);
	bench_set(bench, stage, name, C_RX_PRIO_PAUSE_US,
		paused && bench->fabric.ports[at->peer].nic == PORT_NONE ? 99 : 0);
	if (nic) {
		bench_set(bench, stage, name, C_TX_RDMA_BYTES, bytes);
		bench_set(bench, stage, name, C_TX_POLICY_BYTES, bytes);
		return;
	}
	bench_set(bench, stage, name, C_RX_DSCP_PACKETS, BENCH_PACKETS);
	bench_set(bench, stage, name, C_ECN_MARKED, stage == BENCH_ECT ? 7 : 0);
	bench_set(bench, stage, name, C_QUEUE_PEAK_ECT, stage == BENCH_ECT ? 2000000 : 0);
	bench_set(bench, stage, name, C_DROP_BUFFER, 0);
	bench_set(bench, stage, name, C_DROP_HEADROOM, 0);
	if (stage == BENCH_ECT)
		bench_set(bench, stage, name, C_FIRST_MARK_NS,
			bench->stages[stage].t0_ns + 10000);
}

static inline void bench_clean_facts(struct bench *bench)
{
	for (uint32_t port = 0; port < bench->fabric.port_count; port++) {
		char name[2 * NAME_BYTES], peer[2 * NAME_BYTES];

		fabric_port_name(&bench->fabric, port, name);
		fabric_port_name(&bench->fabric, bench->fabric.ports[port].peer, peer);
		bench_fact(bench, name, F_OPER_STATE, "up");
		bench_fact(bench, name, F_SPEED, "100000000000");
		bench_fact(bench, name, F_PEER, peer);
	}
}

/* A fabric, and a run of no stages yet. */
static inline struct bench *bench_empty(const char *text)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct diag diag;

	assert_non_null(bench);
	bench->profile = "quick";
	bench->backend = "sim";
	bench_ok(fabric_parse(&bench->fabric, "bench", text, strlen(text), NULL, &diag), &diag);
	return bench;
}

/* Three stages in which nothing is wrong. Bytes over time: 98 Gb/s is the ceiling. */
static inline struct bench *bench_new(void)
{
	struct bench *bench = bench_empty(BENCH_TEXT);
	struct run_flow *flow;

	bench_stage(bench, "pairs-cross-1", LAYER_PAIRS, 0);
	bench->stages[BENCH_PAIRS].variant = PAIRS_CROSS;
	bench_stage(bench, "incast-3-not-ect-1", LAYER_LOSSLESS, LOSSLESS_NOT_ECT);
	bench_stage(bench, "incast-3-ect-1", LAYER_LOSSLESS, LOSSLESS_ECT);
	for (uint32_t stage = 0; stage < 3; stage++)
		for (uint32_t port = 0; port < bench->fabric.port_count; port++)
			bench_clean_port(bench, stage, port);
	bench_clean_facts(bench);
	bench_flow(bench, BENCH_PAIRS, 0, "host1", "host3", 4096000, 336000);
	bench_path(bench, BENCH_PAIRS, 0, "host1>leaf1:3>spine1:2>leaf2:1");
	bench_flow(bench, BENCH_PAIRS, 1, "host4", "host2", 4096000, 336000);
	bench_path(bench, BENCH_PAIRS, 1, "host4>leaf2:4>spine2:1>leaf1:2");
	flow = bench_flow(bench, BENCH_NOT_ECT, 0, "host1", "host3", 4096000, 700000);
	flow->not_ect = true;
	bench_path(bench, BENCH_NOT_ECT, 0, "host1>leaf1:3>spine1:2>leaf2:1");
	flow = bench_flow(bench, BENCH_ECT, 0, "host1", "host3", 4096000, 700000);
	flow->ce_packets = 70;
	flow->cnps_sent = flow->cnps_handled = 5;
	bench_path(bench, BENCH_ECT, 0, "host1>leaf1:3>spine1:2>leaf2:1");
	return bench;
}

static inline void bench_write(struct bench *bench, struct run *run, struct diag *diag)
{
	const char *nics[] = { "host1", "host2", "host3", "host4" };

	bench_ok(run_put_plan(run, &bench->plan, nics, diag), diag);
	for (uint32_t i = 0; i < bench->stage_count; i++)
		bench_ok(run_put_stage(run, &bench->stages[i], diag), diag);
	bench_ok(run_put_counters(run, bench->counters, bench->counter_count, diag), diag);
	bench_ok(run_put_flows(run, bench->flows, bench->flow_count, diag), diag);
	bench_ok(run_put_paths(run, bench->paths, bench->path_count, diag), diag);
	bench_ok(run_put_steps(run, bench->steps, bench->step_count, diag), diag);
	for (size_t i = 0; i < bench->fact_count && !bench->no_facts; i++)
		bench_ok(run_put_fact(run, &bench->facts[i], diag), diag);
}

/* Writes the run file, judges it and takes it away again. */
static inline int bench_try(struct bench *bench, unsigned layers, struct diag *diag)
{
	struct run_info info = {
		.program = "test",
		.plane = "parameter",
		.fabric_text = BENCH_TEXT,
		.fabric_bytes = strlen(BENCH_TEXT),
	};
	struct run *run = NULL;
	int fd, err;

	snprintf(info.profile, sizeof(info.profile), "%s", bench->profile);
	snprintf(info.backend, sizeof(info.backend), "%s", bench->backend);
	snprintf(bench->path, sizeof(bench->path), "weft-judge-XXXXXX");
	fd = mkstemp(bench->path);
	assert_true(fd >= 0);
	close(fd);
	unlink(bench->path);
	bench_ok(run_create(&run, bench->path, &info, diag), diag);
	bench_write(bench, run, diag);
	err = judge_run(run, &bench->fabric, layers, &bench->findings, diag);
	run_close(run);
	unlink(bench->path);
	return err;
}

static inline void bench_judge(struct bench *bench, unsigned layers)
{
	struct diag diag;

	bench_ok(bench_try(bench, layers, &diag), &diag);
}

static inline void bench_free(struct bench *bench)
{
	plan_free(&bench->plan);
	findings_free(&bench->findings);
	fabric_free(&bench->fabric);
	free(bench);
}

/* The first finding of a check; NULL when there is none. */
static inline const struct finding *bench_find(const struct bench *bench, const char *check)
{
	for (size_t i = 0; i < bench->findings.count; i++)
		if (strcmp(bench->findings.items[i].check, check) == 0)
			return &bench->findings.items[i];
	return NULL;
}

static inline void bench_print(const struct bench *bench)
{
	for (size_t i = 0; i < bench->findings.count; i++) {
		const struct finding *finding = &bench->findings.items[i];

		if (finding->verdict != VERDICT_PASS)
			print_message("%s %s %s: %s\n", verdict_name(finding->verdict),
				finding->check, finding->culprit, finding->text);
	}
}

/* Judges all layers, prints what is not passed, and returns the check's first finding, which
 * must be that. */
static inline const struct finding *bench_judged(
	struct bench *bench, const char *check, enum verdict verdict, const char *culprit)
{
	const struct finding *finding;

	bench_judge(bench, JUDGE_ALL);
	bench_print(bench);
	finding = bench_find(bench, check);
	assert_non_null(finding);
	assert_int_equal(finding->verdict, verdict);
	assert_string_equal(finding->culprit, culprit);
	return finding;
}

#endif
