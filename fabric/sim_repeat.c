/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selective repeat: the receiver keeps what comes in beyond a gap and says so
 * with every such packet; the sender sends the holes again, once until the whole
 * recovery is acknowledged (the scheme of IRN, Mittal et al., SIGCOMM 2018).
 */
#include "fabric/sim_parts.h"

static bool get(const uint64_t *bits, uint32_t psn)
{
	return bits[psn % REPEAT_WINDOW / 64] >> psn % 64 & 1;
}

static void set(uint64_t *bits, uint32_t psn)
{
	bits[psn % REPEAT_WINDOW / 64] |= UINT64_C(1) << psn % 64;
}

static void clear(uint64_t *bits, uint32_t psn)
{
	bits[psn % REPEAT_WINDOW / 64] &= ~(UINT64_C(1) << psn % 64);
}

/* The next PSN to send again, if there is one. */
bool repeat_hole(const struct qp *qp, uint32_t *psn)
{
	const struct repeat *repeat = qp->repeat;
	uint32_t at = repeat->next > qp->snd_una ? repeat->next : qp->snd_una;

	if (!repeat->recovering)
		return false;
	while (at < repeat->high && get(repeat->told, at))
		at++;
	*psn = at;
	return at < repeat->high;
}

/* A hole, or what the window has room for. */
bool repeat_has_data(const struct qp *qp)
{
	uint32_t psn;

	return repeat_hole(qp, &psn) ||
	       (qp->snd_nxt != qp->snd_end && qp->snd_nxt - qp->snd_una < REPEAT_WINDOW);
}

static void take_in_order(struct sim *sim, struct qp *qp)
{
	while (get(qp->repeat->arrived, qp->rcv_nxt)) {
		struct piece piece = qp_piece(sim, qp, qp->rcv_nxt);

		clear(qp->repeat->arrived, qp->rcv_nxt);
		qp_deliver(sim, qp, piece.payload, piece.last);
	}
}

/* After the packet at rcv_nxt was delivered, or for one that lies beyond it. */
void repeat_receive(struct sim *sim, struct qp *qp, const struct packet *packet)
{
	struct repeat *repeat = qp->repeat;

	if (packet->psn < qp->rcv_nxt) {
		take_in_order(sim, qp);
		if (repeat->seen < qp->rcv_nxt)
			repeat->seen = qp->rcv_nxt;
		return;
	}
	if (packet->psn - qp->rcv_nxt >= REPEAT_WINDOW)
		return;
	if (get(repeat->arrived, packet->psn))
		qp->duplicates++;
	set(repeat->arrived, packet->psn);
	if (packet->psn > repeat->seen)
		qp->gaps++;
	if (packet->psn >= repeat->seen)
		repeat->seen = packet->psn + 1;
	qp->unacked = 0;
	nic_send_control(sim, qp->dst_nic, PACKET_NAK, packet->qp, qp->rcv_nxt,
		packet->psn - qp->rcv_nxt);
}

/* PSNs from..to - 1 are acknowledged. */
void repeat_acknowledged(struct qp *qp, uint32_t from, uint32_t to)
{
	struct repeat *repeat = qp->repeat;

	for (uint32_t psn = from; psn < to; psn++)
		clear(repeat->told, psn);
	if (to >= repeat->recover)
		repeat->recovering = false;
}

static void recover(struct qp *qp)
{
	if (qp->repeat->recovering)
		return;
	qp->repeat->recovering = true;
	qp->repeat->recover = qp->snd_max;
	if (qp->repeat->next < qp->snd_una) /* else it has been sent again already */
		qp->repeat->next = qp->snd_una;
	qp->repeat->high = qp->snd_una;
}

/* The receiver has psn, and lacks something before it. */
void repeat_nak(struct qp *qp, uint32_t psn)
{
	recover(qp);
	set(qp->repeat->told, psn);
	if (psn >= qp->repeat->high)
		qp->repeat->high = psn + 1;
}

/* Nothing was heard: the first packet goes out once more. */
void repeat_timeout(struct qp *qp)
{
	qp->repeat->recovering = false;
	recover(qp);
	qp->repeat->next = qp->snd_una;
	qp->repeat->high = qp->snd_una + 1;
}
