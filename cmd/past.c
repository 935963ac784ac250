/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/past.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/past_names.h"
#include "fabric/judge.h"
#include "fabric/measure.h"
#include "fabric/recorded.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run.h"
#include "lib/wholefile.h"
#include "reports/verdict.h"

/* --- one run --- */

static int digest_of_run(struct digest *digest, const char *path, struct diag *diag)
{
	struct fabric fabric = FABRIC_INIT;
	struct run *run = NULL;
	int err = run_open(&run, path, diag);

	if (!err)
		err = fabric_recorded(&fabric, run, path, diag);
	if (!err)
		err = measure_run(digest, run, &fabric, diag);
	if (!err)
		err = judge_run(run, &fabric, JUDGE_ALL, &digest->findings, diag);
	if (!err)
		digest->verdict = report_verdict(run, &digest->findings);
	else
		digest_free(digest);
	fabric_free(&fabric);
	run_close(run);
	return err;
}

static int read_text(char **text, size_t *bytes, const char *path, struct diag *diag)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	int err = 0;

	if (!file)
		return diag_system(diag, -errno, "cannot open %s", path);
	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode) ||
		(uint64_t)status.st_size > DIGEST_BYTES_MAX) {
		fclose(file);
		return diag_error(diag, -EINVAL, "%s is not a digest of a run", path);
	}
	*text = zeroed((size_t)status.st_size + 1, 1);
	*bytes = fread(*text, 1, (size_t)status.st_size, file);
	if (ferror(file)) {
		err = diag_system(diag, -EIO, "cannot read %s", path);
		free(*text);
	}
	fclose(file);
	return err;
}

static int read_digest(struct digest *digest, const char *path, struct diag *diag)
{
	size_t bytes = 0;
	char *text = NULL;
	int err = read_text(&text, &bytes, path, diag);

	if (err)
		return err;
	err = digest_parse(digest, path, text, bytes, diag);
	free(text);
	return err;
}

/* An older digest knows less than its run file, where that is still there. */
static void renew(struct digest *digest, const char *path)
{
	struct digest again = DIGEST_INIT;
	char run[PAST_PATH];
	struct diag why;

	snprintf(run, sizeof(run), "%.*s.run", (int)(strlen(path) - strlen(".json")), path);
	if (access(run, R_OK) || digest_of_run(&again, run, &why))
		return;
	digest_free(digest);
	*digest = again;
}

int past_read(struct digest *digest, const char *path, struct diag *diag)
{
	size_t length = strlen(path), tail = strlen(".json");
	int err;

	*digest = (struct digest)DIGEST_INIT;
	if (length <= tail || strcmp(path + length - tail, ".json") != 0)
		return digest_of_run(digest, path, diag);
	err = read_digest(digest, path, diag);
	if (!err && !digest->has_loads)
		renew(digest, path);
	return err;
}

bool past_is_old(const char *path)
{
	struct digest digest = DIGEST_INIT;
	struct diag why;
	bool is_old = !read_digest(&digest, path, &why) && !digest.has_loads;

	digest_free(&digest);
	return is_old;
}

/* The digest where there is one that this weft reads; else the run file. */
static int read_named(
	struct digest *digest, const char *folder, const char *name, struct diag *diag)
{
	char run[PAST_PATH], json[PAST_PATH];
	int err;

	past_path(run, folder, name, ".run");
	past_path(json, folder, name, ".json");
	if (access(json, F_OK))
		return past_read(digest, run, diag);
	err = past_read(digest, json, diag);
	if (err && access(run, F_OK) == 0)
		err = past_read(digest, run, diag);
	return err;
}

/* --- the baseline --- */

/* "" where none is chosen. One that was chosen and cannot be read is not no baseline. */
static int read_baseline(char *name, const char *folder, struct diag *diag)
{
	char path[PAST_PATH];
	FILE *file;

	name[0] = '\0';
	past_path(path, folder, "baseline", "");
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : diag_system(diag, -errno, "cannot read %s", path);
	if (!fgets(name, (int)PAST_NAME, file))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	fclose(file);
	return name[0] ? 0
		       : diag_error(diag, -EINVAL,
				 "%s names no run: weft history --baseline NAME chooses one, "
				 "--baseline none does without",
				 path);
}

/* --- the folder --- */

int past_expect(const struct past *past, const char *folder, const struct digest *digest,
	struct diag *diag)
{
	const struct digest *first = past->digests;

	if (!past->count)
		return 0;
	if (strcmp(first->fabric, digest->fabric) != 0 ||
		strcmp(first->plane, digest->plane) != 0 ||
		strcmp(first->backend, digest->backend) != 0)
		return diag_error(diag, -EINVAL,
			"%s holds runs of %s (plane %s, %s), and this is one of %s (plane %s, "
			"%s): expected a folder for each",
			folder, first->fabric, first->plane, first->backend, digest->fabric,
			digest->plane, digest->backend);
	return 0;
}

/* What is no run; what could not be read, or is of another version (-EPROTO), may be a good one. */
static bool is_damage(int err)
{
	return err == -EINVAL || err == -EISDIR;
}

static int stands_in_the_way(int err, struct diag *diag)
{
	char why[sizeof(diag->text)];

	if (!is_damage(err) && err != -EPROTO)
		return err;
	memcpy(why, diag->text, sizeof(why));
	return diag_error(
		diag, err, "%s; a history is read as a whole, once this is moved away", why);
}

