/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_weigh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

#define LAYER "wire"
/* XOFFs below this many are single events, not a state. */
#define XOFFS_FEW 8u

static void describe(struct finding *finding, const char *text, const char *advice)
{
	snprintf(finding->text, sizeof(finding->text), "%s", text);
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
}

static void class_name(unsigned class, char *text, size_t size)
{
	if (class == PAUSE_PORT)
		snprintf(text, size, "the whole port (802.3x)");
	else
		snprintf(text, size, "priority %u", class);
}

/* By the port's rate if it was given; else by the highest of the usual ones, which
 * makes the shortest pauses: it was at least that long. */
static size_t rate_index(const struct pause *pause)
{
	return pause->rate_gbps[3] ? 3 : 2;
}

/* How long the tap captured: clocks of several need not agree. */
static uint64_t span_of(const struct wire *wire, uint16_t tap)
{
	return wire->spans[tap].last_ns > wire->spans[tap].first_ns
		       ? wire->spans[tap].last_ns - wire->spans[tap].first_ns
		       : 0;
}

static void judge_class(const struct wire *wire, const struct pause_source *source,
	unsigned class, struct findings *findings)
{
	const struct pause_class *counts = &source->classes[class];
	size_t rate = rate_index(&wire->pause);
	uint64_t paused_ps = pause_ps(&wire->pause, counts, rate);
	uint64_t span_ns = span_of(wire, source->file);
	uint64_t share_ppb =
		span_ns ? paused_ps / PS_PER_NS * 1000 / (span_ns / 1000 + 1) * 1000 : 0;
	bool much = counts->xoff >= XOFFS_FEW && share_ppb > WIRE_PAUSED_LIMIT_PPB;
	struct finding *finding;
	char name[32], text[FINDING_TEXT];

	finding =
		findings_add(findings, "wire.pause", LAYER, much ? VERDICT_FAIL : VERDICT_WARN);
	class_name(class, name, sizeof(name));
	finding->culprit_kind = CULPRIT_PORT;
	mac_text(source->mac, finding->culprit);
	snprintf(text, sizeof(text),
		"%s told its peer to stop %s: %" PRIu64 " XOFF, %" PRIu64 " XON, %" PRIu64
		" quanta; %s%.1f us paused in %.1f us at %u Gb/s, %.1f us the longest "
		"without a break",
		finding->culprit, name, counts->xoff, counts->xon, counts->quanta_sum,
		rate == 3 ? "" : "at least ", (double)paused_ps / 1e6, (double)span_ns / 1e3,
		wire->pause.rate_gbps[rate],
		(double)pause_longest_ps(&wire->pause, counts, rate) / 1e6);
	describe(finding, text,
		rate == 3 ? "find what that port cannot pass on: a slow receiver, or "
			    "congestion behind it"
			  : "give the port's rate with --rate; find what that port cannot "
			    "pass on: a slow receiver, or congestion behind it");
	finding->has_measured = finding->has_limit = span_ns > 0;
	finding->measured = (double)share_ppb / (double)PPB;
	finding->limit = (double)WIRE_PAUSED_LIMIT_PPB / (double)PPB;
	snprintf(finding->unit, sizeof(finding->unit), "ratio");
	snprintf(finding->limit_source, sizeof(finding->limit_source),
		"share of the capture's time, from %u XOFF on", XOFFS_FEW);
	finding->weight = paused_ps / 1000000;
}

static void judge_wrong(const struct wire_facts *facts, const struct pause_source *source,
	unsigned class, struct findings *findings)
{
	struct finding *finding;
	char name[32], mac[MAC_TEXT_BYTES];

	if (facts->priority > 7 || class == facts->priority)
		return;
	finding = findings_add(findings, "wire.pause.priority", LAYER, VERDICT_FAIL);
	class_name(class, name, sizeof(name));
	finding->culprit_kind = CULPRIT_SETTING;
	mac_text(source->mac, mac);
	snprintf(finding->culprit, sizeof(finding->culprit), "PFC of %s", mac);
	snprintf(finding->text, sizeof(finding->text),
		"paused %s, the lossless one is priority %u", name, facts->priority);
	snprintf(finding->advice, sizeof(finding->advice),
		"set the same PFC priorities and DSCP map at both ends of the link");
	finding->weight = source->classes[class].xoff;
}

