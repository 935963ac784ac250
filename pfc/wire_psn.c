/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of PSNs that need both directions: responses are due only where READs
 * asked; ACKs and NAKs speak of the other direction's requests.
 */
#include "pfc/wire_flow.h"

#include "lib/capture.h"
#include "lib/units.h"
#include "pfc/wire_count.h"

/* An ACK this far from anything sent speaks of another flow. */
#define STRANGE_PSNS 4096u
#define STRANGE_MOST 4u

uint16_t wire_mtu(const struct wire *wire, const struct flow *flow)
{
	if (flow->mtu || flow->peer == FLOW_NONE)
		return flow->mtu;
	return flow_at(&wire->flows, flow->peer)->mtu;
}

/* No NIC times out sooner than PSN_LATE_NS after it was told of a gap: what comes
 * again before is of an older NAK, as when packets are reordered all the time. */
static enum resend_cause unnamed_cause(const struct flow *main, const struct event *event)
{
	uint32_t since_us = (uint32_t)(event->time_ns / NS_PER_US) - main->nak_us;

	return main->nak_us && event->has_time && since_us < PSN_LATE_NS / NS_PER_US
		       ? RESEND_NAK
		       : RESEND_TIMEOUT;
}

static struct psn_context context_of(struct wire *wire, const struct flow *main,
	const struct event *event, enum event_stream stream)
{
	bool request = stream == STREAM_REQUEST;

	return (struct psn_context){
		.pool = &wire->holes,
		.events = &wire->events,
		.event = event,
		.unnamed = request ? unnamed_cause(main, event) : RESEND_RESPONSE_LOST,
		.acked = request && main->acked,
		.acked_psn = main->acked_psn,
		.cover = request || main->peer == FLOW_NONE
				 ? NODE_NONE
				 : flow_at(&wire->flows, main->peer)->requests_track.next,
	};
}

/* The same for a packet, with how long the stream was silent. */
static struct psn_context packet_context(struct wire *wire, const struct wire_packet *packet,
	const struct event *event, enum event_stream stream, uint64_t *last_ns)
{
	struct psn_context context = context_of(wire, packet->owner, event, stream);

	if (!packet->record->has_time || !last_ns)
		return context;
	context.may_be_copy = packet->copy;
	if (*last_ns && packet->record->time_ns >= *last_ns)
		context.since_ns = packet->record->time_ns - *last_ns;
	*last_ns = packet->record->time_ns;
	return context;
}

/* Sent again, and no NAK seen. Who waits for a timeout has sent all that its window
 * allows, and is silent: what comes again out of a stream that was not did not wait. */
static void note_timeout(struct wire *wire, struct flow *main,
	const struct psn_context *context, uint32_t psn, enum psn_arrival arrival)
{
	struct flow_trouble *trouble = flow_trouble(&wire->flows, main);

	if (wire_requests(wire, main)->resend_start == psn) {
		trouble->soon = arrival == PSN_REPEATED && context->since_ns &&
				context->since_ns < PSN_LATE_NS;
		if (trouble->soon && trouble->soon_runs < UINT8_MAX)
			trouble->soon_runs++;
	}
	if (trouble->soon)
		trouble->resent_soon++;
	else if (context->acked && !psn_behind(context->acked_psn, psn))
		trouble->resent_acked++;
}

void wire_request(struct wire *wire, struct wire_packet *packet)
{
	struct flow *main = packet->owner;
	const struct roce *roce = packet->roce;
	struct psn_context context;
	enum psn_arrival arrival;
	struct event event;
	bool read = roce->what & OP_READ;
	uint32_t count = 1, timeouts;

	learn_mtu(main, roce);
	if (is_next(main, roce)) {
		pass_next(main, packet->record);
		return;
	}
	event = wire_event(packet, main);
	event.stream = STREAM_REQUEST;
	if (main->read_pending)
		wire_read_settle(wire, main, roce->psn);
	context = packet_context(wire, packet, &event, STREAM_REQUEST, &main->last_request_ns);
	if (read && roce->has_reth)
		count = wire_read_psns(wire, main, roce->dma_bytes);
	if (read && main->requests_track.started &&
		psn_behind(roce->psn, main->requests_track.next))
		context.unnamed = wire_read_again(wire, main, roce->psn);
	/* Between the two were responses. */
	context.may_be_copy &= context.unnamed != RESEND_RESPONSE_LOST;
	timeouts = wire_requests(wire, main)->resent[RESEND_TIMEOUT];
	arrival = psn_arrive(&main->requests_track, &context, roce->psn, count);
	if (wire_requests(wire, main)->resent[RESEND_TIMEOUT] > timeouts)
		note_timeout(wire, main, &context, roce->psn, arrival);
	if (!read)
		return;
	if (arrival != PSN_REPEATED && arrival != PSN_FILL &&
		(!roce->has_reth || !wire_mtu(wire, main))) {
		main->read_pending = true;
		main->pending_psn = roce->psn;
		main->pending_bytes = roce->has_reth ? roce->dma_bytes : BYTES_UNKNOWN;
	}
	wire_read_note(wire, main, roce, arrival, context.unnamed);
}

