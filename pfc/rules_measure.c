/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/rule_command.h"
#include "pfc/rule_counters.h"
#include "pfc/rule_measure.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

double measure_line_gbps(const struct facts *facts)
{
	double rate = 0;

	FACTS_EACH (facts, FACT_RATE, fact)
		if (fact->number > rate)
			rate = fact->number;
	return rate;
}

double measure_mtu(const struct facts *facts)
{
	const struct fact *printed = facts_find(facts, FACT_PERF_PARAM, NULL, NULL, "mtu");
	const struct fact *active = facts_first(facts, FACT_ACTIVE_MTU);

	if (printed && atof(printed->text) >= 256)
		return atof(printed->text);
	return active ? active->number : 0;
}

double measure_ceiling_gbps(const struct facts *facts)
{
	double line = measure_line_gbps(facts), mtu = measure_mtu(facts);

	return line > 0 && mtu > 0 ? line * mtu / (mtu + ROCE_WIRE_OVERHEAD_BYTES) : 0;
}

static bool is_bidirectional(const struct facts *facts)
{
	if (facts_find(facts, FACT_PERF_PARAM, NULL, NULL, "bidirectional"))
		return true;
	FACTS_EACH (facts, FACT_COMMAND, command)
		if (strstr(command->subject, "_bw") &&
			(command_has(command->text, "-b") ||
				command_has(command->text, "--bidirectional")))
			return true;
	return false;
}

/* The best average of all rows, in Gb/s; 0 when there is none. */
static double best_average(const struct facts *facts)
{
	double best = 0;

	FACTS_EACH (facts, FACT_PERF_AVG, row)
		best = row->number > best ? row->number : best;
	return best;
}

static enum outcome invalid(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *row = facts_find(facts, FACT_PERF_PARAM, NULL, NULL, "invalid");

	if (!row)
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level, "the figure cannot be: %.200s", row->text);
}

static enum outcome margin(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_COMMAND, command) {
		const struct fact *count = facts_first(facts, FACT_PERF_ITERATIONS);
		double seconds, left_out, window;

		if (!strstr(command->subject, "_bw") || !command_has(command->text, "-D") ||
			!count)
			continue;
		for (; count && command->section != count->section;
			count = facts_next(facts, count))
			;
		if (!count)
			count = facts_first(facts, FACT_PERF_ITERATIONS);
		seconds = command_number(command->text, "-D", 5);
		left_out = command_number(command->text, "-f", (double)(scan_int(seconds) / 4));
		window = seconds - 2 * left_out;
		if (left_out <= 0 || window <= 0)
			continue;
		explain_code(out, rule, rule->level,
			"of %.0f s the first and last %.0f are not counted: the figures are "
			"those of %.0f s",
			seconds, left_out, window);
		explain_number(out, "margin_s", left_out);
		explain_number(out, "measured_window_s", window);
		if (count->number > 0)
			explain_number(
				out, "mpps_from_iterations", count->number / window / 1e6);
		explain_advice(out,
			"With -D %.0f and %s-f, the first and last %.0f s are not counted, so "
			"divide #iterations by %.0f s, not by %.0f s.",
			seconds, command_has(command->text, "-f") ? "" : "no ", left_out,
			window, seconds);
		return RULE_FIRED;
	}
	return RULE_CLEAR;
}

static enum outcome no_peak(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_PERF_PEAK, peak) {
		const struct fact *average = facts_beside(facts, FACT_PERF_AVG, peak);

		if (peak->number > 0 || !average || average->number <= 0)
			continue;
		explain_code(out, rule, rule->level,
			"the peak is printed as 0.00, the average is %.2f Gb/s",
			average->number);
		explain_number(out, "avg_gbps", average->number);
		return RULE_FIRED;
	}
	return RULE_CLEAR;
}

