/*
 * judge_live_bench - a clean run of real NICs for the tests of the judges: four hosts on two
 * leaves, each to every other one, each pair in a stage of its own.
 */
#ifndef TESTS_JUDGE_LIVE_BENCH_H
#define TESTS_JUDGE_LIVE_BENCH_H

#include "tests/unit/judge_bench.h"

#define HOSTS_TEXT                                                                             \
	BENCH_TEXT "uplink_speed: 200G\nproof: hosts\n"                                        \
		   "policy: {pfc: no, ecn: {off: yes}}\nlimits: {oversubscription: 1}\n"

static const char *const hosts[] = { "host1", "host2", "host3", "host4" };

static struct bench *pairs(const char *text)
{
	struct bench *bench = bench_empty(text);
	uint32_t stage = 0;

	bench->backend = "verbs";
	for (uint32_t shift = 1; shift < 4; shift++) {
		stage = bench_stage(bench, "pairs", LAYER_PAIRS, 0);
		snprintf(bench->stages[stage].name, 64, "pairs-%u", shift);
		for (uint32_t i = 0; i < 4; i++) {
			bench_flow(bench, stage, i, hosts[i], hosts[(i + shift) % 4], 4096000,
				336000);
			bench_set(bench, stage, hosts[i], C_OUT_OF_SEQUENCE, 0);
			bench_set(bench, stage, hosts[i], C_PACKET_SEQ_ERR, 0);
			bench_set(bench, stage, hosts[i], C_ACK_TIMEOUT, 0);
			bench_set(bench, stage, hosts[i], C_PROBES_ARRIVED, 4);
			bench_set(bench, stage, hosts[i], C_PROBES_RIGHT, 4);
			bench_set(bench, stage, hosts[i], C_PAYLOAD_CHECKED, 10);
			bench_set(bench, stage, hosts[i], C_PAYLOAD_CORRUPT, 0);
		}
	}
	return bench;
}

static enum verdict judge(struct bench *bench)
{
	bench_judge(bench, JUDGE_ALL);
	bench_print(bench);
	return findings_verdict(&bench->findings);
}

#endif
