/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/conduct.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "fabric/file.h"
#include "fabric/judge.h"
#include "fabric/live.h"
#include "fabric/runner.h"
#include "fabric/sim_tap.h"
#include "fabric/stages.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "lib/units.h"
#include "reports/json.h"
#include "reports/progress.h"
#include "reports/verdict.h"

#define RUN_PATH_BYTES 128

static volatile sig_atomic_t stop;

/* Who asks twice does not want to wait. A terminal that closes asks twice by itself. */
static void on_signal(int number)
{
	if (stop && number != SIGHUP)
		_exit(EXIT_UNKNOWN);
	stop = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A terminal or an ssh that is gone; under nohup it is ignored, and stays so. */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

int conduct_refuse(const struct conduct *conduct, const struct diag *diag)
{
	fprintf(stderr, "weft %s: %s\n", conduct->command, diag->text);
	return EXIT_UNKNOWN;
}

int conduct_load(struct conduct *conduct)
{
	struct diag diag;

	conduct->verbs = conduct->backend == 1;
	conduct->agents.launcher = (enum agents_launcher)conduct->launcher;
	if (fabric_load(&conduct->fabric, conduct->fabric_path, conduct->plane, &diag))
		return conduct_refuse(conduct, &diag);
	return EXIT_PASS;
}

void conduct_plan(struct conduct *conduct, const struct fabric *fabric)
{
	(conduct->verbs ? plan_live : plan_acceptance)(
		&conduct->plan, fabric, (enum profile)conduct->profile, conduct->seed);
}

void conduct_free(struct conduct *conduct)
{
	sim_tap_free(conduct->tap);
	plan_free(&conduct->plan);
	fabric_free(&conduct->fabric);
}

/* "leafspine-32.run"; of one layer "leafspine-32-layer-burst.run", of a single stage
 * "leafspine-32-incast.run". What a shell or a file system could take amiss becomes '-';
 * past ASCII a name is letters of some language, for a fabric file is UTF-8 without
 * control characters. */
static void default_path(const struct conduct *conduct, char *path)
{
	bool whole = strcmp(conduct->command, "accept") == 0;
	const char *name = conduct->fabric.name[0] ? conduct->fabric.name : "fabric";

	if (conduct->layer)
		snprintf(path, RUN_PATH_BYTES, "%s-layer-%s.run", name, conduct->layer);
	else
		snprintf(path, RUN_PATH_BYTES, "%s%s%s.run", name, whole ? "" : "-",
			whole ? "" : conduct->command);
	for (char *c = path; *c; c++)
		if ((unsigned char)*c < 0x80 && !isalnum((unsigned char)*c) &&
			!strchr("._-", *c))
			*c = '-';
	if (path[0] == '.' || path[0] == '-')
		path[0] = '_';
}

static int create(
	struct run **run, const struct conduct *conduct, const char *path, struct diag *diag)
{
	struct run_info info = {
		.program = "weft " WEFT_VERSION,
		.seed = conduct->plan.seed,
		.fabric_text = conduct->fabric.text,
		.fabric_bytes = conduct->fabric.text_bytes,
	};

	snprintf(info.backend, sizeof(info.backend), "%s", conduct->verbs ? "verbs" : "sim");
	snprintf(info.profile, sizeof(info.profile), "%s", conduct->plan.profile);
	snprintf(info.plane, sizeof(info.plane), "%s", conduct->fabric.plane);
	snprintf(info.fabric_name, sizeof(info.fabric_name), "%s", conduct->fabric.name);
	snprintf(info.fabric_path, sizeof(info.fabric_path), "%s", conduct->fabric_path);
	return run_create(run, path, &info, diag);
}

/* --- the run --- */

static void show_progress(void *arg, const struct runner_at *at)
{
	progress_show(arg, &(struct progress_at){
				   .layer = plan_layer_name(at->layer),
				   .stage = at->stage,
				   .index = (uint32_t)at->ended,
				   .count = (uint32_t)at->count,
				   .done = at->done_ns,
				   .all = at->all_ns,
			   });
}

static int live_facts(void *arg, struct run *run, struct diag *diag)
{
	return live_put_facts(arg, run, diag);
}

static int run_live(void *arg, size_t index, struct sim_result *result, struct diag *why)
{
	return live_stage(arg, index, result, why);
}

static int measure(struct run *run, const struct conduct *conduct, struct live *live,
	bool *interrupted, struct diag *diag)
{
	struct runner_backend backend = { .facts = live_facts, .stage = run_live, .arg = live };
	struct progress progress = PROGRESS_INIT;
	struct runner_options options = {
		.backend = conduct->verbs ? &backend : NULL,
		.threads = (unsigned)conduct->threads,
		.keep_going = conduct->keep_going,
		.until_ns = conduct->until_ns,
		.tap = conduct->tap,
		.stop = &stop,
		.progress = show_progress,
		.arg = &progress,
	};
	int err;

	progress_begin(&progress, stderr);
	err = runner_run(run, &conduct->fabric, &conduct->plan, &options, interrupted, diag);
	progress_end(&progress);
	return err;
}

/* Beside the run file: RUN without ".run". */
static int open_tap(struct conduct *conduct, const char *path, struct diag *diag)
{
	char prefix[4096];
	size_t length = strlen(path), ending = strlen(".run");

	if (length > ending && strcmp(path + length - ending, ".run") == 0)
		length -= ending;
	snprintf(prefix, sizeof(prefix), "%.*s", (int)length, path);
	return sim_tap_open(&conduct->tap, &conduct->fabric, conduct->tap_places, prefix,
		(uint32_t)conduct->snaplen, diag);
}

/* measure(), and what was captured reaches the disk. */
static int measure_tapped(struct run *run, const struct conduct *conduct, struct live *live,
	bool *interrupted, struct diag *diag)
{
	struct diag later;
	int err = measure(run, conduct, live, interrupted, diag), ended;

	if (!conduct->tap)
		return err;
	ended = sim_tap_finish(conduct->tap, err ? &later : diag);
	return err ? err : ended;
}

static void show_tap(FILE *out, const struct sim_tap *tap)
{
	const struct sim_tap_file *files;
	size_t count = sim_tap_files(tap, &files);

	for (size_t i = 0; i < count; i++)
		fprintf(out,
			"%s: %" PRIu64 " frames sent and %" PRIu64
			" received, captured in %s\n",
			files[i].place, files[i].sent, files[i].received, files[i].path);
	fputc('\n', out);
}

static int print(struct run *run, const struct conduct *conduct,
	const struct findings *findings, const char *shown, struct diag *diag)
{
	struct report_options options = { .verbose = conduct->verbose, .run_path = shown };
	int err = 0;

	if (conduct->take)
		return conduct->take(conduct->arg, run, findings, diag);
	if (outputs_take_stdout(&conduct->outputs))
		return 0;
	if (conduct->json)
		return report_json(stdout, run, findings, &options, diag);
	report_options_for(&options, stdout);
	if (conduct->tap)
		show_tap(stdout, conduct->tap);
	if (conduct->show)
		err = conduct->show(stdout, run, diag);
	return err ? err
		   : outputs_screen(stdout, run, &conduct->fabric, findings, &options, diag);
}

/* What was found is printed, or taken, even where a file of it could not be written. */
static int report(struct run *run, const struct conduct *conduct,
	const struct findings *findings, const char *path, struct diag *diag)
{
	const char *shown = conduct->run_shown ? conduct->run_shown : path;
	struct diag files;
	int wrote = outputs_write(
		&conduct->outputs, run, &conduct->fabric, findings, shown, &files);
	int err = print(run, conduct, findings, shown, diag);

	if (err || !wrote)
		return err;
	*diag = files;
	return wrote;
}

/* Judged and reported by the file alone, as weft report does it. */
static int judge(struct run *run, struct conduct *conduct, const char *path, struct diag *diag)
{
	struct findings findings = FINDINGS_INIT;
	int err, status = EXIT_UNKNOWN;

	err = judge_run(run, &conduct->fabric, JUDGE_ALL, &findings, diag);
	if (!err) {
		err = report(run, conduct, &findings, path, diag);
		conduct->unwritten = err != 0;
		status = report_exit_status(report_verdict(run, &findings));
	}
	if (err)
		conduct_refuse(conduct, diag);
	if (err)
		status = exit_untold(status);
	findings_free(&findings);
	return status;
}

static int check_files(const struct conduct *conduct, const char *path, struct diag *diag)
{
	const struct outputs_file files[] = {
		{ "the run", path, false },
		{ "the fabric", conduct->fabric_path, true },
		{ "--json", conduct->json ? "-" : NULL, false },
	};

	int err = outputs_check(&conduct->outputs, files, COUNT_OF(files), diag);

	/* A night is worth more than a file about it. */
	return err || conduct->take ? err : outputs_check_places(&conduct->outputs, diag);
}

/* Each host that is missing has its line; with the others it goes on where that is wanted. */
static int start_agents(struct conduct *conduct, struct live *live)
{
	struct agents_options options = conduct->agents;
	struct diag diag;
	int err;

	if (!conduct->verbs)
		return EXIT_PASS;
	options.program = "weft " WEFT_VERSION;
	options.stop = &stop;
	live->fabric = &conduct->fabric;
	live->plan = &conduct->plan;
	err = agents_start(&live->agents, &conduct->fabric, &options, &diag);
	if (!err)
		return EXIT_PASS;
	if (err != -EHOSTDOWN)
		return conduct_refuse(conduct, &diag);
	if (stop) {
		fprintf(stderr, "weft %s: interrupted before all agents were there\n",
			conduct->command);
		return EXIT_UNKNOWN;
	}
	for (uint32_t i = 0; i < live->agents.count; i++)
		if (!live->agents.hosts[i].alive)
			fprintf(stderr, "weft %s: %s: %s\n", conduct->command,
				live->agents.hosts[i].name, live->agents.hosts[i].why);
	if (!conduct->without)
		return EXIT_UNKNOWN;
	return conduct->without(conduct->arg, &live->agents, &diag)
		       ? conduct_refuse(conduct, &diag)
		       : EXIT_PASS;
}

static int run_with(struct conduct *conduct, struct live *live, const char *path)
{
	const char *shown = conduct->run_shown ? conduct->run_shown : path;
	struct run *run = NULL;
	struct diag diag;
	int status = EXIT_UNKNOWN;

	if (conduct->tap_places && open_tap(conduct, path, &diag))
		return conduct_refuse(conduct, &diag);
	if (create(&run, conduct, path, &diag))
		return conduct_refuse(conduct, &diag);
	run_call(run, shown);
	if (measure_tapped(run, conduct, live, &conduct->interrupted, &diag))
		fprintf(stderr, "weft %s: %s; what was measured before is in %s\n",
			conduct->command, diag.text, shown);
	else if (conduct->interrupted && !conduct->take)
		fprintf(stderr,
			"weft %s: interrupted; what was measured is in %s, and weft report "
			"draws it\n",
			conduct->command, shown);
	else if (!conduct->interrupted)
		status = judge(run, conduct, path, &diag);
	run_close(run);
	return status;
}

int conduct_run(struct conduct *conduct)
{
	struct live live = LIVE_INIT;
	char path_made[RUN_PATH_BYTES];
	const char *path = conduct->run_path;
	struct diag diag;
	int status;

	if (!path) {
		default_path(conduct, path_made);
		path = path_made;
	}
	if (check_files(conduct, path, &diag))
		return conduct_refuse(conduct, &diag);
	catch_signals();
	status = start_agents(conduct, &live);
	if (status == EXIT_PASS)
		status = run_with(conduct, &live, path);
	agents_close(&live.agents);
	return status;
}
