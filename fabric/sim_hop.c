/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual way of a packet, and the loop of events around it: off a link, into a switch,
 * onto the next link, and into a NIC. All of that is inlined into the loop; what is rare, near a
 * limit or asks for an answer is called, in sim_switch.c, sim_port.c and sim_nic.c.
 */
#include <stdio.h>

#include "fabric/sim_hop.h"

#define STOP_EVERY 4096u /* events between two looks at the stop flag */

/* The port towards a NIC, or NONE. */
static uint32_t forward(
	const struct sim *sim, const struct sim_switch *sw, const struct packet *packet)
{
	const struct home *home = &sim->homes[packet->dst_nic];
	const struct routing *routing = sim->routing;
	const struct route_group *group;
	uint32_t entropy;

	if (home->leaf == sw->number)
		return home->leaf_port;
	group = &routing->groups[sw->number * sim->fabric->leaves + home->leaf];
	if (group->count == 1)
		return routing->members[group->first];
	if (group->count == 0)
		return NONE;
	entropy = packet->entropy;
	if (sw->hashing != HASH_TUPLE)
		entropy = trouble_entropy(sim, sw->number, packet);
	return routing->members[group->first +
				route_pick(entropy, routing->seeds[sw->number], group->count)];
}

/* Whether what has begun to leave a port must be worked off before a packet joins its queue:
 * for a peak, the marking or a limit may be near, or XON. */
static inline bool must_settle(const struct sim *sim, const struct sim_port *port,
	const struct lane *egress, const struct lane *ingress, uint32_t frame)
{
	return port->ahead_from <= sim->now &&
	       (port->sw->holding || port->busy_until <= sim->now ||
		       egress->queue_bytes > egress->quiet ||
		       egress->queue_bytes + frame > egress->window_peak ||
		       ingress->shared + frame > ingress->easy);
}

/* Counts a packet that has come in, and finds the port that it leaves by. */
static inline uint32_t take_in(
	struct sim *sim, struct sim_port *from, struct lane *ingress, struct packet *packet)
{
	ingress->rx_packets++;
	ingress->rx_bytes += packet->frame;
	from->policy_packets += packet->class == CLASS_POLICY;
	return sim->ways ? sim->ways[packet->way++] : forward(sim, from->sw, packet);
}

/* A packet of a class that may be dropped. */
static __attribute__((noinline)) void lossy_arrive(
	struct sim *sim, uint32_t in, unsigned prio, struct packet *packet)
{
	uint32_t out = take_in(sim, &sim->ports[in], lane_of(sim, in, prio), packet);

	switch_pass(sim, in, prio, out, packet);
}

/* Most packets: of the lossless class, nothing in their way, and the buffer so empty that
 * even with what has left and is still in the accounts no limit, threshold or peak is near.
 * The rest has a second look. */
static inline void switch_arrive(struct sim *sim, uint32_t in, struct packet *packet)
{
	struct sim_port *from = &sim->ports[in], *port;
	unsigned prio = from->map[packet->class];
	struct lane *ingress = from->usual, *egress;
	uint32_t frame = packet->frame, out;

	if (prio != sim->lossless) {
		lossy_arrive(sim, in, prio, packet);
		return;
	}
	out = take_in(sim, from, ingress, packet);
	if (out == NONE ||
		(sim->ports[out].hindered | sim->ports[out].ready | from->inspects)) {
		switch_pass(sim, in, prio, out, packet);
		return;
	}
	port = &sim->ports[out];
	egress = port->usual;
	if (must_settle(sim, port, egress, ingress, frame))
		ahead_work_off(sim, port);
	if (!is_easy(from->sw, ingress, frame) || !departs_in_turn(sim, port, prio)) {
		switch_pass(sim, in, prio, out, packet);
		return;
	}
	packet->in = ingress;
	if (port->busy_until <= sim->now) {
		depart_now(sim, port, egress, out, packet);
		return;
	}
	if (packet->ecn == ECN_ECT && egress->queue_bytes > egress->quiet)
		look_at_queue(sim, port, egress, packet);
	ingress->shared += frame;
	from->sw->shared_bytes += frame;
	depart_later(sim, port, egress, out, packet);
}

