/* SPDX-License-Identifier: Apache-2.0 */

/*
 * stage.incomplete: flows that were not done when their stage's own deadline
 * came. A failure where a cause explains it; else nobody knows whether more time
 * would have done, and the answer is unknown. Stages that were interrupted are
 * told of in stage.partial.
 */
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"

struct layer_open {
	uint32_t flows, open;
	uint64_t missing_bytes;
	struct seen seen;
	struct votes votes;
};

static void *begin(const struct judging *judging)
{
	struct layer_open *layers = zeroed(LAYER_COUNT, sizeof(*layers));

	for (int i = 0; i < LAYER_COUNT; i++)
		votes_begin(&layers[i].votes, judging->fabric);
	return layers;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct layer_open *layers = state, *layer = &layers[evidence->stage.layer];

	(void)judging;
	if (evidence->stage.status != RUN_PARTIAL || !stage_met_deadline(&evidence->stage))
		return;
	seen_add(&layer->seen, &evidence->stage);
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		layer->flows++;
		layer->open += !flow->complete;
		if (!flow->complete)
			layer->missing_bytes += flow->bytes_planned - flow->bytes_delivered;
		votes_add(&layer->votes, evidence, i, !flow->complete);
	}
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct layer_open *layers = state;

	for (int i = 0; i < LAYER_COUNT; i++) {
		struct layer_open *layer = &layers[i];

		if (speak && layer->open) {
			struct finding *finding = judging_say(judging, "stage.incomplete",
				plan_layer_name((enum plan_layer)i), VERDICT_FAIL,
				&layer->seen);

			finding->weight = layer->missing_bytes;
			finding_text(finding,
				"%u of %u flows in %u stages were not done at the "
				"deadline, %llu bytes missing",
				layer->open, layer->flows, layer->seen.stages,
				(unsigned long long)layer->missing_bytes);
			finding_advice(finding,
				"see the cause if one is named; else run the layer alone, with "
				"more time");
			judging_complain(judging, &layer->votes, &layer->seen);
			judging_needs_cause(judging);
		}
		votes_free(&layer->votes);
	}
	free(layers);
}

const struct judge judge_deadline = { begin, stage, end };
