/*
 * wire_bench - records given one by one to struct wire, and what is said of them. They
 * are raw IPv4: 20 bytes of IP, 8 of UDP, then the BTH.
 */
#ifndef TESTS_UNIT_WIRE_BENCH_H
#define TESTS_UNIT_WIRE_BENCH_H

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
#define START_NS NS_PER_S

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

#endif
