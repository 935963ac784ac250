/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/verbs_post.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>

#include "lib/grow.h"

#define RECEIVED (UINT64_C(1) << 63)

/* wr_id: bit 63 a receive, 48..32 the ring, 31..16 the requests that a completion speaks
 * for, 15..0 the place. */
static uint64_t pack(uint32_t id, uint32_t count, uint32_t place)
{
	return (uint64_t)id << 32 | (uint64_t)count << 16 | place;
}

static enum ibv_wr_opcode opcode(enum verbs_work work)
{
	switch (work) {
	case VERBS_WRITE:
		return IBV_WR_RDMA_WRITE;
	case VERBS_WRITE_IMM:
		return IBV_WR_RDMA_WRITE_WITH_IMM;
	case VERBS_SEND:
		return IBV_WR_SEND;
	case VERBS_READ:
		return IBV_WR_RDMA_READ;
	}
	return IBV_WR_RDMA_WRITE;
}

static void open_ring(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan)
{
	assert(plan->count && plan->count <= UINT16_MAX && plan->slots);
	ring->qp = qp->qp;
	ring->count = plan->count;
	ring->every = plan->every;
	ring->next = 0;
	ring->pieces = zeroed(plan->count, sizeof(*ring->pieces));
	for (uint32_t i = 0; i < plan->count; i++)
		ring->pieces[i] = (struct ibv_sge){
			.addr = plan->local + i % plan->slots * plan->stride,
			.length = plan->bytes,
			.lkey = plan->lkey,
		};
}

static void to_address(
	struct ibv_send_wr *work, const struct verbs_ring_plan *plan, uint32_t slot)
{
	work->opcode = IBV_WR_SEND_WITH_IMM;
	work->imm_data = htonl(slot);
	work->wr.ud.ah = plan->address->ah;
	work->wr.ud.remote_qpn = plan->qp_number;
	work->wr.ud.remote_qkey = plan->key;
}

void verbs_ring_sends(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan)
{
	assert(plan->every && plan->count % plan->every == 0);
	open_ring(ring, qp, plan);
	ring->sends = zeroed(plan->count, sizeof(*ring->sends));
	for (uint32_t i = 0; i < plan->count; i++) {
		struct ibv_send_wr *work = &ring->sends[i];

		work->wr_id = pack(plan->id, plan->every, i);
		work->sg_list = &ring->pieces[i];
		work->num_sge = 1;
		work->opcode = opcode(plan->work);
		work->send_flags = (i + 1) % plan->every == 0 ? IBV_SEND_SIGNALED : 0;
		work->send_flags |= plan->inlined ? IBV_SEND_INLINE : 0;
		work->next = work + 1;
		if (plan->address) {
			to_address(work, plan, i % plan->slots);
			continue;
		}
		work->wr.rdma.remote_addr = plan->remote + i % plan->slots * plan->stride;
		work->wr.rdma.rkey = plan->rkey;
	}
}

void verbs_ring_receives(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan)
{
	open_ring(ring, qp, plan);
	ring->receives = zeroed(plan->count, sizeof(*ring->receives));
	for (uint32_t i = 0; i < plan->count; i++)
		ring->receives[i] = (struct ibv_recv_wr){
			.wr_id = RECEIVED | pack(plan->id, 1, i),
			.sg_list = &ring->pieces[i],
			.num_sge = 1,
			.next = &ring->receives[i + 1],
		};
}

void verbs_ring_close(struct verbs_ring *ring)
{
	free(ring->sends);
	free(ring->receives);
	free(ring->pieces);
	*ring = (struct verbs_ring)VERBS_RING_INIT;
}

static int post_sends(struct verbs_ring *ring, uint32_t count, bool last)
{
	struct ibv_send_wr *first = &ring->sends[ring->next];
	struct ibv_send_wr *end = first + count - 1, *bad, *next = end->next;
	unsigned int flags = end->send_flags;
	uint64_t id = end->wr_id;
	uint32_t place = ring->next + count - 1;
	int err;

	end->next = NULL;
	if (last && !(flags & IBV_SEND_SIGNALED)) {
		end->send_flags |= IBV_SEND_SIGNALED;
		end->wr_id =
			pack((uint32_t)(id >> 32) & UINT16_MAX, place % ring->every + 1, place);
	}
	err = ibv_post_send(ring->qp, first, &bad);
	end->next = next;
	end->send_flags = flags;
	end->wr_id = id;
	return -err;
}

