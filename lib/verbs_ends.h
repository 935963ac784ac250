/*
 * verbs_ends - what a host could use as its end of traffic: the RoCE v2 GIDs of its ports that
 * are up, each with the subnet that it is in.
 */
#ifndef LIB_VERBS_ENDS_H
#define LIB_VERBS_ENDS_H

#include <stdint.h>

#include "lib/gid.h"
#include "lib/verbs.h"

#define VERBS_ENDS_MAX 256u

struct diag;

struct verbs_end {
	char device[VERBS_NAME];
	uint32_t port, gid_index;
	uint8_t gid[GID_BYTES];
	uint32_t prefix_bits; /* of the subnet, of the 128 of a GID; 0: not known */
};

struct verbs_ends {
	uint32_t count;
	struct verbs_end items[VERBS_ENDS_MAX]; /* by device, then by index */
};

/* Those that choice leaves: of one device, with one index, of one family; of gid no more is
 * looked at. Link-local ones only by index. Returns 0, or why none would do, with the errors of
 * verbs_open(). */
int verbs_ends_find(
	struct verbs_ends *ends, const struct verbs_choice *choice, struct diag *diag);

#endif
