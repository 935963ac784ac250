/* SPDX-License-Identifier: Apache-2.0 */
/* Files cut at every byte and with every byte changed: what was read before counts,
 * and where the bytes stop making sense a sentence says so. */
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
#include "tests/wire/read.h"
#include "tests/wire/script.h"

static const struct damage_case {
	const char *name;
	enum made_file file;
	enum made_around around;
	unsigned script;
	uint32_t snaplen;
} cases[] = {
	{ "pcap", FILE_PCAP, AROUND_ETHERNET, 2, 80 },
	{ "pcap of the longer kind, in loopback", FILE_PCAP_LONG, AROUND_NULL, 12, 80 },
	{ "pcapng with clutter and ERSPAN III", FILE_NG_CLUTTER, AROUND_ERSPAN3_LONG, 4, 160 },
	{ "pcapng in sections, with VXLAN", FILE_NG_SECTIONS, AROUND_VXLAN, 11, 140 },
	{ "pcapng of old blocks, with IPv6", FILE_NG_OLD, AROUND_IPV6_EXTENSIONS, 7, 140 },
	{ "RoCE v1", FILE_PCAP_NS_BIG, AROUND_ROCE_V1, 8, 0 },
	{ "GRE over 802.1Q", FILE_NG_BINARY, AROUND_ERSPAN2_VLAN, 14, 140 },
};

struct outcome {
	uint64_t records;
	bool cut;
	int end;
};

/* Exactly size bytes are there: reading one more is an error that ASan sees. */
static struct outcome read_all(const uint8_t *from, size_t size)
{
	static const struct wire_options options = { .flows_most = 64 };
	uint8_t *bytes = malloc(size ? size : 1);
	struct outcome outcome;
	struct read read;

	memcpy(bytes, from, size);
	read_bytes(&read, bytes, size, &options);
	outcome = (struct outcome){ .end = read.end };
	assert_true(outcome.end == 0 || read.diag.text[0] != '\0');
	if (read.capture) {
		outcome.records = read.wire.records;
		outcome.cut = capture_info(read.capture)->cut_last_record;
		assert_int_equal(read.wire.records, read.wire.roce_v1 + read.wire.roce_v2 +
							    read.wire.mac_control +
							    read.wire.other);
	}
	if (read.capture && read.end)
		assert_true(findings_verdict(&read.findings) == VERDICT_UNKNOWN ||
			    findings_verdict(&read.findings) == VERDICT_FAIL);
	read_free(&read);
	free(bytes);
	return outcome;
}

static void build(struct buffer *bytes, struct script *script, const struct damage_case *row)
{
	script_write(script, &script_kinds[row->script], 3);
	made_capture(
		bytes, row->file, row->around, script->packets, script->count, row->snaplen);
}

static void a_cut_file_keeps_its_whole_records(void **state)
{
	struct buffer bytes = BUFFER_INIT;
	struct script script;
	uint64_t records = 0;

	build(&bytes, &script, *state);
	for (size_t size = 0; size <= bytes.count; size++) {
		struct outcome outcome = read_all(bytes.bytes, size);

		/* A longer file never has fewer, and only cuts are to be seen. */
		assert_true(outcome.records >= records);
		assert_true(outcome.end == 0 || (records == 0 && !outcome.cut));
		records = outcome.records;
	}
	assert_int_equal(records, script.count);
	script_free(&script);
	buffer_free(&bytes);
}

static void a_changed_byte_ends_in_a_sentence(void **state)
{
	static const uint8_t masks[] = { 0x01, 0xff };
	struct buffer bytes = BUFFER_INIT;
	struct script script;

	build(&bytes, &script, *state);
	for (size_t at = 0; at < bytes.count; at++) {
		for (size_t i = 0; i < COUNT_OF(masks); i++) {
			bytes.bytes[at] ^= masks[i];
			(void)read_all(bytes.bytes, bytes.count);
			bytes.bytes[at] ^= masks[i];
		}
	}
	script_free(&script);
	buffer_free(&bytes);
}

static void what_is_no_capture_is_refused_by_name(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *says;
	} rows[] = {
		{ "", 0, "no bytes" },
		{ "\xd4\xc3", 2, "too short" },
		{ "\x1f\x8b\x08\x00garbage", 11, "gzip" },
		{ "\x28\xb5\x2f\xfdgarbage", 11, "zstd" },
		{ "TRSNIFF data    \x1a", 17, "Sniffer" },
		{ "hello, world", 12, "expected a pcap or pcapng file" },
		{ "\xd4\xc3\xb2\xa1\x02\x00", 6, "cut inside its header" },
		{ "\x0a\x0d\x0d\x0a\x1c\x00\x00\x00", 8, "cut inside its section header" },
	};
	struct capture *capture;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_not_equal(
			capture_open_memory(
				&capture, (const uint8_t *)rows[i].bytes, rows[i].size, &diag),
			0);
		assert_non_null(strstr(diag.text, rows[i].says));
	}
	assert_int_not_equal(capture_open(&capture, "/", &diag), 0);
	assert_int_not_equal(capture_open(&capture, "/nonexistent/file", &diag), 0);
	assert_non_null(strstr(diag.text, "No such file"));
}

static void a_damaged_length_says_where(void **state)
{
	struct buffer bytes = BUFFER_INIT;
	struct capture_record record;
	struct capture *capture;
	struct script script;
	struct diag diag;
	int got;

	(void)state;
	build(&bytes, &script, &cases[0]);
	bytes.bytes[24 + 8 + 3] = 0x7f; /* the first record's captured length */
	assert_int_equal(capture_open_memory(&capture, bytes.bytes, bytes.count, &diag), 0);
	got = capture_next(capture, &record, &diag);
	assert_true(got < 0);
	assert_non_null(strstr(diag.text, "damaged at byte 24"));
	capture_close(capture);
	script_free(&script);
	buffer_free(&bytes);
}

int main(void)
{
	struct CMUnitTest tests[2 * COUNT_OF(cases) + 2] = {
		cmocka_unit_test(what_is_no_capture_is_refused_by_name),
		cmocka_unit_test(a_damaged_length_says_where),
	};
	static char names[2 * COUNT_OF(cases)][80];
	size_t count = 2;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (unsigned flip = 0; flip < 2; flip++) {
			char *name = names[2 * i + flip];

			snprintf(name, sizeof(names[0]), "%s: %s", cases[i].name,
				flip ? "every byte changed" : "cut at every byte");
			tests[count++] = (struct CMUnitTest){
				.name = name,
				.test_func = flip ? a_changed_byte_ends_in_a_sentence
						  : a_cut_file_keeps_its_whole_records,
				.initial_state = (void *)(uintptr_t)&cases[i],
			};
		}
	}
	return _cmocka_run_group_tests("wire damage", tests, count, NULL, NULL);
}
