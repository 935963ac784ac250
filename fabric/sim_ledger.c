/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conservation, asserted at the end of every stage: every packet that was sent is
 * somewhere, over the whole fabric, over each link, and in each switch by priority;
 * every byte in a queue is on somebody's account; PSNs are in order.
 */
#include <assert.h>

#include "fabric/sim_parts.h"

/* Packets from one on, up to another that is no longer counted. */
static uint64_t in_chain(const struct packet *head, const struct packet *until)
{
	uint64_t count = 0;

	for (; head && head != until; head = head->next)
		count++;
	return count;
}

/* A port's queue that is sent ahead hangs on its link already (sim_ahead.c). */
static uint64_t in_queue(const struct sim *sim, uint32_t port, unsigned prio)
{
	const struct sim_port *at = &sim->ports[port];
	uint64_t ahead = at->ahead_prio == prio ? in_chain(at->ahead, NULL) : 0;

	return in_chain(sim->lanes[lane_index(sim, port, prio)].head, NULL) + ahead;
}

/* What left a port is at its peer, was lost on the way, or is still on it. */
static void check_link(struct sim *sim, uint32_t index)
{
	const struct sim_port *port = &sim->ports[index];
	uint64_t sent = 0, received = 0;

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		sent += lane_of(sim, index, prio)->tx_packets;
		received += lane_of(sim, port->peer, prio)->rx_packets;
	}
	sim->totals.packet_hops += sent;
	assert(sent == received + port->lost + sim->cut_off[index] +
			       in_chain(port->pipe_head, port->ahead));
}

/* What came into a switch in a priority has left it, ended in it, or waits. */
static void check_switch(struct sim *sim, uint32_t sw, unsigned prio)
{
	const struct node *node = &sim->fabric->nodes[sim->fabric->hosts + sw];
	uint64_t in = 0, out = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct lane *lane = lane_of(sim, node->first_port + i, prio);

		in += lane->rx_packets;
		out += lane->tx_packets +
		       sim->ended[lane_index(sim, node->first_port + i, prio)] +
		       in_queue(sim, node->first_port + i, prio);
	}
	assert(in == out);
}

/* Each byte that waits in a switch is on the account of the port it came in by, and
 * the accounts stay inside pool and headroom. */
static void check_buffer(struct sim *sim, uint32_t sw)
{
	const struct node *node = &sim->fabric->nodes[sim->fabric->hosts + sw];
	uint64_t waiting = 0, shared = 0, headroom = 0;

	for (uint32_t i = 0; i < node->port_count; i++)
		for (unsigned prio = 0; prio < PRIORITIES; prio++) {
			const struct lane *lane = lane_of(sim, node->first_port + i, prio);

			waiting += lane->queue_bytes;
			shared += lane->shared;
			headroom += lane->headroom;
		}
	assert(waiting == shared + headroom);
	assert(shared == sim->switches[sw].shared_bytes &&
		shared <= sim->switches[sw].pool_bytes);
}

/* The receiver is between what the sender knows of and what it has sent. With
 * go-back-0 it may have thrown away what was acknowledged. */
static void check_psn(const struct sim *sim, const struct qp *qp)
{
	assert(qp->snd_una <= qp->snd_max && qp->rcv_nxt <= qp->snd_max &&
		qp->snd_max <= qp->snd_end);
	assert(qp->snd_una <= qp->rcv_nxt || sim->nics[qp->src_nic].was_back_to_zero);
}

static void check_totals(const struct sim *sim)
{
	const struct sim_totals *t = &sim->totals;

	assert(t->data_sent + t->control_sent ==
		t->received + t->lost_on_links + t->dropped_buffer + t->dropped_headroom +
			t->dropped_egress + t->dropped_down + t->dropped_no_route +
			t->dropped_watchdog + t->dropped_oversize + t->dropped_policer +
			t->dropped_expired + t->dropped_hidden + t->dropped_corrupt +
			t->in_flight);
}

void ledger_check(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;

	ahead_settle_all(sim);
	ahead_uncount_all(sim);
	sim->totals.in_flight = sim->live;
	check_totals(sim);
	for (uint32_t port = 0; port < fabric->port_count; port++)
		if (fabric->ports[port].link != PORT_NONE)
			check_link(sim, port);
	for (uint32_t sw = 0; sw < fabric->leaves + fabric->spines; sw++) {
		for (unsigned prio = 0; prio < PRIORITIES; prio++)
			check_switch(sim, sw, prio);
		check_buffer(sim, sw);
	}
	for (uint32_t i = 0; i < sim->qp_count; i++)
		check_psn(sim, &sim->qps[i]);
}
