/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"
#include "pfc/policy.h"

#define LINE (100 * GBPS)

static struct policy sound(void)
{
	struct policy policy;

	policy_defaults(&policy);
	policy_complete(&policy, LINE);
	return policy;
}

static void the_defaults_hold_together_at_every_speed(void **state)
{
	static const uint64_t gbps[] = { 1, 10, 25, 40, 50, 100, 200, 400, 800, 1600 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(gbps); i++) {
		struct policy_fault fault;
		struct policy policy;

		policy_defaults(&policy);
		policy_complete(&policy, gbps[i] * GBPS);
		assert_int_equal(policy_check(&policy, gbps[i] * GBPS, &fault), 0);
	}
}

static void thresholds_are_in_proportion_to_the_speed(void **state)
{
	struct policy policy = sound();

	(void)state;
	assert_int_equal(policy.ecn_kmin_bytes, 400000);
	assert_int_equal(policy.ecn_kmax_bytes, 1600000);
	assert_int_equal(policy.dcqcn.rai_bps, GBPS / 10);
}

static void completing_leaves_what_is_given(void **state)
{
	struct policy policy;

	(void)state;
	policy_defaults(&policy);
	policy.ecn_kmin_bytes = 1000;
	policy.dcqcn.rai_bps = 5;
	policy_complete(&policy, LINE);
	assert_int_equal(policy.ecn_kmin_bytes, 1000);
	assert_int_equal(policy.ecn_kmax_bytes, 4000);
	assert_int_equal(policy.dcqcn.rhai_bps, 50);
}

static void refused(const struct policy *policy, const char *key, const char *text)
{
	struct policy_fault fault;

	assert_int_equal(policy_check(policy, LINE, &fault), -EINVAL);
	assert_string_equal(fault.key, key);
	assert_string_equal(fault.text, text);
}

static void classes_must_be_in_range_and_apart(void **state)
{
	struct policy policy = sound();

	(void)state;
	policy.dscp = 64;
	refused(&policy, "dscp", "64: expected 0 to 63");
	policy = sound();
	policy.cnp_dscp = 64;
	refused(&policy, "cnp_dscp", "64: expected 0 to 63");
	policy = sound();
	policy.priority = 8;
	refused(&policy, "priority", "8: expected 0 to 7");
	policy = sound();
	policy.cnp_priority = 8;
	refused(&policy, "cnp_priority", "8: expected 0 to 7");
	policy = sound();
	policy.cnp_priority = policy.priority;
	refused(&policy, "cnp_priority",
		"3: the priority of the data: expected another, so that CNPs do not wait "
		"behind it");
	policy = sound();
	policy.cnp_dscp = policy.dscp;
	refused(&policy, "cnp_dscp",
		"26: the DSCP of the data: expected another, so that switches can tell CNPs "
		"apart");
}

static void thresholds_must_be_in_order(void **state)
{
	struct policy policy = sound();

	(void)state;
	policy.ecn_kmin_bytes = 2000;
	policy.ecn_kmax_bytes = 1000;
	refused(&policy, "ecn.kmin", "2000 bytes: expected at most ecn.kmax, 1000 bytes");
	policy = sound();
	policy.ecn_pmax_ppb = PPB + 1;
	refused(&policy, "ecn.pmax", "more than 1: expected at most 1");
	policy = sound();
	policy.headroom_bytes = 33 * MIB;
	refused(&policy, "headroom",
		"34603008 bytes: expected less than the buffer, 33554432 bytes");
	policy = sound();
	policy.reserved_bytes = 33 * MIB;
	refused(&policy, "reserved",
		"34603008 bytes: expected less than the buffer, 33554432 bytes");
	policy = sound();
	policy.xoff_bytes = 33 * MIB;
	refused(&policy, "xoff",
		"34603008 bytes: expected less than the buffer, 33554432 bytes");
	policy = sound();
	policy.xoff_bytes = policy.xon_offset_bytes;
	refused(&policy, "xon_offset", "3072 bytes: expected less than xoff, 3072 bytes");
}

static void rate_steps_must_fit_the_line(void **state)
{
	struct policy policy = sound();

	(void)state;
	policy.dcqcn.min_rate_bps = LINE + 1;
	refused(&policy, "dcqcn.min_rate",
		"100000000001 b/s: expected at most the speed of the NICs");
	policy = sound();
	policy.dcqcn.rai_bps = LINE + 1;
	refused(&policy, "dcqcn.rai",
		"100000000001 b/s: expected at most the speed of the NICs");
	policy = sound();
	policy.dcqcn.rhai_bps = policy.dcqcn.rai_bps - 1;
	refused(&policy, "dcqcn.rhai",
		"99999999 b/s: expected at least dcqcn.rai, 100000000 b/s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_hold_together_at_every_speed),
		cmocka_unit_test(thresholds_are_in_proportion_to_the_speed),
		cmocka_unit_test(completing_leaves_what_is_given),
		cmocka_unit_test(classes_must_be_in_range_and_apart),
		cmocka_unit_test(thresholds_must_be_in_order),
		cmocka_unit_test(rate_steps_must_fit_the_line),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