/* The flow whose requests this packet answers; NULL when it is not known. */
static struct flow *asker_of(
	struct wire *wire, const struct wire_packet *packet, enum pair_hint hint)
{
	uint32_t psn = packet->roce->psn;
	struct flow *main = packet->owner, *asker = known_asker(wire, main, psn);

	if (asker)
		return asker;
	if (main->peer == FLOW_NONE) {
		pair_search(wire, packet->main, hint, psn);
		asker = known_asker(wire, main, psn);
		if (asker || main->peer == FLOW_NONE)
			return asker;
	}
	asker = flow_at(&wire->flows, main->peer);
	/* Acknowledges what was not captured: tap loss at times, a wrong match often. */
	if (psn_ahead(psn, asker->requests_track.next) > STRANGE_PSNS &&
		++main->strange > STRANGE_MOST) {
		main->strange = 0;
		pair_part(wire, packet->main);
		pair_search(wire, packet->main, hint, psn);
		return main->peer == FLOW_NONE ? NULL : flow_at(&wire->flows, main->peer);
	}
	return asker;
}

void wire_response(struct wire *wire, struct wire_packet *packet)
{
	struct flow *main = packet->owner;
	struct flow *asker = asker_of(wire, packet, PAIR_RESPONSE);
	const struct roce *roce = packet->roce;
	struct event event = wire_event(packet, main);
	struct psn_context context;
	struct psn_track *track;
	bool new_here;

	event.stream = STREAM_RESPONSE;
	learn_mtu(main, roce);
	if (asker)
		acknowledged(wire, asker, roce->psn);
	track = flow_responses(&wire->flows, main);
	if (!track)
		return;
	context = packet_context(wire, packet, &event, STREAM_RESPONSE, NULL);
	new_here = !track->started || psn_ahead(roce->psn, track->next) < PSN_HALF;
	if (new_here)
		wire_read_skip(wire, track, &context, main, roce);
	context.second = asker && wire_read_is_second(wire, asker, roce->psn, new_here);
	psn_arrive(track, &context, roce->psn, 1);
	main->in_response = roce->what & (OP_FIRST | OP_MIDDLE);
}

static void sequence_error(
	struct wire *wire, const struct wire_packet *packet, struct flow *asker)
{
	struct psn_track *track = &asker->requests_track;

	if (track->started && psn_is_below(track, &wire->holes, packet->roce->psn))
		flow_trouble(&wire->flows, asker)->asked_before++;
	psn_named(track, &wire->holes, &wire->events, packet->roce->psn, RESEND_NAK);
	asker->nak_us = (uint32_t)(packet->record->time_ns / NS_PER_US) | 1;
}

static void negative(
	struct wire *wire, struct wire_packet *packet, struct flow *flow, enum aeth_kind kind)
{
	const struct roce *roce = packet->roce;
	enum nak_reason reason = nak_reason(roce->syndrome);
	struct event event = wire_event(packet, flow);
	struct flow *asker = asker_of(wire, packet, PAIR_NAK);

	if (kind == AETH_RNR_NAK) {
		flow_trouble(&wire->flows, flow)->rnr_naks++;
		event.kind = EVENT_RNR_NAK;
		event.detail = roce->syndrome & 31;
	} else {
		if (reason < NAK_REASONS)
			flow_trouble(&wire->flows, flow)->naks[reason]++;
		else
			flow_trouble(&wire->flows, flow)->naks_reserved++;
		event.kind = EVENT_NAK;
		event.detail = (uint8_t)reason;
	}
	events_add(&wire->events, &event);
	if (!asker)
		return;
	/* All before the one that is asked for has arrived. */
	acknowledged(wire, asker, (roce->psn - 1) & PSN_MASK);
	if (kind == AETH_RNR_NAK)
		psn_named(&asker->requests_track, &wire->holes, &wire->events, roce->psn,
			RESEND_RNR_NAK);
	else if (reason == NAK_PSN_SEQUENCE)
		sequence_error(wire, packet, asker);
}

