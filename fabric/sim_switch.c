/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared-buffer switch as the HPCC simulator's memory unit models it: for
 * each ingress port and priority a share of the pool under a dynamic threshold,
 * then, for a lossless priority, headroom of its own; ECN at the egress queue.
 */
#include <assert.h>

#include "fabric/sim_parts.h"

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
	uint64_t *total, uint32_t packet)
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
static void mark(
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

/* What ECN sees of a packet of the lossless class that is about to join a queue. */
static inline __attribute__((always_inline)) void look_at_queue(
	struct sim *sim, struct sim_port *port, struct lane *egress, struct packet *packet)
{
	if (egress->queue_bytes > egress->queue_peak_ect)
		egress->queue_peak_ect = egress->queue_bytes;
	egress->quiet = egress->queue_peak_ect < port->mark_from ? egress->queue_peak_ect
								 : port->mark_from;
	if (egress->queue_bytes > port->mark_from)
		mark(sim, port, egress, packet);
}

/* The port towards a NIC, or NONE. */
static uint32_t forward(const struct sim *sim, uint32_t sw, const struct packet *packet)
{
	const struct home *home = &sim->homes[packet->dst_nic];
	const struct routing *routing = sim->routing;
	const struct route_group *group;
	uint32_t entropy;

	if (home->leaf == sw)
		return home->leaf_port;
	group = &routing->groups[sw * sim->fabric->leaves + home->leaf];
	if (group->count == 1)
		return routing->members[group->first];
	if (group->count == 0)
		return NONE;
	entropy = packet->entropy;
	if (sim->switches[sw].hashing != HASH_TUPLE)
		entropy = trouble_entropy(sim, sw, packet);
	return routing
		->members[group->first + route_pick(entropy, routing->seeds[sw], group->count)];
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
		ahead_settle_switch(sim, sw);
		if (admit_lossy(sw, ingress, egress, bytes))
			return true;
		count_drop(sim, ingress, &egress->egress_drops, &sim->totals.dropped_egress,
			index);
		return false;
	}
	ahead_settle_switch(sim, sw);
	if (sim->ports[in].pfc) {
		if (!admit_lossless(sim, sw, in, ingress, bytes)) {
			if (!ingress->holding) /* headroom of less than a packet */
				port_tell_xoff(sim, in, prio);
			count_drop(sim, ingress, &ingress->headroom_drops,
				&sim->totals.dropped_headroom, index);
			return false;
		}
		note_account(sim, sw, in, prio);
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
	note_account(sim, sw, in, prio);
	return true;
}

static void take(struct sim_switch *sw, struct lane *ingress, uint32_t bytes)
{
	ingress->shared += bytes;
	sw->shared_bytes += bytes;
}

/* A packet leaves the buffer: headroom is given back first, and the peer may go
 * on once the account is well below the threshold. */
void switch_release(struct sim *sim, const struct packet *packet)
{
	const struct policy *policy = &sim->fabric->policy;
	uint32_t in = packet->in_lane / PRIORITIES;
	struct sim_switch *sw = &sim->switches[sim->ports[in].sw];
	struct lane *ingress = in_lane_of(sim, packet);
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
		ingress->shared + policy->xon_offset_bytes <= threshold(&sim->ports[in], sw))
		port_tell_xon(sim, in, packet->in_lane % PRIORITIES);
}

/* Puts a packet that nothing hinders on the link, to be sent at once or when all before it
 * are: see sim_ahead.c. */
static inline __attribute__((always_inline)) void depart(struct sim *sim, struct sim_switch *sw,
	struct sim_port *port, struct lane *lane, uint32_t out, unsigned prio, uint32_t index,
	struct packet *packet)
{
	uint64_t took = serialize_ps(packet->frame + GAP_BYTES, port->byte_ps_q10);
	uint32_t queue = lane->queue_bytes + packet->frame;

	lane->tx_packets++;
	lane->tx_bytes += packet->frame;
	lane->busy_ps += took;
	if (queue > lane->window_peak)
		lane->window_peak = queue;
	if (port->busy_until <= sim->now) {
		port->busy_until = sim->now + took;
		port->last_prio = (uint8_t)prio;
	} else {
		lane->queue_bytes = queue;
		if (port->ahead == NONE) {
			port->ahead = index;
			port->ahead_from = port->busy_until;
			port->ahead_prio = port->last_prio = (uint8_t)prio;
			port->before = port->pipe_tail;
			set_bit(sw->ahead, out - sw->first_port);
			if (sw->holding)
				ahead_event(sim, out);
		}
		port->busy_until += took;
	}
	link_put(sim, port, out, index, packet);
}

/* Whether the departure of a packet that joins the queue now is known. The one before it
 * must be on the list of the link and end when this one begins: or the event of an arrival
 * could be that of a packet that may yet be overtaken. */
static inline bool departs_surely(
	const struct sim *sim, const struct sim_port *port, unsigned prio)
{
	return (port->hindered | port->ready) == 0 &&
	       (port->ahead == NONE || port->ahead_prio == prio) &&
	       (port->busy_until <= sim->now ||
		       port->tail_arrival == port->busy_until + port->delay_ps);
}

