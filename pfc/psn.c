/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/psn.h"

#include "pfc/psn_holes.h"
#include "pfc/psn_run.h"
#include "pfc/roce.h"

/* A copy that the tap made follows its original within this time. */
#define COPY_NS UINT64_C(20000)
/* A packet that follows on one further ahead than this was sent again, not overtaken. */
#define OVERTAKEN_PSNS 64u

bool psn_is_below(const struct psn_track *track, const struct psn_pool *pool, uint32_t psn)
{
	const struct psn_books *books = psn_books(track, pool);

	return psn_behind(psn, track->lowest) &&
	       psn_ahead(psn, books->below_start) >=
		       psn_ahead(books->below_next, books->below_start);
}

static void begin_resend(
	struct psn_track *track, struct psn_books *books, uint32_t psn, enum resend_cause cause)
{
	books->resend_cause = (uint8_t)cause;
	books->resend_start = psn;
	books->resend_limit = track->next;
}

/* Whether a packet goes on with the retransmission under way. */
static bool goes_on(const struct psn_books *books, uint32_t psn)
{
	return books->resend_cause != RESEND_NOT && !psn_behind(psn, books->resend_next) &&
	       psn_behind(psn, books->resend_limit);
}

static enum resend_cause answer_named(
	struct psn_track *track, struct psn_books *books, uint32_t psn)
{
	begin_resend(track, books, psn, track->named_cause);
	track->named_cause = RESEND_NOT;
	return books->resend_cause;
}

/* Why a packet that was captured before was sent: by a NAK, or as one of several.
 * What goes on with an older retransmission was under way when the NAK was sent, and
 * does not answer it. */
static enum resend_cause repeat_cause(
	struct psn_track *track, struct psn_books *books, uint32_t psn)
{
	bool named = track->named_cause != RESEND_NOT;

	if (goes_on(books, psn) && !(named && psn == track->named_psn))
		return books->resend_cause;
	return !named || psn_behind(psn, track->named_psn) ? RESEND_NOT
							   : answer_named(track, books, psn);
}

/* The same of one that was not. It may as well be the first copy, late: it is taken
 * for that where what must have come before it did not. Who goes back begins with
 * the PSN that was asked for, and goes on one by one; repeat() knows better when
 * the next one comes again. */
static enum resend_cause fill_cause(
	struct psn_track *track, struct psn_books *books, uint32_t psn)
{
	bool named = track->named_cause != RESEND_NOT;

	if (named && psn == track->named_psn)
		return answer_named(track, books, psn);
	if (goes_on(books, psn) && psn == books->resend_next)
		return books->resend_cause;
	return !named || psn_behind(psn, track->named_psn) || books->named_as != NAMED_MISSING
		       ? RESEND_NOT
		       : answer_named(track, books, psn);
}

/* Counts one PSN out of a hole as what its packet is. */
static void count_fill(struct psn_books *books, const struct psn_context *context, uint32_t psn,
	uint32_t gap, enum resend_cause cause)
{
	if (cause == RESEND_NOT)
		hole_change_lost(books, context, gap, false);
	else
		psn_run_count_loser(books, psn_run_lost_by_tap(context, psn), 1);
}

/* A packet whose first PSN lies in the hole behind link. The rest of its PSNs, if
 * it is a READ request, go with the first. */
static void fill(struct psn_track *track, struct psn_books *books,
	const struct psn_context *context, uint32_t psn, uint32_t count, uint32_t *link)
{
	enum resend_cause cause = fill_cause(track, books, psn);
	uint32_t first = hole_take_psn(books, context->pool, link, psn), gap, at;
	uint64_t since = hole_node(context->pool, first)->as.gap.time_ns;
	struct event event = *context->event;

	if (cause == RESEND_NOT && event.has_time && since &&
		event.time_ns >= since + PSN_LATE_NS) {
		cause = context->unnamed;
		begin_resend(track, books, psn, cause);
	}
	event.psn = psn;
	event.kind = cause == RESEND_NOT ? EVENT_OUT_OF_ORDER : EVENT_GAP_FILLED;
	event.detail = cause != RESEND_NOT && psn_run_lost_by_tap(context, psn);
	count_fill(books, context, psn, first, cause);
	for (uint32_t i = 1; i < count; i++) {
		at = (psn + i) & PSN_MASK;
		link = hole_find(books, context->pool, at);
		if (!link)
			break;
		gap = hole_take_psn(books, context->pool, link, at);
		count_fill(books, context, at, gap, cause);
		hole_unref_gap(context->pool, gap);
	}
	if (cause == RESEND_NOT) {
		books->out_of_order++;
	} else {
		books->resent[cause]++;
		books->resend_next = (psn + count) & PSN_MASK;
	}
	psn_run_add(books, context, psn, first, events_add(context->events, &event));
}

