/* SPDX-License-Identifier: Apache-2.0 */
/* What faults of NICs and hosts leave in the counters and in the steps of a ring. */
#include "simbed.h"

#include "lib/counters.h"

#define FABRIC "leaves: 1\nspines: 1\nhosts_per_leaf: 8\nspeed: 100G\n"
#define FAULT(text) FABRIC "faults:\n- {" text "}\n"

/* D5: the one sender that does not listen takes what the others give up. */
static void a_sender_that_ignores_cnps_takes_the_most(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: cc-off, place: host2"));
	for (uint32_t s = 1; s <= 3; s++)
		bed_flow(&bed, s, 0, 1, 40000000);
	bed_run(&bed, 5);
	assert_true(bed_gbps(&bed, 0) > 1.5 * bed_gbps(&bed, 1));
	assert_true(bed_gbps(&bed, 0) > 1.5 * bed_gbps(&bed, 2));
	assert_int_equal(bed_counter(&bed, "host2", C_RP_CNP_HANDLED), 0);
	assert_true(bed_counter(&bed, "host3", C_RP_CNP_HANDLED) > 0);
	bed_close(&bed);
}

/* D5, the other half: marked packets come in, and nobody is told. */
static void a_receiver_that_sends_no_cnps_sees_marks_all_the_same(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: cnp-off, place: host1"));
	for (uint32_t s = 1; s <= 3; s++)
		bed_flow(&bed, s, 0, 1, 20000000);
	bed_run(&bed, 5);
	assert_true(bed_counter(&bed, "host1", C_NP_CE) > 100);
	assert_int_equal(bed_counter(&bed, "host1", C_NP_CNP_SENT), 0);
	bed_close(&bed);
}

/* F1: fewer CNPs for as many marks. */
static void cnps_far_apart_are_few_for_the_marks(void **state)
{
	double share[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed,
			i ? FAULT("kind: cnp-period, place: host1, amount: 1ms") : FABRIC);
		for (uint32_t s = 1; s <= 4; s++)
			bed_flow(&bed, s, 0, 1, 20000000);
		bed_run(&bed, 5);
		share[i] = (double)bed_counter(&bed, "host1", C_NP_CNP_SENT) /
			   (double)bed_counter(&bed, "host1", C_NP_CE);
		bed_close(&bed);
	}
	assert_true(share[1] < share[0] / 2);
}

/* D6: the one with the larger steps ends far ahead. */
static void larger_steps_upwards_are_unfair(void **state)
{
	double first[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, i ? FAULT("kind: cc-step, place: host2, amount: 100") : FABRIC);
		for (uint32_t s = 1; s <= 2; s++)
			bed_flow(&bed, s, 0, 1, 200000000);
		bed_run(&bed, 5);
		first[i] = bed_gbps(&bed, 0) / bed_gbps(&bed, 1);
		bed_close(&bed);
	}
	assert_true(first[0] > 0.7 && first[0] < 1.4);
	assert_true(first[1] > 1.3);
}

/* H7: a lost tail costs 4.096 us x 2^t, with the t of that NIC. */
static void a_tail_that_is_lost_costs_the_timeout_of_its_nic(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed,
		FAULT("kind: down, place: host5, from: 10us, to: 200us") "- {kind: "
									 "timeout, "
									 "place: host1, "
									 "amount: 10}\n");
	bed_flow(&bed, 0, 4, 1, 1000000);
	bed_flow(&bed, 1, 4, 1, 1000000);
	bed_run(&bed, 5);
	assert_true(bed.result.flows[0].end_ns > 4194304);
	assert_true(bed.result.flows[0].end_ns < 4194304 + 300000);
	assert_true(bed.result.flows[1].end_ns > 67108864);
	bed_close(&bed);
}

/* F3 (Guo et al., SIGCOMM 2016, 4.1): 4 MiB in packets of 1 KiB, one in 256 lost:
 * go-back-N gets through, go-back-0 never does, with the link busy. */
