/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ahead of time. When each packet of a queue leaves is known as soon as it joins, as long
 * as nothing comes in between: one class waits, the port may send, and no fault looks at
 * its packets. Such a packet goes on the list of the link at once, with its arrival at the
 * far end, and needs no event to be sent. It is counted as sent, but still as waiting in
 * queue and buffer until it begins: that is worked off here, late, but always before it
 * would show; and by an event at that very time while some port of the switch waits for
 * the moment to send XON. When something does come in between, what has not begun goes
 * back to the queue.
 */
#include <assert.h>

#include "fabric/sim_hop.h"

void ahead_settle(struct sim *sim, uint32_t index)
{
	ahead_work_off(sim, &sim->ports[index]);
}

/* What has not begun was counted as sent when it was put on the link. */
static void uncount(struct sim *sim, uint32_t index)
{
	const struct sim_port *port = &sim->ports[index];
	struct lane *lane = ahead_lane(sim, port);

	for (const struct packet *at = port->ahead; at; at = at->next) {
		lane->tx_packets--;
		lane->tx_bytes -= at->frame;
		lane->busy_ps -= serialize_ps(at->frame + GAP_BYTES, port->byte_ps_q10);
	}
}

/* From now on one packet at a time: what has not begun waits in the queue. */
void ahead_end(struct sim *sim, uint32_t index)
{
	struct sim_port *port = &sim->ports[index];
	struct lane *lane;

	if (port->ahead_from <= sim->now)
		ahead_settle(sim, index);
	if (port->ahead_from == NEVER)
		return;
	assert(port->ahead != port->pipe_head && port->ready == 0);
	lane = ahead_lane(sim, port);
	uncount(sim, index);
	lane->head = port->ahead;
	lane->tail = port->pipe_tail;
	port->pipe_tail = port->before;
	port->before->next = NULL;
	port->busy_until = port->ahead_from;
	port->tail_arrival = port->busy_until + port->delay_ps;
	port->ahead = NULL;
	port->ahead_from = NEVER;
	port->ready = (uint8_t)(1u << lane->prio);
	if (!wheel_pending(&sim->wheel, port_event(sim, index, PORT_TX)))
		wheel_at(&sim->wheel, port_event(sim, index, PORT_TX), port->busy_until);
}

/* Works off what begins now, and comes back for the next while that matters. */
void ahead_event(struct sim *sim, uint32_t index)
{
	const struct sim_port *port = &sim->ports[index];

	ahead_settle(sim, index);
	if (port->ahead_from != NEVER && port->sw->holding &&
		!wheel_pending(&sim->wheel, port_event(sim, index, PORT_TX)))
		wheel_at(&sim->wheel, port_event(sim, index, PORT_TX), port->ahead_from);
}

static void each_port(
	struct sim *sim, struct sim_switch *sw, void (*what)(struct sim *sim, uint32_t port))
{
	for (uint32_t word = 0; word < sw->words; word++)
		for (uint64_t bits = sw->ahead[word]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(bits);
			uint32_t port = sw->first_port + word * 64 + bit;

			if (sim->ports[port].ahead_from != NEVER) {
				what(sim, port);
				continue;
			}
			sim->ports[port].noted = false;
			sw->ahead[word] &= ~(UINT64_C(1) << bit);
		}
}

void ahead_settle_switch(struct sim *sim, struct sim_switch *sw)
{
	each_port(sim, sw, ahead_settle);
}

void ahead_wake_switch(struct sim *sim, struct sim_switch *sw)
{
	each_port(sim, sw, ahead_event);
}

void ahead_settle_all(struct sim *sim)
{
	uint32_t switches = sim->fabric->leaves + sim->fabric->spines;

	for (uint32_t i = 0; i < switches; i++)
		ahead_settle_switch(sim, &sim->switches[i]);
}

/* For the end of a stage, after ahead_settle_all(). */
void ahead_uncount_all(struct sim *sim)
{
	for (uint32_t port = 0; port < sim->fabric->port_count; port++)
		uncount(sim, port);
}
