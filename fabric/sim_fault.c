/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults: what a port, switch or NIC is at a time is worked out from the fabric
 * and from the faults that hold then, whenever one begins or ends.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_state.h"
#include "lib/diag.h"
#include "lib/grow.h"

static bool holds(const struct fault *fault, uint64_t t_ns)
{
	if (t_ns < fault->from_ns || t_ns >= fault->to_ns)
		return false;
	if (fault->kind != FAULT_FLAP || fault->period_ns == 0)
		return true;
	return (t_ns - fault->from_ns) % fault->period_ns < fault->amount_ns;
}

/* The next time after t at which the fault begins or ends; NEVER: no more. */
static uint64_t next_change(const struct fault *fault, uint64_t t_ns)
{
	uint64_t phase, next;

	if (t_ns < fault->from_ns)
		return fault->from_ns;
	if (t_ns >= fault->to_ns)
		return NEVER;
	if (fault->kind != FAULT_FLAP || fault->period_ns == 0)
		return fault->to_ns;
	phase = (t_ns - fault->from_ns) % fault->period_ns;
	next = t_ns - phase + (phase < fault->amount_ns ? fault->amount_ns : fault->period_ns);
	return next < fault->to_ns ? next : fault->to_ns;
}

/* Whether a fault is at this port: at its node, its link, or itself. */
static bool concerns(const struct sim *sim, const struct fault *fault, uint32_t port)
{
	const struct port *at = &sim->fabric->ports[port];

	if (fault->port != PORT_NONE)
		return fault->port == port;
	if (fault->link != PORT_NONE)
		return at->link == fault->link;
	return at->node == fault->node;
}

/* A share of packets, in 2^-32. */
static uint32_t probability(uint64_t ppb)
{
	return (uint32_t)(ppb * UINT32_MAX / PPB);
}

static void apply(struct sim *sim, const struct fault *fault, uint32_t index)
{
	struct sim_port *port = &sim->ports[index];
	struct trouble *trouble = &sim->troubles[index];
	struct sim_nic *nic = port->nic == NONE ? NULL : &sim->nics[port->nic];

	switch (fault->kind) {
	case FAULT_LOSS:
		trouble->loss = probability(fault->amount_ppb);
		port->trouble |= TROUBLE_WIRE;
		break;
	case FAULT_RATE:
		if (fault->amount_ppb)
			port->byte_ps_q10 = port->byte_ps_q10 * PPB / fault->amount_ppb;
		break;
	case FAULT_PFC_OFF:
		port->pfc = false;
		break;
	case FAULT_ECN_OFF:
		port->ecn = false;
		break;
	case FAULT_DSCP_MAP:
		if (nic)
			nic->wrong_dscp = true;
		else
			port->map[CLASS_POLICY] = fault->priority;
		break;
	case FAULT_SLOW_RECEIVER:
		if (nic && fault->amount_ppb)
			nic->drain_byte_ps_q10 = port->byte_ps_q10 * PPB / fault->amount_ppb;
		break;
	case FAULT_PAUSE_STORM:
		if (nic)
			nic->storm = true;
		break;
	case FAULT_DOWN:
	case FAULT_FLAP:
		break; /* set_carrier() */
	}
}

static void configure(struct sim *sim, uint32_t index)
{
	const struct fabric *fabric = sim->fabric;
	const struct policy *policy = &fabric->policy;
	struct sim_port *port = &sim->ports[index];
	struct sim_nic *nic = port->nic == NONE ? NULL : &sim->nics[port->nic];

	port->byte_ps_q10 =
		8 * PS_PER_S * 1024 / fabric->links[fabric->ports[index].link].speed_bps;
	port->trouble = 0;
	port->xoff_bytes = (uint32_t)policy->xoff_bytes;
	port->alpha_shift = policy->alpha_shift & 31;
	port->ecn_kmin = (uint32_t)policy->ecn_kmin_bytes;
	port->ecn_kmax = (uint32_t)policy->ecn_kmax_bytes;
	port->pfc = policy->pfc;
	port->ecn = policy->ecn;
	port->map[CLASS_POLICY] = policy->priority;
	port->map[CLASS_CNP] = policy->cnp_priority;
	port->map[CLASS_ZERO] = 0;
	if (nic) {
		nic->wrong_dscp = nic->storm = false;
		nic->drain_byte_ps_q10 = 0;
	}
	for (uint32_t i = 0; i < fabric->fault_count; i++)
		if (holds(&fabric->faults[i], clock_ns(sim, sim->now)) &&
			concerns(sim, &fabric->faults[i], index))
			apply(sim, &fabric->faults[i], index);
}

/* A storming NIC says XOFF and goes on saying it; one that stops says XON. */
static void set_storm(struct sim *sim, const struct sim_nic *nic, bool was)
{
	unsigned prio = sim->fabric->policy.priority;

	if (nic->storm && !was && !lane_of(sim, nic->port, prio)->holding)
		port_tell_xoff(sim, nic->port, prio);
	else if (was && !nic->storm && lane_of(sim, nic->port, prio)->holding)
		port_tell_xon(sim, nic->port, prio);
}

/* How often a link's carrier had changed since the run began, by t. A link that is
 * down from the very start has not changed. */
uint64_t fault_carrier_changes(const struct fabric *fabric, uint32_t link, uint64_t t_ns)
{
	uint64_t changes = 0;

	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];
		uint64_t end = t_ns < fault->to_ns ? t_ns : fault->to_ns, into;

		if ((fault->kind != FAULT_DOWN && fault->kind != FAULT_FLAP) ||
			fault->link != link || t_ns < fault->from_ns)
			continue;
		into = end - fault->from_ns;
		changes += fault->from_ns > 0;
		if (fault->kind == FAULT_FLAP && fault->period_ns)
			changes += into / fault->period_ns * 2 +
				   (into % fault->period_ns >= fault->amount_ns);
		else
			changes += t_ns >= fault->to_ns;
	}
	return changes;
}

