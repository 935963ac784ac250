/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/pcap.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "reports/verdict.h"

/* Keeps RoCE, pause frames and tunnels that may hold RoCE, tagged or not. vlan
 * stands last: it moves all offsets behind it. */
#define LIVE_KEEP                                                                              \
	"udp dst port 4791 or ether proto 0x8915 or ether proto 0x8808 or udp dst port 4789 "  \
	"or udp dst port 6081 or proto gre"
#define LIVE_FILTER LIVE_KEEP " or (vlan and (" LIVE_KEEP "))"

struct pcap_args {
	struct opt_list files;
	const char *interface, *filter, *into;
	uint64_t for_ns, snaplen, rate_bps, flows, listed;
	unsigned window, priority;
	bool json, show_flows, timeline, one_tap;
};

#define ARG(field) offsetof(struct pcap_args, field)

static const struct opt pcap_opts[] = {
	{ OPT_TEXT, "i IFACE", ARG(interface), 0, 0, "capture from an interface" },
	{ OPT_NS, "for TIME", ARG(for_ns), NS_PER_MS, 86400 * NS_PER_S,
		"how long to capture; until interrupted unless given" },
	{ OPT_TEXT, "filter EXPRESSION", ARG(filter), 0, 0,
		"what to capture; RoCE and pause frames unless given" },
	{ OPT_BYTES, "snaplen BYTES", ARG(snaplen), 64, 262144,
		"bytes to capture a packet; 256KiB unless given" },
	{ OPT_RATE, "rate RATE", ARG(rate_bps), GBPS, 1600 * GBPS,
		"line rate of the ports, for pauses and bursts" },
	{ OPT_CHOICE, "window 10us|100us|1ms", ARG(window), 0, 0, "length of a microburst" },
	{ OPT_CHOICE, "priority none|0|1|2|3|4|5|6|7", ARG(priority), 0, 0,
		"the only one that may be paused; none: not told" },
	{ OPT_FLAG, "one-tap", ARG(one_tap), 0, 0,
		"all files are of one place: ports of a group, not ends of a path" },
	{ OPT_COUNT, "most-flows N", ARG(flows), 64, 100000000,
		"flows followed at once; those idle longest are closed" },
	{ OPT_FLAG, "flows", ARG(show_flows), 0, 0, "list the flows" },
	{ OPT_COUNT, "listed N", ARG(listed), 0, 10000000, "flows listed at most" },
	{ OPT_FLAG, "timeline", ARG(timeline), 0, 0, "list the events" },
	{ OPT_TEXT, "into RUN", ARG(into), 0, 0,
		"add what the capture says to this run file; weft report joins the two" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_ARGS, "FILE", ARG(files), 0, WIRE_FILES_MAX,
		"pcap or pcapng files, merged by time; - is standard input" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

/* Loads the file's next record. */
static void advance(struct pcap_file *file)
{
	int got = capture_next(file->capture, &file->record, &file->why);

	file->has_record = got == 1;
	if (got == 1 && file->record.has_time)
		file->time_ns = file->record.time_ns;
	if (got < 0 && got != -EAGAIN)
		file->damaged = true;
}

static struct pcap_file *earliest(struct pcap_report *report)
{
	struct pcap_file *found = NULL;

	for (uint16_t i = 0; i < report->file_count; i++) {
		struct pcap_file *file = &report->files[i];

		if (file->has_record && (!found || file->time_ns < found->time_ns))
			found = file;
	}
	return found;
}

static void read_one(struct pcap_report *report)
{
	struct pcap_file *file = &report->files[0];
	struct capture_record records[64];
	size_t count;

	file->tap = pcap_tap_for(report, file);
	while (!interrupted && file->has_record) {
		wire_record(&report->wire, &file->record, 0, 0);
		count = capture_at_hand(file->capture, records, COUNT_OF(records));
		wire_records(&report->wire, records, count, 0, 0);
		advance(file);
	}
}

static void read_files(struct pcap_report *report)
{
	struct pcap_file *file;

	for (uint16_t i = 0; i < report->file_count; i++)
		advance(&report->files[i]);
	if (report->file_count == 1) {
		read_one(report);
		return;
	}
	while (!interrupted && (file = earliest(report))) {
		if (file->tap == TAP_NONE)
			file->tap = pcap_tap_for(report, file);
		wire_record(&report->wire, &file->record, (uint16_t)(file - report->files),
			file->tap);
		advance(file);
	}
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The clock is looked at when nothing comes, and every so many records. */
static void read_live(struct pcap_report *report, uint64_t for_ns)
{
	struct pcap_file *file = &report->files[0];
	uint64_t end_ns = monotonic_ns() + for_ns;

	file->tap = 0;
	report->tap_names[0] = file->name;
	report->taps = 1;
	for (uint64_t turns = 0; !interrupted; turns++) {
		advance(file);
		if (file->has_record)
			wire_record(&report->wire, &file->record, 0, 0);
		if (file->damaged)
			break;
		if (for_ns && (!file->has_record || turns % 256 == 0) &&
			monotonic_ns() >= end_ns)
			break;
	}
}

/* Some link layers, as that of "any", know no VLAN tags. */
static int open_live(struct pcap_file *file, const struct pcap_args *args, struct diag *diag)
{
	uint32_t snaplen = args->snaplen ? (uint32_t)args->snaplen : 262144;
	int err = capture_open_live(&file->capture, file->name,
		args->filter ? args->filter : LIVE_FILTER, snaplen, diag);

	if (err && !args->filter &&
		!capture_open_live(&file->capture, file->name, LIVE_KEEP, snaplen, diag))
		err = 0;
	return err;
}

static int open_files(struct pcap_report *report, const struct pcap_args *args)
{
	struct diag diag;

	report->file_count = args->interface ? 1 : (uint16_t)args->files.count;
	report->files = zeroed(report->file_count, sizeof(*report->files));
	for (uint16_t i = 0; i < report->file_count; i++) {
		struct pcap_file *file = &report->files[i];
		int err;

		file->tap = TAP_NONE;
		file->name = args->interface ? args->interface : args->files.items[i];
		if (args->interface)
			err = open_live(file, args, &diag);
		else
			err = capture_open(&file->capture, file->name, &diag);
		if (err) {
			fprintf(stderr, "weft pcap: %s: %s\n", file->name, diag.text);
			return err;
		}
	}
	return 0;
}

static int compare_serial(const void *left, const void *right, void *context)
{
	const struct flow_table *flows = context;
	uint32_t a = flow_at(flows, *(const uint32_t *)left)->serial;
	uint32_t b = flow_at(flows, *(const uint32_t *)right)->serial;

	return (a > b) - (a < b);
}

static void put_in_order(struct pcap_report *report)
{
	struct flow_table *flows = &report->wire.flows;
	uint32_t serial = 0;
	bool in_order = true; /* they are, until places are used again */

	report->order = zeroed(flows->live, sizeof(*report->order));
	for (uint32_t i = 0; i < flows->count; i++) {
		if (!flow_is_live(flows, i))
			continue;
		report->order[report->flow_count++] = i;
		in_order &= flow_at(flows, i)->serial > serial;
		serial = flow_at(flows, i)->serial;
	}
	if (!in_order)
		qsort_r(report->order, report->flow_count, sizeof(*report->order),
			compare_serial, flows);
}

static void conclude(struct pcap_report *report)
{
	wire_finish(&report->wire);
	put_in_order(report);
	report->facts.tap_names = report->tap_names;
	report->facts.taps = report->taps;
	for (uint16_t i = 0; i < report->file_count; i++) {
		const struct pcap_file *file = &report->files[i];
		const struct capture_info *info = capture_info(file->capture);

		report->facts.cut |= info->cut_last_record;
		report->facts.dropped += info->dropped;
		if (!file->damaged)
			continue;
		report->facts.damaged = file->why.text;
		fprintf(stderr, "weft pcap: %s: %s\n", file->name, file->why.text);
	}
	wire_judge(&report->wire, &report->facts, &report->findings);
}

static void report_free(struct pcap_report *report)
{
	for (uint16_t i = 0; report->files && i < report->file_count; i++)
		capture_close(report->files[i].capture);
	free(report->files);
	free(report->order);
	findings_free(&report->findings);
	wire_free(&report->wire);
}

static int run(const struct pcap_args *args)
{
	struct pcap_report report = {
		.one_tap = args->one_tap,
		.findings = FINDINGS_INIT,
		/* The first choice is none, which is above all others here. */
		.facts = { .priority = args->priority ? args->priority - 1 : UINT32_MAX },
		.listed = args->listed,
	};
	struct wire_options options = {
		.flows_most = (uint32_t)args->flows,
		.rate_bps = args->rate_bps,
		.burst_scale = args->window,
	};
	struct pcap_text_options text = { args->show_flows, args->timeline };
	struct diag diag;
	int status = EXIT_UNKNOWN;

	wire_init(&report.wire, &options);
	if (open_files(&report, args))
		goto out;
	if (args->interface)
		read_live(&report, args->for_ns);
	else
		read_files(&report);
	conclude(&report);
	status = report_exit_status(findings_verdict(&report.findings));
	if (args->into && pcap_put_into(&report, args->into, &diag)) {
		fprintf(stderr, "weft pcap: %s\n", diag.text);
		status = EXIT_UNKNOWN;
	}
	if (args->json && pcap_write_json(stdout, &report))
		status = exit_untold(status);
	else if (!args->json)
		pcap_write_text(stdout, &report, &text);
out:
	report_free(&report);
	return status;
}

static int refuse(const char *sentence)
{
	fprintf(stderr, "weft pcap: %s\n", sentence);
	return -EINVAL;
}

/* What the options together cannot mean. */
static int refused(const struct pcap_args *args)
{
	size_t inputs = 0;

	for (size_t i = 0; i < args->files.count; i++)
		inputs += strcmp(args->files.items[i], "-") == 0;
	if (inputs > 1)
		return refuse("- is given twice: standard input is read once");
	if (!args->interface && !args->files.count)
		return refuse("nothing to read: give FILE or -i IFACE");
	if (args->interface && args->files.count)
		return refuse("either -i IFACE or files, not both");
	if (args->interface)
		return 0;
	if (args->filter)
		return refuse("--filter: expected only with -i IFACE");
	if (args->for_ns)
		return refuse("--for: expected only with -i IFACE");
	if (args->snaplen)
		return refuse("--snaplen: expected only with -i IFACE");
	return 0;
}

int cmd_pcap(int argc, char **argv)
{
	struct pcap_args args = {
		.flows = 2000000,
		.listed = 10000,
		.window = 1,
	};
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	int status;

	if (!opt_read("pcap",
		    "Says what RoCE and pause frames of a capture tell of the network: loss "
		    "and "
		    "where, reordering, corruption, congestion.",
		    pcap_opts, argc, argv, &args, &status))
		return status;
	if (refused(&args))
		return EXIT_UNKNOWN;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return run(&args);
}
