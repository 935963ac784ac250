/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "lib/units.h"
#include "pfc/counter_table.h"
#include "pfc/scan.h"
#include "pfc/wc.h"

static void numbers_are_read_with_groups_and_never_from_lists(void **state)
{
	const char *end;
	double number;

	(void)state;
	assert_true(scan_number("61,115,381 rest", &number, &end) && number == 61115381);
	assert_string_equal(end, " rest");
	assert_true(scan_number("20016,156096,0", &number, &end) && number == 20016);
	assert_true(scan_number("0x15", &number, NULL) && number == 0x15);
	assert_true(scan_number("43000.", &number, NULL) && number == 43000);
	assert_false(scan_number("nan", &number, NULL));
	assert_false(scan_number("", &number, NULL));
	assert_true(scan_whole_number("12", &number));
	assert_false(scan_whole_number("12abc", &number));
}

static const struct rate_case {
	const char *name, *text;
	double gbps; /* 0: no rate */
} rates[] = {
	{ "gigabits", "97.8 Gb/s", 97.8 },
	{ "gigabytes", "12.0 GB/s", 96 },
	{ "mebibytes", "11650.00 MiB/s", 97.7272832 },
	{ "ethtool's megabits", "100000Mb/s", 100 },
	{ "bare G", "200G", 200 },
	{ "a size is no rate", "1 GB", 0 },
	{ "seconds are no rate", "60 s", 0 },
	{ "a heading", "BW average[Gb/sec]", 0 },
};

static void a_rate_needs_its_unit(void **state)
{
	const struct rate_case *row = *state;
	double gbps = 0;

	assert_int_equal(scan_find_rate_gbps(row->text, &gbps, NULL), row->gbps > 0);
	if (row->gbps > 0)
		assert_true(fabs(gbps / row->gbps - 1) < 1e-6);
}

static void addresses_of_any_spelling_become_one(void **state)
{
	static const char mapped[] = "0000:0000:0000:0000:0000:ffff:c000:020a";
	char gid[64], ip[32], mac[18];
	unsigned address;
	int length;

	(void)state;
	assert_true(scan_gid("::ffff:192.0.2.10", gid, sizeof(gid)));
	assert_string_equal(gid, mapped);
	assert_true(scan_gid_decimal(
		"00:00:00:00:00:00:00:00:00:00:255:255:192:00:02:10", gid, sizeof(gid)));
	assert_string_equal(gid, mapped);
	assert_string_equal(gid_family(gid), "ipv4-mapped");
	assert_true(gid_ipv4(gid, ip, sizeof(ip)));
	assert_string_equal(ip, "192.0.2.10");
	assert_true(scan_gid("fe80::1,", gid, sizeof(gid)));
	assert_string_equal(gid_family(gid), "link-local");
	assert_false(scan_gid("10:00", gid, sizeof(gid)));
	assert_true(scan_ipv4("192.0.2.72/24", &address, &length));
	assert_int_equal(address, 0xc0000248);
	assert_int_equal(length, 24);
	assert_false(scan_ipv4("192.0.2.10.4791", &address, &length));
	assert_false(scan_ipv4("300.0.2.10", &address, &length));
	assert_true(scan_mac("02:00:5E:00:53:01", mac, sizeof(mac)));
	assert_string_equal(mac, "02:00:5e:00:53:01");
	assert_false(scan_mac("02:00:5e:00:53", mac, sizeof(mac)));
}

static const struct counter_case {
	const char *name;
	enum meaning means;
	int priority;
} counters[] = {
	{ "rx_prio3_pause", MEANS_PFC_RX, 3 },
	{ "tx_pfc_ena_frames_pri5", MEANS_PFC_TX, 5 },
	{ "rx_priority_3_xoff.nic", MEANS_PFC_RX, 3 },
	{ "mac_tx_pfc_pri0_pkt_num", MEANS_PFC_TX, 0 },
	{ "rx_pripause_3_1us_count", MEANS_PFC_RX_TIME, 3 },
	{ "  np_cnp_sent ", MEANS_CNP_TX, -1 },
	{ "cnpHandled", MEANS_CNP_RX, -1 },
	{ "[0]: rx_stat_discard", MEANS_RX_DROP, -1 },
	{ "out_of_seq_request", MEANS_OOS, -1 },
	{ "rx_pause_ctrl_phy", MEANS_NOTHING, -1 },
};

