/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations whose truth is known, in every container and under every header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/capture.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/wire.h"
#include "pfc/wire_flow.h"
#include "tests/wire/read.h"
#include "tests/wire/script.h"

#define SEEDS 6u

static const struct wire_options usual = { .flows_most = 1024 };

static void read_buffer(struct read *read, const struct buffer *bytes)
{
	read_bytes(read, bytes->bytes, bytes->count, &usual);
	assert_non_null(read->capture);
}

static const struct flow *flow_to(const struct wire *wire, uint32_t qp)
{
	for (uint32_t i = 0; i < wire->flows.count; i++)
		if (flow_at(&wire->flows, i)->key.qp == qp &&
			flow_at(&wire->flows, i)->main == i)
			return flow_at(&wire->flows, i);
	return NULL;
}

static const char *gap_cause(const struct psn_books *books)
{
	return !books->gap_events    ? NULL
	       : books->lost_network ? "network"
	       : books->lost_capture ? "capture"
				     : "unknown";
}

static void check_text(const char *got, const char *expected)
{
	assert_string_equal(got ? got : "none", expected ? expected : "none");
}

static void check_stream(const struct psn_books *books, const struct stream_truth *truth)
{
	uint32_t resent = 0, most = RESEND_CAUSES;

	for (uint32_t i = 0; i < RESEND_CAUSES; i++) {
		resent += books->resent[i];
		if (books->resent[i])
			most = i;
	}
	assert_int_equal(books->gap_events, truth->gap_events);
	assert_int_equal(books->gap_psns, truth->gap_psns);
	assert_int_equal(books->missing, truth->missing);
	assert_int_equal(books->repeated, truth->repeated);
	assert_int_equal(resent, truth->resent);
	assert_int_equal(books->out_of_order, truth->out_of_order);
	assert_true((uint64_t)books->lost_network + books->lost_capture <=
		    (uint64_t)truth->gap_psns + truth->resent);
	check_text(gap_cause(books), truth->gap_cause);
	check_text(resent ? resend_cause_name((enum resend_cause)most) : NULL,
		truth->resend_cause);
}

static int status_of(const struct findings *findings)
{
	enum verdict verdict = findings_verdict(findings);

	return verdict == VERDICT_FAIL ? 1 : verdict == VERDICT_UNKNOWN ? 2 : 0;
}

static void check_truth(const struct wire *wire, const struct script *script)
{
	const struct flow *forth = flow_to(wire, QP_FORTH), *back = flow_to(wire, QP_BACK);

	assert_int_equal(wire->records, script->count);
	assert_int_equal(wire->roce_v1 + wire->roce_v2, script->count);
	assert_non_null(forth);
	check_stream(wire_requests(wire, forth), &script->requests);
	assert_int_equal(wire_requests(wire, forth)->lost_after, script->lost_behind);
	check_stream(back ? wire_responses(wire, back) : psn_books(NULL, &wire->holes),
		&script->responses);
	assert_int_equal(wire->sums.naks[NAK_PSN_SEQUENCE], script->naks);
	assert_int_equal(wire->sums.rnr_naks, script->rnr_naks);
	assert_int_equal(wire->sums.cnps, script->cnps);
	assert_int_equal(wire->sums.data_ecn[3], script->ce);
}

static void check_tags(const struct wire *wire, enum made_around around)
{
	char text[64];
	uint32_t wanted = 0;

	while (made_tag(around, wanted))
		wanted++;
	assert_int_equal(wire->tag_count, wanted);
	for (uint32_t i = 0; i < wanted; i++) {
		bool found = false;

		for (uint32_t k = 0; k < wanted; k++) {
			tag_text(&wire->tags[k], text, sizeof(text));
			found |= strcmp(text, made_tag(around, i)) == 0;
		}
		assert_true(found);
	}
}

static void check_times(
	const struct wire *wire, const struct script *script, enum made_file file)
{
	uint64_t first = script->packets[0].time_ns;
	uint64_t last = script->packets[script->count - 1].time_ns;
	uint64_t error = made_error_ns(file);

	assert_true(wire->first_ns <= first + error && first <= wire->first_ns + error);
	assert_true(wire->last_ns <= last + error && last <= wire->last_ns + error);
}

static void try(const struct script *script, enum made_file file, enum made_around around)
{
	struct buffer bytes = BUFFER_INIT;
	struct read read;

	made_capture(&bytes, file, around, script->packets, script->count, 0);
	read_buffer(&read, &bytes);
	assert_int_equal(read.end, 0);
	assert_false(capture_info(read.capture)->cut_last_record);
	check_truth(&read.wire, script);
	check_tags(&read.wire, around);
	check_times(&read.wire, script, file);
	assert_int_equal(read.wire.icrc[ICRC_UNCHECKED], 0);
	if (script->status != 1 || read.wire.icrc[ICRC_BAD] == 0)
		assert_int_equal(read.wire.icrc[ICRC_OK], script->count);
	assert_int_equal(status_of(&read.findings), script->status);
	read_free(&read);
	buffer_free(&bytes);
}

