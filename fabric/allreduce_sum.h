/*
 * allreduce_sum - the arithmetic of a ring all-reduce with real sums: what every rank puts
 * in, what must have come in at each step, and adding it.
 *
 * Element i of rank r is value(i) * (r + 1), so that the sum over any ranks is value(i) times
 * a factor, and every chunk that arrives can be told right or wrong by itself, bit by bit.
 * Integers are modulo 2^32 and 2^64. Values of floats are powers of two, 2^0 to 2^63: they move
 * no rounding, so that what the sum of the ranks is rounded to, each to nearest even in the order
 * of the ring, is the same for all elements but for the exponent. Sums of fp32 and bf16 are so
 * known exactly for any number of ranks; the largest, 2^63 * 2^31, is finite in both.
 *
 * Arithmetic only: nothing allocates, blocks or fails.
 */
#ifndef FABRIC_ALLREDUCE_SUM_H
#define FABRIC_ALLREDUCE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/ring.h"

enum allreduce_type { ALLREDUCE_INT32, ALLREDUCE_INT64, ALLREDUCE_FP32, ALLREDUCE_BF16 };

uint32_t allreduce_elem_bytes(enum allreduce_type type);
const char *allreduce_type_name(enum allreduce_type type); /* "int32" */

/* The input of a rank: elements first..first + count - 1. */
void allreduce_fill(
	enum allreduce_type type, void *to, uint64_t first, uint64_t count, uint64_t rank);

/* What arrives at a rank in a step. */
struct allreduce_wanted {
	enum allreduce_type type;
	uint64_t factor; /* integers: the sum of rank + 1 over those that are in it */
	uint32_t sum;    /* floats: the bits of that sum, as it was rounded */
};

void allreduce_want(struct allreduce_wanted *wanted, enum allreduce_type type,
	const struct ring *ring, uint32_t rank, uint32_t step);

/* to = from + own, element by element; own NULL: to = from. No two may overlap. Returns how
 * many of the count elements of from are not the wanted sums of elements first..first + count
 * - 1; *bad is the first of them. */
uint64_t allreduce_take(const struct allreduce_wanted *wanted, void *to, const void *from,
	const void *own, uint64_t first, uint64_t count, uint64_t *bad);

#endif
