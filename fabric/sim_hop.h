/*
 * sim_hop - how a packet joins the link that leaves a switch: what the usual way of a packet
 * (sim_hop.c) and the second look near a limit (sim_switch.c) have in common. For the files
 * of the simulator alone.
 */
#ifndef FABRIC_SIM_HOP_H
#define FABRIC_SIM_HOP_H

#include <assert.h>

#include "fabric/sim_parts.h"

/* sim_switch.c */
void switch_mark(
	struct sim *sim, struct sim_port *port, struct lane *egress, struct packet *packet);

/* The queue that what is ahead of a port waits in. */
static inline struct lane *ahead_lane(struct sim *sim, const struct sim_port *port)
{
	return port->ahead_prio == sim->lossless
		       ? port->usual
		       : lane_of(sim, (uint32_t)(port - sim->ports), port->ahead_prio);
}

/* Works off what has begun to leave by now. Sending XON may end it, here or at another
 * port of the switch: so the port is in order before each. */
static inline __attribute__((always_inline)) void ahead_work_off(
	struct sim *sim, struct sim_port *port)
{
	struct lane *lane = ahead_lane(sim, port);

	while (port->ahead_from <= sim->now) {
		const struct packet *packet = port->ahead;
		struct lane *ingress = packet->in;

		lane->queue_bytes -= packet->frame;
		port->before = port->ahead;
		port->ahead = packet->next;
		port->ahead_from = packet->next ? packet->arrival - port->delay_ps : NEVER;
		if (ingress->holding) {
			switch_release(sim, packet);
			continue;
		}
		assert(ingress->shared >= packet->frame);
		ingress->shared -= packet->frame;
		port->sw->shared_bytes -= packet->frame;
	}
}

/* What ECN sees of a packet of the lossless class that is about to join a queue. */
static inline void look_at_queue(
	struct sim *sim, struct sim_port *port, struct lane *egress, struct packet *packet)
{
	if (egress->queue_bytes > egress->queue_peak_ect)
		egress->queue_peak_ect = egress->queue_bytes;
	egress->quiet = egress->queue_peak_ect < port->mark_from ? egress->queue_peak_ect
								 : port->mark_from;
	if (egress->queue_bytes > port->mark_from)
		switch_mark(sim, port, egress, packet);
}

/* Whether a lossless packet finds the limits and peaks of the buffer far away, even with what has
 * left and is still in the accounts. */
static inline bool is_easy(
	const struct sim_switch *sw, const struct lane *ingress, uint32_t bytes)
{
	return ingress->shared + bytes <= ingress->easy &&
	       sw->shared_bytes + bytes <= sw->easy_bytes;
}

/* Whether the departure of a packet that joins the queue of a port now is known, if nothing
 * hinders the port or waits there. The one before it must be on the list of the link and end
 * when this one begins: or the event of an arrival could be that of a packet that may yet be
 * overtaken. */
static inline bool departs_in_turn(
	const struct sim *sim, const struct sim_port *port, unsigned prio)
{
	return (port->ahead_from == NEVER || port->ahead_prio == prio) &&
	       (port->busy_until <= sim->now ||
		       port->tail_arrival == port->busy_until + port->delay_ps);
}

/* The packet is the first of those that have not begun. */
static inline void ahead_begin(struct sim *sim, struct sim_port *port, struct lane *lane,
	uint32_t out, struct packet *packet)
{
	port->ahead = packet;
	port->ahead_from = port->busy_until;
	port->ahead_prio = port->last_prio = lane->prio;
	port->before = port->pipe_tail;
	if (!port->noted)
		set_bit(port->sw->ahead, out - port->sw->first_port);
	port->noted = true;
	if (port->sw->holding)
		ahead_event(sim, out);
}

static inline void count_sent(struct lane *lane, uint32_t frame, uint64_t took)
{
	lane->tx_packets++;
	lane->tx_bytes += frame;
	lane->busy_ps += took;
}

/* A packet that nothing hinders, by a port that is idle: on the link. */
static inline void depart_now(struct sim *sim, struct sim_port *port, struct lane *lane,
	uint32_t out, struct packet *packet)
{
	uint32_t frame = packet->frame;
	uint64_t took = serialize_ps(frame + GAP_BYTES, port->byte_ps_q10);

	count_sent(lane, frame, took);
	if (frame > lane->window_peak)
		lane->window_peak = frame;
	port->busy_until = sim->now + took;
	port->last_prio = lane->prio;
	link_put(sim, port, out, packet);
}

/* The same by a port that is not: on the link, to be sent when all before it are: see
 * sim_ahead.c. */
static inline void depart_later(struct sim *sim, struct sim_port *port, struct lane *lane,
	uint32_t out, struct packet *packet)
{
	uint32_t frame = packet->frame;
	uint64_t took = serialize_ps(frame + GAP_BYTES, port->byte_ps_q10);

	count_sent(lane, frame, took);
	lane->queue_bytes += frame;
	if (lane->queue_bytes > lane->window_peak)
		lane->window_peak = lane->queue_bytes;
	if (port->ahead_from == NEVER)
		ahead_begin(sim, port, lane, out, packet);
	port->busy_until += took;
	link_put(sim, port, out, packet);
}

#endif
