/* SPDX-License-Identifier: Apache-2.0 */
/*
 * READ requests and the PSNs that they reserve: how many, by a path MTU that only
 * the responses may show; which of them responses are due for; and which are asked
 * for a second time.
 */
#include "pfc/wire_flow.h"

static uint32_t psns_of(uint32_t bytes, uint32_t mtu)
{
	return bytes ? (uint32_t)(((uint64_t)bytes + mtu - 1) / mtu) : 1;
}

uint32_t wire_read_psns(const struct wire *wire, const struct flow *flow, uint32_t bytes)
{
	uint16_t mtu = wire_mtu(wire, flow);

	return mtu ? psns_of(bytes, mtu) & (PSN_HALF - 1) : 1;
}

/* A READ request was sent before, of unknown PSN count: which one makes psn the
 * next? By the MTU if it is known by now, else by any that fits. */
void wire_read_settle(struct wire *wire, struct flow *main, uint32_t psn)
{
	uint32_t ahead = psn_ahead(psn, main->pending_psn), best = 1;
	uint32_t bytes = main->pending_bytes;
	uint16_t mtu = wire_mtu(wire, main);

	if (bytes == BYTES_UNKNOWN) {
		if (ahead == 0 || ahead >= PSN_HALF)
			return;
		best = ahead; /* its length was not captured: whatever comes is due */
	} else if (mtu) {
		best = psns_of(bytes, mtu);
	} else {
		if (ahead == 0 || ahead >= PSN_HALF)
			return;
		for (uint32_t guess = 4096; guess >= 256; guess /= 2)
			if (psns_of(bytes, guess) <= ahead)
				best = psns_of(bytes, guess);
	}
	main->read_pending = false;
	best = (main->pending_psn + best) & PSN_MASK;
	if (!psn_behind(best, main->requests_track.next))
		psn_expect(&main->requests_track, best);
}

/* Why a READ request comes again that no NAK named: responses were seen, or are
 * asked for from the middle on; or nothing of the kind. */
enum resend_cause wire_read_again(
	const struct wire *wire, const struct flow *main, uint32_t psn)
{
	const struct psn_track *responses;
	const struct flow_reads *reads;

	if (main->peer != FLOW_NONE) {
		responses =
			flow_responses_made(&wire->flows, flow_at(&wire->flows, main->peer));
		if (responses && responses->started &&
			psn_ahead(responses->next, psn) - 1 < PSN_HALF - 1)
			return RESEND_RESPONSE_LOST;
	}
	if (main->reads == FLOW_NONE)
		return RESEND_TIMEOUT;
	reads = &wire->flows.reads[main->reads];
	for (uint32_t i = 0; i < reads->count && i < FLOW_READS; i++)
		if (reads->psn[i] == psn)
			return RESEND_TIMEOUT;
	return RESEND_RESPONSE_LOST;
}

/* The request, of those remembered, that reserved psn; FLOW_READS if none did. */
static uint32_t read_of(const struct wire *wire, const struct flow *asker, uint32_t psn)
{
	const struct flow_reads *reads = &wire->flows.reads[asker->reads];

	for (uint32_t i = 0; i < reads->count && i < FLOW_READS; i++)
		if (psn_ahead(psn, reads->psn[i]) <
			wire_read_psns(wire, asker, reads->bytes[i]))
			return i;
	return FLOW_READS;
}

/* The one that was asked for again comes before all others that are sent again: what
 * comes ahead of it is still of the first time. If it was captured the first time, it
 * was lost behind the tap, and nothing before. */
bool wire_read_is_second(
	struct wire *wire, const struct flow *asker, uint32_t psn, bool new_here)
{
	struct flow_reads *reads;
	uint32_t at, from, bit;

	if (asker->reads == FLOW_NONE ||
		!wire_requests(wire, asker)->resent[RESEND_RESPONSE_LOST])
		return false;
	reads = &wire->flows.reads[asker->reads];
	at = read_of(wire, asker, psn);
	if (at == FLOW_READS)
		return false;
	from = psn_ahead(psn, reads->psn[at]);
	bit = 1u << at;
	if (from == reads->again[at] && new_here) {
		reads->begun |= bit;
	} else if (from == reads->again[at]) {
		reads->begun &= ~bit;
		reads->again[at] = UINT32_MAX;
	}
	return new_here && (reads->begun & bit) && from >= reads->again[at];
}

