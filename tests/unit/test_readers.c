/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/counterfile.h"
#include "lib/dcb.h"
#include "lib/diag.h"
#include "lib/host.h"
#include "lib/netlink.h"
#include "lib/routes.h"

/* --- an answer, written as the kernel writes it --- */

struct answer {
	uint8_t bytes[4096];
	size_t size;
};

static void put(struct answer *answer, const void *bytes, size_t size)
{
	assert_true(answer->size + size + 4 <= sizeof(answer->bytes));
	memset(answer->bytes + answer->size, 0, size + 4);
	memcpy(answer->bytes + answer->size, bytes, size);
	answer->size += (size + 3) & ~(size_t)3;
}

static size_t open_attr(struct answer *answer, unsigned type)
{
	struct nlattr header = { .nla_type = (uint16_t)type };
	size_t at = answer->size;

	put(answer, &header, sizeof(header));
	return at;
}

static void close_attr(struct answer *answer, size_t at, size_t size)
{
	uint16_t length = (uint16_t)size;

	memcpy(answer->bytes + at, &length, sizeof(length));
}

static void put_attr(struct answer *answer, unsigned type, const void *bytes, size_t size)
{
	size_t at = open_attr(answer, type);

	put(answer, bytes, size);
	close_attr(answer, at, 4 + size);
}

static void start(struct answer *answer)
{
	struct nlmsghdr header = { .nlmsg_type = RTM_GETDCB };
	struct dcbmsg dcb = { .cmd = DCB_CMD_IEEE_GET };

	answer->size = 0;
	put(answer, &header, sizeof(header));
	put(answer, &dcb, sizeof(dcb));
}

static void finish(struct answer *answer)
{
	uint32_t length = (uint32_t)answer->size;

	memcpy(answer->bytes, &length, sizeof(length));
}

static void error_answer(struct answer *answer, int err)
{
	struct nlmsghdr header = { .nlmsg_type = NLMSG_ERROR };
	struct nlmsgerr error = { .error = err };

	answer->size = 0;
	put(answer, &header, sizeof(header));
	put(answer, &error, sizeof(error));
	finish(answer);
}

/* --- dcbnl --- */

