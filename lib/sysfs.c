/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_line(char *text, size_t size, const char *format, va_list args)
{
	char path[256];
	int length = vsnprintf(path, sizeof(path), format, args), fd;
	ssize_t got, kept = 0;

	if (length < 0 || (size_t)length >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	for (ssize_t i = 0; i < got && text[i] != '\n'; i++)
		if (text[i] >= ' ' && text[i] <= '~')
			text[kept++] = text[i];
	text[kept] = '\0';
	return kept > 0;
}

bool sysfs_text(char *text, size_t size, const char *path, ...)
{
	va_list args;
	bool read;

	va_start(args, path);
	read = read_line(text, size, path, args);
	va_end(args);
	return read;
}

bool sysfs_number(uint64_t *number, const char *path, ...)
{
	char text[32], *end;
	va_list args;
	bool read;

	va_start(args, path);
	read = read_line(text, sizeof(text), path, args);
	va_end(args);
	if (!read || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end;
}

bool sysfs_netdev(
	char *text, size_t size, const char *device, uint32_t port, uint32_t gid_index)
{
	return sysfs_text(text, size, "/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%u",
		device, port, gid_index);
}
