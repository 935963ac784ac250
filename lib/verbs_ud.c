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
		.length = VERBS_GRH_BYTES + PAYLOAD_BYTES,
		.lkey = ud->memory.lkey,
	};
	struct ibv_recv_wr work = { .wr_id = index, .sg_list = &piece, .num_sge = 1 }, *bad;

	return -ibv_post_recv(ud->receiver.qp, &work, &bad);
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
	if (!err)
		err = verbs_qp_open_datagrams(&ud->receiver, verbs, &ud->arrived, 1,
			VERBS_UD_RECEIVES, 0, QKEY, diag);
	for (uint32_t i = 0; i < VERBS_UD_QPS && !err; i++)
		err = verbs_qp_open_datagrams(
			&ud->qps[i], verbs, &ud->sent, SENDS, 0, 0, QKEY, diag);
	if (err)
		return err;
	for (uint64_t i = 0; i < VERBS_UD_RECEIVES && !err; i++)
		err = post_receive(ud, i);
	return err ? diag_system(diag, err, "%s: posting receives", verbs->device) : 0;
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

static int send_one(struct verbs_ud *ud, const struct verbs_qp *qp,
	const struct verbs_address *to, uint32_t qp_number)
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
		.wr.ud = { .ah = to->ah, .remote_qpn = qp_number, .remote_qkey = QKEY },
	}, *bad;

	return -ibv_post_send(qp->qp, &work, &bad);
}

int verbs_ud_send(struct verbs_ud *ud, const struct verbs_ud_target *target, uint32_t payload,
	uint64_t wait_ns, struct diag *diag)
{
	struct verbs_path path = { .traffic_class = target->traffic_class };
	int err = 0;

	memcpy(path.gid, target->gid, GID_BYTES);
	memcpy(slot(ud, VERBS_UD_RECEIVES), &payload, sizeof(payload));
	for (uint32_t i = 0; i < VERBS_UD_QPS && !err; i++) {
		const struct verbs_qp *qp = &ud->qps[i];
		struct verbs_address to = VERBS_ADDRESS_INIT;

		/* NICs take the UDP source port from it that do not take it from the QP. */
		path.flow_label = qp->number;
		err = verbs_address_open(&to, ud->verbs, &path, diag);
		if (err)
			return err;
		err = send_one(ud, qp, &to, target->qp_number);
		if (!err)
			err = await_sent(ud, wait_ns);
		verbs_address_close(&to);
	}
	return err ? diag_system(diag, err, "%s: sending a datagram", ud->verbs->device) : 0;
}

int verbs_ud_class(const uint8_t header[VERBS_GRH_BYTES], bool ipv4)
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
		class = done.byte_len >= VERBS_GRH_BYTES + PAYLOAD_BYTES
				? verbs_ud_class(at, gid_is_ipv4(ud->verbs->gid))
				: -EBADMSG;
		memcpy(payload, at + VERBS_GRH_BYTES, sizeof(*payload));
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
	verbs_qp_close(&ud->receiver);
	verbs_cq_close(&ud->sent);
	verbs_cq_close(&ud->arrived);
	verbs_memory_close(&ud->memory);
}