/* The test of one kind of script: all containers, and all that may lie around. */
static void is_told_in_every_file(void **state)
{
	const struct script_kind *kind = *state;
	struct script script;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		script_write(&script, kind, seed * 1000 + (uint64_t)(kind - script_kinds));
		for (unsigned file = 0; file < FILE_COUNT; file++)
			try(&script, (enum made_file)file, AROUND_ETHERNET);
		for (unsigned around = 1; around < AROUND_COUNT; around++)
			try(&script, (enum made_file)((around + seed) % FILE_COUNT),
				(enum made_around)around);
		script_free(&script);
	}
}

/* Reads a file twice: each packet whichever way it takes, and none the usual way. */
static void read_both_ways(const struct buffer *bytes, struct wire *any, struct wire *other)
{
	static const struct wire_options options = { .flows_most = 64 };
	struct capture_record record;
	struct capture *capture;
	struct diag diag;

	assert_int_equal(capture_open_memory(&capture, bytes->bytes, bytes->count, &diag), 0);
	wire_init(any, &options);
	wire_init(other, &options);
	while (capture_next(capture, &record, &diag) == 1) {
		wire_record(any, &record, 0, 0);
		wire_other_record(other, &record, 0, 0);
	}
	capture_close(capture);
	wire_finish(any);
	wire_finish(other);
}

static void check_same(const struct wire *a, const struct wire *b)
{
	assert_int_equal(a->flows.count, b->flows.count);
	for (uint32_t i = 0; i < a->flows.count; i++)
		assert_memory_equal(
			flow_at(&a->flows, i), flow_at(&b->flows, i), sizeof(struct flow));
	assert_int_equal(a->flows.detail_count, b->flows.detail_count);
	assert_memory_equal(a->flows.details, b->flows.details,
		a->flows.detail_count * sizeof(*a->flows.details));
	assert_int_equal(a->bursts.count, b->bursts.count);
	assert_memory_equal(
		a->bursts.ports, b->bursts.ports, a->bursts.count * sizeof(*a->bursts.ports));
	assert_int_equal(a->events.count, b->events.count);
	assert_memory_equal(&a->sums, &b->sums, sizeof(a->sums));
	assert_memory_equal(a->opcodes, b->opcodes, sizeof(a->opcodes));
	assert_memory_equal(a->icrc, b->icrc, sizeof(a->icrc));
	assert_memory_equal(a->dscp_use, b->dscp_use, sizeof(a->dscp_use));
	assert_int_equal(a->records, b->records);
	assert_int_equal(a->wire_bytes, b->wire_bytes);
	assert_int_equal(a->captured_bytes, b->captured_bytes);
	assert_int_equal(a->roce_v2, b->roce_v2);
	assert_int_equal(a->malformed, b->malformed);
	assert_int_equal(a->first_ns, b->first_ns);
	assert_int_equal(a->last_ns, b->last_ns);
}

static void the_usual_way_counts_what_the_other_does(void **state)
{
	static const uint32_t snaplens[] = { 0, 42, 53, 54, 58, 70, 80 };
	struct buffer bytes = BUFFER_INIT;
	struct wire any, other;
	struct script script;

	(void)state;
	for (size_t i = 0; i < script_kind_count * COUNT_OF(snaplens); i++) {
		bytes.count = 0;
		script_write(&script, &script_kinds[i / COUNT_OF(snaplens)], i);
		made_capture(&bytes, FILE_PCAP, AROUND_ETHERNET, script.packets, script.count,
			snaplens[i % COUNT_OF(snaplens)]);
		read_both_ways(&bytes, &any, &other);
		check_same(&any, &other);
		wire_free(&any);
		wire_free(&other);
		script_free(&script);
	}
	buffer_free(&bytes);
}

/* A file without times tells the same, but for what only time tells. */
static void simple_blocks_have_no_time(void **state)
{
	struct buffer bytes = BUFFER_INIT;
	struct script script;
	struct read read;

	(void)state;
	for (size_t i = 0; i < script_kind_count; i++) {
		if (strstr(script_kinds[i].name, "one packet comes again") ||
			strstr(script_kinds[i].name, "comes once more"))
			continue;
		bytes.count = 0;
		script_write(&script, &script_kinds[i], 77 + i);
		made_simple(&bytes, AROUND_ETHERNET, script.packets, script.count, 0);
		read_buffer(&read, &bytes);
		check_truth(&read.wire, &script);
		assert_false(read.wire.has_time);
		assert_int_equal(
			capture_info(read.capture)->records_without_time, script.count);
		read_free(&read);
		script_free(&script);
	}
	buffer_free(&bytes);
}

