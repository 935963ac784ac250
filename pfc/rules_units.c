/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/rule_counters.h"
#include "pfc/rule_measure.h"
#include "pfc/rule_command.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
/* Below this share of the line something holds a test back (own default). */
#define SLOW_SHARE 0.8

/* "run 2" in the title, else the place in order. */
static int run_number(const struct fact *row, int order)
{
	const char *after = row->section ? scan_word(row->section->title, "run") : NULL;
	double number;

	if (after && scan_number(after + strspn(after, " #"), &number, NULL))
		return scan_int(number);
	return order;
}

struct scaled {
	double was; /* Gb/s, right */
	double said;
};

static bool is_mebi(const char *unit)
{
	return strncmp(unit, "MiB", 3) == 0 || strcmp(unit, "MB/sec") == 0;
}

static bool is_near(double value, double wanted)
{
	return fabs(value / wanted - 1) < 0.0015;
}

/* Two figures of the same thing: one in MiB/s, the other its thousandth with the
 * name GB/s (0.9537 of the truth) or Gb/s (0.1192). */
static bool thousandth(double mebi_gbps, const struct fact *figure, struct scaled *scaled)
{
	bool giga_bytes = strncmp(figure->name, "GB", 2) == 0;
	double ratio = figure->number / mebi_gbps;

	if (!(giga_bytes && is_near(ratio, 8 / 8.388608)) &&
		!(strncmp(figure->name, "Gb", 2) == 0 && is_near(ratio, 1 / 8.388608)))
		return false;
	*scaled = (struct scaled){ mebi_gbps, figure->number };
	return true;
}

static bool find_scaled(const struct facts *facts, struct scaled *scaled)
{
	FACTS_EACH (facts, FACT_FIGURE, figure) {
		FACTS_EACH (facts, FACT_FIGURE, mebi)
			if (is_mebi(mebi->name) && thousandth(mebi->number, figure, scaled))
				return true;
		FACTS_EACH (facts, FACT_PERF_AVG, row)
			if (is_mebi(row->text) && thousandth(row->number, figure, scaled))
				return true;
	}
	return false;
}

static bool differ_in_unit(const struct facts *facts)
{
	const struct fact *first = facts_first(facts, FACT_PERF_AVG);

	FACTS_EACH (facts, FACT_PERF_AVG, row)
		if (strcmp(row->text, first->text) != 0)
			return true;
	return false;
}

/* What a sentence tells of a run of perftest: "ib_write_bw: 23374.9 MB/sec". */
static bool is_told_run(const struct fact *figure)
{
	return scan_has(figure->text, "_bw") ||
	       (figure->section && scan_has(figure->section->title, "_bw"));
}

/* Its megabytes are 2^20 bytes whatever they are called. */
static double told_gbps(const struct fact *figure)
{
	return strncmp(figure->name, "MB/s", 4) == 0 ? figure->number * 1.048576
						     : figure->number;
}

static bool told_differ_in_unit(const struct facts *facts)
{
	const struct fact *first = NULL;

	FACTS_EACH (facts, FACT_FIGURE, figure) {
		if (!is_told_run(figure))
			continue;
		if (first && first->name[0] != figure->name[0])
			return true;
		first = first ? first : figure;
	}
	return false;
}

static void tell_run(struct explain *out, const struct fact *row, int order, double gbps)
{
	char name[32];

	snprintf(name, sizeof(name), "run%d_gbps", run_number(row, order));
	explain_number(out, name, gbps);
}

static enum outcome normalised(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double ceiling = measure_ceiling_gbps(facts);
	bool rows = differ_in_unit(facts);
	struct scaled scaled;
	int order = 0;

	if (!rows && (!told_differ_in_unit(facts) || find_scaled(facts, &scaled)))
		return facts_first(facts, FACT_PERF_AVG) ? RULE_CLEAR : RULE_UNKNOWN;
	explain_code(
		out, rule, rule->level, "figures in different units, all turned into Gb/s");
	FACTS_EACH (facts, FACT_PERF_AVG, row)
		tell_run(out, row, ++order, row->number);
	if (!rows)
		FACTS_EACH (facts, FACT_FIGURE, figure)
			if (is_told_run(figure))
				tell_run(out, figure, ++order, told_gbps(figure));
	if (ceiling > 0)
		explain_number(out, "ceiling_gbps", ceiling);
	return RULE_FIRED;
}

