/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/grow.h"

/* What is recorded beside a path. */
#define LINK_SUFFIX ".link"
#define ERRNO_SUFFIX ".errno"

static int below(
	char *full, size_t room, const char *root, const char *path, const char *suffix)
{
	int length = snprintf(full, room, "%s%s%s", root ? root : "", path, suffix);

	return length < 0 || (size_t)length >= room ? -ENAMETOOLONG : 0;
}

/* A folder that a reading of another path has left where a file belongs is removed:
 * while it is empty nothing is lost. */
static int create(const char *full)
{
	char parent[PATH_MAX];
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd >= 0)
		return fd;
	snprintf(parent, sizeof(parent), "%s", full);
	for (char *slash = parent + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(parent, 0777);
		*slash = '/';
	}
	rmdir(full);
	return open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* A recording that fails leaves a hole, which whoever reads it finds absent. */
static void record(const struct host *host, const char *path, const char *suffix,
	const void *bytes, size_t size)
{
	char full[PATH_MAX];
	int fd;

	if (!host->record || below(full, sizeof(full), host->record, path, suffix))
		return;
	fd = create(full);
	if (fd < 0)
		return;
	if (write(fd, bytes, size) != (ssize_t)size)
		unlink(full);
	close(fd);
}

static int record_errno(const struct host *host, const char *path, int err)
{
	char text[16];

	if (err != -ENOENT && host->record)
		record(host, path, ERRNO_SUFFIX, text,
			(size_t)snprintf(text, sizeof(text), "%d\n", -err));
	return err;
}

static int read_all(const char *full, void *bytes, size_t room)
{
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while (used < room && (got = read(fd, (char *)bytes + used, room - used)) != 0) {
		if (got < 0) {
			err = -errno;
			break;
		}
		used += (size_t)got;
	}
	close(fd);
	return err ? err : (int)used;
}

/* The error that was recorded for a path; -ENOENT when none was. */
static int recorded_errno(const struct host *host, const char *path)
{
	char full[PATH_MAX], text[16];
	int got = below(full, sizeof(full), host->root, path, ERRNO_SUFFIX);
	long number;

	if (got == 0)
		got = read_all(full, text, sizeof(text) - 1);
	if (got <= 0)
		return -ENOENT;
	text[got] = '\0';
	number = strtol(text, NULL, 10);
	return number > 0 && number < 4096 ? -(int)number : -ENOENT;
}

int host_bytes(const struct host *host, const char *path, void *bytes, size_t room)
{
	char full[PATH_MAX];
	int got = below(full, sizeof(full), host->root, path, "");

	if (got == 0)
		got = read_all(full, bytes, room);
	if (got == -ENOENT && host->root)
		got = recorded_errno(host, path);
	if (got < 0)
		return record_errno(host, path, got);
	record(host, path, "", bytes, (size_t)got);
	return got;
}

int host_read(const struct host *host, const char *path, char *text, size_t room)
{
	int got = host_bytes(host, path, text, room - 1);

	if (got < 0)
		return got;
	text[got] = '\0';
	if (got > 0 && text[got - 1] == '\n')
		text[--got] = '\0';
	return got;
}

int host_read_number(const struct host *host, const char *path, long long *number)
{
	char text[64], *end;
	int got = host_read(host, path, text, sizeof(text));
	long long value;

	if (got < 0)
		return got;
	errno = 0;
	value = strtoll(text, &end, 0);
	if (errno || end == text || end[strspn(end, " \t\n")])
		return -ENODATA;
	*number = value;
	return 0;
}

int host_link(const struct host *host, const char *path, char *name, size_t room)
{
	char full[PATH_MAX], target[PATH_MAX];
	ssize_t got = below(full, sizeof(full), host->root, path, "");
	const char *last;

	if (got == 0) {
		got = readlink(full, target, sizeof(target) - 1);
		got = got < 0 ? -errno : got;
	}
	if ((got == -ENOENT || got == -EINVAL) && host->root &&
		below(full, sizeof(full), host->root, path, LINK_SUFFIX) == 0)
		got = read_all(full, target, sizeof(target) - 1);
	if (got == -ENOENT && host->root)
		got = recorded_errno(host, path);
	if (got < 0)
		return record_errno(host, path, (int)got);
	target[got] = '\0';
	target[strcspn(target, "\n")] = '\0';
	last = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	if (strlen(last) >= room)
		return -ENAMETOOLONG;
	record(host, path, LINK_SUFFIX, last, strlen(last));
	memcpy(name, last, strlen(last) + 1);
	return 0;
}

static int by_name(const void *left, const void *right)
{
	return strverscmp(left, right);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static bool is_wanted(const struct host *host, const char *name)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strlen(name) >= HOST_NAME)
		return false;
	return !host->root || (!ends_in(name, LINK_SUFFIX) && !ends_in(name, ERRNO_SUFFIX));
}

static void record_folder(const struct host *host, const char *path, const char *name)
{
	char full[PATH_MAX], inside[PATH_MAX];

	if (!host->record || snprintf(inside, sizeof(inside), "%s/%s", path, name) < 0 ||
		below(full, sizeof(full), host->record, inside, "") || access(full, F_OK) == 0)
		return;
	close(create(full));
	unlink(full);
	mkdir(full, 0777);
}

int host_list(const struct host *host, const char *path, char (**names)[HOST_NAME])
{
	char full[PATH_MAX];
	int err = below(full, sizeof(full), host->root, path, "");
	DIR *dir = err ? NULL : opendir(full);
	const struct dirent *entry;
	char(*found)[HOST_NAME];
	int count = 0;

	if (!dir) {
		err = err ? err : -errno;
		if (err == -ENOENT && host->root)
			err = recorded_errno(host, path);
		return record_errno(host, path, err);
	}
	found = zeroed(HOST_NAMES_MAX, HOST_NAME);
	while (count < (int)HOST_NAMES_MAX && (entry = readdir(dir)))
		if (is_wanted(host, entry->d_name)) {
			snprintf(found[count++], HOST_NAME, "%.63s", entry->d_name);
			record_folder(host, path, entry->d_name);
		}
	closedir(dir);
	qsort(found, (size_t)count, HOST_NAME, by_name);
	*names = found;
	return count;
}

int host_recorded(const struct host *host, const char *name, void *bytes, size_t room)
{
	char path[2 * HOST_NAME];

	snprintf(path, sizeof(path), "/%s", name);
	return host_bytes(host, path, bytes, room);
}

void host_record(const struct host *host, const char *name, const void *bytes, size_t size)
{
	char path[2 * HOST_NAME];

	snprintf(path, sizeof(path), "/%s", name);
	record(host, path, "", bytes, size);
}

void host_record_error(const struct host *host, const char *name, int err)
{
	char path[2 * HOST_NAME];

	snprintf(path, sizeof(path), "/%s", name);
	record_errno(host, path, err);
}

const char *host_why(int err)
{
	switch (-err) {
	case ENOENT:
	case ENODATA:
		return "absent";
	case EPERM:
	case EACCES:
		return "denied";
	case EOPNOTSUPP:
	case ENOSYS:
	case ENOTTY:
		return "not supported";
	case ENODEV:
	case ENXIO:
	case EIO:
	case ENETDOWN:
		return "gone";
	default:
		return "failed";
	}
}
