/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/ring.h"

#include <assert.h>
#include <errno.h>

/* The first elems % ranks chunks carry one element more than the rest. */
static struct ring_chunk chunk_at(const struct ring *ring, uint32_t index)
{
	uint64_t even = ring->elems / ring->ranks;
	uint64_t longer = ring->elems % ring->ranks;
	uint64_t first = index * even + (index < longer ? index : longer);

	return (struct ring_chunk){
		.offset_bytes = first * ring->elem_bytes,
		.length_bytes = (even + (index < longer)) * ring->elem_bytes,
	};
}

/*
 * A rank starts with the chunk of its own number and goes down by one a step.
 * It ends the first phase holding the full sum of chunk rank + 1, which is
 * just the chunk that the same countdown sends next: one rule for both phases.
 */
static uint32_t sent_index(const struct ring *ring, uint32_t rank, uint32_t step)
{
	return (rank + 2 * ring->ranks - step) % ring->ranks;
}

int ring_init(struct ring *ring, uint32_t ranks, uint64_t payload_bytes, uint32_t elem_bytes)
{
	if (ranks < 2 || ranks > RING_RANKS_MAX)
		return -EINVAL;
	if (elem_bytes == 0 || payload_bytes % elem_bytes != 0)
		return -EINVAL;
	*ring = (struct ring){
		.ranks = ranks,
		.elem_bytes = elem_bytes,
		.elems = payload_bytes / elem_bytes,
	};
	return 0;
}

uint32_t ring_steps(const struct ring *ring)
{
	return 2 * (ring->ranks - 1);
}

struct ring_step ring_plan(const struct ring *ring, uint32_t rank, uint32_t step)
{
	uint32_t prev = (rank + ring->ranks - 1) % ring->ranks;

	assert(rank < ring->ranks && step < ring_steps(ring));
	return (struct ring_step){
		.send_to = (rank + 1) % ring->ranks,
		.recv_from = prev,
		.send = chunk_at(ring, sent_index(ring, rank, step)),
		.recv = chunk_at(ring, sent_index(ring, prev, step)),
		.adds = step < ring->ranks - 1,
	};
}
