/*
 * discover - hosts and their RoCE ports, as weft discover writes them into a fabric file.
 */
#ifndef CMD_DISCOVER_H
#define CMD_DISCOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/discover.h"

struct discover_host {
	const char *name; /* borrowed */
	bool missing;
	struct discover_port *ports; /* owned */
	uint32_t count;
};

/* Writes the file, hosts in the order of their leaves. False when no port can be used: then
 * there is only a comment. */
bool discover_write(FILE *out, const struct discover_host *hosts, uint32_t count);

#endif
