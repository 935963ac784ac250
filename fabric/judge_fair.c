/* SPDX-License-Identifier: Apache-2.0 */

/*
 * lossless.fairness: flows of one incast that started together share their
 * target evenly: the slowest is less than limits.spread below the fastest. A
 * warning at most, and only of flows that ran for 20 ms: the rates of shorter
 * ones are those of congestion control still looking for its share. Nothing is said where no
 * incast ran so long.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fabric/chance.h"
#include "fabric/judging.h"
#include "fabric/stages.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* Some 350 periods of the DCQCN timers (55 us). */
#define SETTLED_NS (20 * NS_PER_MS)

struct fairness {
	uint32_t settled, unfair;
	double most, jain; /* largest spread, and the Jain index there */
	char worst[64 + RUN_NAME + 8];
	struct seen seen;
};

static void *begin(const struct judging *judging)
{
	(void)judging;
	return zeroed(1, sizeof(struct fairness));
}

/* Goodput of the flows to one target, in Mb/s, which is fine enough. Returns how
 * many; 0 when one of them was not complete. */
static size_t rates_to(
	const struct evidence *evidence, uint32_t dst, uint64_t *rates, uint64_t *longest_ns)
{
	size_t count = 0;

	*longest_ns = 0;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		if (evidence->dst[i] != dst || flow->role != FLOW_MAIN)
			continue;
		if (!flow->complete)
			return 0;
		if (flow->end_ns - flow->start_ns > *longest_ns)
			*longest_ns = flow->end_ns - flow->start_ns;
		rates[count++] = (uint64_t)(flow_goodput_bps(evidence, flow) / 1e6);
	}
	return count;
}

static void look(struct fairness *fairness, const struct evidence *evidence, uint32_t dst,
	uint64_t *rates, double limit)
{
	uint64_t least = UINT64_MAX, most = 0, longest_ns;
	size_t count = rates_to(evidence, dst, rates, &longest_ns);
	char name[2 * NAME_BYTES];
	double spread;

	for (size_t i = 0; i < count; i++) {
		least = rates[i] < least ? rates[i] : least;
		most = rates[i] > most ? rates[i] : most;
	}
	if (count < 2 || most == 0 || longest_ns < SETTLED_NS)
		return;
	spread = 1.0 - (double)least / (double)most;
	fairness->settled++;
	fairness->unfair += spread > limit;
	if (spread < fairness->most)
		return;
	fairness->most = spread;
	fairness->jain = chance_jain(rates, count);
	fabric_nic_name(evidence->fabric, dst, name);
	snprintf(fairness->worst, sizeof(fairness->worst), "%s, to %.31s", evidence->stage.name,
		name);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	double limit = (double)judging->fabric->limits.spread_ppb / (double)PPB;
	struct fairness *fairness = state;
	uint64_t *rates;

	if (evidence->stage.layer != LAYER_LOSSLESS || evidence->stage.subject != LOSSLESS_ECT)
		return;
	seen_add(&fairness->seen, &evidence->stage);
	rates = zeroed(evidence->flow_count, sizeof(*rates));
	for (size_t i = 0; i < evidence->flow_count; i++) {
		size_t first = 0;

		while (evidence->dst[first] != evidence->dst[i])
			first++;
		if (first == i && evidence->dst[i] != PORT_NONE)
			look(fairness, evidence, evidence->dst[i], rates, limit);
	}
	free(rates);
}

static void end(struct judging *judging, void *state, bool speak)
{
	double limit = (double)judging->fabric->limits.spread_ppb / (double)PPB;
	struct fairness *fairness = state;

	if (speak && fairness->settled) {
		struct finding *finding = judging_say(judging, "lossless.fairness", "lossless",
			fairness->unfair ? VERDICT_WARN : VERDICT_PASS, &fairness->seen);

		finding_text(finding,
			"%u of %u incasts that ran for 20 ms shared their target "
			"unevenly; the worst (%s) had its slowest flow "
			"%.0f %% below the fastest, Jain %.3f",
			fairness->unfair, fairness->settled, fairness->worst,
			fairness->most * 100, fairness->jain);
		finding_limit(finding, fairness->most, limit, "ratio",
			"limits.spread, of flows that ran for 20 ms; SONiC RoCEv2 test plan, "
			"case 6, asks for 30 %%");
		if (fairness->unfair)
			finding_advice(finding, "compare DCQCN parameters and firmware of the "
						"senders");
	}
	free(fairness);
}

const struct judge judge_fair = { begin, stage, end };
