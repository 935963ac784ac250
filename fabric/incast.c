/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/incast.h"

#include <stdlib.h>

#include "lib/grow.h"

#define VICTIM_QPS 2u

/* NICs that are still free, per leaf in use, in the order in which they are taken. */
struct pool {
	const struct leafnics *by_leaf; /* borrowed */
	uint32_t *leaves;               /* those in use */
	uint32_t *nics;                 /* as by_leaf->nics, shuffled inside each leaf */
	uint32_t *taken;                /* per leaf */
	uint32_t count;                 /* of leaves */
};

static void pool_init(struct pool *pool, const struct leafnics *by_leaf, struct rng *rng)
{
	*pool = (struct pool){
		.by_leaf = by_leaf,
		.leaves = zeroed(by_leaf->leaves, sizeof(uint32_t)),
		.nics = zeroed(by_leaf->count, sizeof(uint32_t)),
		.taken = zeroed(by_leaf->leaves, sizeof(uint32_t)),
	};
	for (uint32_t leaf = 0; leaf < by_leaf->leaves; leaf++) {
		uint32_t size = leafnics_size(by_leaf, leaf);
		uint32_t *nics = pool->nics + by_leaf->first[leaf];

		if (size)
			pool->leaves[pool->count++] = leaf;
		rng_permutation(rng, nics, size);
		for (uint32_t i = 0; i < size; i++)
			nics[i] = by_leaf->nics[by_leaf->first[leaf] + nics[i]];
	}
}

/* Makes nic the first that its leaf gives. */
static void pool_prefer(struct pool *pool, uint32_t nic)
{
	uint32_t *first = pool->nics + pool->by_leaf->first[pool->by_leaf->leaf[nic]];
	uint32_t *at = first;

	while (*at != nic)
		at++;
	*at = *first;
	*first = nic;
}

static void pool_reset(struct pool *pool)
{
	for (uint32_t leaf = 0; leaf < pool->by_leaf->leaves; leaf++)
		pool->taken[leaf] = 0;
}

static void pool_free(struct pool *pool)
{
	free(pool->leaves);
	free(pool->nics);
	free(pool->taken);
}

/* PORT_NONE when the leaf has none left. */
static uint32_t take(struct pool *pool, uint32_t leaf)
{
	if (pool->taken[leaf] == leafnics_size(pool->by_leaf, leaf))
		return PORT_NONE;
	return pool->nics[pool->by_leaf->first[leaf] + pool->taken[leaf]++];
}

static void take_target(
	struct pool *pool, struct incast_target *target, uint32_t leaf, bool victims)
{
	target->nic = take(pool, leaf);
	target->victim_src = target->victim_dst = PORT_NONE;
	if (!victims || leafnics_size(pool->by_leaf, leaf) < 3)
		return;
	target->victim_src = take(pool, leaf);
	target->victim_dst = take(pool, leaf);
}

/* The k-th sender of a target on leaf number `home` of the pool: from the leaves that
 * follow in turn, the next that has one. */
static uint32_t take_sender(struct pool *pool, uint32_t home, uint32_t k)
{
	for (uint32_t tries = 0; tries < pool->count - 1; tries++) {
		uint32_t further = 1 + (k + tries) % (pool->count - 1);
		uint32_t nic = take(pool, pool->leaves[(home + further) % pool->count]);

		if (nic != PORT_NONE)
			return nic;
	}
	return PORT_NONE;
}

static bool assign(struct incast *incast, struct pool *pool, const struct incast_wish *wish)
{
	pool_reset(pool);
	for (uint32_t t = 0; t < incast->count; t++)
		take_target(pool, &incast->targets[t],
			pool->leaves[(wish->first_leaf + t) % pool->count], wish->victims);
	for (uint32_t k = 0; k < incast->per_target; k++) {
		for (uint32_t t = 0; t < incast->count; t++) {
			uint32_t home = (wish->first_leaf + t) % pool->count;
			uint32_t nic = take_sender(pool, home, k);

			if (nic == PORT_NONE)
				return false;
			incast->senders[t * incast->per_target + k] = nic;
		}
	}
	return true;
}

uint32_t incast_senders_max(const struct stage_build *build)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t smallest = UINT32_MAX;

	if (by_leaf->used < 2)
		return 0;
	for (uint32_t leaf = 0; leaf < by_leaf->leaves; leaf++) {
		uint32_t size = leafnics_size(by_leaf, leaf);

		if (size && size < smallest)
			smallest = size;
	}
	return by_leaf->count - smallest;
}

bool incast_init(struct incast *incast, const struct stage_build *build, struct rng *rng,
	const struct incast_wish *wish)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t most = by_leaf->count / (wish->per_target + 1);
	bool found = false;
	struct pool pool;

	*incast = (struct incast)INCAST_INIT;
	if (by_leaf->used < 2 || most == 0)
		return false;
	if (most > by_leaf->used)
		most = by_leaf->used;
	incast->count = wish->targets < most ? wish->targets : most;
	incast->per_target = wish->per_target;
	incast->targets = zeroed(incast->count, sizeof(*incast->targets));
	incast->senders =
		zeroed((size_t)incast->count * wish->per_target, sizeof(*incast->senders));
	pool_init(&pool, by_leaf, rng);
	if (wish->nic != PORT_NONE)
		pool_prefer(&pool, wish->nic);
	while (incast->count > 0) {
		found = assign(incast, &pool, wish);
		if (found)
			break;
		incast->count--;
	}
	pool_free(&pool);
	if (!found)
		incast_free(incast);
	return found;
}

struct plan_stage *incast_begin(
	struct stage_build *build, const struct incast *incast, enum lossless_kind kind)
{
	struct plan_stage *stage = stage_begin(build, LAYER_LOSSLESS);

	stage->variant = incast->per_target;
	stage->subject = kind;
	return stage;
}

bool incast_has_victims(const struct incast *incast)
{
	for (uint32_t t = 0; t < incast->count; t++)
		if (incast->targets[t].victim_src != PORT_NONE)
			return true;
	return false;
}

void incast_add_victims(const struct incast *incast, const struct stage_build *build,
	struct plan_stage *stage, bool not_ect, uint64_t ns)
{
	for (uint32_t t = 0; t < incast->count; t++) {
		const struct incast_target *target = &incast->targets[t];
		struct plan_flow *flow;

		if (target->victim_src == PORT_NONE)
			continue;
		flow = stage_flow(stage, target->victim_src, target->victim_dst, VICTIM_QPS,
			stage_bytes(build, target->victim_src, ns));
		flow->role = FLOW_VICTIM;
		flow->not_ect = not_ect;
	}
}

void incast_free(struct incast *incast)
{
	free(incast->targets);
	free(incast->senders);
	*incast = (struct incast)INCAST_INIT;
}
