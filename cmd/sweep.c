/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/conduct.h"
#include "cmd/opt.h"
#include "cmd/past.h"
#include "cmd/past_names.h"
#include "cmd/sweep_busy.h"
#include "cmd/sweep_folder.h"
#include "cmd/sweep_hook.h"
#include "cmd/sweep_tell.h"
#include "fabric/build.h"
#include "fabric/file.h"
#include "fabric/measure.h"
#include "fabric/stages.h"
#include "fabric/stages_sweep.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "reports/verdict.h"

#define RUNS 100u /* of the past that are looked at: what ran longest ago, and drift */
#define FOLDER_BYTES 128

struct sweep_args {
	struct conduct conduct;
	const char *history, *busy_if, *hook, *metrics;
	uint64_t time_ns, traffic_bytes, keep, hook_ns;
};

struct sweep {
	struct sweep_args args;
	char folder[4096], name[PAST_NAME], path[PAST_PATH], shown[PAST_PATH];
	uint64_t began_ns;
	struct past past;
	struct plan all; /* every stage, in its order: names and bytes */
	bool *busy;      /* [hosts] */
	uint32_t busy_count, unknown;
	char why[SWEEP_WHY]; /* of the first that is unknown */
	size_t no_room;
};

#define ARG(field) offsetof(struct sweep_args, field)

