/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/roce.h"
#include "pfc/wire_count.h"
#include "pfc/wire_flow.h"

#define FLOWS_MOST 2000000u
#define EVENTS_MOST 65536u
#define HOLES_MOST 262144u
#define BURST_SHARE_PPB UINT64_C(900000000)

/* As many lists as keep each short: some 64 flows if none finds its peer. */
static void init_lists(struct wire *wire, uint32_t flows_most)
{
	uint32_t lists = 256;

	while (lists < flows_most / 64 && lists < 65536)
		lists *= 2;
	wire->unpaired = zeroed(lists, sizeof(uint32_t));
	wire->unpaired_mask = lists - 1;
	for (uint32_t i = 0; i < lists; i++)
		wire->unpaired[i] = FLOW_NONE;
}

void wire_init(struct wire *wire, const struct wire_options *options)
{
	uint32_t flows_most = options->flows_most ? options->flows_most : FLOWS_MOST;

	*wire = (struct wire){
		.options = *options,
		.first_ns = UINT64_MAX,
		.holes = PSN_POOL_INIT(HOLES_MOST),
	};
	for (size_t i = 0; i < WIRE_FILES_MAX; i++)
		wire->spans[i].first_ns = UINT64_MAX;
	wire->events.most = options->events_most ? options->events_most : EVENTS_MOST;
	wire->bursts.rate_bps = options->rate_bps;
	wire->bursts.share_ppb =
		options->burst_share_ppb ? options->burst_share_ppb : BURST_SHARE_PPB;
	wire->bursts.scale = options->burst_scale;
	flow_table_init(&wire->flows, flows_most);
	init_lists(wire, flows_most);
	pause_init(&wire->pause, (uint32_t)(options->rate_bps / GBPS));
}

static void add_tag(struct wire *wire, const struct tag *tag)
{
	for (uint32_t i = 0; i < wire->tag_count; i++) {
		if (memcmp(&wire->tags[i], tag, sizeof(*tag)) != 0)
			continue;
		/* The next packet most likely has the same. */
		wire->tags[i] = wire->tags[0];
		wire->tags[0] = *tag;
		return;
	}
	if (wire->tag_count < WIRE_TAGS_MAX)
		wire->tags[wire->tag_count++] = *tag;
	else
		wire->tags_left_out++;
}

static void count_unsupported(struct wire *wire, uint16_t link_type)
{
	wire->unsupported++;
	for (uint32_t i = 0; i < wire->link_type_count; i++)
		if (wire->link_types[i] == link_type)
			return;
	if (wire->link_type_count < WIRE_LINK_TYPES_MAX)
		wire->link_types[wire->link_type_count++] = link_type;
}

static void count_roce(struct wire *wire, struct wire_packet *packet)
{
	const struct frame *frame = packet->frame;
	uint32_t captured = transport_captured(frame);
	struct roce roce;
	bool whole;

	if (frame->kind == FRAME_ROCE_V1)
		wire->roce_v1++;
	else
		wire->roce_v2++;
	for (uint32_t i = 0; i < frame->tag_count; i++)
		add_tag(wire, &frame->tags[i]);
	whole = roce_decode(&roce, frame->network + frame->transport_start, captured,
		frame->transport_bytes);
	if (captured)
		wire->opcodes[roce.opcode]++;
	packet->icrc = icrc_check(frame);
	wire->icrc[packet->icrc]++;
	if (frame->transport_bytes < BTH_BYTES + ICRC_BYTES)
		wire->malformed++;
	if (!whole) {
		wire->bth_cut++;
		return;
	}
	packet->roce = &roce;
	wire_flow_packet(wire, packet);
}

void wire_other_record(
	struct wire *wire, const struct capture_record *record, uint16_t file, uint16_t tap)
{
	struct frame frame;
	struct wire_packet packet;

	count_record(wire, record, &packet, file, tap);
	frame_decode(&frame, record->link_type, record->bytes, record->captured_bytes);
	if (frame.fragment || frame.later_fragment)
		wire->fragments++;
	packet.frame = &frame;
	switch (frame.kind) {
	case FRAME_ROCE_V1:
	case FRAME_ROCE_V2:
		count_roce(wire, &packet);
		return;
	case FRAME_MAC_CONTROL:
		wire->mac_control++;
		pause_frame(&wire->pause, &frame, tap, record->has_time, record->time_ns);
		return;
	case FRAME_OTHER:
		break;
	}
	wire->other++;
	if (frame.unsupported)
		count_unsupported(wire, record->link_type);
}

enum wire_seen wire_seen(
	const struct wire *wire, const struct capture_record *record, uint16_t tap)
{
	struct frame frame;
	struct roce roce;
	struct wire_packet packet = {
		.frame = &frame, .roce = &roce, .record = record, .tap = tap
	};

	frame_decode(&frame, record->link_type, record->bytes, record->captured_bytes);
	if ((frame.kind != FRAME_ROCE_V1 && frame.kind != FRAME_ROCE_V2) ||
		!roce_decode(&roce, frame.network + frame.transport_start,
			transport_captured(&frame), frame.transport_bytes))
		return WIRE_SEEN_UNKNOWN;
	return wire_flow_seen(wire, &packet);
}

static void add_spans(struct wire *wire)
{
	for (size_t i = 0; i < WIRE_FILES_MAX; i++) {
		if (wire->spans[i].first_ns < wire->first_ns)
			wire->first_ns = wire->spans[i].first_ns;
		if (wire->spans[i].last_ns > wire->last_ns)
			wire->last_ns = wire->spans[i].last_ns;
	}
}

void wire_finish(struct wire *wire)
{
	add_spans(wire);
	wire->sums = wire->closed;
	for (uint32_t i = 0; i < wire->flows.count; i++)
		if (flow_is_live(&wire->flows, i) && flow_at(&wire->flows, i)->main == i)
			wire_flow_finish(wire, i, &wire->sums);
	bursts_finish(&wire->bursts);
}

void wire_free(struct wire *wire)
{
	flow_table_free(&wire->flows);
	psn_pool_free(&wire->holes);
	events_free(&wire->events);
	pause_free(&wire->pause);
	bursts_free(&wire->bursts);
	free(wire->cm);
	free(wire->unpaired);
}

const struct psn_books *wire_requests(const struct wire *wire, const struct flow *flow)
{
	return psn_books(&flow->requests_track, &wire->holes);
}

const struct psn_books *wire_responses(const struct wire *wire, const struct flow *flow)
{
	return psn_books(flow_responses_made(&wire->flows, flow), &wire->holes);
}

uint64_t wire_resent(const struct wire *wire, const struct flow *flow, enum resend_cause cause)
{
	return (uint64_t)wire_requests(wire, flow)->resent[cause] +
	       wire_responses(wire, flow)->resent[cause];
}

void flow_address_text(const uint8_t *address, enum flow_family family, char *text, size_t size)
{
	if (!inet_ntop(
		    family == FLOW_IPV4 ? AF_INET : AF_INET6, address, text, (socklen_t)size) &&
		size)
		text[0] = '\0';
}