static int post_receives(struct verbs_ring *ring, uint32_t count)
{
	struct ibv_recv_wr *first = &ring->receives[ring->next];
	struct ibv_recv_wr *end = first + count - 1, *bad, *kept = end->next;
	int err;

	end->next = NULL;
	err = ibv_post_recv(ring->qp, first, &bad);
	end->next = kept;
	return -err;
}

int verbs_ring_post(struct verbs_ring *ring, uint32_t count, bool last)
{
	int err = 0;

	while (count && !err) {
		uint32_t now =
			ring->count - ring->next < count ? ring->count - ring->next : count;

		err = ring->sends ? post_sends(ring, now, last && now == count)
				  : post_receives(ring, now);
		ring->next = ring->next + now < ring->count ? ring->next + now : 0;
		count -= now;
	}
	return err;
}

int verbs_post_write(const struct verbs_qp *qp, const struct verbs_write *write)
{
	struct ibv_sge piece = {
		.addr = write->local,
		.length = write->bytes,
		.lkey = write->lkey,
	};
	struct ibv_send_wr work = {
		.wr_id = pack(write->id, 1, 0),
		.sg_list = &piece,
		.num_sge = write->bytes ? 1 : 0,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(write->immediate),
		.wr.rdma = { .remote_addr = write->remote, .rkey = write->rkey },
	};
	struct ibv_send_wr *bad;

	return -ibv_post_send(qp->qp, &work, &bad);
}

int verbs_post_receive(const struct verbs_qp *qp, uint32_t id)
{
	struct ibv_recv_wr work = { .wr_id = RECEIVED | pack(id, 1, 0) }, *bad;

	return -ibv_post_recv(qp->qp, &work, &bad);
}

/* What wr_id holds; the rest is the caller's. */
static struct verbs_done unpack(uint64_t id)
{
	return (struct verbs_done){
		.id = (uint32_t)(id >> 32) & UINT16_MAX,
		.place = id & UINT16_MAX,
		.count = (uint32_t)(id >> 16) & UINT16_MAX,
		.received = id & RECEIVED,
	};
}

/* The fields of a completion that failed are not all there (ibv_start_poll(3)). */
static struct verbs_done read_stamped(struct ibv_cq_ex *queue)
{
	struct verbs_done done = unpack(queue->wr_id);

	done.status = (int)queue->status;
	if (done.status) {
		done.vendor_error = ibv_wc_read_vendor_err(queue);
		return done;
	}
	done.stamp = ibv_wc_read_completion_ts(queue);
	if (!done.received)
		return done;
	done.bytes = ibv_wc_read_byte_len(queue);
	if (ibv_wc_read_wc_flags(queue) & IBV_WC_WITH_IMM)
		done.immediate = ntohl(ibv_wc_read_imm_data(queue));
	return done;
}

static int poll_stamped(struct ibv_cq_ex *queue, struct verbs_done done[VERBS_DONE_MAX])
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 0 };
	int err = ibv_start_poll(queue, &attr), count = 0;

	if (err == ENOENT)
		return 0;
	if (err)
		return -EIO;
	do {
		done[count++] = read_stamped(queue);
		err = count < VERBS_DONE_MAX ? ibv_next_poll(queue) : ENOENT;
	} while (!err);
	ibv_end_poll(queue);
	return err == ENOENT ? count : -EIO;
}

int verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX])
{
	struct ibv_wc entries[VERBS_DONE_MAX];
	int count;

	if (cq->stamped)
		return poll_stamped(cq->stamped, done);
	count = ibv_poll_cq(cq->cq, VERBS_DONE_MAX, entries);
	if (count < 0)
		return -EIO;
	for (int i = 0; i < count; i++) {
		done[i] = unpack(entries[i].wr_id);
		done[i].bytes = entries[i].byte_len;
		done[i].immediate = ntohl(entries[i].imm_data);
		done[i].status = (int)entries[i].status;
		done[i].vendor_error = entries[i].vendor_err;
	}
	return count;
}

const char *verbs_status_text(int status)
{
	return ibv_wc_status_str((enum ibv_wc_status)status);
}

bool verbs_status_is_unanswered(int status)
{
	return status == IBV_WC_RETRY_EXC_ERR;
}

bool verbs_status_is_flushed(int status)
{
	return status == IBV_WC_WR_FLUSH_ERR;
}