void wire_acknowledge(struct wire *wire, struct wire_packet *packet)
{
	struct flow *flow = packet->flow;
	struct flow *main = packet->owner, *asker;
	const struct roce *roce = packet->roce;
	enum aeth_kind kind = roce->has_aeth ? aeth_kind(roce->syndrome) : AETH_RESERVED;

	if (kind == AETH_RNR_NAK || kind == AETH_NAK) {
		negative(wire, packet, flow, kind);
		return;
	}
	/* Without its AETH an ACK may as well be a NAK. */
	if ((roce->what & OP_ACK) && kind != AETH_ACK)
		return;
	if (roce->what & OP_ACK)
		note_ack(flow, main, roce);
	asker = asker_of(wire, packet, PAIR_ACK);
	if (asker)
		acknowledged(wire, asker, roce->psn);
}

static void add_books(struct wire_sums *sums, const struct psn_books *books)
{
	sums->gap_events += books->gap_events;
	sums->gap_psns += books->gap_psns;
	sums->missing += books->missing;
	sums->lost_network += books->lost_network;
	sums->lost_capture += books->lost_capture;
	sums->lost_unknown += books->lost_unknown;
	sums->lost_after += books->lost_after;
	sums->asked_late += books->asked_late;
	sums->repeated += books->repeated;
	sums->out_of_order += books->out_of_order;
	sums->copies += books->copies;
	for (unsigned i = 0; i < RESEND_CAUSES; i++)
		sums->resent[i] += books->resent[i];
}

static struct flow_counts add_flow(
	const struct wire *wire, struct wire_sums *sums, uint32_t index)
{
	const struct flow *flow = flow_at(&wire->flows, index);
	const struct flow_trouble *trouble = flow_trouble_seen(&wire->flows, flow);
	struct flow_counts counts = flow_counts(&wire->flows, flow);

	sums->flows++;
	sums->request_packets += counts.data;
	for (unsigned i = 0; i < NAK_REASONS; i++)
		sums->naks[i] += trouble->naks[i];
	sums->rnr_naks += trouble->rnr_naks;
	sums->cnps += trouble->cnps;
	sums->icrc_bad += trouble->icrc_bad;
	sums->resent_soon += trouble->resent_soon;
	sums->soon_runs += trouble->soon_runs ? trouble->soon_runs - 1u : 0;
	sums->asked_before += trouble->asked_before;
	for (unsigned i = 0; i < 4; i++)
		sums->data_ecn[i] += counts.data_ecn[i];
	return counts;
}

/* Half of the PSNs missing, one by one: the other members of a group of links
 * were not captured. */
static bool is_alternate(const struct psn_books *books, uint64_t packets)
{
	return books->missing >= 16 && books->missing * UINT64_C(4) > packets &&
	       books->gap_events * UINT64_C(4) > packets;
}

void wire_flow_finish(struct wire *wire, uint32_t index, struct wire_sums *sums)
{
	struct flow *main = flow_at(&wire->flows, index);
	struct psn_track *responses = flow_responses_made(&wire->flows, main);
	struct event event = { .older = EVENT_NONE };
	struct psn_context context = context_of(wire, main, &event, STREAM_REQUEST);
	struct flow_counts counts = add_flow(wire, sums, index);
	uint64_t answers = counts.acks, cnps = 0, ce = counts.data_ecn[3];
	bool datagrams = main->service == 3;

	if (main->read_pending && wire_mtu(wire, main) && main->pending_bytes != BYTES_UNKNOWN)
		wire_read_settle(wire, main, main->pending_psn);
	psn_finish(&main->requests_track, &context);
	add_books(sums, wire_requests(wire, main));
	if (responses) {
		context = context_of(wire, main, &event, STREAM_RESPONSE);
		psn_finish(responses, &context);
		add_books(sums, wire_responses(wire, main));
	}
	sums->connections++;
	sums->alternate += is_alternate(wire_requests(wire, main), counts.requests);
	sums->paired += main->had_peer;
	if (main->peer != FLOW_NONE) {
		for (uint32_t at = main->peer; at != FLOW_NONE;
			at = flow_at(&wire->flows, at)->next_port)
			cnps += flow_trouble_seen(&wire->flows, flow_at(&wire->flows, at))
					->cnps;
	}
	for (uint32_t at = main->next_port; at != FLOW_NONE;
		at = flow_at(&wire->flows, at)->next_port)
		answers += add_flow(wire, sums, at).acks;
	sums->ce_without_cnp += ce && !cnps && main->peer != FLOW_NONE;
	sums->cnp_without_ce += cnps && !ce;
	if (!main->had_peer && !datagrams &&
		(main->requests_track.started || main->has_response || answers))
		sums->one_sided++;
}
