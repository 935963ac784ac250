/*
 * wholefile - a file that readers see as it was or as it is, never half written.
 *
 * The bytes go to a file beside it, which then takes its name. A reader of metrics, such as
 * the textfile collector of node_exporter, can come at any time.
 *
 * Only a regular file is replaced. What is there and is none (a device, a pipe, a symbolic
 * link and what it leads to) is written into and stays what it is.
 */
#ifndef LIB_WHOLEFILE_H
#define LIB_WHOLEFILE_H

#include <stddef.h>
#include <stdio.h>

struct diag;

/* Returns 0, or a negative errno with the sentence; then a regular file is as it was. The
 * new one can be read by all, as the umask allows. */
int wholefile_write(const char *path, const char *text, size_t bytes, struct diag *diag);

/* The same, drawn piece by piece. Returns draw()'s error, too; what out did not take is
 * told of here. */
int wholefile_draw(const char *path, int (*draw)(FILE *out, const void *arg, struct diag *diag),
	const void *arg, struct diag *diag);

/* Whether the name is one that could be written to, as far as can be told without writing:
 * before work begins whose result would be drawn there. Returns 0, -EISDIR, or the errno of
 * the folder it would be in, with the sentence. */
int wholefile_check(const char *path, struct diag *diag);

#endif
