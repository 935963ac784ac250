/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw KIND FORM [WIDTH [colour]]: the report of a made run on stdout, as text, verbose,
 * plots or ascii (text, too), json, html, junit, openmetrics or markdown. The run file is
 * made in the present folder, and removed; draw KIND run leaves it there, as made.run,
 * and draws nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/openmetrics.h"
#include "reports/text.h"
#include "tests/made/runs.h"

static int draw(struct run *run, const struct findings *findings, int argc, char **argv)
{
	struct report_options options = { .run_path = "leafspine-8.run" };
	const struct scene scene = SCENE_INIT; /* of a fabric that is not known */
	struct diag diag = { "" };
	int err = 0;

	options.width = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	options.colour = argc > 4;
	if (strcmp(argv[2], "plots") == 0)
		options.plots = REPORT_PLOTS_UTF8;
	else if (strcmp(argv[2], "ascii") == 0)
		options.plots = REPORT_PLOTS_ASCII;
	options.verbose = strcmp(argv[2], "verbose") == 0;
	if (strcmp(argv[2], "junit") == 0)
		report_junit(stdout, run, findings);
	else if (strcmp(argv[2], "openmetrics") == 0)
		err = report_openmetrics(stdout, run, findings, &diag);
	else if (strcmp(argv[2], "markdown") == 0)
		err = report_markdown(stdout, run, findings, &options, &diag);
	else if (strcmp(argv[2], "html") == 0)
		err = report_html(stdout, run, findings, &scene, &options, &diag);
	else if (strcmp(argv[2], "json") == 0)
		err = report_json(stdout, run, findings, &options, &diag);
	else
		err = report_text(stdout, run, findings, &options, &diag);
	if (err)
		fprintf(stderr, "draw: %s\n", diag.text);
	return err ? 2 : 0;
}

int main(int argc, char **argv)
{
	static const char path[] = "made.run";
	struct findings findings = FINDINGS_INIT;
	int kind = argc > 2 ? made_find(argv[1]) : -1;
	struct run *run;
	int status = 0;

	if (kind < 0) {
		fprintf(stderr, "usage: draw KIND FORM|run [WIDTH [colour]]\n");
		return 2;
	}
	run = made_run((enum made_kind)kind, path, &findings);
	if (strcmp(argv[2], "run") != 0)
		status = draw(run, &findings, argc, argv);
	run_close(run);
	if (strcmp(argv[2], "run") != 0)
		unlink(path);
	findings_free(&findings);
	return status;
}
