/*
 * past - the runs of one fabric in a folder, as digests: what compare, history and sweep
 * work on.
 *
 * A run NAME is a run file NAME.run, or its digest NAME.json, or both; the digest then
 * saves reading the run file. The order of names (cmd/past_names.h) is the order of time, so
 * sweep names runs by UTC. Everything else in the folder is left alone. The file "baseline" holds the name
 * of the run that is the baseline.
 *
 * Each change of the folder is one rename(2): who is killed leaves the folder as it was
 * before or as it is after.
 */
#ifndef CMD_PAST_H
#define CMD_PAST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/digest.h"
#include "reports/history.h"

struct diag;

#define PAST_WHY 256u

struct past {
	struct history_run *runs; /* owned; in the order of time */
	struct digest *digests;   /* owned; what runs point to */
	size_t count;
	size_t baseline;    /* index, or HISTORY_NONE */
	size_t behind;      /* runs after the baseline, those not read as well */
	size_t damaged;     /* left out by past_load_whole() */
	char why[PAST_WHY]; /* of the first of these: a sentence that names its file */
};

#define PAST_INIT                                                                              \
	{                                                                                      \
		.runs = NULL, .baseline = HISTORY_NONE                                         \
	}

/* Reads the last `most` runs of the folder, and the baseline, however old. A run file that
 * another weft is writing is left out. Returns 0; -ENOENT where there is no such folder;
 * -EINVAL or -EPROTO for runs of two fabrics, and files that cannot be read, the baseline's
 * as well. */
int past_load(struct past *past, const char *folder, size_t most, struct diag *diag);
/* The same, but runs that are damaged are left out and counted, but for the baseline. */
int past_load_whole(struct past *past, const char *folder, size_t most, struct diag *diag);
/* As past_load(), whatever the baseline is. */
int past_load_runs(struct past *past, const char *folder, size_t most, struct diag *diag);
void past_free(struct past *past); /* safe twice */

/* -EINVAL where the runs are of another fabric, plane or backend than this one. */
int past_expect(const struct past *past, const char *folder, const struct digest *digest,
	struct diag *diag);

/* One run file, or one digest (*.json). A run file is judged, and so is the one beside a
 * digest of an older version. */
int past_read(struct digest *digest, const char *path, struct diag *diag);

/* Whether this is a digest that knows less than one made today of its run file would. */
bool past_is_old(const char *path);

/* Writes the digest of the run NAME beside it. */
int past_keep(
	const char *folder, const char *name, const struct digest *digest, struct diag *diag);

/* The newest `keep` run files stay, the baseline's, and those without a digest that can be
 * read; digests of all stay. */
int past_prune(const char *folder, size_t keep, struct diag *diag);

/* NULL: from now on none. */
int past_set_baseline(const char *folder, const char *name, struct diag *diag);

#endif