static int leave_out(struct past *past, const struct diag *diag)
{
	if (!past->damaged++)
		snprintf(past->why, sizeof(past->why), "%.*s", (int)PAST_WHY - 1, diag->text);
	return 0;
}

static int add_run(
	struct past *past, const char *folder, const char *name, bool whole, struct diag *diag)
{
	struct digest *digest = &past->digests[past->count];
	int err = read_named(digest, folder, name, diag);

	if (err == -EBUSY) /* it is not a run yet */
		return 0;
	if (is_damage(err) && whole)
		return leave_out(past, diag);
	if (err)
		return stands_in_the_way(err, diag);
	err = past_expect(past, folder, digest, diag);
	if (err) {
		digest_free(digest);
		return err;
	}
	snprintf(past->runs[past->count].name, PAST_NAME, "%s", name);
	past->runs[past->count].digest = digest;
	past->count++;
	return 0;
}

static int load(struct past *past, const char *folder, size_t most, const char *baseline,
	bool whole, struct diag *diag)
{
	static const char *const endings[] = { ".run", ".json", NULL };
	struct past_listing listing;
	int err = past_list(&listing, folder, endings, diag);

	*past = (struct past)PAST_INIT;
	if (err)
		return err;
	past->runs = zeroed(listing.count, sizeof(*past->runs));
	past->digests = zeroed(listing.count, sizeof(*past->digests));
	for (size_t i = 0; i < listing.count && !err; i++) {
		size_t before = past->count;
		bool is_baseline = strcmp(listing.names[i], baseline) == 0;

		if (i + most < listing.count && !is_baseline)
			continue;
		err = add_run(past, folder, listing.names[i], whole && !is_baseline, diag);
		if (err || !is_baseline || past->count == before)
			continue;
		past->baseline = before;
		past->behind = listing.count - 1 - i;
	}
	free(listing.names);
	if (!err && baseline[0] && past->baseline == HISTORY_NONE)
		err = diag_error(diag, -ENOENT,
			"the baseline of %s, %s, is not there any more: weft history "
			"--baseline NAME chooses another, --baseline none does without",
			folder, baseline);
	if (err)
		past_free(past);
	return err;
}

static int load_with_baseline(
	struct past *past, const char *folder, size_t most, bool whole, struct diag *diag)
{
	char baseline[PAST_NAME];
	int err = read_baseline(baseline, folder, diag);

	*past = (struct past)PAST_INIT;
	return err ? err : load(past, folder, most, baseline, whole, diag);
}

int past_load(struct past *past, const char *folder, size_t most, struct diag *diag)
{
	return load_with_baseline(past, folder, most, false, diag);
}

int past_load_whole(struct past *past, const char *folder, size_t most, struct diag *diag)
{
	return load_with_baseline(past, folder, most, true, diag);
}

int past_load_runs(struct past *past, const char *folder, size_t most, struct diag *diag)
{
	return load(past, folder, most, "", false, diag);
}

void past_free(struct past *past)
{
	for (size_t i = 0; i < past->count; i++)
		digest_free(&past->digests[i]);
	free(past->runs);
	free(past->digests);
	*past = (struct past)PAST_INIT;
}

/* --- changing it --- */

/* Run files are removed for the sake of what is written here: it is on the disk. */
static int flush(FILE *out, struct diag *diag)
{
	if (fflush(out) || !fsync(fileno(out)))
		return 0; /* or the error is told of by whoever closes it */
	return diag_system(diag, -errno, "cannot write what is kept of a run");
}

static int draw_digest(FILE *out, const void *digest, struct diag *diag)
{
	digest_write(out, digest);
	return flush(out, diag);
}

int past_keep(
	const char *folder, const char *name, const struct digest *digest, struct diag *diag)
{
	char path[PAST_PATH];

	past_path(path, folder, name, ".json");
	return wholefile_draw(path, draw_digest, digest, diag);
}

static int draw_name(FILE *out, const void *name, struct diag *diag)
{
	fprintf(out, "%s\n", (const char *)name);
	return flush(out, diag);
}

int past_set_baseline(const char *folder, const char *name, struct diag *diag)
{
	char path[PAST_PATH];

	past_path(path, folder, "baseline", "");
	if (name)
		return wholefile_draw(path, draw_name, name, diag);
	if (unlink(path) && errno != ENOENT)
		return diag_system(diag, -errno, "cannot remove %s", path);
	return 0;
}

/* Whether the digest says all that is to be known of a run when its run file is gone. */
static bool is_kept(const char *folder, const char *name)
{
	char path[PAST_PATH];
	struct digest digest;
	struct diag diag;
	int err;

	past_path(path, folder, name, ".json");
	err = past_read(&digest, path, &diag);
	digest_free(&digest);
	return !err;
}

int past_prune(const char *folder, size_t keep, struct diag *diag)
{
	static const char *const endings[] = { ".run", NULL };
	struct past_listing listing;
	char baseline[PAST_NAME], path[PAST_PATH];
	int err = read_baseline(baseline, folder, diag);

	if (!err)
		err = past_list(&listing, folder, endings, diag);
	if (err)
		return err;
	for (size_t i = 0; i + keep < listing.count && !err; i++) {
		if (strcmp(listing.names[i], baseline) == 0 ||
			!is_kept(folder, listing.names[i]))
			continue;
		past_path(path, folder, listing.names[i], ".run");
		if (unlink(path) && errno != ENOENT)
			err = diag_system(diag, -errno, "cannot remove %s", path);
	}
	free(listing.names);
	return err;
}
