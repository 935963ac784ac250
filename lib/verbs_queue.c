/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of lib/verbs.h: completion queues, reliable connections, datagrams. */
#include "lib/verbs.h"

#include <infiniband/verbs.h>
#include <errno.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/units.h"

#define HOP_LIMIT 64u
#define RNR_TIMER 12u /* 0.64 ms (InfiniBand 9.7.5.2.8, table 46) */

int verbs_cq_open(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *diag)
{
	cq->cq = ibv_create_cq(verbs->context, (int)entries, NULL, NULL, 0);
	if (cq->cq)
		return 0;
	return diag_system(
		diag, -errno, "%s: no completion queue of %u entries", verbs->device, entries);
}

int verbs_cq_open_stamped(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *diag)
{
	struct ibv_device_attr_ex attr;
	struct ibv_cq_init_attr_ex wish = {
		.cqe = entries,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};

	if (!ibv_query_device_ex(verbs->context, NULL, &attr) &&
		attr.completion_timestamp_mask && attr.hca_core_clock)
		cq->stamped = ibv_create_cq_ex(verbs->context, &wish);
	if (!cq->stamped)
		return verbs_cq_open(cq, verbs, entries, diag);
	cq->cq = ibv_cq_ex_to_cq(cq->stamped);
	cq->clock_khz = attr.hca_core_clock;
	cq->clock_mask = attr.completion_timestamp_mask;
	return 0;
}

/* The largest product is the clock's kHz times 10^6. */
uint64_t verbs_stamps_ns(const struct verbs_cq *cq, uint64_t from, uint64_t to)
{
	uint64_t ticks = (to - from) & cq->clock_mask;

	return ticks / cq->clock_khz * NS_PER_MS +
	       ticks % cq->clock_khz * NS_PER_MS / cq->clock_khz;
}

void verbs_cq_close(struct verbs_cq *cq)
{
	if (cq->cq)
		ibv_destroy_cq(cq->cq);
	*cq = (struct verbs_cq)VERBS_CQ_INIT;
}

/* --- queue pairs --- */

static int to_init(struct verbs_qp *qp, const struct verbs *verbs)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)verbs->port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};

	return -ibv_modify_qp(qp->qp, &attr,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

static int create(struct verbs_qp *qp, const struct verbs *verbs, const struct verbs_cq *cq,
	enum ibv_qp_type type, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	struct diag *diag)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq->cq,
		.recv_cq = cq->cq,
		.qp_type = type,
		.cap = {
			.max_send_wr = sends,
			.max_recv_wr = receives ? receives : 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = inline_bytes,
		},
	};

	if (sends > verbs->work_max || receives > verbs->work_max)
		return diag_error(diag, -EINVAL,
			"%s holds at most %u requests a queue, %u were asked for: choose a "
			"smaller -t",
			verbs->device, verbs->work_max, sends > receives ? sends : receives);
	qp->qp = ibv_create_qp(verbs->pd, &attr);
	if (!qp->qp && inline_bytes) {
		/* Perhaps it holds fewer inline: nobody tells how many. */
		attr.cap = (struct ibv_qp_cap){ sends, receives ? receives : 1, 1, 1, 0 };
		qp->qp = ibv_create_qp(verbs->pd, &attr);
	}
	if (!qp->qp)
		return diag_system(diag, -errno,
			"%s: no QP of %u sends, %u receives, %u bytes inline", verbs->device,
			sends, receives, inline_bytes);
	qp->number = qp->qp->qp_num;
	qp->inline_bytes = attr.cap.max_inline_data;
	return 0;
}

static int not_set_up(
	const struct verbs_qp *qp, const struct verbs *verbs, int err, struct diag *diag)
{
	return diag_system(diag, err, "%s: QP %u cannot be set up", verbs->device, qp->number);
}

