/* SPDX-License-Identifier: Apache-2.0 */

/*
 * plan: the file against its own limits and against the wiring that the ports
 * tell of (facts): oversubscription of each leaf, switches between NICs, the
 * neighbour and the speed of every port.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/judge.h"
#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/counters.h"
#include "lib/grow.h"
#include "lib/units.h"

struct leaf_rates {
	uint64_t hosts_bps, uplinks_bps;
};

static struct leaf_rates rates_of(const struct fabric *fabric, uint32_t leaf)
{
	const struct node *node = &fabric->nodes[fabric_leaf_node(fabric, leaf)];
	struct leaf_rates rates = { 0, 0 };

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct port *port = &fabric->ports[node->first_port + i];
		bool host;

		if (port->peer == PORT_NONE)
			continue;
		host = fabric->nodes[fabric->ports[port->peer].node].kind == NODE_HOST;
		*(host ? &rates.hosts_bps : &rates.uplinks_bps) +=
			fabric->links[port->link].speed_bps;
	}
	return rates;
}

static void judge_oversubscription(struct judging *judging)
{
	const struct fabric *fabric = judging->fabric;
	double limit = (double)fabric->limits.oversub_ppb / (double)PPB, worst = 0;
	struct finding *finding;
	uint32_t bad = 0;

	for (uint32_t leaf = 0; fabric->leaves > 1 && leaf < fabric->leaves; leaf++) {
		struct leaf_rates rates = rates_of(fabric, leaf);
		struct place place = place_switch(fabric_leaf_node(fabric, leaf));
		struct rate_unit hosts = rate_unit_of((double)rates.hosts_bps);
		struct rate_unit uplinks = rate_unit_of((double)rates.uplinks_bps);
		double ratio;

		if (rates.hosts_bps == 0 || rates.uplinks_bps == 0)
			continue;
		ratio = (double)rates.hosts_bps / (double)rates.uplinks_bps;
		worst = ratio > worst ? ratio : worst;
		if (ratio <= limit * 1.000001)
			continue;
		bad++;
		finding = judging_cause(judging, "plan.oversubscription", "plan", CLASS_WIRING,
			rates.hosts_bps, &place, NULL);
		finding_text(finding, "%s has %.6g %s to hosts and %.6g %s of uplinks, %.2f:1",
			finding->culprit, (double)rates.hosts_bps / hosts.bps, hosts.name,
			(double)rates.uplinks_bps / uplinks.bps, uplinks.name, ratio);
		finding_limit(finding, ratio, limit, "ratio", "limits.oversubscription");
		finding_advice(finding,
			"add uplinks to %s, or allow it in the file: limits: "
			"{oversubscription: %.2f}",
			finding->culprit, ratio);
	}
	if (bad || worst <= 0)
		return;
	finding = judging_say(judging, "plan.oversubscription", "plan", VERDICT_PASS, NULL);
	finding_text(finding, "hosts to uplinks %.2f:1 at the worst of %u leaves", worst,
		fabric->leaves);
	finding_limit(finding, worst, limit, "ratio", "limits.oversubscription");
	snprintf(finding->basis, sizeof(finding->basis), "derived from the fabric file");
}

static void tell_hops(struct judging *judging)
{
	const struct fabric *fabric = judging->fabric;
	uint64_t total = (uint64_t)fabric->nic_count * fabric->nic_count, same = 0;
	uint64_t *nics = zeroed(fabric->leaves, sizeof(*nics));
	struct finding *finding;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++)
		if (fabric_nic_leaf(fabric, nic) != PORT_NONE)
			nics[fabric_nic_leaf(fabric, nic)]++;
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++)
		same += nics[leaf] * nics[leaf];
	free(nics);
	finding = judging_say(judging, "plan.hops", "plan", VERDICT_PASS, NULL);
	finding_text(finding,
		"%" PRIu64 " pairs of NICs share a leaf (1 switch), %" PRIu64
		" are on different leaves",
		same - fabric->nic_count, total - same);
	snprintf(finding->basis, sizeof(finding->basis), "derived from the fabric file");
}

static void tell_miswired(
	struct judging *judging, uint32_t port, const struct run_fact *fact, const char *wanted)
{
	struct place place = place_port(judging->fabric, port);
	bool speed = strcmp(fact->key, F_SPEED) == 0;
	struct finding *finding;

	if (judging->fabric->ports[port].link != PORT_NONE)
		place = place_link(judging->fabric->ports[port].link);
	finding = judging_cause(judging, speed ? "plan.speed" : "plan.wiring", "plan",
		CLASS_WIRING, 1, &place, NULL);
	finding_text(finding, "%s reports %s %s, and the file has %s", fact->place,
		speed ? "speed" : "neighbour", fact->value, wanted);
	finding_advice(finding,
		speed ? "compare speed, lanes and auto-negotiation at both ends "
			"of %s"
		      : "follow the cable out of %s, and move it or correct the "
			"file",
		fact->place);
	snprintf(finding->basis, sizeof(finding->basis), "fact %s of %s, told by %s", fact->key,
		fact->place, fact->source);
}

/* Returns 1 when the fact contradicts the file. Both ends of a link may tell; the
 * first to do so speaks for it. */
