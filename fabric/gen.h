/*
 * gen - traffic between two hosts on real NICs: what is sent, how it is counted.
 *
 * Both ends hold a struct gen of the same parameters. The active end sends (reads, for
 * VERBS_READ); with `both` the other sends as well. In between the callers exchange their
 * ends over a control channel (lib/control.h): gen_open(), swap gen_end(), gen_connect(),
 * a word that both are ready, gen_send() and gen_receive().
 *
 * Nothing is allocated and the network is not asked for anything but the messages while
 * traffic runs. The clock is read once per batch of completions, and by a paced sender
 * whenever it looks whether something is due. Every wait is bounded:
 * after stall_ns without a completion the run ends with -EHOSTUNREACH, as it does when the
 * peer acknowledges nothing; any other error means that we could not find out.
 */
#ifndef FABRIC_GEN_H
#define FABRIC_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/control.h"
#include "lib/histogram.h"
#include "lib/rdmacm.h"
#include "lib/units.h"
#include "lib/verbs.h"
#include "lib/verbs_post.h"

#define GEN_BYTES_MAX (UINT64_C(1) << 30)
#define GEN_DEPTH_MAX 4096u
#define GEN_MEMORY_MAX (UINT64_C(8) << 30)
#define GEN_SERIES_MAX 36000u
#define GEN_BURST_MAX (UINT64_C(1) << 40)  /* bytes */
#define GEN_PERIOD_NS_MAX (10 * NS_PER_S)  /* of bursts */
#define GEN_AHEAD_NS_MAX (3600 * NS_PER_S) /* of a start at an absolute time */

struct gen_plan {
	enum verbs_work work;
	uint32_t qps;         /* 1..VERBS_QPS_MAX */
	uint64_t bytes;       /* of a message, 1..GEN_BYTES_MAX */
	uint32_t depth;       /* messages under way per QP */
	uint32_t every;       /* a completion per so many; divides depth */
	uint32_t slots;       /* places of a message in memory, per QP */
	uint64_t messages;    /* per QP, at most 2^32 - 1; 0: by time */
	uint64_t warmup_ns;   /* by time: sent before, and not counted */
	uint64_t duration_ns; /* by time: counted */
	uint64_t interval_ns; /* of the series */
	uint64_t burst; /* messages that leave every period, over all QPs; 0: all at once */
	uint64_t period_ps;
	uint64_t start_ns; /* since 1970, by each end's own clock; 0: at once */
	uint32_t mtu_bytes;
	uint8_t traffic_class, timeout_exp, retry;
	uint32_t inline_bytes; /* messages up to this size are sent inline */
	bool both;             /* both ends send */
	bool check;            /* the CRC32C of what arrives is compared */
	bool latency;          /* one message at a time, to and fro */
	bool datagrams;        /* UD instead of RC: sends, which may get lost */
	bool cm;               /* connected by the RDMA connection manager */
	uint64_t seed;         /* of the payload */
};

/* Fills every, slots and what depends on them; rounds depth. Returns 0, or -EINVAL with
 * what does not go together. */
int gen_plan_complete(struct gen_plan *plan, struct diag *diag);

/* What the peer must know of this end. */
struct gen_end {
	uint8_t gid[GID_BYTES];
	uint32_t rkey;
	uint64_t base;    /* of its memory */
	uint32_t cm_port; /* where it takes connections; 0: it does not */
	uint64_t cm_word; /* that they must bring */
	uint8_t reads;    /* that a QP of it answers at once */
	uint32_t qps;
	struct gen_end_qp {
		uint32_t number, psn;
	} qp[VERBS_QPS_MAX];
};

struct gen_qp {
	struct verbs_qp qp;
	struct verbs_ring sends, receives;
	struct verbs_address address; /* of datagrams */
	uint32_t number_there;
	uint64_t posted, sent; /* messages; sent: acknowledged */
	uint64_t received;     /* completions of receives */
	uint32_t owed;         /* receives to be posted again */
	uint64_t round;        /* of completions in which left was set: */
	uint64_t left;         /* receives posted when it began, and not taken since */
};

/* The active end's, or with `both` each end's. */
struct gen_result {
	uint64_t messages, bytes;  /* in the window, all QPs */
	uint64_t begin_ns, end_ns; /* the window: from completion to completion */
	uint64_t messages_all;     /* warm-up and end included */
	uint64_t messages_least;   /* of these, on the QP that sent the fewest */
	uint64_t received;         /* completions of receives */
	uint64_t dry;              /* times when a QP may have had no receive posted */
	uint64_t checked, corrupt; /* messages whose payload was looked at */
	uint32_t corrupt_qp;       /* of the first that was corrupt */
	uint32_t corrupt_slot;
	uint64_t cpu_ns;        /* of this process, while it sent */
	uint64_t start_late_ns; /* it began so long after plan.start_ns */
	uint64_t pace_late_ns;  /* most that a message left after it was due */
	uint64_t nic_window_ns; /* the window by the NIC's clock; 0: it tells no times */
	uint64_t nic_begin;     /* its stamp at the beginning */
	uint64_t *series;       /* owned; bytes per interval of the window */
	uint32_t series_count;
};

