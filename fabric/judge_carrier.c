/* SPDX-License-Identifier: Apache-2.0 */

/*
 * link.carrier: every link of the file is up at the start and stays up.
 *
 * Two witnesses: the state that a port told at the start (fact oper_state), and
 * carrier_changes over every window and from one window to the next. Down once
 * and for all is link.down, coming and going is link.flap.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/judging.h"
#include "lib/counters.h"
#include "lib/grow.h"

struct link_state {
	bool told, down; /* by the fact of either end */
	uint64_t changes, dropped;
	uint64_t counted; /* stages in which carrier_changes was read */
	uint64_t total;   /* of the counter at the end of the last of them */
	struct seen seen;
};

static void read_facts(const struct judging *judging, struct link_state *links)
{
	for (size_t i = 0; i < judging->fact_count; i++) {
		const struct run_fact *fact = &judging->facts[i];
		uint32_t port;

		if (strcmp(fact->key, F_OPER_STATE) != 0)
			continue;
		port = lookup_port(&judging->lookup, fact->place, strlen(fact->place));
		if (port == PORT_NONE || judging->fabric->ports[port].link == PORT_NONE)
			continue;
		links[judging->fabric->ports[port].link].told = true;
		if (strcmp(fact->value, "down") == 0)
			links[judging->fabric->ports[port].link].down = true;
	}
}

static void *begin(const struct judging *judging)
{
	struct link_state *links = zeroed(judging->fabric->link_count, sizeof(*links));

	read_facts(judging, links);
	return links;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Changes since the end of the last window that was read, this one included. A
 * total below what it was is a reset: then only this window counts. */
static uint64_t changes_of(
	struct link_state *link, const struct evidence *evidence, uint32_t a, uint32_t b)
{
	uint64_t within = larger(
		evidence_sum(evidence, a, M_CARRIER), evidence_sum(evidence, b, M_CARRIER));
	uint64_t total = larger(evidence_sum(evidence, a, M_CARRIER_TOTAL),
		evidence_sum(evidence, b, M_CARRIER_TOTAL));
	uint64_t since = link->counted && total >= link->total ? total - link->total : 0;

	link->total = total;
	return larger(within, since);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct link_state *links = state;

	for (uint32_t i = 0; i < judging->fabric->link_count; i++) {
		uint32_t a = judging->fabric->links[i].a, b = judging->fabric->links[i].b;
		uint64_t changes = changes_of(&links[i], evidence, a, b);

		if (evidence_at(evidence, a, M_CARRIER) != EVIDENCE_ABSENT ||
			evidence_at(evidence, b, M_CARRIER) != EVIDENCE_ABSENT)
			links[i].counted++;
		links[i].dropped += evidence_sum(evidence, a, M_DROP_LINK_DOWN) +
				    evidence_sum(evidence, b, M_DROP_LINK_DOWN);
		links[i].changes += changes;
		if (changes)
			seen_add(&links[i].seen, &evidence->stage);
	}
}

static void tell_down(struct judging *judging, uint32_t link, const struct link_state *state)
{
	struct place place = place_link(link);
	struct finding *finding;

	finding = judging_cause(judging, "link.down",
		state->down ? "plan" : plan_layer_name(state->seen.layer), CLASS_CARRIER,
		state->dropped + state->changes, &place, &state->seen);
	if (state->down)
		finding_text(finding, "%s is in the file and has no carrier", finding->culprit);
	else
		finding_text(finding,
			"%s lost its carrier during the run and did not get it "
			"back",
			finding->culprit);
	finding_limit(finding, 0, 1, "links", "the fabric file: every link in it is up");
	finding_advice(finding,
		"look at both ends of %s: admin state, optic seated and powered, "
		"cable plugged where the file says; swap the cable, then the optic",
		finding->culprit);
}

static void tell_flap(struct judging *judging, uint32_t link, const struct link_state *state)
{
	struct place place = place_link(link);
	struct finding *finding;

	finding = judging_cause(judging, "link.flap", plan_layer_name(state->seen.layer),
		CLASS_CARRIER, state->changes, &place, &state->seen);
	finding_text(finding,
		"%s changed its carrier %llu times in %u stage%s, %llu packets met a "
		"port without carrier",
		finding->culprit, (unsigned long long)state->changes, state->seen.stages,
		state->seen.stages == 1 ? "" : "s", (unsigned long long)state->dropped);
	finding_limit(finding, (double)state->changes, 0, "changes",
		"weft's own default: no change of carrier during an acceptance");
	finding_advice(finding,
		"read the link history and optical power of both ends of %s, clean "
		"and reseat the optics, then swap cable and optic one at a time",
		finding->culprit);
}

static void tell_up(struct judging *judging, uint32_t witnessed, uint32_t bad)
{
	uint32_t links = judging->fabric->link_count;
	struct finding *finding;

	if (bad)
		return;
	if (witnessed < links) {
		if (!judging->coverage)
			return;
		finding = judging_say(judging, "link.carrier", "plan", VERDICT_UNKNOWN, NULL);
		finding_text(finding,
			"neither oper_state nor carrier_changes was read on %u of %u "
			"links",
			links - witnessed, links);
		return;
	}
	finding = judging_say(judging, "link.carrier", "plan", VERDICT_PASS, NULL);
	finding_text(finding, "all %u links were up and none changed its carrier", links);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct link_state *links = state;
	uint32_t witnessed = 0, bad = 0;

	for (uint32_t i = 0; speak && i < judging->fabric->link_count; i++) {
		witnessed += links[i].told || links[i].counted;
		if (links[i].down || links[i].changes == 1)
			tell_down(judging, i, &links[i]);
		else if (links[i].changes)
			tell_flap(judging, i, &links[i]);
		bad += links[i].down || links[i].changes;
	}
	if (speak)
		tell_up(judging, witnessed, bad);
	free(links);
}

const struct judge judge_carrier = { begin, stage, end };
