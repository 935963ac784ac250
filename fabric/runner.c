/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/judge.h"
#include "fabric/routing.h"
#include "fabric/sim.h"
#include "fabric/stage_pool.h"
#include "fabric/stages.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "lib/grow.h"

#define THREADS_MAX 64
#define WHY_BYTES (48 + FINDING_NAME + 8) /* a check, a culprit */

struct runner {
	struct run *run; /* all borrowed */
	const struct fabric *fabric;
	const struct plan *plan;
	const struct runner_options *options;
	struct routing routing;
	struct diag *diag;
	unsigned failed;                  /* layers, as JUDGE_LAYER() */
	char why[LAYER_COUNT][WHY_BYTES]; /* of those, the finding that weighs most */
	uint64_t pairs, complete;         /* flows of the pairs layer, and those that ended */
	struct runner_at at;
};

static unsigned threads_for(const struct runner_options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (options->tap)
		return 1;
	if (options->threads)
		return options->threads < THREADS_MAX ? options->threads : THREADS_MAX;
	if (processors < 1)
		return 1;
	return processors < THREADS_MAX ? (unsigned)processors : THREADS_MAX;
}

/* --- writing --- */

static struct run_stage stage_row(const struct plan *plan, size_t index)
{
	const struct plan_stage *stage = &plan->stages[index];
	struct run_stage row = {
		.id = (uint32_t)index,
		.layer = stage->layer,
		.variant = stage->variant,
		.repeat = stage->repeat,
		.subject = stage->subject,
		.t0_ns = plan_start_ns(plan, index),
		.t1_ns = plan_start_ns(plan, index),
		.expected_ns = stage->expected_ns,
		.deadline_ns = stage->deadline_ns,
	};

	snprintf(row.name, sizeof(row.name), "%s", stage->name);
	snprintf(row.note, sizeof(row.note), "%s", stage->note);
	return row;
}

static int put_without(
	struct runner *runner, size_t index, enum run_status status, const char *reason)
{
	struct run_stage row = stage_row(runner->plan, index);

	row.status = status;
	snprintf(row.reason, sizeof(row.reason), "%.255s", reason);
	return run_put_stage(runner->run, &row, runner->diag);
}

static int put_result(struct runner *runner, size_t index, const struct sim_result *result)
{
	struct run_stage row = stage_row(runner->plan, index);
	struct run *run = runner->run;
	struct diag *diag = runner->diag;
	int err;

	row.t0_ns = result->stage.t0_ns;
	row.t1_ns = result->stage.t1_ns;
	if (result->stage.deadline_ns) /* sums of a ring put it off */
		row.deadline_ns = result->stage.deadline_ns;
	row.status = result->stage.status;
	memcpy(row.reason, result->stage.reason, sizeof(row.reason));
	err = run_put_stage(run, &row, diag);
	if (!err)
		err = run_put_flows(run, result->flows, result->flow_count, diag);
	if (!err)
		err = run_put_paths(run, result->paths, result->path_count, diag);
	if (!err)
		err = run_put_counters(run, result->counters, result->counter_count, diag);
	if (!err)
		err = run_put_steps(run, result->steps, result->step_count, diag);
	if (!err)
		err = run_put_samples(run, result->samples, result->sample_count, diag);
	return err;
}

static void count_pairs(struct runner *runner, const struct sim_result *result)
{
	for (size_t i = 0; i < result->flow_count; i++) {
		runner->pairs++;
		runner->complete += result->flows[i].complete;
	}
}

static void tell(struct runner *runner, size_t index)
{
	runner->at.layer = runner->plan->stages[index].layer;
	runner->at.stage = runner->plan->stages[index].name;
	runner->at.ended = index + 1;
	runner->at.done_ns += runner->plan->stages[index].expected_ns;
	if (runner->options->progress)
		runner->options->progress(runner->options->arg, &runner->at);
}

/* --- a layer --- */

