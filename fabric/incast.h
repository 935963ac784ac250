/*
 * incast - who sends to whom when many send to one: targets on different leaves,
 * each with senders of its own on other leaves and, where its leaf has NICs to
 * spare, a victim pair that shares the leaf and not the bottleneck.
 */
#ifndef FABRIC_INCAST_H
#define FABRIC_INCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/stage_build.h"

struct incast_target {
	uint32_t nic;
	uint32_t victim_src, victim_dst; /* PORT_NONE: no victim */
};

struct incast {
	struct incast_target *targets; /* owned */
	uint32_t *senders; /* [target * per_target + k]; owned; no NIC takes part twice */
	uint32_t count;    /* targets */
	uint32_t per_target;
};

#define INCAST_INIT                                                                            \
	{                                                                                      \
		.targets = NULL                                                                \
	}

/* The most senders that one target can have: all NICs but those of the smallest leaf
 * in use; 0 with fewer than two leaves. */
uint32_t incast_senders_max(const struct stage_build *build);

struct incast_wish {
	uint32_t per_target; /* senders; > 0 */
	uint32_t targets;    /* at most */
	uint32_t first_leaf; /* number among the leaves in use of the first target's leaf */
	uint32_t nic;        /* the first target, on that leaf; PORT_NONE: drawn */
	bool victims;        /* leave room for them in leaves of three NICs or more */
};

/* Finds the most targets that can have so many senders each: on first_leaf and the
 * leaves that follow, so that sets of incast.count leaves each go round all. rng picks
 * the NICs. Returns whether there is room for one target at all. */
bool incast_init(struct incast *incast, const struct stage_build *build, struct rng *rng,
	const struct incast_wish *wish);
/* A stage of this incast, without flows and name. */
struct plan_stage *incast_begin(
	struct stage_build *build, const struct incast *incast, enum lossless_kind kind);

/* The victim pairs, busy for that long; there may be none. */
bool incast_has_victims(const struct incast *incast);
void incast_add_victims(const struct incast *incast, const struct stage_build *build,
	struct plan_stage *stage, bool not_ect, uint64_t ns);

void incast_free(struct incast *incast); /* safe on INCAST_INIT, safe twice */

#endif
