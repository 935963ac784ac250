/*
 * verbs - an RDMA device, its memory, its reliable connections and its datagrams; the
 * wrapper of libibverbs. Work is posted and completions are taken by lib/verbs_post.h.
 *
 * Every function that can fail returns 0 or a negative errno with the sentence in
 * diag. Every struct has an S_INIT, and S_close is safe on it and safe twice; they
 * are closed in the reverse order of opening.
 */
#ifndef LIB_VERBS_H
#define LIB_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/gid.h"

#define VERBS_NAME 64
#define VERBS_QPS_MAX 256u

struct diag;
struct ibv_context;
struct ibv_pd;
struct ibv_cq;
struct ibv_mr;
struct ibv_qp;
struct ibv_qp_attr;
struct ibv_cq_ex;
struct ibv_ah;

/* Which device, port and GID. All zero: the only RoCE port that is up. */
struct verbs_choice {
	const char *device; /* NULL: the device that holds gid.address, or else the only one */
	uint32_t port;      /* from 1; 0: 1 */
	struct gid_wish gid;
	bool near; /* memory is to be of its NUMA node, where there is some */
};

struct verbs {
	struct ibv_context *context; /* owned */
	struct ibv_pd *pd;           /* owned */
	char device[VERBS_NAME];
	uint32_t port;
	uint32_t mtu_bytes; /* RoCE payload of a packet, active */
	uint64_t speed_bps; /* as its netdev tells, or else the device; 0: not told */
	uint32_t gid_index;
	uint8_t gid[GID_BYTES];
	enum gid_rule gid_rule;
	uint32_t work_max;           /* requests a queue can hold */
	uint32_t done_max;           /* entries a completion queue can have */
	uint8_t reads_in, reads_out; /* READs that a QP can answer, and ask for, at once */
	bool soft;                   /* rxe or siw: the kernel is the NIC */
	bool near;                   /* as it was chosen */
};

#define VERBS_INIT                                                                             \
	{                                                                                      \
		.context = NULL                                                                \
	}

/* -ENODEV: no such device, or none at all; -EACCES: not allowed to open it; -ENETDOWN:
 * the port is down; -ENOENT: no GID that would do; -EMEDIUMTYPE: not Ethernet. */
int verbs_open(struct verbs *verbs, const struct verbs_choice *choice, struct diag *diag);
void verbs_close(struct verbs *verbs);

/* RDMA devices of this host, whatever their state. */
uint32_t verbs_device_count(void);

/* The GIDs of the port into entries, which are the caller's: free(). Returns how many, or a
 * negative errno; *entries is set in any case. */
int verbs_gids(const struct verbs *verbs, struct gid_entry **entries, struct diag *diag);

/* 1: the port is up now; 0: it is not; a negative errno: the device does not say, as one that
 * was reset or removed. */
int verbs_is_up(const struct verbs *verbs);

/* Memory that the NIC may read and write, and the peer too. Zeroed. Set before opening:
 * strict, for who looks at memory and waits for no completion. Otherwise PCIe may write out of
 * order what comes before a completion (relaxed ordering), which fast NICs need. */
struct verbs_memory {
	struct ibv_mr *mr; /* owned */
	uint8_t *base;     /* owned; page aligned */
	size_t bytes;
	uint32_t lkey, rkey;
	bool strict;
};

#define VERBS_MEMORY_INIT                                                                      \
	{                                                                                      \
		.mr = NULL                                                                     \
	}

/* -ENOMEM also when the limit of locked memory (ulimit -l) is too low; the sentence
 * says so. */
int verbs_memory_open(struct verbs_memory *memory, const struct verbs *verbs, size_t bytes,
	struct diag *diag);
void verbs_memory_close(struct verbs_memory *memory);

struct verbs_cq {
	struct ibv_cq *cq;         /* owned */
	struct ibv_cq_ex *stamped; /* the same queue, where the NIC tells completion times */
	uint64_t clock_khz;        /* of the NIC's clock; 0: it tells no times */
	uint64_t clock_mask;       /* its bits */
};

#define VERBS_CQ_INIT                                                                          \
	{                                                                                      \
		.cq = NULL                                                                     \
	}

int verbs_cq_open(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *diag);

/* The same, with the time of each completion by the NIC's clock where the NIC tells them;
 * cq->clock_khz says whether it does. */
int verbs_cq_open_stamped(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *diag);

/* From one completion's stamp to a later one's, which is less than one round of the NIC's
 * clock away. */
uint64_t verbs_stamps_ns(const struct verbs_cq *cq, uint64_t from, uint64_t to);

void verbs_cq_close(struct verbs_cq *cq);

struct verbs_qp {
	struct ibv_qp *qp;     /* owned */
	uint32_t number;       /* 24 bits */
	uint32_t psn;          /* of the first packet it sends; 24 bits */
	uint32_t inline_bytes; /* at most so many can be inline */
};

#define VERBS_QP_INIT                                                                          \
	{                                                                                      \
		.qp = NULL                                                                     \
	}

/* A reliable connection, not connected. psn: any 24 bits. */
int verbs_qp_open(struct verbs_qp *qp, const struct verbs *verbs, const struct verbs_cq *cq,
	uint32_t sends, uint32_t receives, uint32_t inline_bytes, uint32_t psn,
	struct diag *diag);

/* A QP of datagrams (UD), which sends and receives as soon as it is open. What is received
 * stands behind VERBS_GRH_BYTES of its buffer. key: both ends' must be the same. */
#define VERBS_GRH_BYTES 40u
int verbs_qp_open_datagrams(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t key, struct diag *diag);

void verbs_qp_close(struct verbs_qp *qp);

/* What both ends must agree on, and where the other one is. */
struct verbs_path {
	uint8_t gid[GID_BYTES];  /* of the peer */
	uint32_t qp_number, psn; /* of the peer */
	uint32_t mtu_bytes;      /* 256, 512, 1024, 2048 or 4096 */
	uint8_t traffic_class;   /* DSCP and ECN bits */
	uint32_t flow_label;     /* 20 bits; NICs that take the UDP source port from it do */
	uint8_t timeout_exp;     /* 4.096 us * 2^n until it sends again; 1..31 */
	uint8_t retry;           /* 0..7; 7 is "for ever" on rxe */
	uint8_t reads_in;        /* READs of the peer that this end answers at once */
	uint8_t reads_out;       /* READs under way; at most the peer's reads_in */
};

/* Where datagrams go to: the GID, traffic class and flow label of a path. */
struct verbs_address {
	struct ibv_ah *ah; /* owned */
};

#define VERBS_ADDRESS_INIT                                                                     \
	{                                                                                      \
		.ah = NULL                                                                     \
	}

int verbs_address_open(struct verbs_address *address, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag);
void verbs_address_close(struct verbs_address *address);

/* To the state in which it sends and receives. */
int verbs_qp_connect(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag);

/* What a path says, into the attributes of a change of state that lib/rdmacm.c has begun:
 * all but where the peer is. */
void verbs_path_into(const struct verbs_path *path, struct ibv_qp_attr *attr);

#endif
