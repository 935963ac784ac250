/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_flow.h"

#include <string.h>

#include "lib/capture.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/wire_count.h"
#include "pfc/wire_detail.h"

/* A connection's packets in flight span less than this many PSNs. */
#define WINDOW_PSNS (1u << 17)
/* After this silence a far PSN is another connection with the same QP number. */
#define SILENCE_NS (200 * NS_PER_MS)

static void close_flow(void *context, uint32_t index)
{
	struct wire *wire = context;
	struct flow *flow = flow_at(&wire->flows, index);
	struct psn_track *responses = flow_responses_made(&wire->flows, flow);
	uint64_t before = wire->closed.flows;

	wire_flow_finish(wire, index, &wire->closed);
	wire->closed_flows += wire->closed.flows - before;
	psn_forget(&flow->requests_track, &wire->holes);
	if (responses)
		psn_forget(responses, &wire->holes);
	pair_part(wire, index);
	pair_unlist(wire, index);
}

static struct cm_address address_of(const uint8_t *bytes, uint8_t family)
{
	struct cm_address address = { .family = family };

	memcpy(address.bytes, bytes, sizeof(address.bytes));
	return address;
}

/* A new main flow: where it goes, and its peer if a connection manager told. */
static void introduce(struct wire *wire, uint32_t index)
{
	struct flow *flow = flow_at(&wire->flows, index);
	struct cm_address to = address_of(flow->key.dst, flow->key.family);
	struct cm_address from = address_of(flow->key.src, flow->key.family);
	uint32_t other_qp, other;
	uint16_t mtu;

	pair_list(wire, index);
	if (!wire->cm || !cm_find(wire->cm, &to, flow->key.qp, flow->key.tap, &other_qp, &mtu))
		return;
	if (!flow->mtu)
		flow->mtu = mtu;
	other = pair_flow_to(wire, &to, &from, other_qp, flow->key.tap);
	if (other != FLOW_NONE)
		pair_join(wire, index, other, true);
}

static uint32_t find_or_add(struct wire *wire, const struct wire_packet *packet)
{
	struct flow_key key;
	uint32_t index, main;
	uint64_t closed;

	make_key(&key, packet);
	index = flow_find(&wire->flows, &key, packet->frame->src_port, &main);
	if (index != FLOW_NONE)
		return index;
	if (main != FLOW_NONE && flow_at(&wire->flows, main)->ports >= FLOW_PORTS_MAX)
		return main;
	closed = wire->closed_flows;
	index = flow_add(&wire->flows, &key, packet->frame->src_port, main, wire->now_ns,
		close_flow, wire);
	if (wire->closed_flows != closed)
		memset(wire->recent, 0, sizeof(wire->recent));
	flow_at(&wire->flows, index)->port =
		burst_port(&wire->bursts, key.dst, key.family, key.tap);
	if (main == FLOW_NONE)
		introduce(wire, index);
	return index;
}

/* The QP number of a main flow is another connection's from here on. */
static void retire(struct wire *wire, uint32_t index)
{
	pair_part(wire, index);
	pair_unlist(wire, index);
	flow_retire(&wire->flows, index);
	memset(wire->recent, 0, sizeof(wire->recent));
}

/* Whether a request cannot belong to the connection that its flow has followed. */
static bool another_connection(const struct wire_packet *packet)
{
	const struct flow *main = packet->owner;
	uint32_t ahead = psn_ahead(packet->roce->psn, main->requests_track.next);

	if (!main->requests_track.started ||
		(packet->roce->what & (OP_REQUEST | OP_DATAGRAM)) != OP_REQUEST)
		return false;
	if (ahead < WINDOW_PSNS || ahead > PSN_MASK - WINDOW_PSNS)
		return false;
	return ahead >= PSN_HALF || !packet->record->has_time ||
	       packet->record->time_ns > main->last_request_ns + SILENCE_NS;
}

enum wire_seen wire_flow_seen(const struct wire *wire, const struct wire_packet *packet)
{
	const struct roce *roce = packet->roce;
	const struct psn_track *track = NULL;
	struct flow_key key;
	uint32_t index, main, ahead;

	make_key(&key, packet);
	index = flow_find(&wire->flows, &key, packet->frame->src_port, &main);
	if (index != FLOW_NONE)
		main = flow_at(&wire->flows, index)->main;
	if (main == FLOW_NONE)
		return WIRE_SEEN_UNKNOWN;
	if ((roce->what & (OP_REQUEST | OP_DATAGRAM)) == OP_REQUEST)
		track = &flow_at(&wire->flows, main)->requests_track;
	else if (roce->what & OP_READ_RESPONSE)
		track = flow_responses_made(&wire->flows, flow_at(&wire->flows, main));
	if (!track || !track->started)
		return WIRE_SEEN_UNKNOWN;
	ahead = psn_ahead(roce->psn, track->next);
	if (ahead < WINDOW_PSNS)
		return WIRE_SEEN_NOT;
	return ahead > PSN_MASK - WINDOW_PSNS ? WIRE_SEEN_BEFORE : WIRE_SEEN_UNKNOWN;
}

