/*
 * cm - connection management datagrams: which two QP numbers are the ends of one
 * connection, and its path MTU. A capture says this nowhere else.
 *
 * Source: InfiniBand Architecture Specification volume 1, chapters 12 and 13.
 * Requests wait in a ring for their replies, pairs in a ring for their first
 * packets.
 */
#ifndef PFC_CM_H
#define PFC_CM_H

#include <stdbool.h>
#include <stdint.h>

#define CM_REQUESTS_MAX 256u
#define CM_PAIRS_MAX 4096u

struct cm_address {
	uint8_t bytes[16];
	uint8_t family;
};

struct cm_request {
	struct cm_address from;
	uint32_t id, qp;
	uint16_t mtu;
};

/* Packets to qp[0] at to[0] belong with those to qp[1] at to[1]. */
struct cm_pair {
	struct cm_address to[2];
	uint32_t qp[2];
	uint16_t mtu;
	uint16_t tap;
};

struct cm {
	struct cm_request requests[CM_REQUESTS_MAX];
	struct cm_pair pairs[CM_PAIRS_MAX];
	uint32_t request_count, pair_count; /* all ever */
	uint64_t seen;                      /* requests and replies */
};

/* Looks at a datagram to QP 1: payload behind its DETH. Returns the pair that a
 * reply makes, or NULL. */
const struct cm_pair *cm_datagram(struct cm *cm, const uint8_t *payload, uint32_t bytes,
	const struct cm_address *src, const struct cm_address *dst, uint16_t tap);

/* The QP at the other end of (to, qp), with the MTU; false when no exchange said so. */
bool cm_find(const struct cm *cm, const struct cm_address *to, uint32_t qp, uint16_t tap,
	uint32_t *other_qp, uint16_t *mtu);

#endif
