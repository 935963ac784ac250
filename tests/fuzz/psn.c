/* SPDX-License-Identifier: Apache-2.0 */
/* Any sequence of PSNs, NAKs and acknowledgements: the books balance, and every
 * node goes back to its pool. */
#include <assert.h>
#include <stdint.h>

#include "lib/bytes.h"
#include "pfc/psn.h"
#include "pfc/roce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t free_nodes(const struct psn_pool *pool)
{
	size_t count = 0;

	for (uint32_t at = pool->free; at != NODE_NONE; at = pool->nodes[at].next)
		count++;
	return count;
}

static void check(const struct psn_track *track, const struct psn_pool *pool)
{
	const struct psn_books *books = psn_books(track, pool);
	uint64_t missing = 0;

	for (uint32_t at = books->holes; at != NODE_NONE; at = pool->nodes[at].next) {
		assert(pool->nodes[at].as.hole.count > 0);
		missing += pool->nodes[at].as.hole.count;
	}
	assert(missing <= books->missing);
	assert(books->gap_psns >= books->missing);
	assert((books->gap_events == 0) == (books->gap_psns == 0));
	/* What is taken back was counted before. */
	for (size_t i = 0; i < RESEND_CAUSES; i++)
		assert(books->resent[i] < INT32_MAX);
	assert(books->out_of_order < INT32_MAX && books->lost_network < INT32_MAX &&
		books->lost_capture < INT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Small, so that running out of them is tried as well. */
	struct psn_pool pool = PSN_POOL_INIT(40);
	struct events events = { .most = 64 };
	struct event event = { .older = EVENT_NONE, .has_time = true };
	struct psn_context context = { .pool = &pool,
		.events = &events,
		.event = &event,
		.unnamed = RESEND_TIMEOUT,
		.cover = NODE_NONE };
	const struct psn_books *books;
	struct psn_track track;
	uint32_t psn = PSN_MASK - 20;

	psn_track_init(&track);
	for (size_t at = 0; at + 4 <= size; at += 4) {
		uint32_t step = le16_at(data + at);

		event.record++;
		event.time_ns += (uint64_t)data[at + 3] * 100000;
		context.may_be_copy = data[at + 2] & 0x80;
		psn = (psn + (step < 0x8000 ? step & 31 : 0u - (step & 31))) & PSN_MASK;
		switch (data[at + 2] & 7) {
		case 0:
			psn_named(&track, &pool, &events, psn, RESEND_NAK);
			break;
		case 1:
			context.acked = true;
			context.acked_psn = psn;
			break;
		case 2:
			psn_arrive(&track, &context, psn, 1 + (step >> 8 & 15));
			break;
		default:
			psn_arrive(&track, &context, psn, 1);
		}
		check(&track, &pool);
	}
	psn_finish(&track, &context);
	books = psn_books(&track, &pool);
	assert(books->lost_network + books->lost_capture + books->lost_unknown >=
		books->missing);
	assert(free_nodes(&pool) == pool.count);
	psn_pool_free(&pool);
	events_free(&events);
	return 0;
}
