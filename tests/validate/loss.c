/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/validate.h"

#include <math.h>

#include "lib/units.h"

/* What a loss costs that a NAK repairs, in ns: the packet that shows the gap, its way
 * there, the NAK's way back, and on the mean half of the packet being sent then. */
static double repair_ns(const struct fabric *fabric, double packet_ns)
{
	return packet_ns + leaf_latency_ns(fabric) + packet_ns + leaf_latency_ns(fabric) -
	       packet_ns + 86 * 2 * 0.08 + packet_ns / 2;
}

struct point {
	double loss;
	uint32_t timeout, packets;
	bool lasts;
};

/* Losses are chance: three standard deviations of what they cost are allowed where
 * that is more than two per cent. */
static void row(struct report *report, const struct point *point)
{
	struct trial trial;
	double p = point->loss, packet_ns, rto_ns, repair, spread, expected;

	trial_open(&trial,
		"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\npolicy: {timeout: %u}\n"
		"faults:\n- {kind: loss, place: \"leaf1:2\", amount: %.9f}\n",
		point->timeout, p);
	packet_ns = (trial.fabric.mtu_bytes + 82) * 0.08;
	rto_ns = 4096 * exp2(point->timeout);
	repair = repair_ns(&trial.fabric, packet_ns);
	expected = (1 - p) / (1 + p * repair / packet_ns + p * p * rto_ns / packet_ns);
	spread = 3 * (sqrt(p / point->packets) * repair + p / sqrt(point->packets) * rto_ns) /
		 packet_ns * expected;
	trial_flow(&trial, 0, 1, point->packets * UINT64_C(4096));
	trial_run(&trial, 7);
	report_row(report, expected,
		point->packets * packet_ns /
			(trial_end_ns(&trial) - leaf_latency_ns(&trial.fabric)),
		spread > CLOSED_FORM ? spread : CLOSED_FORM, "p = %g, t = %u, %u packets", p,
		point->timeout, point->packets);
	trial_close(&trial);
}

void validate_loss(struct report *report)
{
	static const struct point points[] = {
		{ 1e-5, 8, 200000, false },
		{ 1e-4, 8, 200000, false },
		{ 1e-3, 8, 200000, false },
		{ 3e-3, 8, 200000, false },
		{ 1e-4, 14, 4000000, true },
		{ 1e-3, 14, 4000000, true },
		{ 1e-2, 6, 2000000, true },
		{ 1e-2, 8, 4000000, true },
		{ 1e-2, 10, 4000000, true },
		{ 2e-2, 10, 2000000, true },
	};

	report_section(report, "Go-back-N against random loss",
		"Share of the ceiling that one queue pair reaches: (1 - p) / (1 + p T / t + "
		"p^2 RTO / "
		"t). T is what a loss costs that a NAK repairs, here the round trip of a leaf "
		"and "
		"one and a half packets; t the time of a packet; RTO = 4.096 us x 2^t, for the "
		"packet sent again is lost with p too, and there is one NAK a gap (InfiniBand "
		"9.7.5.1): the regime of time-outs, from p about sqrt(t / RTO) on.");
	for (size_t i = 0; i < COUNT_OF(points); i++)
		if (!points[i].lasts || !report->quick)
			row(report, &points[i]);
}