int verbs_qp_open(struct verbs_qp *qp, const struct verbs *verbs, const struct verbs_cq *cq,
	uint32_t sends, uint32_t receives, uint32_t inline_bytes, uint32_t psn,
	struct diag *diag)
{
	int err = create(qp, verbs, cq, IBV_QPT_RC, sends, receives, inline_bytes, diag);

	if (err)
		return err;
	qp->psn = psn & 0xffffff;
	err = to_init(qp, verbs);
	return err ? not_set_up(qp, verbs, err, diag) : 0;
}

int verbs_qp_open_datagrams(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t key, struct diag *diag)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)verbs->port,
		.qkey = key,
	};
	int err = create(qp, verbs, cq, IBV_QPT_UD, sends, receives, inline_bytes, diag);

	if (err)
		return err;
	err = ibv_modify_qp(
		qp->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	attr.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err ? not_set_up(qp, verbs, -err, diag) : 0;
}

void verbs_qp_close(struct verbs_qp *qp)
{
	if (qp->qp)
		ibv_destroy_qp(qp->qp);
	*qp = (struct verbs_qp)VERBS_QP_INIT;
}

static enum ibv_mtu mtu_code(uint32_t bytes)
{
	unsigned code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && 128u << code < bytes)
		code++;
	return (enum ibv_mtu)code;
}

static struct ibv_ah_attr address_of(const struct verbs *verbs, const struct verbs_path *path)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = (uint8_t)verbs->port,
		.grh = {
			.sgid_index = (uint8_t)verbs->gid_index,
			.hop_limit = HOP_LIMIT,
			.traffic_class = path->traffic_class,
			.flow_label = path->flow_label & 0xfffff,
		},
	};

	memcpy(attr.grh.dgid.raw, path->gid, GID_BYTES);
	return attr;
}

int verbs_address_open(struct verbs_address *address, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag)
{
	struct ibv_ah_attr attr = address_of(verbs, path);
	char peer[GID_TEXT];

	address->ah = ibv_create_ah(verbs->pd, &attr);
	if (address->ah)
		return 0;
	gid_print(path->gid, peer);
	return diag_system(diag, errno ? -errno : -EIO, "%s: no way to %s for datagrams",
		verbs->device, peer);
}

void verbs_address_close(struct verbs_address *address)
{
	if (address->ah)
		ibv_destroy_ah(address->ah);
	address->ah = NULL;
}

void verbs_path_into(const struct verbs_path *path, struct ibv_qp_attr *attr)
{
	attr->path_mtu = mtu_code(path->mtu_bytes);
	attr->min_rnr_timer = RNR_TIMER;
	attr->max_dest_rd_atomic = path->reads_in;
	attr->max_rd_atomic = path->reads_out;
	attr->timeout = path->timeout_exp;
	attr->retry_cnt = path->retry;
	attr->rnr_retry = 7; /* for ever: a receiver that is slow is no loss */
	attr->ah_attr.grh.hop_limit = HOP_LIMIT;
	attr->ah_attr.grh.traffic_class = path->traffic_class;
	attr->ah_attr.grh.flow_label = path->flow_label & 0xfffff;
}

static int to_receive(
	struct verbs_qp *qp, const struct verbs *verbs, const struct verbs_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = path->qp_number,
		.rq_psn = path->psn,
		.ah_attr = address_of(verbs, path),
	};

	verbs_path_into(path, &attr);
	return -ibv_modify_qp(qp->qp, &attr,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_send(struct verbs_qp *qp, const struct verbs_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = qp->psn,
	};

	verbs_path_into(path, &attr);
	return -ibv_modify_qp(qp->qp, &attr,
		IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int verbs_qp_connect(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag)
{
	char peer[GID_TEXT];
	int err = to_receive(qp, verbs, path);

	if (!err)
		err = to_send(qp, path);
	if (!err)
		return 0;
	gid_print(path->gid, peer);
	return diag_system(diag, err, "%s: QP %u cannot be connected to QP %u of %s",
		verbs->device, qp->number, path->qp_number, peer);
}
