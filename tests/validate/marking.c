/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/figure.h"

#include <math.h>

#include "lib/units.h"

#define KMIN 100000.0
#define KMAX 400000.0
#define PMAX 0.2

/* A burst that cannot be marked fills the queue; a flow as fast as the line then goes
 * through it and leaves it as it is. */
static double marked_at(double queue_kb, double unused)
{
	double queue = queue_kb * 1000;

	(void)unused;
	return queue < KMIN ? 0 : queue >= KMAX ? 1 : PMAX * (queue - KMIN) / (KMAX - KMIN);
}

static void row(struct report *report, struct figure *figure, uint32_t burst_packets)
{
	uint32_t packets = report->quick ? 20000 : 400000;
	struct trial trial;
	double queue, expected, marked, spread;

	trial_open(&trial,
		"leaves: 1\nspines: 1\nhosts_per_leaf: 3\nspeed: 100G\npolicy: {ecn: {kmin: "
		"%.0f, "
		"kmax: %.0f, pmax: %g}, dcqcn: {off: yes}}\n",
		KMIN, KMAX, PMAX);
	trial_flow(&trial, 1, 0, burst_packets * UINT64_C(4096))->not_ect = true;
	trial_flow(&trial, 2, 0, packets * UINT64_C(4096));
	trial_run(&trial, 3);
	queue = (double)trial_counter(&trial, "leaf1:1", "tx_prio3_queue_peak_bytes") - 4158;
	marked = (double)trial_counter(&trial, "leaf1:1", "tx_prio3_ecn_marked") / packets;
	expected = marked_at(queue / 1000, 0);
	spread = expected > 0 ? 3 * sqrt((1 - expected) / expected / packets) : 0;
	/* While the queue builds up, the first packets meet less of it. */
	spread += 2.0 * burst_packets / packets;
	report_row(report, expected, marked, spread > CLOSED_FORM ? spread : CLOSED_FORM,
		"queue of %.0f bytes", queue);
	figure_dot(figure, queue / 1000, marked);
	trial_close(&trial);
}

void validate_marking(struct report *report)
{
	static const uint32_t bursts[] = { 20, 30, 40, 60, 80, 94, 110 };
	struct figure figure = { .name = "marking",
		.title = "Share of packets marked, by bytes of the queue",
		.x_label = "queue, in 1000 bytes",
		.x = { 0, 500 },
		.y = { 0, 1 },
		.x_step = 100 };

	report_section(report, "ECN marking curve",
		"Share of packets marked at a constant queue q, kmin 100,000, kmax 400,000 "
		"bytes, "
		"pmax 0.2: 0, pmax (q - kmin) / (kmax - kmin), 1 (Zhu et al., SIGCOMM 2015, "
		"3.1). "
		"Allowed: three standard deviations, where that is more than 2 %.");
	figure_open(&figure);
	for (size_t i = 0; i < COUNT_OF(bursts); i++)
		row(report, &figure, bursts[i]);
	figure_curve(&figure, "equation", marked_at, 0);
	figure_close(report, &figure);
}
