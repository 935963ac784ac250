/*
 * stages - what an acceptance run tries, as pure functions of the fabric: the
 * same fabric, profile and seed give the same plan to the byte.
 *
 * Stages stand in the order of their layers. What the numbers of a stage mean,
 * for those that judge them:
 *
 * layer        variant            repeat       subject
 * pairs        enum pairs_span    round        0
 * nonblocking  QPs per pair       permutation  0
 * lossless     senders per target set or draw  enum lossless_kind
 * burst        size step, from 0  0            gap step, from 0
 * ring         ranks              0            rail, from 0
 *
 * pairs: inside a leaf a round-robin tournament, both ways: in each round every
 *   NIC with a partner sends once and receives once, all at the same time. Across
 *   leaves a round has slots one after the other (start_ns); in a slot every leaf
 *   has one sender and one receiver, so that no two flows can meet on an uplink
 *   as fast as a NIC, whatever the hash: what is missing is not ECMP's doing. Slots leave
 *   time for the slowest link between switches.
 * nonblocking: every NIC sends once and receives once, on another leaf, all at the
 *   same time, Not-ECT: what is missing is the links' or the hash's doing, not
 *   that of congestion control looking for its share; the busiest link, by the ways of
 *   the QPs, is then kept busy 0.9 of the time or more. The permutation depends on repeat alone, so that repeat k at 1, 4,
 *   16 and 32 QPs differs in nothing but the QPs.
 * lossless: targets are NICs on different leaves, each with its own senders; a
 *   flow belongs to the target that is its dst. A victim (FLOW_VICTIM) runs between
 *   two NICs of the target's leaf that take no other part; there is none where a
 *   leaf has too few NICs. In LOSSLESS_ALONE stages these same victims run by
 *   themselves: the victims of stage "incast-8-ect-1" and of "alone-8-1" (equal
 *   variant and repeat) are the same NICs. Over the sets of the smallest N every
 *   leaf is a target. In the local stage (LOSSLESS_LOCAL_*) every NIC of a leaf of
 *   three or more is a target in its turn (start_ns), senders on the same leaf.
 *   LOSSLESS_MIXED: whole leaves send Not-ECT to targets on others, one target a leaf,
 *   until the pause fills the switches back to the sending NICs, and one thin ECT flow
 *   a leaf passes through the queues all the time: every fabric port must pause, obey and
 *   mark. All leaves send, then those of even, then those of odd number; drawn anew
 *   for each repeat. LOSSLESS_LEAF_WIDE (ECT): all NICs of the other leaves to all NICs of
 *   some leaves, at 2:1 or more where there are three leaves or more.
 *   Which ECN a flow has is in the flow (not_ect).
 * burst: all senders of a target burst at the same instant, burst_bytes every
 *   burst_period_ns, ECT. Size steps grow from below ECN's kmin to beyond what the
 *   target's switch can hold; gap step 0 is the long gap.
 * ring: NICs of one rail in order of leaf, then of host. On fabrics too large for
 *   the profile, every k-th NIC of each leaf; note says how many of how many.
 * class has no stages of its own.
 */
#ifndef FABRIC_STAGES_H
#define FABRIC_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "lib/plan.h"

struct diag;

enum profile {
	PROFILE_QUICK, /* under a minute of work for the simulator at 32 hosts */
	PROFILE_FULL,
};

enum pairs_span {
	PAIRS_LOCAL, /* inside a leaf */
	PAIRS_CROSS, /* across leaves */
};

enum lossless_kind {
	LOSSLESS_ALONE,         /* victims without incast */
	LOSSLESS_NOT_ECT,       /* DCQCN silent: PFC must act; no CE, no CNP */
	LOSSLESS_ECT,           /* CE and CNP must act; few or no PFC */
	LOSSLESS_LOCAL_NOT_ECT, /* senders and targets on one leaf */
	LOSSLESS_LOCAL_ECT,
	LOSSLESS_MIXED,
	LOSSLESS_LEAF_WIDE,
};

/* Adds to plan all stages of an acceptance. Layers that the fabric has no room
 * for (cross-leaf stages with one leaf) are left out. plan is PLAN_INIT before. */
void plan_acceptance(
	struct plan *plan, const struct fabric *fabric, enum profile profile, uint64_t seed);

/* The same for real NICs: stages of a second (full: of five) that hosts alone can measure.
 * Nothing here is made to provoke what only switches could tell of: there is one kind of
 * incast (Not-ECT where the policy has PFC or no ECN, ECT where it has), bursts are sized by
 * time, and there are no pause spreads. */
void plan_live(
	struct plan *plan, const struct fabric *fabric, enum profile profile, uint64_t seed);

const char *profile_name(enum profile profile); /* "quick", "full" */

/* When stage number `stage` starts on the run's clock: the sum of the deadlines of
 * the stages before, whatever they really took, so that faults with from and to
 * fall on the same stages on every machine. */
uint64_t plan_start_ns(const struct plan *plan, size_t stage);

/* --- single stages by hand; plans of profile "hand" --- */

/* All are read by the functions below; 0 stands for the default in brackets. */
struct hand_stage {
	uint32_t qps; /* per flow or ring edge, at most 256 [4; burst and ring 1] */
	uint64_t
		bytes; /* payload of a sender [64 MiB]; ring: reduced per rank [1 MiB a rank] */
	bool not_ect;
	uint32_t src, dst;        /* NICs; PORT_NONE: drawn by the seed */
	uint32_t senders;         /* incast, burst: N of N:1 [8, or as many as there are] */
	uint64_t burst_bytes;     /* burst: of one sender [64 KiB] */
	uint64_t burst_period_ns; /* burst: from start to start [twice what the target needs] */
	uint32_t bursts;          /* burst [20] */
	uint32_t ranks;           /* ring: the first so many NICs in ring order [all] */
	uint32_t rail;            /* ring: from 1 [1] */
	uint32_t iterations;      /* ring [5] */
	uint64_t seed;
};

#define HAND_BYTES_MAX (UINT64_C(1) << 40)

/*
 * Each adds one stage named after its command, of the layer that it belongs to; incast
 * one more before it, its victim alone, where there is a victim. Returns 0, or
 * -EINVAL with what was given and what would do, and then adds nothing. plan is PLAN_INIT
 * before.
 */
int plan_bw(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag);
int plan_incast(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag);
int plan_burst(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag);
int plan_ring(struct plan *plan, const struct fabric *fabric, const struct hand_stage *hand,
	struct diag *diag);

#endif
