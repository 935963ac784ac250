/*
 * rng - the random numbers of a run: the same seed gives the same sequence on
 * every machine. xoshiro256** (Blackman and Vigna, public domain algorithm),
 * seeded by splitmix64. Not for secrets.
 */
#ifndef LIB_RNG_H
#define LIB_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_init(struct rng *rng, uint64_t seed);

/* One seed out of two: independent streams for (seed, purpose). */
uint64_t rng_derive(uint64_t seed, uint64_t purpose);

uint64_t rng_u64(struct rng *rng);

/* Uniform in 0..bound-1, without bias; bound > 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/* A random permutation of 0..n-1. */
void rng_permutation(struct rng *rng, uint32_t *values, uint32_t n);

#endif
