/*
 * allreduce_sum - the arithmetic of a ring all-reduce with real sums: what every rank puts
 * in, what must have come in at each step, and adding it.
 *
 * Element i of rank r is value(i) * (r + 1), so that the sum over any ranks is value(i) times
 * a factor, and every chunk that arrives can be told right or wrong by itself. Integers are
 * modulo 2^32 and 2^64 and exact. fp32 values are 0..255: exact up to ALLREDUCE_EXACT_RANKS
 * ranks, and beyond within ranks * 2^-24 of the value; bf16 is rounded at every step, to
 * nearest even: within ranks * 2^-8.
 *
 * Arithmetic only: nothing allocates, blocks or fails.
 */
#ifndef FABRIC_ALLREDUCE_SUM_H
#define FABRIC_ALLREDUCE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/ring.h"

#define ALLREDUCE_EXACT_RANKS 361u /* 255 * n (n + 1) / 2 < 2^24 */

enum allreduce_type { ALLREDUCE_INT32, ALLREDUCE_INT64, ALLREDUCE_FP32, ALLREDUCE_BF16 };

uint32_t allreduce_elem_bytes(enum allreduce_type type);
const char *allreduce_type_name(enum allreduce_type type); /* "int32" */

/* The input of a rank: elements first..first + count - 1. */
void allreduce_fill(
	enum allreduce_type type, void *to, uint64_t first, uint64_t count, uint64_t rank);

/* The factor of what arrives at a rank in a step: the sum of rank + 1 over those that are
 * in it. */
uint64_t allreduce_factor(const struct ring *ring, uint32_t rank, uint32_t step);

/* to = from + own, element by element; own NULL: to = from. to may not overlap. */
void allreduce_add(
	enum allreduce_type type, void *to, const void *from, const void *own, uint64_t count);

/* How many of count elements are not value(first + i) * factor; *bad is the first of them.
 * ranks: for the tolerance. */
uint64_t allreduce_wrong(enum allreduce_type type, const void *data, uint64_t first,
	uint64_t count, uint64_t factor, uint32_t ranks, uint64_t *bad);

#endif
