/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/hwcounters.h"
#include "lib/units.h"

static char folder[] = "/tmp/hwcounters.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void only_what_grew_is_told(void **state)
{
	static struct hwcounters first, last, grown;
	struct diag diag;
	bool reset;

	(void)state;
	put("packet_seq_err", "4\n");
	put("out_of_sequence", "7\n");
	put("np_cnp_sent", "9\n");
	put("words", "many\n");
	put("negative", "-1\n");
	assert_int_equal(hwcounters_read(&first, folder, &diag), 0);
	assert_int_equal(first.count, 3);
	put("packet_seq_err", "6\n");
	put("np_cnp_sent", "2\n");
	assert_int_equal(hwcounters_read(&last, folder, &diag), 0);
	hwcounters_between(&first, &last, &grown, &reset);
	assert_int_equal(grown.count, 1);
	assert_string_equal(grown.items[0].name, "packet_seq_err");
	assert_int_equal(grown.items[0].value, 2);
	assert_true(reset); /* np_cnp_sent went down */
	hwcounters_between(&first, &first, &grown, &reset);
	assert_int_equal(grown.count, 0);
	assert_false(reset);
}

static void losses_are_told_by_counters_that_stay(void **state)
{
	static struct hwcounters none = { 1, { { "rx_bytes", 3 } } };
	static struct hwcounters from = { 2,
		{ { "out_of_sequence", 7 }, { "packet_seq_err", 2 } } };
	static struct hwcounters to = { 2,
		{ { "out_of_sequence", 9 }, { "packet_seq_err", 2 } } };

	(void)state;
	assert_false(hwcounters_tell_loss(&none, &none));
	assert_true(hwcounters_tell_loss(&from, &to));
	to.items[1].value = 1;
	assert_false(hwcounters_tell_loss(&from, &to));
	to.items[1].value = 2;
	to.count = 1;
	assert_false(hwcounters_tell_loss(&from, &to));
}

static void more_than_can_be_held_is_not_read(void **state)
{
	static struct hwcounters counters;
	char name[HWCOUNTERS_NAME];
	struct diag diag;

	(void)state;
	for (uint32_t i = 0; i <= HWCOUNTERS_MAX; i++) {
		snprintf(name, sizeof(name), "more_%u", i);
		put(name, "1\n");
	}
	assert_int_equal(hwcounters_read(&counters, folder, &diag), -EOVERFLOW);
}

/* 32 bits of it are soon full. */
static void requests_that_go_round_are_no_reset(void **state)
{
	static struct hwcounters from = { 1, { { "rx_write_requests", UINT32_MAX } } };
	static struct hwcounters to = { 1, { { "rx_write_requests", 7 } } };
	static struct hwcounters grown;
	bool reset;

	(void)state;
	hwcounters_between(&from, &to, &grown, &reset);
	assert_int_equal(grown.count, 0);
	assert_false(reset);
}

static void every_driver_s_losses_are_known(void **state)
{
	static const char *const names[] = { "roce_adp_retrans", "roce_adp_retrans_to",
		"oos_drop_count", "missing_resp", "dup_req", "requester_timeout",
		"requester_oos_nak", "responder_oos", "tx_rdma_ack_timeout",
		"req_rx_pkt_seq_err", "resp_rx_outouf_seq", "sq_num_to", "rq_num_oos" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_true(hwcounters_is_loss(names[i]));
		assert_false(hwcounters_is_not_ready(names[i]));
	}
	assert_true(hwcounters_is_not_ready("rx_out_of_buffer"));
}

static void no_folder_is_no_counter(void **state)
{
	static struct hwcounters counters;
	struct diag diag;

	(void)state;
	assert_int_equal(hwcounters_read(&counters, "/nowhere", &diag), -ENOENT);
}

static void loss_and_a_late_receiver_are_told_apart(void **state)
{
	(void)state;
	assert_true(hwcounters_is_loss("out_of_sequence"));
	assert_true(hwcounters_is_loss("out_of_seq_request"));
	assert_false(hwcounters_is_loss("rcvd_pkts"));
	assert_false(hwcounters_is_loss("rcvd_rnr_err"));
	assert_true(hwcounters_is_not_ready("rcvd_rnr_err"));
	assert_false(hwcounters_is_not_ready("packet_seq_err"));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_grew_is_told),
		cmocka_unit_test(losses_are_told_by_counters_that_stay),
		cmocka_unit_test(requests_that_go_round_are_no_reset),
		cmocka_unit_test(every_driver_s_losses_are_known),
		cmocka_unit_test(more_than_can_be_held_is_not_read),
		cmocka_unit_test(no_folder_is_no_counter),
		cmocka_unit_test(loss_and_a_late_receiver_are_told_apart),
	};

	return cmocka_run_group_tests_name("hwcounters", tests, make_folder, remove_folder);
}
