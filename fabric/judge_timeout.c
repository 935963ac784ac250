/* SPDX-License-Identifier: Apache-2.0 */

/*
 * nic.timeout: a NIC that sends again because no ACK came in its time, in a stage in which
 * nothing was lost, dropped, refused or held for long: its ACK timeout is shorter than the
 * way to its peers and back. Named only when it is the one NIC that did; others sent beside it
 * and waited long enough.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* Other NICs that sent in these stages and had no timeout, before one is named. */
#define OTHERS_LEAST 2u
/* One may be a packet that was lost where nobody counts. */
#define TIMEOUTS_LEAST 3u
/* Well below the least ACK timeout that is in use, 4.096 us x 2^10: a NIC that was held for so
 * long in all had no reason to give up. */
#define HELD_US_MOST 1000u

struct hasty {
	uint64_t timeouts, resent;
	uint32_t patient; /* stages in which it sent and had none, beside one that had */
	struct seen seen;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->nic_count, sizeof(struct hasty));
}

/* Nothing that a NIC would have to wait for: no gap either, and no port was held for long. */
static bool nothing_happened(const struct evidence *evidence)
{
	struct tally tally = { 0 };

	tally_add(&tally, evidence);
	if (tally.timeouts == 0 || tally.naks || tally.out_of_sequence ||
		!stage_lost_nothing(evidence))
		return false;
	for (uint32_t port = 0; port < evidence->fabric->port_count; port++)
		if (evidence_sum(evidence, port, M_RX_PAUSE_US) > HELD_US_MOST)
			return false;
	return true;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct hasty *nics = state;
	uint32_t count = judging->fabric->nic_count;
	uint8_t *sent;

	if (!nothing_happened(evidence))
		return;
	sent = zeroed(count, sizeof(*sent)); /* 1: sent; 2: and had a timeout */
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];
		uint32_t src = evidence->src[i];

		if (src == PORT_NONE)
			continue;
		sent[src] |= flow->timeouts ? 3 : 1;
		nics[src].timeouts += flow->timeouts;
		nics[src].resent += flow->packets_resent;
		if (flow->timeouts)
			seen_add(&nics[src].seen, &evidence->stage);
	}
	for (uint32_t nic = 0; nic < count; nic++)
		nics[nic].patient += sent[nic] == 1;
	free(sent);
}

static void tell(struct judging *judging, uint32_t nic, const struct hasty *hasty)
{
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	struct finding *finding =
		judging_cause(judging, "nic.timeout", plan_layer_name(hasty->seen.layer),
			CLASS_SETTING, hasty->timeouts, &place, &hasty->seen);
	unsigned exp = judging->fabric->policy.timeout_exp;

	finding_text(finding,
		"%s gave up waiting for ACKs %" PRIu64 " times and sent %" PRIu64
		" packets again, while nothing was lost, dropped or held, and no other NIC "
		"beside it did",
		finding->culprit, hasty->timeouts, hasty->resent);
	finding_limit(finding, (double)hasty->timeouts, 0, "timeouts",
		"nothing was lost: policy.timeout %u (4.096 us x 2^%u) is not reached", exp,
		exp);
	finding_advice(finding,
		"compare the ACK timeout of queue pairs on %s with that of the others "
		"(NCCL_IB_TIMEOUT, HCCL_RDMA_TIMEOUT, or what the program asks for): it is "
		"shorter than the way there and back",
		finding->culprit);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct hasty *nics = state;
	uint32_t hasty = 0, patient = 0, found = 0;

	for (uint32_t nic = 0; speak && nic < judging->fabric->nic_count; nic++) {
		if (nics[nic].timeouts) {
			hasty++;
			found = nic;
		}
		patient += nics[nic].patient && !nics[nic].timeouts;
	}
	if (hasty == 1 && nics[found].timeouts >= TIMEOUTS_LEAST && patient >= OTHERS_LEAST)
		tell(judging, found, &nics[found]);
	free(nics);
}

const struct judge judge_timeout = { begin, stage, end };
