/*
 * host - the files in which a machine tells of itself, or a recorded copy of them.
 *
 * Whoever reads /sys, /proc or configfs reads through this, so that a folder can stand
 * for a machine: with a root, "/sys/class/net" is "ROOT/sys/class/net". The same root
 * holds what no file tells: netlink replies (lib/netlink.h) and driver statistics
 * (lib/driverstats.h). With record, what was read is also written below that folder,
 * under the same names; such a folder is a root for others. There "PATH.link" holds the
 * last part of what a symbolic link pointed to, and "PATH.errno" the number of the error
 * with which a reading failed.
 *
 * Nothing here sets anything. An errno is kept as the system gave it, because the
 * reasons differ: -ENOENT is absent, -EACCES and -EPERM are denied, -EOPNOTSUPP is not
 * offered by the driver, -ENODEV, -EIO, -ENXIO and -ENETDOWN come from what went away.
 */
#ifndef LIB_HOST_H
#define LIB_HOST_H

#include <stddef.h>

#define HOST_NAME 64
#define HOST_NAMES_MAX 1024u

struct host {
	const char *root;   /* borrowed; NULL: this machine */
	const char *record; /* borrowed; NULL: do not record */
};

/* Reads at most room - 1 bytes of a file; text ends in NUL and its last newline is
 * cut. path begins with '/'. Returns the bytes read, or a negative errno. */
int host_read(const struct host *host, const char *path, char *text, size_t room);

/* The same bytes as they are, for files that are no text. */
int host_bytes(const struct host *host, const char *path, void *bytes, size_t room);

/* The same for a file that holds one number, decimal or 0x; -ENODATA when it holds none. */
int host_read_number(const struct host *host, const char *path, long long *number);

/* The last part of what a symbolic link points to. Returns 0 or a negative errno. */
int host_link(const struct host *host, const char *path, char *name, size_t room);

/* The names in a folder but "." and "..", by name, numbers by value; longer ones than
 * HOST_NAME - 1 are left out. Returns how many, at most HOST_NAMES_MAX, or a negative
 * errno. *names is owned by the caller: free(). */
int host_list(const struct host *host, const char *path, char (**names)[HOST_NAME]);

/* Bytes that were recorded for something that is no file, and their recording. The
 * name is relative: "netlink/dcb-eth0". host_recorded() returns the bytes, at most
 * room, or a negative errno; it is only called with a root. */
int host_recorded(const struct host *host, const char *name, void *bytes, size_t room);
void host_record(const struct host *host, const char *name, const void *bytes, size_t size);
void host_record_error(const struct host *host, const char *name, int err);

/* "absent", "denied", "not supported", "gone" or "failed": what a negative errno says
 * of something that was to be read. */
const char *host_why(int err);

#endif