static const struct opt sweep_opts[] = {
	{ OPT_NS, "time TIME", ARG(time_ns), NS_PER_S, 86400 * NS_PER_S,
		"stages that have not begun by then wait for the next sweep" },
	{ OPT_BYTES, "traffic SIZE", ARG(traffic_bytes), 1, UINT64_MAX,
		"payload that is sent at most; no limit unless given" },
	{ OPT_TEXT, "history FOLDER", ARG(history), 0, 0,
		"where the runs are kept; NAME-history unless given" },
	{ OPT_COUNT, "keep N", ARG(keep), 1, 100000, "run files that stay; digests all do" },
	{ OPT_TEXT, "busy-if COMMAND", ARG(busy_if), 0, 0,
		"leave out hosts ($1) for which it exits with 0; weft-busy \"$1\" with "
		"--backend verbs" },
	{ OPT_TEXT, "hook COMMAND", ARG(hook), 0, 0, "run at the end with the JSON on stdin" },
	{ OPT_NS, "hook-time TIME", ARG(hook_ns), NS_PER_S, 86400 * NS_PER_S,
		"after which the hook is killed" },
	{ OPT_TEXT, "metrics FILE", ARG(metrics), 0, 0,
		"write metrics for a textfile collector" },
	CONDUCT_OPTS(struct sweep_args, conduct),
	{ OPT_FLAG, "json", ARG(conduct.json), 0, 0, "print JSON" },
	OUTPUT_OPTS(struct sweep_args, conduct.outputs),
	{ OPT_ARG, "FILE", ARG(conduct.fabric_path), 1, 1, "the fabric file" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

/* --- the hosts --- */

/* The fabric without the cables of busy hosts: what is planned on it leaves them alone,
 * and NICs keep their numbers. */
static int free_fabric(struct fabric *fabric, const struct sweep *sweep, struct diag *diag)
{
	const struct fabric *whole = &sweep->args.conduct.fabric;
	bool *absent;
	int err = fabric_parse(fabric, sweep->args.conduct.fabric_path, whole->text,
		whole->text_bytes, whole->plane, diag);

	if (err || !sweep->busy_count)
		return err;
	absent = zeroed(fabric->link_count, sizeof(*absent));
	for (uint32_t link = 0; link < fabric->link_count; link++) {
		uint32_t node = fabric->ports[fabric->links[link].a].node;

		absent[link] = node < fabric->hosts && sweep->busy[node];
	}
	fabric_unplug(fabric, absent);
	free(absent);
	return 0;
}

/* Two can send to one another. */
static int check_free(const struct sweep *sweep, struct diag *diag)
{
	uint32_t hosts = sweep->args.conduct.fabric.hosts;

	if (hosts - sweep->busy_count >= 2)
		return 0;
	if (!sweep->unknown)
		return diag_error(diag, -EBUSY,
			"%u of %u hosts are busy: nothing was sent; try again when two are "
			"free",
			sweep->busy_count, hosts);
	return diag_error(diag, -EBUSY,
		"of %u of %u hosts it is not known whether they are busy, and %u are: "
		"nothing was sent; %s",
		sweep->unknown, hosts, sweep->busy_count - sweep->unknown, sweep->why);
}

static int ask_hosts(struct sweep *sweep, struct diag *diag)
{
	const struct fabric *fabric = &sweep->args.conduct.fabric;
	bool verbs = sweep->args.conduct.verbs;
	const char *busy_if = sweep->args.busy_if;
	int err = verbs ? agents_bound(fabric, diag) : 0;

	sweep->busy = zeroed(fabric->hosts, sizeof(*sweep->busy));
	if (err)
		return err;
	if (!busy_if && verbs)
		busy_if = "weft-busy \"$1\"";
	if (busy_if)
		sweep->unknown = sweep_busy(sweep->busy, fabric, busy_if, sweep->why);
	for (uint32_t host = 0; host < fabric->hosts; host++)
		sweep->busy_count += sweep->busy[host];
	return check_free(sweep, diag);
}

/* --- the plan --- */

/* When a stage ran to its end last: the number of the run, from 1; 0: never. */
static uint64_t last_run(const struct past *past, const char *name)
{
	for (size_t i = past->count; i-- > 0;) {
		const struct digest *digest = past->runs[i].digest;

		for (size_t k = 0; k < digest->stage_count; k++)
			if (digest->stages[k].complete &&
				strcmp(digest->stages[k].name, name) == 0)
				return i + 1;
	}
	return 0;
}

static int make_plan(struct sweep *sweep, struct diag *diag)
{
	struct plan *plan = &sweep->args.conduct.plan;
	struct fabric fabric = FABRIC_INIT;
	uint64_t *last;
	int err = free_fabric(&fabric, sweep, diag);

	if (err)
		return err;
	conduct_plan(&sweep->args.conduct, &fabric);
	fabric_free(&fabric);
	last = zeroed(plan->count, sizeof(*last));
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_stage *stage = plan_add(&sweep->all, plan->stages[i].layer);

		memcpy(stage->name, plan->stages[i].name, sizeof(stage->name));
		last[i] = last_run(&sweep->past, stage->name);
	}
	sweep->no_room = plan_sweep(plan, last, sweep->args.traffic_bytes);
	free(last);
	if (!plan->count)
		return diag_error(diag, -EINVAL,
			"--traffic %llu: no stage of this fabric sends so little: expected "
			"more",
			(unsigned long long)sweep->args.traffic_bytes);
	return 0;
}

/* --- the run --- */

struct taking {
	struct sweep *sweep;
	struct digest digest;
	const struct fabric *fabric;
};

/* Hosts whose agents do not answer are left out, as others of which nothing is known. */
static int without(void *arg, const struct agents *agents, struct diag *diag)
{
	struct taking *taking = arg;
	struct sweep *sweep = taking->sweep;
	int err;

	for (uint32_t i = 0; i < agents->count; i++) {
		const struct agents_host *host = &agents->hosts[i];

		if (host->alive || sweep->busy[host->node])
			continue;
		if (!sweep->unknown++)
			snprintf(sweep->why, sizeof(sweep->why), "%s: %s", host->name,
				host->why);
		sweep->busy[host->node] = true;
		sweep->busy_count++;
	}
	plan_free(&sweep->args.conduct.plan);
	plan_free(&sweep->all);
	err = check_free(sweep, diag);
	return err ? err : make_plan(sweep, diag);
}

static int take(void *arg, struct run *run, const struct findings *findings, struct diag *diag)
{
	struct taking *taking = arg;
	int err = measure_run(&taking->digest, run, taking->fabric, diag);

	if (err)
		return err;
	for (size_t i = 0; i < findings->count; i++)
		*findings_add(&taking->digest.findings, "", "", VERDICT_PASS) =
			findings->items[i];
	taking->digest.verdict = report_verdict(run, findings);
	return 0;
}

/* Tonight's run and its digest are in the folder after this, whatever they say. */
static int run_stages(struct sweep *sweep, struct diag *diag)
{
	struct conduct *conduct = &sweep->args.conduct;
	struct taking taking = {
		.sweep = sweep,
		.digest = DIGEST_INIT,
		.fabric = &conduct->fabric,
	};
	int err;

	conduct->run_path = sweep->path;
	conduct->run_shown = sweep->shown;
	conduct->until_ns = sweep->began_ns + sweep->args.time_ns;
	conduct->take = take;
	conduct->without = without;
	conduct->arg = &taking;
	conduct_run(conduct);
	if (taking.digest.program[0]) {
		err = sweep_settle(sweep->folder, sweep->name, diag);
		if (!err)
			err = past_keep(sweep->folder, sweep->name, &taking.digest, diag);
	} else {
		/* it ended early, and said why */
		err = sweep_recover(sweep->folder, diag);
	}
	digest_free(&taking.digest);
	return err;
}

/* --- what came of it --- */

static uint64_t bytes_sent(const struct sweep *sweep, const struct digest *digest)
{
	const struct plan *plan = &sweep->args.conduct.plan;
	uint64_t bytes = 0;

	for (size_t i = 0; i < plan->count && i < digest->stage_count; i++)
		if (digest->stages[i].complete)
			bytes += plan_stage_bytes(&plan->stages[i]);
	return bytes;
}

static void count_stages(struct night *night, const struct sweep *sweep)
{
	for (size_t i = 0; i < night->digest->stage_count; i++)
		night->run += night->digest->stages[i].complete;
	night->late = sweep->args.conduct.plan.count - night->run;
	for (size_t i = 0; i < sweep->all.count; i++)
		night->never += last_run(&sweep->past, sweep->all.stages[i].name) == 0;
}

static int draw_metrics(FILE *out, const void *night, struct diag *diag)
{
	(void)diag;
	night_metrics(out, night);
	return 0;
}

static int tell(struct sweep *sweep, struct diag *diag)
{
	struct history history;
	struct night night = {
		.folder = sweep->folder,
		.name = sweep->name,
		.history = &history,
		.stages = sweep->all.count,
		.no_room = sweep->no_room,
		.hosts = sweep->args.conduct.fabric.hosts,
		.busy = sweep->busy_count,
		.unknown = sweep->unknown,
		.why = sweep->why,
		.damaged = sweep->past.damaged,
		.damaged_why = sweep->past.why,
	};
	const struct past *past = &sweep->past;
	int status;

	if (!past->count || strcmp(past->runs[past->count - 1].name, sweep->name) != 0) {
		diag_error(diag, -ENODATA, "%s/%s: nothing was recorded tonight", sweep->folder,
			sweep->name);
		return conduct_refuse(&sweep->args.conduct, diag);
	}
	history_make(&history, past->runs, past->count, past->baseline);
	history.behind = past->behind;
	night.digest = past->runs[past->count - 1].digest;
	night.bytes = bytes_sent(sweep, night.digest);
	night.took_ns = clock_ns() - sweep->began_ns;
	count_stages(&night, sweep);
	status = night_status(&night);
	if (outputs_take_stdout(&sweep->args.conduct.outputs) ||
		(sweep->args.metrics && strcmp(sweep->args.metrics, "-") == 0))
		night_line(stderr, &night);
	else if (sweep->args.conduct.json)
		night_json(stdout, &night);
	else
		night_line(stdout, &night);
	if (sweep->args.metrics &&
		outputs_put(sweep->args.metrics, draw_metrics, &night, diag)) {
		conduct_refuse(&sweep->args.conduct, diag);
		sweep->args.conduct.unwritten = true;
	}
	if (sweep->args.conduct.unwritten)
		status = exit_untold(status);
	if (sweep->args.hook)
		sweep_hook(&night, sweep->args.hook, sweep->args.hook_ns);
	history_free(&history);
	return status;
}

/* --- all of it --- */

static void name_folder(struct sweep *sweep)
{
	const struct fabric *fabric = &sweep->args.conduct.fabric;
	bool is_first = strcmp(fabric->plane, FABRIC_PLANE) == 0;
	char safe[FOLDER_BYTES];

	if (sweep->args.history) {
		snprintf(sweep->folder, sizeof(sweep->folder), "%s", sweep->args.history);
		for (size_t end = strlen(sweep->folder);
			end > 1 && sweep->folder[end - 1] == '/'; end--)
			sweep->folder[end - 1] = '\0';
		return;
	}
	snprintf(safe, sizeof(safe), "%s%s%s-history", fabric->name, is_first ? "" : "-",
		is_first ? "" : fabric->plane);
	for (char *c = safe; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '-';
	snprintf(sweep->folder, sizeof(sweep->folder), "%s", safe);
}

/* The runs of before, which are of what is swept tonight. */
static int load(struct sweep *sweep, struct diag *diag)
{
	const struct conduct *conduct = &sweep->args.conduct;
	struct digest tonight = DIGEST_INIT;
	int err = past_load_whole(&sweep->past, sweep->folder, RUNS, diag);

	if (err)
		return err;
	snprintf(tonight.fabric, sizeof(tonight.fabric), "%s", conduct->fabric.name);
	snprintf(tonight.plane, sizeof(tonight.plane), "%s", conduct->fabric.plane);
	snprintf(tonight.backend, sizeof(tonight.backend), "%s",
		conduct->verbs ? "verbs" : "sim");
	return past_expect(&sweep->past, sweep->folder, &tonight, diag);
}

static int prepare(struct sweep *sweep, struct diag *diag)
{
	int err = sweep_lock(sweep->folder, diag);

	/* What the folder is of is known before anything in it is changed. */
	if (!err)
		err = load(sweep, diag);
	if (!err)
		err = sweep_recover(sweep->folder, diag);
	past_free(&sweep->past);
	if (!err)
		err = load(sweep, diag);
	if (!err)
		err = ask_hosts(sweep, diag);
	if (!err)
		err = make_plan(sweep, diag);
	if (!err)
		err = sweep_name(sweep->name, sizeof(sweep->name), sweep->folder, diag);
	past_path(sweep->path, sweep->folder, sweep->name, ".part");
	past_path(sweep->shown, sweep->folder, sweep->name, ".run");
	return err;
}

static int check_files(const struct sweep *sweep, struct diag *diag)
{
	const struct conduct *conduct = &sweep->args.conduct;
	const struct outputs_file files[] = {
		{ "the fabric", conduct->fabric_path, true },
		{ "--json", conduct->json ? "-" : NULL, false },
		{ "--metrics", sweep->args.metrics, false },
	};

	int err = outputs_check(&conduct->outputs, files, COUNT_OF(files), diag);

	return err ? err
		   : outputs_check_folder(&conduct->outputs, files, COUNT_OF(files),
			     sweep->folder, past_is_own, diag);
}

static int sweep_all(struct sweep *sweep)
{
	struct diag diag;
	int err;

	name_folder(sweep);
	err = check_files(sweep, &diag);
	if (!err)
		err = prepare(sweep, &diag);
	if (!err)
		err = run_stages(sweep, &diag);
	if (!err)
		err = past_prune(sweep->folder, sweep->args.keep, &diag);
	past_free(&sweep->past);
	if (!err)
		err = past_load_whole(&sweep->past, sweep->folder, RUNS, &diag);
	return err ? conduct_refuse(&sweep->args.conduct, &diag) : tell(sweep, &diag);
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep sweep = {
		.args = {
			.conduct = {
				.command = "sweep",
				.seed = 1,
				.keep_going = true,
				.fabric = FABRIC_INIT,
				.plan = PLAN_INIT,
				.profile = PROFILE_FULL,
			},
			.time_ns = 600 * NS_PER_S,
			.keep = 30,
			.hook_ns = 60 * NS_PER_S,
		},
		.began_ns = clock_ns(),
		.past = PAST_INIT,
		.all = PLAN_INIT,
	};
	int status;

	if (!opt_read("sweep",
		    "Tests what was not tested for longest, within budgets of time and "
		    "traffic, "
		    "and says what got worse.",
		    sweep_opts, argc, argv, &sweep.args, &status))
		return status;
	status = conduct_load(&sweep.args.conduct);
	if (status == EXIT_PASS)
		status = sweep_all(&sweep);
	free(sweep.busy);
	plan_free(&sweep.all);
	past_free(&sweep.past);
	conduct_free(&sweep.args.conduct);
	return status;
}
