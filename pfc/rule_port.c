/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule_port.h"

#include <stdio.h>
#include <string.h>

double port_gbps(const struct facts *facts, const char *place, const char *netdev)
{
	const struct fact *speed = facts_find(facts, FACT_LINK_SPEED, place, netdev, NULL);

	if (speed)
		return speed->number;
	FACTS_EACH (facts, FACT_RAIL, rail) {
		const struct fact *rate;

		if (strcmp(rail->place, place) != 0 || strcmp(rail->name, netdev) != 0)
			continue;
		rate = facts_find(facts, FACT_RATE, place, rail->subject, NULL);
		if (rate)
			return rate->number;
	}
	return 0;
}

bool port_value(const struct facts *facts, enum fact_key key, const char *place,
	const char *netdev, int name, double *value)
{
	char text[16];
	const struct fact *fact;

	snprintf(text, sizeof(text), "%d", name);
	fact = facts_find_last(facts, key, place, netdev, text);
	if (fact)
		*value = fact->number;
	return fact;
}

int port_lossless(const struct facts *facts, const char *place, const char *netdev, bool *known)
{
	int found = -1;

	*known = false;
	for (int i = 0; i < 8; i++) {
		double on;

		if (!port_value(facts, FACT_PFC, place, netdev, i, &on))
			continue;
		*known = true;
		if (on > 0)
			found = found == -1 ? i : -2;
	}
	return found;
}
