/*
 * collect - the facts of one host, read live or from a recorded root.
 *
 * Fills the same facts (pfc/facts.h) that the parsers of pasted text fill, so that one
 * set of rules judges both. Read only: nothing is ever set. What cannot be read is a fact
 * too (READING): absent, denied, not supported, gone or failed; never a value.
 *
 * Only the ports that carry RoCE are looked at; a management interface is none.
 */
#ifndef PFC_COLLECT_H
#define PFC_COLLECT_H

#include <stdint.h>

#include "lib/host.h"

struct diag;
struct facts;

struct collect_wish {
	const char *place; /* the host's name in the facts */
	/* Counters are read twice, this far apart, and their differences are facts; 0:
	 * once, and only totals are. */
	uint64_t window_ns;
};

/* Adds what can be read. Returns 0, or a negative errno when not even the folders of
 * devices are there. */
int collect_host(struct facts *facts, const struct host *host, const struct collect_wish *wish,
	struct diag *diag);

#endif
