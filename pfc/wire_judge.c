/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/wire_weigh.h"

#define LAYER WIRE_LAYER
/* Where PSNs are missing in regular runs. */
#define OTHER_LINK                                                                             \
	"a second uplink or member of a link group carries the rest: capture it too and give " \
	"both files with --one-tap"
/* Runs of what comes again too soon, beside the first of each flow. */
#define MIRRORED_RUNS 8u

static uint64_t lost_network(const struct wire *wire, const struct flow *flow)
{
	return wire_requests(wire, flow)->lost_network;
}

static uint64_t lost_responses(const struct wire *wire, const struct flow *flow)
{
	return wire_responses(wire, flow)->lost_network;
}

static uint64_t lost_after(const struct wire *wire, const struct flow *flow)
{
	return wire_requests(wire, flow)->lost_after;
}

static uint64_t lost_capture(const struct wire *wire, const struct flow *flow)
{
	return wire_requests(wire, flow)->lost_capture +
	       wire_responses(wire, flow)->lost_capture;
}

static uint64_t lost_unknown(const struct wire *wire, const struct flow *flow)
{
	return wire_requests(wire, flow)->lost_unknown +
	       wire_responses(wire, flow)->lost_unknown;
}

static uint64_t timeouts(const struct wire *wire, const struct flow *flow)
{
	return wire_resent(wire, flow, RESEND_TIMEOUT) -
	       flow_trouble_seen(&wire->flows, flow)->resent_soon;
}

static uint64_t resent_soon(const struct wire *wire, const struct flow *flow)
{
	return flow_trouble_seen(&wire->flows, flow)->resent_soon;
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
	return wire_requests(wire, flow)->resent[RESEND_RESPONSE_LOST];
}

static uint64_t late(const struct wire *wire, const struct flow *flow)
{
	return wire_requests(wire, flow)->out_of_order +
	       wire_responses(wire, flow)->out_of_order;
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
	return wire_requests(wire, flow)->copies;
}

static void judge_loss(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	const char *downgrade =
		facts->dropped ? " (the capturer dropped packets too, so some may be the tap's)"
			       : "";
	uint64_t count = wire_total(wire, lost_network);
	struct finding *finding;

	if (count) {
		finding = wire_about_flows(wire, findings, "wire.loss.before", VERDICT_FAIL,
			count, "packet", " lost between the sender and this tap", lost_network);
		wire_append(finding->text, "%s", downgrade);
		wire_advise(finding,
			"read the drop and error counters of the ports from the sender "
			"to the tap, and the PFC setting of their priority");
	}
	count = wire_total(wire, lost_after);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.loss.behind", VERDICT_FAIL,
			count, "packet", " lost between this tap and the receiver", lost_after);
		wire_advise(finding,
			"read the drop and error counters of the ports from the tap to "
			"the receiver, and the receiver's rx_discards and out_of_sequence");
	}
	count = wire_total(wire, lost_responses);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.loss.response", VERDICT_FAIL,
			count, "READ response", " lost between the responder and this tap",
			lost_responses);
		wire_append(finding->text, "%s", downgrade);
		wire_advise(finding,
			"look at the path from the responder to the tap; the requester "
			"counts these as implied_nak_seq_err");
	}
	count = wire_total(wire, sequence_naks);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.loss.nak", VERDICT_FAIL, count,
			"NAK", " of PSN sequence errors to requests that were not captured",
			sequence_naks);
		wire_blame_way_back(wire, finding, sequence_naks);
		wire_advise(finding, "capture both directions to see where the loss lies");
	}
	count = wire_total(wire, asked_before);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.loss.early", VERDICT_FAIL,
			count, "NAK", " for requests sent before the first that was captured",
			asked_before);
		wire_advise(finding,
			"a packet was lost, and the capture began too late to tell where: "
			"capture again, for longer");
	}
}

