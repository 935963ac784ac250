/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule_counters.h"

#include <stddef.h>
#include <string.h>

struct count count_of(const struct facts *facts, const char *place, enum meaning means,
	int priority, bool deltas)
{
	struct count count = { .priority = -1 };

	FACTS_EACH (facts, FACT_COUNTER, fact) {
		int own = fact->priority;

		if (fact->means != (short)means || (place && strcmp(fact->place, place) != 0) ||
			(priority != ANY_PRIORITY && priority != own) ||
			(deltas && fact->more < 1) || fact->number < 0)
			continue;
		count.present = true;
		count.sum += fact->number;
		if (fact_window_s(fact) > 0)
			count.window_s = fact_window_s(fact);
		if (fact->number > (count.most ? count.most->number : 0)) {
			count.most = fact;
			count.priority = own;
		}
	}
	return count;
}

double share_of(
	const struct facts *facts, enum meaning means, const struct fact **most, int *priority)
{
	double best = -1;

	FACTS_EACH (facts, FACT_COUNTER, fact) {
		const struct counter_row *row;
		int own;
		double share;

		if (fact->means != (short)means || fact->number < 0 || fact_window_s(fact) <= 0)
			continue;
		row = counter_find(fact->name, &own);
		if (!row || row->unit != UNIT_US)
			continue;
		share = fact->number / 1e6 / fact_window_s(fact);
		if (share > best) {
			best = share;
			*most = fact;
			*priority = own;
		}
	}
	return best;
}
