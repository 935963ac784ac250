/*
 * wire_flow - a RoCE packet put to the account of its flow and its connection.
 * Between wire.c and the trackers; nobody else's.
 */
#ifndef PFC_WIRE_FLOW_H
#define PFC_WIRE_FLOW_H

#include "pfc/icrc.h"
#include "pfc/wire.h"

/* A packet, decoded, on its way through the books. */
struct wire_packet {
	const struct frame *frame;
	const struct roce *roce;
	const struct capture_record *record;
	uint64_t number; /* of the record in its file */
	uint16_t file, tap;
	enum icrc icrc;
	struct flow *flow, *owner; /* its flow, and the main one of that, */
	uint32_t main;             /* which has this index */
	bool copy; /* the same bytes as the packet before in its flow, as far as told */
};

/* Counts a record that is not a usual packet; those are wire_usual.c's. */
void wire_other_record(
	struct wire *wire, const struct capture_record *record, uint16_t file, uint16_t tap);

/* Counts it; its BTH is there. */
void wire_flow_packet(struct wire *wire, struct wire_packet *packet);

/* Puts the flow of this key and port where a recent one stands; false if there is none. */
bool wire_recent_find(struct wire *wire, struct wire_recent *recent, const struct flow_key *key,
	uint16_t src_port);

/* What wire_seen() says of a packet whose BTH is there. */
enum wire_seen wire_flow_seen(const struct wire *wire, const struct wire_packet *packet);

/* Ends a main flow: judges its holes and adds it, with the flows of its ports, to
 * sums. */
void wire_flow_finish(struct wire *wire, uint32_t index, struct wire_sums *sums);

/* Requests, responses, ACKs and NAKs: wire_psn.c. */
void wire_request(struct wire *wire, struct wire_packet *packet);
void wire_response(struct wire *wire, struct wire_packet *packet);
void wire_acknowledge(struct wire *wire, struct wire_packet *packet);
uint16_t wire_mtu(const struct wire *wire, const struct flow *flow);
/* The event of a packet with what all kinds have. */
struct event wire_event(const struct wire_packet *packet, const struct flow *flow);

/* READ requests and what they reserve: wire_read.c. */
#define BYTES_UNKNOWN UINT32_MAX
/* PSNs of a READ request, by the path MTU if it is known. */
uint32_t wire_read_psns(const struct wire *wire, const struct flow *flow, uint32_t bytes);
/* Before a request of psn: settles how many the READ request before has reserved. */
void wire_read_settle(struct wire *wire, struct flow *main, uint32_t psn);
/* Why a READ request comes again that no NAK named. */
enum resend_cause wire_read_again(
	const struct wire *wire, const struct flow *main, uint32_t psn);
/* A READ request has arrived; cause: why it was sent, if it was repeated. */
void wire_read_note(struct wire *wire, struct flow *main, const struct roce *roce,
	enum psn_arrival arrival, enum resend_cause cause);
/* Opens holes before a response that is ahead of those captured. */
void wire_read_skip(struct wire *wire, struct psn_track *track,
	const struct psn_context *context, const struct flow *main, const struct roce *roce);
/* Whether the response psn was sent before and lost before the tap, and comes as it was
 * asked for again. Of each response, once; new_here: ahead of all captured. */
bool wire_read_is_second(
	struct wire *wire, const struct flow *asker, uint32_t psn, bool new_here);

/* Finding the other direction: pair.c. */
enum pair_hint {
	PAIR_ACK,      /* psn is acknowledged */
	PAIR_NAK,      /* psn is asked for */
	PAIR_RESPONSE, /* psn answers a READ request */
};
void pair_list(struct wire *wire, uint32_t index);   /* a new main flow */
void pair_unlist(struct wire *wire, uint32_t index); /* no longer looks, or goes */
/* index carried this; joins it with the flow that it answers, if one stands out. */
void pair_search(struct wire *wire, uint32_t index, enum pair_hint hint, uint32_t psn);
/* By what the connection managers have said. */
void pair_join(struct wire *wire, uint32_t a, uint32_t b, bool sure);
void pair_part(struct wire *wire, uint32_t index);
/* Looks for the flow of tap to (address, family, qp). */
uint32_t pair_flow_to(const struct wire *wire, const struct cm_address *from,
	const struct cm_address *to, uint32_t qp, uint16_t tap);

/* Series, latency, message sizes: wire_detail.h, wire_detail.c. */
/* An ACK of the timed request, or of one behind it, came in the other direction. */
void wire_detail_ack(struct wire *wire, struct flow *flow, uint32_t psn, uint64_t now_ns);
/* A CNP for this flow came in the other direction. */
void wire_detail_cnp(struct wire *wire, struct flow *flow, uint64_t now_ns);

#endif
