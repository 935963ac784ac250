/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/rng.h"

#include <assert.h>

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t rotl(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

void rng_init(struct rng *rng, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		rng->s[i] = splitmix(&seed);
}

uint64_t rng_derive(uint64_t seed, uint64_t purpose)
{
	uint64_t state = seed ^ purpose * UINT64_C(0xd1342543de82ef95);

	splitmix(&state);
	return splitmix(&state);
}

uint64_t rng_u64(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	uint64_t threshold, value;

	assert(bound > 0);
	threshold = -bound %
		    bound; /* 2^64 mod bound: the values that would be drawn once too often */
	do {
		value = rng_u64(rng);
	} while (value < threshold);
	return value % bound;
}

void rng_permutation(struct rng *rng, uint32_t *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = (uint32_t)rng_below(rng, i + 1);

		values[i] = values[j];
		values[j] = i;
	}
}
