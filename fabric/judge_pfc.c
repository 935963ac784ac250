/* SPDX-License-Identifier: Apache-2.0 */

/*
 * switch.pfc: no port drops in the lossless priority without having told its
 * peer to stop, and every peer that is told stops (pfc/obey.h, one direction of
 * a link and one stage at a time).
 *
 * A switch is at fault with what it failed to send or to obey; what others drop
 * because of that is their symptom. When only some of its ports failed and others
 * were seen to work, the port is named.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fabric/congest.h"
#include "fabric/judging.h"
#include "lib/grow.h"
#include "pfc/headroom.h"
#include "pfc/obey.h"

/* Of one port, as the one that must send XOFF and as the one that must obey. */
struct proof {
	uint32_t sent, obeyed; /* stages in which it was seen to work */
	uint32_t held;         /* of these: it paused its peer and dropped nothing */
	uint64_t silent_drops; /* dropped without XOFF */
	uint64_t deaf_us;      /* told to stop, and did not */
	uint64_t deaf_drops;   /* at the peer, meanwhile */
	uint64_t headroom_drops;
	uint64_t unheard;
	struct seen bad, room;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->port_count, sizeof(struct proof));
}

static void note(struct proof *receiver, struct proof *peer,
	const struct obey_counters *counters, const struct run_stage *stage)
{
	uint64_t dropped = counters->drop_buffer + counters->drop_headroom;

	switch (obey_judge(counters)) {
	case OBEY_UNPROVOKED:
		break;
	case OBEY_WORKS:
		receiver->sent++;
		receiver->held++;
		peer->obeyed += counters->held_us > 0;
		break;
	case OBEY_NOT_SENT:
		receiver->silent_drops += dropped;
		seen_add(&receiver->bad, stage);
		break;
	case OBEY_NOT_OBEYED:
		receiver->sent++;
		peer->deaf_us += counters->hold_us - counters->held_us;
		peer->deaf_drops += dropped;
		seen_add(&peer->bad, stage);
		break;
	case OBEY_NOT_HEARD:
		receiver->unheard += counters->xoff_sent;
		break;
	case OBEY_NO_HEADROOM:
		receiver->sent++;
		peer->obeyed++;
		receiver->headroom_drops += dropped;
		seen_add(&receiver->room, stage);
		break;
	}
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct proof *proofs = state;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		uint32_t peer = fabric->ports[port].peer;
		struct obey_counters counters;

		if (peer == PORT_NONE ||
			evidence_at(evidence, port, M_TX_PAUSE) == EVIDENCE_ABSENT)
			continue;
		counters = (struct obey_counters){
			.xoff_sent = evidence_sum(evidence, port, M_TX_PAUSE),
			.hold_us = evidence_sum(evidence, port, M_TX_PAUSE_US),
			.xoff_heard = evidence_sum(evidence, peer, M_RX_PAUSE),
			.held_us = evidence_sum(evidence, peer, M_RX_PAUSE_US),
			.drop_buffer = evidence_sum(evidence, port, M_DROP_BUFFER),
			.drop_headroom = evidence_sum(evidence, port, M_DROP_HEADROOM),
		};
		/* Without the peer's own counters nothing can be said about it. */
		if (evidence_at(evidence, peer, M_RX_PAUSE_US) == EVIDENCE_ABSENT)
			counters.hold_us = 0;
		note(&proofs[port], &proofs[peer], &counters, &evidence->stage);
	}
}

static bool is_bad(const struct proof *proof)
{
	return proof->silent_drops || proof->deaf_us;
}

static void sum(struct proof *total, const struct proof *proof)
{
	total->silent_drops += proof->silent_drops;
	total->deaf_us += proof->deaf_us;
	total->deaf_drops += proof->deaf_drops;
	seen_merge(&total->bad, &proof->bad);
}

static void tell_off(
	struct judging *judging, const struct place *place, const struct proof *proof)
{
	const char *check = place->kind == CULPRIT_NIC ? "nic.pfc-off" : "switch.pfc-off";
	struct finding *finding;

