/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory one|cnps|both - follows more connections than there is room for, and fails when
 * that took more than 1 GiB. Each has a loss and a READ in one direction; the same, and
 * CNPs in both; or all of these in both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/capture.h"
#include "pfc/wire.h"
#include "tests/wire/build.h"

#define CONNECTIONS 1300000u
#define GIB_IN_KIB (1024l * 1024)

enum { SEND, READ, RESPONSE, CNP, KINDS };

static void make(struct buffer *frame, uint8_t opcode, uint8_t from)
{
	struct made_packet packet = { .opcode = opcode,
		.from = from,
		.src_port = 50000,
		.psn = 7,
		.dma_bytes = 4096,
		.syndrome = 0x1f,
		.payload_bytes = opcode == 0x0d ? 1024 : 64 };

	made_frame(frame, &packet, AROUND_RAW);
}

/* IPv4 and UDP headers lie before the BTH; the addresses tell connections apart. */
static void give(struct wire *wire, struct buffer *frame, uint32_t connection, uint32_t psn)
{
	uint8_t *bytes = frame->bytes;
	struct capture_record record = {
		.time_ns = 1000000000 + (uint64_t)connection * 1000 + psn,
		.has_time = true,
		.link_type = 101,
		.wire_bytes = (uint32_t)frame->count,
		.captured_bytes = 60,
		.bytes = bytes,
	};

	bytes[28 + 5] = (uint8_t)(connection >> 16);
	bytes[28 + 6] = (uint8_t)(connection >> 8);
	bytes[28 + 7] = (uint8_t)connection;
	bytes[28 + 11] = (uint8_t)psn;
	wire_record(wire, &record, 0, 0);
}

/* What one end asks, with a PSN that never comes, and what the other answers. */
static void give_trouble(struct wire *wire, struct buffer packets[2][KINDS], unsigned end,
	uint32_t connection, uint32_t psn)
{
	give(wire, &packets[end][SEND], connection, psn + 1);
	give(wire, &packets[end][SEND], connection, psn + 4); /* after a hole */
	give(wire, &packets[end][READ], connection, psn + 5);
	give(wire, &packets[1 - end][RESPONSE], connection, psn + 5);
}

int main(int argc, char **argv)
{
	static const struct wire_options options = { .flows_most = 0 };
	static const uint8_t opcodes[KINDS] = { 0x04, 0x0c, 0x0d, 0x81 };
	bool both = argc == 2 && strcmp(argv[1], "both") == 0;
	bool cnps = both || (argc == 2 && strcmp(argv[1], "cnps") == 0);
	static struct buffer packets[2][KINDS];
	struct rusage usage;
	struct wire wire;

	for (uint8_t end = 0; end < 2; end++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			make(&packets[end][kind], opcodes[kind], end);
	wire_init(&wire, &options);
	for (uint32_t i = 0; i < CONNECTIONS; i++) {
		give_trouble(&wire, packets, 0, i, 0);
		if (both)
			give_trouble(&wire, packets, 1, i, 100);
		for (unsigned end = 0; cnps && end < 2; end++)
			give(&wire, &packets[end][CNP], i, 0);
	}
	wire_finish(&wire);
	getrusage(RUSAGE_SELF, &usage);
	printf("%u connections: %ld KiB, %llu flows closed, %u live\n", CONNECTIONS,
		usage.ru_maxrss, (unsigned long long)wire.closed_flows, wire.flows.live);
	if (wire.sums.flows != 2ull * CONNECTIONS || !wire.closed_flows)
		return 1;
	wire_free(&wire);
	for (unsigned end = 0; end < 2; end++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			buffer_free(&packets[end][kind]);
	return usage.ru_maxrss < GIB_IN_KIB ? 0 : 1;
}
