/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/made/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/plan.h"
#include "lib/units.h"

enum { HOSTS = 8, RINGS = 2 };

static const char *const kinds[] = { "pass", "fail", "unknown", "interrupted", "cut", "empty",
	"hostile" };

struct making {
	enum made_kind kind;
	struct run *run;
	uint32_t stage;
	uint64_t now_ns;
	struct diag diag;
};

int made_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (strcmp(kinds[i], name) == 0)
			return (int)i;
	return -1;
}

static void must(struct making *making, int err)
{
	if (!err)
		return;
	fprintf(stderr, "made run: %s\n", making->diag.text);
	exit(2);
}

static const char *nic(const struct making *making, uint32_t index)
{
	static const char *const plain[HOSTS] = { "host1", "host2", "host3", "host4", "host5",
		"host6", "host7", "host8" };
	static const char *const hostile[HOSTS] = { "h\033[31m1", "\xe4\xb8\xbb\xe6\x9c\xba 2",
		"h\xff\xfe"
		"3",
		"h\n4",
		"h\xc2\x9b"
		"5",
		"h\xe2\x80\xae"
		"6",
		"h\t7", "h8" };

	return (making->kind == MADE_HOSTILE ? hostile : plain)[index % HOSTS];
}

/* A flow of this rate; a lossy one has packets dropped and sent again. */
static struct run_flow flow(
	const struct making *making, uint32_t index, uint32_t src, uint32_t dst, double gbps)
{
	uint64_t bytes = 4 * MIB, packets = bytes / 4096;
	struct run_flow row = {
		.stage = making->stage,
		.flow = index,
		.qps = 4,
		.bytes_planned = bytes,
		.bytes_posted = bytes,
		.bytes_delivered = bytes,
		.packets_sent = packets,
		.packets_received = packets,
		.start_ns = making->now_ns,
		.end_ns = making->now_ns + (uint64_t)((double)bytes * 8 / gbps),
		.complete = true,
	};

	snprintf(row.src, sizeof(row.src), "%s", nic(making, src));
	snprintf(row.dst, sizeof(row.dst), "%s", nic(making, dst));
	return row;
}

static void counter(struct making *making, const char *place, const char *name, uint64_t last)
{
	struct run_counter row = { .stage = making->stage, .last = last };

	snprintf(row.place, sizeof(row.place), "%s", place);
	snprintf(row.name, sizeof(row.name), "%s", name);
	must(making, run_put_counters(making->run, &row, 1, &making->diag));
}

static void counters(struct making *making, uint64_t drops, uint64_t pauses)
{
	counter(making, "leaf1:1", "rx_prio3_discards", drops);
	counter(making, "leaf1:2", "rx_prio3_headroom_discards", 0);
	counter(making, "leaf1:1", "tx_prio3_pause", pauses);
	counter(making, "leaf1:2", "rx_prio3_pause_duration", pauses * 20);
	counter(making, "leaf1:1", "tx_prio3_ecn_marked", 12);
	counter(making, "leaf1:1", "tx_prio3_queue_peak_bytes", 512 * KIB);
}

static void end_stage(struct making *making, const char *name, enum plan_layer layer,
	uint32_t variant, uint32_t repeat, enum run_status status, const char *reason)
{
	struct run_stage stage = {
		.id = making->stage,
		.layer = layer,
		.variant = variant,
		.repeat = repeat,
		.t0_ns = making->now_ns,
		.t1_ns = making->now_ns + (status == RUN_SKIPPED ? 0 : NS_PER_MS),
		.expected_ns = NS_PER_MS,
		.deadline_ns = 100 * NS_PER_MS,
		.status = status,
	};

	snprintf(stage.name, sizeof(stage.name), "%s", name);
	snprintf(stage.reason, sizeof(stage.reason), "%s", reason);
	must(making, run_put_stage(making->run, &stage, &making->diag));
	must(making, run_commit(making->run, &making->diag));
	making->stage++;
	making->now_ns += 100 * NS_PER_MS;
}

static void pairs_stage(struct making *making, const char *name, uint32_t variant,
	enum plan_layer layer, double gbps)
{
	struct run_flow rows[HOSTS];

	for (uint32_t i = 0; i < HOSTS; i++) {
		bool slow = making->kind == MADE_FAIL && i == 2;

		rows[i] = flow(making, i, i, (i + HOSTS / 2) % HOSTS,
			slow ? gbps / 2 : gbps - 0.01 * i);
		if (slow)
			rows[i].packets_resent = 17;
	}
	must(making, run_put_flows(making->run, rows, HOSTS, &making->diag));
	counters(making, 0, 0);
	end_stage(making, name, layer, variant, 0, RUN_COMPLETE, "");
}

static void incast_stage(struct making *making, const char *name, uint32_t repeat, bool not_ect,
	enum run_status status)
{
	struct run_flow rows[5];
	bool lossy = making->kind == MADE_FAIL && not_ect;

	for (uint32_t i = 0; i < 4; i++) {
		rows[i] = flow(making, i, i, 7, 24.4);
		rows[i].not_ect = not_ect;
		rows[i].ce_packets = not_ect ? 0 : 40;
		rows[i].cnps_sent = rows[i].cnps_handled = not_ect ? 0 : 9;
		if (lossy)
			rows[i].packets_resent = rows[i].out_of_sequence = 251;
		if (status == RUN_PARTIAL) {
			rows[i].complete = false;
			rows[i].end_ns = 0;
			rows[i].bytes_delivered /= 3;
		}
	}
	rows[4] = flow(making, 4, 5, 6, 97.8);
	rows[4].role = FLOW_VICTIM;
	must(making, run_put_flows(making->run, rows, 5, &making->diag));
	counters(making, lossy ? 1004 : 0, not_ect ? 1204 : 0);
	end_stage(making, name, LAYER_LOSSLESS, 4, repeat, status,
		status == RUN_PARTIAL ? "interrupted" : "");
}

