/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a capture, and who is named. */
#include "wire_bench.h"

static void give_answer(
	struct bench *bench, uint64_t time_ns, uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
	struct made_packet packet = { .from = 1,
		.opcode = opcode,
		.src_port = 50000,
		.qp = 72,
		.psn = psn,
		.syndrome = syndrome };

	make(bench, &packet);
	give(bench, time_ns, 0);
}

static void a_nak_for_what_was_sent_before_the_capture_is_a_loss(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	give_data(&bench, START_NS, 0, 69, 20, 0);
	give_answer(&bench, START_NS + 1000, 0x11, 18, 0x60);
	for (uint32_t psn = 18; psn < 24; psn++)
		give_data(&bench, START_NS + psn * 1000, 0, 69, psn, 0);
	give_answer(&bench, START_NS + 30000, 0x11, 23, 0x1f);
	judge(&bench, 1);
	assert_int_equal(find(&bench, "wire.loss.early")->verdict, VERDICT_FAIL);
	assert_null(find(&bench, "wire.loss"));
	end(&bench);
}

/* What was overtaken by the first that was captured, in whatever order it comes. */
static void late_before_the_first_captured_is_no_timeout(void **state)
{
	static const uint32_t orders[][4] = { { 10, 8, 9, 11 }, { 10, 7, 9, 8 },
		{ 10, 7, 8, 9 }, { 10, 9, 7, 8 } };

	(void)state;
	for (unsigned row = 0; row < COUNT_OF(orders); row++) {
		struct bench bench;

		begin(&bench);
		for (unsigned i = 0; i < 4; i++)
			give_data(&bench, START_NS + i * 1000, 0, 69, orders[row][i], 0);
		give_answer(&bench, START_NS + 9000, 0x11, 11, 0x1f);
		judge(&bench, 1);
		assert_null(find(&bench, "wire.timeout"));
		assert_null(find(&bench, "wire.resent"));
		assert_int_equal(find(&bench, "wire.reordering")->weight, row == 0 ? 2 : 3);
		end(&bench);
	}
}

/* Not beside the first, and once more after a silence. */
static void what_came_below_the_first_is_known_when_it_comes_again(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	give_data(&bench, START_NS, 0, 69, 10, 0);
	give_data(&bench, START_NS + 1000, 0, 69, 7, 0);
	give_data(&bench, START_NS + 2000, 0, 69, 8, 0);
	give_data(&bench, START_NS + 70 * NS_PER_MS, 0, 69, 7, 0);
	judge(&bench, 1);
	assert_int_equal(find(&bench, "wire.timeout")->weight, 1);
	assert_int_equal(find(&bench, "wire.reordering")->weight, 2);
	end(&bench);
}

/* Acknowledged here and sent again all the same: the way back is at fault. */
static void an_ack_lost_behind_the_tap_blames_the_way_back(void **state)
{
	for (unsigned acked = 0; acked < 2; acked++) {
		const char *text;
		struct bench bench;

		(void)state;
		begin(&bench);
		give_data(&bench, START_NS, 0, 69, 1, 0);
		give_answer(&bench, START_NS + 1000, 0x11, 1, 0x1f);
		give_data(&bench, START_NS + 2000, 0, 69, 2, 0);
		if (acked)
			give_answer(&bench, START_NS + 3000, 0x11, 2, 0x1f);
		give_data(&bench, START_NS + 70 * NS_PER_MS, 0, 69, 2, 0);
		give_answer(&bench, START_NS + 71 * NS_PER_MS, 0x11, 2, 0x1f);
		judge(&bench, 1);
		text = find(&bench, "wire.timeout")->culprit;
		assert_string_equal(
			text, acked ? "10.0.0.4 -> 10.0.0.6" : "10.0.0.6 -> 10.0.0.4");
		text = find(&bench, "wire.timeout")->text;
		assert_int_equal(strstr(text, "acknowledged at this tap") != NULL, acked);
		end(&bench);
	}
}

static void cnps_alone_are_told_and_prove_nothing(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	for (uint32_t i = 0; i < 3; i++)
		give_answer(&bench, START_NS + i * 50000, 0x81, 0, 0);
	judge(&bench, 1);
	assert_int_equal(find(&bench, "wire.loss")->verdict, VERDICT_UNKNOWN);
	assert_int_equal(find(&bench, "wire.ecn.marked")->verdict, VERDICT_WARN);
	end(&bench);
}

