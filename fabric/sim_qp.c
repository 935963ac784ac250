/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reliable connection as NICs run it: PSNs, acknowledgements that cover several
 * packets, one NAK a gap, go-back-N or selective repeat, a timeout of
 * 4.096 us * 2^t and a bounded number of retries (InfiniBand 1.4, 9.7).
 */
#include <stdlib.h>

#include "fabric/sim_state.h"
#include "lib/grow.h"

static uint32_t packets_of(const struct sim *sim, uint64_t bytes)
{
	uint32_t mtu = sim->fabric->mtu_bytes;

	return bytes ? (uint32_t)((bytes + mtu - 1) / mtu) : 1;
}

static struct message *message_at(const struct qp *qp, uint32_t place)
{
	return &qp->messages[(qp->message_first + place) & (qp->message_room - 1)];
}

static void more_messages(struct qp *qp)
{
	uint32_t room = qp->message_room ? qp->message_room * 2 : 4;
	struct message *messages = zeroed(room, sizeof(*messages));

	for (uint32_t i = 0; i < qp->message_count; i++)
		messages[i] = *message_at(qp, i);
	free(qp->messages);
	qp->messages = messages;
	qp->message_first = 0;
	qp->message_room = room;
}

bool qp_has_data(const struct qp *qp)
{
	return qp->snd_nxt != qp->snd_end && !qp->error;
}

/* Gets in line for the NIC, or waits for the time that its rate allows. */
static void wake(struct sim *sim, uint32_t index)
{
	const struct qp *qp = &sim->qps[index];

	if (!qp_has_data(qp) || wheel_pending(&sim->wheel, qp_event(sim, index, QP_PACE)))
		return;
	if (qp->pace_at > sim->now)
		wheel_at(&sim->wheel, qp_event(sim, index, QP_PACE), qp->pace_at);
	else
		nic_qp_ready(sim, index);
}

void qp_pace_event(struct sim *sim, uint32_t index)
{
	wake(sim, index);
}

void qp_post(struct sim *sim, uint32_t index, uint64_t bytes)
{
	struct qp *qp = &sim->qps[index];

	if (qp->message_count == qp->message_room)
		more_messages(qp);
	*message_at(qp, qp->message_count++) = (struct message){
		.first_psn = qp->snd_end,
		.packets = packets_of(sim, bytes),
		.bytes = bytes,
	};
	qp->snd_end += packets_of(sim, bytes);
	qp->posted_bytes += bytes;
	wake(sim, index);
}

static void arm_timer(struct sim *sim, struct qp *qp)
{
	uint32_t event = qp_event(sim, (uint32_t)(qp - sim->qps), QP_TIMEOUT);

	qp->rto_deadline = sim->now + sim->rto_ps;
	if (!wheel_pending(&sim->wheel, event))
		wheel_at(&sim->wheel, event, qp->rto_deadline);
}

/* The packet at snd_nxt, which there is. */
uint32_t qp_next_packet(struct sim *sim, uint32_t index)
{
	struct qp *qp = &sim->qps[index];
	const struct sim_nic *nic = &sim->nics[qp->src_nic];
	const struct message *message = message_at(qp, qp->message_at);
	uint32_t place = qp->snd_nxt - message->first_psn, mtu = sim->fabric->mtu_bytes;
	bool last = place + 1 == message->packets;
	uint32_t payload = last ? (uint32_t)(message->bytes - (uint64_t)place * mtu) : mtu;
	uint32_t id = packet_new(sim);

	sim->packets[id] = (struct packet){
		.next = NONE,
		.qp = index,
		.psn = qp->snd_nxt,
		.dst_nic = qp->dst_nic,
		.entropy = qp->entropy,
		.payload = (uint16_t)payload,
		.frame = (uint16_t)(payload + ROCE_FRAME_OVERHEAD_BYTES +
				    (place ? 0 : RETH_BYTES)),
		.kind = PACKET_DATA,
		.class = nic->wrong_dscp ? CLASS_ZERO : CLASS_POLICY,
		.ecn = qp->not_ect ? ECN_NOT_ECT : ECN_ECT,
		.last = last,
	};
	sim->live++;
	sim->totals.data_sent++;
	qp->sent++;
	if (qp->first_ps == NEVER)
		qp->first_ps = sim->now;
	if (qp->snd_nxt == qp->snd_una)
		arm_timer(sim, qp);
	if (qp->snd_nxt++ < qp->snd_max)
		qp->resent++;
	else
		qp->snd_max = qp->snd_nxt;
	qp->message_at += last;
	return id;
}

