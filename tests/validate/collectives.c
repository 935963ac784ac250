/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings run as such. Of the other schedules the rounds do: in each all ranks do the
 * same, so a round ends for all at once, and the whole is the sum of its rounds.
 */
#include "tests/validate/validate.h"

#include <math.h>

#include "lib/grow.h"
#include "lib/units.h"

#define ONE_LEAF "leaves: 1\nspines: 1\nhosts_per_leaf: %u\nspeed: 100G\n"

static void rings(struct report *report)
{
	static const struct {
		uint32_t ranks;
		uint64_t bytes;
		bool lasts;
	} rows[] = { { 2, 4000000, false }, { 8, 8000000, false }, { 8, 800000, false },
		{ 16, 64000000, false }, { 64, 64000000, true }, { 128, 128000000, true } };
	struct trial trial;

	report_section(report, "Ring all-reduce",
		"ms: 2 (N - 1) (latency + chunk / B), 100G, one leaf (Patarasuk and Yuan "
		"2009).");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t n = rows[i].ranks;
		struct plan_ring *ring = &trial.stage.ring;
		double chunk = (double)rows[i].bytes / n;

		if (rows[i].lasts && report->quick)
			continue;
		trial_open(&trial, ONE_LEAF, n);
		*ring = (struct plan_ring){ .nics = zeroed(n, sizeof(uint32_t)),
			.ranks = n,
			.qps = 1,
			.bytes = rows[i].bytes,
			.elem_bytes = 4,
			.iterations = 1 };
		for (uint32_t rank = 0; rank < n; rank++)
			ring->nics[rank] = rank;
		trial_run(&trial, 1);
		report_row(report,
			2.0 * (n - 1) *
				(chunk / payload_rate(&trial.fabric) +
					leaf_latency_ns(&trial.fabric)) /
				1e6,
			(double)trial.result.stage.t1_ns / 1e6, CLOSED_FORM,
			"%u ranks, %.1f MB", n, (double)rows[i].bytes / 1e6);
		trial_close(&trial);
	}
}

/* A round in which rank r sends bytes to partner(r, step), where that is another. */
static double round_ns(uint32_t ranks, uint64_t bytes, uint32_t step,
	uint32_t (*partner)(uint32_t rank, uint32_t step))
{
	struct trial trial;
	double ns;

	trial_open(&trial, ONE_LEAF, ranks);
	for (uint32_t rank = 0; rank < ranks; rank++) {
		uint32_t other = partner(rank, step);

		if (other != rank && other < ranks)
			trial_flow(&trial, rank, other, bytes)->not_ect = true;
	}
	trial_run(&trial, 1);
	ns = trial_end_ns(&trial);
	trial_close(&trial);
	return ns;
}

static uint32_t across(uint32_t rank, uint32_t step)
{
	return rank ^ UINT32_C(1) << step;
}

static void halving(struct report *report)
{
	static const struct {
		uint32_t log_ranks;
		uint64_t bytes;
	} rows[] = { { 3, 8000000 }, { 3, 80000 }, { 4, 16000000 }, { 6, 6400000 } };
	struct trial trial;

	report_section(report, "Halving-doubling all-reduce",
		"ms: 2 k latency + 2 (N - 1) / N x V / B for N = 2^k; the sum of its 2 k "
		"rounds "
		"(Thakur, Rabenseifner and Gropp 2005).");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t k = rows[i].log_ranks, n = UINT32_C(1) << k;
		double volume = (double)rows[i].bytes, ns = 0;

		/* Halves down to V / N, then doubles again: each round twice. */
		for (uint32_t step = 0; step < k; step++)
			ns += 2 * round_ns(n, rows[i].bytes >> (step + 1), step, across);
		trial_open(&trial, ONE_LEAF, n);
		report_row(report,
			(2 * k * leaf_latency_ns(&trial.fabric) +
				2 * (n - 1.0) / n * volume / payload_rate(&trial.fabric)) /
				1e6,
			ns / 1e6, CLOSED_FORM, "%u ranks, %.2f MB", n, volume / 1e6);
		trial_close(&trial);
	}
}

/* In a binary tree the children of a level send to their parents, and back. */
static uint32_t parent_of(uint32_t rank, uint32_t level)
{
	uint32_t first = (UINT32_C(1) << level) - 1;

	return rank >= first && rank < 2 * first + 1 ? (rank - 1) / 2 : rank;
}

static void trees(struct report *report)
{
	static const struct {
		uint32_t ranks;
		uint64_t bytes;
	} rows[] = { { 7, 64 }, { 15, 4096 }, { 15, 1000000 } };
	struct trial trial;

	report_section(report, "Binary tree, reduce, without pipelining",
		"us to the root: depth x (latency + 2 V / B), for a parent takes in from two "
		"children at once; the sum of its levels. A pipelined tree and a double tree "
		"are "
		"not simulated: their steps wait for parts of messages, which the plan cannot "
		"say.");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t depth = (uint32_t)log2(rows[i].ranks + 1) - 1;
		double volume = (double)rows[i].bytes, frames, ns = 0, expected;

		for (uint32_t level = depth; level >= 1; level--)
			ns += round_ns(rows[i].ranks, rows[i].bytes, level, parent_of);
		trial_open(&trial, ONE_LEAF, rows[i].ranks);
		frames = ceil(volume / 4096);
		/* On the wire with RETH once; the first hop carries the last packet of one
		 * child while the second carries both. */
		expected = depth *
			   (2 * (volume + frames * 82 + 16) * 0.08 +
				   ((volume < 4096 ? volume + 16 : 4096 + 16) + 82) * 0.08 +
				   2 * 800 + 600 + 50);
		report_row(report, expected / 1e3, ns / 1e3, CLOSED_FORM,
			"%u ranks, %.0f bytes", rows[i].ranks, volume);
		trial_close(&trial);
	}
}

static uint32_t following(uint32_t rank, uint32_t hops)
{
	return rank < hops ? rank + 1 : rank;
}

static void chains(struct report *report)
{
	static const uint32_t chunks[] = { 1, 4, 16, 64, 256, 1024 };
	uint32_t hops = 7, best = 0;
	uint64_t bytes = 32000000;
	double least = INFINITY, alpha, rate;
	struct trial trial;

	report_section(report, "Chain broadcast, pipelined",
		"ms over 7 hops in k chunks: (7 + k - 1) (latency + V / k / B), V = 32 MB. "
		"Last row: "
		"the best k of these, against k* = sqrt(6 V / B / latency).");
	trial_open(&trial, ONE_LEAF, hops + 1);
	alpha = leaf_latency_ns(&trial.fabric);
	rate = payload_rate(&trial.fabric);
	trial_close(&trial);
	for (size_t i = 0; i < COUNT_OF(chunks); i++) {
		uint32_t k = chunks[i];
		/* All rounds but the first and last few have all hops busy, and each takes
		 * the same time. */
		double ns = (hops + k - 1.0) * round_ns(hops + 1, bytes / k, hops, following);

		if (ns < least) {
			least = ns;
			best = k;
		}
		report_row(report, (hops + k - 1.0) * (alpha + (double)bytes / k / rate) / 1e6,
			ns / 1e6, CLOSED_FORM, "k = %u", k);
	}
	/* The grid goes up by four: right is within a factor of two. */
	report_row(report, log2(sqrt((hops - 1.0) * (double)bytes / rate / alpha)),
		log2((double)best), 1 / log2((double)best), "log2 of the best k");
}

void validate_collectives(struct report *report)
{
	rings(report);
	halving(report);
	trees(report);
	chains(report);
}
