/*
 * figures_ring - the figures of a ring all-reduce from the times of its steps.
 */
#ifndef REPORTS_FIGURES_RING_H
#define REPORTS_FIGURES_RING_H

#include <stdint.h>

#include "reports/figures.h"

/* Adds a row for stage (index into figures->stages) if it is a ring; with no
 * steps the row has no times. Returns 0, or a negative errno of reading. */
int figures_read_ring(
	struct figures *figures, uint32_t stage, struct run *run, struct diag *diag);

#endif
