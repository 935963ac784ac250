/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_state.h"

/* Receive buffer of a NIC that drains more slowly than its line: XOFF and XON
 * levels. Above XOFF there is room for what is still on its way. */
#define NIC_XOFF_BYTES (256u * 1024)
#define NIC_XON_BYTES (192u * 1024)
#define NIC_BUFFER_BYTES (1024u * 1024)

unsigned nic_data_priority(const struct sim *sim, const struct sim_nic *nic)
{
	return nic->wrong_dscp ? 0 : sim->fabric->policy.priority;
}

static void append_ready(struct sim *sim, struct sim_nic *nic, uint32_t index)
{
	sim->qps[index].in_ready = true;
	sim->qps[index].next_ready = NONE;
	if (nic->ready_head == NONE)
		nic->ready_head = index;
	else
		sim->qps[nic->ready_tail].next_ready = index;
	nic->ready_tail = index;
}

void nic_qp_ready(struct sim *sim, uint32_t index)
{
	struct sim_nic *nic = &sim->nics[sim->qps[index].src_nic];

	if (sim->qps[index].in_ready)
		return;
	append_ready(sim, nic, index);
	sim->ports[nic->port].ready |= (uint8_t)(1u << nic_data_priority(sim, nic));
	port_kick(sim, nic->port);
}

static void clear_ready_bit(struct sim *sim, const struct sim_nic *nic, unsigned prio)
{
	bool data = prio == nic_data_priority(sim, nic) && nic->ready_head != NONE;

	if (lane_of(sim, nic->port, prio)->head == NONE && !data)
		sim->ports[nic->port].ready &= (uint8_t) ~(1u << prio);
}

/* A queue pair that waited for its turn has nothing to send any more. */
void nic_qp_idle(struct sim *sim, uint32_t index)
{
	struct sim_nic *nic = &sim->nics[sim->qps[index].src_nic];
	uint32_t before = NONE, at = nic->ready_head;

	if (!sim->qps[index].in_ready)
		return;
	for (; at != index; at = sim->qps[at].next_ready)
		before = at;
	if (before == NONE)
		nic->ready_head = sim->qps[index].next_ready;
	else
		sim->qps[before].next_ready = sim->qps[index].next_ready;
	if (nic->ready_tail == index)
		nic->ready_tail = before;
	sim->qps[index].in_ready = false;
	clear_ready_bit(sim, nic, nic_data_priority(sim, nic));
}

/* After a packet of this size: data waits for its turn, or for the time that its rate
 * allows. Whether it is to be in line. */
