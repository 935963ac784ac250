/* SPDX-License-Identifier: Apache-2.0 */

/*
 * zero loss, over all stages of all layers: nothing dropped by a switch for any
 * cause, nothing sent twice. One symptom a layer; who did it is said by the
 * causes. When nothing was lost the claim is printed with its bound, p < 3/n.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/chance.h"
#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"

struct layer_loss {
	struct tally tally;
	struct seen lossy, seen;
	struct votes votes;
	bool settled; /* every stage ran to its end or deadline */
};

static void *begin(const struct judging *judging)
{
	struct layer_loss *layers = zeroed(LAYER_COUNT, sizeof(*layers));

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		votes_begin(&layers[layer].votes, judging->fabric);
		layers[layer].settled = true;
	}
	return layers;
}

static bool is_lossy(const struct tally *tally)
{
	return tally_drops(tally) || tally->resent || tally->timeouts || tally->naks ||
	       tally->out_of_sequence || tally->errors || tally->nic_loss;
}

/* Whether the acknowledgements were lost and not the data: the sender repeats what its receiver
 * has had in full, without a gap. */
static bool is_lost_back(const struct evidence *evidence, size_t flow)
{
	uint32_t nic = evidence->dst[flow], port;

	if (nic == PORT_NONE || !evidence->flows[flow].timeouts)
		return false;
	port = evidence->fabric->nics[nic];
	return evidence_sum(evidence, port, M_OUT_OF_SEQUENCE) == 0 &&
	       evidence_sum(evidence, port, M_DUPLICATE) > 0;
}

static void vote(struct votes *votes, const struct evidence *evidence, size_t index)
{
	const struct run_flow *flow = &evidence->flows[index];
	bool bad = flow->packets_resent || flow->timeouts || flow->naks ||
		   flow->out_of_sequence || flow->qp_error;

	if (bad && !flow->qp_error && is_lost_back(evidence, index))
		votes_add_back(votes, evidence, index);
	else
		votes_add(votes, evidence, index, bad);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct layer_loss *layers = state;
	struct layer_loss *layer = &layers[evidence->stage.layer];
	struct tally tally = { 0 };

	(void)judging;
	tally_add(&tally, evidence);
	tally_add(&layer->tally, evidence);
	seen_add(&layer->seen, &evidence->stage);
	layer->settled &= stage_met_deadline(&evidence->stage);
	if (!is_lossy(&tally))
		return;
	seen_add(&layer->lossy, &evidence->stage);
	for (size_t i = 0; i < evidence->flow_count; i++)
		vote(&layer->votes, evidence, i);
}

/* Without PFC a full queue drops, and no port is to blame for it. */
static void blame_setting(struct finding *finding)
{
	finding->rank = RANK_CAUSE;
	finding->culprit_kind = CULPRIT_SETTING;
	snprintf(finding->culprit, sizeof(finding->culprit), "policy.pfc");
	finding_advice(finding,
		"the file has PFC off (policy.pfc), so that a full queue drops; turn it on "
		"for the priority of RDMA");
}

/* What hosts see of it: no drop by whom, but who had to send again. */
static void tell_lossy_live(
	struct judging *judging, struct layer_loss *layer, struct finding *finding)
{
	const struct tally *tally = &layer->tally;

	finding->weight = tally->nic_loss + tally->errors;
	finding_text(finding,
		"the NICs counted %" PRIu64 " gaps, NAKs and retries in %" PRIu64
		" data packets (flows alone on their NICs: %" PRIu64 " gaps, %" PRIu64
		" NAKs, %" PRIu64 " retries), and %u of %u flows gave up",
		tally->nic_loss, tally->sent, tally->out_of_sequence, tally->naks,
		tally->timeouts, tally->errors, tally->flows);
	finding_limit(finding, (double)(tally->nic_loss + tally->errors), 0, "packets",
		"0 loss, 0 NAK, 0 sequence error in a lossless class (SONiC RoCEv2 test plan)");
	finding_advice(finding,
		"compare the discard counters of every hop between these NICs in the same "
		"window; what only large packets meet is an MTU");
	judging_complain(judging, &layer->votes, &layer->lossy);
}