static void judge_pause(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	for (size_t i = 0; i < wire->pause.count; i++) {
		const struct pause_source *source = &wire->pause.sources[i];

		for (unsigned class = 0; class < PAUSE_CLASSES; class ++) {
			if (!source->classes[class].xoff)
				continue;
			judge_class(wire, source, class, findings);
			judge_wrong(facts, source, class, findings);
		}
	}
}

/* " at leaf1-3.pcap", where there are several taps. */
static void append_tap(char *text, const struct wire_facts *facts, uint16_t tap)
{
	if (facts->taps > 1)
		wire_append(text, " at %.63s", wire_tap_name(facts, tap));
}

static void judge_burst(const struct wire *wire, const struct wire_facts *facts,
	const struct burst_port *port, struct findings *findings)
{
	uint64_t window_ns = burst_window_ns(wire->bursts.scale);
	struct finding *finding;
	char address[48];

	if (!port->bursts)
		return;
	finding = findings_add(findings, "wire.microburst", LAYER, VERDICT_WARN);
	flow_address_text(port->address, port->family, address, sizeof(address));
	finding->culprit_kind = CULPRIT_UNLOCATED;
	snprintf(finding->culprit, sizeof(finding->culprit), "towards %s", address);
	snprintf(finding->text, sizeof(finding->text),
		"%" PRIu64 " burst%s towards %s, the longest %" PRIu64
		" us, the peak %.1f Gb/s "
		"over %" PRIu64 " us",
		port->bursts, port->bursts == 1 ? "" : "s", address,
		port->longest * window_ns / 1000,
		(double)port->peak_bytes[wire->bursts.scale] * 8 / (double)window_ns,
		window_ns / 1000);
	append_tap(finding->text, facts, port->tap);
	snprintf(finding->advice, sizeof(finding->advice),
		"look which flows send together (--flows); buffers and ECN thresholds must "
		"take such a burst");
	finding->has_measured = finding->has_limit = true;
	finding->measured =
		(double)port->peak_bytes[wire->bursts.scale] * 8 / (double)window_ns;
	finding->limit = (double)wire->bursts.rate_bps / 1e9 * (double)wire->bursts.share_ppb /
			 (double)PPB;
	snprintf(finding->unit, sizeof(finding->unit), "Gb/s");
	snprintf(finding->limit_source, sizeof(finding->limit_source),
		"%.0f %% of the line rate (--rate)",
		(double)wire->bursts.share_ppb * 100 / (double)PPB);
	finding->weight = port->bursts;
}

/* Data packets by their ECN bits, and CNPs. */
struct marks {
	uint64_t ecn[4], cnps, all;
};

static void add_marks(struct marks *marks, const uint64_t ecn[4], uint64_t cnps)
{
	for (unsigned i = 0; i < 4; i++) {
		marks->ecn[i] += ecn[i];
		marks->all += ecn[i];
	}
	marks->cnps += cnps;
}

static struct marks marks_at(const struct wire *wire, uint16_t tap)
{
	struct marks marks = { .all = 0 };

	for (uint32_t i = 0; i < wire->flows.count; i++) {
		const struct flow *flow = flow_at(&wire->flows, i);
		struct flow_counts counts;

		if (!flow_is_live(&wire->flows, i) || flow->key.tap != tap)
			continue;
		counts = flow_counts(&wire->flows, flow);
		add_marks(&marks, counts.data_ecn, flow_trouble_seen(&wire->flows, flow)->cnps);
	}
	return marks;
}

/* A packet passes several taps and counts once: what is told is of the tap that saw most.
 * Of flows that were closed only the sum is left. */
