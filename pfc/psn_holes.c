/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/psn_holes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "pfc/roce.h"

static uint32_t take_node(struct psn_pool *pool)
{
	uint32_t index = pool->free;

	if (index != NODE_NONE) {
		pool->free = hole_node(pool, index)->next;
	} else {
		if (pool->count >= pool->most)
			return NODE_NONE;
		pool->nodes = grow(pool->nodes, pool->count, &pool->room, sizeof(*pool->nodes));
		index = (uint32_t)pool->count++;
	}
	memset(hole_node(pool, index), 0, sizeof(struct psn_node));
	return index;
}

static void give_node(struct psn_pool *pool, uint32_t index)
{
	hole_node(pool, index)->next = pool->free;
	pool->free = index;
}

static struct psn_books *books_at(const struct psn_pool *pool, uint32_t index)
{
	return &pool->books[index >> BOOKS_CHUNK_SHIFT]
			   [index & ((1u << BOOKS_CHUNK_SHIFT) - 1)];
}

static uint32_t take_books(struct psn_pool *pool)
{
	uint32_t index = pool->books_free;

	if (index != BOOKS_NONE) {
		pool->books_free = books_at(pool, index)->holes;
		return index;
	}
	if (pool->books_count >> BOOKS_CHUNK_SHIFT == pool->books_chunks) {
		pool->books = grow(pool->books, pool->books_chunks, &pool->books_room,
			sizeof(*pool->books));
		pool->books[pool->books_chunks++] =
			zeroed(1u << BOOKS_CHUNK_SHIFT, sizeof(struct psn_books));
	}
	return pool->books_count++;
}

static const struct psn_books no_books = {
	.holes = NODE_NONE,
	.run_event = EVENT_NONE,
	.resend_cause = RESEND_NOT,
};

const struct psn_books *psn_books(const struct psn_track *track, const struct psn_pool *pool)
{
	return !track || track->books == BOOKS_NONE ? &no_books : books_at(pool, track->books);
}

struct psn_books *books_of(struct psn_track *track, struct psn_pool *pool)
{
	if (track->books == BOOKS_NONE) {
		track->books = take_books(pool);
		*books_at(pool, track->books) = no_books;
	}
	return books_at(pool, track->books);
}

void psn_forget(struct psn_track *track, struct psn_pool *pool)
{
	if (track->books == BOOKS_NONE)
		return;
	books_at(pool, track->books)->holes = pool->books_free;
	pool->books_free = track->books;
	track->books = BOOKS_NONE;
}

void hole_unref_gap(struct psn_pool *pool, uint32_t gap)
{
	if (--hole_node(pool, gap)->as.gap.refs == 0)
		give_node(pool, gap);
}

void hole_change_lost(
	struct psn_books *books, const struct psn_context *context, uint32_t gap, bool lost)
{
	struct psn_node *at = hole_node(context->pool, gap);
	bool before = at->as.gap.lost > 0;

	at->as.gap.lost += lost ? 1 : UINT32_MAX;
	books->gap_psns += lost ? 1 : UINT32_MAX;
	if (before == (at->as.gap.lost > 0))
		return;
	books->gap_events += before ? UINT32_MAX : 1;
	if (at->as.gap.event != EVENT_NONE)
		context->events->items[at->as.gap.event].kind =
			before ? EVENT_EARLY : EVENT_GAP;
}

void hole_close(struct psn_track *track, const struct psn_context *context, uint32_t *link)
{
	struct psn_pool *pool = context->pool;
	struct psn_books *books = books_of(track, pool);
	uint32_t index = *link;
	struct psn_node *hole = hole_node(pool, index),
			*gap = hole_node(pool, hole->as.hole.gap);
	uint32_t end = hole->as.hole.start + hole->as.hole.count - 1;
	uint32_t count = hole->as.hole.count;

	if (gap->as.gap.named)
		books->lost_network += count;
	else if (context->acked && !psn_behind(context->acked_psn, end & PSN_MASK))
		books->lost_capture += count;
	else if (context->unnamed == RESEND_RESPONSE_LOST && gap->as.gap.cover != NODE_NONE &&
		 psn_ahead(track->next, gap->as.gap.cover) - 1 < PSN_HALF)
		/* Responses to later requests, and no second request for these. */
		books->lost_capture += count;
	else
		books->lost_unknown += count;
	*link = hole->next;
	books->hole_count--;
	hole_unref_gap(pool, hole->as.hole.gap);
	give_node(pool, index);
}

