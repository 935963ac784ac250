/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared-buffer switch as the HPCC simulator's memory unit models it: for
 * each ingress port and priority a share of the pool under a dynamic threshold,
 * then, for a lossless priority, headroom of its own; ECN at the egress queue.
 */
#include <assert.h>

#include "fabric/sim_state.h"

/* Alpha of the threshold of a class that is not lossless is 1/2 (the lossy
 * egress figure of Azure, NSDI 2023). */
#define LOSSY_ALPHA_SHIFT 1u

static uint64_t threshold(const struct sim_port *port, const struct sim_switch *sw)
{
	uint64_t left;

	if (port->xoff_bytes)
		return port->xoff_bytes;
	left = sw->pool_bytes > sw->shared_bytes ? sw->pool_bytes - sw->shared_bytes : 0;
	return left >> port->alpha_shift;
}

static void count_drop(struct sim *sim, struct lane *ingress, uint64_t *counter,
	uint64_t *total, uint32_t packet)
{
	++*counter;
	++*total;
	if (ingress->first_drop == NEVER)
		ingress->first_drop = sim->now;
	packet_free(sim, packet);
}

/* Takes bytes of the pool, or of headroom when pause has been asked for. */
static bool admit_lossless(struct sim *sim, struct sim_switch *sw, uint32_t port,
	struct lane *ingress, uint32_t bytes)
{
	uint64_t limit = threshold(&sim->ports[port], sw);

	if (ingress->headroom == 0 && ingress->shared + bytes <= limit &&
		sw->shared_bytes + bytes <= sw->pool_bytes) {
		ingress->shared += bytes;
		sw->shared_bytes += bytes;
	} else if (ingress->headroom + bytes <= sim->ports[port].headroom_bytes) {
		ingress->headroom += bytes;
		if (ingress->headroom > ingress->headroom_peak)
			ingress->headroom_peak = ingress->headroom;
	} else {
		return false;
	}
	return true;
}

static bool admit_lossy(
	struct sim_switch *sw, struct lane *ingress, const struct lane *egress, uint32_t bytes)
{
	uint64_t left =
		sw->pool_bytes > sw->shared_bytes ? sw->pool_bytes - sw->shared_bytes : 0;

	if (bytes > left || egress->queue_bytes + bytes > left >> LOSSY_ALPHA_SHIFT)
		return false;
	ingress->shared += bytes;
	sw->shared_bytes += bytes;
	return true;
}

static void check_xoff(struct sim *sim, struct sim_switch *sw, uint32_t port, unsigned prio)
{
	struct lane *ingress = lane_of(sim, port, prio);

	if (ingress->shared + ingress->headroom > ingress->account_peak)
		ingress->account_peak = ingress->shared + ingress->headroom;
	if (!ingress->holding &&
		(ingress->headroom || ingress->shared >= threshold(&sim->ports[port], sw)))
		port_tell_xoff(sim, port, prio);
}

static void mark(
	struct sim *sim, struct sim_port *port, struct lane *egress, struct packet *packet)
{
	uint64_t queue = egress->queue_bytes, chance;

	if (packet->ecn == ECN_CE)
		return;
	if (egress->queue_bytes > egress->queue_peak_ect)
		egress->queue_peak_ect = egress->queue_bytes;
	if (!port->ecn || queue <= port->ecn_kmin)
		return;
	if (queue < port->ecn_kmax) {
		chance = sim->fabric->policy.ecn_pmax_ppb * (queue - port->ecn_kmin) /
			 (port->ecn_kmax - port->ecn_kmin);
		if (xorshift(&port->random) >= (chance << 32) / PPB)
			return;
	}
	packet->ecn = ECN_CE;
	egress->marked++;
	if (egress->first_mark == NEVER)
		egress->first_mark = sim->now;
}

/* The port towards a NIC, or NONE. */
static uint32_t forward(const struct sim *sim, uint32_t node, const struct packet *packet)
{
	const struct sim_nic *nic = &sim->nics[packet->dst_nic];
	const struct route_group *group;
	uint32_t sw = node - sim->fabric->hosts, entropy;

	if (fabric_leaf_node(sim->fabric, nic->leaf) == node)
		return nic->leaf_port;
	group = &sim->routing->groups[sw * sim->fabric->leaves + nic->leaf];
	if (group->count == 0)
		return NONE;
	if (group->count == 1)
		return sim->routing->members[group->first];
	entropy = packet->entropy;
	if (sim->switches[sw].hashing != HASH_TUPLE)
		entropy = trouble_entropy(sim, sw, packet);
	return sim->routing->members[group->first + route_pick(entropy, sim->routing->seeds[sw],
							    group->count)];
}

