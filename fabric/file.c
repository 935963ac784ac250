/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabric/file_parts.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/utf8.h"

int file_refuse(const struct file *file, uint32_t line, const char *format, ...)
{
	char sentence[704];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return diag_error(file->diag, -EINVAL, "%s:%u: %s", file->name, line, sentence);
}

/* The plane by name; NULL when the file has none of that name. */
static const struct doc_plane *find_plane(const struct doc *doc, const char *plane)
{
	if (!plane || strcmp(plane, FABRIC_PLANE) == 0)
		return &doc->top;
	for (unsigned i = 0; i < doc->plane_count; i++)
		if (doc->planes[i].name.line && strcmp(doc->planes[i].name.text, plane) == 0)
			return &doc->planes[i];
	return NULL;
}

static int no_such_plane(
	const struct doc *doc, const char *name, const char *plane, struct diag *diag)
{
	char shown[UTF8_CLIP], names[256];
	size_t used = (size_t)snprintf(names, sizeof(names), FABRIC_PLANE);

	for (unsigned i = 0; i < doc->plane_count; i++)
		if (used + strlen(doc->planes[i].name.text) + 3 < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, ", %s",
				doc->planes[i].name.text);
	utf8_clip(plane, shown);
	return diag_error(
		diag, -EINVAL, "%s: no plane \"%s\": expected one of %s", name, shown, names);
}

/* Every plane needs a name of its own. */
static int check_planes(const struct doc *doc, struct file *file)
{
	for (unsigned i = 0; i < doc->plane_count; i++) {
		const struct doc_plane *plane = &doc->planes[i];

		if (!plane->name.line)
			return file_refuse(file, plane->line,
				"planes: an entry without a name: expected name: sample, or "
				"another");
		if (strlen(plane->name.text) >= sizeof(file->fabric->plane))
			return file_refuse(file, plane->name.line,
				"planes.name \"%.20s...\": expected at most %zu bytes",
				plane->name.text, sizeof(file->fabric->plane) - 1);
		if (strcmp(plane->name.text, FABRIC_PLANE) == 0)
			return file_refuse(file, plane->name.line,
				"planes.name \"parameter\": expected another name, as the keys "
				"on top are the parameter plane");
		for (unsigned j = 0; j < i; j++)
			if (strcmp(doc->planes[j].name.text, plane->name.text) == 0)
				return file_refuse(file, plane->name.line,
					"planes.name \"%s\": given in line %u already: "
					"expected another name",
					plane->name.text, doc->planes[j].name.line);
	}
	return 0;
}

/* leafspine-32 of a path like examples/leafspine-32.yaml. */
static void name_by_path(char *to, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/'), *dot;
	const char *base = slash ? slash + 1 : path;
	size_t length;

	dot = strrchr(base, '.');
	length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	if (length >= size)
		length = size - 1;
	memcpy(to, base, length);
	to[length] = '\0';
}

static int build(const struct doc *doc, struct file *file, const char *plane)
{
	struct fabric *fabric = file->fabric;
	int err;

	if (doc->top.name.line)
		snprintf(fabric->name, sizeof(fabric->name), "%s", doc->top.name.text);
	else
		name_by_path(fabric->name, sizeof(fabric->name), file->name);
	snprintf(fabric->plane, sizeof(fabric->plane), "%s", plane ? plane : FABRIC_PLANE);
	err = file_read_settings(file);
	if (!err)
		err = file_read_wiring(file);
	if (!err)
		err = file_fit_buffer(file);
	if (!err)
		err = file_read_faults(file);
	return err;
}

int fabric_parse(struct fabric *fabric, const char *name, const char *text, size_t bytes,
	const char *plane, struct diag *diag)
{
	struct fabric made = FABRIC_INIT;
	struct file file = { .name = name, .fabric = &made, .diag = diag };
	void *data = NULL;
	struct doc *doc;
	int err;

	*fabric = made;
	if (bytes > FABRIC_FILE_BYTES_MAX)
		return diag_error(diag, -EFBIG, "%s: more than %u MiB: expected a fabric file",
			name, FABRIC_FILE_BYTES_MAX >> 20);
	err = yaml_doc_load(file_keys, sizeof(*doc), name, text, bytes, &data, diag);
	if (err)
		return err;
	doc = data;
	err = check_planes(doc, &file);
	file.plane = find_plane(doc, plane);
	if (!err && !file.plane)
		err = no_such_plane(doc, name, plane, diag);
	if (!err)
		err = build(doc, &file, plane);
	yaml_doc_free(file_keys, sizeof(*doc), data);
	if (err) {
		fabric_free(&made);
		return err;
	}
	made.text = zeroed(bytes + 1, 1);
	memcpy(made.text, text, bytes);
	made.text_bytes = bytes;
	*fabric = made;
	return 0;
}

/* Opened without waiting for a writer of a fifo, and looked at before reading. */
static int open_regular(const char *path, struct diag *diag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat;
	int err = 0;

	if (fd < 0) {
		err = -errno;
		return diag_system(diag, err, "%s: cannot be read", path);
	}
	if (fstat(fd, &stat)) {
		err = -errno;
		diag_system(diag, err, "%s: cannot be read", path);
	} else if (S_ISDIR(stat.st_mode)) {
		err = diag_error(diag, -EISDIR, "%s: a folder: expected a fabric file", path);
	} else if (!S_ISREG(stat.st_mode)) {
		err = diag_error(
			diag, -EINVAL, "%s: not a regular file: expected a fabric file", path);
	} else if (stat.st_size > (off_t)FABRIC_FILE_BYTES_MAX) {
		err = diag_error(diag, -EFBIG,
			"%s: %lld bytes: expected a fabric file of at most %u MiB", path,
			(long long)stat.st_size, FABRIC_FILE_BYTES_MAX >> 20);
	}
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* A file may grow while it is read, or tell no size (/proc): read to its end. */
static int read_all(int fd, const char *path, char *text, size_t *bytes, struct diag *diag)
{
	*bytes = 0;
	for (;;) {
		ssize_t got = read(fd, text + *bytes, FABRIC_FILE_BYTES_MAX + 1 - *bytes);

		if (got < 0) {
			int err = -errno;

			if (err == -EINTR)
				continue;
			return diag_system(diag, err, "%s: cannot be read", path);
		}
		if (got == 0)
			return 0;
		*bytes += (size_t)got;
		if (*bytes > FABRIC_FILE_BYTES_MAX)
			return diag_error(diag, -EFBIG,
				"%s: more than %u MiB: expected a fabric file", path,
				FABRIC_FILE_BYTES_MAX >> 20);
	}
}

int fabric_load(struct fabric *fabric, const char *path, const char *plane, struct diag *diag)
{
	int fd = open_regular(path, diag), err;
	char *text;
	size_t bytes;

	*fabric = (struct fabric)FABRIC_INIT;
	if (fd < 0)
		return fd;
	text = zeroed(FABRIC_FILE_BYTES_MAX + 1, 1);
	err = read_all(fd, path, text, &bytes, diag);
	close(fd);
	if (!err)
		err = fabric_parse(fabric, path, text, bytes, plane, diag);
	free(text);
	return err;
}
