/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/wire/script_steps.h"

#include "lib/grow.h"

#include <stdlib.h>
#include <string.h>

#define START_NS UINT64_C(1700000000000000000)

struct made_packet *script_add(struct script *script, unsigned from, unsigned opcode)
{
	struct made_packet *packet;

	script->packets =
		grow(script->packets, script->count, &script->room, sizeof(*script->packets));
	packet = &script->packets[script->count++];
	script->now_ns += 1000 * (1 + rng_below(&script->rng, 4));
	*packet = (struct made_packet){
		.time_ns = script->now_ns,
		.from = (uint8_t)from,
		.opcode = (uint8_t)opcode,
		.traffic_class = 26 << 2 | 2,
		.src_port = (uint16_t)(from ? 49164 : 49166),
		.qp = from ? QP_BACK : QP_FORTH,
		.psn = script->psn,
		.msn = script->msn,
	};
	return packet;
}

void script_answer(struct script *script, uint32_t psn, unsigned syndrome)
{
	struct made_packet *packet = script_add(script, 1, 0x11);

	packet->psn = psn & PSN_MASK;
	packet->syndrome = (uint8_t)syndrome;
}

uint32_t script_ahead(const struct script *script, uint32_t by)
{
	return (script->psn + by) & PSN_MASK;
}

void script_send_at(struct script *script, uint32_t psn)
{
	struct made_packet *packet = script_add(script, 0, 0x04);

	packet->psn = psn & PSN_MASK;
	packet->payload_bytes = 32;
	packet->ack_request = true;
}

void script_send_some(struct script *script, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		script_send_at(script, script->psn);
		script->psn = script_ahead(script, 1);
	}
}

void script_acknowledge(struct script *script)
{
	script->msn++;
	script_answer(script, script->psn - 1, 0x1f);
}

/* A message of several packets, SEND or WRITE, acknowledged. */
static void message(struct script *script, bool write, uint32_t packets)
{
	unsigned base = write ? 6 : 0;

	for (uint32_t i = 0; i < packets; i++) {
		bool first = i == 0, last = i == packets - 1;
		struct made_packet *packet = script_add(script, 0,
			base + (first && last  ? 4u
				       : first ? 0u
				       : last  ? 2u
					       : 1u));

		packet->payload_bytes =
			last ? (uint32_t)rng_below(&script->rng, script->mtu) : script->mtu;
		packet->dma_bytes = packets * script->mtu;
		packet->ack_request = last;
		script->psn = script_ahead(script, 1);
	}
	script_acknowledge(script);
}

void script_messages(struct script *script, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		message(script, rng_below(&script->rng, 2),
			1 + (uint32_t)rng_below(&script->rng, 5));
}

uint32_t script_some(struct script *script, uint32_t most)
{
	return 1 + (uint32_t)rng_below(&script->rng, most);
}

static void clean(struct script *script)
{
	script_messages(script, 8);
}

static void tap_loses(struct script *script)
{
	uint32_t gaps = script_some(script, 3);

	script_messages(script, 2);
	for (uint32_t i = 0; i < gaps; i++) {
		uint32_t lost = script_some(script, 5);

		script_send_some(script, script_some(script, 3));
		script->psn = script_ahead(script, lost);
		script_send_some(script, script_some(script, 3));
		script_acknowledge(script);
		script->requests.gap_psns += lost;
	}
	script->requests.gap_events = gaps;
	script->requests.missing = script->requests.gap_psns;
	script->requests.gap_cause = "capture";
}

