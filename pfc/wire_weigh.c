/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_weigh.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Flows that are named for one check; the rest goes in a sum. */
#define NAMED_MOST 4u

struct named {
	uint32_t flow[NAMED_MOST];
	uint64_t weight[NAMED_MOST];
	uint32_t count, flows; /* named, and all that had any */
};

void wire_flow_text(const struct flow *flow, char *text, size_t size)
{
	char src[48], dst[48];

	flow_address_text(flow->key.src, flow->key.family, src, sizeof(src));
	flow_address_text(flow->key.dst, flow->key.family, dst, sizeof(dst));
	snprintf(text, size, "QP %" PRIu32 " %s -> %s", flow->key.qp, src, dst);
}

/* The main flows that weigh most. */
static struct named heaviest(const struct wire *wire, wire_weigh *weight_of)
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

__attribute__((format(printf, 2, 3))) void wire_append(char *text, const char *fmt, ...)
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
		wire_append(
			text, "%s%s (%" PRIu64 ")", i ? ", " : ": ", flow, named->weight[i]);
	}
	if (named->flows > named->count)
		wire_append(text, " and %" PRIu32 " more", named->flows - named->count);
}

/* A finding about flows: who weighs most is the culprit's address. */
struct finding *wire_about_flows(const struct wire *wire, struct findings *findings,
	const char *check, enum verdict verdict, uint64_t total, const char *thing,
	const char *what, wire_weigh *weight_of)
{
	struct finding *finding = findings_add(findings, check, WIRE_LAYER, verdict);
	struct named named = heaviest(wire, weight_of);
	char src[48], dst[48];

	finding->has_measured = finding->has_limit = true;
	finding->measured = (double)total;
	finding->weight = total;
	snprintf(finding->unit, sizeof(finding->unit), "packets");
	snprintf(finding->limit_source, sizeof(finding->limit_source),
		"a lossless fabric has none");
	snprintf(finding->basis, sizeof(finding->basis), "measured: the captured packets");
	wire_append(
		finding->text, "%" PRIu64 " %s%s%s", total, thing, total == 1 ? "" : "s", what);
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
void wire_blame_way_back(
	const struct wire *wire, struct finding *finding, wire_weigh *weight_of)
{
	struct named named = heaviest(wire, weight_of);
	const struct flow *flow = flow_at(&wire->flows, named.flow[0]);
	char src[48], dst[48];

	flow_address_text(flow->key.src, flow->key.family, src, sizeof(src));
	flow_address_text(flow->key.dst, flow->key.family, dst, sizeof(dst));
	snprintf(finding->culprit, sizeof(finding->culprit), "%.28s -> %.28s", dst, src);
}

void wire_blame_answerer(
	const struct wire *wire, struct finding *finding, wire_weigh *weight_of)
{
	struct named named = heaviest(wire, weight_of);
	const struct flow *flow = flow_at(&wire->flows, named.flow[0]);

	finding->culprit_kind = CULPRIT_NOT_NETWORK;
	flow_address_text(
		flow->key.src, flow->key.family, finding->culprit, sizeof(finding->culprit));
}

void wire_advise(struct finding *finding, const char *text)
{
	snprintf(finding->advice, sizeof(finding->advice), "%s", text);
}

uint64_t wire_total(const struct wire *wire, wire_weigh *weight_of)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < wire->flows.count; i++)
		if (flow_is_live(&wire->flows, i) && flow_at(&wire->flows, i)->main == i)
			sum += weight_of(wire, flow_at(&wire->flows, i));
	return sum;
}
