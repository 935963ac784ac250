/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a capture file: counts that add up and a sentence where the bytes
 * stop making sense, never a crash. The first half of the records may be read as one
 * tap and the rest as another. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "lib/capture.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/wire.h"
#include "pfc/wire_judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void follow(struct capture *capture, struct wire *wire, struct diag *diag)
{
	struct capture_record record, more[5];
	size_t count;
	int got;

	while ((got = capture_next(capture, &record, diag)) == 1) {
		wire_record(wire, &record, 0, wire->records & 1024 ? 1 : 0);
		count = capture_at_hand(capture, more, COUNT_OF(more));
		for (size_t i = 0; i < count; i++)
			wire_record(wire, &more[i], 0, wire->records & 1024 ? 1 : 0);
	}
	assert(got == 0 || diag->text[0]);
	/* What has stopped stays stopped. */
	if (got < 0)
		assert(capture_next(capture, &record, diag) == got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wire_options options = {
		.flows_most = 64,
		.events_most = 4096,
		.rate_bps = UINT64_C(100000000000),
	};
	const char *names[] = { "one", "other" };
	struct wire_facts facts = { .tap_names = names, .taps = 2, .priority = 3 };
	struct findings findings = FINDINGS_INIT;
	struct diag diag = { "" };
	struct capture *capture;
	struct wire wire;

	if (capture_open_memory(&capture, data, size, &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	wire_init(&wire, &options);
	follow(capture, &wire, &diag);
	wire_finish(&wire);
	assert(wire.records == capture_info(capture)->records);
	assert(wire.records == wire.roce_v1 + wire.roce_v2 + wire.mac_control + wire.other);
	assert(wire.roce_v1 + wire.roce_v2 ==
		wire.icrc[ICRC_OK] + wire.icrc[ICRC_BAD] + wire.icrc[ICRC_UNCHECKED]);
	wire_judge(&wire, &facts, &findings);
	assert(findings.count > 0);
	findings_free(&findings);
	wire_free(&wire);
	capture_close(capture);
	return 0;
}
