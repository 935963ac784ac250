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

/*
 * Finds the most targets, at most `targets`, that can have per_target senders each;
 * the first is on the first_leaf-th leaf in use and the others on those that
 * follow, so that sets of incast.count leaves each go round all. rng picks the
 * NICs. victims: leave room for them in leaves of three NICs or more. Returns whether there
 * is room for one target at all.
 */
bool incast_init(struct incast *incast, const struct stage_build *build, struct rng *rng,
	uint32_t per_target, uint32_t targets, uint32_t first_leaf, bool victims);
void incast_free(struct incast *incast); /* safe on INCAST_INIT, safe twice */

#endif
