/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pfc/roce.h"

#define LAYER "wire"
/* Flows that are named for one check; the rest goes in a sum. */
#define NAMED_MOST 4u

struct named {
	uint32_t flow[NAMED_MOST];
	uint64_t weight[NAMED_MOST];
	uint32_t count, flows; /* named, and all that had any */
};

typedef uint64_t weigh(const struct wire *wire, const struct flow *flow);

void wire_flow_text(const struct flow *flow, char *text, size_t size)
{
	char src[48], dst[48];

	flow_address_text(flow->key.src, flow->key.family, src, sizeof(src));
	flow_address_text(flow->key.dst, flow->key.family, dst, sizeof(dst));
	snprintf(text, size, "QP %" PRIu32 " %s -> %s", flow->key.qp, src, dst);
}

/* The main flows that weigh most. */
static struct named heaviest(const struct wire *wire, weigh *weight_of)
{
	struct named named = { .count = 0 };

	for (uint32_t i = 0; i < wire->flows.count; i++) {
		const struct flow *flow = flow_at(&wire->flows, i);
		uint64_t weight;
		uint32_t at;

		if (!flow_is_live(&wire->flows, i) || flow->main != i)
			continue;
		weight = weight_of(wire, flow);
		if (!weight)
			continue;
		named.flows++;
		if (named.count == NAMED_MOST && weight <= named.weight[NAMED_MOST - 1])
			continue;
		at = named.count < NAMED_MOST ? named.count++ : NAMED_MOST - 1;
		for (; at > 0 && named.weight[at - 1] < weight; at--) {
			named.weight[at] = named.weight[at - 1];
			named.flow[at] = named.flow[at - 1];
		}
		named.weight[at] = weight;
		named.flow[at] = i;
	}
	return named;
}

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, FINDING_TEXT - used, fmt, args);
	va_end(args);
}

/* ": QP 69 10.0.0.6 -> 10.0.0.4 (5), ... and 3 more". */
static void append_named(char *text, const struct wire *wire, const struct named *named)
{
	char flow[128];

	for (uint32_t i = 0; i < named->count; i++) {
		wire_flow_text(flow_at(&wire->flows, named->flow[i]), flow, sizeof(flow));
		append(text, "%s%s (%" PRIu64 ")", i ? ", " : ": ", flow, named->weight[i]);
	}
	if (named->flows > named->count)
		append(text, " and %" PRIu32 " more", named->flows - named->count);
}

/* A finding about flows: who weighs most is the culprit's address. */
static struct finding *about_flows(const struct wire *wire, struct findings *findings,
	const char *check, enum verdict verdict, uint64_t total, const char *thing,
	const char *what, weigh *weight_of)
{
	struct finding *finding = findings_add(findings, check, LAYER, verdict);
	struct named named = heaviest(wire, weight_of);
	char src[48], dst[48];

	finding->has_measured = finding->has_limit = true;
	finding->measured = (double)total;
	finding->weight = total;
	snprintf(finding->unit, sizeof(finding->unit), "packets");
	snprintf(finding->limit_source, sizeof(finding->limit_source),
		"a lossless fabric has none");
	snprintf(finding->basis, sizeof(finding->basis), "measured: the captured packets");
	append(finding->text, "%" PRIu64 " %s%s%s", total, thing, total == 1 ? "" : "s", what);
	append_named(finding->text, wire, &named);
	if (named.count) {
		const struct flow *flow = flow_at(&wire->flows, named.flow[0]);

		flow_address_text(flow->key.src, flow->key.family, src, sizeof(src));
		flow_address_text(flow->key.dst, flow->key.family, dst, sizeof(dst));
		snprintf(
			finding->culprit, sizeof(finding->culprit), "%.28s -> %.28s", src, dst);
	}
	finding->culprit_kind = CULPRIT_UNLOCATED;
	return finding;
}

/* The fault lies on the way back, or at who answers. */
static void blame_way_back(const struct wire *wire, struct finding *finding, weigh *weight_of)
{
	struct named named = heaviest(wire, weight_of);
	const struct flow *flow = flow_at(&wire->flows, named.flow[0]);
	char src[48], dst[48];

	flow_address_text(flow->key.src, flow->key.family, src, sizeof(src));
	flow_address_text(flow->key.dst, flow->key.family, dst, sizeof(dst));
	snprintf(finding->culprit, sizeof(finding->culprit), "%.28s -> %.28s", dst, src);
}

