/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/rule_command.h"
#include "pfc/scan.h"

static const char *const programs[] = { "ib_write_bw", "ib_read_bw", "ib_send_bw",
	"ib_atomic_bw", "ib_write_lat", "ib_read_lat", "ib_send_lat", "raw_ethernet_bw",
	"all_reduce_perf", "all_gather_perf", "reduce_scatter_perf", "alltoall_perf",
	"alltoallv_perf", "broadcast_perf", "reduce_perf", "sendrecv_perf", "scatter_perf",
	"gather_perf", "hypercube_perf", "all_reduce_test", "alltoall_test", "all_gather_test",
	"hccl_test", "ucx_perftest", "mpirun", "mpiexec", "srun", "rping", "ib_write_bw_test" };

/* Titles and lines that run a program: its options are read by the rules. */
static void read_command(const struct reader *reader, long line, const char *text)
{
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		const char *options = scan_word(text, programs[i]);

		if (!options)
			continue;
		reader_add(reader, line, FACT_COMMAND, programs[i], NULL, text);
		if (strncmp(programs[i], "ib_", 3) != 0)
			continue;
		if (command_number(options, "-x", -1) >= 0)
			reader_number(reader, line, FACT_GID_PINNED, NULL, "-x",
				command_number(options, "-x", -1));
		if (command_number(options, "-m", -1) >= 256)
			reader_number(reader, line, FACT_PATH_MTU, NULL, NULL,
				command_number(options, "-m", -1));
		if (command_number(options, "--tclass", -1) >= 0)
			reader_number(reader, line, FACT_TC, NULL, "--tclass",
				command_number(options, "--tclass", -1));
	}
}

/* " Mtu : 4096[B]" and its like, two pairs a line in some versions. */
static void read_parameters(const struct reader *reader, long line)
{
	static const struct {
		const char *printed, *name;
	} parameters[] = {
		{ "Mtu", "mtu" },
		{ "Number of qps", "qps" },
		{ "Device", "device" },
		{ "Link type", "link" },
		{ "Connection type", "connection" },
		{ "Transport type", "transport" },
		{ "rdma_cm QPs", "rdma_cm" },
		{ "Dual-port", "dual" },
	};
	const char *text = reader->lines[line].text;
	char value[64];

	if (scan_has(text, "Bidirectional BW Test"))
		reader_add(reader, line, FACT_PERF_PARAM, NULL, "bidirectional", "yes");
	if (!strchr(text, ':') || (*text != ' ' && !scan_after(text, " :")))
		return;
	for (size_t i = 0; i < COUNT_OF(parameters); i++) {
		const char *after = scan_after(text, parameters[i].printed);

		if (!after || after[strspn(after, " \t")] != ':' ||
			!scan_value(text, parameters[i].printed, value, sizeof(value)))
			continue;
		reader_add(reader, line, FACT_PERF_PARAM, NULL, parameters[i].name, value);
		if (strcmp(parameters[i].name, "link") == 0)
			reader_add(reader, line, FACT_LINK_LAYER, reader->device, NULL, value);
		if (strcmp(parameters[i].name, "mtu") == 0 && atof(value) >= 256)
			reader_number(reader, line, FACT_ACTIVE_MTU, reader->device, NULL,
				atof(value));
		if (strcmp(parameters[i].name, "device") == 0)
			reader_add(reader, line, FACT_RDMA_DEVICE, value, NULL, NULL);
	}
}

/* What the heading says, for the rows of this section: the unit of both
 * columns. perftest's MB is 2^20 bytes whatever it is called. */
static const char *heading_unit(const char *text)
{
	const char *average = scan_after(text, "BW average[");

	if (!average)
		return NULL;
	if (strncmp(average, "Gb", 2) == 0)
		return "Gb/sec";
	return strncmp(average, "MiB", 3) == 0 ? "MiB/sec" : "MB/sec";
}

static double to_gbps(const char *unit, double figure)
{
	return strcmp(unit, "Gb/sec") == 0 ? figure : figure * 0.008388608;
}

