/*
 * psn_holes - the PSNs that a tracker lacks: runs of them in the order of PSNs, each
 * of the gap that one arrival opened. Between psn.c and its pool; nobody else's.
 */
#ifndef PFC_PSN_HOLES_H
#define PFC_PSN_HOLES_H

#include "pfc/psn.h"

static inline struct psn_node *hole_node(const struct psn_pool *pool, uint32_t index)
{
	return &pool->nodes[index];
}

/* Gives back a reference to a gap. */
void hole_unref_gap(struct psn_pool *pool, uint32_t gap);

/* One PSN of the gap more, or fewer, is lost. Writes into the event whether anything of
 * the gap is, and counts the gap when that changes. */
void hole_change_lost(
	struct psn_books *books, const struct psn_context *context, uint32_t gap, bool lost);

/* The link to the hole that holds psn, or NULL. */
uint32_t *hole_find(struct psn_books *books, const struct psn_pool *pool, uint32_t psn);

/* Takes one PSN out of the hole behind link; the gap's node stays referenced for
 * the caller, who gives that reference back. */
uint32_t hole_take_psn(
	struct psn_books *books, struct psn_pool *pool, uint32_t *link, uint32_t psn);

/* The books of a stream, opened at the first call. */
struct psn_books *books_of(struct psn_track *track, struct psn_pool *pool);

/* Gives up the hole behind link: what it still lacks never came. */
void hole_close(struct psn_track *track, const struct psn_context *context, uint32_t *link);

#endif
