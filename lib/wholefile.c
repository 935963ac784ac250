/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/wholefile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/diag.h"

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t wrote = write(fd, text, bytes);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		text += wrote;
		bytes -= (size_t)wrote;
	}
	return 0;
}

int wholefile_write(const char *path, const char *text, size_t bytes, struct diag *diag)
{
	char beside[PATH_MAX];
	int fd, err;

	if (snprintf(beside, sizeof(beside), "%s.%ld.new", path, (long)getpid()) >=
		(int)sizeof(beside))
		return diag_error(diag, -ENAMETOOLONG, "%.200s: the name is too long", path);
	fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return diag_system(diag, -errno, "%.200s cannot be written", path);
	err = write_all(fd, text, bytes);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(beside, path))
		err = -errno;
	if (!err)
		return 0;
	unlink(beside);
	return diag_system(diag, err, "%.200s cannot be written", path);
}
