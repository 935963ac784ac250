/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide FILE: makes a run file of 1,024 hosts on 32 leaves and 16 spines with pairs,
 * permutations, incasts and rings, for the tests of how large and slow reports may be.
 * Nothing in it was simulated; one cable loses packets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run.h"
#include "lib/units.h"

enum {
	LEAVES = 32,
	SPINES = 16,
	PER_LEAF = 32,
	CABLES = 2, /* from a leaf to a spine */
	HOSTS = LEAVES * PER_LEAF,
	STAGES = 12,
	SAMPLES = 40,
	RANKS = 64,
	ROUNDS = 4,
	BYTES = 4 * 1024 * 1024,
	PACKETS = BYTES / 4096,
};

struct making {
	struct run *run;
	uint32_t stage;
	struct diag diag;
};

static void must(struct making *making, int err)
{
	if (!err)
		return;
	fprintf(stderr, "wide: %s\n", making->diag.text);
	exit(2);
}

static uint64_t t0_ns(uint32_t stage)
{
	return stage * 100 * NS_PER_MS;
}

static void put_flows(struct making *making)
{
	struct run_flow *rows = zeroed(HOSTS, sizeof(*rows));

	for (uint32_t i = 0; i < HOSTS; i++) {
		struct run_flow *row = &rows[i];

		*row = (struct run_flow){ .stage = making->stage,
			.flow = i,
			.qps = 4,
			.bytes_planned = BYTES,
			.bytes_posted = BYTES,
			.bytes_delivered = BYTES,
			.packets_sent = PACKETS,
			.packets_received = PACKETS,
			.start_ns = t0_ns(making->stage),
			.end_ns = t0_ns(making->stage) + 171 * NS_PER_US + i,
			.complete = true };
		snprintf(row->src, sizeof(row->src), "host%u", i + 1);
		snprintf(row->dst, sizeof(row->dst), "host%u",
			(i + 1 + 37 * making->stage) % HOSTS + 1);
	}
	must(making, run_put_flows(making->run, rows, HOSTS, &making->diag));
	free(rows);
}

static void put_samples(struct making *making)
{
	struct run_sample *rows = zeroed((size_t)HOSTS * SAMPLES, sizeof(*rows));

	for (uint32_t i = 0; i < HOSTS * SAMPLES; i++) {
		struct run_sample *row = &rows[i];

		row->stage = making->stage;
		row->t_ns = t0_ns(making->stage) + (i / HOSTS + 1) * 5 * NS_PER_US;
		row->value = 122000 - i % 977;
		snprintf(row->place, sizeof(row->place), "host%u", i % HOSTS + 1);
		snprintf(row->metric, sizeof(row->metric), "goodput_bytes");
	}
	must(making,
		run_put_samples(making->run, rows, (size_t)HOSTS * SAMPLES, &making->diag));
	free(rows);
}

/* What a port sent and received; lost: of what it received. */
static void put_port(struct making *making, const char *place, uint64_t lost)
{
	static const char *const names[] = { C_TX_PACKETS, C_RX_PACKETS, C_TX_BYTES, C_RX_BYTES,
		"tx_prio3_pause", "rx_prio3_pause_duration", "rx_prio3_discards",
		C_CARRIER_CHANGES };
	const uint64_t values[] = { PACKETS, PACKETS - lost, PACKETS * 4158ul, PACKETS * 4158ul,
		0, 0, 0, 0 };
	struct run_counter rows[COUNT_OF(names)];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		rows[i] = (struct run_counter){ .stage = making->stage, .last = values[i] };
		snprintf(rows[i].place, sizeof(rows[i].place), "%s", place);
		snprintf(rows[i].name, sizeof(rows[i].name), "%s", names[i]);
	}
	must(making, run_put_counters(making->run, rows, COUNT_OF(names), &making->diag));
}

static void put_ports(struct making *making)
{
	char place[RUN_NAME];

	for (uint32_t i = 0; i < HOSTS; i++) {
		snprintf(place, sizeof(place), "host%u", i + 1);
		put_port(making, place, 0);
	}
	for (uint32_t leaf = 1; leaf <= LEAVES; leaf++) {
		for (uint32_t port = 1; port <= PER_LEAF + SPINES * CABLES; port++) {
			snprintf(place, sizeof(place), "leaf%u:%u", leaf, port);
			put_port(making, place, 0);
		}
	}
	for (uint32_t spine = 1; spine <= SPINES; spine++) {
		for (uint32_t port = 1; port <= LEAVES * CABLES; port++) {
			snprintf(place, sizeof(place), "spine%u:%u", spine, port);
			put_port(making, place, spine == 7 && port == 21 ? 3 : 0);
		}
	}
}

static void put_steps(struct making *making)
{
	uint64_t at_ns = t0_ns(making->stage);

	for (uint32_t k = 0; k < ROUNDS * 2 * (RANKS - 1); k++, at_ns += 11 * NS_PER_US) {
		struct run_step rows[RANKS];

		for (uint32_t rank = 0; rank < RANKS; rank++)
			rows[rank] = (struct run_step){ making->stage, k / (2 * (RANKS - 1)),
				rank, k % (2 * (RANKS - 1)), at_ns, at_ns, at_ns + 11000,
				at_ns + (k == 300 && rank == 9 ? 19000 : 10800) };
		must(making, run_put_steps(making->run, rows, RANKS, &making->diag));
	}
}

static void put_stage(struct making *making)
{
	static const struct {
		enum plan_layer layer;
		const char *name;
	} kinds[] = { { LAYER_PAIRS, "pairs" }, { LAYER_NONBLOCKING, "permutation" },
		{ LAYER_LOSSLESS, "incast" }, { LAYER_RING, "ring" } };
	size_t kind = making->stage * COUNT_OF(kinds) / STAGES;
	struct run_stage stage = { .id = making->stage,
		.layer = kinds[kind].layer,
		.variant = making->stage % 3 + 1,
		.t0_ns = t0_ns(making->stage),
		.t1_ns = t0_ns(making->stage) + 10 * NS_PER_MS,
		.expected_ns = NS_PER_MS,
		.deadline_ns = 100 * NS_PER_MS };

	snprintf(stage.name, sizeof(stage.name), "%s-%u", kinds[kind].name, making->stage + 1);
	put_flows(making);
	put_samples(making);
	put_ports(making);
	if (stage.layer == LAYER_RING)
		put_steps(making);
	must(making, run_put_stage(making->run, &stage, &making->diag));
	must(making, run_commit(making->run, &making->diag));
}

int main(int argc, char **argv)
{
	static const char text[] = "name: wide\nleaves: 32\nspines: 16\nhosts_per_leaf: 32\n"
				   "speed: 200G\nlinks_per_spine: 2\nswitch_ports: 64\n";
	struct run_info info = { .backend = "sim",
		.program = "weft 0.1.0",
		.profile = "hand",
		.plane = "parameter",
		.fabric_name = "wide",
		.fabric_path = "wide.yaml",
		.seed = 1,
		.fabric_text = text,
		.fabric_bytes = sizeof(text) - 1 };
	struct making making = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: wide FILE\n");
		return 2;
	}
	must(&making, run_create(&making.run, argv[1], &info, &making.diag));
	for (; making.stage < STAGES; making.stage++)
		put_stage(&making);
	must(&making, run_finish(making.run, false, &making.diag));
	run_close(making.run);
	return 0;
}
