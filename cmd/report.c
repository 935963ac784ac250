/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"
#include "cmd/scene.h"
#include "cmd/watch_record.h"
#include "fabric/judge.h"
#include "fabric/recorded.h"
#include "lib/diag.h"
#include "lib/run.h"
#include "lib/units.h"
#include "reports/csv.h"
#include "reports/json.h"
#include "reports/text.h"

struct report_args {
	const char *run, *csv;
	bool json, verbose;
	struct outputs outputs;
};

#define ARG(field) offsetof(struct report_args, field)

static const struct opt report_opts[] = {
	{ OPT_FLAG, "verbose", ARG(verbose), 0, 0, "every finding and every stage" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_TEXT, "csv TABLE", ARG(csv), 0, 0, "print this table as CSV: " CSV_TABLES },
	OUTPUT_OPTS(struct report_args, outputs),
	{ OPT_ARG, "RUN", ARG(run), 1, 1, "the run file" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static int draw_csv(struct run *run, const struct fabric *fabric,
	const struct findings *findings, const char *table, struct diag *diag)
{
	struct scene scene;
	int err;

	scene_of(&scene, fabric);
	err = report_csv(stdout, table, run, findings, &scene, diag);
	scene_free(&scene);
	return err;
}

static int print(struct run *run, const struct fabric *fabric, const struct findings *findings,
	const struct report_args *args, struct diag *diag)
{
	struct report_options options = { .verbose = args->verbose, .run_path = args->run };

	if (outputs_take_stdout(&args->outputs))
		return 0;
	if (args->csv)
		return draw_csv(run, fabric, findings, args->csv, diag);
	report_options_for(&options, stdout);
	if (args->json)
		return report_json(stdout, run, findings, &options, diag);
	return outputs_screen(stdout, run, fabric, findings, &options, diag);
}

/* What was found is printed even where a file of it could not be written. */
static int draw(struct run *run, const struct fabric *fabric, const struct findings *findings,
	const struct report_args *args, struct diag *diag)
{
	struct diag files;
	int wrote = outputs_write(&args->outputs, run, fabric, findings, args->run, &files);
	int err = print(run, fabric, findings, args, diag);

	if (err || !wrote)
		return err;
	*diag = files;
	return wrote;
}

/* A recorded watch has findings of its own, and no fabric. */
static int again(
	struct run *run, const struct report_args *args, int *status, struct diag *diag)
{
	const struct outputs *outputs = &args->outputs;

	if (outputs->html || outputs->junit || outputs->openmetrics || outputs->markdown)
		return diag_error(diag, -EINVAL,
			"%s is a recorded watch: it is printed as text or with --json, and in "
			"no other form",
			args->run);
	return watch_replay(run, args->json, status, diag);
}

static int judge_and_draw(const struct report_args *args, int *status, struct diag *diag)
{
	struct findings findings = FINDINGS_INIT;
	struct fabric fabric = FABRIC_INIT;
	struct run *run = NULL;
	int err;

	err = run_open(&run, args->run, diag);
	if (err)
		goto out;
	if (strcmp(run_info(run)->backend, RECORD_BACKEND) == 0) {
		err = again(run, args, status, diag);
		goto out;
	}
	err = fabric_recorded(&fabric, run, args->run, diag);
	if (err)
		goto out;
	err = judge_run(run, &fabric, JUDGE_ALL, &findings, diag);
	if (err)
		goto out;
	err = draw(run, &fabric, &findings, args, diag);
	*status = report_exit_status(report_verdict(run, &findings));
out:
	findings_free(&findings);
	fabric_free(&fabric);
	run_close(run);
	return err;
}

static int check_files(const struct report_args *args, struct diag *diag)
{
	const struct outputs_file files[] = {
		{ "the run", args->run, true },
		{ "--json", args->json ? "-" : NULL, false },
		{ "--csv", args->csv ? "-" : NULL, false },
	};

	return outputs_check(&args->outputs, files, COUNT_OF(files), diag);
}

int cmd_report(int argc, char **argv)
{
	struct report_args args = { 0 };
	int status = EXIT_UNKNOWN;
	struct diag diag;

	if (!opt_read("report", "Judges a run file again and draws its report.", report_opts,
		    argc, argv, &args, &status))
		return status;
	status = EXIT_UNKNOWN;
	if (args.csv && !csv_knows(args.csv)) {
		fprintf(stderr, "weft report: --csv %s: expected one of " CSV_TABLES "\n",
			args.csv);
		return EXIT_UNKNOWN;
	}
	if (check_files(&args, &diag) || judge_and_draw(&args, &status, &diag)) {
		fprintf(stderr, "weft report: %s\n", diag.text);
		return exit_untold(status);
	}
	return status;
}