static void acknowledge(struct sim *sim, struct qp *qp)
{
	qp->unacked = 0;
	nic_send_control(sim, qp->dst_nic, PACKET_ACK, (uint32_t)(qp - sim->qps), qp->rcv_nxt);
}

static void note_mark(struct sim *sim, struct qp *qp)
{
	qp->ce++;
	if (sim->fabric->policy.dcqcn.off || sim->now < qp->next_cnp)
		return;
	qp->next_cnp = sim->now + sim->fabric->policy.dcqcn.cnp_period_ns * PS_PER_NS;
	qp->cnps_sent++;
	nic_send_control(sim, qp->dst_nic, PACKET_CNP, (uint32_t)(qp - sim->qps), 0);
}

static void deliver(struct sim *sim, struct qp *qp, const struct packet *packet)
{
	qp->rcv_nxt++;
	qp->nak_sent = false;
	qp->delivered_bytes += packet->payload;
	qp->last_ps = sim->now;
	sim->nics[qp->dst_nic].delivered_bytes += packet->payload;
	if (++qp->unacked >= sim->fabric->policy.ack_every || packet->last)
		acknowledge(sim, qp);
	if (packet->last && sim->flows[qp->flow].ring)
		ring_arrived(sim, qp);
	else if (packet->last && qp->delivered_bytes == qp->planned_bytes)
		flow_qp_done(sim, qp);
}

void qp_receive(struct sim *sim, const struct packet *packet)
{
	struct qp *qp = &sim->qps[packet->qp];

	qp->received++;
	if (packet->ecn == ECN_CE)
		note_mark(sim, qp);
	if (packet->psn == qp->rcv_nxt) {
		deliver(sim, qp, packet);
	} else if (packet->psn < qp->rcv_nxt) {
		qp->duplicates++;
		if (packet->last || ++qp->unacked >= sim->fabric->policy.ack_every)
			acknowledge(sim, qp);
	} else if (!qp->nak_sent) {
		qp->gaps++;
		qp->nak_sent = true;
		qp->unacked = 0;
		nic_send_control(sim, qp->dst_nic, PACKET_NAK, packet->qp, qp->rcv_nxt);
	}
}

static void forget_acknowledged(struct sim *sim, struct qp *qp, uint32_t psn)
{
	while (qp->message_count) {
		const struct message *message = message_at(qp, 0);

		if (message->first_psn + message->packets > psn)
			break;
		qp->message_first = (qp->message_first + 1) & (qp->message_room - 1);
		qp->message_count--;
		qp->message_at -= qp->message_at > 0;
		if (sim->flows[qp->flow].ring)
			ring_acknowledged(sim, qp);
	}
}

static void go_back(struct sim *sim, struct qp *qp)
{
	qp->snd_nxt = qp->snd_una;
	qp->message_at = 0;
	wake(sim, (uint32_t)(qp - sim->qps));
}

void qp_acknowledged(struct sim *sim, const struct packet *packet)
{
	struct qp *qp = &sim->qps[packet->qp];

	if (packet->psn > qp->snd_una) {
		qp->snd_una = packet->psn;
		qp->retries = 0;
		qp->rto_deadline = sim->now + sim->rto_ps;
		if (qp->snd_nxt < qp->snd_una) /* overtaken while going back */
			qp->snd_nxt = qp->snd_una;
		if (!qp_has_data(qp))
			nic_qp_idle(sim, packet->qp);
		forget_acknowledged(sim, qp, packet->psn);
		while (qp->message_at < qp->message_count &&
			message_at(qp, qp->message_at)->first_psn +
					message_at(qp, qp->message_at)->packets <=
				qp->snd_nxt)
			qp->message_at++;
	}
	if (packet->kind == PACKET_NAK && packet->psn >= qp->snd_una) {
		qp->naks++;
		go_back(sim, qp);
	}
}

void qp_timeout_event(struct sim *sim, uint32_t index)
{
	struct qp *qp = &sim->qps[index];

	if (qp->error || qp->snd_una == qp->snd_max)
		return;
	if (qp->rto_deadline > sim->now) {
		wheel_at(&sim->wheel, qp_event(sim, index, QP_TIMEOUT), qp->rto_deadline);
		return;
	}
	qp->timeouts++;
	if (++qp->retries > sim->fabric->policy.retry) {
		qp->error = true;
		nic_qp_idle(sim, index);
		flow_qp_done(sim, qp);
		return;
	}
	go_back(sim, qp);
	arm_timer(sim, qp);
}
