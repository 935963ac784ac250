/* SPDX-License-Identifier: Apache-2.0 */

/*
 * nic.not-posted: a host that gave its NIC nothing to send, all through stages that waited for
 * it to their deadline: no fault of the network. Rings are left out: there a rank waits for
 * the one before it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"

struct idle {
	uint64_t bytes;      /* planned, and never posted */
	uint32_t flows;      /* of these */
	uint32_t neighbours; /* flows of others in the same stages that were posted */
	struct seen seen;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->nic_count, sizeof(struct idle));
}

static bool is_unposted(const struct run_flow *flow)
{
	return flow->bytes_planned && flow->bytes_posted == 0 && flow->packets_sent == 0;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct idle *nics = state;
	uint32_t posted = 0;

	(void)judging;
	if (evidence->stage.layer == LAYER_RING || !stage_met_deadline(&evidence->stage))
		return;
	for (size_t i = 0; i < evidence->flow_count; i++)
		posted += evidence->flows[i].bytes_posted > 0;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];
		struct idle *idle;

		if (evidence->src[i] == PORT_NONE || !is_unposted(flow))
			continue;
		idle = &nics[evidence->src[i]];
		idle->bytes += flow->bytes_planned;
		idle->flows++;
		idle->neighbours += posted;
		seen_add(&idle->seen, &evidence->stage);
	}
}

static void tell(struct judging *judging, uint32_t nic, const struct idle *idle)
{
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	struct finding *finding =
		judging_cause(judging, "nic.not-posted", plan_layer_name(idle->seen.layer),
			CLASS_RATE, idle->bytes, &place, &idle->seen);

	finding_text(finding,
		"the host of %s posted nothing of %" PRIu64
		" bytes in %u flows, to the deadline of their stages, while others sent: "
		"its NIC had nothing to send, and the network is not to blame",
		finding->culprit, idle->bytes, idle->flows);
	finding_limit(
		finding, 0, (double)idle->bytes, "bytes", "what the plan asks it to send");
	finding_advice(finding,
		"look at the host of %s: a process that hangs or was stopped, CPU load, a "
		"driver that does not answer",
		finding->culprit);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct idle *nics = state;

	for (uint32_t nic = 0; speak && nic < judging->fabric->nic_count; nic++)
		if (nics[nic].flows && nics[nic].neighbours)
			tell(judging, nic, &nics[nic]);
	free(nics);
}

const struct judge judge_idle = { begin, stage, end };