/* What was acknowledged at this tap before it came again had arrived. */
static void judge_timeouts(const struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_total(wire, timeouts), acked = wire_total(wire, resent_acked);
	struct finding *finding;

	if (!count)
		return;
	finding = wire_about_flows(wire, findings, "wire.timeout", VERDICT_FAIL, count,
		"packet", " sent again without a NAK, after a timeout", timeouts);
	if (acked)
		wire_append(finding->text,
			"; %" PRIu64 " of them had been acknowledged at this tap", acked);
	if (acked == count) {
		wire_blame_way_back(wire, finding, timeouts);
		wire_advise(finding,
			"an ACK was lost between this tap and the sender, or the ACK timeout "
			"is shorter than the path under load: read the sender's "
			"local_ack_timeout_err and the drops on the way back to it");
	} else {
		wire_advise(finding,
			"an ACK or the end of a message was lost, or the ACK timeout is "
			"shorter than the path under load: read local_ack_timeout_err "
			"and the drops of both directions");
	}
}

/* Nothing but a mirror brings all packets twice, and that in run after run: who goes
 * back for one lost packet makes one, which may be most of a short capture. */
static bool taken_twice(const struct wire_sums *sums)
{
	return sums->soon_runs >= MIRRORED_RUNS &&
	       sums->resent_soon * 9 >= (sums->request_packets - sums->resent_soon) * 8;
}

/* Too soon for a timeout. */
static void judge_soon(const struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_total(wire, resent_soon);
	bool all = taken_twice(&wire->sums);
	struct finding *finding;

	if (!count)
		return;
	finding = wire_about_flows(wire, findings, all ? "wire.copies" : "wire.resent",
		all ? VERDICT_WARN : VERDICT_FAIL, count, "packet",
		" came again without a NAK in the capture, too soon for a timeout",
		resent_soon);
	if (all)
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
	wire_advise(
		finding, all ? "the mirror takes each packet twice, at two ports on its way: "
			       "capture at one"
			     : "the NAK was not captured: mirror both directions; or the "
			       "mirror takes packets at two ports on their way");
}

static void judge_resends(const struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_total(wire, rereads);
	struct finding *finding;

	judge_timeouts(wire, findings);
	judge_soon(wire, findings);
	if (count && !wire_total(wire, lost_responses)) {
		finding = wire_about_flows(wire, findings, "wire.loss.response", VERDICT_FAIL,
			count, "READ request", " sent again for responses that passed this tap",
			rereads);
		wire_blame_way_back(wire, finding, rereads);
		wire_advise(finding, "look at the path from the tap to the requester");
	}
	count = wire_total(wire, late);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.reordering", VERDICT_WARN,
			count, "packet", " out of order, none of them lost", late);
		if (wire->sums.asked_late)
			wire_append(finding->text,
				"; %" PRIu64 " were asked for again all the same",
				wire->sums.asked_late);
		wire_advise(finding,
			"packet spraying or a changed path: NICs that take packets only "
			"in order resend at once");
	}
}

static void judge_hosts(const struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_total(wire, corrupt);
	struct finding *finding;

	if (count) {
		finding = wire_about_flows(wire, findings, "wire.corruption", VERDICT_FAIL,
			count, "packet", " with a wrong ICRC", corrupt);
		wire_advise(finding,
			"bytes changed between sender and tap (not by remarking or ECN, "
			"which the ICRC leaves out): memory of a switch or NIC, or "
			"address translation on the way");
	}
	count = wire_total(wire, not_ready);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.receiver_not_ready",
			VERDICT_WARN, count, "RNR NAK", "", not_ready);
		wire_blame_answerer(wire, finding, not_ready);
		wire_advise(finding,
			"the receiving application posts its receive buffers too late");
	}
	count = wire_total(wire, refusals);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.refused", VERDICT_WARN, count,
			"NAK", " of invalid requests or of access and operation errors",
			refusals);
		wire_blame_answerer(wire, finding, refusals);
		wire_advise(finding, "an application's keys, sizes or rights are wrong; its "
				     "connection ends");
	}
}

