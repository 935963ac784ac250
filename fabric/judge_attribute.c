/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which component explains a symptom: the cause that lies on the way of most of
 * the slow flows; else one that reaches further than its own place, by pause;
 * else the one link that all slow flows used and no good one.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/judging.h"
#include "lib/grow.h"

void votes_begin(struct votes *votes, const struct fabric *fabric)
{
	votes->bad = zeroed(fabric->port_count, sizeof(*votes->bad));
	votes->good = zeroed(fabric->port_count, sizeof(*votes->good));
	votes->bad_flows = 0;
	votes->ends = zeroed(fabric->nic_count, sizeof(*votes->ends));
}

void votes_free(struct votes *votes)
{
	free(votes->bad);
	free(votes->good);
	free(votes->ends);
	*votes = (struct votes){ .bad = NULL };
}

void judging_complain(struct judging *judging, struct votes *votes, const struct seen *seen)
{
	struct finding *finding = &judging->findings->items[judging->findings->count - 1];

	finding->verdict = VERDICT_FAIL;
	finding->rank = RANK_SYMPTOM;
	finding->culprit_kind = CULPRIT_UNLOCATED;
	judging->complaints = grow(judging->complaints, judging->complaint_count,
		&judging->complaint_room, sizeof(*judging->complaints));
	judging->complaints[judging->complaint_count++] = (struct complaint){
		.finding = judging->findings->count - 1,
		.seen = *seen,
		.votes = *votes,
	};
	*votes = (struct votes){ .bad = NULL };
}

void judging_needs_cause(struct judging *judging)
{
	assert(judging->complaint_count > 0);
	judging->complaints[judging->complaint_count - 1].needs_cause = true;
}

void judging_else_setting(struct judging *judging, const char *setting)
{
	assert(judging->complaint_count > 0);
	judging->complaints[judging->complaint_count - 1].setting = setting;
}

/* A port votes once for a flow, however many of its QPs use it: votes of this
 * flow are told by the high bit until all its ways are done. */
#define FRESH (UINT32_C(1) << 31)

static void touch(uint32_t *votes, uint32_t port)
{
	if (port != PORT_NONE)
		votes[port] |= FRESH;
}

static void settle(uint32_t *votes, uint32_t port)
{
	if (port != PORT_NONE && votes[port] & FRESH)
		votes[port] = (votes[port] & ~FRESH) + 1;
}

static void each_port(uint32_t *votes, const struct evidence *evidence, size_t flow,
	void (*act)(uint32_t *, uint32_t))
{
	const struct port *ports = evidence->fabric->ports;
	size_t path = evidence_first_path(evidence, evidence->flows[flow].flow);

	for (; path < evidence->path_count &&
		evidence->paths[path].flow == evidence->flows[flow].flow;
		path++)
		for (uint32_t i = 0; i < evidence->ways[path].count; i++) {
			uint32_t port = evidence->way_ports[evidence->ways[path].first + i];

			act(votes, port);
			act(votes, ports[port].peer);
		}
	if (evidence->src[flow] != PORT_NONE)
		act(votes, evidence->fabric->nics[evidence->src[flow]]);
	if (evidence->dst[flow] != PORT_NONE)
		act(votes, evidence->fabric->nics[evidence->dst[flow]]);
}

static void add_ends(
	struct votes *votes, const struct fabric *fabric, uint32_t src, uint32_t dst, bool bad)
{
	if (src != PORT_NONE)
		*(bad ? &votes->ends[src].bad_from : &votes->ends[src].good_from) += 1;
	if (dst != PORT_NONE)
		*(bad ? &votes->ends[dst].bad_to : &votes->ends[dst].good_to) += 1;
	if (src == PORT_NONE || dst == PORT_NONE)
		return;
	if (fabric_nic_leaf(fabric, src) != fabric_nic_leaf(fabric, dst)) {
		*(bad ? &votes->bad_across : &votes->good_across) += 1;
		return;
	}
	votes->ends[src].bad_inside += bad;
	votes->ends[dst].bad_inside += bad;
}

static void add_ports(
	struct votes *votes, const struct evidence *evidence, size_t flow, bool bad)
{
	uint32_t *ports = bad ? votes->bad : votes->good;

	each_port(ports, evidence, flow, touch);
	each_port(ports, evidence, flow, settle);
	votes->bad_flows += bad;
}

void votes_add(struct votes *votes, const struct evidence *evidence, size_t flow, bool bad)
{
	add_ports(votes, evidence, flow, bad);
	add_ends(votes, evidence->fabric, evidence->src[flow], evidence->dst[flow], bad);
}

void votes_add_back(struct votes *votes, const struct evidence *evidence, size_t flow)
{
	add_ports(votes, evidence, flow, true);
	add_ends(votes, evidence->fabric, evidence->dst[flow], evidence->src[flow], true);
}

