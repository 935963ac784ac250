/*
 * allreduce - one rank of a ring all-reduce with real sums, over RDMA.
 *
 * A chunk goes as one write with immediate per QP into one of ALLREDUCE_SLOTS slots of the
 * next rank, which checks it against what it must be, adds its own part into its working
 * memory, and gives the slot back by an empty write with immediate: a credit. A chunk of
 * working memory is overwritten only when it was acknowledged. All-reduces follow one another without
 * a barrier but the data; the input is the same for each.
 *
 * Every chunk that arrives is checked, in every step. Open, swap ends, connect, begin, then
 * turn until it has ended; like gen.h, nothing is allocated meanwhile.
 */
#ifndef FABRIC_ALLREDUCE_H
#define FABRIC_ALLREDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/allreduce_sum.h"
#include "fabric/gen.h"

#define ALLREDUCE_SLOTS 4u
#define ALLREDUCE_QPS_MAX 128u /* to either side */
#define ALLREDUCE_STEPS_MAX 1000000u
#define ALLREDUCE_BYTES_MAX (UINT64_C(2) << 30)

struct allreduce_plan {
	uint32_t rank, ranks, qps, iterations;
	uint64_t bytes; /* reduced per rank; a whole number of elements */
	enum allreduce_type type;
	uint32_t mtu_bytes;
	uint8_t traffic_class, timeout_exp, retry;
	uint64_t seed; /* of PSNs and flow labels, for the edge from this rank on: + 1 a rank */
};

/* Times of this host's clock; 0: not reached. */
struct allreduce_step {
	uint64_t ready_ns;     /* its input was added, and a slot was free */
	uint64_t posted_ns;    /* after the credit */
	uint64_t completed_ns; /* the last acknowledgement */
	uint64_t arrived_ns;   /* what the rank before sent in this step was here */
};

/* What came in wrong, the first by step. */
struct allreduce_wrong {
	uint64_t chunks, elements; /* of the chunks checked */
	uint32_t step;             /* over all iterations, from 0 */
	uint32_t chunk;            /* its number in the payload */
	uint64_t element;          /* in the chunk */
};

struct allreduce_side {
	struct verbs_qp qps[ALLREDUCE_QPS_MAX];
	uint32_t done[ALLREDUCE_QPS_MAX]; /* parts acknowledged, or arrived */
	uint32_t rkey;
	uint64_t base;
	char peer[GID_TEXT];
	bool unreachable; /* the network did not deliver, there or back */
};

struct allreduce {
	struct allreduce_plan plan;
	struct ring ring;
	const struct verbs *verbs;  /* borrowed */
	struct verbs_memory memory; /* input, work, slots */
	struct verbs_cq cq;
	struct allreduce_side next, prev; /* next.done: acknowledged; prev.done: arrived */
	struct allreduce_step *steps;     /* owned */
	uint32_t *sent_last;              /* owned; by chunk: 1 + the step that last sent it */
	uint32_t count;                   /* steps over all iterations */
	uint32_t posted, acknowledged, arrived, taken; /* steps */
	uint32_t credits;                              /* slots given back to us */
	uint32_t returned; /* slots given back to the rank before, acknowledged */
	uint32_t checked;  /* chunks */
	uint32_t flip;     /* test: 1 + the step in which one bit is flipped */
	struct allreduce_wrong wrong;
	uint64_t slot_bytes, last_ns, stall_ns;
	uint64_t sums_ns; /* that checking and adding took: not the network's */
	uint64_t held_ns; /* when a slot or an acknowledgement came that was waited for */
	struct verbs_done flushed; /* of a QP that failed, until cause_by_ns; 0: of none */
	uint64_t cause_by_ns;
};

#define ALLREDUCE_INIT                                                                         \
	{                                                                                      \
		.steps = NULL                                                                  \
	}

/* How many completions can be there at once, of so many QPs to either side. */
uint32_t allreduce_completions(uint32_t qps);

/* -EINVAL: what does not go together. */
int allreduce_open(struct allreduce *all, const struct verbs *verbs,
	const struct allreduce_plan *plan, struct diag *diag);
/* How the next rank's, and the one before, reach this one. */
void allreduce_ends(const struct allreduce *all, struct gen_end *next, struct gen_end *prev);
/* The next rank's end towards this one, and the one before's. */
int allreduce_connect_next(
	struct allreduce *all, const struct gen_end *next, struct diag *diag);
int allreduce_connect_prev(
	struct allreduce *all, const struct gen_end *prev, struct diag *diag);

/* How long nothing may come. */
uint64_t allreduce_stall_ns(const struct allreduce_plan *plan, uint64_t chunk_bytes);

int allreduce_begin(struct allreduce *all, struct diag *diag);
/* Completions taken, or a negative errno: -EHOSTUNREACH when a neighbour does not
 * acknowledge, whose side is then unreachable, or both where the port is down; -ETIMEDOUT when
 * nothing comes for long, though all was acknowledged that was sent: some other rank is the cause;
 * any other when the device or a QP failed. */
int allreduce_turn(struct allreduce *all, struct diag *diag);
bool allreduce_has_ended(const struct allreduce *all);

void allreduce_close(struct allreduce *all); /* safe on ALLREDUCE_INIT, safe twice */

/* --- for allreduce*.c --- */

#define ALLREDUCE_FROM_PREV 0x8000u /* in the id of work on the QPs to the rank before */

/* The errors of allreduce_turn(): of a completion that failed, and of a long silence. */
int allreduce_broke(struct allreduce *all, const struct verbs_done *done, struct diag *diag);
int allreduce_stalled(struct allreduce *all, struct diag *diag);

#endif
