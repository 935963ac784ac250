/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/doctor.h"

#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/explain_show.h"
#include "cmd/opt.h"
#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/facts_json.h"
#include "pfc/settings.h"
#include "reports/verdict.h"

struct doctor_args {
	const char *from, *root, *record, *name;
	struct doctor_opts opts;
	bool facts;
	struct opt_list files;
};

#define ARG(field) offsetof(struct doctor_args, field)

static const struct opt doctor_opts[] = {
	{ OPT_FLAG, "facts", ARG(facts), 0, 0,
		"print what was read, as JSON, and judge nothing" },
	{ OPT_TEXT, "from FACTS", ARG(from), 0, 0,
		"judge what --facts printed elsewhere; each FILE is more of it" },
	{ OPT_TEXT, "root FOLDER", ARG(root), 0, 0, "a recorded host instead of this one" },
	{ OPT_TEXT, "record FOLDER", ARG(record), 0, 0, "also keep all that is read there" },
	{ OPT_TEXT, "name HOST", ARG(name), 0, 0, "what this host is called in the answer" },
	DOCTOR_OPTS(struct doctor_args, opts),
	{ OPT_ARGS, "FILE", ARG(files), 0, 4096, "a fabric file: ask all its hosts over ssh" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static int fail(const struct diag *diag)
{
	fprintf(stderr, "weft doctor: %s\n", diag->text);
	return EXIT_UNKNOWN;
}

/* What the hosts should have in common is judged over their settings. */
static int judge(struct facts *facts, const struct doctor_args *args)
{
	struct explain result = EXPLAIN_INIT;
	int status;

	explain_facts(facts, &result);
	result.verdict = doctor_verdict(&result);
	status = report_exit_status(result.verdict);
	if (args->opts.json) {
		if (explain_print_json(stdout, &result))
			status = exit_untold(status);
	} else {
		doctor_print_ports(stdout, facts);
		explain_print_text(stdout, &result, args->opts.all);
		doctor_print_missing(stdout, facts, args->opts.all);
	}
	explain_free(&result);
	return status;
}

static int show(struct facts *facts, const struct doctor_args *args)
{
	if (args->facts)
		return facts_write(stdout, facts) ? EXIT_UNKNOWN : EXIT_PASS;
	settings_add(facts, facts);
	return judge(facts, args);
}

static int one_host(const struct doctor_args *args, const struct doctor_wish *wish)
{
	struct facts facts;
	struct diag diag;
	int status;

	facts_init(&facts);
	if (doctor_collect(&facts, wish, &diag))
		status = fail(&diag);
	else
		status = show(&facts, args);
	facts_free(&facts);
	return status;
}

static int from_files(const struct doctor_args *args)
{
	struct facts facts;
	struct diag diag;
	int err, status = EXIT_UNKNOWN;

	facts_init(&facts);
	err = doctor_read_file(&facts, args->from, &diag);
	for (size_t i = 0; !err && i < args->files.count; i++)
		err = doctor_read_file(&facts, args->files.items[i], &diag);
	if (err)
		fail(&diag);
	else
		status = show(&facts, args);
	facts_free(&facts);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_args args = { .opts = DOCTOR_OPTS_INIT };
	struct doctor_wish wish;
	int status;

	if (!opt_read("doctor",
		    "Reads all that a host tells of its RoCE ports, and says what is wrong, "
		    "why, "
		    "and what to do. Sets nothing.",
		    doctor_opts, argc, argv, &args, &status))
		return status;
	wish = (struct doctor_wish){ .host = { args.root, args.record },
		.name = args.name,
		.window_ns = args.opts.window_ns,
		.limit_ns = args.opts.limit_ns,
		.at_once = args.opts.at_once };
	if (args.from)
		return from_files(&args);
	if (args.files.count == 1)
		return doctor_fabric(args.files.items[0], &wish, args.opts.json, args.opts.all);
	if (args.files.count > 1) {
		fprintf(stderr,
			"weft doctor: %zu files given: expected one fabric file, or "
			"facts behind --from\n",
			args.files.count);
		return EXIT_UNKNOWN;
	}
	return one_host(&args, &wish);
}