/* The PSN that a NAK asked for came, and comes again before any timeout though nobody
 * asked again: the first was the original, late. */
static bool first_was_late(
	const struct psn_books *books, const struct psn_context *context, uint32_t psn)
{
	uint64_t filled_ns;

	if (books->resend_cause == RESEND_NOT || psn != books->resend_start ||
		books->run_event == EVENT_NONE || books->run_start != psn ||
		books->run_next != books->resend_next)
		return false;
	filled_ns = context->events->items[books->run_event].time_ns;
	return context->event->time_ns < filled_ns + PSN_LATE_NS;
}

static void repeat(struct psn_track *track, struct psn_books *books,
	const struct psn_context *context, uint32_t psn, uint32_t count)
{
	struct event event = *context->event;
	enum resend_cause cause;
	bool asked;

	event.psn = psn;
	event.kind = EVENT_REPEATED;
	events_add(context->events, &event);
	books->repeated++;
	if (context->may_be_copy && psn == track->last && context->since_ns < COPY_NS &&
		track->named_cause == RESEND_NOT && books->resend_cause == RESEND_NOT) {
		books->copies++;
		return;
	}
	asked = track->named_cause == RESEND_NAK && psn == track->named_psn;
	cause = repeat_cause(track, books, psn);
	if (asked && (books->named_as == NAMED_LATE ||
			     psn_run_was_late(books, context->events, psn, 0)))
		books->asked_late++;
	else if (asked && books->named_as == NAMED_SKIPPED)
		books->lost_network++;
	else
		books->lost_after += asked;
	if (cause == RESEND_NOT && first_was_late(books, context, psn)) {
		cause = books->resend_cause;
		books->asked_late += cause == RESEND_NAK;
		psn_run_change(books, context, RESEND_NOT, cause);
	} else if (cause == RESEND_NOT) {
		cause = context->unnamed;
		begin_resend(track, books, psn, cause);
	}
	if (!asked && psn == books->run_next && books->run_event != EVENT_NONE)
		psn_run_change(books, context, cause, RESEND_NOT);
	psn_run_end(books, context);
	books->resent[cause]++;
	books->resend_next = (psn + count) & PSN_MASK;
}

/* A run of packets below the lowest joins it when nothing is missing between. */
static void add_below(
	struct psn_track *track, struct psn_books *books, uint32_t psn, uint32_t count)
{
	uint32_t start = psn == books->below_next ? books->below_start : psn;
	uint32_t next = (psn + count) & PSN_MASK;

	if (!psn_behind(next, track->lowest)) {
		track->lowest = start;
		return;
	}
	books->below_start = start;
	books->below_next = next;
}

/* Before the first that was captured: sent again, or late. */
static void before_all(struct psn_track *track, struct psn_books *books,
	const struct psn_context *context, uint32_t psn, uint32_t count)
{
	enum resend_cause cause = fill_cause(track, books, psn);
	struct event event = *context->event;

	add_below(track, books, psn, count);
	event.psn = psn;
	event.kind = cause == RESEND_NOT ? EVENT_OUT_OF_ORDER : EVENT_GAP_FILLED;
	events_add(context->events, &event);
	if (cause == RESEND_NOT) {
		books->out_of_order++;
		return;
	}
	books->resent[cause]++;
	books->resend_next = (psn + count) & PSN_MASK;
}

static enum psn_arrival come_back(struct psn_track *track, const struct psn_context *context,
	uint32_t psn, uint32_t count)
{
	struct psn_books *books = books_of(track, context->pool);
	uint32_t end = psn + count, *link;
	bool filled = false;

	if (psn_is_below(track, context->pool, psn)) {
		before_all(track, books, context, psn, count);
		return PSN_FILL;
	}
	link = books->holes == NODE_NONE ? NULL : hole_find(books, context->pool, psn);
	if (link) {
		fill(track, books, context, psn, count, link);
		filled = true;
	} else {
		repeat(track, books, context, psn, count);
	}
	if (!psn_behind(end & PSN_MASK, track->next))
		track->next = end & PSN_MASK;
	return filled ? PSN_FILL : PSN_REPEATED;
}

