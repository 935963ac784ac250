/*
 * wire_detail - what is kept for the first some thousand connections beside the
 * counters: goodput over time, message sizes, ACK latency, the rate round CNPs. Of
 * wire_flow.h; here is what is done a packet, as both its ways do it.
 */
#ifndef PFC_WIRE_DETAIL_H
#define PFC_WIRE_DETAIL_H

#include "lib/capture.h"
#include "pfc/wire_flow.h"

/* The place of a time in the series of a flow, which moves to it; most often it is that
 * of the time before. */
unsigned wire_detail_move(struct flow_detail *detail, const struct flow *main, uint64_t now_ns);

/* Ends the window of rates that now_ns does not lie in any more, if so. */
void wire_detail_roll(struct flow_detail *detail, uint64_t now_ns);

static inline unsigned detail_place(
	struct flow_detail *detail, const struct flow *main, uint64_t now_ns)
{
	return now_ns - detail->series_at_ns < detail->series_width_ns
		       ? detail->series_at
		       : wire_detail_move(detail, main, now_ns);
}

static inline unsigned detail_log2(uint64_t value)
{
	unsigned log2 = value ? 63u - (unsigned)__builtin_clzll(value) : 0;

	return log2 < FLOW_LOG2 ? log2 : FLOW_LOG2 - 1;
}

static inline __attribute__((always_inline)) void detail_message(
	struct flow_detail *detail, const struct roce *roce)
{
	uint64_t bytes = roce->what & OP_READ ? roce->dma_bytes : roce->payload_bytes;

	if (!(roce->what & OP_REQUEST))
		return;
	if (!(roce->what & (OP_FIRST | OP_ONLY)))
		bytes += detail->message_so_far;
	if (!(roce->what & (OP_LAST | OP_ONLY))) {
		detail->message_so_far = bytes;
		return;
	}
	detail->messages++;
	detail->message_bytes += bytes;
	detail->message_log2[detail_log2(bytes)]++;
	if (bytes > detail->message_bytes_max)
		detail->message_bytes_max = bytes;
	detail->message_so_far = 0;
}

/* Counts a packet of a main flow; its PSN has gone to the tracker. */
static inline __attribute__((always_inline)) void wire_detail(
	struct wire *wire, const struct wire_packet *packet)
{
	struct flow *main = packet->owner;
	struct flow_detail *detail = flow_detail(&wire->flows, main);
	const struct roce *roce = packet->roce;
	uint64_t now_ns = packet->record->time_ns;
	unsigned at;

	if (!detail)
		return;
	detail->opcodes[roce->opcode & 31]++;
	detail_message(detail, roce);
	if (!packet->record->has_time)
		return;
	at = detail_place(detail, main, now_ns);
	detail->series_bytes[at] += roce->payload_bytes;
	if ((packet->frame->traffic_class & 3) == 3 &&
		(roce->what & (OP_REQUEST | OP_READ_RESPONSE)))
		detail->series_ce[at]++;
	if (roce->payload_bytes) {
		if (now_ns - detail->rate_start_ns >= FLOW_RATE_NS)
			wire_detail_roll(detail, now_ns);
		detail->rate_bytes += roce->payload_bytes;
	}
	/* Timed is a request that nothing came behind of yet and that is new. */
	if (roce->ack_request && !detail->timed_ns && (roce->what & OP_REQUEST) &&
		(roce->what & OP_RELIABLE) &&
		psn_ahead(main->requests_track.next - 1, roce->psn) < PSN_HALF) {
		detail->timed_ns = now_ns;
		detail->timed_psn = roce->psn;
	}
}

#endif
