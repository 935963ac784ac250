/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reliable connection as NICs run it: PSNs, acknowledgements that cover several
 * packets, one NAK a gap, go-back-N or selective repeat, a timeout of
 * 4.096 us * 2^t and a bounded number of retries (InfiniBand 1.4, 9.7).
 */
#include <stdlib.h>

#include "fabric/sim_parts.h"
#include "lib/grow.h"

static uint32_t packets_of(const struct sim *sim, uint64_t bytes)
{
	uint32_t mtu = sim->fabric->mtu_bytes;

	return bytes ? (uint32_t)((bytes + mtu - 1) / mtu) : 1;
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

struct piece qp_piece(const struct sim *sim, const struct qp *qp, uint32_t psn)
{
	uint32_t at = 0;

	while (message_at(qp, at)->first_psn + message_at(qp, at)->packets <= psn)
		at++;
	return message_piece(sim, message_at(qp, at), psn);
}

/* Gets in line for the NIC, or waits for the time that its rate allows. */
void qp_wake(struct sim *sim, uint32_t index)
{
	const struct qp *qp = &sim->qps[index];

	if (!qp_has_data(qp) || wheel_pending(&sim->wheel, qp_event(sim, index, QP_PACE)))
		return;
	if (qp->pace_at > sim->now)
		wheel_at(&sim->wheel, qp_event(sim, index, QP_PACE), qp->pace_at);
	else
		nic_qp_ready(sim, index);
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
	if (sim->tap)
		tap_posted(sim, index, bytes);
	qp_wake(sim, index);
}

static void acknowledge(struct sim *sim, struct qp *qp)
{
	qp->unacked = 0;
	nic_send_control(
		sim, qp->dst_nic, PACKET_ACK, (uint32_t)(qp - sim->qps), qp->rcv_nxt, 0);
}

static void note_mark(struct sim *sim, struct qp *qp)
{
	const struct sim_nic *nic = &sim->nics[qp->dst_nic];

	qp->ce++;
	if (sim->fabric->policy.dcqcn.off || nic->cnp_off || sim->now < qp->next_cnp)
		return;
	qp->next_cnp = sim->now + nic->cnp_period_ps;
	qp->cnps_sent++;
	nic_send_control(sim, qp->dst_nic, PACKET_CNP, (uint32_t)(qp - sim->qps), 0, 0);
}

void qp_deliver(struct sim *sim, struct qp *qp, uint32_t payload, bool last)
{
	qp_take(sim, qp, payload);
	if (++qp->unacked >= sim->fabric->policy.ack_every || last)
		acknowledge(sim, qp);
	if (last && sim->flows[qp->flow].ring)
		ring_arrived(sim, qp);
	else if (last && qp->delivered_bytes == qp->planned_bytes)
		flow_qp_done(sim, qp);
	if (last && (sim->flows[qp->flow].waits || sim->flows[qp->flow].first_follower != NONE))
		after_delivered(sim, qp->flow);
}

/* Go-back-0: what has come in of a message before a gap counts for nothing. */
static void forget_message(const struct sim *sim, struct qp *qp)
{
	uint32_t at = 0, first;

	while (message_at(qp, at)->first_psn + message_at(qp, at)->packets <= qp->rcv_nxt)
		at++;
	first = message_at(qp, at)->first_psn;
	qp->delivered_bytes -= (uint64_t)(qp->rcv_nxt - first) * sim->fabric->mtu_bytes;
	qp->rcv_nxt = first;
}

/* The last packet of a message takes a receive that the host has posted, if it has. */
static bool is_ready(struct sim *sim, const struct qp *qp, const struct packet *packet)
{
	const struct sim_nic *nic = &sim->nics[qp->dst_nic];

	return !nic->unready || !packet->last ||
	       xorshift(&sim->ports[nic->port].random) > nic->unready;
}

/* Nothing counts until the message is sent again, after the time that is asked for. */
static void refuse(struct sim *sim, struct qp *qp)
{
	qp->unready++;
	qp->nak_sent = true;
	qp->unacked = 0;
	nic_send_control(
		sim, qp->dst_nic, PACKET_RNR, (uint32_t)(qp - sim->qps), qp->rcv_nxt, 0);
}

void qp_receive(struct sim *sim, const struct packet *packet)
{
	struct qp *qp = &sim->qps[packet->qp];

	qp->received++;
	if (packet->ecn == ECN_CE)
		note_mark(sim, qp);
	if (qp->repeat && packet->psn > qp->rcv_nxt && !qp->nak_sent) {
		repeat_receive(sim, qp, packet);
	} else if (packet->psn == qp->rcv_nxt && !is_ready(sim, qp, packet)) {
		refuse(sim, qp);
	} else if (packet->psn == qp->rcv_nxt) {
		qp_deliver(sim, qp, packet->payload, packet->last);
		if (qp->repeat)
			repeat_receive(sim, qp, packet);
	} else if (packet->psn < qp->rcv_nxt) {
		qp->duplicates++;
		if (packet->last || ++qp->unacked >= sim->fabric->policy.ack_every)
			acknowledge(sim, qp);
	} else if (!qp->nak_sent) {
		if (sim->nics[qp->src_nic].back_to_zero)
			forget_message(sim, qp);
		qp->gaps++;
		qp->nak_sent = true;
		qp->unacked = 0;
		nic_send_control(sim, qp->dst_nic, PACKET_NAK, packet->qp, qp->rcv_nxt, 0);
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

static void go_back(struct qp *qp)
{
	qp->snd_nxt = qp->snd_una;
	qp->message_at = 0;
}

/* Silent for a while, and not timed meanwhile; then from snd_una on. */
static void pause_for(struct sim *sim, struct qp *qp, uint64_t ps)
{
	nic_qp_idle(sim, (uint32_t)(qp - sim->qps));
	qp->pace_at = sim->now + ps;
	qp->rto_deadline = qp->pace_at + qp->rto_ps;
}

static void not_ready(struct sim *sim, struct qp *qp, uint32_t psn)
{
	qp->rnrs++;
	qp->snd_una = psn;
	pause_for(sim, qp, RNR_WAIT_PS);
	if (qp->repeat)
		qp->repeat->recovering = false;
	go_back(qp);
}

void qp_acknowledged(struct sim *sim, const struct packet *packet)
{
	struct qp *qp = &sim->qps[packet->qp];
	const struct sim_nic *nic = &sim->nics[qp->src_nic];

	if (packet->psn > qp->snd_una) {
		if (qp->repeat)
			repeat_acknowledged(qp, qp->snd_una, packet->psn);
		qp->snd_una = packet->psn;
		qp->retries = 0;
		qp->rto_deadline = sim->now + qp->rto_ps;
		if (qp->snd_nxt < qp->snd_una) /* overtaken while going back */
			qp->snd_nxt = qp->snd_una;
		forget_acknowledged(sim, qp, packet->psn);
		while (qp->message_at < qp->message_count &&
			message_at(qp, qp->message_at)->first_psn +
					message_at(qp, qp->message_at)->packets <=
				qp->snd_nxt)
			qp->message_at++;
	}
	if (packet->kind == PACKET_NAK && (packet->psn >= qp->snd_una || nic->back_to_zero)) {
		qp->naks++;
		qp->snd_una = packet->psn;
		dcqcn_restart(sim, qp);
		if (nic->recovery_ps)
			pause_for(sim, qp, nic->recovery_ps);
		if (qp->repeat)
			repeat_nak(qp, packet->psn + packet->payload);
		else
			go_back(qp);
	}
	if (packet->kind == PACKET_RNR && packet->psn >= qp->snd_una)
		not_ready(sim, qp, packet->psn);
	if (qp_has_data(qp))
		qp_wake(sim, packet->qp);
	else
		nic_qp_idle(sim, packet->qp);
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
	dcqcn_restart(sim, qp);
	if (qp->repeat)
		repeat_timeout(qp);
	else
		go_back(qp);
	qp_arm_timer(sim, qp);
	qp_wake(sim, index);
}