/* Responses from psn on are asked for again, though the responder has sent them. */
static void note_again(struct wire *wire, struct flow *main, uint32_t psn)
{
	struct flow_reads *reads;
	uint32_t at, ahead;

	if (main->reads == FLOW_NONE)
		return;
	reads = &wire->flows.reads[main->reads];
	at = read_of(wire, main, psn);
	if (at == FLOW_READS)
		return;
	ahead = psn_ahead(psn, reads->psn[at]);
	if (ahead < reads->again[at])
		reads->again[at] = ahead;
}

void wire_read_note(struct wire *wire, struct flow *main, const struct roce *roce,
	enum psn_arrival arrival, enum resend_cause cause)
{
	struct psn_track *responses;
	struct flow_reads *reads;

	if (arrival == PSN_REPEATED && main->peer != FLOW_NONE) {
		responses =
			flow_responses_made(&wire->flows, flow_at(&wire->flows, main->peer));
		if (responses)
			psn_named(responses, &wire->holes, &wire->events, roce->psn,
				RESEND_RESPONSE_LOST);
	}
	if (arrival == PSN_REPEATED && cause == RESEND_RESPONSE_LOST)
		note_again(wire, main, roce->psn);
	if (arrival == PSN_REPEATED || !roce->has_reth)
		return;
	reads = flow_reads(&wire->flows, main);
	if (!reads)
		return;
	reads->psn[reads->count % FLOW_READS] = roce->psn;
	reads->bytes[reads->count % FLOW_READS] = roce->dma_bytes;
	reads->again[reads->count % FLOW_READS] = UINT32_MAX;
	reads->begun &= ~(1u << reads->count % FLOW_READS);
	reads->count++;
}

/* Opens holes for the PSNs of [from, psn) that READ requests have reserved. */
static void skip_reserved(struct wire *wire, struct psn_track *track,
	const struct psn_context *context, const struct flow *asker, uint32_t from,
	uint32_t psn)
{
	const struct flow_reads *reads = &wire->flows.reads[asker->reads];
	uint32_t kept = reads->count < FLOW_READS ? reads->count : FLOW_READS;
	uint32_t gap = NODE_NONE;

	for (uint32_t i = kept; i > 0; i--) {
		uint32_t at = (reads->count - i) % FLOW_READS;
		uint32_t start = reads->psn[at];
		uint32_t end =
			(start + wire_read_psns(wire, asker, reads->bytes[at])) & PSN_MASK;

		if (psn_behind(start, from))
			start = from;
		if (!psn_behind(end, psn))
			end = psn;
		if (start == end || psn_behind(end, start) || psn_behind(start, from))
			continue;
		gap = psn_skip(track, context, gap, psn, start, psn_ahead(end, start));
		from = end;
	}
}

/* The first PSN that any request remembered has reserved, not behind psn. */
static uint32_t oldest_asked(const struct wire *wire, const struct flow *asker, uint32_t psn)
{
	const struct flow_reads *reads = &wire->flows.reads[asker->reads];
	uint32_t oldest = psn;

	for (uint32_t i = 0; i < reads->count && i < FLOW_READS; i++)
		if (psn_behind(reads->psn[i], oldest))
			oldest = reads->psn[i];
	return oldest;
}

/* Without the requests: the packets of one message follow on each other, and
 * between messages anything may lie. */
static void skip_by_opcode(struct psn_track *track, const struct psn_context *context,
	const struct flow *main, const struct roce *roce)
{
	uint32_t ahead = psn_ahead(roce->psn, track->next);
	bool begins = roce->what & (OP_FIRST | OP_ONLY);

	if (ahead == 0)
		return;
	if (main->in_response)
		psn_skip(track, context, NODE_NONE, roce->psn, track->next, begins ? 1 : ahead);
	else if (!begins)
		psn_skip(track, context, NODE_NONE, roce->psn, (roce->psn - 1) & PSN_MASK, 1);
}

void wire_read_skip(struct wire *wire, struct psn_track *track,
	const struct psn_context *context, const struct flow *main, const struct roce *roce)
{
	const struct flow *asker =
		main->peer == FLOW_NONE ? NULL : flow_at(&wire->flows, main->peer);

	if (asker && asker->reads != FLOW_NONE) {
		if (!track->started && read_of(wire, asker, roce->psn) < FLOW_READS)
			psn_expect(track, oldest_asked(wire, asker, roce->psn));
		if (track->started)
			skip_reserved(wire, track, context, asker, track->next, roce->psn);
	} else if (track->started) {
		skip_by_opcode(track, context, main, roce);
	}
	psn_expect(track, roce->psn);
}