static void blame_answerer(const struct wire *wire, struct finding *finding, weigh *weight_of)
{
	struct named named = heaviest(wire, weight_of);
	const struct flow *flow = flow_at(&wire->flows, named.flow[0]);

	finding->culprit_kind = CULPRIT_NOT_NETWORK;
	flow_address_text(
		flow->key.src, flow->key.family, finding->culprit, sizeof(finding->culprit));
}

static void advise(struct finding *finding, const char *text)
{
	snprintf(finding->advice, sizeof(finding->advice), "%s", text);
}

static const struct psn_track *responses_of(const struct wire *wire, const struct flow *flow)
{
	return flow_responses_made(&wire->flows, flow);
}

static uint64_t lost_network(const struct wire *wire, const struct flow *flow)
{
	(void)wire;
	return flow->requests_track.lost_network;
}

static uint64_t lost_responses(const struct wire *wire, const struct flow *flow)
{
	const struct psn_track *track = responses_of(wire, flow);

	return track ? track->lost_network : 0;
}

static uint64_t lost_after(const struct wire *wire, const struct flow *flow)
{
	(void)wire;
	return flow->requests_track.lost_after;
}

static uint64_t lost_capture(const struct wire *wire, const struct flow *flow)
{
	const struct psn_track *track = responses_of(wire, flow);

	return flow->requests_track.lost_capture + (track ? track->lost_capture : 0);
}

static uint64_t lost_unknown(const struct wire *wire, const struct flow *flow)
{
	const struct psn_track *track = responses_of(wire, flow);

	return flow->requests_track.lost_unknown + (track ? track->lost_unknown : 0);
}

static uint64_t timeouts(const struct wire *wire, const struct flow *flow)
{
	return flow_resent(&wire->flows, flow, RESEND_TIMEOUT);
}

static uint64_t resent_acked(const struct wire *wire, const struct flow *flow)
{
	return flow_trouble_seen(&wire->flows, flow)->resent_acked;
}

static uint64_t asked_before(const struct wire *wire, const struct flow *flow)
{
	return flow_trouble_seen(&wire->flows, flow)->asked_before;
}

static uint64_t rereads(const struct wire *wire, const struct flow *flow)
{
	(void)wire;
	return flow->requests_track.resent[RESEND_RESPONSE_LOST];
}

static uint64_t late(const struct wire *wire, const struct flow *flow)
{
	const struct psn_track *track = responses_of(wire, flow);

	return flow->requests_track.out_of_order + (track ? track->out_of_order : 0);
}

static uint64_t corrupt(const struct wire *wire, const struct flow *flow)
{
	return flow_trouble_seen(&wire->flows, flow)->icrc_bad;
}

static uint64_t not_ready(const struct wire *wire, const struct flow *flow)
{
	return flow_trouble_seen(&wire->flows, flow)->rnr_naks;
}

static uint64_t sequence_naks(const struct wire *wire, const struct flow *flow)
{
	const struct flow_trouble *trouble = flow_trouble_seen(&wire->flows, flow);

	return flow->peer == FLOW_NONE ? trouble->naks[NAK_PSN_SEQUENCE] : 0;
}

static uint64_t refusals(const struct wire *wire, const struct flow *flow)
{
	const struct flow_trouble *trouble = flow_trouble_seen(&wire->flows, flow);
	uint64_t count = trouble->naks_reserved;

	for (unsigned i = NAK_PSN_SEQUENCE + 1; i < NAK_REASONS; i++)
		count += trouble->naks[i];
	return count;
}

static uint64_t copies(const struct wire *wire, const struct flow *flow)
{
	(void)wire;
	return flow->requests_track.copies;
}

static uint64_t total(const struct wire *wire, weigh *weight_of)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < wire->flows.count; i++)
		if (flow_is_live(&wire->flows, i) && flow_at(&wire->flows, i)->main == i)
			sum += weight_of(wire, flow_at(&wire->flows, i));
	return sum;
}

