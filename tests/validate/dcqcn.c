/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/figure.h"

#include <math.h>
#include <string.h>

#include "fabric/chance.h"
#include "fabric/sim_parts.h"
#include "lib/units.h"

#define LINE (100 * GBPS)

/* --- the reaction point by itself --- */

static void reaction(struct report *report)
{
	struct trial trial;
	struct sim_nic nic = { .line_bps = LINE };
	struct sim sim = { .nics = &nic };
	struct qp qp = { .alpha_q20 = UINT32_C(1) << 20 };
	uint64_t period;
	double before;

	trial_open(&trial, "leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n");
	sim.fabric = &trial.fabric;
	nic.rai_bps = trial.fabric.policy.dcqcn.rai_bps;
	nic.rhai_bps = trial.fabric.policy.dcqcn.rhai_bps;
	period = trial.fabric.policy.dcqcn.increase_period_ns * PS_PER_NS;
	report_section(report, "DCQCN, one sender after one CNP",
		"Rate in Gb/s, 100G: cut to R (1 - alpha / 2) with alpha = 1 first, then half "
		"of the "
		"way back at every increase, alpha (1 - g)^n after n quiet periods (Zhu et "
		"al., "
		"SIGCOMM 2015, eq. 1 and 2; g = 1/256, K = T = 55 us, F = 5).");
	dcqcn_cnp(&sim, &qp);
	report_row(report, 50, (double)qp.rate_bps / 1e9, 0.001, "after the CNP");
	for (uint32_t k = 1; k <= 5; k++) {
		sim.now = k * period;
		dcqcn_gap_ps(&sim, &qp, 4178);
		report_row(report, 100 - 50 / exp2(k), (double)qp.rate_bps / 1e9, 0.001,
			"after %u timer periods", k);
	}
	before = (double)qp.rate_bps;
	sim.now = 20 * period + period / 2;
	dcqcn_cnp(&sim, &qp);
	report_row(report, 1 - pow(255.0 / 256, 20) / 2, (double)qp.rate_bps / before, 0.001,
		"share left by a CNP after 20 quiet periods");
	trial_close(&trial);
}

/* --- many senders, one bottleneck --- */

/* The fluid model's balance at p for N equal flows: rate won less rate lost. Rates in
 * packets a second; tau 50 us between CNPs. */
static double balance(const struct dcqcn *dcqcn, double flows, double p)
{
	double packet_bits = 4178 * 8, rate = (double)LINE / packet_bits / flows;
	double tau = (double)dcqcn->cnp_period_ns / 1e9, f = dcqcn->fast_recovery;
	double quiet = (double)dcqcn->alpha_period_ns / 1e9;
	double timer = (double)dcqcn->increase_period_ns / 1e9 * rate;
	double bytes = (double)dcqcn->increase_bytes / 4178;
	double step = (double)dcqcn->rai_bps / packet_bits;
	double alpha = 1 - pow(1 - p, quiet * rate), cnp = 1 - pow(1 - p, tau * rate);
	double by_bytes = p / (pow(1 - p, -bytes) - 1), by_timer = p / (pow(1 - p, -timer) - 1);
	/* dRt = 0 gives Rt - Rc. */
	double gap = step * rate *
		     (pow(1 - p, f * bytes) * by_bytes + pow(1 - p, f * timer) * by_timer) *
		     tau / cnp;

	return gap / 2 * rate * (by_bytes + by_timer) - rate * alpha / (2 * tau) * cnp;
}

static double fixed_point(const struct dcqcn *dcqcn, uint32_t flows)
{
	double low = 1e-7, high = 0.5;

	for (int i = 0; i < 100; i++) {
		double p = sqrt(low * high);

		if (balance(dcqcn, flows, p) > 0)
			low = p;
		else
			high = p;
	}
	return sqrt(low * high);
}

struct totals {
	double packets, marked;
	uint64_t bytes[64];
};

