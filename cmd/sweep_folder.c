/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/past.h"
#include "cmd/past_names.h"
#include "lib/diag.h"
#include "lib/run.h"

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
	char path[PAST_PATH];
	int fd;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return diag_system(diag, -errno, "cannot make the folder %s", folder);
	past_path(path, folder, ".lock", "");
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
	char part[PAST_PATH], run[PAST_PATH];

	past_path(part, folder, name, ".part");
	past_path(run, folder, name, ".run");
	if (rename(part, run))
		return diag_system(diag, -errno, "cannot rename %s", part);
	return 0;
}

/* Reading it takes half a commit back; what is then left of a journal holds nothing. Nor
 * does a file whose writer was killed before its first commit. What else cannot be read
 * may be anybody's. */
static int recover_part(const char *folder, const char *name, struct diag *diag)
{
	char part[PAST_PATH], journal[PAST_PATH];
	struct digest digest;
	int err;

	past_path(part, folder, name, ".part");
	past_path(journal, folder, name, ".part-journal");
	err = past_read(&digest, part, diag);
	digest_free(&digest);
	if (err && !run_is_blank(part)) {
		fprintf(stderr, "weft sweep: %s is left alone: %s\n", part, diag->text);
		return 0;
	}
	if (err)
		unlink(part);
	unlink(journal);
	return err ? 0 : sweep_settle(folder, name, diag);
}

/* A run gets the digest that it lacks, or a new one for that of an older version, which would
 * else be made at each look. One that cannot be read is for past_load() to refuse. */
static int recover_digest(const char *folder, const char *name, struct diag *diag)
{
	char run[PAST_PATH], json[PAST_PATH];
	struct digest digest;
	int err;

	past_path(run, folder, name, ".run");
	past_path(json, folder, name, ".json");
	if (access(json, F_OK) == 0 && !past_is_old(json))
		return 0;
	err = past_read(&digest, run, diag);
	if (err)
		return 0;
	err = past_keep(folder, name, &digest, diag);
	digest_free(&digest);
	return err;
}

/* NAME.json.PROCESS.new of lib/wholefile, left by a writer that was killed. */
static int recover_new(const char *folder, const char *name, struct diag *diag)
{
	char path[PAST_PATH], stamp[PAST_NAME];
	const char *rest = name + strcspn(name, ".");
	long process = 0;
	int end = 0;

	(void)diag;
	snprintf(stamp, sizeof(stamp), "%.*s", (int)(rest - name), name);
	if (strcmp(stamp, "baseline") != 0 && !past_is_stamp(stamp, NULL))
		return 0;
	if (sscanf(rest, strcmp(stamp, "baseline") == 0 ? ".%ld%n" : ".json.%ld%n", &process,
		    &end) != 1 ||
		rest[end] || process <= 0)
		return 0;
	past_path(path, folder, name, ".new");
	if (kill((pid_t)process, 0) && errno == ESRCH)
		unlink(path);
	return 0;
}

/* Calls back with the NAME of each file NAMEending; of stamps alone where that is asked. */
static int each(const char *folder, const char *ending, bool stamps,
	int (*recover)(const char *folder, const char *name, struct diag *diag),
	struct diag *diag)
{
	const char *const endings[] = { ending, NULL };
	struct past_listing listing;
	int err = past_list(&listing, folder, endings, diag);

	if (err)
		return err;
	for (size_t i = 0; i < listing.count && !err; i++)
		if (!stamps || past_is_stamp(listing.names[i], NULL))
			err = recover(folder, listing.names[i], diag);
	free(listing.names);
	return err;
}

int sweep_recover(const char *folder, struct diag *diag)
{
	int err = each(folder, ".part", true, recover_part, diag);

	if (!err)
		err = each(folder, ".new", false, recover_new, diag);
	return err ? err : each(folder, ".run", false, recover_digest, diag);
}

int sweep_name(char *name, size_t size, const char *folder, struct diag *diag)
{
	static const char *const endings[] = { ".run", ".json", ".part", NULL };
	struct past_listing listing;
	int err = past_list(&listing, folder, endings, diag);
	time_t now = time(NULL), last;
	struct tm utc;

	if (err)
		return err;
	if (listing.count && past_is_stamp(listing.names[listing.count - 1], &last) &&
		last >= now)
		now = last + 1;
	free(listing.names);
	gmtime_r(&now, &utc);
	strftime(name, size, "%Y%m%dT%H%M%SZ", &utc);
	return 0;
}