static void judge_tap(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	uint64_t count = wire_total(wire, lost_capture);
	struct finding *finding;

	if (count) {
		finding = wire_about_flows(wire, findings, "wire.tap_loss", VERDICT_WARN, count,
			"packet", " that the receiver acknowledged and the tap missed",
			lost_capture);
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
		wire_advise(finding,
			wire->sums.alternate
				? OTHER_LINK
				: "the capture is at fault, not the network: a shorter snap "
				  "length or a larger buffer loses less");
	} else if (facts->dropped) {
		finding = findings_add(findings, "wire.tap_loss", LAYER, VERDICT_WARN);
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
		finding->weight = facts->dropped;
		wire_append(finding->text, "%" PRIu64 " packets dropped by the capturer itself",
			facts->dropped);
	}
	count = wire_total(wire, lost_unknown);
	if (count && wire->sums.alternate) {
		finding = wire_about_flows(wire, findings, "wire.partial", VERDICT_UNKNOWN,
			count, "PSN", " missing in regular runs", lost_unknown);
		wire_advise(finding, OTHER_LINK);
	} else if (count) {
		finding = wire_about_flows(wire, findings, "wire.loss.unexplained",
			VERDICT_UNKNOWN, count, "missing packet",
			" of which no ACK, NAK or resend tells", lost_unknown);
		wire_advise(finding, "capture both directions, and longer");
	}
	count = wire_total(wire, copies);
	if (count) {
		finding = wire_about_flows(wire, findings, "wire.copies", VERDICT_WARN, count,
			"packet", " captured twice in a row", copies);
		finding->culprit_kind = CULPRIT_NOT_NETWORK;
		wire_advise(
			finding, "the mirror copies a port's both directions, or two ports");
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
	wire_append(finding->text,
		"one-sided: of %" PRIu64 " of %" PRIu64
		" directions the other one is not in the capture, so whether their packets "
		"arrived is not known",
		sums->one_sided, sums->connections);
	wire_advise(finding, "mirror both directions of the port");
}

static enum verdict closed_verdict(const struct wire_sums *closed, uint64_t bad)
{
	if (bad)
		return VERDICT_FAIL;
	if (closed->lost_unknown)
		return VERDICT_UNKNOWN;
	return closed->resent_soon ? VERDICT_WARN : VERDICT_PASS;
}

static void add_closed(const struct wire *wire, struct findings *findings)
{
	const struct wire_sums *closed = &wire->closed;
	uint64_t lost = closed->lost_network + closed->lost_after + closed->asked_before;
	uint64_t copies = taken_twice(&wire->sums) ? closed->resent_soon : 0;
	uint64_t resent = closed->resent[RESEND_TIMEOUT] - copies;
	uint64_t bad = lost + closed->icrc_bad + resent;
	struct finding *finding;

	if (!wire->closed_flows)
		return;
	finding =
		findings_add(findings, "wire.closed_flows", LAYER, closed_verdict(closed, bad));
	finding->rank = RANK_INFO;
	finding->weight = bad;
	wire_append(finding->text,
		"%" PRIu64 " flows idle longest were closed to make room: %" PRIu64
		" packets lost, %" PRIu64 " missing of which nothing tells, %" PRIu64
		" sent again without a NAK, %" PRIu64 " captured twice, %" PRIu64
		" with a wrong ICRC",
		wire->closed_flows, lost, closed->lost_unknown, resent, copies,
		closed->icrc_bad);
}

/* Whether a finding says that packets were lost, or that this is not known. */
static bool tells_of_loss(const struct finding *finding)
{
	static const char *const checks[] = { "wire.timeout", "wire.resent", "wire.partial",
		"wire.one_sided" };

	if (strcmp(finding->check, "wire.closed_flows") == 0)
		return finding->verdict == VERDICT_FAIL || finding->verdict == VERDICT_UNKNOWN;
	for (size_t i = 0; i < COUNT_OF(checks); i++)
		if (strcmp(finding->check, checks[i]) == 0)
			return true;
	return strncmp(finding->check, "wire.loss", 9) == 0;
}

static void add_clean(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	struct finding *finding;

	for (size_t i = 0; i < findings->count; i++)
		if (tells_of_loss(&findings->items[i]))
			return;
	if (!wire->sums.paired) {
		if (!wire->sums.flows)
			return;
		finding = findings_add(findings, "wire.loss", LAYER, VERDICT_UNKNOWN);
		wire_append(finding->text,
			"no connection in the capture: datagrams and CNPs are not "
			"acknowledged, and tell of no loss");
		wire_advise(finding, "capture where RC connections pass, both directions");
		return;
	}
	finding = findings_add(findings, "wire.loss", LAYER, VERDICT_PASS);
	wire_append(finding->text,
		"no packet lost in %" PRIu64 " requests and responses of %" PRIu64
		" joined directions",
		wire->sums.request_packets, wire->sums.paired);
	if (facts->taps > 1)
		wire_append(finding->text, ", at %" PRIu32 " taps together", facts->taps);
	finding->rank = RANK_INFO;
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
	add_clean(wire, facts, findings);
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