static void run_until(struct trial *trial, uint64_t deadline_ns, struct totals *totals)
{
	trial->stage.deadline_ns = deadline_ns;
	trial_run(trial, 1);
	totals->packets = (double)trial_counter(trial, "leaf1:1", "tx_prio3_packets");
	totals->marked = (double)trial_counter(trial, "leaf1:1", "tx_prio3_ecn_marked");
	for (size_t i = 0; i < trial->result.flow_count; i++)
		totals->bytes[i] = trial->result.flows[i].bytes_delivered;
}

/* What happened between two times: the same run twice, for it is the same. */
static void between(
	struct trial *trial, uint64_t from_ns, uint64_t to_ns, struct totals *totals)
{
	struct totals before;

	run_until(trial, from_ns, &before);
	run_until(trial, to_ns, totals);
	totals->packets -= before.packets;
	totals->marked -= before.marked;
	for (size_t i = 0; i < trial->result.flow_count; i++)
		totals->bytes[i] -= before.bytes[i];
}

static void share_port(struct report *report, uint32_t flows, bool still)
{
	struct trial trial;
	struct totals totals;

	trial_open(&trial, "leaves: 1\nspines: 1\nhosts_per_leaf: 33\nspeed: 100G\npolicy: "
			   "{buffer: 256MiB, ecn: {kmin: 5000, kmax: 2000000, pmax: 0.05}}\n");
	for (uint32_t s = 1; s <= flows; s++)
		trial_flow(&trial, s, 0, UINT64_C(100000000000));
	between(&trial, 200 * NS_PER_MS, 600 * NS_PER_MS, &totals);
	if (still)
		report_row(report, fixed_point(&trial.fabric.policy.dcqcn, flows),
			totals.marked / totals.packets, 0.4, "%u flows, marked", flows);
	report_row(report, 1, chance_jain(totals.bytes, flows), 0.05, "%u flows, Jain", flows);
	report_row(report, 1, totals.packets * 4178 * 8 / 0.4 / (double)LINE,
		still ? CLOSED_FORM : 0.2, "%u flows, port used", flows);
	trial_close(&trial);
}

static void fixed_points(struct report *report)
{
	report_section(report, "DCQCN, fixed point",
		"Share of packets marked when N flows of one queue pair share a 100G port, "
		"from "
		"200 to 600 ms, kmin 5,000, kmax 2,000,000 bytes, pmax 0.05: p where the fluid "
		"model "
		"of DCQCN stands still (Zhu et al., CoNEXT 2016, \"ECN or Delay\": its "
		"equations "
		"of rate, target and alpha, solved for equal flows). Then Jain's index of the "
		"flows' "
		"bytes and the share of the port used.\n\n"
		"The simulator marks about a third more, at any N, and 40 % are allowed: the "
		"model "
		"throws a coin for a CNP every 50 us, where a receiver is silent for 50 us "
		"after one "
		"and then sends at the next mark, so CNPs are rarer for the same p; and alpha "
		"decays "
		"in whole steps. From 16 flows on the queue swings between empty and full, so "
		"there "
		"is no fixed point to compare with, and the port is not always used: the steps "
		"up of "
		"all flows together are 1.6 % of the line and more, every 55 us.");
	if (report->quick)
		return;
	share_port(report, 2, true);
	share_port(report, 4, true);
	share_port(report, 8, true);
	share_port(report, 16, false);
	share_port(report, 32, false);
}

/* --- fairness --- */

