/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "cmd/past.h"
#include "lib/diag.h"
#include "reports/compare.h"

#define GOLDEN_RUNS 1000u /* among so many the best is looked for */

struct compare_args {
	struct opt_list runs;
	const char *golden;
	bool json, verbose;
};

#define ARG(field) offsetof(struct compare_args, field)

static const struct opt compare_opts[] = {
	{ OPT_TEXT, "golden FOLDER", ARG(golden), 0, 0,
		"compare one RUN with the best run of this folder" },
	{ OPT_FLAG, "verbose", ARG(verbose), 0, 0, "what stayed within noise as well" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_ARGS, "RUN", ARG(runs), 1, 2, "run files, or digests: before, after" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static int draw(const struct compare_args *args, const struct digest *before,
	const char *before_name, const struct digest *after, const char *after_name,
	int *status, struct diag *diag)
{
	struct report_options options = { .verbose = args->verbose };
	struct comparison comparison;
	int err = compare_make(&comparison, before, after, diag);

	if (err)
		return err;
	report_options_for(&options, stdout);
	if (args->json)
		compare_json(stdout, &comparison, before_name, after_name);
	else
		compare_text(stdout, &comparison, before_name, after_name, &options);
	*status = compare_status(&comparison);
	compare_free(&comparison);
	return 0;
}

static int compare_two(const struct compare_args *args, int *status, struct diag *diag)
{
	struct digest before = DIGEST_INIT, after = DIGEST_INIT;
	int err = past_read(&before, args->runs.items[0], diag);

	if (!err)
		err = past_read(&after, args->runs.items[1], diag);
	if (!err)
		err = draw(args, &before, args->runs.items[0], &after, args->runs.items[1],
			status, diag);
	digest_free(&before);
	digest_free(&after);
	return err;
}

static int compare_golden(const struct compare_args *args, int *status, struct diag *diag)
{
	struct digest after = DIGEST_INIT;
	struct past past = PAST_INIT;
	size_t best = HISTORY_NONE;
	int err = past_load(&past, args->golden, GOLDEN_RUNS, diag);

	if (!err)
		best = history_best(past.runs, past.count);
	if (!err && best == HISTORY_NONE)
		err = diag_error(diag, -ENOENT,
			"%s: none of its %zu runs passed, so there is no best one to compare "
			"with",
			args->golden, past.count);
	if (!err)
		err = past_read(&after, args->runs.items[0], diag);
	if (!err)
		err = draw(args, past.runs[best].digest, past.runs[best].name, &after,
			args->runs.items[0], status, diag);
	digest_free(&after);
	past_free(&past);
	return err;
}

static int compare(const struct compare_args *args, int *status, struct diag *diag)
{
	if (args->golden && args->runs.count != 1)
		return diag_error(diag, -EINVAL,
			"--golden %s: expected one RUN beside it, which is compared with the "
			"best of the folder",
			args->golden);
	if (!args->golden && args->runs.count != 2)
		return diag_error(diag, -EINVAL,
			"%s: expected two runs, before and after, or --golden FOLDER",
			args->runs.items[0]);
	return args->golden ? compare_golden(args, status, diag)
			    : compare_two(args, status, diag);
}

int cmd_compare(int argc, char **argv)
{
	struct compare_args args = { .json = false };
	struct diag diag;
	int status;

	if (!opt_read("compare",
		    "Puts two runs of a fabric side by side: what changed by more than noise, "
		    "and "
		    "which findings are new.",
		    compare_opts, argc, argv, &args, &status))
		return status;
	if (compare(&args, &status, &diag)) {
		fprintf(stderr, "weft compare: %s\n", diag.text);
		return EXIT_UNKNOWN;
	}
	return status;
}
