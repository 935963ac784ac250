/*
 * sysfs - one value of a file under /sys, or of any other that holds one line.
 */
#ifndef LIB_SYSFS_H
#define LIB_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line, without what is no printable ASCII; false when the file is not there,
 * cannot be read, is empty, or its path too long. path is printf-like. */
__attribute__((format(printf, 3, 4))) bool sysfs_text(
	char *text, size_t size, const char *path, ...);

/* A decimal number; false also when it is none. */
__attribute__((format(printf, 2, 3))) bool sysfs_number(
	uint64_t *number, const char *path, ...);

/* The netdev behind a GID of an RDMA port; false when the kernel does not tell. */
bool sysfs_netdev(
	char *text, size_t size, const char *device, uint32_t port, uint32_t gid_index);

#endif
