/*
 * stage_pool - runs stages of a plan in parallel threads and hands their results
 * over in the order of the plan, so that nothing depends on how many threads
 * there are or which ends first.
 *
 * At most two stages a thread are ahead of the one that the caller waits for, so
 * that results do not pile up.
 */
#ifndef FABRIC_STAGE_POOL_H
#define FABRIC_STAGE_POOL_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/routing.h"
#include "fabric/sim.h"
#include "lib/plan.h"

struct diag;
struct stage_pool;

struct stage_pool_config {
	const struct fabric *fabric; /* all borrowed until stage_pool_free() */
	const struct routing *routing;
	const struct plan *plan;
	size_t first, count;         /* stages of the plan */
	unsigned threads;            /* at least 1; 1 with a tap */
	struct sim_tap *tap;         /* NULL: captures nothing */
	volatile sig_atomic_t *stop; /* non-zero: begin no other stage, end those that run */
	uint64_t until_ns;           /* CLOCK_MONOTONIC: begin no other stage; 0: no limit */
};

/* Begins at once. Returns 0, or the negative errno of starting a thread. */
int stage_pool_new(
	struct stage_pool **pool, const struct stage_pool_config *config, struct diag *diag);

/*
 * Waits for the next stage in order; called at most count times. Returns 0 with
 * *result the caller's; -EINTR for a stage that was not begun, because of stop; -ETIME
 * with the sentence for one whose turn came after until_ns; another negative errno with
 * the sentence where the simulator failed.
 */
int stage_pool_next(struct stage_pool *pool, struct sim_result *result, struct diag *diag);

/* Waits for the threads; sets *stop first if stages are left. NULL is nothing. */
void stage_pool_free(struct stage_pool *pool);

#endif
