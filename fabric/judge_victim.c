/* SPDX-License-Identifier: Apache-2.0 */

/*
 * lossless.victim: a flow that shares a switch with an incast, and not its
 * bottleneck, keeps most of what it reached alone. Victims of the stages "alone"
 * are compared with the same NICs beside the incast of equal N and set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/judging.h"
#include "fabric/stages.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

struct victim {
	uint32_t variant, repeat, src, dst;
	double bps;
};

struct victims {
	struct victim *alone;
	size_t alone_count, alone_room;
	uint32_t compared, hurt;
	double least, least_bps;
	char worst[2 * RUN_NAME + 80];
	struct seen seen;
	struct votes votes;
};

static void *begin(const struct judging *judging)
{
	struct victims *victims = zeroed(1, sizeof(*victims));

	victims->least = 1e9;
	votes_begin(&victims->votes, judging->fabric);
	return victims;
}

static const struct victim *find_alone(
	const struct victims *victims, const struct evidence *evidence, size_t flow)
{
	for (size_t i = 0; i < victims->alone_count; i++) {
		const struct victim *alone = &victims->alone[i];

		if (alone->variant == evidence->stage.variant &&
			alone->repeat == evidence->stage.repeat &&
			alone->src == evidence->src[flow] && alone->dst == evidence->dst[flow])
			return alone;
	}
	return NULL;
}

static void compare(struct victims *victims, const struct evidence *evidence, size_t flow,
	const struct victim *alone, double limit)
{
	double bps = flow_goodput_bps(evidence, &evidence->flows[flow]);
	double share = bps / alone->bps;

	victims->compared++;
	victims->hurt += share < limit;
	votes_add(&victims->votes, evidence, flow, share < limit);
	if (share >= victims->least)
		return;
	victims->least = share;
	victims->least_bps = bps;
	snprintf(victims->worst, sizeof(victims->worst), "%s -> %s in %s",
		evidence->flows[flow].src, evidence->flows[flow].dst, evidence->stage.name);
}

static void remember(struct victims *victims, const struct evidence *evidence, size_t flow)
{
	victims->alone = grow(victims->alone, victims->alone_count, &victims->alone_room,
		sizeof(*victims->alone));
	victims->alone[victims->alone_count++] = (struct victim){
		evidence->stage.variant,
		evidence->stage.repeat,
		evidence->src[flow],
		evidence->dst[flow],
		flow_goodput_bps(evidence, &evidence->flows[flow]),
	};
}

/* The stages alone stand before those with the incast. */
static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	double limit = (double)judging->fabric->limits.victim_ppb / (double)PPB;
	bool alone = evidence->stage.subject == LOSSLESS_ALONE;
	struct victims *victims = state;

	if (evidence->stage.layer != LAYER_LOSSLESS || !stage_met_deadline(&evidence->stage) ||
		(!alone && evidence->stage.subject != LOSSLESS_ECT &&
			evidence->stage.subject != LOSSLESS_NOT_ECT))
		return;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct victim *match;

		if (evidence->flows[i].role != FLOW_VICTIM ||
			evidence->flows[i].bytes_delivered == 0)
			continue;
		if (alone) {
			remember(victims, evidence, i);
			continue;
		}
		match = find_alone(victims, evidence, i);
		if (match && match->bps > 0)
			compare(victims, evidence, i, match, limit);
	}
	if (!alone)
		seen_add(&victims->seen, &evidence->stage);
}

static void end(struct judging *judging, void *state, bool speak)
{
	double limit = (double)judging->fabric->limits.victim_ppb / (double)PPB;
	struct victims *victims = state;

	if (speak && victims->compared) {
		struct rate_unit unit = rate_unit_of(victims->least_bps);
		struct finding *finding = judging_say(
			judging, "lossless.victim", "lossless", VERDICT_PASS, &victims->seen);

		finding_text(finding,
			"%u of %u flows beside an incast kept less than %.0f %% of "
			"what they reach alone; the least, %s: %.1f %s, %.0f %%",
			victims->hurt, victims->compared, limit * 100, victims->worst,
			victims->least_bps / unit.bps, unit.name, victims->least * 100);
		finding_limit(finding, victims->least, limit, "ratio",
			"limits.victim of its own rate");
		if (victims->hurt) {
			finding->weight = victims->hurt;
			finding_advice(finding,
				"follow the pause upstream from the port that hears PFC and "
				"sends none on; without one, look at headroom, alpha and the "
				"ECN thresholds");
			judging_complain(judging, &victims->votes, &victims->seen);
		}
	}
	votes_free(&victims->votes);
	free(victims->alone);
	free(victims);
}

const struct judge judge_victim = { begin, stage, end };
