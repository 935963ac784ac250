/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory - follows more connections than there is room for, with loss and READs
 * in them, and fails when that took more than 1 GiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "lib/capture.h"
#include "pfc/wire.h"
#include "tests/wire/build.h"

#define CONNECTIONS 1300000u
#define GIB_IN_KIB (1024l * 1024)

struct packets {
	struct buffer frame;
	uint8_t opcode, from;
};

static void make(struct packets *packets, uint8_t opcode, uint8_t from)
{
	struct made_packet packet = { .opcode = opcode,
		.from = from,
		.src_port = 50000,
		.psn = 7,
		.dma_bytes = 4096,
		.syndrome = 0x1f,
		.payload_bytes = opcode == 0x0d ? 1024 : 64 };

	packets->opcode = opcode;
	made_frame(&packets->frame, &packet, AROUND_RAW);
}

/* IPv4 and UDP headers lie before the BTH; the addresses tell connections apart. */
static void give(struct wire *wire, struct packets *packets, uint32_t connection, uint32_t psn)
{
	uint8_t *bytes = packets->frame.bytes;
	struct capture_record record = {
		.time_ns = 1000000000 + (uint64_t)connection * 1000 + psn,
		.has_time = true,
		.link_type = 101,
		.wire_bytes = (uint32_t)packets->frame.count,
		.captured_bytes = 60,
		.bytes = bytes,
	};

	bytes[28 + 5] = (uint8_t)(connection >> 16);
	bytes[28 + 6] = (uint8_t)(connection >> 8);
	bytes[28 + 7] = (uint8_t)connection;
	bytes[28 + 11] = (uint8_t)psn;
	wire_record(wire, &record, 0, 0);
}

int main(void)
{
	static const struct wire_options options = { .flows_most = 0 };
	struct packets send = { .from = 0 }, read = { .from = 0 }, response = { .from = 1 };
	struct rusage usage;
	struct wire wire;

	make(&send, 0x04, 0);
	make(&read, 0x0c, 0);
	make(&response, 0x0d, 1);
	wire_init(&wire, &options);
	for (uint32_t i = 0; i < CONNECTIONS; i++) {
		give(&wire, &send, i, 1);
		give(&wire, &send, i, 4); /* after a hole */
		give(&wire, &read, i, 5);
		give(&wire, &response, i, 5);
	}
	wire_finish(&wire);
	getrusage(RUSAGE_SELF, &usage);
	printf("%u connections: %ld KiB, %llu flows closed, %u live\n", CONNECTIONS,
		usage.ru_maxrss, (unsigned long long)wire.closed_flows, wire.flows.live);
	if (wire.sums.flows != 2ull * CONNECTIONS || !wire.closed_flows)
		return 1;
	wire_free(&wire);
	return usage.ru_maxrss < GIB_IN_KIB ? 0 : 1;
}
