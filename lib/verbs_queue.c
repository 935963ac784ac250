/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of lib/verbs.h: completion queues and reliable connections. */
#include "lib/verbs.h"

#include <infiniband/verbs.h>
#include <errno.h>
#include <string.h>

#include "lib/diag.h"

#define HOP_LIMIT 64u
#define RNR_TIMER 12u /* 0.64 ms (InfiniBand 9.7.5.2.8, table 46) */
#define READS_MAX 16u

int verbs_cq_open(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *diag)
{
	cq->cq = ibv_create_cq(verbs->context, (int)entries, NULL, NULL, 0);
	if (cq->cq)
		return 0;
	return diag_system(
		diag, -errno, "%s: no completion queue of %u entries", verbs->device, entries);
}

void verbs_cq_close(struct verbs_cq *cq)
{
	if (cq->cq)
		ibv_destroy_cq(cq->cq);
	cq->cq = NULL;
}

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

int verbs_qp_open(struct verbs_qp *qp, const struct verbs *verbs, const struct verbs_cq *cq,
	uint32_t sends, uint32_t receives, uint32_t inline_bytes, uint32_t psn,
	struct diag *diag)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq->cq,
		.recv_cq = cq->cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = sends,
			.max_recv_wr = receives ? receives : 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = inline_bytes,
		},
	};
	int err;

	if (sends > verbs->work_max || receives > verbs->work_max)
		return diag_error(diag, -EINVAL,
			"%s holds at most %u requests a queue, %u were asked for: choose a "
			"smaller -t",
			verbs->device, verbs->work_max, sends > receives ? sends : receives);
	qp->qp = ibv_create_qp(verbs->pd, &attr);
	if (!qp->qp)
		return diag_system(diag, -errno,
			"%s: no QP of %u sends, %u receives, %u bytes inline", verbs->device,
			sends, receives, inline_bytes);
	qp->number = qp->qp->qp_num;
	qp->psn = psn & 0xffffff;
	qp->inline_bytes = attr.cap.max_inline_data;
	err = to_init(qp, verbs);
	if (err)
		return diag_system(
			diag, err, "%s: QP %u cannot be set up", verbs->device, qp->number);
	return 0;
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

static int to_receive(
	struct verbs_qp *qp, const struct verbs *verbs, const struct verbs_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu_code(path->mtu_bytes),
		.dest_qp_num = path->qp_number,
		.rq_psn = path->psn,
		.max_dest_rd_atomic = READS_MAX,
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = {
			.is_global = 1,
			.port_num = (uint8_t)verbs->port,
			.grh = {
				.sgid_index = (uint8_t)verbs->gid_index,
				.hop_limit = HOP_LIMIT,
				.traffic_class = path->traffic_class,
				.flow_label = path->flow_label & 0xfffff,
			},
		},
	};

	memcpy(attr.ah_attr.grh.dgid.raw, path->gid, GID_BYTES);
	return -ibv_modify_qp(qp->qp, &attr,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_send(struct verbs_qp *qp, const struct verbs_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = path->timeout_exp,
		.retry_cnt = path->retry,
		.rnr_retry = 7, /* for ever: a receiver that is slow is no loss */
		.sq_psn = qp->psn,
		.max_rd_atomic = READS_MAX,
	};

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
