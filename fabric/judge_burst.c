/* SPDX-License-Identifier: Apache-2.0 */

/*
 * burst: aligned bursts of growing size. Where marking, pause and drop begin and
 * how high the queues stood is told as information; drops fail in lossless.loss.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

struct step {
	char name[64];
	uint64_t queue, marked, xoff, drops;
};

struct steps {
	struct step *items;
	size_t count, room;
	struct seen seen;
	uint32_t open;
};

static void *begin(const struct judging *judging)
{
	(void)judging;
	return zeroed(1, sizeof(struct steps));
}

static uint64_t highest_queue(const struct evidence *evidence)
{
	uint64_t most = 0;

	for (uint32_t port = 0; port < evidence->fabric->port_count; port++) {
		uint64_t peak = evidence_sum(evidence, port, M_QUEUE_PEAK);

		most = peak > most ? peak : most;
	}
	return most;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct steps *steps = state;
	struct tally tally = { 0 };
	struct step *step;

	(void)judging;
	if (evidence->stage.layer != LAYER_BURST)
		return;
	seen_add(&steps->seen, &evidence->stage);
	if (!stage_met_deadline(&evidence->stage)) {
		steps->open++;
		return;
	}
	tally_add(&tally, evidence);
	steps->items = grow(steps->items, steps->count, &steps->room, sizeof(*steps->items));
	step = &steps->items[steps->count++];
	*step = (struct step){
		.queue = highest_queue(evidence),
		.marked = tally.marked,
		.xoff = tally.xoff,
		.drops = tally_drops(&tally),
	};
	snprintf(step->name, sizeof(step->name), "%s", evidence->stage.name);
}

static const char *first_of(const struct steps *steps, size_t field)
{
	for (size_t i = 0; i < steps->count; i++) {
		const char *item = (const char *)&steps->items[i];

		if (*(const uint64_t *)(const void *)(item + field))
			return steps->items[i].name;
	}
	return "none";
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct steps *steps = state;
	struct finding *finding;
	uint64_t queue = 0;

	for (size_t i = 0; i < steps->count; i++)
		if (steps->items[i].queue > queue)
			queue = steps->items[i].queue;
	if (speak && steps->seen.stages) {
		finding = judging_say(judging, "burst.onset", "burst",
			steps->open ? VERDICT_UNKNOWN : VERDICT_PASS, &steps->seen);
		finding_text(finding,
			"of %zu burst sizes and gaps the first that marked: %s; that "
			"paused: %s; that dropped: %s; highest queue %.0f KiB",
			steps->count, first_of(steps, offsetof(struct step, marked)),
			first_of(steps, offsetof(struct step, xoff)),
			first_of(steps, offsetof(struct step, drops)),
			(double)queue / (double)KIB);
		finding_limit(finding, (double)queue,
			(double)judging->fabric->policy.buffer_bytes, "bytes",
			"policy.buffer, shared by the ports of a switch; for information");
	}
	free(steps->items);
	free(steps);
}

const struct judge judge_burst = { begin, stage, end };
