/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/counter_kind.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/counters.h"
#include "lib/grow.h"
#include "lib/units.h"

static const struct {
	const char *name; /* "%u" stands for any number */
	enum counter_kind kind;
} known[] = {
	{ C_DROP_BUFFER, COUNTER_DROP },
	{ C_DROP_HEADROOM, COUNTER_DROP },
	{ C_DROP_EGRESS, COUNTER_DROP },
	{ C_DROP_LINK_DOWN, COUNTER_DROP },
	{ C_DROP_NO_ROUTE, COUNTER_DROP },
	{ C_DROP_WATCHDOG, COUNTER_DROP },
	{ C_TX_PRIO_PAUSE, COUNTER_XOFF_SENT },
	{ C_RX_PRIO_PAUSE_US, COUNTER_HELD_US },
	{ C_ECN_MARKED, COUNTER_MARKED },
	{ C_QUEUE_PEAK, COUNTER_QUEUE_PEAK },
	{ C_TX_PACKETS, COUNTER_TX_PACKETS },
	{ C_RX_PACKETS, COUNTER_RX_PACKETS },
	{ C_TX_BYTES, COUNTER_TX_BYTES },
	{ C_RX_CRC_ERRORS, COUNTER_CRC_ERRORS },
	{ C_CARRIER_CHANGES, COUNTER_CARRIER_CHANGES },
	{ C_ECN_BEFORE_PFC_NS, COUNTER_FIRST_PAUSE_NS },
	{ C_FIRST_MARK_NS, COUNTER_FIRST_MARK_NS },
	{ C_FIRST_DROP_NS, COUNTER_FIRST_DROP_NS },
};

static bool is_named(const char *name, const char *counter)
{
	for (; *counter; counter++) {
		if (counter[0] == '%' && counter[1] == 'u') {
			if (*name < '0' || *name > '9')
				return false;
			while (*name >= '0' && *name <= '9')
				name++;
			counter++;
		} else if (*name++ != *counter) {
			return false;
		}
	}
	return !*name;
}

static enum counter_kind compared(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (is_named(name, known[i].name))
			return known[i].kind;
	return COUNTER_OTHER;
}

enum counter_kind counter_kind(struct counter_kinds *kinds, const char *name)
{
	bool is_new;
	uint32_t number = names_put(&kinds->names, name, &is_new);

	if (is_new) {
		kinds->kinds = grow(kinds->kinds, number, &kinds->room, sizeof(*kinds->kinds));
		kinds->kinds[number] = compared(name);
	}
	return kinds->kinds[number];
}

void counter_kinds_free(struct counter_kinds *kinds)
{
	names_free(&kinds->names);
	free(kinds->kinds);
	*kinds = (struct counter_kinds){ .kinds = NULL };
}
