/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual packet, from its bytes into the books in one piece: of a reliable connection
 * straight over IPv4 and Ethernet, of a flow that was found lately; a request with the
 * PSN that is due, or an ACK whose other direction is known. Nothing here has its own rule: what is counted, and how, is that of
 * wire_count.h and wire_detail.h for all packets, compiled into each other, so that
 * what the headers say stays in registers. Nothing is counted before it is sure that
 * the packet is a usual one.
 */
#include <assert.h>

#include "pfc/frame_plain.h"
#include "pfc/roce_rc.h"
#include "pfc/wire_count.h"
#include "pfc/wire_detail.h"

/* Its ICRC, where it was captured whole. A copy is asked, so that the frame itself has
 * no address. */
static inline enum icrc icrc_of_plain(const struct frame *frame)
{
	struct frame copy;

	if (frame->transport_start + frame->transport_bytes > frame->captured_bytes)
		return ICRC_UNCHECKED;
	copy = *frame;
	return icrc_check(&copy);
}

static inline void count_usual(struct wire *wire, struct wire_packet *packet)
{
	wire->roce_v2++;
	wire->opcodes[packet->roce->opcode]++;
	wire->icrc[packet->icrc]++;
	(void)is_copy(packet->owner, packet);
	count_packet(wire, packet->flow, packet);
}

static inline bool is_ack(const struct roce *roce)
{
	return (roce->what & OP_ACK) && roce->has_aeth && aeth_kind(roce->syndrome) == AETH_ACK;
}

void wire_record(
	struct wire *wire, const struct capture_record *record, uint16_t file, uint16_t tap)
{
	struct frame frame;
	struct roce roce;
	struct wire_packet packet = { .frame = &frame, .roce = &roce, .tap = tap };
	struct wire_recent *recent;
	struct flow_key key;
	struct flow *asker = NULL;

	assert(file < WIRE_FILES_MAX && tap < WIRE_FILES_MAX);
	frame_clear(&frame);
	if (record->link_type != 1 ||
		!frame_plain(&frame, record->bytes, record->captured_bytes) ||
		frame.transport_bytes < BTH_BYTES + ICRC_BYTES ||
		!roce_decode_rc(&roce, frame.network + frame.transport_start,
			transport_captured(&frame), frame.transport_bytes))
		goto other;
	recent = recent_of(wire, &frame, &roce);
	if (!recent->flow || !is_flow_of(recent->flow, &packet)) {
		make_key(&key, &packet);
		if (!wire_recent_find(wire, recent, &key, frame.src_port))
			goto other;
	}
	packet.flow = recent->flow;
	packet.owner = recent->owner;
	packet.icrc = icrc_of_plain(&frame);
	if (packet.icrc == ICRC_BAD)
		goto other;
	if (!((roce.what & OP_REQUEST) && is_next(packet.owner, &roce))) {
		if (!is_ack(&roce))
			goto other;
		asker = known_asker(wire, packet.owner, roce.psn);
		if (!asker)
			goto other;
	}
	count_record(wire, record, &packet, file, tap);
	count_usual(wire, &packet);
	if (asker) {
		note_ack(packet.flow, packet.owner, &roce);
		acknowledged(wire, asker, roce.psn);
	} else {
		note_request(packet.flow, &roce);
		learn_mtu(packet.owner, &roce);
		pass_next(packet.owner, record);
	}
	wire_detail(wire, &packet);
	return;
other:
	wire_other_record(wire, record, file, tap);
}
