/*
 * past_names - what the files of a history are called (cmd/past.h).
 *
 * A run NAME is NAME.run, NAME.json, or both; NAME.part while a sweep writes it. A sweep
 * names runs by UTC, 20261130T001500Z, and in the order of time names of that form come
 * after all others.
 */
#ifndef CMD_PAST_NAMES_H
#define CMD_PAST_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "reports/history.h"

struct diag;

#define PAST_PATH 4224u /* a folder of 4095 bytes, a name, an ending */
#define PAST_NAME sizeof(((struct history_run *)0)->name)

/* FOLDER/NAMEending. */
void past_path(char path[PAST_PATH], const char *folder, const char *name, const char *ending);

/* NAME of ".../NAME.run" or ".../NAME.json" or NAME, cut to size. */
void past_name(char *name, size_t size, const char *path);

/* Whether a sweep names runs like this; and, where when is not NULL, of which second. */
bool past_is_stamp(const char *name, time_t *when);

/* Whether a file of this name is one of a history's own, or would be taken for one. */
bool past_is_own(const char *file);

/* NAMEs without their endings, each once, in the order of time. */
struct past_listing {
	char (*names)[PAST_NAME]; /* owned: free() it */
	size_t count, room;
};

/* Of the files in the folder with one of these endings; NULL behind the last. Returns 0, or
 * the errno of reading the folder; then there is nothing to free. */
int past_list(struct past_listing *listing, const char *folder, const char *const *endings,
	struct diag *diag);

#endif
