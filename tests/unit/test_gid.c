/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/gid.h"
#include "lib/units.h"

static const struct row {
	uint32_t index;
	enum gid_type type;
	const char *address;
} table[] = {
	{ 0, GID_ROCE_V1, "fe80::1" },
	{ 1, GID_ROCE_V2, "fe80::1" },
	{ 2, GID_ROCE_V1, "10.0.0.1" },
	{ 3, GID_ROCE_V2, "fd00::1" },
	{ 5, GID_ROCE_V2, "10.0.0.1" },
	{ 4, GID_ROCE_V2, "10.0.0.2" },
};

/* The index chosen from the first `count` rows, or the error. */
static int choose(size_t count, const struct gid_wish *wish, struct diag *diag)
{
	struct gid_entry entries[COUNT_OF(table)];
	int place;

	for (size_t i = 0; i < count; i++) {
		entries[i].index = table[i].index;
		entries[i].type = table[i].type;
		assert_true(gid_parse(table[i].address, entries[i].bytes));
	}
	place = gid_choose(entries, count, wish, "mlx5_0 port 1", diag);
	return place < 0 ? place : (int)entries[place].index;
}

static void ipv4_comes_first_and_then_the_lowest_index(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(choose(6, &(struct gid_wish){ 0 }, &diag), 4);
	assert_int_equal(choose(5, &(struct gid_wish){ 0 }, &diag), 5);
	assert_int_equal(choose(4, &(struct gid_wish){ 0 }, &diag), 3);
}

static void ipv6_comes_first_when_asked_for(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(choose(6, &(struct gid_wish){ .ipv6_first = true }, &diag), 3);
	assert_int_equal(choose(6, &(struct gid_wish){ .only = GID_IPV6 }, &diag), 3);
}

static void the_address_of_the_control_channel_wins(void **state)
{
	struct gid_wish wish = { .has_address = true };
	struct diag diag;

	(void)state;
	assert_true(gid_parse("10.0.0.1", wish.address));
	assert_int_equal(choose(6, &wish, &diag), 5);
	assert_true(gid_parse("fd00::1", wish.address));
	assert_int_equal(choose(6, &wish, &diag), 3);
	wish.only = GID_IPV4;
	assert_int_equal(choose(6, &wish, &diag), 4);
}

static void link_local_and_v1_are_for_nobody_but_by_index(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(choose(3, &(struct gid_wish){ 0 }, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "mlx5_0 port 1 has no RoCE v2 GID"));
	assert_int_equal(
		choose(6, &(struct gid_wish){ .by_index = true, .index = 1 }, &diag), 1);
	assert_int_equal(
		choose(6, &(struct gid_wish){ .by_index = true, .index = 2 }, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "GID 2 is not RoCE v2"));
	assert_int_equal(
		choose(6, &(struct gid_wish){ .by_index = true, .index = 9 }, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "GID 9 is empty"));
}

static void addresses_are_read_as_they_are_printed(void **state)
{
	static const char *const texts[] = { "10.1.2.3", "fd00:1::7", "fe80::1" };
	uint8_t bytes[GID_BYTES];
	char text[GID_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		assert_true(gid_parse(texts[i], bytes));
		gid_print(bytes, text);
		assert_string_equal(text, texts[i]);
	}
	assert_false(gid_parse("10.1.2", bytes));
	assert_false(gid_parse("", bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4_comes_first_and_then_the_lowest_index),
		cmocka_unit_test(ipv6_comes_first_when_asked_for),
		cmocka_unit_test(the_address_of_the_control_channel_wins),
		cmocka_unit_test(link_local_and_v1_are_for_nobody_but_by_index),
		cmocka_unit_test(addresses_are_read_as_they_are_printed),
	};

	return cmocka_run_group_tests_name("gid", tests, NULL, NULL);
}
