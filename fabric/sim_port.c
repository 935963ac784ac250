/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "fabric/sim_parts.h"

/* CNPs go before all else; the rest take turns. */
static unsigned pick_priority(struct sim *sim, uint32_t index, unsigned mask)
{
	const struct sim_port *port = &sim->ports[index];
	unsigned cnp = 1u << sim->fabric->policy.cnp_priority;
	unsigned later;

	if (mask & cnp)
		return sim->fabric->policy.cnp_priority;
	if (port->trouble & TROUBLE_TURNS)
		return trouble_turn(sim, index, mask);
	later = mask & ~((2u << port->last_prio) - 1);
	return (unsigned)__builtin_ctz(later ? later : mask);
}

struct packet *port_pop(struct sim *sim, uint32_t port, unsigned prio)
{
	struct lane *lane = lane_of(sim, port, prio);
	struct packet *packet = lane->head;

	lane->head = packet->next;
	if (!lane->head)
		sim->ports[port].ready &= (uint8_t) ~(1u << prio);
	lane->queue_bytes -= packet->frame;
	switch_release(sim, packet);
	return packet;
}

static void send_pfc(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];
	struct packet *packet = packet_new(sim);

	packet->kind = PACKET_PFC;
	packet->frame = PFC_FRAME_BYTES;
	packet->psn = port->xoff | (uint32_t)port->xon << 8;
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		if (port->xoff >> prio & 1)
			lane_of(sim, port_index, prio)->pauses_sent++;
	packet->next = NULL;
	if (sim->tap)
		tap_sent(sim, port_index, packet);
	port->xoff = port->xon = 0;
	port->busy_until =
		sim->now + serialize_ps(PFC_FRAME_BYTES + GAP_BYTES, port->byte_ps_q10);
	packet->arrival = port->busy_until + port->wire_ps;
	if (!port->pfc_head) {
		port->pfc_head = packet;
		if (!wheel_pending(&sim->wheel, port_event(sim, port_index, PORT_PFC)))
			wheel_at(&sim->wheel, port_event(sim, port_index, PORT_PFC),
				packet->arrival);
	} else {
		port->pfc_tail->next = packet;
	}
	port->pfc_tail = packet;
}

static inline __attribute__((always_inline)) void send_packet(
	struct sim *sim, struct sim_port *port, uint32_t port_index, unsigned prio)
{
	struct packet *packet =
		port->sw ? port_pop(sim, port_index, prio) : nic_next(sim, port_index, prio);
	struct lane *lane = lane_of(sim, port_index, prio);
	uint64_t took = serialize_ps(packet->frame + GAP_BYTES, port->byte_ps_q10);

	port->busy_until = sim->now + took;
	port->last_prio = (uint8_t)prio;
	lane->tx_packets++;
	lane->tx_bytes += packet->frame;
	lane->busy_ps += took;
	if (port->tapped)
		tap_sent(sim, port_index, packet);
	if (port->trouble && trouble_on_the_wire(sim, port_index, packet))
		return;
	link_put(sim, port, port_index, packet);
}

/* Sends the next of an idle port, if it has one that is not held. */
static void send_next(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];
	unsigned mask = port->ready & ~(unsigned)port->held;

	if (port->hindered == 0 && mask && (mask & (mask - 1)) == 0) { /* the usual case */
		send_packet(sim, port, port_index, (unsigned)__builtin_ctz(mask));
		if (port->ready)
			come_back(sim, port, port_index);
		return;
	}
	if (port->down)
		return;
	if (port->xoff | port->xon)
		send_pfc(sim, port_index);
	else if (mask)
		send_packet(sim, port, port_index, pick_priority(sim, port_index, mask));
	else
		return;
	if ((port->ready & ~port->held) | port->xoff | port->xon)
		come_back(sim, port, port_index);
}

void port_kick(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];

	if (port->busy_until > sim->now)
		come_back(sim, port, port_index);
	else if (port->sw || !nic_send_data(sim, port_index))
		send_next(sim, port_index);
}

/* PFC frames are acted on at the MAC: nothing but the cable delays them. */
void port_pfc_event(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];
	struct packet *packet = port->pfc_head;
	uint32_t masks;

	if (!packet)
		return;
	if (packet->arrival > sim->now) {
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_PFC), packet->arrival);
		return;
	}
	masks = packet->psn;
	port->pfc_head = packet->next;
	if (packet->next)
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_PFC),
			packet->next->arrival);
	if (sim->tap)
		tap_received(sim, port->peer, packet);
	packet_free(sim, packet);
	port_pause_received(sim, port->peer, masks);
}

/* The caller has accounted for the packet and knows that it may go. */
void port_enqueue(struct sim *sim, uint32_t port_index, unsigned prio, struct packet *packet)
{
	struct sim_port *port = &sim->ports[port_index];
	struct lane *lane = lane_of(sim, port_index, prio);

	packet->next = NULL;
	if (!lane->head)
		lane->head = packet;
	else
		lane->tail->next = packet;
	lane->tail = packet;
	lane->queue_bytes += packet->frame;
	if (lane->queue_bytes > lane->window_peak)
		lane->window_peak = lane->queue_bytes;
	port->ready |= (uint8_t)(1u << prio);
	if (!(port->held >> prio & 1))
		port_kick(sim, port_index);
}

