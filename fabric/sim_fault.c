/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults: what a port, switch or NIC is at a time is worked out from the fabric
 * and from the faults that hold then, whenever one begins or ends.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_parts.h"
#include "lib/diag.h"
#include "lib/grow.h"

bool fault_holds(const struct fault *fault, uint64_t t_ns)
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

/* Whether a fault is at this port: at its node, its link, or itself. What a port
 * takes in is looked at where it is sent. */
bool fault_concerns(const struct fabric *fabric, const struct fault *fault, uint32_t port)
{
	const struct port *at = &fabric->ports[port];

	if (fault->kind == FAULT_MTU) {
		port = at->peer;
		at = &fabric->ports[port];
	}
	if (fault->port != PORT_NONE)
		return fault->port == port;
	if (fault->link != PORT_NONE)
		return at->link == fault->link;
	return at->node == fault->node;
}

/* Whether a fault takes the carrier of this link: its own, or that of a switch. */
bool fault_cuts(const struct fabric *fabric, const struct fault *fault, uint32_t link)
{
	const struct link *ends = &fabric->links[link];

	if (fault->kind != FAULT_DOWN && fault->kind != FAULT_FLAP)
		return false;
	if (fault->link != PORT_NONE)
		return fault->link == link;
	return fabric->ports[ends->a].node == fault->node ||
	       fabric->ports[ends->b].node == fault->node;
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

		if (!fault_cuts(fabric, fault, link) || t_ns < fault->from_ns)
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

		if (fault_cuts(sim->fabric, fault, link) &&
			fault_holds(fault, clock_ns(sim, sim->now)))
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
	fault_configure(sim, port);
	if (nic != NONE)
		set_storm(sim, &sim->nics[nic], stormed);
}

/* The carrier of every link that a fault may cut. */
static void set_carriers(struct sim *sim, const struct fault *fault)
{
	if (fault->kind != FAULT_DOWN && fault->kind != FAULT_FLAP)
		return;
	for (uint32_t link = 0; link < sim->fabric->link_count; link++)
		if (fault_cuts(sim->fabric, fault, link))
			set_carrier(sim, link);
}

static void apply_all(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;

	for (uint32_t i = 0; i < fabric->leaves + fabric->spines; i++)
		sim->switches[i].hashing = HASH_TUPLE;
	for (uint32_t port = 0; port < fabric->port_count; port++)
		for (uint32_t i = 0; i < fabric->fault_count; i++)
			if (fabric->ports[port].link != PORT_NONE &&
				fault_concerns(fabric, &fabric->faults[i], port)) {
				apply_to_port(sim, port);
				break;
			}
	for (uint32_t i = 0; i < fabric->fault_count; i++)
		set_carriers(sim, &fabric->faults[i]);
	for (uint32_t i = 0; i < sim->qp_count && fabric->fault_count; i++)
		sim->qps[i].rto_ps = sim->nics[sim->qps[i].src_nic].rto_ps;
	fault_tables(sim);
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
	struct fabric cut = without_dead_links(sim);
	struct routing fresh = ROUTING_INIT;
	struct diag diag;

	if (routing_init(&fresh, &cut, 0, &diag)) {
		free(cut.ports);
		return;
	}
	memcpy(fresh.seeds, sim->config->routing->seeds,
		(cut.leaves + cut.spines) * sizeof(*fresh.seeds));
	routing_free(&sim->rerouted);
	free(sim->cut.ports);
	sim->cut = cut;
	sim->rerouted = fresh;
	sim->rerouted.fabric = &sim->cut;
	fault_tables(sim);
}

void fault_event(struct sim *sim)
{
	apply_all(sim);
	if (sim->reroute_due && !wheel_pending(&sim->wheel, sim->event_misc + MISC_REROUTE))
		wheel_at(&sim->wheel, sim->event_misc + MISC_REROUTE,
			sim->now + sim->fabric->reroute_ns * PS_PER_NS);
	sim->reroute_due = false;
	schedule_next(sim);
}

/* Whether the tables have followed a link that is down at the start: it has been
 * for longer than rerouting takes, or since the start of the run. */
static bool is_settled(const struct sim *sim, const struct fault *fault)
{
	uint64_t t0 = sim->config->t0_ns;

	if (fault->kind == FAULT_FLAP)
		return false;
	return fault->kind != FAULT_DOWN || fault->from_ns == 0 ||
	       fault->from_ns + sim->fabric->reroute_ns <= t0 || t0 < fault->from_ns;
}

/* The state at the start of the stage. */
void fault_start(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	bool settled = true;

	sim->troubles =
		zeroed(fabric->fault_count ? fabric->port_count : 0, sizeof(*sim->troubles));
	for (uint32_t port = 0; port < fabric->port_count; port++)
		if (fabric->ports[port].link != PORT_NONE) {
			fault_configure(sim, port);
			if (sim->ports[port].nic != NONE)
				set_storm(sim, &sim->nics[sim->ports[port].nic], false);
		}
	apply_all(sim);
	for (uint32_t i = 0; i < fabric->fault_count; i++)
		settled &= is_settled(sim, &fabric->faults[i]);
	if (sim->reroute_due && settled)
		reroute_event(sim);
	else if (sim->reroute_due)
		wheel_at(&sim->wheel, sim->event_misc + MISC_REROUTE,
			fabric->reroute_ns * PS_PER_NS);
	sim->reroute_due = false;
	for (uint32_t port = 0; port < fabric->port_count; port++)
		sim->ports[port].carrier_changes = 0;
	schedule_next(sim);
}
