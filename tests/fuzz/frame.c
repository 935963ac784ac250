/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a packet of any link type: all that is pointed to lies inside it. */
#include <assert.h>
#include <stdint.h>

#include "lib/bytes.h"
#include "pfc/cm.h"
#include "pfc/frame.h"
#include "pfc/icrc.h"
#include "pfc/pause.h"
#include "pfc/roce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const uint8_t *data, size_t size, const uint8_t *at, size_t bytes)
{
	assert(at >= data && at <= data + size && bytes <= (size_t)(data + size - at));
}

static void try_roce(const uint8_t *data, size_t size, const struct frame *frame)
{
	static struct cm cm;
	struct cm_address address = { .family = 4 };
	struct roce roce;
	uint32_t captured;

	inside(data, size, frame->network, frame->captured_bytes);
	(void)icrc_check(frame);
	if (frame->captured_bytes <= frame->transport_start)
		return;
	captured = frame->captured_bytes - frame->transport_start;
	if (!roce_decode(&roce, frame->network + frame->transport_start, captured,
		    frame->transport_bytes))
		return;
	if (roce.payload)
		inside(data, size, roce.payload, roce.payload_captured);
	if (roce.payload)
		(void)cm_datagram(
			&cm, roce.payload, roce.payload_captured, &address, &address, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame frame;
	struct pause pause;
	char text[64];

	if (size < 2 || size > 65536)
		return 0;
	frame_decode(&frame, be16_at(data), data + 2, (uint32_t)(size - 2));
	for (uint32_t i = 0; i < frame.tag_count; i++)
		tag_text(&frame.tags[i], text, sizeof(text));
	if (frame.ethernet)
		inside(data, size, frame.ethernet, 14);
	if (frame.kind == FRAME_ROCE_V1 || frame.kind == FRAME_ROCE_V2)
		try_roce(data, size, &frame);
	if (frame.kind == FRAME_MAC_CONTROL) {
		inside(data, size, frame.control, frame.control_bytes);
		pause_init(&pause, 200);
		pause_frame(&pause, &frame, 0, true, 1000);
		pause_free(&pause);
	}
	return 0;
}
