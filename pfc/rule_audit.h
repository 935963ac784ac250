/*
 * rule_audit - what the fabric file asks of a port, for the rules that hold hosts against
 * it: pfc/rules_audit.c, pfc/rules_lint.c, and what weft audit prints.
 */
#ifndef PFC_RULE_AUDIT_H
#define PFC_RULE_AUDIT_H

#include <stdbool.h>

#include "pfc/facts.h"

/* The name of the fact WANTED that asks for the class to be proved by bytes sent. */
#define AUDIT_WANTS_PROOF "proof"

/* What is wanted of a device of a place: its own row, else the host's. NULL: nothing. */
const struct fact *audit_wanted(
	const struct facts *facts, const char *place, const char *device, const char *name);

/* Where a port puts a DSCP. *said: by a row of its map; else the default of drivers,
 * DSCP / 8. rail: a fact RAIL. */
int audit_priority(const struct facts *facts, const struct fact *rail, int dscp, bool *said);

#endif
