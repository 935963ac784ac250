/*
 * file - reads a fabric file (YAML, docs/fabric-file.md) into a struct fabric.
 *
 * A file that cannot be read, parsed or built is refused with one sentence:
 * file:line, what was given, what would do.
 */
#ifndef FABRIC_FILE_H
#define FABRIC_FILE_H

#include <stddef.h>

#include "fabric/fabric.h"

struct diag;

#define FABRIC_FILE_BYTES_MAX (4u << 20)

/* plane: which plane to expand; NULL: the parameter plane. Returns 0; -ENOENT
 * and other errnos of open and read; -EFBIG past FABRIC_FILE_BYTES_MAX; -EINVAL
 * for what is not a fabric. On failure *fabric is FABRIC_INIT. */
int fabric_load(struct fabric *fabric, const char *path, const char *plane, struct diag *diag);

/* The same from memory; name stands in the messages where the path would. */
int fabric_parse(struct fabric *fabric, const char *name, const char *text, size_t bytes,
	const char *plane, struct diag *diag);

#endif
