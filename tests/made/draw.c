/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw KIND text|verbose|json [WIDTH [colour]]: the report of a made run, on
 * stdout, for the golden tests. The run file is made in the folder TMPDIR or /tmp
 * and removed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "reports/json.h"
#include "reports/text.h"
#include "tests/made/runs.h"

static int draw(struct run *run, const struct findings *findings, int argc, char **argv)
{
	struct report_options options = { .run_path = "leafspine-8.run" };
	struct diag diag = { "" };
	int err;

	options.width = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	options.colour = argc > 4;
	options.verbose = strcmp(argv[2], "verbose") == 0;
	if (strcmp(argv[2], "json") == 0)
		err = report_json(stdout, run, findings, &options, &diag);
	else
		err = report_text(stdout, run, findings, &options, &diag);
	if (err)
		fprintf(stderr, "draw: %s\n", diag.text);
	return err ? 2 : 0;
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	struct findings findings = FINDINGS_INIT;
	struct run *run;
	char path[4096];
	int kind, status;

	kind = argc > 2 ? made_find(argv[1]) : -1;
	if (kind < 0) {
		fprintf(stderr, "usage: draw KIND text|verbose|json [WIDTH [colour]]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/weft-made-%ld.run", folder ? folder : "/tmp",
		(long)getpid());
	run = made_run((enum made_kind)kind, path, &findings);
	status = draw(run, &findings, argc, argv);
	run_close(run);
	unlink(path);
	findings_free(&findings);
	return status;
}