/* err: what running it has returned. */
static int take_result(struct runner *runner, size_t index, int err, struct sim_result *result,
	const struct diag *why)
{
	if (err == -ETIME) {
		err = put_without(runner, index, RUN_SKIPPED, why->text);
	} else if (err == -EINTR) {
		err = put_without(runner, index, RUN_PARTIAL, "interrupted before it began");
	} else if (err) {
		err = put_without(runner, index, RUN_FAILED, why->text);
	} else {
		if (runner->plan->stages[index].layer == LAYER_PAIRS)
			count_pairs(runner, result);
		err = put_result(runner, index, result);
		sim_result_free(result);
	}
	return err ? err : run_commit(runner->run, runner->diag);
}

static int run_on_backend(struct runner *runner, size_t first, size_t count)
{
	const struct runner_backend *backend = runner->options->backend;
	uint64_t until_ns = runner->options->until_ns;
	int err = 0;

	for (size_t i = first; i < first + count && !err; i++) {
		struct sim_result result;
		struct diag why;
		int ran;

		if (*runner->options->stop)
			ran = -EINTR;
		else if (until_ns && clock_ns() >= until_ns)
			ran = diag_error(
				&why, -ETIME, "its turn had not come when the time was up");
		else
			ran = backend->stage(backend->arg, i, &result, &why);

		err = take_result(runner, i, ran, &result, &why);
		if (!err)
			tell(runner, i);
	}
	return err;
}

static int run_on_simulator(struct runner *runner, size_t first, size_t count)
{
	struct stage_pool_config config = {
		.fabric = runner->fabric,
		.routing = &runner->routing,
		.plan = runner->plan,
		.first = first,
		.count = count,
		.threads = threads_for(runner->options),
		.tap = runner->options->tap,
		.stop = runner->options->stop,
		.until_ns = runner->options->until_ns,
	};
	struct stage_pool *pool;
	int err = stage_pool_new(&pool, &config, runner->diag);

	if (err)
		return err;
	for (size_t i = first; i < first + count && !err; i++) {
		struct sim_result result;
		struct diag why;
		int ran = stage_pool_next(pool, &result, &why);

		err = take_result(runner, i, ran, &result, &why);
		if (!err)
			tell(runner, i);
	}
	stage_pool_free(pool);
	return err;
}

static int run_stages(struct runner *runner, size_t first, size_t count)
{
	return runner->options->backend ? run_on_backend(runner, first, count)
					: run_on_simulator(runner, first, count);
}

static int skip_stages(struct runner *runner, size_t first, size_t count, const char *reason)
{
	int err = 0;

	for (size_t i = first; i < first + count && !err; i++) {
		err = put_without(runner, i, RUN_SKIPPED, reason);
		if (!err)
			tell(runner, i);
	}
	return err ? err : run_commit(runner->run, runner->diag);
}

/* Which failed layer makes this one a repetition; LAYER_COUNT: none. */
static enum plan_layer repeated(unsigned failed, enum plan_layer layer)
{
	unsigned repeats = 0;

	if (layer == LAYER_NONBLOCKING)
		repeats = JUDGE_LAYER(LAYER_PLAN) | JUDGE_LAYER(LAYER_PAIRS);
	if (layer == LAYER_RING)
		repeats = JUDGE_LAYER(LAYER_PLAN) | JUDGE_LAYER(LAYER_PAIRS) |
			  JUDGE_LAYER(LAYER_NONBLOCKING);
	if (layer == LAYER_BURST)
		repeats = JUDGE_LAYER(LAYER_LOSSLESS);
	for (unsigned below = 0; below < (unsigned)layer; below++)
		if (failed & repeats & JUDGE_LAYER(below))
			return (enum plan_layer)below;
	return LAYER_COUNT;
}