static struct marks marks_of(const struct wire *wire, const struct wire_facts *facts,
	unsigned bits, char *where, size_t size)
{
	struct marks most = { .all = 0 };
	uint16_t tap = 0;

	*where = '\0';
	if (facts->taps < 2 || wire->closed_flows) {
		add_marks(&most, wire->sums.data_ecn, wire->sums.cnps);
		if (facts->taps > 1)
			snprintf(where, size, " at %" PRIu32 " taps together", facts->taps);
		return most;
	}
	for (uint16_t i = 0; i < facts->taps; i++) {
		struct marks marks = marks_at(wire, i);

		if (i > 0 &&
			(marks.ecn[bits] < most.ecn[bits] ||
				(marks.ecn[bits] == most.ecn[bits] && marks.cnps <= most.cnps)))
			continue;
		most = marks;
		tap = i;
	}
	snprintf(where, size, " at %.63s, the most of %" PRIu32 " taps",
		wire_tap_name(facts, tap), facts->taps);
	return most;
}

static void judge_not_ect(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	char text[FINDING_TEXT], where[120];
	struct marks marks = marks_of(wire, facts, 0, where, sizeof(where));
	struct finding *finding;

	if (!marks.ecn[0])
		return;
	finding = findings_add(findings, "wire.ecn.off", LAYER, VERDICT_WARN);
	finding->culprit_kind = CULPRIT_SETTING;
	snprintf(finding->culprit, sizeof(finding->culprit), "ECN of the senders");
	snprintf(text, sizeof(text),
		"%" PRIu64 " of %" PRIu64
		" data packets are Not-ECT%s: no switch may mark them",
		marks.ecn[0], marks.all, where);
	describe(finding, text, "enable RoCE ECN (the reaction point) at the sender");
	finding->weight = marks.ecn[0];
}

static void judge_no_cnp(const struct wire *wire, struct findings *findings)
{
	struct finding *finding;
	char text[FINDING_TEXT];

	if (!wire->sums.ce_without_cnp)
		return;
	finding = findings_add(findings, "wire.ecn.no_cnp", LAYER, VERDICT_WARN);
	finding->culprit_kind = CULPRIT_SETTING;
	snprintf(finding->culprit, sizeof(finding->culprit), "CNP of the receivers");
	snprintf(text, sizeof(text), "%" PRIu64 " connections got CE marks and sent no CNP",
		wire->sums.ce_without_cnp);
	describe(finding, text, "enable RoCE ECN (the notification point) at the receiver");
	finding->weight = wire->sums.ce_without_cnp;
}

static void judge_marked(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	char text[FINDING_TEXT], where[120];
	struct marks marks = marks_of(wire, facts, 3, where, sizeof(where));
	struct finding *finding;

	if (!marks.ecn[3] && !marks.cnps)
		return;
	finding = findings_add(findings, "wire.ecn.marked", LAYER, VERDICT_WARN);
	finding->culprit_kind = CULPRIT_UNLOCATED;
	finding->weight = marks.ecn[3] ? marks.ecn[3] : marks.cnps;
	if (!marks.ecn[3]) {
		snprintf(text, sizeof(text),
			"%" PRIu64 " CNP%s to senders%s, and no data packet bears a mark here",
			marks.cnps, marks.cnps == 1 ? "" : "s", where);
		describe(finding, text,
			"they are marked behind this tap, or the NIC made the CNPs by itself");
		return;
	}
	snprintf(text, sizeof(text),
		"%" PRIu64 " of %" PRIu64 " data packets are marked CE, %" PRIu64 " CNP%s%s",
		marks.ecn[3], marks.all, marks.cnps, marks.cnps == 1 ? "" : "s", where);
	if (wire->sums.cnp_without_ce)
		wire_append(text, "; %" PRIu64 " connections have CNPs and no mark here",
			wire->sums.cnp_without_ce);
	describe(finding, text,
		"queues before this tap passed their ECN threshold: congestion that "
		"the senders were told of");
}

