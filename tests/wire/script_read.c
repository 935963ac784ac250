/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/wire/script_steps.h"

static void read_request(struct script *script, uint32_t psn, uint32_t bytes)
{
	struct made_packet *packet = script_add(script, 0, 0x0c);

	packet->psn = psn & PSN_MASK;
	packet->dma_bytes = bytes;
	packet->ack_request = true;
}

/* Responses from..to of a READ of count packets. */
static void respond(
	struct script *script, uint32_t psn, uint32_t from, uint32_t to, uint32_t count)
{
	for (uint32_t i = from; i < to; i++) {
		bool first = i == 0, last = i == count - 1;
		struct made_packet *packet = script_add(script, 1,
			first && last ? 0x10u
			: first       ? 0x0du
			: last        ? 0x0fu
				      : 0x0eu);

		packet->psn = (psn + i) & PSN_MASK;
		packet->syndrome = 0x1f;
		packet->payload_bytes = last ? 8 : script->mtu;
	}
}

static void read_whole(struct script *script, uint32_t packets)
{
	read_request(script, script->psn, (packets - 1) * script->mtu + 8);
	respond(script, script->psn, 0, packets, packets);
	script->psn = script_ahead(script, packets);
}

void script_reads(struct script *script)
{
	for (uint32_t i = 0; i < 6; i++) {
		read_whole(script, script_some(script, 6));
		if (rng_below(&script->rng, 2))
			script_messages(script, 1);
	}
}

/* Several READs outstanding, their responses later. */
void script_reads_in_flight(struct script *script)
{
	uint32_t packets[4], psn;

	read_whole(script, 3);
	psn = script->psn;
	for (unsigned i = 0; i < 4; i++) {
		packets[i] = script_some(script, 5);
		read_request(script, script->psn, (packets[i] - 1) * script->mtu + 8);
		script->psn = script_ahead(script, packets[i]);
	}
	script_send_some(script, 1);
	for (unsigned i = 0; i < 4; i++) {
		respond(script, psn, 0, packets[i], packets[i]);
		psn += packets[i];
	}
	script_acknowledge(script);
	read_whole(script, 2);
}

/* One READ request more, for responses that did not come. */
static void asked_again(struct script *script)
{
	script->requests.repeated = script->requests.resent = 1;
	script->requests.resend_cause = script->responses.resend_cause = "response_lost";
	script->status = 1;
}

/* A response lost before the tap: the requester asks again from there. */
void script_response_lost(struct script *script)
{
	uint32_t packets = 3 + script_some(script, 5);
	uint32_t lost = (uint32_t)rng_below(&script->rng, packets - 1);

	read_whole(script, 2 + script_some(script, 2));
	read_request(script, script->psn, (packets - 1) * script->mtu + 8);
	respond(script, script->psn, 0, lost, packets);
	respond(script, script->psn, lost + 1, packets, packets);
	read_request(script, script->psn + lost, (packets - lost - 1) * script->mtu + 8);
	respond(script, script->psn + lost, 0, packets - lost, packets - lost);
	script->psn = script_ahead(script, packets);
	script_messages(script, 1);
	script->responses = (struct stream_truth){
		.gap_events = 1,
		.gap_psns = 1,
		.repeated = packets - lost - 1,
		.resent = packets - lost,
		.gap_cause = "network",
	};
	asked_again(script);
}

/* The responses at the end are lost before the tap: asked for again after a while. */
void script_last_responses_lost(struct script *script)
{
	uint32_t packets = 2 + script_some(script, 5);
	uint32_t lost = script_some(script, packets - 1), from = packets - lost;

	read_whole(script, 2 + script_some(script, 2));
	read_request(script, script->psn, (packets - 1) * script->mtu + 8);
	respond(script, script->psn, 0, from, packets);
	script->now_ns += TIMEOUT_NS;
	read_request(script, script->psn + from, (lost - 1) * script->mtu + 8);
	respond(script, script->psn + from, 0, lost, lost);
	script->psn = script_ahead(script, packets);
	script_messages(script, 1);
	read_whole(script, script_some(script, 3));
	script->responses.resent = lost;
	asked_again(script);
}

/* A response is lost behind the tap, and asked for again while the others still come. */
void script_response_lost_behind(struct script *script)
{
	uint32_t packets = 8 + script_some(script, 5), lost = 1 + script_some(script, 3);
	uint32_t seen = lost + script_some(script, 3);

	read_whole(script, 2 + script_some(script, 2));
	read_request(script, script->psn, (packets - 1) * script->mtu + 8);
	respond(script, script->psn, 0, seen, packets);
	read_request(script, script->psn + lost, (packets - lost - 1) * script->mtu + 8);
	respond(script, script->psn, seen, packets, packets);
	respond(script, script->psn + lost, 0, packets - lost, packets - lost);
	script->psn = script_ahead(script, packets);
	script_messages(script, 1);
	script->responses = (struct stream_truth){
		.repeated = packets - lost,
		.resent = packets - lost,
	};
	asked_again(script);
}

/* A response that the tap alone missed: the requester goes on. */
void script_response_uncaptured(struct script *script)
{
	uint32_t packets = 3 + script_some(script, 5);

	read_whole(script, 3);
	read_request(script, script->psn, (packets - 1) * script->mtu + 8);
	respond(script, script->psn, 0, 1, packets);
	respond(script, script->psn, 2, packets, packets);
	script->psn = script_ahead(script, packets);
	for (unsigned i = 0; i < 3; i++)
		read_whole(script, script_some(script, 3));
	script->responses = (struct stream_truth){
		.gap_events = 1,
		.gap_psns = 1,
		.missing = 1,
		.gap_cause = "capture",
	};
}
