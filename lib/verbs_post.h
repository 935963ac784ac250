/*
 * verbs_post - work for a QP that is prepared once and posted many times, and its
 * completions. Nothing here allocates after verbs_ring_open(), and nothing makes a
 * system call that the NIC's own library does not make.
 *
 * A ring holds requests in the order in which they are posted, round and round. Every
 * `every`-th asks for a completion, which then speaks for that many requests.
 */
#ifndef LIB_VERBS_POST_H
#define LIB_VERBS_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/verbs.h"

struct ibv_send_wr;
struct ibv_recv_wr;
struct ibv_sge;

enum verbs_work { VERBS_WRITE, VERBS_WRITE_IMM, VERBS_SEND, VERBS_READ };

struct verbs_ring {
	struct ibv_qp *qp;            /* borrowed */
	struct ibv_send_wr *sends;    /* owned; or */
	struct ibv_recv_wr *receives; /* owned */
	struct ibv_sge *pieces;       /* owned */
	uint32_t count, every, next;  /* next: the place to be posted next */
};

#define VERBS_RING_INIT                                                                        \
	{                                                                                      \
		.qp = NULL                                                                     \
	}

/* What every request of a ring has in common; request i moves `bytes` at local + (i %
 * slots) * stride, with the peer's memory at remote + the same. */
struct verbs_ring_plan {
	enum verbs_work work;  /* of a ring of sends */
	uint32_t count, every; /* count is a multiple of every */
	uint32_t bytes;
	uint64_t stride;
	uint32_t slots;
	uint64_t local, remote;
	uint32_t lkey, rkey;
	bool inlined;
	uint32_t id; /* comes back with its completions; 16 bits */
	/* Datagrams alone: where they go to; each carries its slot as an immediate. */
	const struct verbs_address *address; /* borrowed; NULL: a connection */
	uint32_t qp_number, key;
};

void verbs_ring_sends(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan);
/* Each receive completes; plan->every is not looked at. */
void verbs_ring_receives(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan);
void verbs_ring_close(struct verbs_ring *ring);

/* Posts the next `count` requests, at most ring->count, of which none may be posted
 * already. With `last`, the last asks for a completion, for what it is the end of. Returns
 * 0 or a negative errno. */
int verbs_ring_post(struct verbs_ring *ring, uint32_t count, bool last);

/* One write with an immediate, which completes, from local memory to the peer's; 0 bytes
 * carry the immediate alone. Returns 0 or a negative errno. */
struct verbs_write {
	uint64_t local, remote;
	uint32_t lkey, rkey, bytes;
	uint32_t immediate;
	uint32_t id; /* comes back with its completion; 16 bits */
};

int verbs_post_write(const struct verbs_qp *qp, const struct verbs_write *write);

/* One receive without memory, for an immediate. */
int verbs_post_receive(const struct verbs_qp *qp, uint32_t id);

struct verbs_done {
	uint32_t id;    /* of the ring */
	uint32_t place; /* in the ring */
	uint32_t count; /* requests that it speaks for, this one the last */
	uint32_t bytes; /* of a receive */
	uint32_t immediate;
	bool received;
	uint64_t stamp; /* by the NIC's clock, where the queue is stamped */
	int status;     /* 0, or an ibv_wc_status */
	uint32_t vendor_error;
};

#define VERBS_DONE_MAX 32

/* Takes up to VERBS_DONE_MAX completions. Returns how many, or -EIO. */
int verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX]);

const char *verbs_status_text(int status);
/* The peer did not acknowledge, however often it was sent. */
bool verbs_status_is_unanswered(int status);
/* Fell with its QP: some other request is the cause. */
bool verbs_status_is_flushed(int status);

#endif
