/* SPDX-License-Identifier: Apache-2.0 */
/* What a script of one connection does not show: connection managers, two taps,
 * microbursts, fragments, and what is said. Records are raw IPv4: 20 bytes of IP, 8 of UDP, then the BTH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/capture.h"
#include "lib/units.h"
#include "pfc/wire.h"
#include "pfc/wire_judge.h"
#include "tests/wire/build.h"

#define RAW 101
#define FLAGS 6u /* of the IPv4 header: bytes 6 and 7 */
#define DATAGRAM (20u + 8 + 12 + 8)
#define MAD_BYTES 256u
#define MAD_DATA (DATAGRAM + 24)
#define START_NS NS_PER_S

static const uint64_t line_bps = 100 * GBPS;

struct bench {
	struct wire wire;
	struct findings findings;
	struct buffer frame;
};

static void begin(struct bench *bench)
{
	static const struct wire_options options = {
		.flows_most = 1024, .rate_bps = 100 * GBPS, .burst_scale = 1
	};

	*bench = (struct bench){ .findings = FINDINGS_INIT };
	wire_init(&bench->wire, &options);
}

static void end(struct bench *bench)
{
	findings_free(&bench->findings);
	wire_free(&bench->wire);
	buffer_free(&bench->frame);
}

static void judge(struct bench *bench, uint32_t taps)
{
	const char *names[] = { "one", "other" };
	struct wire_facts facts = { .tap_names = names, .taps = taps, .priority = 8 };

	wire_finish(&bench->wire);
	wire_judge(&bench->wire, &facts, &bench->findings);
}

static uint8_t *make(struct bench *bench, const struct made_packet *packet)
{
	bench->frame.count = 0;
	made_frame(&bench->frame, packet, AROUND_RAW);
	return bench->frame.bytes;
}

static void give(struct bench *bench, uint64_t time_ns, uint16_t tap)
{
	struct capture_record record = {
		.time_ns = time_ns,
		.has_time = true,
		.link_type = RAW,
		.wire_bytes = (uint32_t)bench->frame.count,
		.captured_bytes = (uint32_t)bench->frame.count,
		.bytes = bench->frame.bytes,
	};

	wire_record(&bench->wire, &record, tap, tap);
}

static const struct finding *find(const struct bench *bench, const char *check)
{
	for (size_t i = 0; i < bench->findings.count; i++)
		if (strcmp(bench->findings.items[i].check, check) == 0)
			return &bench->findings.items[i];
	return NULL;
}

static const struct flow *flow_to(const struct bench *bench, uint32_t qp)
{
	const struct flow_table *flows = &bench->wire.flows;

	for (uint32_t i = 0; i < flows->count; i++)
		if (flow_at(flows, i)->key.qp == qp && flow_is_live(flows, i))
			return flow_at(flows, i);
	fail_msg("no flow to QP %u", qp);
	return NULL;
}

/* --- connection managers --- */

static void put24(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 16);
	at[1] = (uint8_t)(value >> 8);
	at[2] = (uint8_t)value;
}

/* A REQ (0x10) of end 0, or the REP (0x13) of end 1: whose QP, under which number of the
 * exchange. */
static void give_cm(
	struct bench *bench, uint64_t time_ns, uint8_t attribute, uint32_t id, uint32_t qp)
{
	bool reply = attribute == 0x13;
	struct made_packet packet = { .from = reply,
		.opcode = 0x64,
		.src_port = 50000,
		.qp = 1,
		.payload_bytes = MAD_BYTES };
	uint8_t *bytes = make(bench, &packet);

	memset(bytes + DATAGRAM, 0, MAD_BYTES);
	bytes[DATAGRAM + 1] = 7; /* class: communication management */
	bytes[DATAGRAM + 17] = attribute;
	put24(bytes + MAD_DATA + (reply ? 5 : 1), id);
	put24(bytes + MAD_DATA + (reply ? 12 : 32), qp);
	bytes[MAD_DATA + 50] = reply ? 0 : 3 << 4; /* path MTU 1024 */
	give(bench, time_ns, 0);
}

