/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_parts.h"

/* Receive buffer of a NIC that drains more slowly than its line: XOFF and XON
 * levels. Above XOFF there is room for what is still on its way. */
#define NIC_XOFF_BYTES (256u * 1024)
#define NIC_XON_BYTES (192u * 1024)
#define NIC_BUFFER_BYTES (1024u * 1024)

void nic_qp_ready(struct sim *sim, uint32_t index)
{
	struct sim_nic *nic = &sim->nics[sim->qps[index].src_nic];

	if (sim->qps[index].in_ready)
		return;
	nic_append(sim, nic, index);
	sim->ports[nic->port].ready |= (uint8_t)(1u << nic->data_prio);
	port_kick(sim, nic->port);
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
	nic_clear_ready(sim, nic, nic->data_prio);
}

/* beyond: how far past psn a packet came in (NAK under selective repeat). */
void nic_send_control(struct sim *sim, uint32_t nic_index, enum packet_kind kind,
	uint32_t qp_index, uint32_t psn, uint32_t beyond)
{
	struct sim_nic *nic = &sim->nics[nic_index];
	const struct qp *qp = &sim->qps[qp_index];
	struct packet *packet = packet_new(sim);
	bool cnp = kind == PACKET_CNP && !nic->cnp_as_data;

	*packet = (struct packet){
		.qp = qp_index,
		.psn = psn,
		.way = way_of(qp_index, true),
		.dst_nic = qp->src_nic,
		.entropy = qp->entropy_back,
		.payload = (uint16_t)beyond,
		.frame = kind == PACKET_CNP ? CNP_FRAME_BYTES : ACK_FRAME_BYTES,
		.kind = kind & 0xff,
		.class = cnp ? CLASS_CNP : nic->data_class,
		.ecn = ECN_NOT_ECT,
	};
	sim->live++;
	sim->totals.control_sent++;
	port_enqueue(sim, nic->port, cnp ? sim->fabric->policy.cnp_priority : nic->data_prio,
		packet);
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

void nic_arrive(struct sim *sim, uint32_t port_index, struct packet *packet)
{
	struct sim_port *port = &sim->ports[port_index];
	struct sim_nic *nic = &sim->nics[port->nic];
	struct lane *lane = lane_of(sim, port_index, port->map[packet->class]);

	lane->rx_packets++;
	lane->rx_bytes += packet->frame;
	nic->rx_rdma_bytes += packet->frame;
	if (packet->corrupt) {
		nic->corrupt++;
		sim->totals.dropped_corrupt++;
		packet_free(sim, packet);
		return;
	}
	if (nic->drain_byte_ps_q10 && packet->kind == PACKET_DATA &&
		!slow_receive(sim, nic, packet->frame)) {
		nic->rx_drops++;
		lane->buffer_drops++;
		sim->totals.dropped_buffer++;
		packet_free(sim, packet);
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
	packet_free(sim, packet);
}
