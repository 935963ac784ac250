/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.*: the findings of captures as they are, and where wire and counters do not
 * tell the same.
 */
#include "fabric/judge_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/counters.h"

#define LAYER "wire"
/* Pairs and ports that are named one by one. */
#define NAMED_MOST 8u
/* As in judge_cnp.c: fewer are too few to blame anybody. */
#define CE_LEAST 100u
#define CNP_LEAST 10u

static void basis(struct finding *finding, const char *capture)
{
	snprintf(finding->basis, sizeof(finding->basis),
		"capture %s, beside the counters of the stages that it covers", capture);
}

/* --- what captures showed --- */

/* A capture knows ports by their MAC address only. */
static const char *name_of(const struct judging *judging, const struct run_wire_finding *row)
{
	for (size_t i = 0; row->culprit_kind == CULPRIT_PORT && i < judging->fact_count; i++)
		if (strcmp(judging->facts[i].key, F_MAC) == 0 &&
			strcmp(judging->facts[i].value, row->culprit) == 0)
			return judging->facts[i].place;
	return row->culprit;
}

/* What a capture cannot tell is no gap of the run, which does not rest on it. */
static void tell_capture(struct judging *judging, const struct run_wire_finding *row)
{
	bool unknown = row->verdict == VERDICT_UNKNOWN;
	struct finding *finding = judging_say(judging, row->name, LAYER,
		unknown ? VERDICT_WARN : (enum verdict)row->verdict, NULL);

	if (row->verdict == VERDICT_FAIL)
		finding->rank = RANK_SYMPTOM;
	finding->culprit_kind = (enum culprit_kind)row->culprit_kind;
	finding->weight = row->weight;
	snprintf(finding->culprit, sizeof(finding->culprit), "%s", name_of(judging, row));
	finding_text(finding, "%s%s", unknown ? "not known from the capture: " : "", row->text);
	finding_advice(finding, "%s", row->advice);
	snprintf(finding->basis, sizeof(finding->basis), "capture %s", row->capture);
}

/* --- where they disagree --- */

static void tell_more(struct judging *judging, const struct wire_state *state, size_t capture,
	const struct place *place, const char *what, uint64_t wire, uint64_t counted)
{
	struct finding *finding =
		judging_say(judging, "wire.counters", LAYER, VERDICT_WARN, NULL);

	finding->culprit_kind = place->kind;
	place_name(judging->fabric, place, finding->culprit);
	finding->weight = wire > counted ? wire - counted : counted - wire;
	finding_text(finding, "%s: %" PRIu64 " on the wire, and %" PRIu64 " counted", what,
		wire, counted);
	finding_limit(finding, (double)wire, (double)counted, "packets", "the counters of %s",
		finding->culprit);
	finding_advice(finding,
		"do not trust this counter of %s: read it again with another tool, and "
		"compare the firmware with one that agrees",
		finding->culprit);
	basis(finding, state->captures[capture].name);
}

struct difference {
	const char *what;
	bool at_dst; /* whose counter it is */
	uint64_t wire, counted;
	bool differs;
};

/* What src sent to dst, or dst received of it. A tap that saw all of it must agree. */
static uint32_t tell_pair(
	struct judging *judging, const struct wire_state *state, const struct wire_pair *pair)
{
	bool all = pair->data && pair->data == pair->sent;
	const struct difference differences[] = {
		{ "data packets", false, pair->data, pair->sent, pair->data > pair->sent },
		{ "packets sent again", false, pair->resent, pair->sent_again,
			pair->resent > pair->sent_again ||
				(all && pair->resent != pair->sent_again) },
		{ "packets marked CE", true, pair->ce, pair->ce_counted,
			pair->ce > pair->ce_counted && pair->sent == pair->received },
		{ "CNPs", false, pair->cnps, pair->cnps_sent, pair->cnps > pair->cnps_sent },
	};
	const struct fabric *fabric = judging->fabric;
	char src[2 * NAME_BYTES], dst[2 * NAME_BYTES], what[FINDING_TEXT];
	uint32_t told = 0;

	fabric_nic_name(fabric, pair->src, src);
	fabric_nic_name(fabric, pair->dst, dst);
	for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
		const struct difference *at = &differences[i];
		struct place place =
			place_port(fabric, fabric->nics[at->at_dst ? pair->dst : pair->src]);

		if (!at->differs)
			continue;
		snprintf(what, sizeof(what), "%s from %s to %s", at->what, src, dst);
		tell_more(judging, state, pair->capture, &place, what, at->wire, at->counted);
		told++;
	}
	return told;
}

/* Marks that arrive and nobody answers, notices that arrive and nobody heeds: by the wire,
 * where the counters alone do not say it. */
static void tell_dcqcn(
	struct judging *judging, const struct wire_state *state, const struct wire_pair *pair)
{
	const struct fabric *fabric = judging->fabric;
	const struct wire_pair *back = NULL;
	struct place place = place_port(fabric, fabric->nics[pair->dst]);
	struct finding *finding;
	bool silent, deaf = pair->cnps >= CNP_LEAST && !pair->cnps_handled;

