/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule_port.h"

#include <stdio.h>
#include <string.h>

#include "pfc/counter_table.h"

#define PRIORITIES_ALL 0xffu

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

static enum port_class class_of_row(const struct fact *row)
{
	return row->number > 0 ? CLASS_LOSSLESS : CLASS_LOSSY;
}

/* The setting; *set: there is one, whatever it says of this priority. A priority that a
 * setting leaves out has none. netdev NULL: that of all ports, where they agree. */
static enum port_class class_set(const struct facts *facts, const char *place,
	const char *netdev, int priority, bool *set)
{
	enum port_class found = CLASS_LOSSY;
	bool any = false;
	char name[16];

	snprintf(name, sizeof(name), "%d", priority);
	*set = false;
	FACTS_EACH (facts, FACT_PFC, row) {
		if (strcmp(row->place, place) != 0 ||
			(netdev && strcmp(row->subject, netdev) != 0))
			continue;
		*set = true;
		if (strcmp(row->name, name) != 0)
			continue;
		/* Of two readings of a port the newest. */
		if (any && !netdev && found != class_of_row(row))
			return CLASS_UNTOLD;
		found = class_of_row(row);
		any = true;
	}
	return found;
}

/* Which priorities of a port mlx5 speaks of, as bits: pause, and anything at all. */
struct spoken {
	unsigned pause, any;
	bool sent; /* pause frames of the priority that is asked for */
};

static void hear(struct spoken *spoken, const struct fact *fact, int priority)
{
	int own;
	const struct counter_row *row = counter_find(fact->name, &own);
	bool pause, mlx5;

	if (!row || own < 0)
		return;
	mlx5 = strcmp(row->driver, "mlx5") == 0;
	pause = strstr(row->name, "pause");
	spoken->pause |= (mlx5 && pause) ? 1u << own : 0;
	spoken->any |= mlx5 ? 1u << own : 0;
	spoken->sent |= own == priority && fact->number > 0 &&
			(row->means == MEANS_PFC_TX || row->means == MEANS_PFC_TX_TIME);
}

static enum port_class class_counted(
	const struct facts *facts, const char *place, const char *netdev, int priority)
{
	struct spoken spoken = { .pause = 0 };

	FACTS_EACH (facts, FACT_COUNTER, it)
		if (strcmp(it->place, place) == 0 && strcmp(it->subject, netdev) == 0)
			hear(&spoken, it, priority);
	if (spoken.sent)
		return CLASS_LOSSLESS;
	if (spoken.pause == PRIORITIES_ALL)
		return CLASS_UNTOLD; /* published whether there is PFC or not */
	if (spoken.pause >> priority & 1)
		return CLASS_LOSSLESS;
	/* Pause counters are listed, or all priorities are, and this one has none. */
	if (spoken.any >> priority & 1 && (spoken.pause || spoken.any == PRIORITIES_ALL))
		return CLASS_LOSSY;
	return CLASS_UNTOLD;
}

enum port_class port_class(
	const struct facts *facts, const char *place, const char *netdev, int priority)
{
	bool set;
	enum port_class class = class_set(facts, place, netdev, priority, &set), counted;

	if (set)
		return class;
	/* What the port itself did proves more than what other ports are set to; that it has no
	 * such counters proves less, for perhaps not all were pasted. */
	counted = class_counted(facts, place, netdev, priority);
	if (counted == CLASS_LOSSLESS)
		return counted;
	class = class_set(facts, place, NULL, priority, &set);
	return set ? class : counted;
}
