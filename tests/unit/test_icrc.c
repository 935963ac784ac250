/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/icrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lib/rng.h"

/* The definition: the reflected polynomial 0x04c11db7, a bit at a time. */
static uint32_t bit_by_bit(uint32_t crc, const uint8_t *bytes, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static void the_check_value_is_that_of_the_catalogue(void **state)
{
	(void)state;
	assert_int_equal(crc32_of(0, (const uint8_t *)"123456789", 9), 0xcbf43926);
}

/* Every byte at every one of the eight places of a step goes through the tables. */
static void the_tables_are_what_the_polynomial_makes_of_every_byte(void **state)
{
	(void)state;
	for (unsigned place = 0; place < 8; place++)
		for (unsigned value = 0; value < 256; value++) {
			uint8_t bytes[8] = { 0 };

			bytes[place] = (uint8_t)value;
			assert_int_equal(crc32_of(0, bytes, sizeof(bytes)),
				bit_by_bit(0, bytes, sizeof(bytes)));
		}
}

static void any_length_and_any_cut_give_the_same(void **state)
{
	uint8_t bytes[200];
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rng_u64(&rng);
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		size_t cut = (size_t)rng_below(&rng, size + 1);
		uint32_t first = crc32_of(0, bytes, cut);

		assert_int_equal(crc32_of(0, bytes, size), bit_by_bit(0, bytes, size));
		assert_int_equal(
			crc32_of(first, bytes + cut, size - cut), bit_by_bit(0, bytes, size));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_check_value_is_that_of_the_catalogue),
		cmocka_unit_test(the_tables_are_what_the_polynomial_makes_of_every_byte),
		cmocka_unit_test(any_length_and_any_cut_give_the_same),
	};

	return cmocka_run_group_tests_name("icrc", tests, NULL, NULL);
}
