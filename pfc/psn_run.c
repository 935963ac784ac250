/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/psn_run.h"

#include "pfc/psn_holes.h"
#include "pfc/roce.h"

bool psn_run_lost_by_tap(const struct psn_context *context, uint32_t psn)
{
	return context->acked && !psn_behind(context->acked_psn, psn);
}

void psn_run_count_loser(struct psn_books *books, bool tap, uint32_t by)
{
	if (tap)
		books->lost_capture += by;
	else
		books->lost_network += by;
}

void psn_run_end(struct psn_books *books, const struct psn_context *context)
{
	struct event *items = context->events->items;
	uint32_t at = books->run_event;

	for (; at != EVENT_NONE; at = items[at].older)
		hole_unref_gap(context->pool, items[at].gap);
	books->run_event = EVENT_NONE;
}

void psn_run_change(struct psn_books *books, const struct psn_context *context,
	enum resend_cause cause, enum resend_cause was)
{
	struct event *items = context->events->items;
	bool resent = cause != RESEND_NOT;

	for (uint32_t at = books->run_event; at != EVENT_NONE; at = items[at].older) {
		if (resent == (items[at].kind == EVENT_GAP_FILLED))
			continue;
		items[at].kind = resent ? EVENT_GAP_FILLED : EVENT_OUT_OF_ORDER;
		books->out_of_order += resent ? UINT32_MAX : 1;
		if (resent)
			books->resent[cause]++;
		else
			books->resent[was]--;
		hole_change_lost(books, context, items[at].gap, resent);
		/* Taken back from whom it was counted for, whatever was acknowledged since. */
		if (resent)
			items[at].detail = psn_run_lost_by_tap(context, items[at].psn);
		psn_run_count_loser(books, items[at].detail, resent ? 1 : UINT32_MAX);
	}
}

void psn_run_add(struct psn_books *books, const struct psn_context *context, uint32_t psn,
	uint32_t gap, uint32_t event)
{
	if (psn != books->run_next || books->run_event == EVENT_NONE) {
		psn_run_end(books, context);
		books->run_start = psn;
	}
	books->run_next = (psn + 1) & PSN_MASK;
	if (event == EVENT_NONE) {
		hole_unref_gap(context->pool, gap);
		return;
	}
	context->events->items[event].older = books->run_event;
	context->events->items[event].gap = gap;
	books->run_event = event;
}

bool psn_run_was_late(const struct psn_books *books, const struct events *events, uint32_t psn,
	uint32_t follows)
{
	return books->run_event != EVENT_NONE &&
	       events->items[books->run_event].kind == EVENT_OUT_OF_ORDER &&
	       psn_ahead(psn, books->run_start) <
		       psn_ahead(books->run_next, books->run_start) + follows;
}
