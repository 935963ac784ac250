/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram, and the checksum of payload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/crc32c.h"
#include "lib/histogram.h"
#include "lib/rng.h"
#include "lib/units.h"

#define VALUES 10001u

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static void quantiles_are_those_of_the_sorted_values(void **state)
{
	static const uint64_t shares[] = { 1, PPB / 2, PPB / 100 * 99, PPB / 1000 * 999, PPB };
	static struct histogram histogram;
	static uint64_t values[VALUES];
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	histogram_init(&histogram);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = rng_u64(&rng) >> rng_below(&rng, 63);
		histogram_add(&histogram, values[i]);
	}
	qsort(values, VALUES, sizeof(values[0]), by_value);
	for (size_t i = 0; i < COUNT_OF(shares); i++) {
		size_t rank = (size_t)((VALUES * shares[i] + PPB - 1) / PPB);
		uint64_t exact = values[rank - 1];
		uint64_t got = histogram_quantile(&histogram, shares[i]);
		uint64_t off = got > exact ? got - exact : exact - got;

		assert_true(off <= exact / 256 + 1);
	}
	assert_int_equal(histogram.least, values[0]);
	assert_int_equal(histogram.most, values[VALUES - 1]);
	assert_true(histogram_quantile(&histogram, PPB) == values[VALUES - 1]);
}

static void every_value_lies_in_its_bucket_and_none_is_dropped(void **state)
{
	static const uint64_t edges[] = { 0, 1, 127, 128, 129, 255, 256, 257, UINT64_MAX };
	static struct histogram histogram;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(edges); i++) {
		uint64_t low, width, seen = 0;

		histogram_init(&histogram);
		histogram_add(&histogram, edges[i]);
		for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
			if (!histogram.counts[bucket])
				continue;
			histogram_bucket(bucket, &low, &width);
			assert_true(edges[i] >= low && edges[i] - low < width);
			seen += histogram.counts[bucket];
		}
		assert_int_equal(seen, 1);
	}
}

static void an_empty_one_has_no_quantiles(void **state)
{
	static struct histogram histogram;

	(void)state;
	histogram_init(&histogram);
	assert_int_equal(histogram_quantile(&histogram, PPB / 2), 0);
}

/* RFC 3720, appendix B.4. */
static void crc32c_is_that_of_the_rfc_by_either_way(void **state)
{
	uint8_t zeros[32] = { 0 }, rising[32];

	(void)state;
	for (uint8_t i = 0; i < 32; i++)
		rising[i] = i;
	assert_int_equal(crc32c(zeros, 32), 0x8A9136AA);
	assert_int_equal(crc32c(rising, 32), 0x46DD794E);
	assert_int_equal(crc32c("123456789", 9), 0xE3069283);
	for (size_t bytes = 0; bytes <= 32; bytes++)
		assert_int_equal(crc32c(rising, bytes), crc32c_by_table(rising, bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_the_sorted_values),
		cmocka_unit_test(every_value_lies_in_its_bucket_and_none_is_dropped),
		cmocka_unit_test(an_empty_one_has_no_quantiles),
		cmocka_unit_test(crc32c_is_that_of_the_rfc_by_either_way),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
