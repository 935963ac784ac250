/*
 * wire_count - what a packet is counted for, whichever way it takes: the usual one
 * (wire_usual.c), in one piece, or that of all others (wire.c and wire_flow.c). Nobody
 * else's.
 */
#ifndef PFC_WIRE_COUNT_H
#define PFC_WIRE_COUNT_H

#include <string.h>

#include "lib/bytes.h"
#include "lib/capture.h"
#include "pfc/wire_flow.h"

static inline __attribute__((always_inline)) void count_record(struct wire *wire,
	const struct capture_record *record, struct wire_packet *packet, uint16_t file,
	uint16_t tap)
{
	struct wire_span *span = &wire->spans[tap];

	wire->records++;
	wire->wire_bytes += record->wire_bytes;
	wire->captured_bytes += record->captured_bytes;
	packet->record = record;
	packet->number = ++wire->file_records[file];
	packet->file = file;
	packet->tap = tap;
	if (!record->has_time)
		return;
	wire->has_time = true;
	wire->now_ns = record->time_ns;
	if (record->time_ns < span->first_ns)
		span->first_ns = record->time_ns;
	if (record->time_ns > span->last_ns)
		span->last_ns = record->time_ns;
}

static inline __attribute__((always_inline)) uint32_t transport_captured(
	const struct frame *frame)
{
	uint32_t captured = frame->captured_bytes > frame->transport_start
				    ? frame->captured_bytes - frame->transport_start
				    : 0;

	/* What lies behind the packet's own end is not its header. */
	return captured < frame->transport_bytes ? captured : frame->transport_bytes;
}

static inline uint8_t family_of(const struct frame *frame)
{
	return frame->kind == FRAME_ROCE_V1 ? FLOW_GID
	       : frame->version == 4        ? FLOW_IPV4
					    : FLOW_IPV6;
}

/* Whether a flow found before is the packet's, as far as the table would say so. */
static inline __attribute__((always_inline)) bool is_flow_of(
	const struct flow *flow, const struct wire_packet *packet)
{
	const struct frame *frame = packet->frame;

	if (flow->key.qp != packet->roce->qp || flow->src_port != frame->src_port ||
		flow->key.tap != packet->tap)
		return false;
	if (flow->key.family == FLOW_IPV4)
		return frame->version == 4 && memcmp(flow->key.src, frame->src, 4) == 0 &&
		       memcmp(flow->key.dst, frame->dst, 4) == 0;
	return frame->version == 6 && flow->key.family == family_of(frame) &&
	       memcmp(flow->key.src, frame->src, 16) == 0 &&
	       memcmp(flow->key.dst, frame->dst, 16) == 0;
}

static inline __attribute__((always_inline)) void make_key(
	struct flow_key *key, const struct wire_packet *packet)
{
	const struct frame *frame = packet->frame;
	size_t bytes = frame->version == 4 ? 4 : 16;

	memset(key, 0, sizeof(*key));
	memcpy(key->src, frame->src, bytes);
	memcpy(key->dst, frame->dst, bytes);
	key->qp = packet->roce->qp;
	key->tap = packet->tap;
	key->family = family_of(frame);
}

/* Where a flow that was found lately stands. NICs make the port of the QP number, so
 * that one of them tells little beside the other. */
static inline __attribute__((always_inline)) struct wire_recent *recent_of(
	struct wire *wire, const struct wire_packet *packet)
{
	const struct frame *frame = packet->frame;
	uint32_t hash = packet->roce->qp ^ (uint32_t)frame->src_port << 8 ^
			(uint32_t)frame->src[frame->version == 4 ? 3 : 15] << 24;

	_Static_assert(WIRE_FILES_MAX <= 1u << WIRE_RECENT_LOG2, "a tap is no larger");
	return &wire->recent[(hash * 0x9e3779b1u >> (32 - WIRE_RECENT_LOG2)) ^ packet->tap];
}

static inline void note_priority(struct flow *flow, const struct tag *innermost)
{
	if (innermost->kind != TAG_DOT1Q && innermost->kind != TAG_DOT1AD)
		return;
	flow->has_vlan = true;
	flow->vlan_priority = (uint8_t)innermost->more;
}

/* What every packet of a flow is counted for. */
static inline __attribute__((always_inline)) void count_packet(
	struct wire *wire, struct flow *flow, const struct wire_packet *packet)
{
	const struct frame *frame = packet->frame;
	const struct roce *roce = packet->roce;
	bool data = roce->what & (OP_REQUEST | OP_READ_RESPONSE);

