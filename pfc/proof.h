/*
 * proof - in which class bytes were counted while a known number of them was sent.
 *
 * The counters by priority of a port, read before and after, against the payload that
 * crossed it: facts PROOF, which the rule AUDIT_CLASS_PROOF judges. Counters count whole
 * frames and whatever else passes, so they may show more than was sent, never less. A
 * counter that is not there, or went down, makes no fact: absent is not zero.
 */
#ifndef PFC_PROOF_H
#define PFC_PROOF_H

#include <stdint.h>

#include "pfc/facts.h"

/* What was sent through a device, and what came in, by the end that sent it. */
struct proof_sent {
	const char *place, *device;
	uint64_t sent_bytes, received_bytes;
};

/* Adds what the port counted, and (as WANTED) that it is asked for. before and after hold
 * the host's facts with totals of its counters. */
void proof_add(struct facts *facts, const struct facts *before, const struct facts *after,
	const struct proof_sent *sent);

#endif
