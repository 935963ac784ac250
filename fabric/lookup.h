/*
 * lookup - finds ports by the names that stand in a run file, fast: a stage of
 * a large fabric has tens of thousands of rows.
 */
#ifndef FABRIC_LOOKUP_H
#define FABRIC_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

struct lookup {
	const struct fabric *fabric; /* borrowed */
	char (*texts)[2 * NAME_BYTES];
	uint32_t *slots; /* port + 1; 0: free */
	size_t mask;
};

#define LOOKUP_INIT                                                                            \
	{                                                                                      \
		.fabric = NULL                                                                 \
	}

void lookup_init(struct lookup *lookup, const struct fabric *fabric);
void lookup_free(struct lookup *lookup); /* safe twice */

/* Port index of "leaf1:9", or of a NIC's name; PORT_NONE when there is none.
 * The text need not end: length bytes of it count. */
uint32_t lookup_port(const struct lookup *lookup, const char *text, size_t length);

/* NIC index by the NIC's name, or PORT_NONE. */
uint32_t lookup_nic(const struct lookup *lookup, const char *text);

#endif
