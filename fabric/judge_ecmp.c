/* SPDX-License-Identifier: Apache-2.0 */

/*
 * ecmp: how evenly a leaf spreads the QPs of a permutation over its uplinks,
 * against what a random hash would do with as many. A QP is hashed over the route
 * group of its destination, which need not hold all uplinks: an uplink is asked
 * for what the groups with it in them make probable, and one in no group for nothing.
 *
 * Fails only on what chance does not do: a load whose probability, times the number
 * of loads looked at, is below one in a million, or an empty uplink below one in a
 * thousand million that no other permutation filled. And where the queue pairs of a pair
 * always go together, their source port is not hashed: the leaf is named, and no uplink.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chance.h"
#include "fabric/judging.h"
#include "fabric/routing.h"
#include "fabric/tally.h"
#include "lib/diag.h"
#include "lib/grow.h"

#define CHANCE_LOAD 1e-6
#define CHANCE_EMPTY 1e-9
#define FLOWS_MOST 1000000u /* of a leaf; more is no stage of ours */
#define RESENT_MOST 0.01    /* of the packets of a stage */

/* More links than this from leaf to leaf: a leaf between them hashes for others. */
#define LINKS_DIRECT 2u

/* One leaf in one stage. */
struct sample {
	uint32_t leaf, variant, flows, links, used; /* used: links with QPs */
	bool alike;                                 /* all QPs had all these links to go by */
	uint32_t most, most_port;       /* QPs on the port whose load surprises most */
	double load;                    /* probability of such a load on some port */
	uint32_t empty_port, not_there; /* QPs that might have gone there */
	double empty;                   /* probability of such an empty port */
	double max_mean, jain;          /* of loads against what each is asked for */
	bool together;                  /* whole pairs on every port, several QPs each */
	uint64_t to, carried; /* destination leaves; ports with QPs; folded to 64 bits */
	struct seen seen;
};

/* A port of the leaf that is looked at. */
struct uplink {
	uint32_t asked;      /* QPs with it in their group; 0: of no interest */
	double expected;     /* how many of them a random hash puts on it */
	double log_unlikely; /* logarithm of the probability that it puts none there */
	uint64_t bytes;
};

struct samples {
	struct sample *items;
	size_t count, room;
	struct routing routing;
	struct uplink *uplinks; /* by number of the port, from 0; of one leaf at a time */
	uint64_t to;            /* leaves that it sends to, folded */
	uint64_t *even;         /* the loads of those asked, all made comparable */
};

static uint32_t most_ports(const struct fabric *fabric)
{
	uint32_t most = 0;

	for (uint32_t n = 0; n < fabric->node_count; n++)
		if (fabric->nodes[n].port_count > most)
			most = fabric->nodes[n].port_count;
	return most;
}

static void *begin(const struct judging *judging)
{
	struct samples *samples = zeroed(1, sizeof(*samples));
	uint32_t ports = most_ports(judging->fabric);
	struct diag diag;

	samples->uplinks = zeroed(ports, sizeof(*samples->uplinks));
	samples->even = zeroed(ports, sizeof(*samples->even));
	/* The groups are asked for, not the hash: any seed will do. Without them no
	 * sample is taken. */
	if (routing_init(&samples->routing, judging->fabric, 0, &diag))
		samples->routing = (struct routing)ROUTING_INIT;
	return samples;
}

static uint64_t fold(uint32_t number)
{
	return UINT64_C(1) << number % 64;
}

/* Puts QPs from a leaf to another one on the ports that they are hashed over. */
static void ask(struct samples *samples, uint32_t leaf, uint32_t to, uint32_t qps)
{
	const struct routing *routing = &samples->routing;
	const struct fabric *fabric = routing->fabric;
	uint32_t first = fabric->nodes[fabric_leaf_node(fabric, leaf)].first_port;
	const struct route_group *group = &routing->groups[(size_t)leaf * fabric->leaves + to];

	for (uint32_t i = 0; i < group->count; i++) {
		struct uplink *uplink =
			&samples->uplinks[routing->members[group->first + i] - first];

		uplink->asked += qps;
		uplink->expected += (double)qps / group->count;
		uplink->log_unlikely += qps * log1p(-1.0 / group->count);
	}
}

/* QPs that leave a leaf, all of the same size and each asked of its ports; 0 when
 * they are not, or when leaves hash for each other. */
