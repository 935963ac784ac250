/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/verbs_ud.h"

static void the_class_of_an_ipv4_datagram_is_in_the_last_20_bytes(void **state)
{
	uint8_t header[VERBS_GRH_BYTES] = { [0] = 0x60, [20] = 0x45, [21] = 0x6a };

	(void)state;
	assert_int_equal(verbs_ud_class(header, true), 0x6a);
	header[20] = 0x46; /* with options, which no NIC sends */
	assert_int_equal(verbs_ud_class(header, true), -EBADMSG);
}

static void the_class_of_an_ipv6_datagram_lies_across_two_bytes(void **state)
{
	uint8_t header[VERBS_GRH_BYTES] = { 0x66, 0xaf, [20] = 0x45 };

	(void)state;
	assert_int_equal(verbs_ud_class(header, false), 0x6a);
	header[0] = 0x46;
	assert_int_equal(verbs_ud_class(header, false), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_class_of_an_ipv4_datagram_is_in_the_last_20_bytes),
		cmocka_unit_test(the_class_of_an_ipv6_datagram_lies_across_two_bytes),
	};

	return cmocka_run_group_tests_name("verbs_ud", tests, NULL, NULL);
}
