/*
 * wholefile - a file that readers see as it was or as it is, never half written.
 *
 * The bytes go to a file beside it, which then takes its name. A reader of metrics, such as
 * the textfile collector of node_exporter, can come at any time.
 */
#ifndef LIB_WHOLEFILE_H
#define LIB_WHOLEFILE_H

#include <stddef.h>

struct diag;

/* Returns 0, or a negative errno with the sentence; then the file is as it was. The new one
 * can be read by all, as the umask allows. */
int wholefile_write(const char *path, const char *text, size_t bytes, struct diag *diag);

#endif
