/*
 * measure - the figures of a run for its digest: for each link, NIC, pair and stage
 * what was observed, without a verdict.
 *
 * Only stages that ran to their end or to their own deadline count. A counter that was
 * not read, or that went down, gives no figure: absent is not zero.
 */
#ifndef FABRIC_MEASURE_H
#define FABRIC_MEASURE_H

#include "fabric/fabric.h"
#include "lib/digest.h"
#include "lib/run.h"

struct diag;

/* Fills all of digest but findings and verdict. Returns 0, or a negative errno of
 * reading the run with the sentence in diag; digest is then DIGEST_INIT. */
int measure_run(
	struct digest *digest, struct run *run, const struct fabric *fabric, struct diag *diag);

#endif