static bool admit(struct sim *sim, struct sim_switch *sw, uint32_t in, unsigned prio,
	uint32_t out, uint32_t index)
{
	const struct policy *policy = &sim->fabric->policy;
	struct lane *ingress = lane_of(sim, in, prio);
	struct lane *egress = lane_of(sim, out, prio);
	uint32_t bytes = sim->packets[index].frame;

	if (prio != policy->priority || !policy->pfc) {
		if (admit_lossy(sw, ingress, egress, bytes))
			return true;
		count_drop(sim, ingress, &egress->egress_drops, &sim->totals.dropped_egress,
			index);
		return false;
	}
	if (sim->ports[in].pfc) {
		if (!admit_lossless(sim, sw, in, ingress, bytes)) {
			count_drop(sim, ingress, &ingress->headroom_drops,
				&sim->totals.dropped_headroom, index);
			return false;
		}
		check_xoff(sim, sw, in, prio);
		return true;
	}
	if (ingress->shared + bytes > threshold(&sim->ports[in], sw) ||
		sw->shared_bytes + bytes > sw->pool_bytes) {
		count_drop(sim, ingress, &ingress->buffer_drops, &sim->totals.dropped_buffer,
			index);
		return false;
	}
	ingress->shared += bytes;
	sw->shared_bytes += bytes;
	if (ingress->shared > ingress->account_peak)
		ingress->account_peak = ingress->shared;
	return true;
}

void switch_arrive(struct sim *sim, uint32_t in, uint32_t index)
{
	struct packet *packet = &sim->packets[index];
	struct sim_port *port = &sim->ports[in];
	struct sim_switch *sw = &sim->switches[port->node - sim->fabric->hosts];
	unsigned prio = port->map[packet->class];
	struct lane *ingress = lane_of(sim, in, prio);
	uint32_t out;

	ingress->rx_packets++;
	ingress->rx_bytes += packet->frame;
	port->policy_packets += packet->class == CLASS_POLICY;
	out = forward(sim, port->node, packet);
	if (out == NONE) {
		count_drop(sim, ingress, &port->no_route, &sim->totals.dropped_no_route, index);
		return;
	}
	if ((port->trouble | sim->ports[out].trouble) &&
		trouble_in_the_switch(sim, in, out, index))
		return;
	if (!sim->ports[out].up) {
		count_drop(sim, ingress, &sim->ports[out].dropped_down,
			&sim->totals.dropped_down, index);
		return;
	}
	if (lane_of(sim, out, prio)->storm) {
		count_drop(sim, ingress, &sim->ports[out].watchdog_drops,
			&sim->totals.dropped_watchdog, index);
		return;
	}
	if (!admit(sim, sw, in, prio, out, index))
		return;
	packet = &sim->packets[index]; /* XOFF may have moved the array */
	packet->in_port = in;
	packet->prio = prio & 7;
	if (prio == sim->fabric->policy.priority && packet->ecn != ECN_NOT_ECT)
		mark(sim, &sim->ports[out], lane_of(sim, out, prio), packet);
	port_enqueue(sim, out, prio, index);
}

/* A packet leaves the buffer: headroom is given back first, and the peer may go
 * on once the account is well below the threshold. */
void switch_release(struct sim *sim, const struct packet *packet)
{
	const struct policy *policy = &sim->fabric->policy;
	struct sim_switch *sw =
		&sim->switches[sim->ports[packet->in_port].node - sim->fabric->hosts];
	struct lane *ingress = lane_of(sim, packet->in_port, packet->prio);
	uint32_t headroom =
		packet->frame < ingress->headroom ? packet->frame : ingress->headroom;

	assert(ingress->shared >= packet->frame - headroom &&
		sw->shared_bytes <= sw->pool_bytes);
	ingress->headroom -= headroom;
	ingress->shared -= packet->frame - headroom;
	sw->shared_bytes -= packet->frame - headroom;
	if (!ingress->holding || ingress->headroom)
		return;
	if (ingress->shared == 0 || ingress->shared + policy->xon_offset_bytes <=
					    threshold(&sim->ports[packet->in_port], sw))
		port_tell_xon(sim, packet->in_port, packet->prio);
}