static void judge_loss(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	const char *downgrade =
		facts->dropped ? " (the capturer dropped packets too, so some may be the tap's)"
			       : "";
	uint64_t count = total(wire, lost_network);
	struct finding *finding;

	if (count) {
		finding = about_flows(wire, findings, "wire.loss.before", VERDICT_FAIL, count,
			"packet", " lost between the sender and this tap", lost_network);
		append(finding->text, "%s", downgrade);
		advise(finding, "read the drop and error counters of the ports from the sender "
				"to the tap, and the PFC setting of their priority");
	}
	count = total(wire, lost_after);
	if (count) {
		finding = about_flows(wire, findings, "wire.loss.behind", VERDICT_FAIL, count,
			"packet", " lost between this tap and the receiver", lost_after);
		advise(finding,
			"read the drop and error counters of the ports from the tap to "
			"the receiver, and the receiver's rx_discards and out_of_sequence");
	}
	count = total(wire, lost_responses);
	if (count) {
		finding = about_flows(wire, findings, "wire.loss.response", VERDICT_FAIL, count,
			"READ response", " lost between the responder and this tap",
			lost_responses);
		append(finding->text, "%s", downgrade);
		advise(finding, "look at the path from the responder to the tap; the requester "
				"counts these as implied_nak_seq_err");
	}
	count = total(wire, sequence_naks);
	if (count) {
		finding = about_flows(wire, findings, "wire.loss.nak", VERDICT_FAIL, count,
			"NAK", " of PSN sequence errors to requests that were not captured",
			sequence_naks);
		blame_way_back(wire, finding, sequence_naks);
		advise(finding, "capture both directions to see where the loss lies");
	}
	count = total(wire, asked_before);
	if (count) {
		finding = about_flows(wire, findings, "wire.loss.early", VERDICT_FAIL, count,
			"NAK", " for requests sent before the first that was captured",
			asked_before);
		advise(finding,
			"a packet was lost, and the capture began too late to tell where: "
			"capture again, for longer");
	}
}

/* What was acknowledged at this tap before it came again had arrived. */
static void advise_timeout(const struct wire *wire, struct finding *finding, uint64_t count)
{
	uint64_t acked = total(wire, resent_acked);

	if (acked)
		append(finding->text, "; %" PRIu64 " of them had been acknowledged at this tap",
			acked);
	if (acked == count) {
		blame_way_back(wire, finding, timeouts);
		advise(finding,
			"an ACK was lost between this tap and the sender, or the ACK timeout "
			"is shorter than the path under load: read the sender's "
			"local_ack_timeout_err and the drops on the way back to it");
	} else {
		advise(finding,
			"an ACK or the end of a message was lost, or the ACK timeout is "
			"shorter than the path under load: read local_ack_timeout_err "
			"and the drops of both directions");
	}
}

static void judge_resends(const struct wire *wire, struct findings *findings)
{
	uint64_t count = total(wire, timeouts);
	struct finding *finding;

	if (count) {
		finding = about_flows(wire, findings, "wire.timeout", VERDICT_FAIL, count,
			"packet", " sent again without a NAK, after a timeout", timeouts);
		advise_timeout(wire, finding, count);
	}
	count = total(wire, rereads);
	if (count && !total(wire, lost_responses)) {
		finding = about_flows(wire, findings, "wire.loss.response", VERDICT_FAIL, count,
			"READ request", " sent again for responses that passed this tap",
			rereads);
		blame_way_back(wire, finding, rereads);
		advise(finding, "look at the path from the tap to the requester");
	}
	count = total(wire, late);
	if (count) {
		finding = about_flows(wire, findings, "wire.reordering", VERDICT_WARN, count,
			"packet", " out of order, none of them lost", late);
		if (wire->sums.asked_late)
			append(finding->text, "; %" PRIu64 " were asked for again all the same",
				wire->sums.asked_late);
		advise(finding,
			"packet spraying or a changed path: NICs that take packets only "
			"in order resend at once");
	}
}

static void judge_hosts(const struct wire *wire, struct findings *findings)
{
	uint64_t count = total(wire, corrupt);
	struct finding *finding;

	if (count) {
		finding = about_flows(wire, findings, "wire.corruption", VERDICT_FAIL, count,
			"packet", " with a wrong ICRC", corrupt);
		advise(finding,
			"bytes changed between sender and tap (not by remarking or ECN, "
			"which the ICRC leaves out): memory of a switch or NIC, or "
			"address translation on the way");
	}
	count = total(wire, not_ready);
	if (count) {
		finding = about_flows(wire, findings, "wire.receiver_not_ready", VERDICT_WARN,
			count, "RNR NAK", "", not_ready);
		blame_answerer(wire, finding, not_ready);
		advise(finding, "the receiving application posts its receive buffers too late");
	}
	count = total(wire, refusals);
	if (count) {
		finding = about_flows(wire, findings, "wire.refused", VERDICT_WARN, count,
			"NAK", " of invalid requests or of access and operation errors",
			refusals);
		blame_answerer(wire, finding, refusals);
		advise(finding, "an application's keys, sizes or rights are wrong; its "
				"connection ends");
	}
}