static uint32_t check_fact(struct judging *judging, const struct run_fact *fact, bool *told)
{
	const struct fabric *fabric = judging->fabric;
	uint32_t port = lookup_port(&judging->lookup, fact->place, strlen(fact->place));
	char wanted[2 * NAME_BYTES] = "nothing plugged in";
	bool right, speed = strcmp(fact->key, F_SPEED) == 0;

	if (port == PORT_NONE || (!speed && strcmp(fact->key, F_PEER) != 0))
		return 0;
	if (speed && fabric->ports[port].link == PORT_NONE)
		return 0;
	if (speed) {
		uint64_t bps = fabric->links[fabric->ports[port].link].speed_bps;

		snprintf(wanted, sizeof(wanted), "%" PRIu64, bps);
		right = strcmp(wanted, fact->value) == 0;
	} else {
		uint32_t peer = lookup_port(&judging->lookup, fact->value, strlen(fact->value));

		right = peer == fabric->ports[port].peer;
		if (fabric->ports[port].peer != PORT_NONE)
			snprintf(wanted, sizeof(wanted), "%s",
				judging->lookup.texts[fabric->ports[port].peer]);
	}
	if (right)
		return 0;
	if (fabric->ports[port].link != PORT_NONE && told[fabric->ports[port].link])
		return 1;
	if (fabric->ports[port].link != PORT_NONE)
		told[fabric->ports[port].link] = true;
	tell_miswired(judging, port, fact, wanted);
	return 1;
}

/* A port without carrier hears no neighbour: link.down tells of it. */
static bool is_down(const struct run_fact *fact)
{
	return strcmp(fact->key, F_OPER_STATE) == 0 && strcmp(fact->value, "down") == 0;
}

static void judge_wiring(struct judging *judging)
{
	bool *told = zeroed(judging->fabric->link_count, sizeof(*told));
	uint32_t wrong = 0, peers = 0, plugged = 0;
	struct finding *finding;

	for (size_t i = 0; i < judging->fact_count; i++) {
		wrong += check_fact(judging, &judging->facts[i], told);
		peers += strcmp(judging->facts[i].key, F_PEER) == 0 ||
			 is_down(&judging->facts[i]);
	}
	free(told);
	for (uint32_t port = 0; port < judging->fabric->port_count; port++)
		plugged += judging->fabric->ports[port].peer != PORT_NONE;
	if (wrong || (peers < plugged && (!plan_is_whole(judging->info->profile) ||
						 !judging_asks_switches(judging))))
		return;
	finding = judging_say(judging, "plan.wiring", "plan",
		peers < plugged ? VERDICT_UNKNOWN : VERDICT_PASS, NULL);
	finding_text(finding,
		"%u of %u plugged ports told their neighbour, and all agree with "
		"the file",
		peers, plugged);
	if (peers < plugged)
		finding_advice(finding, "turn LLDP on at the ports that told nothing");
}

static void end(struct judging *judging, void *state, bool speak)
{
	(void)state;
	if (!speak || !(judging->layers & JUDGE_LAYER(LAYER_PLAN)))
		return;
	judge_oversubscription(judging);
	if (plan_is_whole(judging->info->profile))
		tell_hops(judging);
	judge_wiring(judging);
}

const struct judge judge_plan = { .end = end };