static void give_data(struct bench *bench, uint64_t time_ns, uint8_t from, uint32_t qp,
	uint32_t psn, uint16_t tap)
{
	struct made_packet packet = { .from = from,
		.opcode = 0x04,
		.src_port = 50000,
		.qp = qp,
		.psn = psn,
		.payload_bytes = 64 };

	make(bench, &packet);
	give(bench, time_ns, tap);
}

/* Three connections whose PSNs are the same: ACKs alone could not tell them apart. */
static void the_connection_manager_says_which_directions_belong_together(void **state)
{
	struct bench bench;
	uint64_t now = START_NS;

	(void)state;
	begin(&bench);
	for (uint32_t i = 0; i < 3; i++)
		give_cm(&bench, now++, 0x10, 500 + i, 100 + i);
	/* The replies come in another order. */
	for (uint32_t i = 3; i-- > 0;)
		give_cm(&bench, now++, 0x13, 500 + i, 200 + i);
	for (uint32_t i = 0; i < 3; i++) {
		give_data(&bench, now++, 0, 200 + i, 7, 0);
		give_data(&bench, now++, 1, 100 + (i + 1) % 3, 7, 0);
	}
	wire_finish(&bench.wire);
	for (uint32_t i = 0; i < 3; i++) {
		const struct flow *forth = flow_to(&bench, 200 + i);

		assert_int_not_equal(forth->peer, FLOW_NONE);
		assert_true(forth->peer_sure);
		assert_int_equal(flow_at(&bench.wire.flows, forth->peer)->key.qp, 100 + i);
	}
	assert_int_equal(bench.wire.cm->seen, 6);
	end(&bench);
}

static void a_reply_that_answers_nobody_joins_nothing(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	give_cm(&bench, START_NS, 0x10, 500, 100);
	give_cm(&bench, START_NS + 1, 0x13, 501, 200);
	give_data(&bench, START_NS + 2, 0, 200, 7, 0);
	give_data(&bench, START_NS + 3, 1, 100, 900, 0);
	wire_finish(&bench.wire);
	assert_int_equal(flow_to(&bench, 200)->peer, FLOW_NONE);
	end(&bench);
}

/* --- two taps --- */

static void what_one_of_two_taps_lacks_was_lost_between_them(void **state)
{
	const struct finding *finding;
	struct bench bench;

	(void)state;
	begin(&bench);
	for (uint32_t psn = 0; psn < 100; psn++) {
		give_data(&bench, START_NS + psn * 1000, 0, 69, psn, 0);
		if (psn != 40 && psn != 41 && psn != 77)
			give_data(&bench, START_NS + psn * 1000 + 500, 0, 69, psn, 1);
	}
	judge(&bench, 2);
	finding = find(&bench, "wire.between");
	assert_non_null(finding);
	assert_int_equal(finding->verdict, VERDICT_FAIL);
	assert_true(finding->measured > 2.9 && finding->measured < 3.1);
	assert_string_equal(finding->culprit, "one -> other");
	assert_int_equal(bench.wire.sums.repeated, 0);
	end(&bench);
}

static void the_same_at_both_taps_is_no_repetition(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	for (uint32_t psn = 0; psn < 100; psn++)
		for (uint16_t tap = 0; tap < 2; tap++)
			give_data(&bench, START_NS + psn * 1000 + tap, 0, 69, psn, tap);
	judge(&bench, 2);
	assert_int_equal(find(&bench, "wire.between")->verdict, VERDICT_PASS);
	assert_int_equal(bench.wire.sums.repeated + bench.wire.sums.copies, 0);
	end(&bench);
}

/* --- microbursts --- */