/* lost packets never reach the tap, behind come before the sender goes back. */
static void go_back(struct script *script, uint32_t lost, uint32_t behind, bool nak_seen)
{
	uint32_t from = script->psn;

	script->psn = script_ahead(script, lost);
	script_send_some(script, 1);
	if (nak_seen)
		script_answer(script, from, 0x60);
	script_send_some(script, behind - 1);
	for (uint32_t i = 0; i < lost + behind; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script->requests.gap_events++;
	script->requests.gap_psns += lost;
	script->requests.repeated += behind;
	script->requests.resent += lost + behind;
	script->requests.gap_cause = "network";
	script->naks += nak_seen;
}

static void lost_before(struct script *script)
{
	script_messages(script, 3);
	go_back(script, script_some(script, 4), script_some(script, 5), true);
	script_messages(script, 2);
	go_back(script, script_some(script, 4), script_some(script, 5), true);
	script_messages(script, 1);
	script->requests.resend_cause = "nak";
	script->status = 1;
}

/* The same where the tap saw no NAK: what repeats tells. */
static void lost_unseen_nak(struct script *script)
{
	script_messages(script, 3);
	go_back(script, script_some(script, 4), script_some(script, 5), false);
	script_messages(script, 2);
	script->requests.resend_cause = "timeout";
	script->status = 1;
}

static void lost_behind(struct script *script)
{
	uint32_t from, flight = 1 + script_some(script, 6);

	script_messages(script, 2);
	from = script->psn;
	script_send_some(script, flight);
	script_answer(script, from, 0x60);
	for (uint32_t i = 0; i < flight; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script->requests.repeated = script->requests.resent = flight;
	script->requests.resend_cause = "nak";
	script->naks = script->lost_behind = 1;
	script->status = 1;
}

static void timeout(struct script *script)
{
	uint32_t from, tail = script_some(script, 3);

	script_messages(script, 2);
	from = script->psn;
	script_send_some(script, tail);
	script->now_ns += TIMEOUT_NS;
	for (uint32_t i = 0; i < tail; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.repeated = script->requests.resent = tail;
	script->requests.resend_cause = "timeout";
	script->status = 1;
}

/* One packet lost before the tap, selective repeat by timer. */
static void timeout_of_one(struct script *script)
{
	uint32_t from;

	script_messages(script, 2);
	from = script->psn;
	script->psn = script_ahead(script, 1);
	script_send_some(script, script_some(script, 4));
	script->now_ns += TIMEOUT_NS;
	script_send_at(script, from);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.gap_events = script->requests.gap_psns = script->requests.resent = 1;
	script->requests.gap_cause = "network";
	script->requests.resend_cause = "timeout";
	script->status = 1;
}

static void not_ready(struct script *script)
{
	uint32_t from, flight = script_some(script, 4);

	script_messages(script, 2);
	from = script->psn;
	script_send_some(script, flight);
	script_answer(script, from, 0x20 | 12);
	script->now_ns += 640000;
	for (uint32_t i = 0; i < flight; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script->requests.repeated = script->requests.resent = flight;
	script->requests.resend_cause = "rnr_nak";
	script->rnr_naks = 1;
}

/* One packet overtaken by some. */
static void late(struct script *script)
{
	uint32_t from;

	script_messages(script, 2);
	from = script->psn;
	script->psn = script_ahead(script, 1);
	script_send_some(script, script_some(script, 5));
	script_send_at(script, from);
	script_send_some(script, script_some(script, 3));
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.out_of_order = 1;
}

/* The same, and the receiver takes nothing out of order: NAK with nothing missing. */
static void late_and_named(struct script *script)
{
	uint32_t from, over = script_some(script, 4);
	bool nak_first = rng_below(&script->rng, 2);

	script_messages(script, 2);
	from = script->psn;
	script->psn = script_ahead(script, 1);
	script_send_some(script, over);
	if (nak_first)
		script_answer(script, from, 0x60);
	script_send_at(script, from);
	if (!nak_first)
		script_answer(script, from, 0x60);
	if (rng_below(&script->rng, 2))
		script_acknowledge(script);
	for (uint32_t i = 0; i <= over; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.out_of_order = 1;
	script->requests.repeated = script->requests.resent = over + 1;
	script->requests.resend_cause = "nak";
	script->naks = 1;
}

/* Two are overtaken by one each; who takes nothing out of order refuses the overtaker. */
static void refused(struct script *script)
{
	uint32_t from, behind = script_some(script, 3);

	script_messages(script, 2);
	from = script->psn;
	for (unsigned i = 0; i < 2; i++) {
		script_send_at(script, from + 2 * i + 1);
		script_send_at(script, from + 2 * i);
	}
	script->psn = script_ahead(script, 4);
	script_send_some(script, behind);
	script_answer(script, from, 0x60);
	script_answer(script, from + 1, 0x60);
	for (uint32_t i = 1; i < 4 + behind; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.out_of_order = 2;
	script->requests.repeated = script->requests.resent = 3 + behind;
	script->requests.resend_cause = "nak";
	script->naks = 2;
}

/* While the sender goes back to one that was overtaken, another one is overtaken. */
static void late_before_answer(struct script *script)
{
	uint32_t from, between = 1 + script_some(script, 3), behind = script_some(script, 4);

	script_messages(script, 2);
	from = script->psn;
	script_send_at(script, from + 1);
	script_send_at(script, from);
	script_answer(script, from, 0x60);
	script->psn = script_ahead(script, 2);
	script_send_some(script, between);
	script_send_at(script, script->psn + 1);
	script_send_at(script, script->psn);
	script->psn = script_ahead(script, 2);
	script_send_some(script, behind);
	for (uint32_t i = 0; i < 4 + between + behind; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.out_of_order = 2;
	script->requests.repeated = script->requests.resent = 4 + between + behind;
	script->requests.resend_cause = "nak";
	script->naks = 1;
}

/* One is lost before the tap and sent again, lost behind it, and comes by timeout. */
static void lost_then_timeout(struct script *script)
{
	uint32_t from, behind = 1 + script_some(script, 4);

	script_messages(script, 2);
	from = script->psn;
	script->psn = script_ahead(script, 1);
	script_send_some(script, behind);
	script_answer(script, from, 0x60);
	script_send_at(script, from);
	script->now_ns += TIMEOUT_NS;
	for (uint32_t i = 0; i <= behind; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.gap_events = script->requests.gap_psns = 1;
	script->requests.repeated = 1 + behind;
	script->requests.resent = 2 + behind;
	script->requests.gap_cause = "network";
	script->requests.resend_cause = "timeout";
	script->naks = 1;
	script->status = 1;
}

/* One is lost before the tap, and of what is sent again another one. */
static void lost_again(struct script *script)
{
	uint32_t from, behind = 2 + script_some(script, 4),
		       again = script_some(script, behind - 1);

	script_messages(script, 2);
	from = script->psn;
	script->psn = script_ahead(script, 1);
	script_send_some(script, behind);
	script_answer(script, from, 0x60);
	for (uint32_t i = 0; i <= behind; i++)
		if (i != again)
			script_send_at(script, from + i);
	script_answer(script, from + again, 0x60);
	for (uint32_t i = again; i <= behind; i++)
		script_send_at(script, from + i);
	script_acknowledge(script);
	script_messages(script, 1);
	script->requests.gap_events = script->requests.gap_psns = 1;
	script->requests.repeated = behind - 1 + behind + 1 - again;
	script->requests.resent = script->requests.repeated + 1;
	script->requests.gap_cause = "network";
	script->requests.resend_cause = "nak";
	script->naks = 2;
	script->status = 1;
}

static void congested(struct script *script)
{
	size_t from;

	script_messages(script, 1);
	from = script->count;
	script_send_some(script, 10);
	for (size_t i = from; i < script->count; i++)
		script->packets[i].traffic_class |= 3;
	for (unsigned i = 0; i < 2; i++) {
		struct made_packet *packet = script_add(script, 1, 0x81);

		packet->psn = 0;
		packet->traffic_class = 48 << 2;
		packet->src_port = i ? 0 : packet->src_port;
	}
	script_acknowledge(script);
	script->ce = 10;
	script->cnps = 2;
}

static void atomics(struct script *script)
{
	for (uint32_t i = 0; i < 6; i++) {
		struct made_packet *packet = script_add(script, 0, 0x13 + (i & 1));

		packet = script_add(script, 1, 0x12);
		packet->syndrome = 0x1f;
		script->psn = script_ahead(script, 1);
		script_send_some(script, 1);
		script_acknowledge(script);
	}
}

static void corrupt(struct script *script)
{
	script_messages(script, 4);
	script->packets[rng_below(&script->rng, script->count)].bad_icrc = true;
	script->status = 1;
}

static void one_way(struct script *script)
{
	script_send_some(script, 12);
	script->status = 2;
}

const struct script_kind script_kinds[] = {
	{ "nothing is wrong", clean },
	{ "the tap loses packets", tap_loses },
	{ "packets are lost before the tap", lost_before },
	{ "packets are lost and the NAK is not seen", lost_unseen_nak },
	{ "a packet is lost behind the tap", lost_behind },
	{ "the tail comes again after a timeout", timeout },
	{ "one packet comes again after a timeout", timeout_of_one },
	{ "the receiver is not ready", not_ready },
	{ "a packet is overtaken", late },
	{ "a packet is overtaken and asked for", late_and_named },
	{ "READs one after the other", script_reads },
	{ "READs at once", script_reads_in_flight },
	{ "a READ response is lost", script_response_lost },
	{ "the last READ responses are lost", script_last_responses_lost },
	{ "a READ response is not captured", script_response_uncaptured },
	{ "packets are marked and CNPs sent", congested },
	{ "atomics", atomics },
	{ "a packet is corrupt", corrupt },
	{ "one direction only", one_way },
	{ "packets are overtaken and the overtaker is refused", refused },
	{ "a packet is lost again when it is sent again", lost_again },
	{ "a packet is overtaken before a NAK is answered", late_before_answer },
	{ "a packet sent again comes once more after a timeout", lost_then_timeout },
	{ "a READ response is lost behind the tap", script_response_lost_behind },
};
const size_t script_kind_count = sizeof(script_kinds) / sizeof(script_kinds[0]);

void script_write(struct script *script, const struct script_kind *kind, uint64_t seed)
{
	static const uint32_t mtus[] = { 256, 512, 1024, 2048, 4096 };

	*script = (struct script){ .now_ns = START_NS };
	rng_init(&script->rng, seed);
	script->mtu = mtus[rng_below(&script->rng, 5)];
	script->psn = (uint32_t)rng_u64(&script->rng) & PSN_MASK;
	if (rng_below(&script->rng, 2))
		script->psn = PSN_MASK - (uint32_t)rng_below(&script->rng, 24);
	kind->write(script);
}

void script_free(struct script *script)
{
	free(script->packets);
	script->packets = NULL;
}