	flow->ip_bytes += frame->network_bytes;
	flow->payload_bytes += roce->payload_bytes;
	flow->tally.data_ecn[frame->traffic_class & 3] += data;
	flow_count_dscp(&wire->flows, flow, frame->traffic_class >> 2);
	if (++flow->tally.ecn[frame->traffic_class & 3] == FLOW_CARRY)
		flow_carry(&wire->flows, flow);
	if (data)
		wire->dscp_use[frame->traffic_class >> 2].data++;
	else if (roce->what & OP_CNP)
		wire->dscp_use[frame->traffic_class >> 2].cnps++;
	else
		wire->dscp_use[frame->traffic_class >> 2].acks++;
	if (packet->record->has_time)
		flow->last_ns = packet->record->time_ns;
	flow->service = roce->opcode >> 5;
	if (frame->tag_count && (data || !(flow->has_request || flow->has_response)))
		note_priority(flow, &frame->tags[frame->tag_count - 1]);
	if (flow->port != UINT32_MAX && packet->record->has_time)
		burst_count(&wire->bursts, flow->port, packet->record->time_ns,
			packet->record->wire_bytes + BURST_FRAME_BYTES, flow->serial);
}

/* The same packet twice in a row, as a tap that sees it at two ports has it. */
static inline __attribute__((always_inline)) bool is_copy(
	struct flow *main, const struct wire_packet *packet)
{
	uint16_t id = packet->frame->version == 4 ? be16_at(packet->frame->network + 4) : 0;
	bool copy = main->last_opcode == packet->roce->opcode && main->last_ip_id == id;

	main->last_opcode = packet->roce->opcode;
	main->last_ip_id = id;
	return copy;
}

static inline __attribute__((always_inline)) void note_request(
	struct flow *flow, const struct roce *roce)
{
	flow->tally.read_requests += (roce->what & OP_READ) != 0;
	if (!flow->has_request)
		flow->request_first = roce->psn;
	flow->has_request = true;
	flow->request_last = roce->psn;
}

static inline __attribute__((always_inline)) void note_ack(
	struct flow *flow, struct flow *main, const struct roce *roce)
{
	flow->tally.acks++;
	main->ack_psn = roce->psn;
}

/* The flow that a packet of main's answers, where that is known and psn fits it. */
static inline __attribute__((always_inline)) struct flow *known_asker(
	const struct wire *wire, struct flow *main, uint32_t psn)
{
	struct flow *asker;

	if (main->peer == FLOW_NONE)
		return NULL;
	asker = flow_at(&wire->flows, main->peer);
	if (main->peer_sure || !asker->requests_track.started)
		return asker;
	if (psn_ahead(psn, asker->requests_track.lowest) >= PSN_HALF ||
		psn_ahead(psn, asker->requests_track.next) - 1 <= PSN_HALF)
		return NULL;
	main->strange = 0;
	return asker;
}

/* The other direction has told that asker's requests up to psn have arrived. */
static inline __attribute__((always_inline)) void acknowledged(
	struct wire *wire, struct flow *asker, uint32_t psn)
{
	if (!asker->acked || !psn_behind(psn, asker->acked_psn)) {
		asker->acked = true;
		asker->acked_psn = psn;
	}
	wire_detail_ack(wire, asker, psn, wire->now_ns);
}

/* First and Middle packets are as long as the path allows. */
static inline __attribute__((always_inline)) void learn_mtu(
	struct flow *flow, const struct roce *roce)
{
	uint32_t bytes = roce->payload_bytes;

	if (!flow->mtu && (roce->what & (OP_FIRST | OP_MIDDLE)) && bytes >= 256 &&
		bytes <= 4096 && (bytes & (bytes - 1)) == 0)
		flow->mtu = (uint16_t)bytes;
}

/* What most requests are: the next in order, and nothing hangs on it. */
static inline __attribute__((always_inline)) bool is_next(
	const struct flow *main, const struct roce *roce)
{
	const struct psn_track *track = &main->requests_track;

	return track->started && roce->psn == track->next && !main->read_pending &&
	       !(roce->what & OP_READ) && track->named_cause == RESEND_NOT;
}

/* The request that is_next(). */
static inline __attribute__((always_inline)) void pass_next(
	struct flow *main, const struct capture_record *record)
{
	psn_next(&main->requests_track);
	if (record->has_time)
		main->last_request_ns = record->time_ns;
}

#endif