static void a_counter_of_any_driver_has_its_meaning(void **state)
{
	const struct counter_case *row = *state;
	int priority = 99;
	const struct counter_row *found = counter_find(row->name, &priority);

	assert_non_null(found);
	assert_int_equal(found->means, row->means);
	assert_int_equal(priority, row->priority);
}

static void names_that_no_row_has_are_not_found(void **state)
{
	int priority;

	(void)state;
	assert_null(counter_find("rx_prio9_pause", &priority));
	assert_null(counter_find("rx_prio33_pause", &priority));
	assert_null(counter_find("lifespan", &priority));
	assert_null(counter_find("", &priority));
}

static void every_row_is_found_as_itself(void **state)
{
	(void)state;
	for (const struct counter_row *row = counter_rows; row->name; row++) {
		int priority;
		const struct counter_row *found = counter_find(row->name, &priority);

		/* Two drivers may have one name, but then it means the same. */
		assert_non_null(found);
		assert_string_equal(found->name, row->name);
		assert_int_equal(found->means, row->means);
		assert_int_equal(found->unit, row->unit);
		assert_string_not_equal(meaning_name(row->means), "");
	}
}

static void statuses_are_found_by_number_name_and_text(void **state)
{
	(void)state;
	assert_string_equal(wc_name(12), "IBV_WC_RETRY_EXC_ERR");
	assert_null(wc_name(99));
	assert_int_equal(wc_find("completion: IBV_WC_RNR_RETRY_EXC_ERR"), 13);
	assert_int_equal(wc_find("transport retry counter exceeded"), 12);
	assert_int_equal(wc_find("Work Request Flushed Error"), 5);
	assert_int_equal(wc_find("all is well"), -1);
}

static void a_prefix_of_any_length_has_a_mask(void **state)
{
	(void)state;
	assert_int_equal(scan_mask(24), 0xffffff00);
	assert_int_equal(scan_mask(1), 0x80000000);
	assert_int_equal(scan_mask(31.5), 0xfffffffe);
	assert_int_equal(scan_mask(32), 0xffffffff);
	assert_int_equal(scan_mask(94), 0xffffffff);
	assert_int_equal(scan_mask(1e300), 0xffffffff);
	assert_int_equal(scan_mask(0.1), 0);
	assert_int_equal(scan_mask(0), 0);
	assert_int_equal(scan_mask(-3), 0);
	assert_int_equal(scan_mask((double)NAN), 0);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(rates) + COUNT_OF(counters) + 6] = {
		cmocka_unit_test(a_prefix_of_any_length_has_a_mask),
		cmocka_unit_test(numbers_are_read_with_groups_and_never_from_lists),
		cmocka_unit_test(addresses_of_any_spelling_become_one),
		cmocka_unit_test(names_that_no_row_has_are_not_found),
		cmocka_unit_test(every_row_is_found_as_itself),
		cmocka_unit_test(statuses_are_found_by_number_name_and_text),
	};
	size_t count = 6;

	for (size_t i = 0; i < COUNT_OF(rates); i++)
		tests[count++] = (struct CMUnitTest){
			.name = rates[i].name,
			.test_func = a_rate_needs_its_unit,
			.initial_state = (void *)(uintptr_t)&rates[i],
		};
	for (size_t i = 0; i < COUNT_OF(counters); i++)
		tests[count++] = (struct CMUnitTest){
			.name = counters[i].name,
			.test_func = a_counter_of_any_driver_has_its_meaning,
			.initial_state = (void *)(uintptr_t)&counters[i],
		};
	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
