/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/scene.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/openmetrics.h"
#include "reports/text.h"

#define PATH_BYTES 4096

/* What every form is drawn from. */
struct drawing {
	struct run *run;
	const struct findings *findings;
	struct scene scene;
	struct report_options options;
};

static int draw_html(FILE *out, const struct drawing *drawing, struct diag *diag)
{
	return report_html(
		out, drawing->run, drawing->findings, &drawing->scene, &drawing->options, diag);
}

static int draw_junit(FILE *out, const struct drawing *drawing, struct diag *diag)
{
	(void)diag;
	report_junit(out, drawing->run, drawing->findings);
	return 0;
}

static int draw_openmetrics(FILE *out, const struct drawing *drawing, struct diag *diag)
{
	return report_openmetrics(out, drawing->run, drawing->findings, diag);
}

static int draw_markdown(FILE *out, const struct drawing *drawing, struct diag *diag)
{
	return report_markdown(out, drawing->run, drawing->findings, &drawing->options, diag);
}

static const struct form {
	size_t path; /* offset in struct outputs */
	int (*draw)(FILE *out, const struct drawing *drawing, struct diag *diag);
} forms[] = {
	{ offsetof(struct outputs, html), draw_html },
	{ offsetof(struct outputs, junit), draw_junit },
	{ offsetof(struct outputs, openmetrics), draw_openmetrics },
	{ offsetof(struct outputs, markdown), draw_markdown },
};

static const char *path_of(const struct outputs *outputs, const struct form *form)
{
	return *(const char *const *)((const char *)outputs + form->path);
}

bool outputs_take_stdout(const struct outputs *outputs)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		const char *path = path_of(outputs, &forms[i]);

		if (path && strcmp(path, "-") == 0)
			return true;
	}
	return false;
}

static int draw_into(FILE *out, const struct form *form, const struct drawing *drawing,
	const char *path, struct diag *diag)
{
	int err = form->draw(out, drawing, diag);

	if (err)
		return err;
	errno = 0;
	if (fflush(out) || ferror(out))
		return diag_error(diag, errno ? -errno : -EIO, "%s: cannot be written: %s",
			path, strerror(errno ? errno : EIO));
	return 0;
}

/* A device or pipe is written as it is; everything else under another name first. */
static bool is_special(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static int write_form(const struct form *form, const struct drawing *drawing, const char *path,
	struct diag *diag)
{
	bool special = is_special(path);
	char part[PATH_BYTES];
	FILE *out;
	int err;

	if (strlen(path) + sizeof(".part") > sizeof(part))
		return diag_error(diag, -ENAMETOOLONG, "%s: the name is too long", path);
	snprintf(part, sizeof(part), "%s%s", path, special ? "" : ".part");
	out = fopen(part, "w");
	if (!out)
		return diag_error(
			diag, -errno, "%s: cannot be written: %s", part, strerror(errno));
	err = draw_into(out, form, drawing, part, diag);
	if (fclose(out) && !err)
		err = diag_error(
			diag, -errno, "%s: cannot be written: %s", part, strerror(errno));
	if (!err && !special && rename(part, path))
		err = diag_error(
			diag, -errno, "%s: cannot be replaced: %s", path, strerror(errno));
	if (err && !special)
		unlink(part);
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
	int err = 0;

	scene_of(&drawing.scene, fabric);
	for (size_t i = 0; !err && i < COUNT_OF(forms); i++) {
		const char *path = path_of(outputs, &forms[i]);

		if (!path)
			continue;
		if (strcmp(path, "-") == 0)
			err = draw_into(stdout, &forms[i], &drawing, "stdout", diag);
		else
			err = write_form(&forms[i], &drawing, path, diag);
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