	finding = judging_cause(judging, check, plan_layer_name(proof->bad.layer), CLASS_PFC,
		proof->silent_drops + proof->deaf_us, place, &proof->bad);
	judging_spreads(judging);
	finding_text(finding,
		"%s does not do PFC in priority %u: it dropped %llu packets without "
		"one XOFF, and sent on for %llu us while it was told to stop (%llu "
		"dropped at its peers)",
		finding->culprit, judging->fabric->policy.priority,
		(unsigned long long)proof->silent_drops, (unsigned long long)proof->deaf_us,
		(unsigned long long)proof->deaf_drops);
	finding_limit(finding, (double)(proof->silent_drops + proof->deaf_drops), 0, "packets",
		"policy.pfc: priority %u is lossless", judging->fabric->policy.priority);
	finding_advice(finding,
		"on %s turn PFC on for priority %u (and check what DCBX "
		"negotiated); compare its running QoS configuration with a switch "
		"that passes",
		finding->culprit, judging->fabric->policy.priority);
}

/* Names the node as a whole, or its ports where others of them work. */
static uint32_t tell_node(struct judging *judging, uint32_t number, const struct proof *proofs)
{
	const struct node *node = &judging->fabric->nodes[number];
	struct proof total = { 0 };
	uint32_t bad = 0, working = 0;
	struct place place = place_switch(number);

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct proof *proof = &proofs[node->first_port + i];

		if (is_bad(proof)) {
			sum(&total, proof);
			bad++;
		} else if (proof->sent || proof->obeyed) {
			working++;
		}
	}
	if (bad && !working && node->kind != NODE_HOST) {
		tell_off(judging, &place, &total);
		return bad;
	}
	for (uint32_t i = 0; bad && i < node->port_count; i++) {
		uint32_t port = node->first_port + i;

		place = place_port(judging->fabric, port);
		if (is_bad(&proofs[port]))
			tell_off(judging, &place, &proofs[port]);
	}
	return bad;
}

/* A sender that has the traffic in another priority holds the lossless one and
 * sends on: what it overruns is its own doing. And over a link that serves less than
 * its speed, or loses, an XOFF comes later than headroom is reckoned for. */
static bool explained(const struct judging *judging, uint32_t port)
{
	uint32_t peer = judging->fabric->ports[port].peer;

	return judging_blames_link(judging, judging->fabric->ports[port].link, CLASS_RATE) ||
	       judging_blames(judging, judging->fabric->ports[port].node, CLASS_MAP) ||
	       judging_blames(judging, judging->fabric->ports[peer].node, CLASS_MAP);
}

/* All ports whose headroom overflowed. */
struct overflow {
	uint32_t ports, first;
	bool one_link, one_node;
	uint32_t sound; /* other ports that paused their peers and dropped nothing */
	bool set_small; /* the file sets less than the formula asks for at one of them */
	uint64_t drops;
	struct seen seen;
};

static bool is_set_small(const struct fabric *fabric, uint32_t port)
{
	const struct link *link = &fabric->links[fabric->ports[port].link];

	return policy_headroom(&fabric->policy, link->speed_bps, link->length_m) <
	       headroom_bytes(link->speed_bps, link->length_m);
}

static void add_overflow(struct overflow *all, const struct fabric *fabric, uint32_t port,
	const struct proof *proof)
{
	const struct port *at = &fabric->ports[port], *first = &fabric->ports[all->first];

	if (all->ports++ == 0) {
		first = at;
		all->first = port;
		all->one_link = all->one_node = true;
	}
	all->one_link &= at->link == first->link;
	all->one_node &= at->node == first->node;
	all->set_small |= is_set_small(fabric, port);
	all->drops += proof->headroom_drops;
	seen_merge(&all->seen, &proof->room);
}

/* One cable, or one switch, where at least as many ports elsewhere held out; else the policy. */
static struct place overflow_place(const struct fabric *fabric, const struct overflow *all)
{
	if (all->set_small || all->sound < all->ports)
		return (struct place){ CULPRIT_SETTING, 0, PORT_NONE };
	if (all->one_link)
		return place_link(fabric->ports[all->first].link);
	if (all->one_node && fabric->nodes[fabric->ports[all->first].node].kind != NODE_HOST)
		return place_switch(fabric->ports[all->first].node);
	return (struct place){ CULPRIT_SETTING, 0, PORT_NONE };
}