/* Appends a hole behind all others. */
static void add_hole(struct psn_track *track, const struct psn_context *context, uint32_t gap,
	uint32_t start, uint32_t count)
{
	struct psn_pool *pool = context->pool;
	struct psn_books *books = books_of(track, pool);
	uint32_t index, *link;

	if (books->hole_count >= PSN_HOLES_MAX)
		hole_close(track, context, &books->holes);
	index = take_node(pool);
	if (index == NODE_NONE) {
		books->lost_unknown += count;
		return;
	}
	hole_node(pool, index)->as.hole.start = start & PSN_MASK;
	hole_node(pool, index)->as.hole.count = count;
	hole_node(pool, index)->as.hole.gap = gap;
	hole_node(pool, index)->next = NODE_NONE;
	hole_node(pool, gap)->as.gap.refs++;
	for (link = &books->holes; *link != NODE_NONE; link = &hole_node(pool, *link)->next)
		;
	*link = index;
	books->hole_count++;
}

uint32_t psn_skip(struct psn_track *track, const struct psn_context *context, uint32_t gap,
	uint32_t psn, uint32_t from, uint32_t count)
{
	struct psn_pool *pool = context->pool;
	struct psn_books *books = books_of(track, pool);
	struct event event = *context->event;

	if (gap == NODE_NONE) {
		books->gap_events++;
		event.kind = EVENT_GAP;
		event.psn = psn;
		event.expected_psn = from;
		gap = take_node(pool);
		if (gap == NODE_NONE) { /* counted, but no longer to be filled */
			events_add(context->events, &event);
			books->gap_psns += count;
			books->missing += count;
			books->lost_unknown += count;
			return gap;
		}
		hole_node(pool, gap)->as.gap.event = events_add(context->events, &event);
		hole_node(pool, gap)->as.gap.time_ns = event.time_ns;
		hole_node(pool, gap)->as.gap.cover = context->cover;
	}
	books->gap_psns += count;
	books->missing += count;
	hole_node(pool, gap)->as.gap.lost += count;
	hole_node(pool, gap)->as.gap.refs++; /* while the hole may be refused */
	add_hole(track, context, gap, from, count);
	hole_unref_gap(pool, gap);
	return gap;
}

uint32_t hole_take_psn(
	struct psn_books *books, struct psn_pool *pool, uint32_t *link, uint32_t psn)
{
	uint32_t index = *link, gap = hole_node(pool, index)->as.hole.gap;
	uint32_t into = psn_ahead(psn, hole_node(pool, index)->as.hole.start);
	uint32_t count = hole_node(pool, index)->as.hole.count, rest;

	books->missing--;
	hole_node(pool, gap)->as.gap.refs++;
	if (count == 1) {
		*link = hole_node(pool, index)->next;
		books->hole_count--;
		hole_unref_gap(pool, gap);
		give_node(pool, index);
	} else if (into == 0) {
		hole_node(pool, index)->as.hole.start = (psn + 1) & PSN_MASK;
		hole_node(pool, index)->as.hole.count--;
	} else if (into == count - 1) {
		hole_node(pool, index)->as.hole.count--;
	} else {
		rest = books->hole_count < UINT16_MAX ? take_node(pool) : NODE_NONE;
		hole_node(pool, index)->as.hole.count = into;
		if (rest == NODE_NONE) {
			books->lost_unknown += count - into - 1;
			return gap;
		}
		hole_node(pool, rest)->as.hole.start = (psn + 1) & PSN_MASK;
		hole_node(pool, rest)->as.hole.count = count - into - 1;
		hole_node(pool, rest)->as.hole.gap = gap;
		hole_node(pool, gap)->as.gap.refs++;
		hole_node(pool, rest)->next = hole_node(pool, index)->next;
		hole_node(pool, index)->next = rest;
		books->hole_count++;
	}
	return gap;
}

uint32_t *hole_find(struct psn_books *books, const struct psn_pool *pool, uint32_t psn)
{
	for (uint32_t *link = &books->holes; *link != NODE_NONE;
		link = &hole_node(pool, *link)->next)
		if (psn_ahead(psn, hole_node(pool, *link)->as.hole.start) <
			hole_node(pool, *link)->as.hole.count)
			return link;
	return NULL;
}

bool psn_is_missing(const struct psn_track *track, const struct psn_pool *pool, uint32_t psn)
{
	const struct psn_books *books = psn_books(track, pool);

	return hole_find((struct psn_books *)(uintptr_t)books, pool, psn) != NULL;
}

void psn_pool_free(struct psn_pool *pool)
{
	for (size_t i = 0; i < pool->books_chunks; i++)
		free(pool->books[i]);
	free(pool->books);
	free(pool->nodes);
	*pool = (struct psn_pool)PSN_POOL_INIT(pool->most);
}