/* Whether the layer is left out, and why. */
static bool left_out(
	const struct runner *runner, enum plan_layer layer, char *reason, size_t bytes)
{
	enum plan_layer below = repeated(runner->failed, layer);

	if (runner->options->keep_going || !plan_is_whole(runner->plan->profile))
		return false;
	if (layer > LAYER_PAIRS && runner->pairs > 2 * runner->complete) {
		snprintf(reason, bytes, "most pairs did not complete (--keep-going runs it)");
		return true;
	}
	if (below == LAYER_COUNT)
		return false;
	snprintf(reason, bytes,
		"%s failed, which this would only repeat (--keep-going runs it)",
		runner->why[below]);
	return true;
}

/* The finding, and not the layer: a slow link fails in every layer that sends over it. */
static void note_failure(
	struct runner *runner, enum plan_layer layer, const struct findings *findings)
{
	const struct finding *first = findings->items;

	while (first->verdict != VERDICT_FAIL)
		first++;
	runner->failed |= JUDGE_LAYER(layer);
	snprintf(runner->why[layer], sizeof(runner->why[layer]), "%s%s%s", first->check,
		first->culprit[0] ? " at " : "", first->culprit);
}

static int judge_layer(struct runner *runner, enum plan_layer layer)
{
	struct findings findings = FINDINGS_INIT;
	int err = judge_run(
		runner->run, runner->fabric, JUDGE_LAYER(layer), &findings, runner->diag);

	if (!err && findings_verdict(&findings) == VERDICT_FAIL)
		note_failure(runner, layer, &findings);
	findings_free(&findings);
	return err;
}

static int run_layer(struct runner *runner, enum plan_layer layer, size_t first, size_t count)
{
	char reason[256];
	int err = 0;

	if (count && left_out(runner, layer, reason, sizeof(reason)))
		return skip_stages(runner, first, count, reason);
	if (count)
		err = run_stages(runner, first, count);
	if (err || *runner->options->stop || layer > LAYER_LOSSLESS ||
		runner->options->keep_going)
		return err;
	return judge_layer(runner, layer);
}

static int run_layers(struct runner *runner)
{
	size_t first = 0;
	int err = 0;

	if (strcmp(runner->plan->profile, "sweep") == 0)
		return run_stages(runner, 0, runner->plan->count);
	for (unsigned layer = 0; layer < LAYER_COUNT && !err; layer++) {
		size_t end = first;

		while (end < runner->plan->count &&
			runner->plan->stages[end].layer == (enum plan_layer)layer)
			end++;
		err = run_layer(runner, (enum plan_layer)layer, first, end - first);
		first = end;
	}
	return err;
}

/* --- the run --- */

static int put_plan(struct runner *runner)
{
	const struct fabric *fabric = runner->fabric;
	char *names = zeroed(fabric->nic_count, 2 * NAME_BYTES);
	const char **list = zeroed(fabric->nic_count, sizeof(*list));
	int err;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		list[nic] = names + (size_t)nic * 2 * NAME_BYTES;
		fabric_nic_name(fabric, nic, names + (size_t)nic * 2 * NAME_BYTES);
	}
	err = run_put_plan(runner->run, runner->plan, list, runner->diag);
	free(names);
	free(list);
	return err;
}

int runner_run(struct run *run, const struct fabric *fabric, const struct plan *plan,
	const struct runner_options *options, bool *interrupted, struct diag *diag)
{
	struct runner runner = {
		.run = run,
		.fabric = fabric,
		.plan = plan,
		.options = options,
		.routing = ROUTING_INIT,
		.diag = diag,
		.at = { .count = plan->count },
	};
	int err;

	for (size_t i = 0; i < plan->count; i++)
		runner.at.all_ns += plan->stages[i].expected_ns;
	err = routing_init(&runner.routing, fabric, plan->seed, diag);
	if (!err)
		err = put_plan(&runner);
	if (!err && options->backend)
		err = options->backend->facts(options->backend->arg, run, diag);
	else if (!err)
		err = sim_put_facts(fabric, run, diag);
	if (!err)
		err = run_commit(run, diag);
	if (!err)
		err = run_layers(&runner);
	routing_free(&runner.routing);
	if (err)
		return err;
	*interrupted = *options->stop != 0;
	return run_finish(run, *interrupted, diag);
}
