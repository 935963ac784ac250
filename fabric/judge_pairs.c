/* SPDX-License-Identifier: Apache-2.0 */

/*
 * pairs.bandwidth: each NIC with one other reaches the payload ceiling of its
 * link, less what limits.bandwidth allows. Rounds are laid so that no two flows
 * share a link as fast as a NIC, so what is missing has a culprit on the way.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/stages.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* Flows shorter than this say more about latency than about bandwidth. */
#define PACKETS_LEAST 32u

struct span {
	struct seen seen;
	uint32_t pairs, slow, open; /* open: could not be judged */
	double least, sum;          /* share of the ceiling */
	double least_bps;
	char worst[2 * RUN_NAME + 4];
	struct votes votes;
};

static const char *const span_names[] = { "inside a leaf", "across leaves" };

static void *begin(const struct judging *judging)
{
	struct span *spans = zeroed(2, sizeof(*spans));

	for (int i = 0; i < 2; i++) {
		spans[i].least = 2.0;
		votes_begin(&spans[i].votes, judging->fabric);
	}
	return spans;
}

static void look(struct judging *judging, struct span *span, const struct evidence *evidence,
	size_t index)
{
	double limit = (double)judging->fabric->limits.bandwidth_ppb / (double)PPB;
	const struct run_flow *flow = &evidence->flows[index];
	double bps = flow_goodput_bps(evidence, flow), share;
	bool slow;

	if (evidence->src[index] == PORT_NONE || evidence->dst[index] == PORT_NONE ||
		flow->bytes_planned < (uint64_t)PACKETS_LEAST * judging->fabric->mtu_bytes ||
		(!flow->complete && !stage_met_deadline(&evidence->stage))) {
		span->open++;
		return;
	}
	share = flow_share(evidence, index);
	slow = share < limit;
	votes_add(&span->votes, evidence, index, slow);
	span->pairs++;
	span->slow += slow;
	span->sum += share;
	if (share >= span->least)
		return;
	span->least = share;
	span->least_bps = bps;
	snprintf(span->worst, sizeof(span->worst), "%s -> %s", flow->src, flow->dst);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct span *spans = state;
	struct span *span = &spans[evidence->stage.variant == PAIRS_CROSS];

	if (evidence->stage.layer != LAYER_PAIRS)
		return;
	seen_add(&span->seen, &evidence->stage);
	for (size_t i = 0; i < evidence->flow_count; i++)
		look(judging, span, evidence, i);
}

static void tell(struct judging *judging, struct span *span, const char *where)
{
	double limit = (double)judging->fabric->limits.bandwidth_ppb / (double)PPB;
	struct finding *finding;

	if (span->pairs + span->open == 0)
		return;
	if (span->pairs == 0) {
		finding = judging_say(
			judging, "pairs.bandwidth", "pairs", VERDICT_UNKNOWN, &span->seen);
		finding_text(finding, "none of %u pairs %s ran long enough to be judged",
			span->open, where);
		return;
	}
	finding = judging_say(judging, "pairs.bandwidth", "pairs",
		span->open ? VERDICT_UNKNOWN : VERDICT_PASS, &span->seen);
	finding_limit(finding, span->least, limit, "ratio",
		"limits.bandwidth of line rate less framing (MTU %u), and the way there",
		judging->fabric->mtu_bytes);
	finding->weight = span->slow;
	if (!span->slow) {
		finding_text(finding,
			"%u pairs %s: the slowest, %s, %.1f Gb/s of payload, %.1f %% "
			"of what its size can reach; mean %.1f %%",
			span->pairs, where, span->worst, span->least_bps / (double)GBPS,
			span->least * 100, span->sum / span->pairs * 100);
		return;
	}
	finding_text(finding,
		"%u of %u pairs %s stay below %.0f %% of what they can reach; the slowest, "
		"%s, %.1f Gb/s, %.1f %%",
		span->slow, span->pairs, where, limit * 100, span->worst,
		span->least_bps / (double)GBPS, span->least * 100);
	finding_advice(finding,
		"pair each slow NIC with a partner known to be good, inside its leaf "
		"first: that clears or blames the NIC before any uplink");
	judging_complain(judging, &span->votes, &span->seen);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct span *spans = state;

	for (int i = 0; i < 2; i++) {
		if (speak)
			tell(judging, &spans[i], span_names[i]);
		votes_free(&spans[i].votes);
	}
	free(spans);
}

const struct judge judge_pairs = { begin, stage, end };
