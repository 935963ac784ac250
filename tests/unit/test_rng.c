/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"

/*
 * xoshiro256**, worked by hand from the state that splitmix64 gives for seed 0:
 * 0xe220a8397b1dcdaf is the first output of splitmix64(0) in its authors' own test
 * vectors, and so are the three after it.
 */
static void the_state_is_that_of_splitmix(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 0);
	assert_true(rng.s[0] == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(rng.s[1] == UINT64_C(0x6e789e6aa1b965f4));
	assert_true(rng.s[2] == UINT64_C(0x06c45d188009454f));
	assert_true(rng.s[3] == UINT64_C(0xf88bb8a8724c81ec));
}

/* The reference code of xoshiro256** with the state 1, 2, 3, 4 begins so. */
static void the_sequence_is_that_of_xoshiro(void **state)
{
	struct rng rng = { { 1, 2, 3, 4 } };

	(void)state;
	assert_true(rng_u64(&rng) == 11520);
	assert_true(rng_u64(&rng) == 0);
	assert_true(rng_u64(&rng) == 1509978240);
	assert_true(rng_u64(&rng) == UINT64_C(1215971899390074240));
}

static void the_same_seed_gives_the_same_sequence(void **state)
{
	struct rng a, b, c;
	int same = 0;

	(void)state;
	rng_init(&a, 7);
	rng_init(&b, 7);
	rng_init(&c, 8);
	for (int i = 0; i < 100; i++) {
		uint64_t value = rng_u64(&a);

		assert_true(value == rng_u64(&b));
		same += value == rng_u64(&c);
	}
	assert_int_equal(same, 0);
}

/* Of 60,000 throws of a die each face comes 10,000 times; 500 more or less are over
 * five standard deviations. */
static void below_is_even(void **state)
{
	uint32_t faces[6] = { 0 };
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	for (int i = 0; i < 60000; i++)
		faces[rng_below(&rng, 6)]++;
	for (int i = 0; i < 6; i++)
		assert_in_range(faces[i], 9500, 10500);
	assert_int_equal(rng_below(&rng, 1), 0);
	assert_true(rng_below(&rng, UINT64_MAX) < UINT64_MAX);
}

static void a_permutation_has_each_number_once(void **state)
{
	uint32_t values[1000], seen[1000] = { 0 };
	struct rng rng;
	int moved = 0;

	(void)state;
	rng_init(&rng, 3);
	rng_permutation(&rng, values, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(values[i] < 1000);
		seen[values[i]]++;
		moved += values[i] != i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved > 900);
	rng_permutation(&rng, values, 0);
	rng_permutation(&rng, values, 1);
	assert_int_equal(values[0], 0);
}

/* Each of the 6 orders of three comes 1,000 times out of 6,000; 150 more or less are
 * five standard deviations. */
static void permutations_are_even(void **state)
{
	uint32_t orders[27] = { 0 };
	struct rng rng;
	int different = 0;

	(void)state;
	rng_init(&rng, 4);
	for (int i = 0; i < 6000; i++) {
		uint32_t v[3];

		rng_permutation(&rng, v, 3);
		orders[v[0] * 9 + v[1] * 3 + v[2]]++;
	}
	for (int i = 0; i < 27; i++) {
		if (orders[i])
			assert_in_range(orders[i], 850, 1150);
		different += orders[i] > 0;
	}
	assert_int_equal(different, 6);
}

static void derived_seeds_differ(void **state)
{
	uint64_t seeds[64];

	(void)state;
	for (uint64_t i = 0; i < 64; i++)
		seeds[i] = rng_derive(i / 8, i % 8);
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < i; k++)
			assert_true(seeds[i] != seeds[k]);
	assert_true(rng_derive(1, 2) == rng_derive(1, 2));
	assert_true(rng_derive(1, 2) != rng_derive(2, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_is_that_of_splitmix),
		cmocka_unit_test(the_sequence_is_that_of_xoshiro),
		cmocka_unit_test(the_same_seed_gives_the_same_sequence),
		cmocka_unit_test(below_is_even),
		cmocka_unit_test(a_permutation_has_each_number_once),
		cmocka_unit_test(permutations_are_even),
		cmocka_unit_test(derived_seeds_differ),
	};

	return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