/* The packet is to leave by this port: it finds room in the buffer, or is dropped. */
static void pass(struct sim *sim, uint32_t in, unsigned prio, uint32_t out, uint32_t index)
{
	const struct policy *policy = &sim->fabric->policy;
	struct sim_port *port = &sim->ports[out];
	struct sim_switch *sw = &sim->switches[port->sw];
	struct packet *packet;

	if (port->ahead_from <= sim->now)
		ahead_settle(sim, out);
	if (!admit(sim, sw, in, prio, out, index))
		return;
	packet = &sim->packets[index]; /* XOFF may have moved the array */
	packet->in_lane = in * PRIORITIES + prio;
	if (prio == policy->priority && packet->ecn == ECN_ECT)
		look_at_queue(sim, port, lane_of(sim, out, prio), packet);
	if (departs_surely(sim, port, prio)) {
		if (port->busy_until <= sim->now)
			switch_release(sim, packet);
		depart(sim, sw, port, lane_of(sim, out, prio), out, prio, index,
			&sim->packets[index]);
	} else {
		ahead_end(sim, out);
		port_enqueue(sim, out, prio, index);
	}
}

/* Drops what cannot leave by this port; false when the packet may go on. */
static bool drop_before(
	struct sim *sim, uint32_t in, unsigned prio, uint32_t out, uint32_t index)
{
	struct lane *ingress = lane_of(sim, in, prio);
	struct sim_port *port = &sim->ports[in];

	if (out == NONE) {
		count_drop(sim, ingress, &port->no_route, &sim->totals.dropped_no_route, index);
		return true;
	}
	if ((port->inspects || sim->ports[out].trouble) &&
		trouble_in_the_switch(sim, in, out, index))
		return true;
	if (sim->ports[out].down) {
		count_drop(sim, ingress, &sim->ports[out].dropped_down,
			&sim->totals.dropped_down, index);
		return true;
	}
	if (sim->ports[out].storm >> prio & 1) {
		count_drop(sim, ingress, &sim->ports[out].watchdog_drops,
			&sim->totals.dropped_watchdog, index);
		return true;
	}
	return false;
}

/* A pointer to a packet holds until something may send a PFC frame, for the array of packets
 * may move: admission, settling and release. */

/* Whether what has begun to leave a port must be worked off before a packet joins its
 * queue: for a peak or the marking may be near, or XON, or it is not the queue of those. */
static inline bool must_settle(const struct sim *sim, const struct sim_switch *sw,
	const struct sim_port *port, const struct lane *egress, uint32_t frame)
{
	return port->ahead != NONE &&
	       (sw->holding || port->busy_until <= sim->now ||
		       egress->queue_bytes > egress->quiet ||
		       egress->queue_bytes + frame > egress->window_peak);
}

/* Most packets: of the lossless class, nothing in their way, and the buffer so empty that
 * even with what has left and is still in the accounts no limit, threshold or peak is near.
 * The rest has a second look. */
static inline void switch_arrive(
	struct sim *sim, uint32_t in, uint32_t index, struct packet *packet)
{
	struct sim_port *from = &sim->ports[in], *port;
	struct sim_switch *sw = &sim->switches[from->sw];
	unsigned prio = from->map[packet->class];
	struct lane *ingress = lane_of(sim, in, prio), *egress;
	uint32_t out = sim->ways ? sim->ways[packet->way++] : forward(sim, from->sw, packet);

	ingress->rx_packets++;
	ingress->rx_bytes += packet->frame;
	from->policy_packets += packet->class == CLASS_POLICY;
	if (out == NONE || sim->ports[out].hindered || from->inspects) {
		if (!drop_before(sim, in, prio, out, index))
			pass(sim, in, prio, out, index);
		return;
	}
	port = &sim->ports[out];
	egress = lane_of(sim, out, prio);
	if ((must_settle(sim, sw, port, egress, packet->frame) ||
		    ingress->shared + packet->frame > ingress->easy) &&
		port->ahead_from <= sim->now) {
		ahead_settle(sim, out);
		packet = &sim->packets[index];
	}
	if (prio != sim->lossless || ingress->shared + packet->frame > ingress->easy ||
		sw->shared_bytes + packet->frame > sw->easy_bytes ||
		!departs_surely(sim, port, prio)) {
		pass(sim, in, prio, out, index);
		return;
	}
	if (packet->ecn == ECN_ECT && egress->queue_bytes > egress->quiet)
		look_at_queue(sim, port, egress, packet);
	if (port->busy_until > sim->now) {
		packet->in_lane = in * PRIORITIES + prio;
		take(sw, ingress, packet->frame);
	}
	depart(sim, sw, port, egress, out, prio, index, packet);
}

/* The first packet of a link has to be worked off before it arrives; where somebody waits
 * for XON, as soon as may be. */
static inline bool must_settle_link(
	const struct sim *sim, const struct sim_port *port, uint32_t index)
{
	return index == port->ahead || (sim->holding && port->ahead_from <= sim->now &&
					       sim->switches[port->sw].holding);
}

void link_arrive_event(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];
	uint32_t index = port->pipe_head;
	struct packet *packet;

	if (index == NONE) /* carrier was lost meanwhile */
		return;
	packet = &sim->packets[index];
	if (packet->arrival > sim->now) {
		wheel_at(&sim->wheel, port_event(port_index, PORT_ARRIVE), packet->arrival);
		return;
	}
	if (must_settle_link(sim, port, index)) {
		ahead_settle(sim, port_index);
		packet = &sim->packets[index];
	}
	port->pipe_head = packet->next;
	if (packet->next != NONE)
		wheel_at(
			&sim->wheel, port_event(port_index, PORT_ARRIVE), packet->next_arrival);
	if (sim->tap)
		tap_received(sim, port->peer, index);
	if (port->to_nic)
		nic_arrive(sim, port->peer, index);
	else
		switch_arrive(sim, port->peer, index, packet);
}