static enum outcome zero(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double best = best_average(facts);

	FACTS_EACH (facts, FACT_NCCL_ROW, row)
		best = row->number > best ? row->number : best;
	if ((!facts_first(facts, FACT_PERF_AVG) && !facts_first(facts, FACT_NCCL_ROW)) ||
		facts_find(facts, FACT_PERF_PARAM, NULL, NULL, "invalid"))
		return RULE_UNKNOWN;
	if (best > 0 || explain_has(out, "SINGLE_RANK"))
		return RULE_CLEAR;
	return explain_code(
		out, rule, rule->level, "every average is 0: nothing was transferred");
}

static enum outcome both_ways(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double sum = best_average(facts), line = measure_line_gbps(facts);
	double ceiling = measure_ceiling_gbps(facts);

	if (sum <= 0)
		return RULE_UNKNOWN;
	if (!is_bidirectional(facts))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%.2f Gb/s is the sum of both directions, %.2f each", sum, sum / 2);
	explain_number(out, "per_direction_gbps", sum / 2);
	if (line > 0)
		explain_number(out, "max_sum_gbps", 2 * line);
	if (ceiling > 0)
		explain_fact(out, "efficiency_of_ceiling", "%.3f", sum / (2 * ceiling));
	explain_advice(out,
		"The printed figure adds both directions; compare it with twice the port speed "
		"(%.1f Gb/s each way here).",
		sum / 2);
	return RULE_FIRED;
}

static enum outcome above_line(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double best = best_average(facts), line = measure_line_gbps(facts);

	if (best <= 0 || line <= 0)
		return RULE_UNKNOWN;
	if (best <= line || is_bidirectional(facts) || facts_first(facts, FACT_BOND))
		return RULE_CLEAR;
	return explain_code(
		out, rule, rule->level, "%.2f Gb/s over a port of %.0f cannot be", best, line);
}

static enum outcome mtu_limited(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double best = best_average(facts), ceiling = measure_ceiling_gbps(facts);
	double mtu = measure_mtu(facts), share;

	if (best <= 0)
		FACTS_EACH (facts, FACT_FIGURE, figure)
			best = figure->number > best ? figure->number : best;
	if (is_bidirectional(facts))
		best /= 2;
	if (best <= 0 || ceiling <= 0)
		return RULE_UNKNOWN;
	share = best / ceiling;
	if (mtu >= 4096 || share < 0.97 || share > 1.01)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%.2f Gb/s is %.1f %% of what MTU %.0f lets through a port of %.0f", best,
		share * 100, mtu, measure_line_gbps(facts));
	explain_number(out, "ceiling_gbps", ceiling);
	explain_number(out, "active_mtu", mtu);
	explain_number(out, "avg_gbps", best);
	explain_fact(out, "efficiency_of_ceiling", "%.3f", share);
	explain_advice(out,
		"%.1f Gb/s is the payload ceiling at RoCE MTU %.0f (82 bytes of headers a "
		"packet), so the network is not at fault; "
		"raise interface and switch MTU to 4200 or more so that the RoCE MTU becomes "
		"4096, which allows %.1f Gb/s.",
		ceiling, mtu,
		measure_line_gbps(facts) * 4096 / (4096 + ROCE_WIRE_OVERHEAD_BYTES));
	return RULE_FIRED;
}

static enum outcome frequency(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *seen = facts_first(facts, FACT_CPU_FREQ);

	if (seen)
		return explain_code(out, rule, rule->level, "%.300s", seen->text);
	return facts_first(facts, FACT_GOVERNOR) ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome bad_json(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_JSON_TEXT, json)
		if (json->number < 1)
			return explain_code(out, rule, rule->level,
				"no JSON parser takes it: %.200s", json->text);
	return RULE_CLEAR;
}

