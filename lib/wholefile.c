/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/wholefile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/diag.h"

struct text {
	const char *text;
	size_t bytes;
};

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int cannot(const char *path, int err, struct diag *diag)
{
	if (is_folder(path))
		return diag_error(diag, -EISDIR,
			"%.200s is a folder; expected the name of a file in it", path);
	return diag_error(diag, err ? err : -EIO,
		"%.200s cannot be written: %s; expected a name in a folder that can be "
		"written to and has room",
		path, strerror(err ? -err : EIO));
}

/* Closes out in any case. */
static int draw_into(FILE *out, const char *path,
	int (*draw)(FILE *out, const void *arg, struct diag *diag), const void *arg,
	struct diag *diag)
{
	int err = draw(out, arg, diag), wrote = 0;

	errno = 0;
	if (!err && (fflush(out) || ferror(out)))
		wrote = errno ? -errno : -EIO;
	if (fclose(out) && !err && !wrote)
		wrote = -errno;
	return wrote ? cannot(path, wrote, diag) : err;
}

int wholefile_check(const char *path, struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	char *folder;
	int err;

	if (is_folder(path))
		return cannot(path, -EISDIR, diag);
	if (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR))
		return 0;
	folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	err = folder && access(folder, W_OK | X_OK) ? -errno : 0;
	free(folder);
	return err ? cannot(path, err, diag) : 0;
}

/* A folder is left to rename() to refuse. */
static bool is_written_into(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

int wholefile_draw(const char *path, int (*draw)(FILE *out, const void *arg, struct diag *diag),
	const void *arg, struct diag *diag)
{
	bool into = is_written_into(path);
	char beside[PATH_MAX], ending[32] = "";
	FILE *out;
	int fd, err;

	if (!into)
		snprintf(ending, sizeof(ending), ".%ld.new", (long)getpid());
	if (snprintf(beside, sizeof(beside), "%s%s", path, ending) >= (int)sizeof(beside))
		return diag_error(diag, -ENAMETOOLONG, "%.200s: the name is too long", path);
	fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (into ? 0 : O_NOFOLLOW),
		0666);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return cannot(path, -errno, diag);
	err = draw_into(out, path, draw, arg, diag);
	if (into)
		return err;
	if (!err && rename(beside, path))
		err = cannot(path, -errno, diag);
	if (err)
		unlink(beside);
	return err;
}

static int draw_text(FILE *out, const void *arg, struct diag *diag)
{
	const struct text *text = arg;

	(void)diag;
	fwrite(text->text, 1, text->bytes, out);
	return 0;
}

int wholefile_write(const char *path, const char *text, size_t bytes, struct diag *diag)
{
	return wholefile_draw(path, draw_text, &(struct text){ text, bytes }, diag);
}
