/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/quantity.h"
#include "lib/units.h"

static const struct quantity_case {
	const char *text;
	enum quantity kind;
	int err;
	uint64_t value;
	const char *printed; /* NULL: as text */
} cases[] = {
	{ "0", QUANTITY_COUNT, 0, 0, NULL },
	{ "16", QUANTITY_COUNT, 0, 16, NULL },
	{ "18446744073709551615", QUANTITY_COUNT, 0, UINT64_MAX, NULL },
	{ "18446744073709551616", QUANTITY_COUNT, -ERANGE, 0, NULL },
	{ "1.5", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "-1", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "+1", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "1e3", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "0x10", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "16 apples", QUANTITY_COUNT, -EINVAL, 0, NULL },
	{ "100G", QUANTITY_RATE, 0, 100 * GBPS, NULL },
	{ "100Gb/s", QUANTITY_RATE, 0, 100 * GBPS, "100G" },
	{ "100 Gb/s", QUANTITY_RATE, 0, 100 * GBPS, "100G" },
	{ "400GE", QUANTITY_RATE, 0, 400 * GBPS, "400G" },
	{ "1.6T", QUANTITY_RATE, 0, 1600 * GBPS, "1600G" },
	{ "12.5Gbps", QUANTITY_RATE, 0, 12500000000, "12500M" },
	{ "40M", QUANTITY_RATE, 0, 40000000, NULL },
	{ "100", QUANTITY_RATE, -EINVAL, 0, NULL },
	{ "100g", QUANTITY_RATE, -EINVAL, 0, NULL },
	{ "100GB", QUANTITY_RATE, -EINVAL, 0, NULL },
	{ "nan", QUANTITY_RATE, -EINVAL, 0, NULL },
	{ "infG", QUANTITY_RATE, -EINVAL, 0, NULL },
	{ "99999999999G", QUANTITY_RATE, -ERANGE, 0, NULL },
	{ "4096", QUANTITY_BYTES, 0, 4096, "4KiB" },
	{ "1000B", QUANTITY_BYTES, 0, 1000, "1000" },
	{ "16KiB", QUANTITY_BYTES, 0, 16384, NULL },
	{ "1.5MiB", QUANTITY_BYTES, 0, 1572864, "1536KiB" },
	{ "1GiB", QUANTITY_BYTES, 0, GIB, NULL },
	{ "0.1KiB", QUANTITY_BYTES, -ERANGE, 0, NULL },
	{ "32MB", QUANTITY_BYTES, -EINVAL, 0, NULL },
	{ "32K", QUANTITY_BYTES, -EINVAL, 0, NULL },
	{ "5ns", QUANTITY_TIME, 0, 5, NULL },
	{ "20us", QUANTITY_TIME, 0, 20000, NULL },
	{ "1.5ms", QUANTITY_TIME, 0, 1500000, "1500us" },
	{ "2s", QUANTITY_TIME, 0, 2 * NS_PER_S, NULL },
	{ "0", QUANTITY_TIME, 0, 0, "0ns" },
	{ "5", QUANTITY_TIME, -EINVAL, 0, NULL },
	{ "0.5ns", QUANTITY_TIME, -ERANGE, 0, NULL },
	{ "5 minutes", QUANTITY_TIME, -EINVAL, 0, NULL },
	{ "20m", QUANTITY_LENGTH, 0, 20, NULL },
	{ "1.2km", QUANTITY_LENGTH, 0, 1200, "1200m" },
	{ "20", QUANTITY_LENGTH, -EINVAL, 0, NULL },
	{ "0.001", QUANTITY_SHARE, 0, PPB / 1000, NULL },
	{ "1", QUANTITY_SHARE, 0, PPB, NULL },
	{ ".5", QUANTITY_SHARE, 0, PPB / 2, "0.5" },
	{ "0.1 %", QUANTITY_SHARE, 0, PPB / 1000, "0.001" },
	{ "0.1%", QUANTITY_SHARE, 0, PPB / 1000, "0.001" },
	{ "1e-6", QUANTITY_SHARE, 0, 1000, "0.000001" },
	{ "2.5E-3", QUANTITY_SHARE, 0, 2500000, "0.0025" },
	{ "1e+1", QUANTITY_SHARE, 0, 10 * PPB, "10" },
	{ "1e-10", QUANTITY_SHARE, -ERANGE, 0, NULL },
	{ "1e999999999999", QUANTITY_SHARE, -ERANGE, 0, NULL },
	{ "0e999999999999", QUANTITY_SHARE, 0, 0, "0" },
	{ "1e-999999999999", QUANTITY_SHARE, -ERANGE, 0, NULL },
	{ "1e", QUANTITY_SHARE, -EINVAL, 0, NULL },
	{ "1.", QUANTITY_SHARE, -EINVAL, 0, NULL },
	{ ".", QUANTITY_SHARE, -EINVAL, 0, NULL },
	{ "1.2.3", QUANTITY_SHARE, -EINVAL, 0, NULL },
	{ "nan", QUANTITY_SHARE, -EINVAL, 0, NULL },
	{ "1/8", QUANTITY_SHARE, -EINVAL, 0, NULL },
	{ "0.30000000000000000000", QUANTITY_SHARE, -ERANGE, 0, NULL },
};

static void is_read_exactly_or_refused(void **state)
{
	const struct quantity_case *row = *state;
	uint64_t value = 4711;

	assert_int_equal(quantity_parse(row->kind, row->text, &value), row->err);
	/* A refusal leaves the value alone. */
	assert_int_equal(value, row->err ? 4711 : row->value);
}

static void is_printed_as_it_would_be_read(void **state)
{
	const struct quantity_case *row = *state;
	char text[QUANTITY_TEXT];
	uint64_t again;

	if (row->err)
		return;
	quantity_print(row->kind, row->value, text);
	assert_string_equal(text, row->printed ? row->printed : row->text);
	assert_int_equal(quantity_parse(row->kind, text, &again), 0);
	assert_int_equal(again, row->value);
}

int main(void)
{
	struct CMUnitTest tests[2 * COUNT_OF(cases)];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		tests[2 * i] = (struct CMUnitTest){
			.name = cases[i].text,
			.test_func = is_read_exactly_or_refused,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
		tests[2 * i + 1] = tests[2 * i];
		tests[2 * i + 1].test_func = is_printed_as_it_would_be_read;
	}
	return cmocka_run_group_tests_name("quantity", tests, NULL, NULL);
}
