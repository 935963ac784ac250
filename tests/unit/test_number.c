/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "reports/number.h"

typedef void number_function(char *text, size_t size, uint64_t value);

static const struct number_case {
	const char *text;
	number_function *function;
	uint64_t value;
} numbers[] = {
	{ "0", number_count, 0 },
	{ "999", number_count, 999 },
	{ "1,000", number_count, 1000 },
	{ "1,234,567", number_count, 1234567 },
	{ "18,446,744,073,709,551,615", number_count, UINT64_MAX },
	{ "0 bytes", number_bytes, 0 },
	{ "1,023 bytes", number_bytes, 1023 },
	{ "1.00 KiB", number_bytes, 1024 },
	{ "1.50 MiB", number_bytes, 3 * MIB / 2 },
	{ "100 GiB", number_bytes, 100 * GIB },
	{ "17 ns", number_time, 17 },
	{ "4.10 us", number_time, 4096 },
	{ "12.3 ms", number_time, 12300000 },
	{ "34.4 s", number_time, UINT64_C(34360000000) },
	{ "98.0 Gb/s", number_rate, UINT64_C(98039215686) },
	{ "0 b/s", number_rate, 0 },
	{ "9.99 Gb/s", number_rate, UINT64_C(9990000000) },
	{ "10.0 Gb/s", number_rate, UINT64_C(9999000000) },
	{ "400", number_gbps, 400 * GBPS },
	{ "0.01", number_gbps, 10000000 },
	{ "0.0022", number_gbps, 2150000 },
	{ "2.0e-06", number_gbps, 2000 },
	{ "0.00", number_gbps, 0 },
};

static void figures_have_few_digits(void **state)
{
	const struct number_case *c = *state;
	char text[NUMBER_BYTES];

	c->function(text, sizeof(text), c->value);
	assert_string_equal(text, c->text);
}

static const struct figure_case {
	const char *text, *unit;
	double value;
} figures[] = {
	{ "97.1 Gb/s", "Gb/s", 97.1 },
	{ "1,204 packets", "packets", 1204 },
	{ "0 packets", "packets", 0 },
	{ "0.000988", "ratio", 0.000988 },
	{ "1", "ratio", 1 },
	{ "2.40e-09", "ratio", 2.4e-9 },
	{ "1.50 MiB", "bytes", 1572864 },
	{ "0.5 bytes", "bytes", 0.5 },
	{ "-3 us", "us", -3 },
	{ "no number", "Gb/s", (double)NAN },
	{ "no number", "Gb/s", (double)INFINITY },
	{ "1.80e+308 packets", "packets", DBL_MAX },
};

static void a_finding_has_its_unit(void **state)
{
	const struct figure_case *c = *state;
	char text[NUMBER_BYTES];

	number_figure(text, sizeof(text), c->value, c->unit);
	assert_string_equal(text, c->text);
}

static void a_range_has_one_unit(void **state)
{
	char text[2 * NUMBER_BYTES];

	(void)state;
	number_range(text, sizeof(text), 97.9, 97.93, "Gb/s");
	assert_string_equal(text, "97.9 to 97.93 Gb/s");
	number_range(text, sizeof(text), 0.25, 1, "ratio");
	assert_string_equal(text, "0.25 to 1");
	number_range(text, sizeof(text), 512, 1048576, "bytes");
	assert_string_equal(text, "512 bytes to 1.00 MiB");
	number_range(text, sizeof(text), 7, 7, "packets");
	assert_string_equal(text, "7 packets");
}

static void a_small_buffer_is_not_overrun(void **state)
{
	char text[5] = "....";

	(void)state;
	number_count(text, 4, 1234567);
	assert_string_equal(text, "1,2");
}

int main(void)
{
	struct CMUnitTest tests[2 + COUNT_OF(numbers) + COUNT_OF(figures)] = {
		cmocka_unit_test(a_small_buffer_is_not_overrun),
		cmocka_unit_test(a_range_has_one_unit),
	};

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		tests[2 + i] = (struct CMUnitTest){
			.name = numbers[i].text,
			.test_func = figures_have_few_digits,
			.initial_state = (void *)(uintptr_t)&numbers[i],
		};
	for (size_t i = 0; i < COUNT_OF(figures); i++)
		tests[2 + COUNT_OF(numbers) + i] = (struct CMUnitTest){
			.name = figures[i].text,
			.test_func = a_finding_has_its_unit,
			.initial_state = (void *)(uintptr_t)&figures[i],
		};
	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
