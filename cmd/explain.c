/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/explain_show.h"
#include "cmd/opt.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "pfc/bundle.h"
#include "pfc/parse.h"
#include "reports/verdict.h"

struct explain_args {
	struct opt_list files;
	bool json, all, rules;
};

#define ARG(field) offsetof(struct explain_args, field)

static const struct opt explain_opts[] = {
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_FLAG, "all", ARG(all), 0, 0, "name the rules that found nothing or lack facts" },
	{ OPT_FLAG, "rules", ARG(rules), 0, 0, "print every rule instead, and read no file" },
	{ OPT_ARGS, "FILE", ARG(files), 0, 256, "what tools printed; - is standard input" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

/* Reads at most one byte more than a bundle may have, so that what is too long
 * is seen without being read to its end. */
static int read_stream(FILE *file, struct bundle *bundle, const char *name, struct diag *diag)
{
	size_t room = (size_t)BUNDLE_BYTES_MAX + 1, used = 0, got;
	char *text = zeroed(room, 1);
	int err;

	while (used < room && (got = fread(text + used, 1, room - used, file)) > 0)
		used += got;
	if (ferror(file))
		err = diag_system(diag, errno ? -errno : -EIO, "%s: cannot be read", name);
	else
		err = bundle_add(bundle, name, text, used, diag);
	free(text);
	return err;
}

static int read_file(struct bundle *bundle, const char *path, struct diag *diag)
{
	FILE *file;
	int err;

	if (strcmp(path, "-") == 0)
		return read_stream(stdin, bundle, "standard input", diag);
	file = fopen(path, "r");
	if (!file)
		return diag_system(diag, -errno, "%s: cannot be opened", path);
	err = read_stream(file, bundle, path, diag);
	fclose(file);
	return err;
}

static int explain(const struct bundle *bundle, const struct explain_args *args)
{
	struct explain result = EXPLAIN_INIT;
	struct facts facts;
	int status;

	facts_init(&facts);
	parse_bundle(&facts, bundle);
	explain_facts(&facts, &result);
	if (facts.dropped > 0)
		fprintf(stderr,
			"weft explain: more than %u facts, or %u of one kind: %zu were left "
			"out, so nothing passes; cut the "
			"text to the lines that matter\n",
			FACTS_MAX, FACTS_KEY_MAX, facts.dropped);
	if (args->json)
		explain_print_json(stdout, &result);
	else
		explain_print_text(stdout, &result, args->all);
	status = report_exit_status(result.verdict);
	explain_free(&result);
	facts_free(&facts);
	return status;
}

int cmd_explain(int argc, char **argv)
{
	struct explain_args args = { .json = false };
	struct bundle bundle = BUNDLE_INIT;
	struct diag diag;
	int status;

	if (!opt_read("explain",
		    "Reads what other tools printed, says what is wrong, why, and what to do.",
		    explain_opts, argc, argv, &args, &status))
		return status;
	if (args.rules) {
		explain_print_rules(stdout);
		return EXIT_PASS;
	}
	status = EXIT_UNKNOWN;
	if (args.files.count == 0) {
		fprintf(stderr,
			"weft explain: no FILE given: expected text that tools printed, or "
			"- for standard input\n");
		return status;
	}
	for (size_t i = 0; i < args.files.count; i++)
		if (read_file(&bundle, args.files.items[i], &diag)) {
			fprintf(stderr, "weft explain: %s\n", diag.text);
			goto out;
		}
	status = explain(&bundle, &args);
out:
	bundle_free(&bundle);
	return status;
}
