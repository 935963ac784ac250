/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/figure.h"

#include <math.h>

#include "lib/units.h"

/* What a loss costs that a NAK repairs, in ns: the packet that shows the gap, its way
 * there, the NAK's way back, and on the mean half of the packet being sent then. */
static double repair_ns(const struct fabric *fabric, double packet_ns)
{
	return packet_ns + leaf_latency_ns(fabric) + packet_ns + leaf_latency_ns(fabric) -
	       packet_ns + 86 * 2 * 0.08 + packet_ns / 2;
}

#define PACKET_NS ((4096 + 82) * 0.08)

static double repair_at_100g; /* of row(); a curve has no other way to it */

static double goodput(double p, double timeout)
{
	return (1 - p) /
	       (1 + p * repair_at_100g / PACKET_NS + p * p * 4096 * exp2(timeout) / PACKET_NS);
}

/* A colour each in the figure. */
static const uint32_t timeouts[] = { 6, 8, 10, 14 };

static unsigned colour_of(uint32_t timeout)
{
	unsigned colour = 0;

	while (timeouts[colour] != timeout)
		colour++;
	return colour;
}

struct point {
	double loss;
	uint32_t timeout, packets;
	bool lasts;
};

/* Losses are chance: three standard deviations of what they cost are allowed where
 * that is more than two per cent. */
static void row(struct report *report, struct figure *figure, const struct point *point)
{
	struct trial trial;
	double p = point->loss, packet_ns = PACKET_NS, rto_ns, repair, spread, expected,
	       reached;

	trial_open(&trial,
		"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\npolicy: {timeout: %u}\n"
		"faults:\n- {kind: loss, place: \"leaf1:2\", amount: %.9f}\n",
		point->timeout, p);
	rto_ns = 4096 * exp2(point->timeout);
	repair = repair_at_100g = repair_ns(&trial.fabric, packet_ns);
	expected = goodput(p, point->timeout);
	spread = 3 * (sqrt(p / point->packets) * repair + p / sqrt(point->packets) * rto_ns) /
		 packet_ns * expected;
	trial_flow(&trial, 0, 1, point->packets * UINT64_C(4096));
	trial_run(&trial, 7);
	reached = point->packets * packet_ns /
		  (trial_end_ns(&trial) - leaf_latency_ns(&trial.fabric));
	figure->colour = colour_of(point->timeout);
	figure_dot(figure, p, reached);
	report_row(report, expected, reached, spread > CLOSED_FORM ? spread : CLOSED_FORM,
		"p = %g, t = %u, %u packets", p, point->timeout, point->packets);
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

	struct figure figure = { .name = "loss",
		.title = "Go-back-N: share of the ceiling, by loss, for ACK timeouts 4.096 us "
			 "x 2^t",
		.x_label = "packets lost",
		.x = { 1e-5, 0.1 },
		.y = { 0, 1 },
		.x_step = 10,
		.log_x = true };
	char label[16];

	figure_open(&figure);
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
			row(report, &figure, &points[i]);
	for (size_t i = 0; i < COUNT_OF(timeouts); i++) {
		snprintf(label, sizeof(label), "t = %u", timeouts[i]);
		figure.colour = (unsigned)i;
		figure_curve(&figure, label, goodput, timeouts[i]);
	}
	figure.colour = 0;
	figure_close(report, &figure);
}
