/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/counterfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/diag.h"

int counterfile_open(
	struct counterfile *file, const struct host *host, const char *path, struct diag *diag)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", host->root ? host->root : "", path) >=
		(int)sizeof(full))
		return diag_error(
			diag, -ENAMETOOLONG, "counter %.200s: the path is too long", path);
	file->fd = open(full, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return diag_system(diag, -errno, "counter %.200s", full);
	return 0;
}

int counterfile_read(const struct counterfile *file, uint64_t *value)
{
	char text[32], *end;
	ssize_t got = pread(file->fd, text, sizeof(text) - 1, 0);
	uint64_t number;

	if (got < 0)
		return errno == ENXIO || errno == EIO ? -ENODEV : -errno;
	text[got] = '\0';
	if (text[0] < '0' || text[0] > '9')
		return -ENODATA;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || (*end && *end != '\n'))
		return -ENODATA;
	*value = number;
	return 0;
}

void counterfile_close(struct counterfile *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