static bool next_turn(struct sim *sim, uint32_t index, struct qp *qp, uint32_t frame)
{
	const struct sim_nic *nic = &sim->nics[qp->src_nic];

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
static uint32_t next_data(struct sim *sim, struct sim_nic *nic)
{
	uint32_t q = nic->ready_head, index = qp_next_packet(sim, q);
	struct qp *qp = &sim->qps[q];
	bool stays = next_turn(sim, q, qp, sim->packets[index].frame);

	if (stays && q == nic->ready_tail)
		return index;
	nic->ready_head = qp->next_ready;
	qp->in_ready = false;
	if (stays)
		append_ready(sim, nic, q);
	return index;
}

/* What an idle NIC port sends next in a priority that is ready: acknowledgements
 * and CNPs first, then the queue pairs in turn. */
uint32_t nic_next(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_nic *nic = &sim->nics[sim->ports[port_index].nic];
	struct lane *lane = lane_of(sim, port_index, prio);
	uint32_t index = lane->head;

	if (index != NONE) {
		lane->head = sim->packets[index].next;
		lane->queue_bytes -= sim->packets[index].frame;
	} else {
		index = next_data(sim, nic);
	}
	if (nic->ready_head == NONE)
		clear_ready_bit(sim, nic, prio);
	else if (lane->head == NONE && prio != nic_data_priority(sim, nic))
		sim->ports[port_index].ready &= (uint8_t) ~(1u << prio);
	if (sim->packets[index].class == CLASS_POLICY)
		nic->tx_policy_bytes += sim->packets[index].frame;
	return index;
}

/* beyond: how far past psn a packet came in (NAK under selective repeat). */
void nic_send_control(struct sim *sim, uint32_t nic_index, enum packet_kind kind,
	uint32_t qp_index, uint32_t psn, uint32_t beyond)
{
	struct sim_nic *nic = &sim->nics[nic_index];
	const struct qp *qp = &sim->qps[qp_index];
	uint32_t index = packet_new(sim);
	bool cnp = kind == PACKET_CNP && !nic->cnp_as_data;

	sim->packets[index] = (struct packet){
		.qp = qp_index,
		.psn = psn,
		.dst_nic = qp->src_nic,
		.entropy = qp->entropy_back,
		.payload = (uint16_t)beyond,
		.frame = kind == PACKET_CNP ? CNP_FRAME_BYTES : ACK_FRAME_BYTES,
		.kind = kind & 0xff,
		.class = cnp               ? CLASS_CNP
			 : nic->wrong_dscp ? CLASS_ZERO
					   : CLASS_POLICY,
		.ecn = ECN_NOT_ECT,
	};
	sim->live++;
	sim->totals.control_sent++;
	port_enqueue(sim, nic->port,
		cnp ? sim->fabric->policy.cnp_priority : nic_data_priority(sim, nic), index);
}

static void drain(struct sim *sim, struct sim_nic *nic)
{
	uint64_t drained = ((sim->now - nic->fill_at) << 10) / nic->drain_byte_ps_q10;

	nic->fill_bytes -= drained < nic->fill_bytes ? drained : nic->fill_bytes;
	nic->fill_at = sim->now;
}

/* The buffer of a slow receiver fills: it tells its switch to wait, in time for
 * what is on the way. False when the packet finds no room. */
static bool slow_receive(struct sim *sim, struct sim_nic *nic, uint32_t bytes)
{
	unsigned prio = sim->fabric->policy.priority;
	uint32_t drained = sim->event_nics + sim->ports[nic->port].nic;

	drain(sim, nic);
	if (nic->fill_bytes + bytes > NIC_BUFFER_BYTES)
		return false;
	nic->fill_bytes += bytes;
	if (nic->fill_bytes >= NIC_XOFF_BYTES && sim->ports[nic->port].pfc &&
		!lane_of(sim, nic->port, prio)->holding) {
		port_tell_xoff(sim, nic->port, prio);
		if (!wheel_pending(&sim->wheel, drained))
			wheel_at(&sim->wheel, drained,
				sim->now +
					serialize_ps(nic->fill_bytes - NIC_XON_BYTES,
						nic->drain_byte_ps_q10) +
					1);
	}
	return true;
}

void nic_drain_event(struct sim *sim, uint32_t nic_index)
{
	struct sim_nic *nic = &sim->nics[nic_index];
	unsigned prio = sim->fabric->policy.priority;

	if (!lane_of(sim, nic->port, prio)->holding || nic->storm)
		return;
	if (nic->drain_byte_ps_q10)
		drain(sim, nic);
	else
		nic->fill_bytes = 0;
	if (nic->fill_bytes > NIC_XON_BYTES)
		wheel_at(&sim->wheel, sim->event_nics + nic_index,
			sim->now +
				serialize_ps(nic->fill_bytes - NIC_XON_BYTES,
					nic->drain_byte_ps_q10) +
				1);
	else
		port_tell_xon(sim, nic->port, prio);
}

void nic_arrive(struct sim *sim, uint32_t port_index, uint32_t index)
{
	struct sim_port *port = &sim->ports[port_index];
	struct sim_nic *nic = &sim->nics[port->nic];
	/* A copy: the answer may need a packet, and the array may move. */
	const struct packet copy = sim->packets[index], *packet = &copy;
	struct lane *lane = lane_of(sim, port_index, port->map[packet->class]);

	lane->rx_packets++;
	lane->rx_bytes += packet->frame;
	nic->rx_rdma_bytes += packet->frame;
	if (packet->corrupt) {
		nic->corrupt++;
		sim->totals.dropped_corrupt++;
		packet_free(sim, index);
		return;
	}
	if (nic->drain_byte_ps_q10 && packet->kind == PACKET_DATA &&
		!slow_receive(sim, nic, packet->frame)) {
		nic->rx_drops++;
		lane->buffer_drops++;
		sim->totals.dropped_buffer++;
		packet_free(sim, index);
		return;
	}
	sim->totals.received++;
	if (packet->kind == PACKET_DATA) {
		qp_receive(sim, packet);
	} else if (packet->kind == PACKET_CNP) {
		struct qp *qp = &sim->qps[packet->qp];

		qp->cnps_handled += !nic->cc_off;
		if (!nic->cc_off)
			dcqcn_cnp(sim, qp);
	} else {
		qp_acknowledged(sim, packet);
	}
	packet_free(sim, index);
}
