/* SPDX-License-Identifier: Apache-2.0 */
/* What a script of one connection does not show: connection managers, two taps,
 * microbursts, fragments. */
#include "wire_bench.h"

#define FLAGS 6u /* of the IPv4 header: bytes 6 and 7 */
#define DATAGRAM (20u + 8 + 12 + 8)
#define MAD_BYTES 256u
#define MAD_DATA (DATAGRAM + 24)

static const uint64_t line_bps = 100 * GBPS;

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

/* --- holes --- */

/* Every other packet of a very large hole, from the highest down. */
static void a_hole_split_without_end_is_counted_to_the_end(void **state)
{
	const uint32_t splits = UINT16_MAX + 10u;
	struct psn_pool pool = PSN_POOL_INIT(1u << 18);
	struct events events = { .most = 16 };
	struct event event = { .older = EVENT_NONE };
	struct psn_context context = {
		.pool = &pool, .events = &events, .event = &event, .unnamed = RESEND_TIMEOUT
	};
	struct psn_track track;

	(void)state;
	psn_track_init(&track);
	psn_arrive(&track, &context, 0, 1);
	psn_arrive(&track, &context, 2 * splits + 2, 1);
	for (uint32_t i = splits; i > 0; i--) {
		assert_int_equal(psn_arrive(&track, &context, 2 * i, 1), PSN_FILL);
		assert_true(psn_books(&track, &pool)->hole_count > 0);
	}
	psn_finish(&track, &context);
	assert_int_equal(psn_books(&track, &pool)->hole_count, 0);
	assert_int_equal(psn_books(&track, &pool)->lost_unknown, splits + 1);
	psn_pool_free(&pool);
	events_free(&events);
}

/* --- flows closed early --- */

enum closed_with {
	CLOSED_CLEAN,
	CLOSED_COPIED,
	CLOSED_ASKED,
	CLOSED_MISSING,
	CLOSED_KINDS,
};

static void give_ack(
	struct bench *bench, uint64_t time_ns, uint32_t qp, uint32_t psn, uint8_t syndrome)
{
	struct made_packet packet = { .from = 1,
		.opcode = 0x11,
		.src_port = 50000,
		.qp = qp,
		.psn = psn,
		.syndrome = syndrome };

	make(bench, &packet);
	give(bench, time_ns, 0);
}

/* Four packets to a QP of their own, acknowledged, and what this kind has beside. */
static void give_connection(struct bench *bench, uint32_t i, enum closed_with with)
{
	uint64_t now = START_NS + i * NS_PER_MS;
	uint32_t psn = i * 1000;

	for (uint32_t k = 0; k < 4; k++, psn++, now += 50000) {
		give_data(bench, now, 0, 1000 + i, psn, 0);
		give_ack(bench, now + 5000, 5000 + i, psn, 0x1f);
		if (with == CLOSED_COPIED)
			give_data(bench, now + 30000, 0, 1000 + i, psn, 0);
	}
	if (with == CLOSED_ASKED)
		give_ack(bench, now, 5000 + i, i * 1000 - 2, 0x60);
	if (with == CLOSED_MISSING)
		give_data(bench, now, 0, 1000 + i, psn + 1, 0);
}

static void flows_closed_early_are_judged_like_the_others(void **state)
{
	static const enum verdict verdicts[CLOSED_KINDS] = {
		VERDICT_PASS,
		VERDICT_WARN,
		VERDICT_FAIL,
		VERDICT_UNKNOWN,
	};
	static const struct wire_options few = { .flows_most = 64 };

	(void)state;
	for (unsigned with = 0; with < CLOSED_KINDS; with++) {
		struct bench bench;

		begin(&bench);
		wire_free(&bench.wire);
		wire_init(&bench.wire, &few);
		for (uint32_t i = 0; i < 100; i++)
			give_connection(&bench, i + 1,
				i < 20 || with == CLOSED_COPIED ? (enum closed_with)with
								: CLOSED_CLEAN);
		judge(&bench, 1);
		assert_int_equal(find(&bench, "wire.closed_flows")->verdict, verdicts[with]);
		assert_int_equal(find(&bench, "wire.loss") != NULL,
			with == CLOSED_CLEAN || with == CLOSED_COPIED);
		assert_true(bench.wire.holes.books_count <= few.flows_most);
		end(&bench);
	}
}

/* --- many packets --- */

/* As if the packets between had come: 2^30 up to each of the ten that follow the first. */
static void a_flow_counts_beyond_32_bits(void **state)
{
	const uint64_t all = UINT64_C(10) << 30;
	struct flow_counts counts;
	struct bench bench;
	struct flow *flow;
	uint64_t dscps[64];
	uint32_t more;

	(void)state;
	begin(&bench);
	for (uint32_t psn = 0; psn < 11; psn++) {
		give_data(&bench, START_NS + psn * 1000, 0, 69, psn, 0);
		flow = flow_at(&bench.wire.flows, 0);
		if (psn == 10)
			break;
		more = FLOW_CARRY - 1 - flow->tally.ecn[0];
		flow->tally.ecn[0] += more;
		flow->tally.data_ecn[0] += more;
		flow->tally.dscp[0] += more;
	}
	wire_finish(&bench.wire);
	counts = flow_counts(&bench.wire.flows, flow);
	flow_dscps(&bench.wire.flows, flow, dscps);
	assert_int_equal(counts.packets, all);
	assert_int_equal(counts.data_ecn[0], all);
	assert_int_equal(counts.requests, all);
	assert_int_equal(dscps[0], all);
	assert_int_equal(bench.wire.sums.request_packets, all);
	assert_int_equal(bench.wire.sums.data_ecn[0], all);
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
		cmocka_unit_test(a_hole_split_without_end_is_counted_to_the_end),
		cmocka_unit_test(flows_closed_early_are_judged_like_the_others),
		cmocka_unit_test(a_flow_counts_beyond_32_bits),
	};

	return cmocka_run_group_tests_name("wire_parts", tests, NULL, NULL);
}
