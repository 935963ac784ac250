/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/past.h"
#include "lib/diag.h"

#define PATH_BYTES 4096
#define NAME_BYTES 64

/* --- the lock --- */

static int refuse_second(int fd, const char *folder, struct diag *diag)
{
	char holder[24] = "";
	ssize_t got = pread(fd, holder, sizeof(holder) - 1, 0);

	holder[got > 0 ? strcspn(holder, "\n") : 0] = '\0';
	return diag_error(diag, -EBUSY,
		"another sweep is at work in %s%s%s: wait for it, or give this one another "
		"--history",
		folder, holder[0] ? ", process " : "", holder);
}

int sweep_lock(const char *folder, struct diag *diag)
{
	char path[PATH_BYTES];
	int fd;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return diag_system(diag, -errno, "cannot make the folder %s", folder);
	snprintf(path, sizeof(path), "%s/.lock", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return diag_system(diag, -errno, "cannot open %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int err = -errno;

		err = err == -EWOULDBLOCK ? refuse_second(fd, folder, diag)
					  : diag_system(diag, err, "cannot lock %s", path);
		close(fd);
		return err;
	}
	/* fd stays open: the lock ends with the process. Its number is for people. */
	if (ftruncate(fd, 0) || dprintf(fd, "%ld\n", (long)getpid()) < 0)
		return diag_system(diag, -errno, "cannot write %s", path);
	return 0;
}

/* --- runs that are not whole --- */

int sweep_settle(const char *folder, const char *name, struct diag *diag)
{
	char part[PATH_BYTES], run[PATH_BYTES];

	snprintf(part, sizeof(part), "%s/%s.part", folder, name);
	snprintf(run, sizeof(run), "%s/%s.run", folder, name);
	if (rename(part, run))
		return diag_system(diag, -errno, "cannot rename %s", part);
	return 0;
}

/* Reading it takes half a commit back; what is then left of a journal holds nothing. Nor
 * does a file whose writer was killed before its first commit. */
static int recover_part(const char *folder, const char *name, struct diag *diag)
{
	char part[PATH_BYTES], journal[PATH_BYTES];
	struct digest digest;
	int err;

	snprintf(part, sizeof(part), "%s/%s.part", folder, name);
	snprintf(journal, sizeof(journal), "%s/%s.part-journal", folder, name);
	err = past_read(&digest, part, diag);
	digest_free(&digest);
	if (err && err != -EINVAL)
		return err;
	if (err)
		unlink(part);
	unlink(journal);
	return err ? 0 : sweep_settle(folder, name, diag);
}

/* One that cannot be read is for past_load() to refuse. */
static int recover_digest(const char *folder, const char *name, struct diag *diag)
{
	char run[PATH_BYTES], json[PATH_BYTES];
	struct digest digest;
	int err;

	snprintf(run, sizeof(run), "%s/%s.run", folder, name);
	snprintf(json, sizeof(json), "%s/%s.json", folder, name);
	if (access(json, F_OK) == 0)
		return 0;
	err = past_read(&digest, run, diag);
	if (err)
		return 0;
	err = past_keep(folder, name, &digest, diag);
	digest_free(&digest);
	return err;
}

/* Calls back with the NAME of each file NAME.ending. */
static int each(const char *folder, const char *ending,
	int (*recover)(const char *folder, const char *name, struct diag *diag),
	struct diag *diag)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return diag_system(diag, -errno, "cannot read the folder %s", folder);
	while (!err && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name), tail = strlen(ending);
		char name[NAME_BYTES];

		if (entry->d_name[0] == '.' || length <= tail ||
			length - tail >= sizeof(name) ||
			strcmp(entry->d_name + length - tail, ending) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(length - tail), entry->d_name);
		err = recover(folder, name, diag);
	}
	closedir(dir);
	return err;
}

int sweep_recover(const char *folder, struct diag *diag)
{
	int err = each(folder, ".part", recover_part, diag);

	return err ? err : each(folder, ".run", recover_digest, diag);
}

static int is_taken(const char *folder, const char *name)
{
	static const char *const endings[] = { "run", "json", "part" };
	char path[PATH_BYTES];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s.%s", folder, name, endings[i]);
		if (access(path, F_OK) == 0)
			return 1;
	}
	return 0;
}

void sweep_name(char *name, size_t size, const char *folder)
{
	time_t now = time(NULL);
	struct tm utc;

	do {
		gmtime_r(&now, &utc);
		strftime(name, size, "%Y%m%dT%H%M%SZ", &utc);
		now++;
	} while (is_taken(folder, name));
}
