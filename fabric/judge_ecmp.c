/* SPDX-License-Identifier: Apache-2.0 */

/*
 * ecmp: how evenly a leaf spreads the QPs of a permutation over its uplinks,
 * against what a random hash would do with as many. Fails only on what chance
 * does not do: a load whose probability, times the number of loads looked at, is
 * below one in a million, or an empty uplink below one in a thousand million.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chance.h"
#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/diag.h"
#include "lib/grow.h"

#define CHANCE_LOAD 1e-6
#define CHANCE_EMPTY 1e-9
#define FLOWS_MOST 1000000u /* of a leaf; more is no stage of ours */

/* One leaf in one stage. */
struct sample {
	uint32_t leaf, variant, flows, links, most, empty_port, most_port;
	double max_mean, jain;
	struct seen seen;
};

struct samples {
	struct sample *items;
	size_t count, room;
	uint64_t *loads; /* of one leaf at a time */
	uint32_t *ports;
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

	samples->loads = zeroed(most_ports(judging->fabric), sizeof(*samples->loads));
	samples->ports = zeroed(most_ports(judging->fabric), sizeof(*samples->ports));
	return samples;
}

/* Uplinks of a leaf that carries all of them to spines; how many. */
static uint32_t uplinks(const struct fabric *fabric, uint32_t leaf, uint32_t *ports)
{
	const struct node *node = &fabric->nodes[fabric_leaf_node(fabric, leaf)];
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		uint32_t port = node->first_port + i, peer = fabric->ports[port].peer;

		if (peer != PORT_NONE &&
			fabric->nodes[fabric->ports[peer].node].kind == NODE_SPINE)
			ports[count++] = port;
	}
	return count;
}

/* QPs that leave a leaf, all of the same size; 0 when they are not. */
static uint32_t qps_leaving(const struct evidence *evidence, uint32_t leaf)
{
	uint64_t size = 0;
	uint32_t qps = 0;

	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		if (evidence->src[i] == PORT_NONE || evidence->dst[i] == PORT_NONE ||
			!flow->complete)
			return 0;
		if (fabric_nic_leaf(evidence->fabric, evidence->src[i]) != leaf ||
			fabric_nic_leaf(evidence->fabric, evidence->dst[i]) == leaf)
			continue;
		if (size && size != flow->bytes_planned / flow->qps)
			return 0;
		size = flow->bytes_planned / flow->qps;
		qps += flow->qps;
	}
	return qps;
}

static void look(struct samples *samples, const struct evidence *evidence, uint32_t leaf)
{
	uint32_t links = uplinks(evidence->fabric, leaf, samples->ports);
	uint32_t flows = qps_leaving(evidence, leaf);
	struct sample *sample;
	uint64_t total = 0;

	if (links < 2 || flows == 0 || flows > FLOWS_MOST)
		return;
	for (uint32_t i = 0; i < links; i++) {
		samples->loads[i] = evidence_at(evidence, samples->ports[i], M_TX_BYTES);
		if (samples->loads[i] == EVIDENCE_ABSENT)
			return;
		total += samples->loads[i];
	}
	if (total == 0)
		return;
	samples->items =
		grow(samples->items, samples->count, &samples->room, sizeof(*samples->items));
	sample = &samples->items[samples->count++];
	*sample = (struct sample){
		.leaf = leaf,
		.variant = evidence->stage.variant,
		.flows = flows,
		.links = links,
		.empty_port = PORT_NONE,
		.most_port = PORT_NONE,
		.jain = chance_jain(samples->loads, links),
	};
	for (uint32_t i = 0; i < links; i++) {
		/* In QPs: acknowledgements of the other direction are far below half. */
		uint64_t qps = (samples->loads[i] * flows + total / 2) / total;

		if (qps == 0)
			sample->empty_port = samples->ports[i];
		if (qps > sample->most) {
			sample->most = (uint32_t)qps;
			sample->most_port = samples->ports[i];
			sample->max_mean = (double)samples->loads[i] * links / (double)total;
		}
	}
	seen_add(&sample->seen, &evidence->stage);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	if (evidence->stage.layer != LAYER_NONBLOCKING || !stage_complete(evidence))
		return;
	for (uint32_t leaf = 0; leaf < judging->fabric->leaves; leaf++)
		look(state, evidence, leaf);
}

static void tell_empty(struct judging *judging, const struct sample *sample, double chance)
{
	struct place place = place_port(judging->fabric, sample->empty_port);
	struct finding *finding = judging_cause(judging, "ecmp.missing", "nonblocking",
		CLASS_BALANCE, sample->flows, &place, &sample->seen);

	finding_text(finding, "%s carried none of %u QPs that its leaf hashed over %u uplinks",
		finding->culprit, sample->flows, sample->links);
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

static bool tell_fault(struct judging *judging, const struct samples *samples)
{
	double tests = (double)samples->count;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];
		double load =
			tests * chance_of_load(sample->flows, sample->links, sample->most);
		double empty = tests * chance_of_empty(sample->flows, sample->links);

		if (is_down(judging, sample->empty_port))
			continue;
		if (sample->empty_port != PORT_NONE && empty < CHANCE_EMPTY) {
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

/* One line for each number of QPs a pair. */
static void tell_variant(
	struct judging *judging, const struct samples *samples, uint32_t variant)
{
	double sum = 0, jain = 0, worst = 0;
	struct chance_spread random = { 1, 1 };
	struct seen seen = { 0 };
	struct finding *finding;
	uint32_t count = 0;
	const char *says;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];

		if (sample->variant != variant)
			continue;
		if (count++ == 0)
			random = chance_spread(sample->flows, sample->links);
		sum += sample->max_mean;
		jain += sample->jain;
		worst = sample->max_mean > worst ? sample->max_mean : worst;
		seen_merge(&seen, &sample->seen);
	}
	says = sum / count < 1 + (random.mean - 1) / 4
		       ? "load balanced, better than a random hash"
		       : "consistent with a random hash";
	finding = judging_say(judging, "ecmp.spread", "nonblocking", VERDICT_PASS, &seen);
	finding_text(finding,
		"%u QPs a pair over the uplinks: max/mean %.2f (worst %.2f), Jain "
		"%.2f; random %.2f, 99th percentile %.2f: %s",
		variant, sum / count, worst, jain / count, random.mean, random.p99, says);
	finding_limit(finding, sum / count, random.p99, "max/mean",
		"as many QPs hashed at random, %u draws; for information", CHANCE_DRAWS);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct samples *samples = state;

	if (speak && samples->count && !tell_fault(judging, samples))
		for (size_t i = 0; i < samples->count; i++) {
			size_t first = 0;

			while (samples->items[first].variant != samples->items[i].variant)
				first++;
			if (first == i)
				tell_variant(judging, samples, samples->items[i].variant);
		}
	free(samples->items);
	free(samples->loads);
	free(samples->ports);
	free(samples);
}

const struct judge judge_ecmp = { begin, stage, end };
