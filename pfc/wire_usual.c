/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual packet, from its bytes into the books in one piece: of a reliable connection
 * straight over IPv4 and Ethernet, of a flow that is known; a request with the PSN that
 * is due, or an ACK whose other direction is known. Nothing here has its own rule: what
 * is counted, and how, is that of wire_count.h and wire_detail.h for all packets,
 * compiled into each other, so that what the headers say stays in registers. Nothing is
 * counted before it is sure that the packet is a usual one.
 */
#include <assert.h>

#include "pfc/frame_plain.h"
#include "pfc/roce_rc.h"
#include "pfc/wire_count.h"
#include "pfc/wire_detail.h"

/* Its ICRC, where it was captured whole. A part of the frame is copied, so that all of it
 * need not be in memory. */
static inline __attribute__((always_inline)) enum icrc icrc_of_plain(const struct frame *frame)
{
	if (frame->transport_start + frame->transport_bytes > frame->captured_bytes)
		return ICRC_UNCHECKED;
	return icrc_check(&(struct frame){
		.kind = frame->kind,
		.version = frame->version,
		.network = frame->network,
		.transport_start = frame->transport_start,
		.transport_bytes = frame->transport_bytes,
		.captured_bytes = frame->captured_bytes,
	});
}

/* Its flow, if it is not a new one. */
static inline __attribute__((always_inline)) bool find_usual(
	struct wire *wire, struct wire_packet *packet)
{
	struct wire_recent *recent = recent_of(wire, packet);
	struct flow_key key;

	if (!recent->flow || !is_flow_of(recent->flow, packet)) {
		make_key(&key, packet);
		if (!wire_recent_find(wire, recent, &key, packet->frame->src_port))
			return false;
	}
	packet->flow = recent->flow;
	packet->owner = recent->owner;
	packet->icrc = icrc_of_plain(packet->frame);
	return packet->icrc != ICRC_BAD;
}

static inline __attribute__((always_inline)) void count_usual(
	struct wire *wire, struct wire_packet *packet, uint16_t file, uint16_t tap)
{
	count_record(wire, packet->record, packet, file, tap);
	wire->roce_v2++;
	wire->opcodes[packet->roce->opcode]++;
	wire->icrc[packet->icrc]++;
	(void)is_copy(packet->owner, packet);
	count_packet(wire, packet->flow, packet);
}

/* Both return false, and nothing is counted, when the packet is not a usual one. */
static inline __attribute__((always_inline)) bool usual_request(
	struct wire *wire, struct wire_packet *packet, uint16_t file, uint16_t tap)
{
	if (!find_usual(wire, packet) || !is_next(packet->owner, packet->roce))
		return false;
	count_usual(wire, packet, file, tap);
	note_request(packet->flow, packet->roce);
	learn_mtu(packet->owner, packet->roce);
	pass_next(packet->owner, packet->record);
	wire_detail(wire, packet);
	return true;
}

static inline __attribute__((always_inline)) bool usual_ack(
	struct wire *wire, struct wire_packet *packet, uint16_t file, uint16_t tap)
{
	const struct roce *roce = packet->roce;
	struct flow *asker;

	if (!roce->has_aeth || aeth_kind(roce->syndrome) != AETH_ACK ||
		!find_usual(wire, packet))
		return false;
	asker = known_asker(wire, packet->owner, roce->psn);
	if (!asker)
		return false;
	count_usual(wire, packet, file, tap);
	note_ack(packet->flow, packet->owner, roce);
	acknowledged(wire, asker, roce->psn);
	wire_detail(wire, packet);
	return true;
}

/* Of the extended headers only an ACK's matters here: a READ request is no usual one. */
static inline __attribute__((always_inline)) bool usual(
	struct wire *wire, const struct capture_record *given, uint16_t file, uint16_t tap)
{
	struct capture_record record = *given;
	struct frame frame;
	struct roce roce;
	struct wire_packet packet = {
		.record = &record, .frame = &frame, .roce = &roce, .tap = tap
	};
	const struct roce_operation *operation;
	const uint8_t *bth;
	uint32_t captured;

	frame_clear(&frame);
	if (record.link_type != 1 || !record.has_time ||
		!frame_plain(&frame, record.bytes, record.captured_bytes) ||
		frame.transport_bytes < BTH_BYTES + ICRC_BYTES)
		return false;
	bth = frame.network + frame.transport_start;
	captured = transport_captured(&frame);
	operation = roce_begin_rc(&roce, bth, captured);
	if (!operation)
		return false;
	roce_payload(&roce, bth, captured, frame.transport_bytes);
	if (roce.what & OP_REQUEST)
		return usual_request(wire, &packet, file, tap);
	if (!(roce.what & OP_ACK))
		return false;
	roce_extended(&roce, operation, bth, captured, BTH_BYTES);
	return usual_ack(wire, &packet, file, tap);
}

void wire_records(struct wire *wire, const struct capture_record *records, size_t count,
	uint16_t file, uint16_t tap)
{
	assert(file < WIRE_FILES_MAX && tap < WIRE_FILES_MAX);
	for (size_t i = 0; i < count; i++)
		if (!usual(wire, &records[i], file, tap))
			wire_other_record(wire, &records[i], file, tap);
}

void wire_record(
	struct wire *wire, const struct capture_record *record, uint16_t file, uint16_t tap)
{
	wire_records(wire, record, 1, file, tap);
}
