/*
 * file_fault_kinds - what each kind of fault takes in a fabric file: the places
 * where it may stand, its amount with range and default, and its other keys.
 * Known to fabric/file_fault*.c only; docs/fabric-file.md tells the same to users.
 */
#ifndef FABRIC_FILE_FAULT_KINDS_H
#define FABRIC_FILE_FAULT_KINDS_H

#include <stdint.h>

#include "fabric/fabric.h"

enum fault_places {
	PLACE_LINK = 1 << 0,   /* leaf1-spine2: both directions */
	PLACE_PORT = 1 << 1,   /* leaf1:9: the direction that leaves it, or its own doing */
	PLACE_SWITCH = 1 << 2, /* leaf1 */
	PLACE_NIC = 1 << 3,    /* host3, host3:2 */
};

enum fault_amount { AMOUNT_NONE, AMOUNT_SHARE, AMOUNT_TIME, AMOUNT_BYTES, AMOUNT_COUNT };

enum fault_takes {
	TAKES_PRIORITY = 1 << 0,
	TAKES_BURST = 1 << 1,
	TAKES_WITH = 1 << 2,
	TAKES_TOWARDS = 1 << 3,
	NO_TIMES = 1 << 4, /* neither from nor to: it is so all the time */
};

/* Where a kind works on links or their directions and the place is a NIC, the
 * NIC's link is meant. */
struct fault_form {
	const char *name;
	unsigned places;
	const char *expected; /* places, for the refusal */
	enum fault_amount amount;
	uint64_t usual, min, max; /* ppb, ns, bytes or a count, by amount */
	uint64_t period_default;  /* 0: takes no period */
	unsigned takes;
};

const struct fault_form *fault_form(enum fault_kind kind);

#endif
