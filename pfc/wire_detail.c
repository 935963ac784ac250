/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_detail.h"

#include <string.h>

#include "lib/capture.h"

/* The first width of the series; 64 of these are 6.4 ms, and it doubles. */
#define SERIES_WIDTH_NS UINT64_C(100000)

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

unsigned wire_detail_move(struct flow_detail *detail, const struct flow *main, uint64_t now_ns)
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

/* Two windows side by side are compared round each CNP. */
void wire_detail_roll(struct flow_detail *detail, uint64_t now_ns)
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

void wire_detail_ack(struct wire *wire, struct flow *flow, uint32_t psn, uint64_t now_ns)
{
	struct flow_detail *detail = flow_detail(&wire->flows, flow);
	uint64_t took;

	if (!detail || !detail->timed_ns || psn_ahead(psn, detail->timed_psn) >= PSN_HALF)
		return;
	took = now_ns > detail->timed_ns ? now_ns - detail->timed_ns : 0;
	detail->ack_times++;
	detail->ack_ns_sum += took;
	detail->ack_ns_log2[detail_log2(took)]++;
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
	detail->series_cnps[detail_place(detail, flow, now_ns)]++;
	wire_detail_roll(detail, now_ns);
	if (detail->cnp_state == 0) {
		detail->cnp_state = 1;
		detail->cnp_bytes_before += detail->rate_before;
	}
}
