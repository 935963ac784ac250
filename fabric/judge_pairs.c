/* SPDX-License-Identifier: Apache-2.0 */

/*
 * pairs.bandwidth: each NIC with one other reaches the payload ceiling of its
 * link, less what limits.bandwidth allows. Rounds are laid so that no two flows
 * share a link as fast as a NIC, so what is missing has a culprit on the way. Where
 * the file has a slower link on the way, that one is the ceiling: that it is slow is
 * for plan.oversubscription to judge.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/stages.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

struct span {
	struct seen seen;
	uint32_t pairs, slow, open; /* open: could not be judged */
	double least, sum;          /* share of the ceiling */
	double least_bps;
	char worst[2 * RUN_NAME + 4];
	struct votes votes;
};

struct spans {
	struct span of[2];  /* by enum pairs_span */
	uint32_t *crossing; /* by port: QPs of one flow that leave it; all 0 between calls */
};

static const char *const span_names[] = { "inside a leaf", "across leaves" };

static void *begin(const struct judging *judging)
{
	struct spans *spans = zeroed(1, sizeof(*spans));

	spans->crossing = zeroed(judging->fabric->port_count, sizeof(*spans->crossing));
	for (int i = 0; i < 2; i++) {
		spans->of[i].least = 2.0;
		votes_begin(&spans->of[i].votes, judging->fabric);
	}
	return spans;
}

/* The ports that the QPs of a flow leave, one way after the other; how many. */
static uint32_t ports_of(const struct evidence *evidence, size_t flow, const uint32_t **ports)
{
	uint32_t number = evidence->flows[flow].flow, count = 0;
	size_t path = evidence_first_path(evidence, number);

	*ports = path < evidence->path_count ? &evidence->way_ports[evidence->ways[path].first]
					     : NULL;
	for (; path < evidence->path_count && evidence->paths[path].flow == number; path++)
		count += evidence->ways[path].count;
	return count;
}

/* What the links on the way let through, as the file has them: a flow of one QP is
 * as fast as the slowest; of several, each link carries its part of the QPs alone. */
static uint64_t line_rate(struct spans *spans, const struct evidence *evidence, size_t flow)
{
	const struct fabric *fabric = evidence->fabric;
	uint64_t line_bps = flow_nics_bps(evidence, flow);
	const uint32_t *ports;
	uint32_t count = ports_of(evidence, flow, &ports);

	for (uint32_t i = 0; i < count; i++)
		spans->crossing[ports[i]]++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t link = fabric->ports[ports[i]].link, qps = spans->crossing[ports[i]];
		uint64_t bps;

		spans->crossing[ports[i]] = 0;
		if (qps == 0 || link == PORT_NONE)
			continue;
		bps = fabric->links[link].speed_bps * evidence->flows[flow].qps / qps;
		if (bps < line_bps)
			line_bps = bps;
	}
	return line_bps;
}

static void look(struct judging *judging, struct spans *spans, const struct evidence *evidence,
	size_t index)
{
	struct span *span = &spans->of[evidence->stage.variant == PAIRS_CROSS];
	double limit = (double)judging->fabric->limits.bandwidth_ppb / (double)PPB;
	const struct run_flow *flow = &evidence->flows[index];
	double bps = flow_goodput_bps(evidence, flow), share;
	bool slow;

	if (evidence->src[index] == PORT_NONE || evidence->dst[index] == PORT_NONE ||
		flow_is_brief(evidence, flow) ||
		(!flow->complete && !stage_met_deadline(&evidence->stage))) {
		span->open++;
		return;
	}
	share = flow_share_of(evidence, index, line_rate(spans, evidence, index));
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
	struct spans *spans = state;

	if (evidence->stage.layer != LAYER_PAIRS)
		return;
	seen_add(&spans->of[evidence->stage.variant == PAIRS_CROSS].seen, &evidence->stage);
	for (size_t i = 0; i < evidence->flow_count; i++)
		look(judging, spans, evidence, i);
}

static void tell(struct judging *judging, struct span *span, const char *where)
{
	double limit = (double)judging->fabric->limits.bandwidth_ppb / (double)PPB;
	struct rate_unit unit = rate_unit_of(span->least_bps);
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
			"%u pair%s %s: the slowest, %s, %.1f %s of payload, %.1f %% "
			"of what its size can reach; mean %.1f %%",
			span->pairs, span->pairs == 1 ? "" : "s", where, span->worst,
			span->least_bps / unit.bps, unit.name, span->least * 100,
			span->sum / span->pairs * 100);
		return;
	}
	finding_text(finding,
		"%u of %u pairs %s stay below %.0f %% of what they can reach; the slowest, "
		"%s, %.1f %s, %.1f %%",
		span->slow, span->pairs, where, limit * 100, span->worst,
		span->least_bps / unit.bps, unit.name, span->least * 100);
	finding_advice(finding,
		"pair each slow NIC with a partner known to be good, inside its leaf "
		"first: that clears or blames the NIC before any uplink");
	judging_complain(judging, &span->votes, &span->seen);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct spans *spans = state;

	for (int i = 0; i < 2; i++) {
		if (speak)
			tell(judging, &spans->of[i], span_names[i]);
		votes_free(&spans->of[i].votes);
	}
	free(spans->crossing);
	free(spans);
}

const struct judge judge_pairs = { begin, stage, end };