static uint32_t qps_leaving(
	struct samples *samples, const struct evidence *evidence, uint32_t leaf)
{
	const struct fabric *fabric = evidence->fabric;
	uint64_t size = 0;
	uint32_t qps = 0;

	samples->to = 0;
	memset(samples->uplinks, 0, most_ports(fabric) * sizeof(*samples->uplinks));
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];
		uint32_t from, to;

		if (evidence->src[i] == PORT_NONE || evidence->dst[i] == PORT_NONE ||
			!flow->complete)
			return 0;
		from = fabric_nic_leaf(fabric, evidence->src[i]);
		to = fabric_nic_leaf(fabric, evidence->dst[i]);
		if (from == PORT_NONE || to == PORT_NONE ||
			samples->routing.distance[(size_t)from * fabric->leaves + to] >
				LINKS_DIRECT)
			return 0;
		if (from != leaf || to == leaf)
			continue;
		if (size && size != flow->bytes_planned / flow->qps)
			return 0;
		size = flow->bytes_planned / flow->qps;
		samples->to |= fold(to);
		qps += flow->qps;
		if (qps > FLOWS_MOST)
			return 0;
		ask(samples, leaf, to, flow->qps);
	}
	return qps;
}

/* Bytes sent by all ports that are asked; 0 when those of one are not known. */
static uint64_t read_loads(struct samples *samples, const struct evidence *evidence,
	const struct node *node, uint32_t *links)
{
	uint64_t total = 0;

	*links = 0;
	for (uint32_t i = 0; i < node->port_count; i++) {
		struct uplink *uplink = &samples->uplinks[i];

		if (uplink->asked == 0)
			continue;
		uplink->bytes = evidence_at(evidence, node->first_port + i, M_TX_BYTES);
		if (uplink->bytes == EVIDENCE_ABSENT)
			return 0;
		total += uplink->bytes;
		++*links;
	}
	return total;
}

/* P(a random hash puts so many QPs on a port, or more). Groups of unlike size: the
 * binomial of the mean probability bounds it above the mean (Hoeffding 1956). */
static double load_chance(const struct uplink *uplink, uint32_t qps)
{
	if (qps < uplink->expected + 1)
		return 1.0;
	return chance_binomial_tail(uplink->asked, uplink->expected / uplink->asked, qps);
}

static void look_at_port(
	struct sample *sample, const struct uplink *uplink, uint32_t port, uint64_t total)
{
	/* In QPs: acknowledgements of the other direction are far below half. */
	uint32_t qps = (uint32_t)((uplink->bytes * sample->flows + total / 2) / total);
	double load = load_chance(uplink, qps) * sample->links;
	double empty = exp(uplink->log_unlikely) * sample->links;

	sample->alike &= uplink->asked == sample->flows;
	sample->together &= qps % sample->variant == 0;
	sample->carried |= qps ? fold(port) : 0;
	sample->used += qps > 0;
	if (load < sample->load) {
		sample->load = load;
		sample->most = qps;
		sample->most_port = port;
	}
	if (qps == 0 && empty < sample->empty) {
		sample->empty = empty;
		sample->empty_port = port;
		sample->not_there = uplink->asked;
	}
}

static void look(struct samples *samples, const struct evidence *evidence, uint32_t leaf)
{
	const struct node *node =
		&evidence->fabric->nodes[fabric_leaf_node(evidence->fabric, leaf)];
	uint32_t flows = qps_leaving(samples, evidence, leaf), links, count = 0;
	uint64_t total = flows ? read_loads(samples, evidence, node, &links) : 0;
	struct sample *sample;

	if (total == 0 || links < 2)
		return;
	samples->items =
		grow(samples->items, samples->count, &samples->room, sizeof(*samples->items));
	sample = &samples->items[samples->count++];
	*sample = (struct sample){
		.leaf = leaf,
		.variant = evidence->stage.variant,
		.flows = flows,
		.links = links,
		.alike = true,
		.together = evidence->stage.variant > 1,
		.to = samples->to,
		.load = 1.0,
		.empty = 1.0,
		.most_port = PORT_NONE,
		.empty_port = PORT_NONE,
	};
	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct uplink *uplink = &samples->uplinks[i];
		double mean, even;

		if (uplink->asked == 0)
			continue;
		look_at_port(sample, uplink, node->first_port + i, total);
		mean = (double)flows / links;
		even = (double)uplink->bytes * mean / uplink->expected;
		samples->even[count++] = (uint64_t)even;
		if (even * links / (double)total > sample->max_mean)
			sample->max_mean = even * links / (double)total;
	}
	sample->jain = chance_jain(samples->even, count);
	seen_add(&sample->seen, &evidence->stage);
}