static void fairness(struct report *report)
{
	struct trial trial;
	struct totals totals;
	double sum;

	report_section(report, "DCQCN, two flows and a parking lot",
		"Shares of a 100G port from 200 to 600 ms. A second flow that comes 20 ms "
		"after the "
		"first has the same in the end. Parking lot (Zhu et al., SIGCOMM 2015, 6.2): "
		"f2 "
		"shares one link with f1 and the next with f3; max-min fair is a half for "
		"each, and "
		"a flow that is marked at two places gets less: 35 % are allowed.");
	if (report->quick)
		return;
	trial_open(&trial, "leaves: 1\nspines: 1\nhosts_per_leaf: 3\nspeed: 100G\n");
	trial_flow(&trial, 1, 0, UINT64_C(100000000000));
	trial_flow(&trial, 2, 0, UINT64_C(100000000000))->start_ns = 20 * NS_PER_MS;
	between(&trial, 200 * NS_PER_MS, 600 * NS_PER_MS, &totals);
	sum = (double)(totals.bytes[0] + totals.bytes[1]);
	report_row(report, 0.5, (double)totals.bytes[0] / sum, 0.1, "two flows, the first");
	report_row(report, 0.5, (double)totals.bytes[1] / sum, 0.1, "two flows, the second");
	trial_close(&trial);
	trial_open(&trial, "leaves: 2\nspines: 1\nhosts_per_leaf: 3\nspeed: 100G\n");
	trial_flow(&trial, 0, 3, UINT64_C(100000000000)); /* f1: the uplink */
	trial_flow(&trial, 1, 4, UINT64_C(100000000000)); /* f2: the uplink, then host5 */
	trial_flow(&trial, 5, 4, UINT64_C(100000000000)); /* f3: host5 */
	between(&trial, 200 * NS_PER_MS, 600 * NS_PER_MS, &totals);
	for (uint32_t i = 0; i < 3; i++)
		report_row(report, 0.5,
			(double)totals.bytes[i] * 8 / 0.4e9 / (payload_rate(&trial.fabric) * 8),
			0.35, "parking lot, f%u", i + 1);
	trial_close(&trial);
}

/* Bits a us that a NIC takes in, from the series; how many there are. */
static size_t goodputs(
	const struct trial *trial, const char *place, double *when, double *gbps, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < trial->result.sample_count && used < room; i++) {
		const struct run_sample *sample = &trial->result.samples[i];

		if (strcmp(sample->place, place) || strcmp(sample->metric, "goodput_bytes"))
			continue;
		when[used] = (double)sample->t_ns / 1e6;
		gbps[used++] = (double)sample->value * 8 / (double)trial->stage.sample_ns;
	}
	return used;
}

static double half_of_ceiling(double x, double rate)
{
	(void)x;
	return rate * 8 / 2;
}

/* Two flows over one uplink, the second later. */
static void convergence(struct report *report)
{
	struct figure figure = { .name = "dcqcn",
		.title = "DCQCN: goodput of two flows that share a 100G link, Gb/s",
		.x_label = "ms",
		.x = { 0, 100 },
		.y = { 0, 100 },
		.x_step = 20 };
	double when[256], gbps[256];
	struct trial trial;

	if (report->quick)
		return;
	trial_open(&trial, "leaves: 2\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n");
	trial_flow(&trial, 0, 2, UINT64_C(100000000000));
	trial_flow(&trial, 1, 3, UINT64_C(100000000000))->start_ns = 20 * NS_PER_MS;
	trial.stage.sample_ns = NS_PER_MS;
	trial.stage.deadline_ns = 100 * NS_PER_MS;
	trial_run(&trial, 1);
	figure_open(&figure);
	for (unsigned flow = 0; flow < 2; flow++) {
		char name[16];
		size_t count;

		snprintf(name, sizeof(name), "host%u", flow + 3);
		count = goodputs(&trial, name, when, gbps, COUNT_OF(when));
		figure.colour = flow;
		figure_line(&figure, flow ? "the second" : "the first", when, gbps, count);
	}
	figure.colour = 2;
	figure_curve(&figure, "fair share", half_of_ceiling, payload_rate(&trial.fabric));
	figure_close(report, &figure);
	trial_close(&trial);
}

void validate_dcqcn(struct report *report)
{
	reaction(report);
	fixed_points(report);
	fairness(report);
	convergence(report);
}