/* Flows never move in memory, so one that was found lately is looked at first. */
static void set_recent(struct wire *wire, struct wire_recent *recent, uint32_t index)
{
	recent->flow = flow_at(&wire->flows, index);
	recent->owner = flow_at(&wire->flows, recent->flow->main);
}

bool wire_recent_find(struct wire *wire, struct wire_recent *recent, const struct flow_key *key,
	uint16_t src_port)
{
	uint32_t main, index = flow_find(&wire->flows, key, src_port, &main);

	if (index == FLOW_NONE)
		return false;
	set_recent(wire, recent, index);
	return true;
}

static void look_up(
	struct wire *wire, struct wire_recent *recent, const struct wire_packet *packet)
{
	set_recent(wire, recent, find_or_add(wire, packet));
}

static void find_flow(struct wire *wire, struct wire_packet *packet)
{
	struct wire_recent *recent = recent_of(wire, packet);

	if (!recent->flow || !is_flow_of(recent->flow, packet))
		look_up(wire, recent, packet);
	packet->owner = recent->owner;
	packet->main = recent->flow->main;
	if (another_connection(packet)) {
		retire(wire, packet->main);
		look_up(wire, recent, packet);
	}
	packet->flow = recent->flow;
	packet->owner = recent->owner;
	packet->main = recent->flow->main;
}

struct event wire_event(const struct wire_packet *packet, const struct flow *flow)
{
	return (struct event){
		.record = packet->number,
		.time_ns = packet->record->time_ns,
		.has_time = packet->record->has_time,
		.flow = flow->serial,
		.qp = packet->roce->qp,
		.psn = packet->roce->psn,
		.older = EVENT_NONE,
		.file = packet->file,
	};
}

static void count_bad(struct wire *wire, struct flow *flow, const struct wire_packet *packet)
{
	struct event event = wire_event(packet, flow);

	flow_trouble(&wire->flows, flow)->icrc_bad++;
	event.kind = EVENT_ICRC_BAD;
	events_add(&wire->events, &event);
}

static void note_response(struct flow *flow, const struct roce *roce)
{
	flow->tally.responses++;
	if (!flow->has_response)
		flow->response_first = roce->psn;
	flow->has_response = true;
	flow->response_last = roce->psn;
}

/* A reply that names both QPs: what was captured of those numbers before belongs
 * to other connections. */
static void connection_made(struct wire *wire, const struct cm_pair *pair)
{
	for (unsigned end = 0; end < 2; end++) {
		uint32_t index = pair_flow_to(
			wire, &pair->to[1 - end], &pair->to[end], pair->qp[end], pair->tap);

		if (index == FLOW_NONE)
			continue;
		retire(wire, index);
	}
}

static void datagram(struct wire *wire, const struct wire_packet *packet)
{
	const struct flow *flow = packet->owner;
	struct cm_address src = address_of(flow->key.src, flow->key.family);
	struct cm_address dst = address_of(flow->key.dst, flow->key.family);
	const struct cm_pair *pair;

	if (packet->roce->qp != 1 || !packet->roce->payload)
		return;
	if (!wire->cm)
		wire->cm = zeroed(1, sizeof(*wire->cm));
	pair = cm_datagram(wire->cm, packet->roce->payload, packet->roce->payload_captured,
		&src, &dst, packet->tap);
	if (pair)
		connection_made(wire, pair);
}

static void notification(struct wire *wire, struct flow *flow, const struct wire_packet *packet)
{
	struct event event = wire_event(packet, flow);
	uint32_t peer = packet->owner->peer;

	flow_trouble(&wire->flows, flow)->cnps++;
	event.kind = EVENT_CNP;
	events_add(&wire->events, &event);
	if (peer != FLOW_NONE)
		wire_detail_cnp(wire, flow_at(&wire->flows, peer), wire->now_ns);
}

void wire_flow_packet(struct wire *wire, struct wire_packet *packet)
{
	uint16_t what = packet->roce->what;
	struct flow *flow;

	find_flow(wire, packet);
	flow = packet->flow;
	packet->copy = is_copy(packet->owner, packet);
	count_packet(wire, flow, packet);
	if (packet->icrc == ICRC_BAD)
		count_bad(wire, flow, packet);
	if (what & OP_REQUEST) {
		note_request(flow, packet->roce);
		if (what & OP_DATAGRAM)
			datagram(wire, packet);
		else
			wire_request(wire, packet);
	} else if (what & OP_READ_RESPONSE) {
		note_response(flow, packet->roce);
		wire_response(wire, packet);
	} else if (what & (OP_ACK | OP_ATOMIC_ACK)) {
		wire_acknowledge(wire, packet);
	} else if (what & OP_CNP) {
		notification(wire, flow, packet);
	}
	wire_detail(wire, packet);
}
