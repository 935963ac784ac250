/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "lib/units.h"
#include "pfc/frame.h"
#include "pfc/icrc.h"
#include "pfc/roce.h"

#define ETHERNET_BYTES 14u
#define FRAME_MAX 4400u

static const struct make_roce base = {
	.src_mac = { 2, 0, 10, 0, 0, 1 },
	.dst_mac = { 2, 1, 0, 0, 0, 1 },
	.src_address = 0x0a000001,
	.dst_address = 0x0a000005,
	.ip_id = 0x1234,
	.src_port = 0xc123,
	.dscp = 26,
	.ecn = 3,
	.ttl = 63,
	.qp = 0x123456,
	.psn = 0xfedcba,
	.address = UINT64_C(0x0123456789abcdef),
	.rkey = 0xcafe,
	.dma_bytes = 8192,
	.syndrome = 0x60,
	.msn = 77,
};

static uint32_t crc_step(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (unsigned bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	return crc;
}

/* By the words of the specification, a byte and a bit at a time: all that may change
 * on the way counts as ones. Offsets are of Ethernet with an IPv4 header of 20. */
static uint32_t icrc_by_the_book(const uint8_t *frame, uint32_t bytes)
{
	static const uint8_t masked[] = { 15, 22, 24, 25, 40, 41, 46 };
	uint32_t crc = 0xffffffff;

	for (unsigned i = 0; i < 8; i++)
		crc = crc_step(crc, 0xff);
	for (uint32_t i = ETHERNET_BYTES; i < bytes - 4; i++)
		crc = crc_step(crc,
			i <= 46 && memchr(masked, (int)i, sizeof(masked)) ? 0xff : frame[i]);
	return ~crc;
}

static const struct make_case {
	const char *name;
	uint8_t opcode;
	uint32_t payload_bytes, wire_bytes;
} cases[] = {
	{ "WRITE First", 0x06, 4096, 14 + 20 + 8 + 12 + 16 + 4096 + 4 },
	{ "WRITE Middle", 0x07, 1024, 14 + 20 + 8 + 12 + 1024 + 4 },
	{ "WRITE Last with a pad of three", 0x08, 5, 14 + 20 + 8 + 12 + 8 + 4 },
	{ "WRITE Only with a pad of one", 0x0a, 3, 14 + 20 + 8 + 12 + 16 + 4 + 4 },
	{ "ACK", 0x11, 0, 14 + 20 + 8 + 12 + 4 + 4 },
	{ "CNP", 0x81, 0, 14 + 20 + 8 + 12 + 16 + 4 },
};

static void a_frame_reads_as_it_was_described(void **state)
{
	const struct make_case *row = *state;
	struct make_roce make = base;
	uint8_t bytes[FRAME_MAX];
	struct frame frame;
	struct roce roce;
	uint32_t wire;

	make.opcode = row->opcode;
	make.payload_bytes = row->payload_bytes;
	assert_int_equal(make_roce(&make, bytes, sizeof(bytes), &wire), row->wire_bytes);
	assert_int_equal(wire, row->wire_bytes);
	frame_decode(&frame, 1, bytes, wire);
	assert_int_equal(frame.kind, FRAME_ROCE_V2);
	assert_int_equal(frame.network_bytes, wire - ETHERNET_BYTES);
	assert_int_equal(frame.traffic_class, 26 << 2 | 3);
	assert_int_equal(frame.src_port, 0xc123);
	assert_true(roce_decode(&roce, frame.network + frame.transport_start,
		frame.transport_bytes, frame.transport_bytes));
	assert_int_equal(roce.opcode, row->opcode);
	assert_int_equal(roce.qp, 0x123456);
	assert_int_equal(roce.psn, 0xfedcba);
	assert_int_equal(roce.becn, row->opcode == 0x81);
	if (row->opcode == 0x06 || row->opcode == 0x0a)
		assert_int_equal(roce.dma_bytes, 8192);
	if (row->opcode == 0x11)
		assert_true(roce.syndrome == 0x60 && roce.msn == 77);
	if (row->opcode != 0x81)
		assert_int_equal(roce.payload_bytes, row->payload_bytes);
}

static void the_checksums_are_those_of_the_book(void **state)
{
	const struct make_case *row = *state;
	struct make_roce make = base;
	uint8_t bytes[FRAME_MAX];
	uint32_t wire, icrc, sum = 0;

	make.opcode = row->opcode;
	make.payload_bytes = row->payload_bytes;
	make_roce(&make, bytes, sizeof(bytes), &wire);
	icrc = icrc_by_the_book(bytes, wire);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(bytes[wire - 4 + i], icrc >> 8 * i & 255);
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)bytes[ETHERNET_BYTES + i] << 8 | bytes[ETHERNET_BYTES + i + 1];
	assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
	make.bad_icrc = true;
	make_roce(&make, bytes, sizeof(bytes), &wire);
	assert_int_not_equal(bytes[wire - 1], icrc >> 24);
}

static void a_cut_frame_is_the_beginning_of_the_whole(void **state)
{
	const struct make_case *row = *state;
	uint8_t whole[FRAME_MAX], cut[FRAME_MAX];
	struct make_roce make = base;
	uint32_t wire;

	make.opcode = row->opcode;
	make.payload_bytes = row->payload_bytes;
	make_roce(&make, whole, sizeof(whole), &wire);
	for (uint32_t room = 1; room < wire - 4; room += 13) {
		memset(cut, 0xaa, sizeof(cut));
		assert_int_equal(make_roce(&make, cut, room, &wire), room);
		assert_int_equal(wire, row->wire_bytes);
		assert_memory_equal(cut, whole, room);
		assert_int_equal(cut[room], 0xaa);
	}
}

static void a_pause_names_its_priorities_and_quanta(void **state)
{
	static const uint8_t mac[MAC_BYTES] = { 2, 1, 0, 2, 0, 9 };
	static const uint8_t expected[] = { 0x01, 0x80, 0xc2, 0, 0, 0x01, 2, 1, 0, 2, 0, 9,
		0x88, 0x08, 0x01, 0x01, 0, 0x18, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0 };
	uint16_t quanta[PRIORITIES] = { [3] = 65535 };
	uint8_t bytes[MAKE_PFC_BYTES];

	(void)state;
	make_pfc(bytes, mac, 1u << 3 | 1u << 4, quanta);
	assert_memory_equal(bytes, expected, sizeof(expected));
	for (size_t i = sizeof(expected); i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0);
}

int main(void)
{
	static const struct {
		CMUnitTestFunction function;
	} each[] = {
		{ a_frame_reads_as_it_was_described },
		{ the_checksums_are_those_of_the_book },
		{ a_cut_frame_is_the_beginning_of_the_whole },
	};
	struct CMUnitTest tests[COUNT_OF(cases) * COUNT_OF(each) + 1] = {
		cmocka_unit_test(a_pause_names_its_priorities_and_quanta),
	};
	size_t count = 1;

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t k = 0; k < COUNT_OF(each); k++)
			tests[count++] = (struct CMUnitTest){
				.name = cases[i].name,
				.test_func = each[k].function,
				.initial_state = (void *)(uintptr_t)&cases[i],
			};
	return cmocka_run_group_tests_name("make", tests, NULL, NULL);
}
