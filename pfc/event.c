/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/event.h"

#include <stdlib.h>

#include "lib/grow.h"

uint32_t events_add(struct events *events, const struct event *event)
{
	if (events->count >= events->most) {
		events->left_out++;
		return EVENT_NONE;
	}
	events->items =
		grow(events->items, events->count, &events->room, sizeof(*events->items));
	events->items[events->count] = *event;
	return (uint32_t)events->count++;
}

void events_free(struct events *events)
{
	free(events->items);
	events->items = NULL;
	events->count = events->room = 0;
}

const char *event_kind_name(enum event_kind kind)
{
	switch (kind) {
	case EVENT_GAP:
		return "gap";
	case EVENT_EARLY:
		return "early";
	case EVENT_GAP_FILLED:
		return "gap_filled";
	case EVENT_OUT_OF_ORDER:
		return "out_of_order";
	case EVENT_REPEATED:
		return "repeated";
	case EVENT_NAK:
		return "nak";
	case EVENT_RNR_NAK:
		return "rnr_nak";
	case EVENT_CNP:
		return "cnp";
	case EVENT_ICRC_BAD:
		break;
	}
	return "icrc_bad";
}