static uint32_t tell_headroom(struct judging *judging, const struct proof *proofs)
{
	const struct fabric *fabric = judging->fabric;
	struct overflow all = { 0 };
	char name[2 * NAME_BYTES] = "";
	struct finding *finding;
	struct place place;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		if (proofs[port].headroom_drops == 0)
			all.sound += proofs[port].held > 0;
		else if (!explained(judging, port))
			add_overflow(&all, fabric, port, &proofs[port]);
	}
	if (all.ports == 0)
		return 0;
	place = overflow_place(fabric, &all);
	fabric_port_name(fabric, all.first, name);
	finding = judging_cause(judging, "policy.headroom", plan_layer_name(all.seen.layer),
		place.kind == CULPRIT_SETTING ? CLASS_SETTING : CLASS_LOSS, all.drops, &place,
		&all.seen);
	if (place.kind == CULPRIT_SETTING)
		snprintf(finding->culprit, sizeof(finding->culprit), "policy.headroom");
	finding_text(finding,
		"%u port%s sent XOFF, %s obeyed, and dropped %llu packets all the same; the "
		"first is %s; %u other ports paused their peers and dropped nothing",
		all.ports, all.ports == 1 ? "" : "s", all.ports == 1 ? "was" : "were",
		(unsigned long long)all.drops, name, all.sound);
	finding_limit(finding, (double)all.drops, 0, "packets",
		"policy.pfc: priority %u is lossless", fabric->policy.priority);
	finding_advice(finding,
		"compare the configured headroom with the formula for speed and "
		"cable length (weft plan prints it) and with the real cable at %s",
		name);
	return all.ports;
}

/* What was never seen of a switch though its place in the fabric allows it: to
 * pause, to be paused; "" when nothing is missing. */
static const char *missing(
	const struct fabric *fabric, uint32_t number, const struct proof *proofs)
{
	const struct node *node = &fabric->nodes[number];
	bool paused = congest_can_be_paused(fabric, number);
	uint32_t sent = 0, obeyed = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		sent += proofs[node->first_port + i].sent;
		obeyed += proofs[node->first_port + i].obeyed;
	}
	if (!sent && (paused || congest_can_queue(fabric, number)))
		return "driven to send XOFF";
	return !obeyed && paused ? "told to stop" : "";
}

/* Every switch must have paused somebody, and stopped when told. */
static void tell_coverage(struct judging *judging, const struct proof *proofs)
{
	const struct fabric *fabric = judging->fabric;
	uint32_t unproven = 0, switches = 0;
	const char *first = "", *what = "";
	struct finding *finding;

	for (uint32_t n = fabric->hosts; n < fabric->node_count; n++) {
		const char *lacks = missing(fabric, n, proofs);

		switches += congest_can_queue(fabric, n) || congest_can_be_paused(fabric, n);
		if (!*lacks || fabric->nodes[n].port_count == 0)
			continue;
		if (unproven++ == 0) {
			first = fabric->nodes[n].name;
			what = lacks;
		}
	}
	/* Where nothing can congest there is nothing to prove, and no claim. */
	if (switches == 0 || (unproven && !judging->coverage))
		return;
	finding = judging_say(judging, "switch.pfc", "lossless",
		unproven ? VERDICT_UNKNOWN : VERDICT_PASS, NULL);
	if (unproven)
		finding_text(finding,
			"PFC of %u of %u switches was not put to the proof; the "
			"first, %s, was never %s",
			unproven, switches, first, what);
	else
		finding_text(finding,
			"each of %u switches that can be driven to it sent XOFF "
			"before it had to drop, and stopped when told",
			switches);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct proof *proofs = state;
	uint32_t bad = 0;

	if (speak && judging->fabric->policy.pfc) {
		for (uint32_t n = 0; n < judging->fabric->node_count; n++)
			bad += tell_node(judging, n, proofs);
		if (!bad)
			bad = tell_headroom(judging, proofs);
		if (!bad)
			tell_coverage(judging, proofs);
	}
	free(proofs);
}

const struct judge judge_pfc = { begin, stage, end };