static enum outcome scaling_bug(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct scaled scaled;

	if (!find_scaled(facts, &scaled))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%.2f Gb/s were called %.2f (%.1f %% of the truth)", scaled.was, scaled.said,
		scaled.said / scaled.was * 100);
	explain_number(out, "avg_gbps", scaled.was);
	explain_fact(out, "correct_gb_per_s", "%.2f", scaled.was / 8);
	explain_fact(out, "ratio", "%.3f", scaled.said / scaled.was);
	explain_advice(out,
		"MiB/s divided by 1000 is not GB/s: multiply by 1048576 and divide by 10^9 "
		"(here %.2f GB/s, %.2f Gb/s), or run with "
		"--report_gbits and divide by 8. Limits that were set against the wrong figure "
		"are wrong by the same 4.9 %%.",
		scaled.was / 8, scaled.was);
	return RULE_FIRED;
}

static double peak_busbw(const struct facts *facts)
{
	double peak = 0;

	FACTS_EACH (facts, FACT_NCCL_ROW, row)
		peak = row->number > peak ? row->number : peak;
	return peak;
}

static bool is_alltoall(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_NCCL_ROW, row)
		if (scan_has(row->name, "alltoall"))
			return true;
	FACTS_EACH (facts, FACT_COMMAND, command)
		if (scan_has(command->text, "alltoall"))
			return true;
	FACTS_EACH (facts, FACT_FIGURE, figure)
		if (scan_has(figure->text, "alltoall") ||
			scan_has(figure->text, "all-to-all") ||
			(figure->section &&
				(scan_has(figure->section->title, "alltoall") ||
					scan_has(figure->section->title, "all-to-all"))))
			return true;
	return false;
}

/* GB/s: as planned, else 96 % of the NIC's rate, NCCL's practical target. */
static double expected_busbw(const struct facts *facts)
{
	const struct fact *expected = facts_first(facts, FACT_EXPECTED);

	if (expected)
		return expected->number;
	return is_alltoall(facts) ? 0 : measure_line_gbps(facts) * 0.96 / 8;
}

static enum outcome average(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *mean = facts_first(facts, FACT_NCCL_AVG);
	double peak = peak_busbw(facts), expected = expected_busbw(facts);

	if (peak <= 0)
		return RULE_UNKNOWN;
	if (mean->number > peak * 0.9)
		return RULE_CLEAR;
	if (expected <= 0)
		return RULE_UNKNOWN;
	if (peak < expected * 0.9)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"the average is %.2f GB/s, the plateau %.2f of about %.2f", mean->number, peak,
		expected);
	explain_number(out, "peak_busbw", peak);
	explain_number(out, "expected_busbw", expected);
	explain_fact(out, "efficiency", "%.3f", peak / expected);
	explain_advice(out,
		"The average mixes latency-bound sizes; read the plateau: %.1f GB/s of about "
		"%.1f GB/s expected. Start the sweep at "
		"a size that fills the line (-b 64M) if one number is wanted.",
		peak, expected);
	return RULE_FIRED;
}

static enum outcome low_busbw(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double peak = peak_busbw(facts), expected = expected_busbw(facts);

	if (peak <= 0 || expected <= 0)
		return RULE_UNKNOWN;
	if (peak >= expected * 0.8 || explain_has(out, "NCCL_TESTS_NOT_MPI") ||
		explain_has(out, "ECE_REGRESSION") || explain_has(out, "SOCKET_FALLBACK") ||
		explain_has(out, "BOND_SINGLE_QP"))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "the plateau is %.2f GB/s of %.2f expected", peak,
		expected);
	explain_number(out, "peak_busbw", peak);
	explain_number(out, "expected_busbw", expected);
	explain_fact(out, "efficiency", "%.3f", peak / expected);
	return RULE_FIRED;
}

static double told(const struct facts *facts, const char *what)
{
	const struct fact *fact = facts_find(facts, FACT_COMM, NULL, what, NULL);

	return fact ? fact->number : 0;
}

static double rank_count(const struct facts *facts)
{
	double ranks = told(facts, "ranks told");

	FACTS_EACH (facts, FACT_COMM, comm)
		if (ranks < 1 && strcmp(comm->subject, "nodes told") != 0 &&
			strcmp(comm->subject, "GPUs a node") != 0)
			ranks = comm->number;
	return ranks < 1 ? command_ranks(facts) : ranks;
}

/* A rank sends 1/n of its data to each rank, so of n - 1 shares that count only n
 * - g leave the node: the bus bandwidth may be (n-1)/(n-g) times the NIC. */