/* Whether the traffic went past the kernel: a driver or device of hardware RoCE. */
static bool is_hardware(const struct facts *facts)
{
	static const char *const drivers[] = { "mlx5", "mlx4", "bnxt", "irdma", "ice", "hns",
		"ionic", "mana", "hardware" };
	static const enum fact_key keys[] = { FACT_DRIVER, FACT_RDMA_DEVICE, FACT_HCA_USED,
		FACT_COMMAND };

	for (size_t k = 0; k < COUNT_OF(keys); k++)
		FACTS_EACH (facts, keys[k], fact) {
			if (scan_has(fact->text, "rxe") || scan_has(fact->subject, "rxe"))
				return false;
			for (size_t i = 0; i < COUNT_OF(drivers); i++)
				if (scan_has(fact->text, drivers[i]) ||
					strncmp(fact->subject, drivers[i],
						strlen(drivers[i])) == 0)
					return true;
		}
	return false;
}

static enum outcome netem(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double least = 0, most = 0;

	FACTS_EACH (facts, FACT_FIGURE, figure) {
		least = least <= 0 || figure->number < least ? figure->number : least;
		most = figure->number > most ? figure->number : most;
	}
	if (!is_hardware(facts))
		return RULE_UNKNOWN;
	if (most > 0 && least < most * 0.95)
		return RULE_CLEAR; /* it did something */
	return explain_code(out, rule, rule->level,
		"netem is set (%.120s), but the traffic never met it",
		facts_first(facts, FACT_NETEM)->text);
}

static double captured(const struct facts *facts, const char *name)
{
	const struct fact *fact = facts_find(facts, FACT_CAPTURE, NULL, NULL, name);

	return fact ? fact->number : 0;
}

/* Packets of the port over the same time; per second where the window is known. */
static double port_packets(const struct facts *facts, double *window_s)
{
	static const enum meaning counts[] = { MEANS_PRIO_TX, MEANS_TX, MEANS_PRIO_RX,
		MEANS_RX };
	struct count sent = { .present = false };

	for (size_t i = 0; i < COUNT_OF(counts) && !sent.present; i++)
		sent = count_of(facts, NULL, counts[i], ANY_PRIORITY, true);
	*window_s = sent.window_s > 0 ? sent.window_s : 1;
	return sent.present ? sent.sum : 0;
}

static enum outcome incomplete(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double window, packets = port_packets(facts, &window), share = -1;
	double pps = captured(facts, "pps"), dropped = captured(facts, "dropped");

	if (pps > 0 && packets > 0)
		share = pps / (packets / window);
	else if (captured(facts, "captured") > 0 && packets > 0)
		share = captured(facts, "captured") / packets;
	else if (dropped > 0)
		share = captured(facts, "captured") / (captured(facts, "captured") + dropped);
	if (share < 0)
		return captured(facts, "captured") > 0 ? RULE_CLEAR : RULE_UNKNOWN;
	if (share > 0.98 && dropped <= 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "the capture holds %.1f %% of the packets",
		share * 100);
	if (pps > 0 && captured(facts, "frame") > 0)
		explain_number(out, "capture_gbps", pps * captured(facts, "frame") * 8 / 1e9);
	explain_fact(out, "captured_packet_share", "%.3f", share);
	explain_advice(out,
		"The capture holds only %.0f %% of the packets; gaps in its PSNs are capture "
		"loss, not network loss. Capture by QP or "
		"with a short snap length, mirror on the switch, or trust the NIC counters.",
		share * 100);
	return RULE_FIRED;
}