/* What is sent again counts as bytes and as no queue pair. */
static bool sent_once(const struct evidence *evidence)
{
	struct tally tally = { 0 };

	tally_add(&tally, evidence);
	return (double)tally.resent <= RESENT_MOST * (double)tally.sent;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct samples *samples = state;

	if (evidence->stage.layer != LAYER_NONBLOCKING || !stage_complete(evidence) ||
		!samples->routing.groups || !sent_once(evidence))
		return;
	for (uint32_t leaf = 0; leaf < judging->fabric->leaves; leaf++)
		look(state, evidence, leaf);
}

static void tell_empty(struct judging *judging, const struct sample *sample, double chance)
{
	struct place place = place_port(judging->fabric, sample->empty_port);
	struct finding *finding = judging_cause(judging, "ecmp.missing", "nonblocking",
		CLASS_BALANCE, sample->not_there, &place, &sample->seen);

	finding_text(finding,
		"%s carried none of %u QPs that its leaf hashed over it and others of %u "
		"uplinks",
		finding->culprit, sample->not_there, sample->links);
	finding_limit(finding, chance, CHANCE_EMPTY, "chance",
		"random hash; weft's own default after counting all uplinks looked at");
	finding_advice(finding,
		"look for %s in the ECMP group of its leaf: carrier, BGP session, "
		"next-hop resolved; compare with a leaf that passes",
		finding->culprit);
}

static void tell_uneven(struct judging *judging, const struct sample *sample, double chance)
{
	struct place place = place_switch(fabric_leaf_node(judging->fabric, sample->leaf));
	struct finding *finding = judging_cause(judging, "ecmp.balance", "nonblocking",
		CLASS_BALANCE, sample->most, &place, &sample->seen);
	char port[2 * NAME_BYTES];

	fabric_port_name(judging->fabric, sample->most_port, port);
	finding_text(finding,
		"%s put %u of %u QPs on %s, one of %u uplinks: max/mean %.2f, Jain "
		"%.2f; a random hash does not",
		finding->culprit, sample->most, sample->flows, port, sample->links,
		sample->max_mean, sample->jain);
	finding_limit(finding, chance, CHANCE_LOAD, "chance",
		"random hash; weft's own default after counting all loads looked at");
	finding_advice(finding,
		"on %s put UDP source and destination ports into the hash, and give "
		"each tier its own hash seed",
		finding->culprit);
}

/* An uplink without carrier is empty for a reason that has its own finding. */
static bool is_down(const struct judging *judging, uint32_t port)
{
	return port != PORT_NONE &&
	       judging_blames_link(judging, judging->fabric->ports[port].link, CLASS_CARRIER);
}

/* Another permutation put QPs on a port that was empty in this one, for no other leaves. */
static bool fills(const struct samples *samples, const struct sample *empty)
{
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *other = &samples->items[i];

		if (other->leaf == empty->leaf && (other->to & ~empty->to) == 0 &&
			other->carried & fold(empty->empty_port))
			return true;
	}
	return false;
}

/* The most QPs a pair that a leaf was seen with, when those of a pair went together in every
 * sample; else 0. chance: that a random hash puts whole pairs on every uplink that it uses. */
static uint32_t goes_by_pair(const struct samples *samples, uint32_t leaf, double *chance)
{
	uint32_t most = 0;

	*chance = 1;
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];

		if (sample->leaf != leaf || sample->variant < 2)
			continue;
		if (!sample->together)
			return 0;
		if (sample->variant > most) /* fewer QPs are the first of these: no new proof */
			*chance = 1;
		most = sample->variant > most ? sample->variant : most;
		if (sample->variant == most)
			*chance *= pow(sample->variant, -(double)(sample->used - 1));
	}
	return most;
}

static void tell_pairs(
	struct judging *judging, const struct samples *samples, uint32_t leaf, double chance)
{
	struct place place = place_switch(fabric_leaf_node(judging->fabric, leaf));
	struct finding *finding;
	struct seen seen = { 0 };
	uint32_t flows = 0;