static enum outcome alltoall(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double ranks = rank_count(facts), group = told(facts, "GPUs a node");
	double nic = measure_line_gbps(facts) / 8, peak = peak_busbw(facts), bound;

	if (!is_alltoall(facts))
		return RULE_UNKNOWN;
	if (peak <= 0)
		FACTS_EACH (facts, FACT_FIGURE, figure)
			peak = figure->number / 8 > peak ? figure->number / 8 : peak;
	if (group < 1 && told(facts, "nodes told") > 0)
		group = ranks / told(facts, "nodes told");
	if (group < 1 && command_hosts(facts) > 0)
		group = ranks / command_hosts(facts);
	if (group < 1)
		FACTS_EACH (facts, FACT_COMM, comm)
			if (comm->more > 0)
				group = comm->number / comm->more;
	if (ranks < 2 && group >= 1)
		ranks = group * told(facts, "nodes told");
	if (ranks < 2 || group < 1 || group >= ranks || nic <= 0 || peak <= 0)
		return RULE_UNKNOWN;
	bound = nic * (ranks - 1) / (ranks - group);
	if (peak <= nic || peak > bound * 1.02)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%.2f GB/s is above the NIC's %.2f and below the bound of %.2f for %.0f ranks, "
		"%.0f a node",
		peak, nic, bound, ranks, group);
	explain_number(out, "peak_busbw", peak);
	explain_number(out, "bound_busbw", bound);
	explain_number(out, "expected_busbw", bound);
	explain_fact(out, "efficiency", "%.3f", peak / bound);
	explain_number(out, "nranks", ranks);
	explain_advice(out,
		"This is no error: in all-to-all the part that stays inside the node does not "
		"use the NIC, so the bus bandwidth may "
		"reach NIC x (n-1)/(n-g) = %.2f GB/s with n = %.0f ranks and g = %.0f a node; "
		"the NIC itself carried %.2f GB/s.",
		bound, ranks, group, peak * (ranks - group) / (ranks - 1));
	return RULE_FIRED;
}

/* The figure that belongs to an ECE setting: of its line, else of its section. */
static double figure_of(const struct facts *facts, const struct fact *setting)
{
	static const enum fact_key keys[] = { FACT_FIGURE, FACT_NCCL_ROW, FACT_NCCL_AVG,
		FACT_PERF_AVG };
	double best = 0;

	FACTS_EACH (facts, FACT_FIGURE, figure)
		if (figure->section == setting->section && figure->line == setting->line)
			return figure->number;
	for (size_t k = 0; k < COUNT_OF(keys) && best <= 0; k++)
		FACTS_EACH (facts, keys[k], figure)
			if (figure->section == setting->section && figure->number > best &&
				figure->line > setting->line)
				best = figure->number *
				       (keys[k] == FACT_NCCL_ROW || keys[k] == FACT_NCCL_AVG
						       ? 8
						       : 1);
	return best;
}

/* The run that names no setting: the default, which is on. */
static double figure_elsewhere(const struct facts *facts, const struct fact *off)
{
	const struct fact *beside = facts_beside(facts, FACT_FIGURE, off);
	double best = 0;

	FACTS_EACH (facts, FACT_FIGURE, figure)
		if ((figure->section != off->section ||
			    (beside && figure->line != off->line)) &&
			figure->number > best)
			best = figure->number;
	FACTS_EACH (facts, FACT_NCCL_ROW, row)
		if (row->section != off->section && row->number * 8 > best)
			best = row->number * 8;
	FACTS_EACH (facts, FACT_NCCL_AVG, row)
		if (row->section != off->section && row->number * 8 > best &&
			!facts_first(facts, FACT_NCCL_ROW))
			best = row->number * 8;
	return best;
}

static enum outcome ece(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *off_setting = NULL;
	double on = 0, off = 0;

	FACTS_EACH (facts, FACT_ROCE_ECE, setting) {
		double figure = figure_of(facts, setting);

		if (setting->number < 1) {
			off_setting = setting;
			off = figure > off ? figure : off;
		} else {
			on = figure > on ? figure : on;
		}
	}
	if (off_setting && on <= 0)
		on = figure_elsewhere(facts, off_setting);
	if (on <= 0 || off <= 0)
		return RULE_UNKNOWN;
	if (on > off * 0.8)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "with ECE %.1f Gb/s, without %.1f", on, off);
	explain_number(out, "ece_on_gbps", on);
	explain_number(out, "ece_off_gbps", off);
	explain_fact(out, "ratio", "%.3f", on / off);
	return RULE_FIRED;
}

/* Whether what is counted here says that the network, or the receiver, held the sender:
 * 1 yes, 0 no, -1 not known. */