static void go_back_to_zero_is_a_livelock(void **state)
{
	static const char *const files[] = {
		FABRIC "mtu: 1024\nfaults:\n- {kind: loss, place: \"leaf1:1\", amount: "
		       "0.00390625}\n",
		FABRIC "mtu: 1024\nfaults:\n- {kind: loss, place: \"leaf1:1\", amount: "
		       "0.00390625}\n- {kind: back-to-zero, place: host2}\n",
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed.stage.deadline_ns = 20 * NS_PER_MS;
		bed.fabric.policy.timeout_exp = 4;
		bed_flow(&bed, 1, 0, 1, 4 << 20);
		bed_run(&bed, 5);
		assert_int_equal(bed.result.flows[0].complete, i == 0);
		if (i == 1) {
			assert_true(bed_counter(&bed, "host2", C_TX_BYTES) > 200000000);
			assert_true(bed.result.flows[0].bytes_delivered < 4 << 20);
		}
		bed_close(&bed);
	}
}

/* F2: each NAK costs so much more. */
static void slow_recovery_is_paid_for_every_loss(void **state)
{
	uint64_t end[2], naks = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, i ? FABRIC
				       "faults:\n- {kind: loss, place: \"leaf1:1\"}\n- {kind: "
				       "slow-recovery, place: host2, amount: 500us}\n"
				 : FAULT("kind: loss, place: \"leaf1:1\""));
		bed_flow(&bed, 1, 0, 1, 40000000);
		bed_run(&bed, 5);
		assert_true(bed.result.flows[0].complete);
		assert_int_equal(bed.result.flows[0].timeouts, 0);
		naks = bed.result.flows[0].naks;
		end[i] = bed.result.flows[0].end_ns;
		bed_close(&bed);
	}
	assert_true(naks > 3);
	assert_true(end[1] - end[0] > naks * 400000 && end[1] - end[0] < naks * 600000);
}

/* H12: between ready and posted; from posted to arrived as ever, and nothing lost. */
static void a_late_host_is_late_before_it_posts(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, FAULT("kind: slow-post, place: host3, amount: 20us"));
	bed_ring(&bed, 1, 8000000, 1);
	bed_run(&bed, 5);
	assert_int_equal(bed.result.stage.status, RUN_COMPLETE);
	for (size_t step = 0; step < 14; step++) {
		const struct run_step *late = bed_step(&bed, 2, step);
		const struct run_step *other = bed_step(&bed, 5, step);

		assert_int_equal(late->posted_ns - late->ready_ns, 20000);
		assert_int_equal(other->posted_ns, other->ready_ns);
		assert_true(50 * bed_took_ns(late) < 51 * bed_took_ns(other));
	}
	assert_int_equal(bed_sum(&bed, "host", C_ACK_TIMEOUT), 0);
	bed_close(&bed);
}

/* H8, H12: one step waits until the host is back; for ever, if it is not. */
static void a_stalled_host_holds_up_the_ring_and_no_packet(void **state)
{
	static const char *const files[] = {
		FAULT("kind: stall, place: host3, from: 100us, to: 5ms"),
		FAULT("kind: stall, place: host3, from: 100us"),
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed bed;

		bed_open(&bed, files[i]);
		bed.stage.deadline_ns = 20 * NS_PER_MS;
		bed_ring(&bed, 2, 8000000, 1);
		bed_run(&bed, 5);
		assert_int_equal(bed.result.stage.status == RUN_COMPLETE, i == 0);
		if (i == 0)
			assert_true(bed.result.stage.t1_ns > 5 * NS_PER_MS);
		assert_int_equal(bed.result.totals.data_sent + bed.result.totals.control_sent,
			bed.result.totals.received);
		bed_close(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_that_ignores_cnps_takes_the_most),
		cmocka_unit_test(a_receiver_that_sends_no_cnps_sees_marks_all_the_same),
		cmocka_unit_test(cnps_far_apart_are_few_for_the_marks),
		cmocka_unit_test(larger_steps_upwards_are_unfair),
		cmocka_unit_test(a_tail_that_is_lost_costs_the_timeout_of_its_nic),
		cmocka_unit_test(go_back_to_zero_is_a_livelock),
		cmocka_unit_test(slow_recovery_is_paid_for_every_loss),
		cmocka_unit_test(a_late_host_is_late_before_it_posts),
		cmocka_unit_test(a_stalled_host_holds_up_the_ring_and_no_packet),
	};

	return cmocka_run_group_tests_name("fault_hosts", tests, NULL, NULL);
}
