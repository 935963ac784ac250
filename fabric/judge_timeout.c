/* SPDX-License-Identifier: Apache-2.0 */

/*
 * nic.timeout: a NIC that sends again because no ACK came in its time, in a stage in which
 * nothing was lost, dropped, refused or held for long: its ACK timeout is shorter than the
 * way to its peers and back. Named only when it is the one NIC that did; others sent beside it
 * and waited long enough. When half of all that sent did, and nothing else is at fault,
 * policy.timeout is shorter than what the queues of this fabric take to drain.
 */
#include <inttypes.h>
#include <stdio.h>
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
	uint64_t timeouts, resent; /* while no port was held for long */
	uint32_t patient; /* stages in which it sent and had none, beside one that had */
	struct seen seen;
	uint64_t held_timeouts; /* while some port was */
	bool sent;              /* in a stage with timeouts */
	struct seen all;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->nic_count, sizeof(struct hasty));
}

/* All that was sent arrived, in order, and yet somebody gave up waiting. */
static bool waited_for_nothing(const struct evidence *evidence)
{
	struct tally tally = { 0 };

	tally_add(&tally, evidence);
	return tally.timeouts && !tally.naks && !tally.out_of_sequence &&
	       stage_lost_nothing(evidence);
}

static bool was_held(const struct evidence *evidence)
{
	for (uint32_t port = 0; port < evidence->fabric->port_count; port++)
		if (evidence_sum(evidence, port, M_RX_PAUSE_US) > HELD_US_MOST)
			return true;
	return false;
}

static void add(struct hasty *hasty, const struct run_flow *flow, bool held,
	const struct run_stage *stage)
{
	hasty->sent = true;
	if (flow->timeouts == 0)
		return;
	seen_add(&hasty->all, stage);
	if (held) {
		hasty->held_timeouts += flow->timeouts;
		return;
	}
	hasty->timeouts += flow->timeouts;
	hasty->resent += flow->packets_resent;
	seen_add(&hasty->seen, stage);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct hasty *nics = state;
	uint32_t count = judging->fabric->nic_count;
	uint8_t *sent;
	bool held;

	if (!waited_for_nothing(evidence))
		return;
	held = was_held(evidence);
	sent = zeroed(count, sizeof(*sent)); /* 1: sent; 3: and had a timeout */
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		if (evidence->src[i] == PORT_NONE || flow->packets_sent == 0)
			continue;
		sent[evidence->src[i]] |= flow->timeouts ? 3 : 1;
		add(&nics[evidence->src[i]], flow, held, &evidence->stage);
	}
	for (uint32_t nic = 0; nic < count; nic++)
		nics[nic].patient += !held && sent[nic] == 1;
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

/* Any fault of a component makes packets wait. */
static bool something_else(const struct judging *judging)
{
	for (size_t i = 0; i < judging->cause_count; i++)
		if (judging->causes[i].class > CLASS_SETTING)
			return true;
	return false;
}

static void tell_setting(struct judging *judging, const struct hasty *nics)
{
	struct place place = { CULPRIT_SETTING, 0, PORT_NONE };
	unsigned exp = judging->fabric->policy.timeout_exp;
	uint32_t hasty = 0, sent = 0;
	struct finding *finding;
	struct seen seen = { 0 };
	uint64_t timeouts = 0;

	for (uint32_t nic = 0; nic < judging->fabric->nic_count; nic++) {
		uint64_t own = nics[nic].timeouts + nics[nic].held_timeouts;

		sent += nics[nic].sent;
		hasty += own > 0;
		timeouts += own;
		seen_merge(&seen, &nics[nic].all);
	}
	if (hasty < 2 || hasty * 2 < sent || timeouts < TIMEOUTS_LEAST ||
		something_else(judging))
		return;
	finding = judging_cause(judging, "policy.timeout", plan_layer_name(seen.layer),
		CLASS_SETTING, timeouts, &place, &seen);
	snprintf(finding->culprit, sizeof(finding->culprit), "policy.timeout");
	finding_text(finding,
		"%u of %u NICs gave up waiting for ACKs %" PRIu64
		" times, while nothing was lost, dropped or out of order: %.3f ms are shorter "
		"than what full queues take to drain here",
		hasty, sent, timeouts, 0.004096 * (double)(UINT64_C(1) << exp));
	finding_limit(finding, (double)timeouts, 0, "timeouts",
		"policy.timeout %u (4.096 us x 2^%u), and nothing was lost", exp, exp);
	finding_advice(finding,
		"set a longer ACK timeout (NCCL uses 18 to 20), or a smaller buffer: it must "
		"drain into one port in less than that");
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
	else if (speak)
		tell_setting(judging, nics);
	free(nics);
}

const struct judge judge_timeout = { begin, stage, end };