/* Most packets that reach a NIC: data that comes in turn and asks for no answer. */
static inline bool nic_takes(struct sim *sim, uint32_t port_index, struct packet *packet)
{
	struct sim_port *port = &sim->ports[port_index];
	struct sim_nic *nic = &sim->nics[port->nic];
	struct qp *qp = &sim->qps[packet->qp];
	struct lane *lane = port->usual;

	if (packet->kind != PACKET_DATA || packet->last || packet->corrupt ||
		packet->ecn == ECN_CE || packet->psn != qp->rcv_nxt || qp->repeat ||
		qp->unacked + 1 >= sim->fabric->policy.ack_every || nic->drain_byte_ps_q10 ||
		port->map[packet->class] != lane->prio)
		return false;
	lane->rx_packets++;
	lane->rx_bytes += packet->frame;
	nic->rx_rdma_bytes += packet->frame;
	sim->totals.received++;
	qp->received++;
	qp->unacked++;
	qp_take(sim, qp, packet->payload);
	packet_free(sim, packet);
	return true;
}

/* The first packet of a link has to be worked off before it arrives; where somebody waits
 * for XON, as soon as may be. */
static inline bool must_settle_link(
	const struct sim *sim, const struct sim_port *port, const struct packet *packet)
{
	return port->ahead_from <= sim->now &&
	       (packet == port->ahead || (sim->holding && port->sw->holding));
}

static inline __attribute__((always_inline)) void link_arrive(
	struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];
	struct packet *packet = port->pipe_head;

	if (!packet) /* carrier was lost meanwhile */
		return;
	if (packet->arrival > sim->now) {
		wheel_at(
			&sim->wheel, port_event(sim, port_index, PORT_ARRIVE), packet->arrival);
		return;
	}
	if (must_settle_link(sim, port, packet))
		ahead_settle(sim, port_index);
	port->pipe_head = packet->next;
	if (packet->next)
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_ARRIVE),
			packet->next_arrival);
	if (sim->tap)
		tap_received(sim, port->peer, packet);
	if (!port->to_nic)
		switch_arrive(sim, port->peer, packet);
	else if (!nic_takes(sim, port->peer, packet))
		nic_arrive(sim, port->peer, packet);
}

/* Until all is delivered and the network is empty, the deadline, or a stop. */
void sim_events(struct sim *sim, struct run_stage *stage)
{
	uint64_t deadline = sim->stage->deadline_ns * PS_PER_NS, when = 0;
	const volatile sig_atomic_t *stop = sim->config->stop;

	stage->status = RUN_COMPLETE;
	while (sim->live || !sim_done(sim)) {
		uint32_t id = wheel_pop(&sim->wheel, &when);

		if (when > deadline) {
			sim->now = deadline;
			break;
		}
		sim->now = when;
		if (id < sim->port_count)
			link_arrive(sim, id);
		else if (id - sim->port_count < sim->port_count)
			port_tx_event(sim, id - sim->port_count);
		else
			sim_dispatch(sim, id);
		if (++sim->totals.events % STOP_EVERY == 0 && stop && *stop) {
			stage->status = RUN_PARTIAL;
			snprintf(stage->reason, sizeof(stage->reason), "interrupted");
			return;
		}
	}
	if (!sim_done(sim)) {
		stage->status = RUN_PARTIAL;
		snprintf(stage->reason, sizeof(stage->reason),
			"%u of %u flows were not complete at the deadline of %llu us",
			sim->flow_count - sim->flows_done, sim->flow_count,
			(unsigned long long)(sim->stage->deadline_ns / NS_PER_US));
	}
}
