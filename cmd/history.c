/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "cmd/past.h"
#include "cmd/past_names.h"
#include "lib/diag.h"
#include "reports/history.h"

#define RUNS_MAX 1000u

struct history_args {
	const char *folder, *baseline;
	uint64_t runs, age;
	bool json;
};

#define ARG(field) offsetof(struct history_args, field)

static const struct opt history_opts[] = {
	{ OPT_COUNT, "runs N", ARG(runs), HISTORY_LEAST, RUNS_MAX,
		"the latest that are looked at" },
	{ OPT_TEXT, "baseline RUN", ARG(baseline), 0, 0,
		"from now on measure against RUN, against the best one (best), or none" },
	{ OPT_COUNT, "age N", ARG(age), 1, RUNS_MAX, "runs after which a baseline is too old" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_ARG, "FOLDER", ARG(folder), 1, 1, "the folder of run files" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static int no_such_run(const struct history_args *args, const char *name, struct diag *diag)
{
	return diag_error(diag, -ENOENT,
		"--baseline %s: no such run in %s: expected the name of one, best, or none",
		name, args->folder);
}

static int choose_best(const struct history_args *args, struct diag *diag)
{
	struct past past = PAST_INIT;
	size_t best = HISTORY_NONE;
	int err = past_load_runs(&past, args->folder, args->runs, diag);

	if (err)
		return err;
	best = history_best(past.runs, past.count);
	err = best == HISTORY_NONE
		      ? diag_error(diag, -ENOENT,
				"--baseline best: none of the %zu runs of %s passed: expected "
				"the name of a run",
				past.count, args->folder)
		      : past_set_baseline(args->folder, past.runs[best].name, diag);
	past_free(&past);
	return err;
}

static int choose_baseline(const struct history_args *args, struct diag *diag)
{
	char name[PAST_NAME], path[PAST_PATH];
	struct digest digest = DIGEST_INIT;
	int err;

	past_name(name, sizeof(name), args->baseline);
	if (strcmp(name, "none") == 0)
		return past_set_baseline(args->folder, NULL, diag);
	if (strcmp(name, "best") == 0)
		return choose_best(args, diag);
	past_path(path, args->folder, name, ".json");
	err = past_read(&digest, path, diag);
	if (err) {
		past_path(path, args->folder, name, ".run");
		err = past_read(&digest, path, diag);
	}
	digest_free(&digest);
	if (err == -ENOENT)
		return no_such_run(args, name, diag);
	return err ? err : past_set_baseline(args->folder, name, diag);
}

static int tell(const struct history_args *args, int *status, struct diag *diag)
{
	struct report_options options = { .verbose = false };
	struct past past = PAST_INIT;
	struct history history;
	int err = past_load(&past, args->folder, args->runs, diag);

	if (!err && !past.count)
		err = diag_error(diag, -ENOENT,
			"%s holds no run: expected files NAME.run of weft accept or weft sweep",
			args->folder);
	if (err)
		return err;
	history_make(&history, past.runs, past.count, past.baseline);
	history.behind = past.behind;
	history.age = args->age;
	report_options_for(&options, stdout);
	if (args->json)
		history_json(stdout, &history);
	else
		history_text(stdout, &history, &options);
	*status = history_status(&history);
	history_free(&history);
	past_free(&past);
	return 0;
}

int cmd_history(int argc, char **argv)
{
	struct history_args args = { .runs = 30, .age = HISTORY_AGE };
	struct diag diag;
	int status, err = 0;

	if (!opt_read("history",
		    "Which link, NIC or pair of a fabric drifts or has got worse over the runs "
		    "in "
		    "a folder.",
		    history_opts, argc, argv, &args, &status))
		return status;
	if (args.baseline)
		err = choose_baseline(&args, &diag);
	if (!err)
		err = tell(&args, &status, &diag);
	if (err) {
		fprintf(stderr, "weft history: %s\n", diag.text);
		return EXIT_UNKNOWN;
	}
	return status;
}