static void ring_stage(struct making *making)
{
	uint64_t at_ns = making->now_ns;

	for (uint32_t iteration = 0; iteration < RINGS; iteration++) {
		for (uint32_t step = 0; step < 2 * (HOSTS - 1); step++) {
			struct run_step rows[HOSTS];

			for (uint32_t rank = 0; rank < HOSTS; rank++)
				rows[rank] = (struct run_step){ making->stage, iteration, rank,
					step, at_ns, at_ns, at_ns + 11000,
					at_ns + (rank == 5 ? 10900 : 10800) };
			must(making, run_put_steps(making->run, rows, HOSTS, &making->diag));
			at_ns += 10900;
		}
	}
	counters(making, 0, 0);
	end_stage(making, "ring-8", LAYER_RING, HOSTS, 0, RUN_COMPLETE, "");
}

static void put_plan(struct making *making)
{
	static const struct {
		const char *name;
		enum plan_layer layer;
	} planned[] = {
		{ "pairs-local-0", LAYER_PAIRS },
		{ "pairs-cross-0", LAYER_PAIRS },
		{ "permutation-1qp-0", LAYER_NONBLOCKING },
		{ "permutation-4qp-0", LAYER_NONBLOCKING },
		{ "permutation-16qp-0", LAYER_NONBLOCKING },
		{ "incast-4-not-ect-0", LAYER_LOSSLESS },
		{ "incast-4-not-ect-1", LAYER_LOSSLESS },
		{ "incast-4-ect-0", LAYER_LOSSLESS },
		{ "burst-0", LAYER_BURST },
		{ "ring-8", LAYER_RING },
	};
	const char *names[HOSTS];
	struct plan plan = PLAN_INIT;

	for (uint32_t i = 0; i < HOSTS; i++)
		names[i] = nic(making, i);
	snprintf(plan.profile, sizeof(plan.profile), "quick");
	plan.seed = 1;
	for (uint32_t i = 0; i < COUNT_OF(planned); i++) {
		struct plan_stage *stage = plan_add(&plan, planned[i].layer);

		snprintf(stage->name, sizeof(stage->name), "%s", planned[i].name);
		if (planned[i].layer != LAYER_RING)
			continue;
		stage->ring = (struct plan_ring){ calloc(HOSTS, sizeof(uint32_t)), HOSTS, 4,
			HOSTS * 128 * KIB, 4, RINGS, 0 };
		for (uint32_t rank = 0; rank < HOSTS; rank++)
			stage->ring.nics[rank] = rank;
	}
	must(making, run_put_plan(making->run, &plan, names, &making->diag));
	plan_free(&plan);
}

static void skip(struct making *making)
{
	end_stage(
		making, "burst-0", LAYER_BURST, 0, 0, RUN_SKIPPED, "the lossless layer failed");
	end_stage(making, "ring-8", LAYER_RING, HOSTS, 0, RUN_SKIPPED,
		"the pairs layer failed; this would show the same again");
}

static void put_stages(struct making *making)
{
	bool stopped = making->kind == MADE_INTERRUPTED || making->kind == MADE_CUT;

	pairs_stage(making, "pairs-local-0", 0, LAYER_PAIRS, 98.0);
	pairs_stage(making, "pairs-cross-0", 1, LAYER_PAIRS, 97.9);
	pairs_stage(making, "permutation-1qp-0", 1, LAYER_NONBLOCKING, 41.2);
	pairs_stage(making, "permutation-4qp-0", 4, LAYER_NONBLOCKING, 60.4);
	pairs_stage(making, "permutation-16qp-0", 16, LAYER_NONBLOCKING, 80.9);
	incast_stage(making, "incast-4-not-ect-0", 0, true, RUN_COMPLETE);
	incast_stage(
		making, "incast-4-not-ect-1", 1, true, stopped ? RUN_PARTIAL : RUN_COMPLETE);
	if (stopped)
		return;
	incast_stage(making, "incast-4-ect-0", 0, false, RUN_COMPLETE);
	if (making->kind == MADE_FAIL) {
		skip(making);
		return;
	}
	pairs_stage(making, "burst-0", 0, LAYER_BURST, 50);
	ring_stage(making);
}

struct run *made_run(enum made_kind kind, const char *path, struct findings *findings)
{
	static const char text[] = "leaves: 2\nspines: 4\nhosts_per_leaf: 4\nspeed: 100G\n";
	struct run_info info = { .backend = "sim",
		.program = "weft 0.1.0",
		.profile = "quick",
		.plane = "parameter",
		.fabric_name = "leafspine-8",
		.fabric_path = "examples/leafspine-8.yaml",
		.seed = 1,
		.fabric_text = text,
		.fabric_bytes = sizeof(text) - 1 };
	struct making making = { .kind = kind };

	if (kind == MADE_HOSTILE)
		snprintf(info.fabric_name, sizeof(info.fabric_name), "f\033[2J\xe5\x8f\x82");
	must(&making, run_create(&making.run, path, &info, &making.diag));
	if (kind != MADE_EMPTY) {
		put_plan(&making);
		put_stages(&making);
	}
	if (kind != MADE_CUT)
		must(&making, run_finish(making.run, kind == MADE_INTERRUPTED, &making.diag));
	run_close(making.run);
	must(&making, run_open(&making.run, path, &making.diag));
	made_findings(kind, findings);
	return making.run;
}
