/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/past_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"

/* The length of file without the ending; 0: it has another one. */
static size_t without(const char *file, const char *ending)
{
	size_t length = strlen(file), tail = strlen(ending);

	if (length <= tail || strcmp(file + length - tail, ending) != 0)
		return 0;
	return length - tail;
}

void past_path(char path[PAST_PATH], const char *folder, const char *name, const char *ending)
{
	snprintf(path, PAST_PATH, "%s/%s%s", folder, name, ending);
}

void past_name(char *name, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = without(base, ".run");

	if (!length)
		length = without(base, ".json");
	snprintf(name, size, "%.*s", (int)(length ? length : strlen(base)), base);
}

bool past_is_stamp(const char *name, time_t *when)
{
	struct tm utc = { .tm_sec = 0 };
	size_t length = strlen("20261130T001500Z");
	const char *end;

	/* strptime() takes fewer digits and blanks, too. */
	if (strlen(name) != length || strspn(name, "0123456789TZ") != length)
		return false;
	end = strptime(name, "%Y%m%dT%H%M%SZ", &utc);
	if (!end || *end)
		return false;
	if (when)
		*when = timegm(&utc);
	return true;
}

bool past_is_own(const char *file)
{
	return without(file, ".run") || without(file, ".json") || without(file, ".part") ||
	       strcmp(file, "baseline") == 0 || strcmp(file, ".lock") == 0;
}

static int by_time(const void *left, const void *right)
{
	bool is_left = past_is_stamp(left, NULL), is_right = past_is_stamp(right, NULL);

	return is_left == is_right ? strcmp(left, right) : is_left - is_right;
}

/* A name stands once, though run file and digest are there. */
static void sort_names(struct past_listing *listing)
{
	size_t kept = 0;

	if (!listing->count)
		return;
	qsort(listing->names, listing->count, PAST_NAME, by_time);
	for (size_t i = 0; i < listing->count; i++)
		if (!kept || strcmp(listing->names[kept - 1], listing->names[i]) != 0)
			memmove(listing->names[kept++], listing->names[i], PAST_NAME);
	listing->count = kept;
}

static void add(struct past_listing *listing, const char *file, size_t length)
{
	listing->names = grow(listing->names, listing->count, &listing->room, PAST_NAME);
	snprintf(listing->names[listing->count++], PAST_NAME, "%.*s", (int)length, file);
}

int past_list(struct past_listing *listing, const char *folder, const char *const *endings,
	struct diag *diag)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	*listing = (struct past_listing){ .names = NULL };
	if (!dir)
		return diag_system(diag, -errno, "cannot read the folder %s", folder);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= PAST_NAME)
			continue;
		for (size_t i = 0; endings[i]; i++) {
			size_t length = without(entry->d_name, endings[i]);

			if (length)
				add(listing, entry->d_name, length);
		}
	}
	closedir(dir);
	sort_names(listing);
	return 0;
}
