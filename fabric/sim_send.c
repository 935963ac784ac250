/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a NIC sends next: the queue pairs that have something take turns, packet by
 * packet, and a packet is made when its turn has come.
 */
#include "fabric/sim_parts.h"

void nic_append(struct sim *sim, struct sim_nic *nic, uint32_t index)
{
	sim->qps[index].in_ready = true;
	sim->qps[index].next_ready = NONE;
	if (nic->ready_head == NONE)
		nic->ready_head = index;
	else
		sim->qps[nic->ready_tail].next_ready = index;
	nic->ready_tail = index;
}

/* When nothing is left to send in a priority. */
void nic_clear_ready(struct sim *sim, const struct sim_nic *nic, unsigned prio)
{
	bool data = prio == nic->data_prio && nic->ready_head != NONE;

	if (!lane_of(sim, nic->port, prio)->head && !data)
		sim->ports[nic->port].ready &= (uint8_t) ~(1u << prio);
}

static inline __attribute__((always_inline)) struct packet *build(struct sim *sim,
	const struct sim_nic *nic, const struct qp *qp, uint32_t psn, struct piece piece)
{
	struct packet *packet = packet_new(sim);

	packet->qp = (uint32_t)(qp - sim->qps);
	packet->way = way_of(packet->qp, false);
	packet->psn = psn;
	packet->dst_nic = qp->dst_nic;
	packet->entropy = qp->entropy;
	packet->payload = (uint16_t)piece.payload;
	packet->frame = (uint16_t)(piece.payload + ROCE_FRAME_OVERHEAD_BYTES +
				   (piece.first ? RETH_BYTES : 0));
	packet->kind = PACKET_DATA;
	packet->class = nic->data_class;
	packet->ecn = qp->not_ect ? ECN_NOT_ECT : ECN_ECT;
	packet->last = piece.last;
	packet->corrupt = 0;
	packet->again = qp->resent & 3;
	packet->forced = 0;
	sim->live++;
	sim->totals.data_sent++;
	return packet;
}

/* A hole of selective repeat. */
static __attribute__((noinline)) struct packet *again(
	struct sim *sim, const struct sim_nic *nic, struct qp *qp, uint32_t psn)
{
	qp->repeat->next = psn + 1;
	qp->resent++;
	return build(sim, nic, qp, psn, qp_piece(sim, qp, psn));
}

/* The next packet of a QP that has one: a hole, or what is at snd_nxt. */
static inline __attribute__((always_inline)) struct packet *next_packet(
	struct sim *sim, const struct sim_nic *nic, struct qp *qp)
{
	struct piece piece;
	uint32_t psn;

	qp->sent++;
	if (qp->first_ps == NEVER)
		qp->first_ps = sim->now;
	if (qp->repeat && repeat_hole(qp, &psn))
		return again(sim, nic, qp, psn);
	psn = qp->snd_nxt;
	piece = message_piece(sim, message_at(qp, qp->message_at), psn);
	if (psn == qp->snd_una)
		qp_arm_timer(sim, qp);
	if (qp->snd_nxt++ < qp->snd_max)
		qp->resent++;
	else
		qp->snd_max = qp->snd_nxt;
	qp->message_at += piece.last;
	return build(sim, nic, qp, psn, piece);
}

/* After a packet of this size: data waits for its turn, or for the time that its rate
 * allows. Whether it is to be in line. */
static inline __attribute__((always_inline)) bool next_turn(struct sim *sim,
	const struct sim_nic *nic, uint32_t index, struct qp *qp, uint32_t frame)
{
	if (qp->limited || qp->app_bps) {
		uint64_t from = qp->pace_at > sim->now ? qp->pace_at : sim->now;

		qp->pace_at = from + dcqcn_gap_ps(sim, qp, frame + GAP_BYTES);
	}
	if (!qp_has_data(qp))
		return false;
	if (qp->pace_at <= sim->now ||
		qp->pace_at <= sim->now + serialize_ps(frame + GAP_BYTES,
						  sim->ports[nic->port].byte_ps_q10))
		return true;
	if (!wheel_pending(&sim->wheel, qp_event(sim, index, QP_PACE)))
		wheel_at(&sim->wheel, qp_event(sim, index, QP_PACE), qp->pace_at);
	return false;
}

