/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining the two directions of a connection. No packet names its sender's QP:
 * what joins them is that ACKs, NAKs and READ responses carry the PSNs of the
 * requests that they answer. Main flows without a peer stand in lists by (source,
 * destination); a packet that answers looks through the list of the opposite way.
 */
#include <string.h>

#include "lib/units.h"
#include "pfc/wire_flow.h"

/* How many flows one search looks at. */
#define LOOK_AT_MOST 64u
/* An ACK may speak of so many PSNs that the tap has lost. */
#define AHEAD_MOST 64u
/* The longest READ, in PSNs, that is considered before the MTU is known. */
#define READ_PSNS_MOST 65536u

static uint32_t *list_of(
	const struct wire *wire, const uint8_t *src, const uint8_t *dst, uint16_t tap)
{
	uint64_t hash = tap, word;

	for (unsigned i = 0; i < 4; i++) {
		memcpy(&word, i < 2 ? src + 8 * i : dst + 8 * (i - 2), sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 31;
	}
	return &wire->unpaired[hash & wire->unpaired_mask];
}

void pair_list(struct wire *wire, uint32_t index)
{
	struct flow *flow = flow_at(&wire->flows, index);
	uint32_t *head = list_of(wire, flow->key.src, flow->key.dst, flow->key.tap);

	flow->listed = true;
	flow->newer = FLOW_NONE;
	flow->older = *head;
	if (*head != FLOW_NONE)
		flow_at(&wire->flows, *head)->newer = index;
	*head = index;
}

void pair_unlist(struct wire *wire, uint32_t index)
{
	struct flow *flow = flow_at(&wire->flows, index);

	if (!flow->listed)
		return;
	if (flow->newer != FLOW_NONE)
		flow_at(&wire->flows, flow->newer)->older = flow->older;
	else
		*list_of(wire, flow->key.src, flow->key.dst, flow->key.tap) = flow->older;
	if (flow->older != FLOW_NONE)
		flow_at(&wire->flows, flow->older)->newer = flow->newer;
	flow->listed = false;
}

void pair_join(struct wire *wire, uint32_t a, uint32_t b, bool sure)
{
	struct flow *left = flow_at(&wire->flows, a), *right = flow_at(&wire->flows, b);

	pair_part(wire, a);
	pair_part(wire, b);
	pair_unlist(wire, a);
	pair_unlist(wire, b);
	left->peer = b;
	right->peer = a;
	left->peer_sure = right->peer_sure = sure;
	left->had_peer = right->had_peer = true;
	/* What was acknowledged before they knew each other. */
	if (flow_counts(&wire->flows, left).acks && !right->acked) {
		right->acked = true;
		right->acked_psn = left->ack_psn;
	}
	if (flow_counts(&wire->flows, right).acks && !left->acked) {
		left->acked = true;
		left->acked_psn = right->ack_psn;
	}
}

void pair_part(struct wire *wire, uint32_t index)
{
	struct flow *flow = flow_at(&wire->flows, index), *peer;

	if (flow->peer == FLOW_NONE)
		return;
	peer = flow_at(&wire->flows, flow->peer);
	if (!peer->closed)
		pair_list(wire, flow->peer);
	if (!flow->closed)
		pair_list(wire, index);
	peer->peer = flow->peer = FLOW_NONE;
	peer->peer_sure = flow->peer_sure = false;
}

static bool opposite(const struct flow *a, const struct flow *b)
{
	return a->key.tap == b->key.tap && a->key.family == b->key.family &&
	       memcmp(a->key.src, b->key.dst, sizeof(a->key.src)) == 0 &&
	       memcmp(a->key.dst, b->key.src, sizeof(a->key.dst)) == 0;
}

/* How badly the candidate's requests fit a packet that speaks of psn: 0 is best,
 * UINT64_MAX is not at all. */
static uint64_t misfit(const struct wire *wire, const struct flow *candidate,
	enum pair_hint hint, uint32_t psn)
{
	const struct psn_track *track = &candidate->requests_track;
	uint32_t back = psn_ahead(track->next - 1, psn);
	uint32_t slack = AHEAD_MOST;

	if (!track->started)
		return UINT64_MAX;
	if (hint == PAIR_RESPONSE) {
		if (!flow_counts(&wire->flows, candidate).read_requests)
			return UINT64_MAX;
		if (candidate->read_pending)
			slack = READ_PSNS_MOST;
	}
	if (hint == PAIR_NAK && psn_is_missing(track, &wire->holes, psn))
		return 0;
	/* The very first of a connection may be what was lost. */
	if (psn_ahead(psn, track->lowest) >= PSN_HALF) {
		back = psn_ahead(track->lowest, psn);
		return hint == PAIR_NAK && back <= slack ? PSN_HALF + (uint64_t)back
							 : UINT64_MAX;
	}
	if (back < PSN_HALF)
		return 1 + (uint64_t)back;
	back = psn_ahead(psn, track->next - 1);
	return back <= slack ? PSN_HALF + (uint64_t)back : UINT64_MAX;
}

/* The more often in vain, the more seldom. */
static bool worth_a_search(struct flow *flow)
{
	if (flow->ack_tries < UINT16_MAX)
		flow->ack_tries++;
	return flow->ack_tries <= 16 || (flow->ack_tries & (flow->ack_tries - 1)) == 0;
}

void pair_search(struct wire *wire, uint32_t index, enum pair_hint hint, uint32_t psn)
{
	struct flow *flow = flow_at(&wire->flows, index);
	uint64_t best = UINT64_MAX, fit, best_ns = 0;
	uint32_t found = FLOW_NONE, at, looked = 0;

	if (!worth_a_search(flow))
		return;
	at = *list_of(wire, flow->key.dst, flow->key.src, flow->key.tap);
	for (; at != FLOW_NONE && looked < LOOK_AT_MOST; looked++) {
		const struct flow *candidate = flow_at(&wire->flows, at);

		if (at != index && opposite(flow, candidate)) {
			fit = misfit(wire, candidate, hint, psn);
			/* Among equals the one that sent last. */
			if (fit < best || (fit == best && fit != UINT64_MAX &&
						  candidate->last_request_ns > best_ns)) {
				best = fit;
				best_ns = candidate->last_request_ns;
				found = at;
			}
		}
		at = candidate->older;
	}
	if (found != FLOW_NONE)
		pair_join(wire, index, found, false);
}

uint32_t pair_flow_to(const struct wire *wire, const struct cm_address *from,
	const struct cm_address *to, uint32_t qp, uint16_t tap)
{
	struct flow_key key = { .qp = qp, .tap = tap, .family = to->family };
	uint32_t index, main;

	memcpy(key.src, from->bytes, sizeof(key.src));
	memcpy(key.dst, to->bytes, sizeof(key.dst));
	index = flow_find(&wire->flows, &key, 0, &main);
	return index == FLOW_NONE ? main : flow_at(&wire->flows, index)->main;
}
