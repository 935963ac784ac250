/*
 * verbs_ud - datagrams between RDMA ports, to see with which traffic class a packet arrives:
 * the IP header of a datagram comes in with it, which no reliable connection shows.
 *
 * A struct verbs_ud belongs to one device. It sends from VERBS_UD_QPS QPs by turns, each a
 * flow of its own to the hash of switches, and receives on another.
 */
#ifndef LIB_VERBS_UD_H
#define LIB_VERBS_UD_H

#include <stdint.h>

#include "lib/verbs.h"

#define VERBS_UD_QPS 4u
#define VERBS_UD_RECEIVES 128u

struct verbs_ud {
	const struct verbs *verbs;         /* borrowed */
	struct verbs_qp qps[VERBS_UD_QPS]; /* owned, as the rest */
	struct verbs_qp receiver;
	struct verbs_cq sent, arrived;
	struct verbs_memory memory;
};

#define VERBS_UD_INIT                                                                          \
	{                                                                                      \
		.verbs = NULL                                                                  \
	}

/* Ready to send and to receive. Errors are those of the driver. */
int verbs_ud_open(struct verbs_ud *ud, const struct verbs *verbs, struct diag *diag);

/* Where a datagram goes, and as what. */
struct verbs_ud_target {
	uint8_t gid[GID_BYTES];
	uint32_t qp_number; /* 24 bits */
	uint8_t traffic_class;
};

/* Sends one datagram from each QP, each with the same 4 bytes in it, and waits at most
 * wait_ns until each has left: -ETIMEDOUT. */
int verbs_ud_send(struct verbs_ud *ud, const struct verbs_ud_target *target, uint32_t payload,
	uint64_t wait_ns, struct diag *diag);

/* Takes one datagram, if there is one whose IP header is one: 1, and its 4 bytes and traffic
 * class (DSCP and ECN bits). 0: none; or a negative errno. */
int verbs_ud_take(struct verbs_ud *ud, uint32_t *payload, uint8_t *traffic_class);

/* The traffic class in what a datagram is received with: VERBS_GRH_BYTES, of which an IPv6 header is
 * all and an IPv4 header the last 20 (IBTA annex A17, 17.4.5.1). -EBADMSG: neither is there. */
int verbs_ud_class(const uint8_t header[VERBS_GRH_BYTES], bool ipv4);

void verbs_ud_close(struct verbs_ud *ud); /* safe on VERBS_UD_INIT, safe twice */

#endif