static void a_receiver_that_is_not_ready_is_named(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	give_data(&bench, START_NS, 0, 69, 1, 0);
	give_answer(&bench, START_NS + 1000, 0x11, 1, 0x2c);
	give_data(&bench, START_NS + 700000, 0, 69, 1, 0);
	judge(&bench, 1);
	assert_string_equal(find(&bench, "wire.receiver_not_ready")->culprit, "10.0.0.4");
	end(&bench);
}

/* Every packet twice, 30 us apart: no sender waits so short. Of one alone the NAK may be
 * missing. */
static void what_comes_again_too_soon_waited_for_no_timeout(void **state)
{
	for (uint32_t twice = 1; twice <= 40; twice += 39) {
		const struct finding *finding;
		struct bench bench;

		(void)state;
		begin(&bench);
		for (uint32_t psn = 0; psn < 40; psn++) {
			uint64_t now = START_NS + psn * 100000;

			give_data(&bench, now, 0, 69, 2 * psn, 0);
			give_data(&bench, now + 1000, 0, 69, 2 * psn + 1, 0);
			give_answer(&bench, now + 10000, 0x11, 2 * psn + 1, 0x1f);
			if (psn >= twice)
				continue;
			give_data(&bench, now + 30000, 0, 69, 2 * psn, 0);
			give_data(&bench, now + 31000, 0, 69, 2 * psn + 1, 0);
		}
		judge(&bench, 1);
		assert_null(find(&bench, "wire.timeout"));
		finding = find(&bench, twice == 40 ? "wire.copies" : "wire.resent");
		assert_non_null(finding);
		assert_int_equal(finding->verdict, twice == 40 ? VERDICT_WARN : VERDICT_FAIL);
		assert_int_equal(finding->weight, 2 * twice);
		assert_int_equal(find(&bench, "wire.loss") != NULL, twice == 40);
		end(&bench);
	}
}

/* The first is lost before the tap, and all come again: most of the capture is twice. */
static void one_loss_in_a_short_capture_is_no_mirror(void **state)
{
	const struct finding *finding;
	struct bench bench;

	(void)state;
	begin(&bench);
	for (uint32_t i = 0; i < 19; i++)
		give_data(&bench, START_NS + i * 1000, 0, 69, i < 9 ? i + 2 : i - 8, 0);
	judge(&bench, 1);
	assert_null(find(&bench, "wire.copies"));
	finding = find(&bench, "wire.resent");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	end(&bench);
}

static void one_of_two_links_is_told_from_a_slow_tap(void **state)
{
	for (uint32_t every = 2; every <= 20; every += 18) {
		struct bench bench;

		(void)state;
		begin(&bench);
		for (uint32_t psn = 0; psn < 100; psn++) {
			if (psn % every != 1)
				give_data(&bench, START_NS + psn * 1000, 0, 69, psn, 0);
			give_answer(&bench, START_NS + psn * 1000 + 500, 0x11, psn, 0x1f);
		}
		judge(&bench, 1);
		assert_int_equal(
			strstr(find(&bench, "wire.tap_loss")->advice, "--one-tap") != NULL,
			every == 2);
		end(&bench);
	}
}

static void one_of_two_links_passes_nothing(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	for (uint32_t psn = 0; psn < 100; psn += 2) {
		give_data(&bench, START_NS + psn * 1000, 0, 69, psn, 0);
		if (psn == 0)
			give_answer(&bench, START_NS + 500, 0x11, psn, 0x1f);
	}
	judge(&bench, 1);
	assert_int_equal(find(&bench, "wire.partial")->verdict, VERDICT_UNKNOWN);
	assert_null(find(&bench, "wire.loss"));
	end(&bench);
}

