/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pfc/roce.h"

#define LAYER "wire"
#define NAMED_MOST 16u

const char *wire_tap_name(const struct wire_facts *facts, uint16_t tap)
{
	const char *name = tap < facts->taps && facts->tap_names ? facts->tap_names[tap] : "?";
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Packets of a main flow that count: its data, whatever the source port. */
static uint64_t data_of(const struct wire *wire, uint32_t index)
{
	uint64_t sum = 0;

	for (; index != FLOW_NONE; index = flow_at(&wire->flows, index)->next_port)
		sum += flow_counts(&wire->flows, flow_at(&wire->flows, index)).data;
	return sum;
}

static uint64_t uncaptured(const struct wire *wire, const struct flow *flow)
{
	return wire_requests(wire, flow)->lost_capture +
	       wire_responses(wire, flow)->lost_capture;
}

/* Both taps saw the connection from and to the same PSN. */
static bool same_span(const struct flow *a, const struct flow *b)
{
	return a->requests_track.lowest == b->requests_track.lowest &&
	       a->requests_track.next == b->requests_track.next;
}

static void compare(const struct wire *wire, const struct wire_facts *facts, uint32_t one,
	uint32_t other, struct findings *findings)
{
	uint64_t at_one = data_of(wire, one), at_other = data_of(wire, other);
	uint32_t from = at_one >= at_other ? one : other, to = from == one ? other : one;
	const struct flow *sender = flow_at(&wire->flows, from);
	const struct flow *receiver = flow_at(&wire->flows, to);
	uint64_t fewer = at_one > at_other ? at_one - at_other : at_other - at_one;
	bool same = same_span(sender, receiver);
	struct finding *finding;
	char flow[100];

	/* What the receiver acknowledged, the second tap alone missed. */
	if (fewer <= uncaptured(wire, receiver))
		return;
	fewer -= uncaptured(wire, receiver);
	finding = findings_add(
		findings, "wire.between", LAYER, same ? VERDICT_FAIL : VERDICT_UNKNOWN);
	finding->culprit_kind = CULPRIT_LINK;
	snprintf(finding->culprit, sizeof(finding->culprit), "%.29s -> %.29s",
		wire_tap_name(facts, sender->key.tap), wire_tap_name(facts, receiver->key.tap));
	wire_flow_text(sender, flow, sizeof(flow));
	snprintf(finding->text, sizeof(finding->text),
		"%.99s: %" PRIu64 " packets at %.40s, %" PRIu64 " fewer at %.40s%s", flow,
		data_of(wire, from), wire_tap_name(facts, sender->key.tap), fewer,
		wire_tap_name(facts, receiver->key.tap),
		same ? ": lost between the two"
		     : ", but they did not see the same span of PSNs");
	snprintf(finding->advice, sizeof(finding->advice),
		"look at the ports and links between the two taps");
	finding->weight = fewer;
	finding->has_measured = true;
	finding->measured = (double)fewer;
	snprintf(finding->unit, sizeof(finding->unit), "packets");
}

void wire_judge_taps(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	uint32_t named = 0, both = 0;
	size_t before = findings->count;
	struct finding *finding;

	if (facts->taps < 2)
		return;
	for (uint32_t i = 0; i < wire->flows.count && named < NAMED_MOST; i++) {
		const struct flow *flow = flow_at(&wire->flows, i);
		struct flow_key key;
		uint32_t other, main;

		if (!flow_is_live(&wire->flows, i) || flow->main != i || flow->closed)
			continue;
		key = flow->key;
		for (key.tap++; key.tap < facts->taps; key.tap++) {
			other = flow_find(&wire->flows, &key, flow->src_port, &main);
			if (other != FLOW_NONE)
				main = flow_at(&wire->flows, other)->main;
			if (main == FLOW_NONE || !data_of(wire, i))
				continue;
			both++;
			compare(wire, facts, i, main, findings);
			named = (uint32_t)(findings->count - before);
		}
	}
	if (!both || findings->count != before)
		return;
	finding = findings_add(findings, "wire.between", LAYER, VERDICT_PASS);
	finding->rank = RANK_INFO;
	snprintf(finding->text, sizeof(finding->text),
		"%" PRIu32 " flows lost nothing between the taps", both);
}