static void tell_lossy(struct judging *judging, struct layer_loss *layer)
{
	const struct tally *tally = &layer->tally;
	uint64_t drops = tally_drops(tally);
	struct finding *finding;

	finding = judging_say(judging, "lossless.loss", plan_layer_name(layer->lossy.layer),
		VERDICT_FAIL, &layer->lossy);
	finding->weight = drops + tally->lost + tally->resent;
	if (judging_is_live(judging)) {
		tell_lossy_live(judging, layer, finding);
		return;
	}
	finding_text(finding,
		"%" PRIu64 " packets dropped by switches (%" PRIu64 " buffer, %" PRIu64
		" headroom, %" PRIu64 " lossy queue, %" PRIu64 " port down), %" PRIu64
		" lost on links; of %" PRIu64 " data packets %" PRIu64
		" were sent again, %" PRIu64 " timeouts, %" PRIu64 " NAKs, %" PRIu64
		" gaps at receivers",
		drops, tally->drop_buffer, tally->drop_headroom,
		tally->drop_egress + tally->drop_other, tally->drop_down, tally->lost,
		tally->sent, tally->resent, tally->timeouts, tally->naks,
		tally->out_of_sequence);
	finding_limit(finding, (double)(drops + tally->resent), 0, "packets",
		"0 loss, 0 NAK, 0 sequence error in a lossless class (SONiC RoCEv2 test plan)");
	finding_advice(finding,
		"read the causes first; without one, compare the discard counters "
		"of every hop in the same window");
	judging_complain(judging, &layer->votes, &layer->lossy);
	if (drops && !judging->fabric->policy.pfc)
		blame_setting(finding);
}

/* Of real NICs: which of them leaves open whether it sent anything again. "" when none does. */
static void tell_silent(const struct judging *judging, uint32_t silent, char text[128])
{
	char name[2 * NAME_BYTES];

	text[0] = '\0';
	if (!silent || !judging_is_live(judging))
		return;
	fabric_nic_name(judging->fabric, silent - 1, name);
	snprintf(text, 128, "; NIC %.40s did not tell whether it sent packets again", name);
}

static void tell_clean(struct judging *judging, const struct layer_loss *layers)
{
	struct finding *finding;
	struct seen seen = { 0 };
	struct tally sum = { 0 };
	bool settled = true, live = judging_is_live(judging);
	char hops[64] = "", silent[128];

	for (int i = 0; i < LAYER_COUNT; i++) {
		if (!sum.silent_nic)
			sum.silent_nic = layers[i].tally.silent_nic;
		sum.sent += layers[i].tally.sent;
		sum.hops += layers[i].tally.hops;
		settled &= layers[i].settled;
		seen_merge(&seen, &layers[i].seen);
	}
	if (sum.sent == 0)
		return;
	tell_silent(judging, sum.silent_nic, silent);
	finding = judging_say(judging, "lossless.loss", "lossless",
		settled && !silent[0] ? VERDICT_PASS : VERDICT_UNKNOWN, &seen);
	if (!live)
		snprintf(hops, sizeof(hops), ", in %" PRIu64 " crossings of links", sum.hops);
	finding_text(finding,
		"0 of %" PRIu64 " data packets lost, resent or out of sequence%s: with 95 %% "
		"certainty fewer than %.1e are (p < 3/n)%s%s",
		sum.sent, hops, chance_zero_loss_bound(sum.sent),
		settled ? "" : "; some stages were cut short", silent);
	finding_limit(finding, 0, 0, "packets",
		"0 loss, 0 NAK, 0 sequence error in a lossless class (SONiC RoCEv2 test plan)");
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct layer_loss *layers = state;
	bool lossy = false;

	for (int i = 0; i < LAYER_COUNT; i++) {
		if (speak && layers[i].lossy.stages) {
			tell_lossy(judging, &layers[i]);
			lossy = true;
		}
		votes_free(&layers[i].votes);
	}
	if (speak && !lossy)
		tell_clean(judging, layers);
	free(layers);
}

const struct judge judge_zero = { begin, stage, end };