const struct rule rules_measure[] = {
	{ "INVALID_RESULT", VERDICT_UNKNOWN, "measure",
		"the figure cannot be (negative, overflowed): no verdict",
		"a result that cannot be says nothing, good or bad",
		"The tool's clock or counters overflowed: throw the result away, run again "
		"(fixed processor frequency, a newer "
		"perftest, -D instead of few iterations), and read the NIC's byte counters "
		"over the same time.",
		"linux-rdma/perftest#82", { FACT_PERF_PARAM, NO_NEED, NO_NEED }, invalid },
	{ "ZERO_BANDWIDTH", VERDICT_FAIL, "measure", "nothing was transferred",
		"the test did not run", "Look for the first error of the test on both ends.",
		"linux-rdma/perftest#234", { NO_NEED, NO_NEED, NO_NEED }, zero },
	{ "ABOVE_LINE_RATE", VERDICT_UNKNOWN, "measure", "the result is faster than the port",
		"no frame goes faster than the line: units, clock or device are not what they "
		"seem",
		"Check the unit of the column, the processor's frequency, whether both "
		"directions are added, and whether the "
		"traffic used this port at all (loopback, bond, shared memory).",
		"Mellanox/ngc_multinode_perf#35", { FACT_PERF_AVG, NO_NEED, NO_NEED },
		above_line },
	{ "DURATION_MARGIN", VERDICT_PASS, "measure",
		"a duration run counts only the middle of its time",
		"iterations over the whole time is half of the rate",
		"The first and last quarter of a duration run are not counted.",
		"linux-rdma/perftest#273", { FACT_COMMAND, FACT_PERF_ITERATIONS, NO_NEED },
		margin },
	{ "PEAK_NOT_MEASURED", VERDICT_PASS, "measure",
		"0.00 as peak means that it was not measured",
		"0.00 looks like a failed run and is none",
		"Peak is not measured in duration mode (-D), with -N or above 20000 "
		"iterations, and prints 0.00; use the average.",
		"linux-rdma/perftest#234", { FACT_PERF_PEAK, NO_NEED, NO_NEED }, no_peak },
	{ "BIDIRECTIONAL_SUM", VERDICT_PASS, "measure",
		"the printed figure adds both directions",
		"it may be up to twice the port's rate",
		"Compare the figure with twice the port speed.",
		"Mellanox/ngc_multinode_perf#35", { FACT_PERF_AVG, NO_NEED, NO_NEED },
		both_ways },
	{ "MTU_LIMITED", VERDICT_WARN, "measure",
		"the figure is the ceiling of a small RoCE MTU",
		"headers take the rest of the line",
		"Raise the MTU so that the RoCE MTU becomes 4096.",
		"weft: line rate x MTU / (MTU + 82)", { NO_NEED, NO_NEED, NO_NEED },
		mtu_limited },
	{ "CPU_FREQ_NOT_FIXED", VERDICT_WARN, "measure",
		"the processor changes its frequency during the measurement",
		"perftest counts time in cycles, and small messages follow the clock",
		"Fix the frequency (cpupower frequency-set -g performance, tuned-adm profile, "
		"C-states off in the BIOS) and run "
		"again; -F only hides the warning. Large-message bandwidth over -D is little "
		"affected, latency and message rate are.",
		"linux-rdma/perftest README", { NO_NEED, NO_NEED, NO_NEED }, frequency },
	{ "PERFTEST_JSON_NOT_JSON", VERDICT_WARN, "measure",
		"the benchmark wrote text that no JSON parser takes",
		"a reader that expects JSON takes the run for failed",
		"The file is not JSON (a trailing comma, an unquoted value, or cut): take a "
		"newer perftest, or read the text table; do "
		"not read this as a failed run.",
		"linux-rdma/perftest#216", { FACT_JSON_TEXT, NO_NEED, NO_NEED }, bad_json },
	{ "NETEM_BYPASSED", VERDICT_WARN, "measure",
		"the injected loss never touched the traffic",
		"a test of loss without loss proves nothing",
		"Hardware RoCE bypasses the kernel queue where netem works, so this run had no "
		"loss injected; use a switch, an "
		"in-path bridge, or soft-RoCE (rxe) for loss tests.",
		"DCPerf#671", { FACT_NETEM, NO_NEED, NO_NEED }, netem },
	{ "CAPTURE_INCOMPLETE", VERDICT_WARN, "measure",
		"the capture holds only a part of the packets; gaps in it prove nothing",
		"a gap of the capture looks like a loss of the network",
		"Sample by QP, mirror on the switch, or trust the NIC counters.",
		"linux-rdma/perftest#225", { FACT_CAPTURE, NO_NEED, NO_NEED }, incomplete },
	{ .code = NULL },
};
