/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept for the first some thousand connections beside the counters:
 * goodput over time, message sizes, ACK latency, the rate round CNPs.
 */
#include "pfc/wire_flow.h"

#include <string.h>

#include "lib/capture.h"

/* The first width of the series; 64 of these are 6.4 ms, and it doubles. */
#define SERIES_WIDTH_NS UINT64_C(100000)

static unsigned log2_of(uint64_t value)
{
	unsigned log2 = value ? 63u - (unsigned)__builtin_clzll(value) : 0;

	return log2 < FLOW_LOG2 ? log2 : FLOW_LOG2 - 1;
}

static void halve_series(struct flow_detail *detail)
{
	for (unsigned i = 0; i < FLOW_SERIES / 2; i++) {
		detail->series_bytes[i] =
			detail->series_bytes[2 * i] + detail->series_bytes[2 * i + 1];
		detail->series_ce[i] = detail->series_ce[2 * i] + detail->series_ce[2 * i + 1];
		detail->series_cnps[i] =
			detail->series_cnps[2 * i] + detail->series_cnps[2 * i + 1];
	}
	memset(detail->series_bytes + FLOW_SERIES / 2, 0, sizeof(detail->series_bytes) / 2);
	memset(detail->series_ce + FLOW_SERIES / 2, 0, sizeof(detail->series_ce) / 2);
	memset(detail->series_cnps + FLOW_SERIES / 2, 0, sizeof(detail->series_cnps) / 2);
	detail->series_width_ns *= 2;
	detail->series_shift++;
}

static unsigned other_place(
	struct flow_detail *detail, const struct flow *main, uint64_t now_ns)
{
	uint64_t since = now_ns > main->first_ns ? now_ns - main->first_ns : 0;

	if (!detail->series_width_ns)
		detail->series_width_ns = SERIES_WIDTH_NS;
	while (since / FLOW_SERIES >= detail->series_width_ns) /* the product may not fit */
		halve_series(detail);
	/* As since / series_width_ns, without a division by what is no constant. */
	detail->series_at = (unsigned)(since / SERIES_WIDTH_NS >> detail->series_shift);
	detail->series_at_ns = main->first_ns + detail->series_at * detail->series_width_ns;
	return detail->series_at;
}

/* The place of a time in the series of a flow: most often that of the time before. */
static unsigned place(struct flow_detail *detail, const struct flow *main, uint64_t now_ns)
{
	return now_ns - detail->series_at_ns < detail->series_width_ns
		       ? detail->series_at
		       : other_place(detail, main, now_ns);
}

/* Two windows side by side are compared round each CNP. */
static void roll_rate(struct flow_detail *detail, uint64_t now_ns)
{
	uint64_t passed = now_ns - detail->rate_start_ns;

	if (now_ns < detail->rate_start_ns || passed < FLOW_RATE_NS)
		return;
	if (detail->cnp_state == 2) {
		detail->cnp_bytes_after += passed < 2 * FLOW_RATE_NS ? detail->rate_bytes : 0;
		detail->cnp_windows++;
		detail->cnp_state = 0;
	} else if (detail->cnp_state == 1) {
		detail->cnp_state = 2;
	}
	detail->rate_before = passed < 2 * FLOW_RATE_NS ? detail->rate_bytes : 0;
	detail->rate_bytes = 0;
	detail->rate_start_ns = now_ns - passed % FLOW_RATE_NS;
}

static void message(struct flow_detail *detail, const struct roce *roce)
{
	uint64_t bytes = roce->what & OP_READ ? roce->dma_bytes : roce->payload_bytes;

	if (!(roce->what & OP_REQUEST))
		return;
	if (roce->what & (OP_FIRST | OP_ONLY))
		detail->message_so_far = 0;
	detail->message_so_far += bytes;
	if (!(roce->what & (OP_LAST | OP_ONLY)))
		return;
	detail->messages++;
	detail->message_bytes += detail->message_so_far;
	detail->message_log2[log2_of(detail->message_so_far)]++;
	if (detail->message_so_far > detail->message_bytes_max)
		detail->message_bytes_max = detail->message_so_far;
	detail->message_so_far = 0;
}

void wire_detail(struct wire *wire, const struct wire_packet *packet)
{
	const struct flow *main = packet->owner;
	struct flow_detail *detail = flow_detail(&wire->flows, packet->owner);
	const struct roce *roce = packet->roce;
	uint64_t now_ns = packet->record->time_ns;
	unsigned at;

	if (!detail)
		return;
	detail->opcodes[roce->opcode & 31]++;
	message(detail, roce);
	if (!packet->record->has_time)
		return;
	at = place(detail, main, now_ns);
	detail->series_bytes[at] += roce->payload_bytes;
	detail->series_ce[at] += (packet->frame->traffic_class & 3) == 3 &&
				 (roce->what & (OP_REQUEST | OP_READ_RESPONSE));
	if (roce->payload_bytes) {
		roll_rate(detail, now_ns);
		detail->rate_bytes += roce->payload_bytes;
	}
	/* Timed is a request that nothing came behind of yet and that is new. */
	if (!detail->timed_ns && (roce->what & OP_REQUEST) && (roce->what & OP_RELIABLE) &&
		roce->ack_request &&
		psn_ahead(main->requests_track.next - 1, roce->psn) < PSN_HALF) {
		detail->timed_ns = now_ns;
		detail->timed_psn = roce->psn;
	}
}

void wire_detail_ack(struct wire *wire, struct flow *flow, uint32_t psn, uint64_t now_ns)
{
	struct flow_detail *detail = flow_detail(&wire->flows, flow);
	uint64_t took;

	if (!detail || !detail->timed_ns || psn_ahead(psn, detail->timed_psn) >= PSN_HALF)
		return;
	took = now_ns > detail->timed_ns ? now_ns - detail->timed_ns : 0;
	detail->ack_times++;
	detail->ack_ns_sum += took;
	detail->ack_ns_log2[log2_of(took)]++;
	if (took > detail->ack_ns_max)
		detail->ack_ns_max = took;
	if (took < detail->ack_ns_min)
		detail->ack_ns_min = took;
	detail->timed_ns = 0;
}

void wire_detail_cnp(struct wire *wire, struct flow *flow, uint64_t now_ns)
{
	struct flow_detail *detail = flow_detail(&wire->flows, flow);

	if (!detail)
		return;
	detail->series_cnps[place(detail, flow, now_ns)]++;
	roll_rate(detail, now_ns);
	if (detail->cnp_state == 0) {
		detail->cnp_state = 1;
		detail->cnp_bytes_before += detail->rate_before;
	}
}
