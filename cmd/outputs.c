/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/outputs.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/scene.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "lib/wholefile.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/openmetrics.h"
#include "reports/text.h"

#define PLACE_BYTES (PATH_MAX + NAME_MAX + 2)

/* What every form is drawn from. */
struct drawing {
	struct run *run;
	const struct findings *findings;
	struct scene scene;
	struct report_options options;
};

static int draw_html(FILE *out, const void *arg, struct diag *diag)
{
	const struct drawing *drawing = arg;

	return report_html(
		out, drawing->run, drawing->findings, &drawing->scene, &drawing->options, diag);
}

static int draw_junit(FILE *out, const void *arg, struct diag *diag)
{
	const struct drawing *drawing = arg;

	(void)diag;
	report_junit(out, drawing->run, drawing->findings);
	return 0;
}

static int draw_openmetrics(FILE *out, const void *arg, struct diag *diag)
{
	const struct drawing *drawing = arg;

	return report_openmetrics(out, drawing->run, drawing->findings, diag);
}

static int draw_markdown(FILE *out, const void *arg, struct diag *diag)
{
	const struct drawing *drawing = arg;

	return report_markdown(out, drawing->run, drawing->findings, &drawing->options, diag);
}

static const struct form {
	const char *option;
	size_t path; /* offset in struct outputs */
	int (*draw)(FILE *out, const void *drawing, struct diag *diag);
} forms[] = {
	{ "--html", offsetof(struct outputs, html), draw_html },
	{ "--junit", offsetof(struct outputs, junit), draw_junit },
	{ "--openmetrics", offsetof(struct outputs, openmetrics), draw_openmetrics },
	{ "--markdown", offsetof(struct outputs, markdown), draw_markdown },
};

#define FILES_MAX (COUNT_OF(forms) + OUTPUTS_MORE)

static const char *path_of(const struct outputs *outputs, const struct form *form)
{
	return *(const char *const *)((const char *)outputs + form->path);
}

/* --- that no file is lost --- */

static bool is_stdout(const struct outputs_file *file)
{
	return !file->read && strcmp(file->path, "-") == 0;
}

/* Where a file would be made: its folder without links, and its name. */
static void place_of(char place[PLACE_BYTES], const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL;

	snprintf(place, PLACE_BYTES, "%s/%s", real ? real : folder, name);
	free(real);
	free(folder);
}

static bool is_same(const char *one, const char *other)
{
	char places[2][PLACE_BYTES];
	struct stat a, b;
	bool is_a = stat(one, &a) == 0, is_b = stat(other, &b) == 0;

	if (is_a && is_b)
		return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	if (is_a || is_b)
		return false;
	place_of(places[0], one);
	place_of(places[1], other);
	return strcmp(places[0], places[1]) == 0;
}

/* What is read is what would be lost, whatever the order. */
static int check_two(
	const struct outputs_file *one, const struct outputs_file *other, struct diag *diag)
{
	if (!one->path || !other->path || (one->read && other->read))
		return 0;
	if (one->read)
		return check_two(other, one, diag);
	if (is_stdout(one) && is_stdout(other))
		return diag_error(diag, -EINVAL,
			"%s and %s both go to stdout: expected one of them", one->what,
			other->what);
	if (is_stdout(one) || is_stdout(other) || !is_same(one->path, other->path))
		return 0;
	return diag_error(diag, -EINVAL,
		"%s %s is the file of %s, which would be lost: expected another name",
		one->what, one->path, other->what);
}

/* How many there are. */
static size_t list(struct outputs_file files[FILES_MAX], const struct outputs *outputs,
	const struct outputs_file *more, size_t count)
{
	assert(count <= OUTPUTS_MORE);
	for (size_t i = 0; i < COUNT_OF(forms); i++)
		files[i] = (struct outputs_file){ .what = forms[i].option,
			.path = path_of(outputs, &forms[i]) };
	memcpy(&files[COUNT_OF(forms)], more, count * sizeof(*more));
	return COUNT_OF(forms) + count;
}

int outputs_check(const struct outputs *outputs, const struct outputs_file *more, size_t count,
	struct diag *diag)
{
	struct outputs_file files[FILES_MAX];
	size_t files_count = list(files, outputs, more, count);
	int err = 0;

	for (size_t i = 0; i < files_count && !err; i++)
		for (size_t k = i + 1; k < files_count && !err; k++)
			err = check_two(&files[i], &files[k], diag);
	return err;
}

int outputs_check_folder(const struct outputs *outputs, const struct outputs_file *more,
	size_t count, const char *folder, bool (*is_own)(const char *file), struct diag *diag)
{
	struct outputs_file files[FILES_MAX];
	size_t files_count = list(files, outputs, more, count);
	char place[PLACE_BYTES], in_folder[PLACE_BYTES], path[PLACE_BYTES];

	for (size_t i = 0; i < files_count; i++) {
		const char *slash, *name;

		if (!files[i].path || files[i].read || is_stdout(&files[i]))
			continue;
		slash = strrchr(files[i].path, '/');
		name = slash ? slash + 1 : files[i].path;
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		place_of(place, files[i].path);
		place_of(in_folder, path);
		if (is_own(name) && strcmp(place, in_folder) == 0)
			return diag_error(diag, -EINVAL,
				"%s %s would be taken for a part of the history %s: expected "
				"a name outside it",
				files[i].what, files[i].path, folder);
	}
	return 0;
}

int outputs_check_places(const struct outputs *outputs, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < COUNT_OF(forms) && !err; i++) {
		const char *path = path_of(outputs, &forms[i]);

		if (path && strcmp(path, "-") != 0)
			err = wholefile_check(path, diag);
	}
	return err;
}

/* --- writing them --- */

bool outputs_take_stdout(const struct outputs *outputs)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		const char *path = path_of(outputs, &forms[i]);

		if (path && strcmp(path, "-") == 0)
			return true;
	}
	return false;
}

int outputs_put(const char *path, int (*draw)(FILE *out, const void *arg, struct diag *diag),
	const void *arg, struct diag *diag)
{
	int err;

	if (strcmp(path, "-") != 0)
		return wholefile_draw(path, draw, arg, diag);
	err = draw(stdout, arg, diag);
	errno = 0;
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = diag_system(diag, errno ? -errno : -EIO, "stdout cannot be written");
	return err;
}

int outputs_write(const struct outputs *outputs, struct run *run, const struct fabric *fabric,
	const struct findings *findings, const char *run_path, struct diag *diag)
{
	struct drawing drawing = {
		.run = run,
		.findings = findings,
		.options = { .run_path = run_path },
	};
	struct diag later;
	int err = 0;

	scene_of(&drawing.scene, fabric);
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		const char *path = path_of(outputs, &forms[i]);
		int one = path ? outputs_put(path, forms[i].draw, &drawing, err ? &later : diag)
			       : 0;

		err = err ? err : one;
	}
	scene_free(&drawing.scene);
	return err;
}

int outputs_screen(FILE *out, struct run *run, const struct fabric *fabric,
	const struct findings *findings, const struct report_options *options,
	struct diag *diag)
{
	struct report_options with_scene = *options;
	struct scene scene;
	int err;

	scene_of(&scene, fabric);
	with_scene.scene = &scene;
	err = report_text(out, run, findings, &with_scene, diag);
	scene_free(&scene);
	return err;
}