/* ACKs and CNPs may have a DSCP of their own, data may not change its. */
static void data_under_two_dscps_is_told(void **state)
{
	for (unsigned remarked = 0; remarked < 2; remarked++) {
		struct made_packet packet = { .opcode = 0x04,
			.traffic_class = 26 << 2 | 2,
			.src_port = 50000,
			.qp = 69,
			.payload_bytes = 64 };
		const struct finding *finding;
		struct bench bench;

		(void)state;
		begin(&bench);
		for (uint32_t psn = 0; psn < 20; psn++) {
			packet.opcode = psn % 4 ? 0x04 : 0x11;
			packet.psn = psn % 4 ? psn - psn / 4 : psn;
			packet.traffic_class = psn % 4 ? 26 << 2 | 2 : 48 << 2;
			if (remarked && psn % 8 == 3)
				packet.traffic_class = 2;
			make(&bench, &packet);
			give(&bench, START_NS + psn * 1000, 0);
		}
		judge(&bench, 1);
		finding = find(&bench, "wire.dscp");
		assert_int_equal(finding != NULL, remarked);
		if (finding)
			assert_int_equal(finding->verdict, VERDICT_WARN);
		end(&bench);
	}
}

static void datagrams_are_no_data_of_a_connection(void **state)
{
	struct made_packet packet = {
		.opcode = 0x64, .src_port = 50000, .qp = 1, .payload_bytes = 256
	};
	struct bench bench;

	(void)state;
	begin(&bench);
	for (uint32_t psn = 0; psn < 20; psn++) {
		packet.psn = psn;
		packet.traffic_class = psn % 4 ? 0 : 26 << 2;
		make(&bench, &packet);
		give(&bench, START_NS + psn * 1000, 0);
	}
	judge(&bench, 1);
	assert_null(find(&bench, "wire.dscp"));
	end(&bench);
}

#define TAG_AT 14u /* of the frame: priority in the upper three bits */

static void give_tagged(
	struct bench *bench, const struct made_packet *packet, unsigned priority)
{
	struct capture_record record = { .link_type = 1 };

	bench->frame.count = 0;
	made_frame(&bench->frame, packet, AROUND_VLAN);
	bench->frame.bytes[TAG_AT] =
		(uint8_t)((bench->frame.bytes[TAG_AT] & 31) | priority << 5);
	record.wire_bytes = record.captured_bytes = (uint32_t)bench->frame.count;
	record.bytes = bench->frame.bytes;
	wire_record(&bench->wire, &record, 0, 0);
}

/* Data in priority 3, among CNPs and datagrams of other ones. */
static void a_tag_of_another_priority_is_told(void **state)
{
	static const struct made_packet data = { .opcode = 0x04, .src_port = 50000, .qp = 69 },
					cnp = { .opcode = 0x81, .src_port = 50000, .qp = 69 },
					other_port = { .opcode = 0x81, .qp = 69 },
					mad = { .opcode = 0x64, .src_port = 50000, .qp = 1 };

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t lossless = 3 + i % 2;
		struct wire_facts facts = { .taps = 1, .priority = lossless };
		const struct finding *finding;
		struct bench bench;

		(void)state;
		begin(&bench);
		give_tagged(&bench, i < 2 ? &cnp : &other_port, 6);
		give_tagged(&bench, &data, 3);
		give_tagged(&bench, &cnp, 6);
		give_tagged(&bench, &mad, 0);
		wire_finish(&bench.wire);
		wire_judge(&bench.wire, &facts, &bench.findings);
		finding = find(&bench, "wire.vlan.priority");
		assert_int_equal(finding != NULL, lossless != 3);
		if (finding)
			assert_non_null(strstr(finding->text, "priority 3, "));
		end(&bench);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nak_for_what_was_sent_before_the_capture_is_a_loss),
		cmocka_unit_test(late_before_the_first_captured_is_no_timeout),
		cmocka_unit_test(what_came_below_the_first_is_known_when_it_comes_again),
		cmocka_unit_test(an_ack_lost_behind_the_tap_blames_the_way_back),
		cmocka_unit_test(cnps_alone_are_told_and_prove_nothing),
		cmocka_unit_test(a_receiver_that_is_not_ready_is_named),
		cmocka_unit_test(what_comes_again_too_soon_waited_for_no_timeout),
		cmocka_unit_test(one_loss_in_a_short_capture_is_no_mirror),
		cmocka_unit_test(one_of_two_links_is_told_from_a_slow_tap),
		cmocka_unit_test(one_of_two_links_passes_nothing),
		cmocka_unit_test(data_under_two_dscps_is_told),
		cmocka_unit_test(datagrams_are_no_data_of_a_connection),
		cmocka_unit_test(a_tag_of_another_priority_is_told),
	};

	return cmocka_run_group_tests_name("wire_said", tests, NULL, NULL);
}