struct gen {
	struct gen_plan plan;
	const struct verbs *verbs; /* borrowed */
	struct verbs_memory memory;
	struct verbs_cq cq;
	struct gen_qp qps[VERBS_QPS_MAX];
	uint32_t *crcs;         /* owned; of the payload, by QP and slot */
	uint64_t stride;        /* bytes of a slot */
	uint32_t receives;      /* of each QP */
	uint32_t arrival_slots; /* of each QP; a multiple of plan.slots */
	uint64_t allowed;       /* messages of each QP that may be posted by now; 0: all */
	uint64_t released;      /* of a paced sender, over all QPs */
	uint32_t turn;          /* the QP that is next then */
	uint64_t round;         /* of completions, from 1: one more when all have been taken */
	uint64_t in_flight, now_ns, start_ns, stall_ns;
	struct verbs_done flushed; /* the first request that was, of one of several */
	uint64_t cause_by_ns;      /* until then its cause is waited for; 0: none was */
	uint32_t idle;
	bool one_of_several; /* who drives others meanwhile: no turn may wait */
	bool active, stopping;
	struct gen_result result;
	struct histogram *times; /* owned; of one way, ns; latency alone */
	struct rdmacm cm;
	char peer[GID_TEXT];
	const struct control *watched; /* borrowed; may be NULL */
	uint64_t look_ns;              /* when it is looked at next */
};

#define GEN_INIT                                                                               \
	{                                                                                      \
		.active = false                                                                \
	}

/* Memory, queues and payload. The plan is complete. */
int gen_open(struct gen *gen, const struct verbs *verbs, const struct gen_plan *plan,
	bool active, struct diag *diag);
void gen_end(const struct gen *gen, struct gen_end *end);
int gen_connect(struct gen *gen, const struct gen_end *peer, struct diag *diag);

/* With plan.cm, what the end that is not active does after gen_connect(), while the other
 * one connects: takes its connections. -ECANCELED: the control channel has the reason. */
int gen_accept(struct gen *gen, const struct control *control, struct diag *diag);

/* Waits for the time that the plan names, if it does; asleep, and awake for the last of it. The
 * control channel is watched: -ECANCELED when it has something to be read. -EINVAL: too far. */
int gen_await_start(struct gen *gen, const struct control *control, struct diag *diag);

/* Sends all that this end sends, and takes what arrives meanwhile. The control channel is looked
 * at ten times a second: -ECANCELED when the other end has hung up; its last word may still be
 * there to be read. NULL: it is not. */
int gen_send(struct gen *gen, const struct control *control, struct diag *diag);

/* The same in steps, for who drives several: begin, then gen_turn() until it has ended. With
 * gen->allowed set before, so many messages of each QP, and more when more are allowed. */
int gen_begin(struct gen *gen, struct diag *diag);
int gen_allow(struct gen *gen, uint64_t messages, struct diag *diag);
bool gen_has_ended(const struct gen *gen);

/* Takes what arrives until the control channel has something to be read. */
int gen_receive(
	struct gen *gen, const struct control *control, uint64_t most_ns, struct diag *diag);

/* The peer has sent so many in all, and on each QP least_of_qp or more: takes those still to
 * come, and looks at the payload of plain writes. Datagrams that do not come are no error. */
int gen_receive_rest(
	struct gen *gen, uint64_t messages, uint64_t least_of_qp, struct diag *diag);

/* Latency: the active end measures, the other one answers. -ECANCELED: the control channel has
 * something to be read. */
int gen_ping(struct gen *gen, const struct control *control, struct diag *diag);
int gen_pong(
	struct gen *gen, const struct control *control, uint64_t most_ns, struct diag *diag);

void gen_close(struct gen *gen); /* safe on GEN_INIT, safe twice */

/* Completions taken, or a negative errno; -ECANCELED: as for gen_send(). */
int gen_turn(struct gen *gen, struct diag *diag);

/* --- for gen*.c --- */

bool gen_receives(const struct gen *gen);
bool gen_sends(const struct gen *gen);
/* Where a QP's messages are sent from, and arrive: bytes into the memory. */
uint64_t gen_send_offset(const struct gen *gen, uint32_t qp);
uint64_t gen_receive_offset(const struct gen *gen, uint32_t qp);
/* Compares the payload in one of the places of arrival with what was sent from a slot. */
void gen_check(struct gen *gen, uint32_t qp, uint32_t place, uint32_t slot, bool wipe);

/* 0 while the port of this end is up; -EHOSTUNREACH: it went down; -EIO: the device has failed. */
int gen_check_port(const struct gen *gen, struct diag *diag);
/* The same of a device; when: in the middle of what it was, as the sentence ends. */
int gen_check_port_of(const struct verbs *verbs, const char *when, struct diag *diag);
/* How long nothing may complete while messages are under way. */
uint64_t gen_stall_ns(const struct gen_plan *plan);
/* Whether there still is another end, looked at now and then: 0, or -ECANCELED. */
int gen_look(struct gen *gen, uint64_t now, struct diag *diag);

/* Of a QP, the same at both ends: 1..2^14 - 1. */
uint32_t gen_flow_label(uint64_t seed, uint32_t qp);
/* The key of datagrams, the same at both ends. */
uint32_t gen_key(const struct gen_plan *plan);
/* Posts so many on a QP, or as many as it may. */
int gen_post(struct gen *gen, struct gen_qp *qp, uint64_t messages, struct diag *diag);

#endif