/* Packets that fill these many windows of 100 us to the given share of 100 Gb/s. */
static void fill_windows(
	struct bench *bench, uint64_t window, uint32_t windows, uint32_t per_cent)
{
	struct made_packet packet = {
		.opcode = 0x04, .src_port = 50000, .qp = 69, .payload_bytes = 4096
	};
	uint64_t step_ns, packet_ns, from_ns = START_NS + window * 100000;

	make(bench, &packet);
	packet_ns = (bench->frame.count + BURST_FRAME_BYTES) * 8 * NS_PER_S / line_bps;
	step_ns = packet_ns * 100 / per_cent;
	for (uint64_t at = 0; at + step_ns <= windows * UINT64_C(100000); at += step_ns) {
		bench->frame.bytes[20 + 8 + 11]++; /* PSN */
		give(bench, from_ns + at, 0);
	}
}

static void microbursts_are_counted_with_length_and_peak(void **state)
{
	const struct burst_port *port;
	struct bench bench;

	(void)state;
	begin(&bench);
	fill_windows(&bench, 0, 1, 40);
	fill_windows(&bench, 1, 3, 98); /* one burst of three windows */
	fill_windows(&bench, 4, 2, 50);
	fill_windows(&bench, 6, 1, 95); /* and one of one */
	fill_windows(&bench, 7, 1, 10);
	judge(&bench, 1);
	assert_int_equal(bench.wire.bursts.count, 1);
	port = &bench.wire.bursts.ports[0];
	assert_int_equal(port->bursts, 2);
	assert_int_equal(port->longest, 3);
	assert_true(port->peak_bytes[1] * 8 > line_bps / 10000 * 97 / 100);
	assert_true(port->peak_bytes[1] * 8 < line_bps / 10000 * 995 / 1000);
	assert_non_null(find(&bench, "wire.microburst"));
	end(&bench);
}

/* --- fragments --- */

static void fragments_are_a_finding_and_their_rest_is_not_parsed(void **state)
{
	struct bench bench;
	uint8_t *bytes;
	struct made_packet packet = {
		.opcode = 0x04, .src_port = 50000, .qp = 69, .psn = 1, .payload_bytes = 1024
	};

	(void)state;
	begin(&bench);
	bytes = make(&bench, &packet);
	bytes[FLAGS] = 0x20; /* more follow */
	bytes[FLAGS + 1] = 0;
	give(&bench, START_NS, 0);
	bytes[FLAGS] = 0;
	bytes[FLAGS + 1] = 128; /* the rest, from byte 1024 on */
	give(&bench, START_NS + 1, 0);
	judge(&bench, 1);
	assert_int_equal(bench.wire.fragments, 2);
	assert_int_equal(bench.wire.roce_v2, 1);
	assert_int_equal(bench.wire.other, 1);
	assert_int_equal(bench.wire.icrc[ICRC_UNCHECKED], 1);
	assert_non_null(find(&bench, "wire.fragments"));
	end(&bench);
}

/* --- what is said, and who is named --- */

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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_connection_manager_says_which_directions_belong_together),
		cmocka_unit_test(a_reply_that_answers_nobody_joins_nothing),
		cmocka_unit_test(what_one_of_two_taps_lacks_was_lost_between_them),
		cmocka_unit_test(the_same_at_both_taps_is_no_repetition),
		cmocka_unit_test(microbursts_are_counted_with_length_and_peak),
		cmocka_unit_test(fragments_are_a_finding_and_their_rest_is_not_parsed),
		cmocka_unit_test(a_nak_for_what_was_sent_before_the_capture_is_a_loss),
		cmocka_unit_test(an_ack_lost_behind_the_tap_blames_the_way_back),
		cmocka_unit_test(cnps_alone_are_told_and_prove_nothing),
		cmocka_unit_test(a_receiver_that_is_not_ready_is_named),
	};

	return cmocka_run_group_tests_name("wire_parts", tests, NULL, NULL);
}