void port_release(struct sim *sim, uint32_t port, unsigned prio)
{
	struct lane *lane = lane_of(sim, port, prio);

	sim->ports[port].held &= (uint8_t) ~(1u << prio);
	lane->held_ps += sim->now - lane->held_since;
	lane->calm_at = sim->now + sim->ports[port].restore_ps;
	if (sim->ports[port].storm >> prio & 1)
		watchdog_look(sim, port, lane->calm_at);
}

static void hold(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_port *port = &sim->ports[port_index];
	struct lane *lane = lane_of(sim, port_index, prio);

	ahead_end(sim, port_index);
	if (!(port->held >> prio & 1)) {
		port->held |= (uint8_t)(1u << prio);
		lane->held_since = sim->now;
		watchdog_look(sim, port_index, sim->now + port->watchdog_ps);
	}
	lane->held_until = sim->now + port->pause_ps;
	if (!wheel_pending(&sim->wheel, port_event(sim, port_index, PORT_HOLD_END)))
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_HOLD_END),
			lane->held_until);
}

void port_pause_received(struct sim *sim, uint32_t port_index, uint32_t masks)
{
	struct sim_port *port = &sim->ports[port_index];

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		bool xoff = masks >> prio & 1, xon = masks >> (8 + prio) & 1;

		if (xoff)
			lane_of(sim, port_index, prio)->pauses_received++;
		if (!port->pfc)
			continue;
		if (xoff && watchdog_forwards(sim, port_index, prio))
			watchdog_put_off(sim, port_index, prio);
		else if (xoff)
			hold(sim, port_index, prio);
		else if (xon && port->held >> prio & 1)
			port_release(sim, port_index, prio);
	}
	if (port->ready & ~port->held)
		port_kick(sim, port_index);
}

/* The time of a pause that was not renewed is over. */
void port_hold_end_event(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];
	uint64_t next = NEVER;

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		struct lane *lane = lane_of(sim, port_index, prio);

		if (!(port->held >> prio & 1))
			continue;
		if (lane->held_until <= sim->now)
			port_release(sim, port_index, prio);
		else if (lane->held_until < next)
			next = lane->held_until;
	}
	if (next != NEVER)
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_HOLD_END), next);
	if (port->ready & ~port->held)
		port_kick(sim, port_index);
}

/* A port is about to send XOFF. Of a switch, departures now decide when it may send XON. */
static void begin_holding(struct sim *sim, const struct sim_port *port)
{
	if (!port->sw)
		return;
	sim->holding++;
	if (port->sw->holding++ == 0)
		ahead_wake_switch(sim, port->sw);
}

void port_tell_xoff(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_port *port = &sim->ports[port_index];
	struct lane *lane = lane_of(sim, port_index, prio);

	if (!lane->holding) {
		begin_holding(sim, port);
		lane->easy = 0;
		lane->holding = true;
		lane->holding_since = sim->now;
		if (lane->first_pause == NEVER)
			lane->first_pause = sim->now;
	}
	ahead_end(sim, port_index);
	port->xoff |= (uint8_t)(1u << prio);
	port->xon &= (uint8_t) ~(1u << prio);
	if (!wheel_pending(&sim->wheel, port_event(sim, port_index, PORT_REFRESH)))
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_REFRESH),
			sim->now + port->pause_ps / 2);
	port_kick(sim, port_index);
}

void port_tell_xon(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_port *port = &sim->ports[port_index];
	struct lane *lane = lane_of(sim, port_index, prio);

	if (port->sw) {
		sim->holding--;
		port->sw->holding--;
	}
	lane->holding = false;
	lane->holding_ps += sim->now - lane->holding_since;
	ahead_end(sim, port_index);
	port->xon |= (uint8_t)(1u << prio);
	port->xoff &= (uint8_t) ~(1u << prio);
	port_kick(sim, port_index);
}

/* XOFF again before the quanta run out, as long as it is meant. */
void port_refresh_event(struct sim *sim, uint32_t port_index)
{
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		if (lane_of(sim, port_index, prio)->holding)
			port_tell_xoff(sim, port_index, prio);
}

static void drop_down(struct sim *sim, uint32_t port, struct packet *packet)
{
	sim->ports[port].dropped_down++;
	sim->totals.dropped_down++;
	packet_free(sim, packet);
}

/* Carrier lost: what is on the link is lost, what waits for it is dropped. A NIC
 * keeps its requests. */
void port_down(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];

	ahead_end(sim, port_index);
	port->tail_arrival = 0;
	port->down = true;
	port->carrier_changes++;
	while (port->pfc_head) {
		struct packet *next = port->pfc_head->next;

		packet_free(sim, port->pfc_head);
		port->pfc_head = next;
	}
	while (port->pipe_head) {
		struct packet *next = port->pipe_head->next;

		sim->cut_off[port_index]++;
		drop_down(sim, port_index, port->pipe_head);
		port->pipe_head = next;
	}
	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		if (port->held >> prio & 1)
			port_release(sim, port_index, prio);
		while (port->nic == NONE && port->ready >> prio & 1) {
			packet_ended(sim, port_index, prio);
			drop_down(sim, port_index, port_pop(sim, port_index, prio));
		}
	}
}

void port_up(struct sim *sim, uint32_t port_index)
{
	sim->ports[port_index].down = false;
	sim->ports[port_index].carrier_changes++;
	port_kick(sim, port_index);
}
