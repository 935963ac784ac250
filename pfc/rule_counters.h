/*
 * rule_counters - counters asked by meaning: what the rules of congestion, link
 * and paths have in common.
 */
#ifndef PFC_RULE_COUNTERS_H
#define PFC_RULE_COUNTERS_H

#include <stdbool.h>

#include "pfc/counter_table.h"
#include "pfc/facts.h"

#define ANY_PRIORITY (-2)

struct count {
	bool present; /* some row has it: 0 then means zero */
	double sum;
	double window_s;         /* of a row that has one; 0: not known */
	const struct fact *most; /* the largest row; NULL when none is above 0 */
	int priority;            /* of most; -1: of none */
};

/* All rows with this meaning. place NULL: everywhere. priority: 0..7, -1 for
 * rows that have none, ANY_PRIORITY. deltas: leave out totals since an unknown
 * start, which say nothing about the window. Negative differences (a reset or a
 * wrap) are left out. */
struct count count_of(const struct facts *facts, const char *place, enum meaning means,
	int priority, bool deltas);

/* Time counted in a known unit, as a share of the window; -1 when unit or window
 * is not known. The largest row. */
double share_of(
	const struct facts *facts, enum meaning means, const struct fact **most, int *priority);

#endif