/* Perftest prints "-nan", "inf" and negative figures when its clock or counters
 * overflow; such a row is no measurement. */
static bool is_odd(const char *word, double number, double most)
{
	return scan_has(word, "nan") || scan_has(word, "inf") || number < 0 || number > most;
}

/* The unit of a row whose heading was cut off: its message rate times its size is its
 * bandwidth. Else the command's option, else the tool's default. */
static const char *row_unit(const char *text, const char *title)
{
	struct words words;
	double size, average, rate, gbps;

	scan_words(text, &words);
	if (words.count >= 5 && scan_whole_number(words.at[0], &size) &&
		scan_whole_number(words.at[3], &average) &&
		scan_whole_number(words.at[4], &rate) && rate > 0) {
		gbps = size * rate * 8 / 1000;
		if (average > gbps * 0.98 && average < gbps * 1.02)
			return "Gb/sec";
		return "MiB/sec";
	}
	return scan_has(title, "--report_gbits") ? "Gb/sec" : "MiB/sec";
}

static bool read_row(const struct reader *reader, long line, const char *unit)
{
	struct words words;
	double v[5] = { 0 };
	/* No port has a petabit a second. */
	double most = strcmp(unit, "Gb/sec") == 0 ? 1e6 : 1e9;
	bool odd = false;
	struct fact *fact;

	scan_words(reader->lines[line].text, &words);
	if (words.count < 4 || words.count > 7)
		return false;
	for (int i = 0; i < words.count && i < 5; i++) {
		bool number = scan_whole_number(words.at[i], &v[i]);

		if (!number && !scan_has(words.at[i], "nan") && !scan_has(words.at[i], "inf"))
			return false;
		odd = odd || (i >= 1 && is_odd(words.at[i], number ? v[i] : -1, most) &&
				     !(i == 1 && v[i] >= 0));
	}
	if (odd) {
		reader_add(reader, line, FACT_PERF_PARAM, NULL, "invalid",
			reader->lines[line].text);
		return true;
	}
	reader_number(reader, line, FACT_PERF_SIZE, NULL, NULL, v[0]);
	reader_number(reader, line, FACT_PERF_ITERATIONS, NULL, NULL, v[1]);
	fact = reader_number(reader, line, FACT_PERF_PEAK, NULL, NULL, to_gbps(unit, v[2]));
	fact->text = facts_keep(reader->facts, unit);
	fact = reader_number(reader, line, FACT_PERF_AVG, NULL, NULL, to_gbps(unit, v[3]));
	fact->text = facts_keep(reader->facts, unit);
	fact->more = v[3];
	if (words.count > 4)
		reader_number(reader, line, FACT_PERF_RATE, NULL, NULL, v[4]);
	return true;
}

/* Latency: any negative or infinite figure under a latency heading. */
static void read_latency(const struct reader *reader, long line)
{
	struct words words;
	double number;

	scan_words(reader->lines[line].text, &words);
	for (int i = 0; i < words.count; i++) {
		bool known = scan_whole_number(words.at[i], &number);

		if (!known && !scan_has(words.at[i], "nan"))
			return;
		if (words.count >= 4 && (!known || number < 0)) {
			reader_add(reader, line, FACT_PERF_PARAM, NULL, "invalid",
				reader->lines[line].text);
			return;
		}
	}
}

void parse_perftest(const struct reader *reader)
{
	const char *unit = NULL;
	bool latency = false, titled = false;

	read_command(reader, -1, reader->section->title);
	titled = scan_has(reader->section->title, "_bw");
	for (long i = 0; i < (long)reader->count && !unit; i++)
		unit = heading_unit(reader->lines[i].text);
	titled = titled && !unit;
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text, *here = heading_unit(text);

		unit = here ? here : unit;
		latency = latency || scan_has(text, "t_typical[usec]") ||
			  scan_has(text, "t_avg[usec]");
		read_command(reader, i, text);
		read_parameters(reader, i);
		if (latency)
			read_latency(reader, i);
		else if (titled)
			read_row(reader, i, row_unit(text, reader->section->title));
		else if (unit && !here)
			read_row(reader, i, unit);
	}
}