static int was_held(const struct facts *facts)
{
	static const enum meaning pauses[] = { MEANS_PFC_RX, MEANS_PAUSE_RX };
	static const enum meaning signs[] = { MEANS_CNP_RX, MEANS_SEQ_NAK, MEANS_TIMEOUT,
		MEANS_RETRANSMIT, MEANS_RNR, MEANS_RX_DROP, MEANS_PFC_TX, MEANS_OOS };
	bool paused = false, others = false;

	for (size_t i = 0; i < COUNT_OF(pauses); i++) {
		struct count count = count_of(facts, NULL, pauses[i], ANY_PRIORITY, true);

		paused = paused || count.present;
		if (count.sum > 0)
			return 1;
	}
	for (size_t i = 0; i < COUNT_OF(signs); i++) {
		struct count count = count_of(facts, NULL, signs[i], ANY_PRIORITY, true);

		others = others || count.present;
		if (count.sum > 0)
			return 1;
	}
	return paused && others ? 0 : -1;
}

/* By exclusion, and so only where nothing else was found. */
static enum outcome slow_sender(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double line = measure_line_gbps(facts), best = 0;
	int held = was_held(facts);

	FACTS_EACH (facts, FACT_PERF_AVG, average)
		best = average->number > best ? average->number : best;
	if (best <= 0)
		FACTS_EACH (facts, FACT_FIGURE, figure)
			if (is_told_run(figure) && told_gbps(figure) > best)
				best = told_gbps(figure);
	if (line <= 0 || best <= 0 || held < 0)
		return RULE_UNKNOWN;
	if (held > 0 || best >= line * SLOW_SHARE || out->code_count > 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%.1f of %.0f Gb/s, while no pause and no congestion notification arrived, and "
		"nothing was dropped or sent again",
		best, line);
	explain_number(out, "ratio", best / line);
	return RULE_FIRED;
}

const struct rule rules_units[] = {
	{ "UNITS_NORMALISED", VERDICT_PASS, "measure",
		"figures in different units turned into one", "the same speed looks like three",
		"perftest's MB/sec is 2^20 bytes per second (the same as MiB/sec); multiply by "
		"0.008388608 to get Gb/s. Compare the "
		"runs in Gb/s only.",
		"linux-rdma/perftest#257", { NO_NEED, NO_NEED, NO_NEED }, normalised },
	{ "UNIT_SCALING_BUG", VERDICT_WARN, "measure",
		"MiB/s divided by 1000 and called GB/s, or the like",
		"4.9 % of the speed are lost on paper only",
		"Convert MiB/s by 2^20 and GB/s by 10^9.", "microsoft/superbenchmark#369",
		{ FACT_FIGURE, NO_NEED, NO_NEED }, scaling_bug },
	{ "ECE_REGRESSION", VERDICT_FAIL, "transport",
		"an option negotiated by the two ends (ECE) costs the bandwidth; off it is "
		"fine",
		"the ends agree on a congestion control or retransmission that does not work "
		"between them",
		"Run with ECE off (NCCL_IB_ECE_ENABLE=0, UCX_RC_ECE=0) on all ranks as a "
		"remedy, and bring NIC firmware and drivers of "
		"all hosts to one version that negotiates it right; then test with ECE on "
		"again.",
		"NVIDIA/nccl#1403", { FACT_ROCE_ECE, NO_NEED, NO_NEED }, ece },
	{ "AVG_BUSBW_MISLEADING", VERDICT_PASS, "measure",
		"the benchmark's average mixes in small messages; the plateau is as expected",
		"the average of a sweep from 8 bytes says nothing of the network",
		"Read the plateau, not the average.", "NVIDIA/nccl-tests#115",
		{ FACT_NCCL_AVG, FACT_NCCL_ROW, NO_NEED }, average },
	{ "LOW_BUSBW", VERDICT_FAIL, "measure",
		"the collective stays below what the NICs allow",
		"below 80 % of the NIC's rate something is wrong",
		"Compare with a pair test of the same NICs, look which NICs the library uses "
		"and whether GPU-direct is on, then "
		"at loss and pause counters over the run.",
		"NVIDIA/nccl-tests#119", { FACT_NCCL_ROW, NO_NEED, NO_NEED }, low_busbw },
	{ "ALLTOALL_BOUND", VERDICT_PASS, "measure",
		"a figure above the NIC rate is what all-to-all with g ranks a node may reach, "
		"NIC x (n-1)/(n-g)",
		"the part inside the node does not use the NIC",
		"Compare with NIC x (n-1)/(n-g).", "NVIDIA/nccl-tests src/alltoall.cu",
		{ NO_NEED, NO_NEED, NO_NEED }, alltoall },
	{ "SLOW_SENDER", VERDICT_WARN, "congestion", "the sending host is the limit",
		"the network never held it back, so no work on the network makes it faster",
		"Look at the sender: PCIe width and read request, NUMA node and processor of "
		"the process, one QP or a small message, shallow queues; try more QPs and "
		"larger messages first.",
		"NVIDIA/daqiri#252", { FACT_COUNTER, NO_NEED, NO_NEED }, slow_sender },
	{ .code = NULL },
};
