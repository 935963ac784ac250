/*
 * rdmacm - reliable connections made by the RDMA connection manager; the wrapper of
 * librdmacm. It finds the way to an address and agrees with the other end; the queue pairs
 * are those of lib/verbs.h, opened and closed by the caller, with the path's MTU, traffic
 * class, flow label, timeout and retries as there.
 *
 * One end listens on its GID's address at a port that the kernel chooses and takes `count`
 * connections; the other makes them, one after the other. Each request carries a word that
 * both know and the number of its queue pair, so that a stranger's is turned away and each
 * finds its counterpart. Every wait is bounded.
 */
#ifndef LIB_RDMACM_H
#define LIB_RDMACM_H

#include <stdint.h>

#include "lib/verbs.h"

struct rdma_event_channel;
struct rdma_cm_id;

struct rdmacm {
	struct rdma_event_channel *channel;    /* owned */
	struct rdma_cm_id *listener;           /* owned */
	struct rdma_cm_id *ids[VERBS_QPS_MAX]; /* owned; one a connection */
	const struct verbs *verbs;             /* borrowed */
	uint64_t word;
	uint16_t port; /* where it listens */
};

#define RDMACM_INIT                                                                            \
	{                                                                                      \
		.channel = NULL                                                                \
	}

/* Which queue pair a connection is for, and what its packets are like; the path's gid,
 * qp_number and psn are not looked at, for the connection manager tells them. */
struct rdmacm_end {
	struct verbs_qp *qp; /* borrowed */
	struct verbs_path path;
};

/* -EADDRNOTAVAIL and others of the system; -ENODEV when this host has no connection
 * manager, or gives the address to another device. word: any number that the peer gets by
 * another way. */
int rdmacm_listen(
	struct rdmacm *rdmacm, const struct verbs *verbs, uint64_t word, struct diag *diag);

/* Takes the connections of ends[0..count). -ECANCELED as soon as something can be read from
 * until_fd, which then has the reason; -ETIMEDOUT after wait_ns. */
int rdmacm_accept(struct rdmacm *rdmacm, const struct rdmacm_end *ends, uint32_t count,
	int until_fd, uint64_t wait_ns, struct diag *diag);

/* Makes them. -EHOSTUNREACH: no way there, or no answer; -ECONNREFUSED. wait_ns: for each
 * step of each. */
int rdmacm_connect(struct rdmacm *rdmacm, const struct verbs *verbs,
	const uint8_t gid[GID_BYTES], uint16_t port, uint64_t word,
	const struct rdmacm_end *ends, uint32_t count, uint64_t wait_ns, struct diag *diag);

/* Ends the connections; before the queue pairs are closed. Safe on RDMACM_INIT, safe
 * twice. */
void rdmacm_close(struct rdmacm *rdmacm);

#endif
