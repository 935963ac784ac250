/*
 * plan - what will be done: ordered stages of flows and collectives.
 *
 * Built by pure functions of fabric and profile (fabric/plan_*.h), run by a
 * backend, written into the run file as it was run. NICs are named by their
 * index in the fabric, so that a plan needs no pointers.
 *
 * A layer is what a person reads ("pairs", "lossless"); a stage is one run of
 * the backend: its flows start together and its counters are read in one window.
 */
#ifndef LIB_PLAN_H
#define LIB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plan_layer {
	LAYER_PLAN,        /* the file against itself and against the wiring seen */
	LAYER_PAIRS,       /* every NIC with one other, inside a leaf, then across */
	LAYER_NONBLOCKING, /* cross-leaf permutations */
	LAYER_LOSSLESS,    /* incast with a victim beside it */
	LAYER_BURST,       /* aligned microbursts */
	LAYER_RING,        /* ring all-reduce */
	LAYER_CLASS,       /* proof of class: judged on what the others sent */
	LAYER_COUNT,
};

enum flow_role {
	FLOW_MAIN,
	FLOW_VICTIM, /* shares a switch with the incast, not its bottleneck */
};

#define PLAN_AFTER 2u

struct plan_flow {
	uint32_t src, dst; /* NIC indices; src != dst */
	uint32_t qps;      /* 1..256; the bytes are split evenly, rest to the first ones */
	uint64_t bytes;    /* payload, over all QPs and bursts; > 0 */
	uint64_t start_ns; /* from the start of the stage */
	uint64_t rate_bps; /* offered payload rate over all QPs; 0: as fast as the NIC goes */
	uint64_t burst_bytes; /* 0: no bursts; else bytes sent at line rate every period */
	uint64_t burst_period_ns;
	/* Places + 1 in the stage of flows that it waits for; 0: none. A burst is sent when
	 * each of them has delivered its burst of the same number, whatever the period. All
	 * have one QP and as many bursts. Simulated only, and in no stage of a run file. */
	uint32_t after[PLAN_AFTER];
	uint32_t window; /* bursts sent and not yet delivered, at most; 0: any. Likewise */
	enum flow_role role;
	bool not_ect; /* sent with ECN 00: switches must not mark, DCQCN stays silent */
};

/* A ring all-reduce over NICs; the rank of a NIC is its place in nics. */
struct plan_ring {
	uint32_t *nics; /* owned */
	uint32_t ranks; /* 0: no ring in this stage */
	uint32_t qps;   /* per edge */
	uint64_t bytes; /* V, reduced per rank */
	uint32_t elem_bytes;
	uint32_t iterations; /* all-reduces one after the other, no barrier but the data */
	uint32_t type;       /* on real NICs: enum allreduce_type (fabric/allreduce_sum.h) */
};

struct plan_stage {
	char name[64]; /* unique in the plan: "incast-8-leaf2-ect" */
	enum plan_layer layer;
	uint32_t variant; /* meaning per layer: QPs per pair, N of N:1, burst size step */
	uint32_t repeat;  /* which repetition of the same variant, from 0 */
	struct plan_flow *flows; /* owned */
	uint32_t flow_count, flow_room;
	struct plan_ring ring;
	uint64_t expected_ns; /* at the payload ceiling, if nothing is wrong */
	uint64_t deadline_ns; /* when the backend stops waiting; > expected_ns */
	uint64_t sample_ns;   /* period of the series; 0: none */
	uint64_t subject;     /* NIC or leaf index that the stage is about; per layer */
	char note[96];        /* for people: "8 hosts of other leaves to host3, victim host4" */
};

struct plan {
	char profile[16]; /* "quick", "full", "sweep" or "hand" */
	uint64_t seed;
	struct plan_stage *stages; /* owned */
	size_t count, room;
};

#define PLAN_INIT                                                                              \
	{                                                                                      \
		"", 0, NULL, 0, 0                                                              \
	}

/* Adds a zeroed stage; valid until the next add. */
struct plan_stage *plan_add(struct plan *plan, enum plan_layer layer);

/* Adds a zeroed flow to a stage; valid until the next. */
struct plan_flow *plan_stage_add(struct plan_stage *stage);

/* Leaves no stage but those of one layer, and makes it a plan of profile "hand": no whole
 * acceptance. */
void plan_keep(struct plan *plan, enum plan_layer layer);

void plan_free(struct plan *plan); /* safe twice */

/* Whether a plan of this profile is a whole acceptance, which owes coverage: not one
 * by hand, and not a sweep, which tries what its budgets let through. */
bool plan_is_whole(const char *profile);

const char *plan_layer_name(enum plan_layer layer); /* "plan", "pairs", ... */

#endif
