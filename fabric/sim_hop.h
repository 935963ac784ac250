/*
 * sim_hop - how a packet joins the link that leaves a switch: what the usual way of a packet
 * (sim_hop.c) and the second look near a limit (sim_switch.c) have in common. For the files
 * of the simulator alone.
 */
#ifndef FABRIC_SIM_HOP_H
#define FABRIC_SIM_HOP_H

#include "fabric/sim_parts.h"

/* sim_switch.c */
void switch_mark(
	struct sim *sim, struct sim_port *port, struct lane *egress, struct packet *packet);

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

/* Whether the departure of a packet that joins the queue of a port now is known, if nothing
 * hinders the port or waits there. The one before it must be on the list of the link and end
 * when this one begins: or the event of an arrival could be that of a packet that may yet be
 * overtaken. */
static inline bool departs_in_turn(
	const struct sim *sim, const struct sim_port *port, unsigned prio)
{
	if (port->busy_until <= sim->now)
		return port->ahead_from == NEVER || port->ahead_prio == prio;
	return (port->ahead_from == NEVER || port->ahead_prio == prio) &&
	       port->tail_arrival == port->busy_until + port->delay_ps;
}

/* The packet is the first of those that have not begun. */
static inline void ahead_begin(struct sim *sim, struct sim_port *port, struct lane *lane,
	uint32_t out, struct packet *packet)
{
	port->ahead = packet;
	port->ahead_from = port->busy_until;
	port->ahead_prio = port->last_prio = lane->prio;
	port->before = port->pipe_tail;
	set_bit(port->sw->ahead, out - port->sw->first_port);
	if (port->sw->holding)
		ahead_event(sim, out);
}

/* Puts a packet that nothing hinders on the link, to be sent at once or when all before it
 * are: see sim_ahead.c. */
static inline __attribute__((always_inline)) void depart(struct sim *sim, struct sim_port *port,
	struct lane *lane, uint32_t out, struct packet *packet)
{
	uint32_t frame = packet->frame, queue = lane->queue_bytes + frame;
	uint64_t took = serialize_ps(frame + GAP_BYTES, port->byte_ps_q10);

	lane->tx_packets++;
	lane->tx_bytes += frame;
	lane->busy_ps += took;
	if (queue > lane->window_peak)
		lane->window_peak = queue;
	if (port->busy_until <= sim->now) {
		port->busy_until = sim->now + took;
		port->last_prio = lane->prio;
	} else {
		lane->queue_bytes = queue;
		if (port->ahead_from == NEVER)
			ahead_begin(sim, port, lane, out, packet);
		port->busy_until += took;
	}
	link_put(sim, port, out, packet);
}

#endif
