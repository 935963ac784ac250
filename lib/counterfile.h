/*
 * counterfile - one counter that is a file with a number, kept open and read again and
 * again: what a sampler at 1 kHz needs.
 */
#ifndef LIB_COUNTERFILE_H
#define LIB_COUNTERFILE_H

#include <stdint.h>

#include "lib/host.h"

struct diag;

struct counterfile {
	int fd; /* -1: closed */
};

#define COUNTERFILE_INIT                                                                       \
	{                                                                                      \
		-1                                                                             \
	}

/* path as for host_read(), such as "/sys/class/net/eth0/statistics/rx_bytes". */
int counterfile_open(
	struct counterfile *file, const struct host *host, const char *path, struct diag *diag);
/* Returns 0; -ENODATA when it holds no number ("N/A (no PMA)"); -ENODEV when what it
 * belongs to is gone; or another negative errno. */
int counterfile_read(const struct counterfile *file, uint64_t *value);
void counterfile_close(struct counterfile *file); /* safe twice */

#endif
