/* SPDX-License-Identifier: Apache-2.0 */

/*
 * sums - checks and adds one chunk of an all-reduce, again and again, for tests/bench/sums.sh.
 *
 *   bench-sums TYPE ELEMENTS ROUNDS    TYPE: int32, int64, fp32 or bf16
 *
 * Prints one line: elements in all, processor time, and GB/s of what came in. Status 1 where a sum
 * was wrong, 2 for what cannot be run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fabric/allreduce_sum.h"
#include "lib/grow.h"

#define RANKS 8u

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The first step at rank 1: what arrives is the input of rank 0. */
static uint64_t run(enum allreduce_type type, uint64_t elements, uint64_t rounds)
{
	uint32_t bytes = allreduce_elem_bytes(type);
	uint8_t *from = zeroed(elements, bytes), *own = zeroed(elements, bytes),
		*to = zeroed(elements, bytes);
	struct allreduce_wanted wanted;
	uint64_t wrong = 0, bad;
	struct ring ring;
	double took;

	if (ring_init(&ring, RANKS, elements * bytes, bytes))
		return 1;
	allreduce_want(&wanted, type, &ring, 1, 0);
	allreduce_fill(type, from, 0, elements, 0);
	allreduce_fill(type, own, 0, elements, 1);
	took = cpu_seconds();
	for (uint64_t i = 0; i < rounds; i++)
		wrong += allreduce_take(&wanted, to, from, own, 0, elements, &bad);
	took = cpu_seconds() - took;
	printf("%s elements %llu cpu_s %.3f gbytes_s %.2f\n", allreduce_type_name(type),
		(unsigned long long)(elements * rounds), took,
		(double)(elements * rounds * bytes) / took / 1e9);
	free(from);
	free(own);
	free(to);
	return wrong;
}

int main(int argc, char **argv)
{
	uint64_t elements = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t rounds = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;

	for (int type = ALLREDUCE_INT32; elements && rounds && type <= ALLREDUCE_BF16; type++)
		if (strcmp(argv[1], allreduce_type_name((enum allreduce_type)type)) == 0)
			return run((enum allreduce_type)type, elements, rounds) != 0;
	fprintf(stderr, "usage: bench-sums TYPE ELEMENTS ROUNDS\n");
	return 2;
}