/* How many bad flows touched a place; a switch is touched by one port or more. */
static uint32_t touched(
	const struct fabric *fabric, const struct votes *votes, const struct place *place)
{
	const struct link *link;
	uint32_t a, b, most = 0;

	if (place->kind == CULPRIT_SWITCH) {
		const struct node *node = &fabric->nodes[place->index];

		for (uint32_t i = 0; i < node->port_count; i++)
			most += votes->bad[node->first_port + i];
		return most < votes->bad_flows ? most : votes->bad_flows;
	}
	if (place->kind == CULPRIT_NIC || place->kind == CULPRIT_PORT)
		return votes->bad[place->index];
	if (place->kind == CULPRIT_SETTING)
		return votes->bad_flows;
	if (place->kind != CULPRIT_LINK)
		return 0;
	link = &fabric->links[place->index];
	a = votes->bad[link->a];
	b = votes->bad[link->b];
	return a > b ? a : b;
}

static uint64_t weight_of(const struct judging *judging, const struct cause *cause)
{
	return judging->findings->items[cause->finding].weight;
}

/* A cause explains only what happened while it showed itself. */
static const struct cause *explain(
	const struct judging *judging, const struct complaint *complaint, uint32_t *hits)
{
	const struct votes *votes = &complaint->votes;
	const struct cause *best = NULL, *spread = NULL;

	*hits = 0;
	for (size_t i = 0; i < judging->cause_count; i++) {
		const struct cause *cause = &judging->causes[i];
		uint32_t here = touched(judging->fabric, votes, &cause->place);

		if (cause->seen.stages && !seen_meets(&cause->seen, &complaint->seen))
			continue;
		/* Without a slow flow there is nothing to touch, and the first in
		 * rank stands for all. */
		if (here > *hits || (here == *hits && (here || votes->bad_flows == 0) &&
					    (!best || weight_of(judging, cause) >
							      weight_of(judging, best)))) {
			best = cause;
			*hits = here;
		}
		if (cause->spreads &&
			(!spread || weight_of(judging, cause) > weight_of(judging, spread)))
			spread = cause;
	}
	/* Half of the slow flows untouched: something that spreads explains more. */
	if (spread && (!best || *hits * 2 < votes->bad_flows)) {
		*hits = touched(judging->fabric, votes, &spread->place);
		return spread;
	}
	return best;
}

/* The only link that every bad flow used and no good one; PORT_NONE when there
 * are several, none, or too few flows to say. */
static uint32_t common_link(const struct fabric *fabric, const struct votes *votes)
{
	uint32_t found = PORT_NONE;

	if (votes->bad_flows < 2)
		return PORT_NONE;
	for (uint32_t i = 0; i < fabric->link_count; i++) {
		uint32_t end = fabric->links[i].a; /* votes of both ends are the same */

		if (votes->bad[end] != votes->bad_flows || votes->good[end])
			continue;
		if (found != PORT_NONE)
			return PORT_NONE;
		found = i;
	}
	return found;
}

static void append(char *text, size_t bytes, const char *more)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s", more);
}

static void attribute(struct judging *judging, const struct complaint *complaint)
{
	const struct votes *votes = &complaint->votes;
	struct finding *finding = &judging->findings->items[complaint->finding];
	struct place place;
	const struct cause *cause;
	char more[160];
	uint32_t hits;

	if (finding->culprit_kind != CULPRIT_UNLOCATED)
		return;
	cause = explain(judging, complaint, &hits);
	if (cause) {
		const struct finding *root = &judging->findings->items[cause->finding];

		finding->culprit_kind = root->culprit_kind;
		memcpy(finding->culprit, root->culprit, sizeof(finding->culprit));
		snprintf(more, sizeof(more), "; %s (%s) is on the way of %u of %u of them",
			root->culprit, root->check, hits, votes->bad_flows);
		append(finding->basis, sizeof(finding->basis), more);
		return;
	}
	if (complaint->needs_cause) {
		finding->verdict = VERDICT_UNKNOWN;
		finding->culprit_kind = CULPRIT_NONE;
		return;
	}
	if (complaint->setting) {
		finding->culprit_kind = CULPRIT_SETTING;
		snprintf(finding->culprit, sizeof(finding->culprit), "%s", complaint->setting);
		return;
	}
	if (judging_is_live(judging)) { /* the ways of the QPs are not known */
		judging_locate(judging, votes, finding, false);
		return;
	}
	place = place_link(common_link(judging->fabric, votes));
	if (place.index == PORT_NONE)
		return;
	finding->culprit_kind = CULPRIT_LINK;
	place_name(judging->fabric, &place, finding->culprit);
	append(finding->basis, sizeof(finding->basis),
		"; by exclusion: the one link that all of them used and no other flow");
}

/* What its own votes left open, now that the others have spoken. */
static void locate_rest(struct judging *judging, const struct complaint *complaint)
{
	struct finding *finding = &judging->findings->items[complaint->finding];

	if (finding->culprit_kind == CULPRIT_UNLOCATED && !finding->culprit[0])
		judging_locate(judging, &complaint->votes, finding, true);
}

void judging_attribute(struct judging *judging)
{
	for (size_t i = 0; i < judging->complaint_count; i++)
		attribute(judging, &judging->complaints[i]);
	for (size_t i = 0; i < judging->complaint_count && judging_is_live(judging); i++)
		locate_rest(judging, &judging->complaints[i]);
}
