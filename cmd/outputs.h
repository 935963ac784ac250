/*
 * outputs - the forms of a report that go into files, beside what is printed.
 *
 * A file appears whole or not at all (lib/wholefile.h), so that whoever collects it never
 * sees half of it. "-" is stdout.
 */
#ifndef CMD_OUTPUTS_H
#define CMD_OUTPUTS_H

#include <stdbool.h>
#include <stdio.h>

#include "fabric/fabric.h"
#include "lib/finding.h"
#include "lib/run.h"
#include "reports/options.h"

struct diag;

/* Where each goes; NULL: not asked for. Borrowed. */
struct outputs {
	const char *html, *junit, *openmetrics, *markdown;
};

/* The rows of a table of options; args is the command's, outputs its field. */
#define OUTPUT_OPTS(args, outputs)                                                             \
	{ OPT_TEXT, "html FILE", offsetof(args, outputs.html), 0, 0,                           \
		"write the report as one HTML file as well" },                                 \
		{ OPT_TEXT, "junit FILE", offsetof(args, outputs.junit), 0, 0,                 \
			"as JUnit XML, a case a check" },                                      \
		{ OPT_TEXT, "openmetrics FILE", offsetof(args, outputs.openmetrics), 0, 0,     \
			"as metrics for a textfile collector" },                               \
	{                                                                                      \
		OPT_TEXT, "markdown FILE", offsetof(args, outputs.markdown), 0, 0,             \
			"as a summary for a ticket"                                            \
	}

/* A file that a command reads or writes beside these. */
struct outputs_file {
	const char *what; /* "--metrics", "the fabric file" */
	const char *path; /* NULL: none; "-" of one that is written: stdout */
	bool read;
};

/* Before anything is run. -EINVAL where one that is written is the same file as another, by
 * its name or by its device and inode, or where two go to stdout. Devices and pipes are no
 * loss. count <= OUTPUTS_MORE. */
#define OUTPUTS_MORE 4u
int outputs_check(const struct outputs *outputs, const struct outputs_file *more, size_t count,
	struct diag *diag);

/* -EINVAL where one that is written lies in the folder, there or not yet, and is_own() says
 * that its name is the folder's own. */
int outputs_check_folder(const struct outputs *outputs, const struct outputs_file *more,
	size_t count, const char *folder, bool (*is_own)(const char *file), struct diag *diag);

/* Before what takes long is run: -EISDIR or the errno of a folder, with the sentence, where one
 * of them could not be written. */
int outputs_check_places(const struct outputs *outputs, struct diag *diag);

/* Whether one goes to stdout, where then nothing else must be printed. */
bool outputs_take_stdout(const struct outputs *outputs);

/* Writes all that can be written. run_path is what the reports say of it. Returns 0, or the
 * first negative errno of reading the run or writing a file, with the sentence. */
int outputs_write(const struct outputs *outputs, struct run *run, const struct fabric *fabric,
	const struct findings *findings, const char *run_path, struct diag *diag);

/* Writes one file, or stdout; as wholefile_draw(). */
int outputs_put(const char *path, int (*draw)(FILE *out, const void *arg, struct diag *diag),
	const void *arg, struct diag *diag);

/* report_text() with the fabric for its plots; options->scene is not looked at. */
int outputs_screen(FILE *out, struct run *run, const struct fabric *fabric,
	const struct findings *findings, const struct report_options *options,
	struct diag *diag);

#endif
