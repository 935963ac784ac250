/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives in which all ranks do the same. */
#include "tests/validate/validate.h"

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

/* Halves down to V / N, then doubles again: in step s a rank sends to the one across the
 * bit of that step, as soon as what the step before brought is in. */
static void halve_and_double(struct trial *trial, uint32_t log_ranks, uint64_t bytes)
{
	uint32_t ranks = UINT32_C(1) << log_ranks;

	for (uint32_t step = 0; step < 2 * log_ranks; step++) {
		uint32_t bit = step < log_ranks ? step : 2 * log_ranks - 1 - step;
		uint32_t before = step <= log_ranks ? bit - (step < log_ranks) : bit + 1;

		for (uint32_t rank = 0; rank < ranks; rank++) {
			struct plan_flow *flow = trial_flow(
				trial, rank, rank ^ UINT32_C(1) << bit, bytes >> (bit + 1));

			flow->not_ect = true;
			if (step)
				flow->after[0] =
					(step - 1) * ranks + (rank ^ UINT32_C(1) << before) + 1;
		}
	}
}

static void halving(struct report *report)
{
	static const struct {
		uint32_t log_ranks;
		uint64_t bytes;
	} rows[] = { { 3, 8000000 }, { 3, 80000 }, { 4, 16000000 }, { 6, 6400000 } };
	struct trial trial;

	report_section(report, "Halving-doubling all-reduce",
		"ms: 2 k latency + 2 (N - 1) / N x V / B for N = 2^k (Thakur, Rabenseifner and "
		"Gropp 2005).");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t k = rows[i].log_ranks, n = UINT32_C(1) << k;
		double volume = (double)rows[i].bytes;

		trial_open(&trial, ONE_LEAF, n);
		halve_and_double(&trial, k, rows[i].bytes);
		trial_run(&trial, 1);
		report_row(report,
			(2 * k * leaf_latency_ns(&trial.fabric) +
				2 * (n - 1.0) / n * volume / payload_rate(&trial.fabric)) /
				1e6,
			trial_end_ns(&trial) / 1e6, CLOSED_FORM, "%u ranks, %.2f MB", n,
			volume / 1e6);
		trial_close(&trial);
	}
}

void validate_collectives(struct report *report)
{
	rings(report);
	halving(report);
}
