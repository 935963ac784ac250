/*
 * runner - runs a plan on a backend, layer by layer, into a run file.
 *
 * On the simulator the stages of a layer run in parallel threads; results are written by the
 * calling thread in the order of the plan, one commit a stage, so the same plan
 * and fabric give the same run file with any number of threads. A stage starts at
 * plan_start_ns() on the run's clock, whatever the stages before it took or
 * whether they ran at all. On any other backend they run one after the other, and the
 * run's clock is its own.
 *
 * After a layer its judge is asked, and what would only repeat a failure is left out:
 *
 *   failed            left out
 *   plan or pairs     nonblocking, ring: the same bandwidth is missing there
 *   nonblocking       ring
 *   lossless          burst
 *   most pairs never  lossless, burst too: nothing can be told apart from the
 *   complete          standstill
 *
 * Stages that are left out are in the run file as RUN_SKIPPED with the finding that failed. After an
 * interruption the rest is RUN_PARTIAL: unknown.
 */
#ifndef FABRIC_RUNNER_H
#define FABRIC_RUNNER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "lib/plan.h"
#include "lib/run.h"

struct diag;
struct sim_result;

/* Where a run stands, for the progress line. */
struct runner_at {
	enum plan_layer layer;
	const char *stage;        /* that has ended; borrowed from the plan */
	size_t ended, count;      /* stages */
	uint64_t done_ns, all_ns; /* of the time that the stages are expected to take */
};

/* Where stages are run. */
struct runner_backend {
	/* Writes what the places tell of themselves. */
	int (*facts)(void *arg, struct run *run, struct diag *diag);
	/* Stage number index of the plan: 0, also when flows did not finish; else why it could
	 * not be run, and *result is left alone. */
	int (*stage)(void *arg, size_t index, struct sim_result *result, struct diag *why);
	void *arg;
};

struct runner_options {
	const struct runner_backend *backend; /* NULL: the simulator */
	unsigned threads;                     /* 0: as many as there are processors */
	bool keep_going;                      /* leave nothing out */
	/* CLOCK_MONOTONIC; stages that have not begun by then are left out. 0: no limit */
	uint64_t until_ns;
	/* Captures (sim_tap.h): borrowed, NULL: none. Stages then run one at a time. */
	struct sim_tap *tap;
	/* Set by a signal handler to end the run early; set by the runner, too, when it
	 * has to give up. */
	volatile sig_atomic_t *stop;
	void (*progress)(void *arg, const struct runner_at *at); /* may be NULL */
	void *arg;
};

/*
 * Runs plan on fabric and writes into run what is observed: facts, plan, stages. Plans of
 * profile "hand" and "sweep" run whole, as far as until_ns lets them; a sweep's stages run
 * in the plan's order, whatever their layers. run_finish() has been called when this
 * returns 0, and *interrupted says whether stop ended it early. Returns 0 or the first error of writing
 * (run.h), of routing (-EHOSTUNREACH) or of starting threads; what was committed by then
 * stays in the file.
 */
int runner_run(struct run *run, const struct fabric *fabric, const struct plan *plan,
	const struct runner_options *options, bool *interrupted, struct diag *diag);

#endif