/* Does what a receiver would do that takes nothing out of order. */
static void pass(struct psn_track *track, uint32_t psn, uint32_t count)
{
	bool asked = track->named_cause != RESEND_NOT && psn == track->named_psn;

	if (psn_ahead(track->wanted, psn) >= count) {
		if (psn_behind(psn, track->next) && psn_behind(track->wanted, psn))
			track->wanted_skipped = true;
		return;
	}
	track->wanted = (psn + count) & PSN_MASK;
	track->wanted_passed = !asked && psn_ahead(track->last, psn) - 1 < OVERTAKEN_PSNS;
	track->wanted_skipped = false;
}

enum psn_arrival psn_arrive(struct psn_track *track, const struct psn_context *context,
	uint32_t psn, uint32_t count)
{
	enum psn_arrival arrival = PSN_IN_ORDER;
	uint32_t ahead;

	if (!track->started) {
		track->started = true;
		track->next = track->lowest = track->wanted = track->last = psn;
	}
	pass(track, psn, count);
	ahead = psn_ahead(psn, track->next);
	if (ahead < PSN_HALF) {
		if (ahead) {
			psn_skip(track, context, NODE_NONE, psn, track->next, ahead);
			arrival = PSN_EARLY;
		}
		/* What was asked for has come, for the first time here. */
		if (track->named_cause != RESEND_NOT && !psn_behind(psn, track->named_psn) &&
			psn_ahead(track->named_psn, track->next) < PSN_HALF)
			track->named_cause = RESEND_NOT;
		if (context->second) {
			books_of(track, context->pool)->resent[context->unnamed]++;
			books_of(track, context->pool)->lost_network++;
		}
		track->next = (psn + count) & PSN_MASK;
	} else {
		arrival = come_back(track, context, psn, count);
	}
	track->last = psn;
	return arrival;
}

void psn_track_init(struct psn_track *track)
{
	*track = (struct psn_track){ .books = BOOKS_NONE, .named_cause = RESEND_NOT };
}

void psn_expect(struct psn_track *track, uint32_t psn)
{
	if (!track->started)
		track->lowest = track->last = psn;
	if (!track->started || track->wanted == track->next)
		track->wanted = psn;
	track->started = true;
	track->next = psn;
}

static enum named_as named_as(const struct psn_track *track, const struct psn_books *books,
	const struct events *events, uint32_t psn)
{
	uint32_t before = psn_ahead(track->wanted, psn);

	if ((track->wanted_passed && before <= 1) || psn_run_was_late(books, events, psn, 1))
		return NAMED_LATE;
	return before == 0 && track->wanted_skipped ? NAMED_SKIPPED : NAMED_BEHIND;
}

void psn_named(struct psn_track *track, struct psn_pool *pool, const struct events *events,
	uint32_t psn, enum resend_cause cause)
{
	struct psn_books *books = books_of(track, pool);
	uint32_t *link = hole_find(books, pool, psn);

	if (link)
		hole_node(pool, hole_node(pool, *link)->as.hole.gap)->as.gap.named = true;
	track->named_psn = psn;
	track->named_cause = (uint8_t)cause;
	books->named_as = (uint8_t)(link || psn_is_below(track, pool, psn)
					    ? NAMED_MISSING
					    : named_as(track, books, events, psn));
	if (books->named_as == NAMED_LATE)
		return;
	track->wanted = psn;
	track->wanted_passed = track->wanted_skipped = false;
}

void psn_finish(struct psn_track *track, const struct psn_context *context)
{
	struct psn_books *books;

	if (track->books == BOOKS_NONE)
		return;
	books = books_of(track, context->pool);
	psn_run_end(books, context);
	while (books->holes != NODE_NONE)
		hole_close(track, context, &books->holes);
}

const char *resend_cause_name(enum resend_cause cause)
{
	switch (cause) {
	case RESEND_NAK:
		return "nak";
	case RESEND_RNR_NAK:
		return "rnr_nak";
	case RESEND_TIMEOUT:
		return "timeout";
	case RESEND_RESPONSE_LOST:
		return "response_lost";
	case RESEND_CAUSES:
		break;
	}
	return "none";
}
