/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared-buffer switch as the HPCC simulator's memory unit models it: for
 * each ingress port and priority a share of the pool under a dynamic threshold,
 * then, for a lossless priority, headroom of its own; ECN at the egress queue.
 */
#include <assert.h>

#include "fabric/sim_hop.h"

/* Alpha of the threshold of a class that is not lossless is 1/2 (the lossy
 * egress figure of Azure, NSDI 2023). */
#define LOSSY_ALPHA_SHIFT 1u

static uint64_t threshold_at(
	const struct sim_port *port, const struct sim_switch *sw, uint64_t shared_bytes)
{
	uint64_t left = sw->pool_bytes > shared_bytes ? sw->pool_bytes - shared_bytes : 0;

	return port->xoff_bytes ? port->xoff_bytes : left >> port->alpha_shift;
}

static uint64_t threshold(const struct sim_port *port, const struct sim_switch *sw)
{
	return threshold_at(port, sw, sw->shared_bytes);
}

static void count_drop(struct sim *sim, struct lane *ingress, uint64_t *counter,
	uint64_t *total, struct packet *packet)
{
	++*counter;
	++*total;
	sim->ended[ingress - sim->lanes]++;
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

/* The account of a lossless class has grown: its peak, XOFF when its share is used up, and
 * up to where it may grow again without a second look. */
static void note_account(struct sim *sim, struct sim_switch *sw, uint32_t port, unsigned prio)
{
	struct lane *ingress = lane_of(sim, port, prio);
	const struct sim_port *in = &sim->ports[port];
	uint64_t share = threshold_at(in, sw, sw->easy_bytes);

	if (ingress->shared + ingress->headroom > ingress->account_peak)
		ingress->account_peak = ingress->shared + ingress->headroom;
	if (in->pfc && !ingress->holding &&
		(ingress->headroom || ingress->shared >= threshold(in, sw)))
		port_tell_xoff(sim, port, prio);
	if (ingress->holding || share == 0)
		ingress->easy = 0;
	else
		ingress->easy = share - 1 < ingress->account_peak ? (uint32_t)share - 1
								  : ingress->account_peak;
}

/* Between kmin and kmax by chance, above always. */
void switch_mark(
	struct sim *sim, struct sim_port *port, struct lane *egress, struct packet *packet)
{
	uint64_t queue = egress->queue_bytes, chance;

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

static bool admit(struct sim *sim, struct sim_switch *sw, uint32_t in, unsigned prio,
	uint32_t out, struct packet *packet)
{
	const struct policy *policy = &sim->fabric->policy;
	struct lane *ingress = lane_of(sim, in, prio);
	struct lane *egress = lane_of(sim, out, prio);
	uint32_t bytes = packet->frame;

	if (prio != policy->priority || !policy->pfc) {
		if (admit_lossy(sw, ingress, egress, bytes))
			return true;
		ahead_settle_switch(sim, sw);
		if (admit_lossy(sw, ingress, egress, bytes))
			return true;
		count_drop(sim, ingress, &egress->egress_drops, &sim->totals.dropped_egress,
			packet);
		return false;
	}
	if (!sw->holding && is_easy(sw, ingress, bytes)) {
		ingress->shared += bytes;
		sw->shared_bytes += bytes;
		return true;
	}
	ahead_settle_switch(sim, sw);
	if (sim->ports[in].pfc) {
		if (!admit_lossless(sim, sw, in, ingress, bytes)) {
			if (!ingress->holding) /* headroom of less than a packet */
				port_tell_xoff(sim, in, prio);
			count_drop(sim, ingress, &ingress->headroom_drops,
				&sim->totals.dropped_headroom, packet);
			return false;
		}
		note_account(sim, sw, in, prio);
		return true;
	}
	if (ingress->shared + bytes > threshold(&sim->ports[in], sw) ||
		sw->shared_bytes + bytes > sw->pool_bytes) {
		count_drop(sim, ingress, &ingress->buffer_drops, &sim->totals.dropped_buffer,
			packet);
		return false;
	}
	ingress->shared += bytes;
	sw->shared_bytes += bytes;
	note_account(sim, sw, in, prio);
	return true;
}

/* A packet leaves the buffer: headroom is given back first, and the peer may go
 * on once the account is well below the threshold. */
void switch_release(struct sim *sim, const struct packet *packet)
{
	const struct policy *policy = &sim->fabric->policy;
	struct lane *ingress = packet->in;
	struct sim_port *in = &sim->ports[ingress->port];
	struct sim_switch *sw = in->sw;
	uint32_t headroom =
		packet->frame < ingress->headroom ? packet->frame : ingress->headroom;

	assert(ingress->shared >= packet->frame - headroom &&
		sw->shared_bytes <= sw->pool_bytes);
	ingress->headroom -= headroom;
	ingress->shared -= packet->frame - headroom;
	sw->shared_bytes -= packet->frame - headroom;
	if (!ingress->holding || ingress->headroom)
		return;
	if (ingress->shared == 0 ||
		ingress->shared + policy->xon_offset_bytes <= threshold(in, sw))
		port_tell_xon(sim, ingress->port, ingress->prio);
}

/* The packet is to leave by this port: it finds room in the buffer, or is dropped. */
static void pass(
	struct sim *sim, uint32_t in, unsigned prio, uint32_t out, struct packet *packet)
{
	struct sim_port *port = &sim->ports[out];
	struct lane *egress = lane_of(sim, out, prio);

	if (port->ahead_from <= sim->now)
		ahead_settle(sim, out);
	if (!admit(sim, port->sw, in, prio, out, packet))
		return;
	packet->in = lane_of(sim, in, prio);
	if (prio == sim->fabric->policy.priority && packet->ecn == ECN_ECT)
		look_at_queue(sim, port, egress, packet);
	if ((port->hindered | port->ready) == 0 && departs_in_turn(sim, port, prio)) {
		if (port->busy_until <= sim->now) {
			switch_release(sim, packet);
			depart_now(sim, port, egress, out, packet);
		} else {
			depart_later(sim, port, egress, out, packet);
		}
	} else {
		ahead_end(sim, out);
		port_enqueue(sim, out, prio, packet);
	}
}

/* Drops what cannot leave by this port; false when the packet may go on. */
static bool drop_before(
	struct sim *sim, uint32_t in, unsigned prio, uint32_t out, struct packet *packet)
{
	struct lane *ingress = lane_of(sim, in, prio);
	struct sim_port *port = &sim->ports[in];

	if (out == NONE) {
		count_drop(
			sim, ingress, &port->no_route, &sim->totals.dropped_no_route, packet);
		return true;
	}
	if ((port->inspects || sim->ports[out].trouble) &&
		trouble_in_the_switch(sim, in, out, packet))
		return true;
	if (sim->ports[out].down) {
		count_drop(sim, ingress, &sim->ports[out].dropped_down,
			&sim->totals.dropped_down, packet);
		return true;
	}
	if (sim->ports[out].storm >> prio & 1) {
		count_drop(sim, ingress, &sim->ports[out].watchdog_drops,
			&sim->totals.dropped_watchdog, packet);
		return true;
	}
	return false;
}

void switch_pass(
	struct sim *sim, uint32_t in, unsigned prio, uint32_t out, struct packet *packet)
{
	if (!drop_before(sim, in, prio, out, packet))
		pass(sim, in, prio, out, packet);
}