	for (size_t i = 0; i < samples->count; i++)
		if (samples->items[i].leaf == leaf && samples->items[i].variant > 1) {
			seen_merge(&seen, &samples->items[i].seen);
			flows += samples->items[i].flows;
		}
	finding = judging_cause(
		judging, "ecmp.by-pair", "nonblocking", CLASS_BALANCE, flows, &place, &seen);
	finding_text(finding,
		"%s sent all queue pairs of a pair out of one uplink, in each of %u "
		"permutations: it does not hash their UDP source port",
		finding->culprit, seen.stages);
	finding_limit(finding, chance, CHANCE_LOAD, "chance",
		"whole pairs on every uplink, by a random hash of the 5-tuple");
	finding_advice(finding, "on %s put UDP source and destination ports into the hash",
		finding->culprit);
}

/* Returns whether some leaf does so. */
static bool tell_by_pair(struct judging *judging, const struct samples *samples)
{
	bool any = false;

	for (uint32_t leaf = 0; leaf < judging->fabric->leaves; leaf++) {
		double chance;

		if (goes_by_pair(samples, leaf, &chance) &&
			chance * judging->fabric->leaves < CHANCE_LOAD) {
			tell_pairs(judging, samples, leaf, chance);
			any = true;
		}
	}
	return any;
}

static bool tell_fault(struct judging *judging, const struct samples *samples)
{
	double tests = (double)samples->count;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];
		double load = tests * sample->load, empty = tests * sample->empty;

		if (is_down(judging, sample->empty_port))
			continue;
		if (sample->empty_port != PORT_NONE && empty < CHANCE_EMPTY &&
			!fills(samples, sample)) {
			tell_empty(judging, sample, empty);
			return true;
		}
		if (load < CHANCE_LOAD) {
			tell_uneven(judging, sample, load);
			return true;
		}
	}
	return false;
}

/* Whether some leaf hashed all its QPs over the same uplinks: those can be told of
 * by one figure of chance. */
static bool has_alike(const struct samples *samples, uint32_t variant)
{
	for (size_t i = 0; i < samples->count; i++)
		if (samples->items[i].variant == variant && samples->items[i].alike)
			return true;
	return false;
}

/* One line for each number of QPs a pair. */
static void tell_variant(
	struct judging *judging, const struct samples *samples, uint32_t variant)
{
	double sum = 0, jain = 0, worst = 0;
	struct chance_spread random = { 1, 1 };
	struct seen seen = { 0 };
	struct finding *finding;
	uint32_t count = 0;
	bool alike = has_alike(samples, variant);

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];

		if (sample->variant != variant || sample->alike != alike)
			continue;
		if (count++ == 0)
			random = chance_spread(sample->flows, sample->links);
		sum += sample->max_mean;
		jain += sample->jain;
		worst = sample->max_mean > worst ? sample->max_mean : worst;
		seen_merge(&seen, &sample->seen);
	}
	finding = judging_say(judging, "ecmp.spread", "nonblocking", VERDICT_PASS, &seen);
	if (!alike) {
		finding_text(finding,
			"%u QPs a pair over uplinks that differ by destination: max/mean of "
			"what each was asked for %.2f (worst %.2f), Jain %.2f; each load "
			"alone is one that a random hash gives",
			variant, sum / count, worst, jain / count);
		return;
	}
	finding_text(finding,
		"%u QPs a pair over the uplinks: max/mean %.2f (worst %.2f), Jain "
		"%.2f; random %.2f, 99th percentile %.2f: %s",
		variant, sum / count, worst, jain / count, random.mean, random.p99,
		sum / count < 1 + (random.mean - 1) / 4
			? "load balanced, better than a random hash"
			: "consistent with a random hash");
	finding_limit(finding, sum / count, random.p99, "max/mean",
		"as many QPs hashed at random, %u draws; for information", CHANCE_DRAWS);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct samples *samples = state;

	if (speak && samples->count && !tell_by_pair(judging, samples) &&
		!tell_fault(judging, samples))
		for (size_t i = 0; i < samples->count; i++) {
			size_t first = 0;

			while (samples->items[first].variant != samples->items[i].variant)
				first++;
			if (first == i)
				tell_variant(judging, samples, samples->items[i].variant);
		}
	free(samples->items);
	free(samples->uplinks);
	free(samples->even);
	routing_free(&samples->routing);
	free(samples);
}

const struct judge judge_ecmp = { begin, stage, end };