	for (size_t i = 0; i < state->pair_count && pair->ce >= CE_LEAST; i++)
		if (state->pairs[i].src == pair->dst && state->pairs[i].dst == pair->src &&
			state->pairs[i].capture == pair->capture)
			back = &state->pairs[i];
	silent = pair->ce >= CE_LEAST && back && !back->cnps && !back->cnps_sent;
	if (fabric->policy.dcqcn.off || (!silent && !deaf) ||
		judging_blames(judging, fabric->ports[fabric->nics[pair->dst]].node, CLASS_ECN))
		return;
	finding = judging_say(judging, silent ? "wire.cnp-off" : "wire.cnp-ignored", LAYER,
		VERDICT_FAIL, NULL);
	finding->rank = RANK_CAUSE;
	finding->culprit_kind = place.kind;
	place_name(fabric, &place, finding->culprit);
	finding->weight = silent ? pair->ce : pair->cnps;
	if (silent)
		finding_text(finding,
			"%" PRIu64 " packets to %s are marked CE on the wire, and it sent no "
			"CNP: none was captured and none counted",
			pair->ce, finding->culprit);
	else
		finding_text(finding,
			"%" PRIu64 " CNPs to %s are on the wire, and it counted none as "
			"handled",
			pair->cnps, finding->culprit);
	finding_advice(finding, "turn the %s point of DCQCN on at %s for priority %u",
		silent ? "notification" : "reaction", finding->culprit,
		fabric->policy.priority);
	basis(finding, state->captures[pair->capture].name);
}

static uint32_t tell_pauses(struct judging *judging, const struct wire_state *state)
{
	uint32_t told = 0;

	for (size_t i = 0; i < state->pause_count && told < NAMED_MOST; i++) {
		const struct wire_pause *pause = &state->pauses[i];
		struct place place = place_port(judging->fabric, pause->port);

		if (!state->captures[pause->capture].stages || pause->seen <= pause->counted)
			continue;
		tell_more(judging, state, pause->capture, &place, "XOFF frames sent",
			pause->seen, pause->counted);
		told++;
	}
	return told;
}

/* --- what could be compared --- */

static void tell_capture_time(struct judging *judging, const struct wire_capture *capture)
{
	struct finding *finding =
		judging_say(judging, "wire.unjoined", LAYER, VERDICT_WARN, NULL);

	if (!capture->stages)
		finding_text(finding,
			"%s holds nothing of the time of a stage, by the run's clock: its "
			"counts "
			"are not compared",
			capture->name);
	else
		finding_text(finding,
			"%s: %u pairs of addresses are of no NIC that the run knows, and are "
			"not "
			"compared",
			capture->name, capture->strangers);
	finding_advice(finding,
		"only captures with the run's own clock and addresses can be joined: those of "
		"the simulator");
}

static bool is_joined(const struct wire_state *state, size_t capture)
{
	return state->captures[capture].stages > 0;
}

static void tell_agreement(struct judging *judging, const struct wire_state *state)
{
	uint64_t data = 0, resent = 0, ce = 0, cnps = 0, xoff = 0;
	uint32_t pairs = 0, taps = 0, ports = 0;
	struct finding *finding;

	for (size_t i = 0; i < state->pair_count; i++) {
		const struct wire_pair *pair = &state->pairs[i];

		if (!is_joined(state, pair->capture))
			continue;
		pairs++;
		data += pair->data;
		resent += pair->resent;
		ce += pair->ce;
		cnps += pair->cnps;
	}
	for (size_t i = 0; i < state->pause_count; i++) {
		ports += is_joined(state, state->pauses[i].capture);
		xoff += is_joined(state, state->pauses[i].capture) ? state->pauses[i].seen : 0;
	}
	for (size_t i = 0; i < state->capture_count; i++)
		taps += is_joined(state, i);
	if (pairs + ports == 0)
		return;
	finding = judging_say(judging, "wire.counters", LAYER, VERDICT_PASS, NULL);
	finding_text(finding,
		"wire and counters tell the same of %u pairs of NICs at %u tap%s: %" PRIu64
		" data packets, %" PRIu64 " of them sent again, %" PRIu64 " CE, %" PRIu64
		" CNPs, %" PRIu64 " XOFF frames",
		pairs, taps, taps == 1 ? "" : "s", data, resent, ce, cnps, xoff);
}

void judge_wire_tell(struct judging *judging, const struct wire_state *state)
{
	uint32_t told = 0;

	for (size_t i = 0; i < judging->wire_finding_count; i++)
		tell_capture(judging, &judging->wire_findings[i]);
	for (size_t i = 0; i < state->capture_count; i++)
		if (!state->captures[i].stages || state->captures[i].strangers)
			tell_capture_time(judging, &state->captures[i]);
	for (size_t i = 0; i < state->pair_count; i++) {
		if (!is_joined(state, state->pairs[i].capture))
			continue;
		if (told < NAMED_MOST)
			told += tell_pair(judging, state, &state->pairs[i]);
		tell_dcqcn(judging, state, &state->pairs[i]);
	}
	told += tell_pauses(judging, state);
	if (!told)
		tell_agreement(judging, state);
}
