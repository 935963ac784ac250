/*
 * suspects - which link did it, when only the ends know that something was done.
 *
 * Packets that are changed on the way are counted by the NIC that gets them, and by
 * nobody else. But each flow's share of such events tells: a link that spoils packets at
 * random hits flows in proportion to what they send over it, and none that does not use
 * it. For each link, and for each of its directions alone, the likelihood of all events is
 * taken; the link is named whose share of all likelihoods together is large enough.
 */
#ifndef FABRIC_SUSPECTS_H
#define FABRIC_SUSPECTS_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/evidence.h"

/* What the named link is to have of all likelihoods: one wrong name in twenty at the worst. */
#define SUSPECTS_SURE 0.95

struct suspects {
	const struct fabric *fabric; /* borrowed */
	uint64_t events;
	double *carried;   /* packets; by port that they leave, then by link; owned */
	double *log_hits;  /* sum over events of log(packets of its flow there); owned */
	uint64_t *hits;    /* events of flows that go there; owned */
	double *now;       /* of one flow; owned */
	uint32_t *touched; /* owned */
};

void suspects_begin(struct suspects *suspects, const struct fabric *fabric);
void suspects_free(struct suspects *suspects); /* safe twice */

/* A flow whose ways are known, and how many events befell it. One without ways says nothing
 * and is left out. */
void suspects_add(struct suspects *suspects, const struct evidence *evidence, size_t flow,
	uint64_t events);

/* The likeliest links, best first, that together have SUSPECTS_SURE; no more than most of them.
 * Returns how many, 0 without an event or when more than most would be needed. */
uint32_t suspects_rank(
	const struct suspects *suspects, uint32_t *links, double *shares, uint32_t most);

#endif
