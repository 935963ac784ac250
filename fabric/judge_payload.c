/* SPDX-License-Identifier: Apache-2.0 */

/*
 * payload.check: on real NICs, the messages of pairs hold what was sent. RDMA's own
 * checksum covers the wire; what goes wrong behind it, between NIC and memory or in a
 * device that makes the checksum anew, shows only here.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/judge.h"
#include "fabric/judging.h"
#include "lib/grow.h"

struct payload {
	uint64_t checked, corrupt;
	struct seen seen, off;
	struct votes votes;
};

static void *begin(const struct judging *judging)
{
	struct payload *payload = zeroed(1, sizeof(*payload));

	votes_begin(&payload->votes, judging->fabric);
	return payload;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct payload *payload = state;

	for (uint32_t nic = 0; nic < judging->fabric->nic_count; nic++) {
		uint32_t port = judging->fabric->nics[nic];
		uint64_t checked = evidence_sum(evidence, port, M_PAYLOAD_CHECKED);
		uint64_t corrupt = evidence_sum(evidence, port, M_PAYLOAD_CORRUPT);

		payload->checked += checked;
		payload->corrupt += corrupt;
		if (checked)
			seen_add(&payload->seen, &evidence->stage);
		if (corrupt)
			seen_add(&payload->off, &evidence->stage);
	}
	for (size_t i = 0; i < evidence->flow_count; i++) {
		uint32_t dst = evidence->dst[i];
		uint32_t port = dst == PORT_NONE ? PORT_NONE : judging->fabric->nics[dst];

		if (port != PORT_NONE && evidence_sum(evidence, port, M_PAYLOAD_CHECKED))
			votes_add(&payload->votes, evidence, i,
				evidence_sum(evidence, port, M_PAYLOAD_CORRUPT) > 0);
	}
}

static void tell(struct judging *judging, struct payload *payload)
{
	enum verdict verdict = payload->checked ? VERDICT_PASS : VERDICT_UNKNOWN;
	struct finding *finding =
		judging_say(judging, "payload.check", "pairs", verdict, &payload->seen);

	finding_text(finding,
		"%" PRIu64 " of %" PRIu64
		" messages, the last that came in of each flow, did not hold what was sent "
		"(CRC32C)",
		payload->corrupt, payload->checked);
	finding_limit(finding, (double)payload->corrupt, 0, "messages",
		"what is received is what was sent");
	if (!payload->corrupt)
		return;
	finding_advice(finding,
		"the network's own checksum let it pass: look at memory, PCIe and firmware of "
		"the host where it came in");
	judging_complain(judging, &payload->votes, &payload->off);
}

/* A whole acceptance owes it; simulated messages have no payload. */
static void end(struct judging *judging, void *state, bool speak)
{
	struct payload *payload = state;
	bool owed = judging->layers == JUDGE_ALL && plan_is_whole(judging->info->profile);

	if (speak && judging_is_live(judging) && (owed || payload->checked))
		tell(judging, payload);
	votes_free(&payload->votes);
	free(payload);
}

const struct judge judge_payload = { begin, stage, end };
