/* SPDX-License-Identifier: Apache-2.0 */

/*
 * switch.ecn: an egress queue that ECT packets saw above kmax has marked some of
 * them (switch.ecn-off), and one that never rose above kmin has marked none
 * (switch.ecn-low). Between kmin and kmax marking is chance, and no mark proves nothing.
 */
#include <stdlib.h>

#include "fabric/congest.h"
#include "fabric/judging.h"
#include "lib/grow.h"
#include "lib/units.h"

struct marking {
	uint64_t marked;
	uint32_t marking; /* stages in which it marked */
	uint64_t peak;    /* highest queue that went unmarked above kmax */
	struct seen off;
	uint64_t early, early_peak; /* marks of stages whose queue stayed below kmin */
	struct seen low;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->port_count, sizeof(struct marking));
}

static void look_below(
	struct marking *port, const struct evidence *evidence, uint32_t index, uint64_t marked)
{
	uint64_t peak = evidence_at(evidence, index, M_QUEUE_PEAK);

	if (marked == 0 || peak == EVIDENCE_ABSENT ||
		peak > evidence->fabric->policy.ecn_kmin_bytes)
		return;
	port->early += marked;
	port->early_peak = peak > port->early_peak ? peak : port->early_peak;
	seen_add(&port->low, &evidence->stage);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	uint64_t kmax = judging->fabric->policy.ecn_kmax_bytes;
	struct marking *ports = state;

	for (uint32_t port = 0; port < judging->fabric->port_count; port++) {
		uint64_t peak = evidence_at(evidence, port, M_QUEUE_PEAK_ECT);
		uint64_t marked = evidence_at(evidence, port, M_MARKED);

		if (marked == EVIDENCE_ABSENT || judging->fabric->ports[port].nic != PORT_NONE)
			continue;
		ports[port].marked += marked;
		ports[port].marking += marked > 0;
		look_below(&ports[port], evidence, port, marked);
		if (marked || peak == EVIDENCE_ABSENT || peak <= kmax)
			continue;
		if (peak > ports[port].peak)
			ports[port].peak = peak;
		seen_add(&ports[port].off, &evidence->stage);
	}
}

static void tell_off(
	struct judging *judging, const struct place *place, const struct marking *marking)
{
	double kmax = (double)judging->fabric->policy.ecn_kmax_bytes;
	struct finding *finding;

	finding = judging_cause(judging, "switch.ecn-off", plan_layer_name(marking->off.layer),
		CLASS_ECN, marking->peak, place, &marking->off);
	judging_spreads(judging);
	finding_text(finding,
		"%s marked nothing while ECN-capable packets met a queue of %.0f KiB",
		finding->culprit, (double)marking->peak / (double)KIB);
	finding_limit(finding, (double)marking->peak, kmax, "bytes",
		"policy.ecn.kmax: above it every ECN-capable packet is marked");
	finding_advice(finding,
		"on %s bind the ECN/WRED profile to the queue of priority %u and "
		"check its kmin, kmax and pmax against the file; then read the "
		"queue's marked counter under incast",
		finding->culprit, judging->fabric->policy.priority);
}

/* Returns whether the switch was seen to mark, or to fail to. */
static bool tell_switch(
	struct judging *judging, uint32_t number, const struct marking *ports, uint32_t *bad)
{
	const struct node *node = &judging->fabric->nodes[number];
	struct place place = place_switch(number);
	struct marking total = { 0 };
	uint32_t off = 0, on = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct marking *port = &ports[node->first_port + i];

		on += port->marking > 0;
		off += port->off.stages > 0;
		if (port->off.stages && port->peak > total.peak)
			total.peak = port->peak;
		seen_merge(&total.off, &port->off);
	}
	*bad += off;
	if (off && !on) {
		tell_off(judging, &place, &total);
		return true;
	}
	for (uint32_t i = 0; off && i < node->port_count; i++) {
		place = place_port(judging->fabric, node->first_port + i);
		if (ports[node->first_port + i].off.stages)
			tell_off(judging, &place, &ports[node->first_port + i]);
	}
	return off || on;
}

static void tell_low(
	struct judging *judging, const struct place *place, const struct marking *marking)
{
	double kmin = (double)judging->fabric->policy.ecn_kmin_bytes;
	struct finding *finding;

	finding = judging_cause(judging, "switch.ecn-low", plan_layer_name(marking->low.layer),
		CLASS_ECN, marking->early, place, &marking->low);
	finding_text(finding,
		"%s marked %llu packets in queues that never held more than %.1f KiB",
		finding->culprit, (unsigned long long)marking->early,
		(double)marking->early_peak / (double)KIB);
	finding_limit(finding, (double)marking->early_peak, kmin, "bytes",
		"policy.ecn.kmin: up to there nothing is marked");
	finding_advice(finding,
		"on %s compare kmin of the ECN/WRED profile of priority %u with the file: "
		"marks without a queue slow senders down for nothing",
		finding->culprit, judging->fabric->policy.priority);
}

/* The switch where several ports mark too early; else the port. */
static void tell_switch_low(
	struct judging *judging, uint32_t number, const struct marking *ports)
{
	const struct node *node = &judging->fabric->nodes[number];
	struct place place = place_switch(number);
	struct marking total = { 0 };
	uint32_t low = 0, last = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct marking *port = &ports[node->first_port + i];

		if (port->low.stages == 0)
			continue;
		low++;
		last = node->first_port + i;
		total.early += port->early;
		total.early_peak = port->early_peak > total.early_peak ? port->early_peak
								       : total.early_peak;
		seen_merge(&total.low, &port->low);
	}
	if (low == 1)
		place = place_port(judging->fabric, last);
	if (low)
		tell_low(judging, &place, &total);
}

static void tell_coverage(struct judging *judging, uint32_t unproven, const char *first,
	const struct marking *ports)
{
	uint32_t switches = 0;
	struct finding *finding;
	uint64_t marked = 0;

	for (uint32_t port = 0; port < judging->fabric->port_count; port++)
		marked += ports[port].marked;
	for (uint32_t n = judging->fabric->hosts; n < judging->fabric->node_count; n++)
		switches += congest_can_queue(judging->fabric, n);
	/* Where nothing can congest there is nothing to prove, and no claim. */
	if (switches == 0 || (unproven && !judging->coverage))
		return;
	finding = judging_say(judging, "switch.ecn", "lossless",
		unproven ? VERDICT_UNKNOWN : VERDICT_PASS, NULL);
	if (unproven)
		finding_text(finding,
			"ECN of %u of %u switches was not put to the proof: no queue "
			"of the first, %s, rose above kmax under ECN-capable "
			"packets",
			unproven, switches, first);
	else
		finding_text(finding,
			"each of %u switches with a queue that can build up marked, %llu "
			"packets in all",
			switches, (unsigned long long)marked);
}

static void end(struct judging *judging, void *state, bool speak)
{
	const struct fabric *fabric = judging->fabric;
	struct marking *ports = state;
	const char *first = "";
	uint32_t bad = 0, unproven = 0;

	for (uint32_t n = fabric->hosts; speak && fabric->policy.ecn && n < fabric->node_count;
		n++) {
		tell_switch_low(judging, n, ports);
		if (tell_switch(judging, n, ports, &bad) || !congest_can_queue(fabric, n))
			continue;
		if (unproven++ == 0)
			first = fabric->nodes[n].name;
	}
	if (speak && fabric->policy.ecn && !bad)
		tell_coverage(judging, unproven, first, ports);
	free(ports);
}

const struct judge judge_ecn = { begin, stage, end };