static void the_parts_that_came_are_there_and_no_others(void **state)
{
	struct ieee_pfc pfc = { .pfc_cap = 8, .pfc_en = 1 << 3, .delay = 30 };
	struct dcb_app apps[] = { { IEEE_8021QAZ_APP_SEL_DSCP, 3, 26 },
		{ IEEE_8021QAZ_APP_SEL_ETHERTYPE, 2, 0 } };
	static struct answer answer;
	static struct dcb dcb;
	uint8_t dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	size_t ieee, table;

	(void)state;
	pfc.indications[3] = 1ull << 40;
	start(&answer);
	ieee = open_attr(&answer, DCB_ATTR_IEEE); /* without NLA_F_NESTED, as it comes */
	put_attr(&answer, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	put_attr(&answer, DCB_ATTR_IEEE_ETS, &pfc, 12); /* shorter than its layout */
	table = open_attr(&answer, DCB_ATTR_IEEE_APP_TABLE);
	put_attr(&answer, DCB_ATTR_IEEE_APP, &apps[0], sizeof(apps[0]));
	put_attr(&answer, DCB_ATTR_IEEE_APP, &apps[1], sizeof(apps[1]));
	close_attr(&answer, table, answer.size - table);
	close_attr(&answer, ieee, answer.size - ieee);
	put_attr(&answer, DCB_ATTR_DCBX, &dcbx, 1);
	finish(&answer);
	assert_int_equal(dcb_parse(&dcb, answer.bytes, answer.size), 0);
	assert_true(dcb.has_pfc && dcb.has_apps && dcb.has_dcbx);
	assert_false(dcb.has_ets || dcb.has_buffer || dcb.has_trust || dcb.has_peer_pfc);
	assert_int_equal(dcb.pfc.enabled, 1 << 3);
	assert_int_equal(dcb.pfc.delay, 30);
	assert_true(dcb.pfc.indications[3] == 1ull << 40);
	assert_int_equal(dcb_priority_of_dscp(&dcb, 26), 3);
	assert_int_equal(dcb_priority_of_dscp(&dcb, 27), 2); /* the default priority */
	assert_true(dcb_trusts_dscp(&dcb));                  /* inferred */
}

static void the_kernels_own_trust_goes_before_what_the_table_implies(void **state)
{
	struct dcb_app app = { IEEE_8021QAZ_APP_SEL_DSCP, 3, 26 };
	static struct answer answer;
	static struct dcb dcb;
	uint8_t pcp = 255;
	size_t ieee, table;

	(void)state;
	start(&answer);
	ieee = open_attr(&answer, DCB_ATTR_IEEE);
	table = open_attr(&answer, DCB_ATTR_IEEE_APP_TABLE);
	put_attr(&answer, DCB_ATTR_IEEE_APP, &app, sizeof(app));
	close_attr(&answer, table, answer.size - table);
	table = open_attr(&answer, 11); /* DCB_ATTR_DCB_APP_TRUST_TABLE */
	put_attr(&answer, 1, &pcp, 1);
	close_attr(&answer, table, answer.size - table);
	close_attr(&answer, ieee, answer.size - ieee);
	finish(&answer);
	assert_int_equal(dcb_parse(&dcb, answer.bytes, answer.size), 0);
	assert_true(dcb.has_trust);
	assert_false(dcb_trusts_dscp(&dcb));
}

static void an_error_is_given_as_the_kernel_gave_it(void **state)
{
	static struct answer answer;
	static struct dcb dcb;

	(void)state;
	error_answer(&answer, -EOPNOTSUPP);
	assert_int_equal(dcb_parse(&dcb, answer.bytes, answer.size), -EOPNOTSUPP);
	error_answer(&answer, -EPERM);
	assert_int_equal(dcb_parse(&dcb, answer.bytes, answer.size), -EPERM);
	error_answer(&answer, 0); /* an acknowledgement alone is no answer */
	assert_int_equal(dcb_parse(&dcb, answer.bytes, answer.size), -EBADMSG);
	assert_int_equal(dcb_parse(&dcb, answer.bytes, 0), -EBADMSG);
}

/* --- routes --- */

static void start_route(struct answer *answer, unsigned char type, unsigned char length)
{
	struct nlmsghdr header = { .nlmsg_type = RTM_NEWROUTE };
	struct rtmsg route = { .rtm_family = AF_INET,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_type = type,
		.rtm_dst_len = length };

	answer->size = 0;
	put(answer, &header, sizeof(header));
	put(answer, &route, sizeof(route));
}

static void each_next_hop_is_an_entry_and_what_is_not_unicast_is_none(void **state)
{
	struct hop {
		struct rtnexthop head;
		struct nlattr gateway;
		uint32_t address;
	} hops[] = { { { sizeof(hops[0]), 0, 0, 7 }, { 8, RTA_GATEWAY }, htonl(0xc0000201) },
		{ { sizeof(struct rtnexthop), 0, 0, 8 }, { 0, 0 }, 0 } };
	static struct answer answer;
	static struct route_entries entries;
	uint32_t net = htonl(0xc6336400), table = 100;

	(void)state;
	start_route(&answer, RTN_UNICAST, 24);
	put_attr(&answer, RTA_DST, &net, sizeof(net));
	put_attr(&answer, RTA_TABLE, &table, sizeof(table));
	put_attr(&answer, RTA_MULTIPATH, hops, sizeof(hops[0]) + sizeof(struct rtnexthop));
	finish(&answer);
	assert_int_equal(routes_parse_entries(&entries, answer.bytes, answer.size), 0);
	assert_int_equal(entries.count, 2);
	assert_true(entries.items[0].gateway && !entries.items[1].gateway);
	assert_int_equal(entries.items[0].ifindex, 7);
	assert_int_equal(entries.items[1].ifindex, 8);
	assert_int_equal(entries.items[1].ipv4, 0xc6336400);
	assert_int_equal(entries.items[1].prefix_length, 24);
	assert_int_equal(entries.items[1].table, 100);
	start_route(&answer, RTN_LOCAL, 32);
	finish(&answer);
	assert_int_equal(routes_parse_entries(&entries, answer.bytes, answer.size), 0);
	assert_int_equal(entries.count, 0);
}

static void the_kernels_list_of_ipv6_addresses_is_read(void **state)
{
	static struct route_addresses6 addresses;

	(void)state;
	routes_parse_addresses6(&addresses,
		"00000000000000000000000000000001 01 80 10 80       lo\n"
		"fe80000000000000000000fffe005301 02 40 20 80    rail0\n"
		"no address\n"
		"fd000001000000000000000000000001 02 40 00 80    rail0");
	assert_int_equal(addresses.count, 3);
	assert_false(addresses.items[0].global || addresses.items[1].global);
	assert_true(addresses.items[2].global);
	assert_string_equal(addresses.items[2].text, "fd00:1::1");
	assert_string_equal(addresses.items[2].netdev, "rail0");
	assert_int_equal(addresses.items[2].prefix_length, 64);
}

/* --- a root --- */

static char root[] = "/tmp/readers.XXXXXX";

static void put_file(const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0777);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void absent_denied_and_gone_are_told_apart(void **state)
{
	struct host host = { .root = root };
	char text[64];
	long long number;

	(void)state;
	put_file("sys/mtu", "9000\n");
	put_file("sys/config.errno", "13\n");
	put_file("sys/device.errno", "19\n");
	put_file("sys/empty", "\n");
	put_file("sys/driver.link", "mlx5_core\n");
	assert_int_equal(host_read_number(&host, "/sys/mtu", &number), 0);
	assert_int_equal(number, 9000);
	assert_int_equal(host_read(&host, "/sys/nothing", text, sizeof(text)), -ENOENT);
	assert_int_equal(host_read(&host, "/sys/config", text, sizeof(text)), -EACCES);
	assert_int_equal(host_read(&host, "/sys/device", text, sizeof(text)), -ENODEV);
	assert_int_equal(host_read_number(&host, "/sys/empty", &number), -ENODATA);
	assert_int_equal(host_link(&host, "/sys/driver", text, sizeof(text)), 0);
	assert_string_equal(text, "mlx5_core");
	assert_string_equal(host_why(-ENOENT), "absent");
	assert_string_equal(host_why(-EACCES), "denied");
	assert_string_equal(host_why(-EOPNOTSUPP), "not supported");
	assert_string_equal(host_why(-ENODEV), "gone");
}

static void what_is_recorded_reads_the_same(void **state)
{
	char copy[128], text[64], (*names)[HOST_NAME];
	struct host live = { .root = root }, again = { .root = copy };
	int count;

	(void)state;
	snprintf(copy, sizeof(copy), "%s/copy", root);
	live.record = copy;
	put_file("sys/net/b10/mtu", "1500\n");
	put_file("sys/net/b9/mtu", "4200\n");
	put_file("sys/net/b9/secret.errno", "1\n");
	assert_int_equal(host_list(&live, "/sys/net", &names), 2);
	free(names);
	assert_int_equal(host_read(&live, "/sys/net/b9/mtu", text, sizeof(text)), 4);
	assert_int_equal(host_read(&live, "/sys/net/b9/secret", text, sizeof(text)), -EPERM);
	count = host_list(&again, "/sys/net", &names);
	assert_int_equal(count, 2);
	assert_string_equal(names[0], "b9"); /* numbers by value */
	free(names);
	assert_int_equal(host_read(&again, "/sys/net/b9/mtu", text, sizeof(text)), 4);
	assert_string_equal(text, "4200");
	assert_int_equal(host_read(&again, "/sys/net/b9/secret", text, sizeof(text)), -EPERM);
	assert_int_equal(host_read(&again, "/sys/net/b10/mtu", text, sizeof(text)), -ENOENT);
}

static void a_counter_that_is_text_is_no_number(void **state)
{
	struct counterfile file = COUNTERFILE_INIT;
	struct host host = { .root = root };
	struct diag diag;
	uint64_t value = 7;

	(void)state;
	put_file("sys/counters/symbol_error", "N/A (no PMA)\n");
	put_file("sys/counters/big", "18446744073709551615\n");
	assert_int_equal(
		counterfile_open(&file, &host, "/sys/counters/symbol_error", &diag), 0);
	assert_int_equal(counterfile_read(&file, &value), -ENODATA);
	assert_int_equal(value, 7);
	counterfile_close(&file);
	assert_int_equal(counterfile_open(&file, &host, "/sys/counters/big", &diag), 0);
	assert_int_equal(counterfile_read(&file, &value), 0);
	assert_true(value == UINT64_MAX);
	counterfile_close(&file);
	counterfile_close(&file);
	assert_int_equal(counterfile_open(&file, &host, "/sys/counters/none", &diag), -ENOENT);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command); /* our own name: mkdtemp's */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parts_that_came_are_there_and_no_others),
		cmocka_unit_test(the_kernels_own_trust_goes_before_what_the_table_implies),
		cmocka_unit_test(an_error_is_given_as_the_kernel_gave_it),
		cmocka_unit_test(each_next_hop_is_an_entry_and_what_is_not_unicast_is_none),
		cmocka_unit_test(the_kernels_list_of_ipv6_addresses_is_read),
		cmocka_unit_test(absent_denied_and_gone_are_told_apart),
		cmocka_unit_test(what_is_recorded_reads_the_same),
		cmocka_unit_test(a_counter_that_is_text_is_no_number),
	};

	return cmocka_run_group_tests_name("readers", tests, make_root, remove_root);
}