static bool link_is_down(const struct sim *sim, uint32_t link)
{
	for (uint32_t i = 0; i < sim->fabric->fault_count; i++) {
		const struct fault *fault = &sim->fabric->faults[i];

		if ((fault->kind == FAULT_DOWN || fault->kind == FAULT_FLAP) &&
			fault->link == link && holds(fault, clock_ns(sim, sim->now)))
			return true;
	}
	return false;
}

static void set_carrier(struct sim *sim, uint32_t link)
{
	bool down = link_is_down(sim, link), was = sim->link_down_since[link] != NEVER;
	const struct link *ends = &sim->fabric->links[link];

	if (down == was)
		return;
	sim->link_down_since[link] = down ? sim->now : NEVER;
	if (down) {
		port_down(sim, ends->a);
		port_down(sim, ends->b);
	} else {
		port_up(sim, ends->a);
		port_up(sim, ends->b);
	}
	sim->reroute_due = true;
}

static void apply_to_port(struct sim *sim, uint32_t port)
{
	uint32_t nic = sim->ports[port].nic;
	bool stormed = nic != NONE && sim->nics[nic].storm;

	if (sim->fabric->ports[port].link == PORT_NONE)
		return;
	configure(sim, port);
	if (nic != NONE)
		set_storm(sim, &sim->nics[nic], stormed);
}

static void apply_all(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->fabric->fault_count; i++) {
		const struct fault *fault = &sim->fabric->faults[i];

		for (uint32_t port = 0; port < sim->fabric->port_count; port++)
			if (concerns(sim, fault, port))
				apply_to_port(sim, port);
		if (fault->link != PORT_NONE)
			set_carrier(sim, fault->link);
	}
}

static void schedule_next(struct sim *sim)
{
	uint64_t now = clock_ns(sim, sim->now), next = NEVER, when;

	for (uint32_t i = 0; i < sim->fabric->fault_count; i++) {
		uint64_t change = next_change(&sim->fabric->faults[i], now);

		if (change < next)
			next = change;
	}
	if (next > sim->config->t0_ns + sim->stage->deadline_ns)
		return;
	when = (next - sim->config->t0_ns) * PS_PER_NS;
	wheel_at(&sim->wheel, sim->event_misc + MISC_FAULT, when);
}

/* A copy of the fabric without the links between switches that are down. */
static struct fabric without_dead_links(const struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	struct fabric cut = *fabric;

	cut.ports = zeroed(fabric->port_count, sizeof(*fabric->ports));
	memcpy(cut.ports, fabric->ports, fabric->port_count * sizeof(*fabric->ports));
	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct link *link = &fabric->links[i];

		if (sim->link_down_since[i] == NEVER || fabric->ports[link->a].nic != PORT_NONE)
			continue;
		cut.ports[link->a].link = cut.ports[link->b].link = PORT_NONE;
		cut.ports[link->a].peer = cut.ports[link->b].peer = PORT_NONE;
	}
	return cut;
}

/* Forwarding without the links that are down. Where that leaves no path, the
 * tables stay as they are and the packets are dropped at the dead port. */
void reroute_event(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	struct fabric cut = without_dead_links(sim);
	struct routing fresh = ROUTING_INIT;
	struct diag diag;

	if (routing_init(&fresh, &cut, 0, &diag)) {
		free(cut.ports);
		return;
	}
	memcpy(fresh.seeds, sim->config->routing->seeds,
		(fabric->leaves + fabric->spines) * sizeof(*fresh.seeds));
	routing_free(&sim->rerouted);
	free(sim->cut.ports);
	sim->cut = cut;
	sim->rerouted = fresh;
	sim->rerouted.fabric = &sim->cut;
	sim->routing = &sim->rerouted;
}

void fault_event(struct sim *sim)
{
	apply_all(sim);
	if (sim->reroute_due && !wheel_pending(&sim->wheel, sim->event_misc + MISC_REROUTE))
		wheel_at(&sim->wheel, sim->event_misc + MISC_REROUTE, sim->now + REROUTE_PS);
	sim->reroute_due = false;
	schedule_next(sim);
}

/* The state at the start of the stage: a link that has been down for longer than
 * rerouting takes, or since the start of the run, is already routed around. */
void fault_start(struct sim *sim)
{
	bool settled = true;

	sim->troubles = zeroed(
		sim->fabric->fault_count ? sim->fabric->port_count : 0, sizeof(*sim->troubles));
	for (uint32_t port = 0; port < sim->fabric->port_count; port++)
		if (sim->fabric->ports[port].link != PORT_NONE) {
			configure(sim, port);
			if (sim->ports[port].nic != NONE)
				set_storm(sim, &sim->nics[sim->ports[port].nic], false);
		}
	apply_all(sim);
	for (uint32_t i = 0; i < sim->fabric->fault_count; i++) {
		const struct fault *fault = &sim->fabric->faults[i];

		if (fault->link != PORT_NONE && sim->link_down_since[fault->link] != NEVER &&
			(fault->kind == FAULT_FLAP ||
				(fault->from_ns && fault->from_ns + REROUTE_PS / PS_PER_NS >
							   sim->config->t0_ns)))
			settled = false;
	}
	if (sim->reroute_due && settled)
		reroute_event(sim);
	else if (sim->reroute_due)
		wheel_at(&sim->wheel, sim->event_misc + MISC_REROUTE, REROUTE_PS);
	sim->reroute_due = false;
	for (uint32_t port = 0; port < sim->fabric->port_count; port++)
		sim->ports[port].carrier_changes = 0;
	schedule_next(sim);
}
