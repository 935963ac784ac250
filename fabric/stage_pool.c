/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stage_pool.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/stages.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"

#define AHEAD 2u /* stages a thread may be ahead of the caller */

/* A stage's own seed: by its name and not its number, so that the same stage of a
 * longer or shorter plan sees the same. */
#define STREAM_STAGE UINT64_C(0x57a6e)

struct slot {
	bool done;
	int err;
	struct sim_result result;
	struct diag diag;
};

struct stage_pool {
	struct stage_pool_config config;
	pthread_mutex_t lock;  /* over all below */
	pthread_cond_t change; /* something below has changed */
	struct slot *slots;    /* [count] */
	size_t begun, handed;
	pthread_t *threads;
	unsigned started;
};

static uint64_t stage_seed(uint64_t seed, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return rng_derive(rng_derive(seed, STREAM_STAGE), hash);
}

static void run_one(struct stage_pool *pool, size_t index)
{
	const struct stage_pool_config *config = &pool->config;
	const struct plan_stage *stage = &config->plan->stages[config->first + index];
	struct slot *slot = &pool->slots[index];
	struct sim_config sim = {
		.fabric = config->fabric,
		.routing = config->routing,
		.seed = stage_seed(config->plan->seed, stage->name),
		.t0_ns = plan_start_ns(config->plan, config->first + index),
		.tap = config->tap,
		.stop = config->stop,
	};

	if (*config->stop)
		slot->err = -EINTR;
	else if (config->until_ns && clock_ns() >= config->until_ns)
		slot->err = diag_error(
			&slot->diag, -ETIME, "its turn had not come when the time was up");
	else
		slot->err = sim_run(&sim, stage, (uint32_t)(config->first + index),
			&slot->result, &slot->diag);
}

/* The next stage to begin, once the caller is near enough; false when all are begun. */
static bool next_to_begin(struct stage_pool *pool, size_t *index)
{
	while (pool->begun < pool->config.count &&
		pool->begun >= pool->handed + AHEAD * pool->config.threads &&
		!*pool->config.stop)
		pthread_cond_wait(&pool->change, &pool->lock);
	if (pool->begun == pool->config.count)
		return false;
	*index = pool->begun++;
	return true;
}

static void *work(void *arg)
{
	struct stage_pool *pool = arg;
	size_t index;

	pthread_mutex_lock(&pool->lock);
	while (next_to_begin(pool, &index)) {
		pthread_mutex_unlock(&pool->lock);
		run_one(pool, index);
		pthread_mutex_lock(&pool->lock);
		pool->slots[index].done = true;
		pthread_cond_broadcast(&pool->change);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Signals are for the thread that called: a worker that took one would leave a
 * blocking call of the caller uninterrupted. */
static int start_threads(struct stage_pool *pool)
{
	sigset_t all, before;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool->started < pool->config.threads) {
		err = pthread_create(&pool->threads[pool->started], NULL, work, pool);
		if (err)
			break;
		pool->started++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pool->started ? 0 : -err;
}

int stage_pool_new(
	struct stage_pool **made, const struct stage_pool_config *config, struct diag *diag)
{
	struct stage_pool *pool = zeroed(1, sizeof(*pool));
	int err;

	assert(config->threads > 0 && config->stop);
	pool->config = *config;
	pool->slots = zeroed(config->count, sizeof(*pool->slots));
	pool->threads = zeroed(config->threads, sizeof(*pool->threads));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->change, NULL);
	err = start_threads(pool);
	if (err) {
		stage_pool_free(pool);
		return diag_system(diag, err, "cannot start a thread");
	}
	*made = pool;
	return 0;
}

int stage_pool_next(struct stage_pool *pool, struct sim_result *result, struct diag *diag)
{
	struct slot *slot = &pool->slots[pool->handed];

	assert(pool->handed < pool->config.count);
	pthread_mutex_lock(&pool->lock);
	while (!slot->done)
		pthread_cond_wait(&pool->change, &pool->lock);
	pool->handed++;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
	if (slot->err) {
		*diag = slot->diag;
		return slot->err;
	}
	*result = slot->result;
	memset(&slot->result, 0, sizeof(slot->result));
	return 0;
}

void stage_pool_free(struct stage_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	if (pool->handed < pool->config.count)
		*pool->config.stop = 1;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_join(pool->threads[i], NULL);
	for (size_t i = pool->handed; i < pool->config.count; i++)
		if (pool->slots[i].done && !pool->slots[i].err)
			sim_result_free(&pool->slots[i].result);
	pthread_cond_destroy(&pool->change);
	pthread_mutex_destroy(&pool->lock);
	free(pool->slots);
	free(pool->threads);
	free(pool);
}