/* Every snap length: the same flows where the BTH is whole, and none where not. */
static void every_snap_length_is_read(void **state)
{
	struct buffer bytes = BUFFER_INIT;
	struct script script;
	struct read read;

	(void)state;
	script_write(&script, &script_kinds[2], 5);
	for (unsigned around = 0; around < AROUND_COUNT; around++) {
		for (uint32_t snaplen = 1; snaplen < 160; snaplen++) {
			bytes.count = 0;
			made_capture(&bytes, FILE_NG, (enum made_around)around, script.packets,
				script.count, snaplen);
			read_buffer(&read, &bytes);
			assert_int_equal(read.wire.records, script.count);
			assert_int_equal(read.wire.icrc[ICRC_BAD], 0);
			if (read.wire.bth_cut)
				assert_int_equal(read.wire.flows.count, 0);
			else if (read.wire.sums.naks[NAK_PSN_SEQUENCE] == script.naks) {
				/* AETHs are there, too. */
				check_stream(wire_requests(
						     &read.wire, flow_to(&read.wire, QP_FORTH)),
					&script.requests);
			}
			read_free(&read);
		}
	}
	script_free(&script);
	buffer_free(&bytes);
}

/* Two QPs over one tuple, in step and with the same PSNs: each ACK finds its own. */
static void two_qps_share_a_tuple(void **state)
{
	struct buffer bytes = BUFFER_INIT;
	struct made_packet packets[80] = { 0 };
	struct script script = { .packets = packets, .count = COUNT_OF(packets) };
	struct read read;

	(void)state;
	for (unsigned i = 0; i < COUNT_OF(packets); i++)
		packets[i] = (struct made_packet){
			.time_ns = 1000000000 + i * 1000,
			.from = i & 1,
			.opcode = i & 1 ? 0x11 : 0x04,
			.src_port = 5000,
			.qp = (i & 1 ? 200u : 100u) + (i >> 1 & 1),
			.psn = 500 + i / 4,
			.syndrome = 0x1f,
			.payload_bytes = 64,
		};
	made_capture(&bytes, FILE_PCAP, AROUND_ETHERNET, packets, script.count, 0);
	read_buffer(&read, &bytes);
	assert_int_equal(read.wire.sums.gap_events, 0);
	assert_int_equal(read.wire.sums.repeated, 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(flow_to(&read.wire, 100 + i)->peer,
			flow_at(&read.wire.flows, flow_to(&read.wire, 200 + i)->main)->main);
	assert_int_equal(status_of(&read.findings), 0);
	read_free(&read);
	buffer_free(&bytes);
}

/* More flows than there is room for: those idle longest go, and are counted. */
static void flows_beyond_the_room_are_closed(void **state)
{
	struct wire_options options = { .flows_most = 64 };
	struct made_packet packet = { .opcode = 0x04, .src_port = 9, .payload_bytes = 8 };
	struct capture_record record = { .link_type = 101, .has_time = true };
	struct buffer bytes = BUFFER_INIT;
	struct wire wire;

	(void)state;
	wire_init(&wire, &options);
	for (uint32_t i = 0; i < 1000; i++) {
		bytes.count = 0;
		packet.qp = i + 1;
		made_frame(&bytes, &packet, AROUND_RAW);
		record.bytes = bytes.bytes;
		record.captured_bytes = record.wire_bytes = (uint32_t)bytes.count;
		record.time_ns = 1000 + i;
		wire_record(&wire, &record, 0, 0);
		assert_true(wire.flows.live <= 64);
	}
	assert_non_null(flow_to(&wire, 1000));
	wire_finish(&wire);
	assert_int_equal(wire.closed_flows + wire.flows.live, 1000);
	assert_int_equal(wire.sums.flows, 1000);
	assert_int_equal(wire.sums.request_packets, 1000);
	wire_free(&wire);
	buffer_free(&bytes);
}

/* The same QP number with a far PSN after a silence is another connection. */
static void a_reused_qp_is_another_flow(void **state)
{
	struct made_packet packets[8] = { 0 };
	struct buffer bytes = BUFFER_INIT;
	struct read read;

	(void)state;
	for (unsigned i = 0; i < COUNT_OF(packets); i++)
		packets[i] = (struct made_packet){
			.time_ns = 1000000000 + i * 1000 + (i / 4) * 2000000000ull,
			.opcode = 0x04,
			.qp = 5,
			.psn = i < 4 ? 100 + i : 0x500000 + i,
			.payload_bytes = 8,
		};
	made_capture(&bytes, FILE_PCAP, AROUND_ETHERNET, packets, COUNT_OF(packets), 0);
	read_buffer(&read, &bytes);
	assert_int_equal(read.wire.sums.gap_events, 0);
	assert_int_equal(read.wire.sums.connections, 2);
	read_free(&read);
	buffer_free(&bytes);
}

int main(void)
{
	struct CMUnitTest tests[32] = {
		cmocka_unit_test(simple_blocks_have_no_time),
		cmocka_unit_test(every_snap_length_is_read),
		cmocka_unit_test(two_qps_share_a_tuple),
		cmocka_unit_test(flows_beyond_the_room_are_closed),
		cmocka_unit_test(a_reused_qp_is_another_flow),
		cmocka_unit_test(the_usual_way_counts_what_the_other_does),
	};
	size_t count = 6;

	for (size_t i = 0; i < script_kind_count; i++)
		tests[count++] = (struct CMUnitTest){
			.name = script_kinds[i].name,
			.test_func = is_told_in_every_file,
			.initial_state = (void *)(uintptr_t)&script_kinds[i],
		};
	return _cmocka_run_group_tests("wire", tests, count, NULL, NULL);
}