/* The next packet of the queue pair whose turn it is. */
static inline __attribute__((always_inline)) struct packet *next_data(
	struct sim *sim, struct sim_nic *nic)
{
	uint32_t q = nic->ready_head;
	struct qp *qp = &sim->qps[q];
	struct packet *packet = next_packet(sim, nic, qp);
	bool stays = next_turn(sim, nic, q, qp, packet->frame);

	if (stays && q == nic->ready_tail)
		return packet;
	nic->ready_head = qp->next_ready;
	qp->in_ready = false;
	if (stays)
		nic_append(sim, nic, q);
	return packet;
}

/* What an idle NIC port sends next in a priority that is ready: acknowledgements
 * and CNPs first, then the queue pairs in turn. */
struct packet *nic_next(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_nic *nic = &sim->nics[sim->ports[port_index].nic];
	struct lane *lane = lane_of(sim, port_index, prio);
	struct packet *packet = lane->head;

	if (packet) {
		lane->head = packet->next;
		lane->queue_bytes -= packet->frame;
	} else {
		packet = next_data(sim, nic);
	}
	if (nic->ready_head == NONE || prio != nic->data_prio)
		nic_clear_ready(sim, nic, prio);
	if (packet->class == CLASS_POLICY)
		nic->tx_policy_bytes += packet->frame;
	return packet;
}

/* A packet of data that nothing hinders, by a NIC port that is idle. */
static inline void launch(struct sim *sim, struct sim_nic *nic, struct sim_port *port,
	struct lane *lane, struct packet *packet)
{
	uint64_t took = serialize_ps(packet->frame + GAP_BYTES, port->byte_ps_q10);

	if (packet->class == CLASS_POLICY)
		nic->tx_policy_bytes += packet->frame;
	port->busy_until = sim->now + took;
	port->last_prio = nic->data_prio;
	lane->tx_packets++;
	lane->tx_bytes += packet->frame;
	lane->busy_ps += took;
	link_put(sim, port, nic->port, packet);
}

/* The usual turn of an idle NIC port: data, nothing else to send, and nobody looks at it.
 * False, and nothing done, when it is another. */
static inline __attribute__((always_inline)) bool send_data(
	struct sim *sim, struct sim_port *port, uint32_t port_index)
{
	struct sim_nic *nic = &sim->nics[port->nic];
	struct lane *lane = lane_of(sim, port_index, nic->data_prio);

	if (port->hindered || port->ready != 1u << nic->data_prio || lane->head)
		return false;
	launch(sim, nic, port, lane, next_data(sim, nic));
	if (nic->ready_head == NONE)
		port->ready = 0;
	else
		come_back(sim, port, port_index);
	return true;
}

bool nic_send_data(struct sim *sim, uint32_t port)
{
	return send_data(sim, &sim->ports[port], port);
}

/* A port of a NIC is free again, or what is ahead of a switch's begins. */
void port_tx_event(struct sim *sim, uint32_t port_index)
{
	struct sim_port *port = &sim->ports[port_index];

	if (port->ahead_from != NEVER)
		ahead_event(sim, port_index);
	else if (port->sw || port->busy_until > sim->now || !send_data(sim, port, port_index))
		port_kick(sim, port_index);
}

/* A queue pair may send what its rate allows: at once, without getting in line, when its NIC
 * is idle. */
void qp_pace_event(struct sim *sim, uint32_t index)
{
	struct qp *qp = &sim->qps[index];
	struct sim_nic *nic = &sim->nics[qp->src_nic];
	struct sim_port *port = &sim->ports[nic->port];
	struct packet *packet;

	if (port->hindered || port->ready || port->busy_until > sim->now || !qp_has_data(qp) ||
		qp->pace_at > sim->now) {
		qp_wake(sim, index);
		return;
	}
	packet = next_packet(sim, nic, qp);
	if (next_turn(sim, nic, index, qp, packet->frame)) {
		nic_append(sim, nic, index);
		port->ready = (uint8_t)(1u << nic->data_prio);
	}
	launch(sim, nic, port, lane_of(sim, nic->port, nic->data_prio), packet);
	if (port->ready)
		come_back(sim, port, nic->port);
}