static void judge_tap(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	uint64_t count = total(wire, lost_capture);
	struct finding *finding;

	if (count) {
		finding = about_flows(wire, findings, "wire.tap_loss", VERDICT_WARN, count,
			"packet", " that the receiver acknowledged and the tap missed",
			lost_capture);
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
		advise(finding, "the capture is at fault, not the network: a shorter snap "
				"length or a larger buffer loses less");
	} else if (facts->dropped) {
		finding = findings_add(findings, "wire.tap_loss", LAYER, VERDICT_WARN);
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
		finding->weight = facts->dropped;
		append(finding->text, "%" PRIu64 " packets dropped by the capturer itself",
			facts->dropped);
	}
	count = total(wire, lost_unknown);
	if (count && wire->sums.alternate) {
		finding = about_flows(wire, findings, "wire.partial", VERDICT_UNKNOWN, count,
			"PSN", " missing in regular runs", lost_unknown);
		advise(finding, "a second uplink or member of a link group carries the rest: "
				"capture it too and give both files with --one-tap");
	} else if (count) {
		finding = about_flows(wire, findings, "wire.loss.unexplained", VERDICT_UNKNOWN,
			count, "missing packet", " of which no ACK, NAK or resend tells",
			lost_unknown);
		advise(finding, "capture both directions, and longer");
	}
	count = total(wire, copies);
	if (count) {
		finding = about_flows(wire, findings, "wire.copies", VERDICT_WARN, count,
			"packet", " captured twice in a row", copies);
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
		advise(finding, "the mirror copies a port's both directions, or two ports");
	}
}

static void judge_pairs(const struct wire *wire, struct findings *findings)
{
	const struct wire_sums *sums = &wire->sums;
	struct finding *finding;

	if (!sums->one_sided)
		return;
	finding = findings_add(findings, "wire.one_sided", LAYER,
		sums->paired ? VERDICT_WARN : VERDICT_UNKNOWN);
	finding->weight = sums->one_sided;
	append(finding->text,
		"one-sided: of %" PRIu64 " of %" PRIu64
		" directions the other one is not in the capture, so whether their packets "
		"arrived is not known",
		sums->one_sided, sums->connections);
	advise(finding, "mirror both directions of the port");
}

static void add_clean(const struct wire *wire, struct findings *findings)
{
	struct finding *finding;

	for (size_t i = 0; i < findings->count; i++)
		if (strncmp(findings->items[i].check, "wire.loss", 9) == 0 ||
			strcmp(findings->items[i].check, "wire.timeout") == 0 ||
			strcmp(findings->items[i].check, "wire.one_sided") == 0)
			return;
	if (!wire->sums.paired) {
		if (!wire->sums.flows)
			return;
		finding = findings_add(findings, "wire.loss", LAYER, VERDICT_UNKNOWN);
		append(finding->text,
			"no connection in the capture: datagrams and CNPs are not "
			"acknowledged, and tell of no loss");
		advise(finding, "capture where RC connections pass, both directions");
		return;
	}
	finding = findings_add(findings, "wire.loss", LAYER, VERDICT_PASS);
	append(finding->text,
		"no packet lost in %" PRIu64 " requests and responses of %" PRIu64
		" joined directions",
		wire->sums.request_packets, wire->sums.paired);
	finding->rank = RANK_INFO;
}

static void add_closed(const struct wire *wire, struct findings *findings)
{
	const struct wire_sums *closed = &wire->closed;
	uint64_t bad = closed->lost_network + closed->lost_after + closed->icrc_bad +
		       closed->resent[RESEND_TIMEOUT];
	struct finding *finding;

	if (!wire->closed_flows)
		return;
	finding = findings_add(
		findings, "wire.closed_flows", LAYER, bad ? VERDICT_FAIL : VERDICT_PASS);
	finding->rank = RANK_INFO;
	finding->weight = bad;
	append(finding->text,
		"%" PRIu64 " flows idle longest were closed to make room: %" PRIu64
		" packets lost, %" PRIu64 " sent again after timeouts, %" PRIu64
		" with a wrong ICRC",
		wire->closed_flows, closed->lost_network + closed->lost_after,
		closed->resent[RESEND_TIMEOUT], closed->icrc_bad);
}

void wire_judge_flows(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	judge_loss(wire, facts, findings);
	judge_resends(wire, findings);
	judge_hosts(wire, findings);
	judge_tap(wire, facts, findings);
	judge_pairs(wire, findings);
	add_closed(wire, findings);
	add_clean(wire, findings);
}

void wire_judge(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	wire_judge_flows(wire, facts, findings);
	wire_judge_ports(wire, facts, findings);
	wire_judge_taps(wire, facts, findings);
	wire_judge_capture(wire, facts, findings);
	findings_sort(findings);
}
