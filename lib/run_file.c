/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/grow.h"

/* The SQLite file format, section 1.3 "The Database Header". */
#define HEADER_BYTES 108 /* with the header of the first page */
#define HEADER_MAGIC "SQLite format 3"
#define HEADER_WRITE_VERSION 18 /* 1: rollback journal; so does the next byte */
#define HEADER_USER_VERSION 60
#define HEADER_APPLICATION_ID 68
#define HEADER_CELLS 103 /* of the first page: tables there are */

/* SQLite does not keep the errno of a write that failed in a commit; no call that
 * succeeds after it touches errno, which every caller of ours has cleared. */
static int system_error(const struct run *run)
{
	int left = errno;
	int err = sqlite3_system_errno(run->db);

	if (err <= 0 && (left == EFBIG || left == EDQUOT || left == ENOSPC || left == EROFS))
		err = left;
	return err > 0 ? -err : -EIO;
}

static int errno_of(const struct run *run, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
	case SQLITE_MISMATCH:
	case SQLITE_CONSTRAINT:
	case SQLITE_TOOBIG:
		return -EINVAL;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return system_error(run);
	}
	return -EIO;
}

static int busy(const struct run *run, struct diag *diag)
{
	return diag_error(diag, -EBUSY,
		"%s is being written by another weft: wait until that one has ended%s",
		run->path, run->writing ? ", or name another run file" : "");
}

static int not_writable(const char *path, int err, struct diag *diag)
{
	return diag_error(diag, err,
		"%s cannot be written: %s; name a run file in a folder that you may write to",
		path, strerror(-err));
}

int run_sqlite_error(const struct run *run, int rc, struct diag *diag)
{
	int err = errno_of(run, rc);

	switch (err) {
	case -EBUSY:
		return busy(run, diag);
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return diag_error(diag, err,
			"%s cannot grow: %s; it holds what was written before; make room and "
			"run "
			"again",
			run->path, strerror(-err));
	case -EACCES:
	case -EROFS:
	case -EPERM:
		return not_writable(run->path, err, diag);
	case -EINVAL:
		return diag_error(diag, err,
			"%s is damaged or cut short (%s): it cannot be trusted; run again",
			run->path, sqlite3_errstr(rc));
	}
	return diag_error(diag, err, "%s: %s", run->path, sqlite3_errmsg(run->db));
}

int run_exec(struct run *run, const char *sql, struct diag *diag)
{
	int rc;

	errno = 0;
	rc = sqlite3_exec(run->db, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : run_sqlite_error(run, rc, diag);
}

int run_prepare(struct run *run, const char *sql, sqlite3_stmt **statement, struct diag *diag)
{
	int rc = sqlite3_prepare_v2(run->db, sql, -1, statement, NULL);

	return rc == SQLITE_OK ? 0 : run_sqlite_error(run, rc, diag);
}

int run_check_path(const char *path, struct diag *diag)
{
	struct stat st;

	if (!path[0])
		return diag_error(diag, -EINVAL, "a run file needs a name, such as fabric.run");
	if (stat(path, &st))
		return errno == ENOENT ? -ENOENT : diag_system(diag, -errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return diag_error(diag, -EISDIR,
			"%s is a folder: name the run file in it, such as %s/fabric.run", path,
			path);
	if (!S_ISREG(st.st_mode))
		return diag_error(diag, -EINVAL,
			"%s is not a regular file: a run file is kept on a disk", path);
	return 0;
}

/* Its journal is made beside the file, so the folder must be writable in any case. */
int run_check_folder(const char *path, struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int err = 0;

	if (!folder)
		out_of_memory();
	if (access(folder, W_OK))
		err = -errno;
	free(folder);
	if (err == -ENOENT)
		return diag_error(diag, err,
			"%s cannot be made: its folder does not exist; make that first", path);
	if (!err && access(path, W_OK) && errno != ENOENT)
		err = -errno;
	return err ? not_writable(path, err, diag) : 0;
}

int run_other_version(const struct run *run, uint32_t version, struct diag *diag)
{
	return diag_error(diag, -EPROTO,
		"%s is a run file of version %" PRIu32 ", and this weft reads version %d: %s",
		run->path, version, RUN_VERSION,
		run->writing ? "name another file, or remove this one"
			     : "use the weft that wrote it, or run again with this one");
}

static int cannot_open(const struct run *run, const char *path, int rc, struct diag *diag)
{
	return diag_system(diag, errno_of(run, rc), "%s cannot be opened", path);
}

int run_attach(struct run *run, const char *path, int flags, struct diag *diag)
{
	int rc;

	snprintf(run->path, sizeof(run->path), "%s", path);
	/* One thread at a time, as run.h says: no mutexes. */
	errno = 0;
	rc = sqlite3_open_v2(path, &run->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK)
		return cannot_open(run, path, rc, diag);
	/* What a stranger's file may make SQLite do is bounded here. */
	sqlite3_db_config(run->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(run->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(run->db, SQLITE_LIMIT_LENGTH, 64 << 20);
	if (!run->writing) /* a writer's VACUUM attaches one */
		sqlite3_limit(run->db, SQLITE_LIMIT_ATTACHED, 0);
	return run_exec(run, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON", diag);
}

static uint32_t big_endian(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/*
 * Read through SQLite's own handle: a descriptor of ours, when closed, would
 * drop the locks that this process holds on the file (fcntl(2), "Advisory record
 * locking").
 */
enum run_kind run_kind(struct run *run, uint32_t *version)
{
	unsigned char header[HEADER_BYTES] = { 0 };
	sqlite3_file *file = NULL;
	sqlite3_int64 bytes = 0;

	sqlite3_file_control(run->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (!file || !file->pMethods || file->pMethods->xFileSize(file, &bytes) != SQLITE_OK)
		return RUN_KIND_ALIEN;
	if (bytes == 0)
		return RUN_KIND_NONE;
	if (bytes < HEADER_BYTES ||
		file->pMethods->xRead(file, header, HEADER_BYTES, 0) != SQLITE_OK ||
		memcmp(header, HEADER_MAGIC, sizeof(HEADER_MAGIC)) != 0)
		return RUN_KIND_ALIEN;
	*version = big_endian(header + HEADER_USER_VERSION);
	if (big_endian(header + HEADER_APPLICATION_ID) == RUN_APPLICATION_ID)
		return *version == RUN_VERSION ? RUN_KIND_RUN : RUN_KIND_OTHER;
	/* One page without a table: a writer that died just after emptying it. */
	if (bytes <= 65536 && *version == 0 && !header[HEADER_CELLS] &&
		!header[HEADER_CELLS + 1] && big_endian(header + HEADER_APPLICATION_ID) == 0)
		return RUN_KIND_NONE;
	return RUN_KIND_ALIEN;
}
