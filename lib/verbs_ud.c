/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/verbs_ud.h"

#include <infiniband/verbs.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/units.h"

#define PAYLOAD_BYTES 4u
#define SLOT_BYTES 64u
#define SENDS 4u
#define QKEY 0x77656674u /* "weft" */
#define HOP_LIMIT 64u
#define NAP_NS (20 * NS_PER_US)
#define IPV4_AT 20u
#define IPV4_FIRST 0x45u /* version 4, a header of 5 words (RFC 791, 3.1) */

static uint8_t *slot(const struct verbs_ud *ud, uint64_t index)
{
	return ud->memory.base + index * SLOT_BYTES;
}

static int post_receive(struct verbs_ud *ud, uint64_t index)
{
	struct ibv_sge piece = {
		.addr = (uintptr_t)slot(ud, index),
		.length = VERBS_UD_HEADER_BYTES + PAYLOAD_BYTES,
		.lkey = ud->memory.lkey,
	};
	struct ibv_recv_wr work = { .wr_id = index, .sg_list = &piece, .num_sge = 1 }, *bad;

	return -ibv_post_recv(ud->qps[0].qp, &work, &bad);
}

static int to_ready(struct verbs_qp *qp, const struct verbs *verbs)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)verbs->port,
		.qkey = QKEY,
	};
	int err = ibv_modify_qp(
		qp->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);

	attr.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return -err;
}

static int open_qp(struct verbs_ud *ud, struct verbs_qp *qp)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = ud->sent.cq,
		.recv_cq = ud->arrived.cq,
		.qp_type = IBV_QPT_UD,
		.cap = {
			.max_send_wr = SENDS,
			.max_recv_wr = VERBS_UD_RECEIVES,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	qp->qp = ibv_create_qp(ud->verbs->pd, &attr);
	if (!qp->qp)
		return -errno;
	qp->number = qp->qp->qp_num;
	return to_ready(qp, ud->verbs);
}

int verbs_ud_open(struct verbs_ud *ud, const struct verbs *verbs, struct diag *diag)
{
	/* One slot more, to send from. */
	int err = verbs_memory_open(
		&ud->memory, verbs, (VERBS_UD_RECEIVES + 1) * SLOT_BYTES, diag);

	ud->verbs = verbs;
	if (!err)
		err = verbs_cq_open(&ud->sent, verbs, VERBS_UD_QPS * SENDS, diag);
	if (!err)
		err = verbs_cq_open(&ud->arrived, verbs, VERBS_UD_RECEIVES, diag);
	if (err)
		return err;
	for (uint32_t i = 0; i < VERBS_UD_QPS && !err; i++)
		err = open_qp(ud, &ud->qps[i]);
	for (uint64_t i = 0; i < VERBS_UD_RECEIVES && !err; i++)
		err = post_receive(ud, i);
	return err ? diag_system(diag, err, "%s: no QP for datagrams", verbs->device) : 0;
}

/* The flow label is what NICs take the UDP source port from that do not take it from the QP. */
static struct ibv_ah *address(
	const struct verbs *verbs, const struct verbs_ud_target *target, uint32_t flow_label)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = (uint8_t)verbs->port,
		.grh = {
			.sgid_index = (uint8_t)verbs->gid_index,
			.hop_limit = HOP_LIMIT,
			.traffic_class = target->traffic_class,
			.flow_label = flow_label,
		},
	};

	memcpy(attr.grh.dgid.raw, target->gid, GID_BYTES);
	return ibv_create_ah(verbs->pd, &attr);
}

static int await_sent(struct verbs_ud *ud, uint64_t wait_ns)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t deadline_ns = clock_ns() + wait_ns;
	struct ibv_wc done;

	do {
		int got = ibv_poll_cq(ud->sent.cq, 1, &done);

		if (got)
			return got < 0 || done.status ? -EIO : 0;
		nanosleep(&nap, NULL);
	} while (clock_ns() < deadline_ns);
	return -ETIMEDOUT;
}

static int send_one(
	struct verbs_ud *ud, const struct verbs_qp *qp, struct ibv_ah *to, uint32_t qp_number)
{
	struct ibv_sge piece = {
		.addr = (uintptr_t)slot(ud, VERBS_UD_RECEIVES),
		.length = PAYLOAD_BYTES,
		.lkey = ud->memory.lkey,
	};
	struct ibv_send_wr work = {
		.sg_list = &piece,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = to, .remote_qpn = qp_number, .remote_qkey = QKEY },
	}, *bad;

	return -ibv_post_send(qp->qp, &work, &bad);
}

int verbs_ud_send(struct verbs_ud *ud, const struct verbs_ud_target *target, uint32_t payload,
	uint64_t wait_ns, struct diag *diag)
{
	int err = 0;

	memcpy(slot(ud, VERBS_UD_RECEIVES), &payload, sizeof(payload));
	for (uint32_t i = 0; i < VERBS_UD_QPS && !err; i++) {
		struct verbs_qp *qp = &ud->qps[i];
		struct ibv_ah *to = address(ud->verbs, target, qp->number & 0xfffff);

		if (!to)
			return diag_system(
				diag, -errno, "%s: no way to the peer", ud->verbs->device);
		err = send_one(ud, qp, to, target->qp_number);
		if (!err)
			err = await_sent(ud, wait_ns);
		ibv_destroy_ah(to);
	}
	return err ? diag_system(diag, err, "%s: sending a datagram", ud->verbs->device) : 0;
}

int verbs_ud_class(const uint8_t header[VERBS_UD_HEADER_BYTES], bool ipv4)
{
	if (ipv4)
		return header[IPV4_AT] == IPV4_FIRST ? header[IPV4_AT + 1] : -EBADMSG;
	if (header[0] >> 4 != 6)
		return -EBADMSG;
	return (header[0] & 0xf) << 4 | header[1] >> 4;
}

int verbs_ud_take(struct verbs_ud *ud, uint32_t *payload, uint8_t *traffic_class)
{
	struct ibv_wc done;
	int got;

	while ((got = ibv_poll_cq(ud->arrived.cq, 1, &done)) == 1) {
		const uint8_t *at = slot(ud, done.wr_id);
		int class;

		if (done.status)
			return -EIO;
		class = done.byte_len >= VERBS_UD_HEADER_BYTES + PAYLOAD_BYTES
				? verbs_ud_class(at, gid_is_ipv4(ud->verbs->gid))
				: -EBADMSG;
		memcpy(payload, at + VERBS_UD_HEADER_BYTES, sizeof(*payload));
		if (post_receive(ud, done.wr_id))
			return -EIO;
		if (class < 0)
			continue;
		*traffic_class = (uint8_t) class;
		return 1;
	}
	return got ? -EIO : 0;
}

void verbs_ud_close(struct verbs_ud *ud)
{
	for (uint32_t i = 0; i < VERBS_UD_QPS; i++)
		verbs_qp_close(&ud->qps[i]);
	verbs_cq_close(&ud->sent);
	verbs_cq_close(&ud->arrived);
	verbs_memory_close(&ud->memory);
}