/* Datagrams, as those of connection managers, are of no connection. */
static bool is_datagrams(const struct flow *main)
{
	return main->service == 3;
}

/* Data under another DSCP than the flow's usual one: at least so many, as its ACKs
 * and CNPs may have their own. */
static uint64_t other_dscp(const struct wire *wire, const struct flow *main)
{
	uint64_t counts[64], sums[64] = { 0 }, data = 0, most = 0;
	const struct flow *flow;

	if (is_datagrams(main) || (main->next_port == FLOW_NONE && main->dscp_count < 2))
		return 0;
	for (uint32_t at = main->main; at != FLOW_NONE; at = flow->next_port) {
		flow = flow_at(&wire->flows, at);
		flow_dscps(&wire->flows, flow, counts);
		for (unsigned i = 0; i < 64; i++)
			sums[i] += counts[i];
		data += flow_counts(&wire->flows, flow).data;
	}
	for (unsigned i = 0; i < 64; i++)
		most = sums[i] > most ? sums[i] : most;
	return data > most ? data - most : 0;
}

static void judge_dscp(const struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_total(wire, other_dscp);
	struct finding *finding;

	if (!count)
		return;
	finding = wire_about_flows(wire, findings, "wire.dscp", VERDICT_WARN, count,
		"data packet", " under another DSCP than the rest of the connection",
		other_dscp);
	finding->culprit_kind = CULPRIT_SETTING;
	wire_advise(finding, "a switch on the way remarks some, or the sender's traffic class "
			     "changed: what is "
			     "not under the lossless DSCP is dropped under congestion");
}

static uint64_t tagged(const struct wire *wire, const struct flow *main, uint32_t priority)
{
	const struct flow *flow;

	if (is_datagrams(main))
		return 0;
	for (uint32_t at = main->main; at != FLOW_NONE; at = flow->next_port) {
		flow = flow_at(&wire->flows, at);
		if ((flow->has_request || flow->has_response) && flow->has_vlan &&
			flow->vlan_priority == priority)
			return 1;
	}
	return 0;
}

/* Connections whose data bears a VLAN priority that is not the lossless one. */
static void judge_tags(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	uint64_t connections[8] = { 0 };
	struct finding *finding;

	if (facts->priority > 7)
		return;
	for (uint32_t i = 0; i < wire->flows.count; i++)
		if (flow_is_live(&wire->flows, i) && flow_at(&wire->flows, i)->main == i)
			for (uint32_t priority = 0; priority < 8; priority++)
				connections[priority] +=
					tagged(wire, flow_at(&wire->flows, i), priority);
	for (uint32_t priority = 0; priority < 8; priority++) {
		if (priority == facts->priority || !connections[priority])
			continue;
		finding = findings_add(findings, "wire.vlan.priority", LAYER, VERDICT_WARN);
		finding->culprit_kind = CULPRIT_SETTING;
		snprintf(finding->culprit, sizeof(finding->culprit),
			"VLAN priority of the senders");
		snprintf(finding->text, sizeof(finding->text),
			"data of %" PRIu64
			" connections bears VLAN priority %u, the lossless one is %u",
			connections[priority], priority, facts->priority);
		snprintf(finding->advice, sizeof(finding->advice),
			"a port that trusts the tag puts it in another class, without PFC: set "
			"the "
			"priority of the sender's traffic class, or trust DSCP");
		finding->weight = connections[priority];
	}
}

void wire_judge_ports(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	judge_pause(wire, facts, findings);
	for (size_t i = 0; i < wire->bursts.count; i++)
		judge_burst(wire, facts, &wire->bursts.ports[i], findings);
	judge_not_ect(wire, facts, findings);
	judge_no_cnp(wire, findings);
	judge_marked(wire, facts, findings);
	judge_dscp(wire, findings);
	judge_tags(wire, facts, findings);
}
