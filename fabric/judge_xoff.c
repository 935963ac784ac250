/* SPDX-License-Identifier: Apache-2.0 */

/*
 * switch.xoff: a port that paused its peer though its ingress account never came near
 * the threshold of the policy: its own is set lower. With a dynamic threshold the least that
 * it can be is had from the buffer and the number of ports, see least_threshold().
 */
#include <stdlib.h>

#include "fabric/judging.h"
#include "lib/grow.h"
#include "lib/units.h"

struct early {
	uint64_t pauses;  /* XOFF frames of stages in which it was too early */
	uint64_t peak;    /* highest account in these */
	uint32_t on_time; /* stages in which it paused at the threshold or above */
	struct seen seen;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->port_count, sizeof(struct early));
}

/*
 * Of a switch with n ports and alpha = 1/a. m ports that fill first stop at pool / (a + m)
 * each, and leave pool x a / (a + m); n - m that come later stop at a / (a + n - m) of
 * a part of that: pool x a / (a + m) / (a + n - m), least when m is half of n. Pools that
 * lossy classes share leave less: half of it is asked.
 */
static uint64_t least_threshold(const struct fabric *fabric, const struct node *node)
{
	const struct policy *policy = &fabric->policy;
	uint64_t set_aside = 0, a = UINT64_C(1) << policy->alpha_shift, half, pool;

	if (policy->xoff_bytes)
		return policy->xoff_bytes - policy->xoff_bytes / 8;
	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct port *port = &fabric->ports[node->first_port + i];

		if (port->link != PORT_NONE)
			set_aside +=
				fabric_headroom(fabric, port->link) + policy->reserved_bytes;
	}
	pool = policy->buffer_bytes > set_aside ? policy->buffer_bytes - set_aside : 0;
	half = (node->port_count + 1) / 2;
	return pool / (a + half) * a / (a + half) / 2;
}

static void look(struct early *ports, const struct evidence *evidence, uint32_t number)
{
	const struct node *node = &evidence->fabric->nodes[number];
	uint64_t least = least_threshold(evidence->fabric, node);

	for (uint32_t i = 0; i < node->port_count; i++) {
		struct early *port = &ports[node->first_port + i];
		uint64_t pauses = evidence_sum(evidence, node->first_port + i, M_TX_PAUSE);
		uint64_t peak = evidence_at(evidence, node->first_port + i, M_INGRESS_PEAK);

		if (pauses == 0 || peak == EVIDENCE_ABSENT)
			continue;
		if (peak >= least) {
			port->on_time++;
			continue;
		}
		port->pauses += pauses;
		port->peak = peak > port->peak ? peak : port->peak;
		seen_add(&port->seen, &evidence->stage);
	}
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;

	for (uint32_t n = fabric->hosts; fabric->policy.pfc && n < fabric->node_count; n++)
		look(state, evidence, n);
}

static void tell(struct judging *judging, const struct place *place, const struct early *early,
	uint64_t least)
{
	struct finding *finding =
		judging_cause(judging, "switch.xoff", plan_layer_name(early->seen.layer),
			CLASS_ECN, early->pauses, place, &early->seen);

	judging_spreads(judging);
	finding_text(finding,
		"%s sent %llu XOFF while no ingress account of it held more than %.1f KiB; by "
		"the policy none pauses below %.1f KiB",
		finding->culprit, (unsigned long long)early->pauses,
		(double)early->peak / (double)KIB, (double)least / (double)KIB);
	finding_limit(finding, (double)early->peak, (double)least, "bytes", "%s",
		judging->fabric->policy.xoff_bytes
			? "policy.xoff"
			: "policy.alpha of the buffer less headroom, all ports busy, halved");
	finding_advice(finding,
		"compare the XOFF threshold or alpha of priority %u on %s with the file and "
		"with a switch that passes",
		judging->fabric->policy.priority, finding->culprit);
}

static void tell_switch(struct judging *judging, uint32_t number, const struct early *ports)
{
	const struct node *node = &judging->fabric->nodes[number];
	uint64_t least = least_threshold(judging->fabric, node);
	struct place place = place_switch(number);
	uint32_t early = 0, on_time = 0;
	struct early total = { 0 };

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct early *port = &ports[node->first_port + i];

		on_time += port->on_time > 0;
		if (port->pauses == 0)
			continue;
		early++;
		total.pauses += port->pauses;
		total.peak = port->peak > total.peak ? port->peak : total.peak;
		seen_merge(&total.seen, &port->seen);
	}
	if (early > 1 && on_time == 0) {
		tell(judging, &place, &total, least);
		return;
	}
	for (uint32_t i = 0; early && i < node->port_count; i++) {
		place = place_port(judging->fabric, node->first_port + i);
		if (ports[node->first_port + i].pauses)
			tell(judging, &place, &ports[node->first_port + i], least);
	}
}

static void end(struct judging *judging, void *state, bool speak)
{
	const struct fabric *fabric = judging->fabric;

	for (uint32_t n = fabric->hosts; speak && n < fabric->node_count; n++)
		tell_switch(judging, n, state);
	free(state);
}

const struct judge judge_xoff = { begin, stage, end };
