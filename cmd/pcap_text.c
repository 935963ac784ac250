/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cmd/pcap.h"
#include "lib/units.h"
#include "pfc/roce.h"

void pcap_about(const struct pcap_report *report, char *text, size_t size)
{
	const struct wire *wire = &report->wire;
	const struct wire_sums *sums = &wire->sums;
	uint64_t resent = 0;

	for (unsigned i = 0; i < RESEND_CAUSES; i++)
		resent += sums->resent[i];
	snprintf(text, size,
		"%" PRIu64 " records: %" PRIu64 " RoCE packets in %" PRIu64 " flows, %" PRIu64
		" pause frames, %" PRIu64 " others; gaps %" PRIu64 ", sent again %" PRIu64,
		wire->records, wire->roce_v1 + wire->roce_v2, sums->flows, wire->mac_control,
		wire->other, sums->gap_events, resent);
	if (report->taps > 1)
		snprintf(text + strlen(text), size - strlen(text), "; %u taps together",
			report->taps);
}

static void write_findings(FILE *out, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		fprintf(out, "%-7s  %s\n", verdict_name(finding->verdict), finding->text);
		if (finding->verdict == VERDICT_PASS)
			continue;
		if (finding->culprit_kind == CULPRIT_NOT_NETWORK)
			fprintf(out, "         culprit: not the network%s%s%s\n",
				finding->culprit[0] ? " (" : "", finding->culprit,
				finding->culprit[0] ? ")" : "");
		else if (finding->culprit[0])
			fprintf(out, "         culprit: %s %s\n",
				culprit_kind_name(finding->culprit_kind), finding->culprit);
		if (finding->advice[0])
			fprintf(out, "         advice: %s\n", finding->advice);
	}
}

static void write_files(FILE *out, const struct pcap_report *report)
{
	static const char *const formats[] = { "pcap", "pcapng", "live" };

	for (uint16_t i = 0; i < report->file_count; i++) {
		const struct pcap_file *file = &report->files[i];
		const struct capture_info *info = capture_info(file->capture);

		fprintf(out, "%s: %s, %" PRIu64 " records", file->name, formats[info->format],
			info->records);
		if (info->dropped_counted)
			fprintf(out, ", %" PRIu64 " dropped by the capturer", info->dropped);
		if (info->cut_last_record)
			fprintf(out, ", the last one cut");
		if (report->file_count > 1 && file->tap != TAP_NONE)
			fprintf(out, ", tap %u", file->tap + 1u);
		fprintf(out, "\n");
	}
}

static void write_packets(FILE *out, const struct wire *wire)
{
	const char *comma = "";
	char text[40];

	fprintf(out, "ICRC: %" PRIu64 " right, %" PRIu64 " wrong, %" PRIu64 " not checked\n",
		wire->icrc[ICRC_OK], wire->icrc[ICRC_BAD], wire->icrc[ICRC_UNCHECKED]);
	fprintf(out, "opcodes:");
	for (unsigned i = 0; i < 256; i++) {
		if (!wire->opcodes[i])
			continue;
		fprintf(out, "%s %s %" PRIu64, comma, roce_opcode_name((uint8_t)i),
			wire->opcodes[i]);
		comma = ",";
	}
	fprintf(out, "\n");
	for (unsigned i = 0; i < 64; i++) {
		if (wire->dscp_use[i].data || wire->dscp_use[i].acks || wire->dscp_use[i].cnps)
			fprintf(out,
				"DSCP %u: %" PRIu64 " data packets, %" PRIu64 " ACKs and NAKs, "
				"%" PRIu64 " CNPs\n",
				i, wire->dscp_use[i].data, wire->dscp_use[i].acks,
				wire->dscp_use[i].cnps);
	}
	for (uint32_t i = 0; i < wire->tag_count; i++) {
		tag_text(&wire->tags[i], text, sizeof(text));
		fprintf(out, "%s%s", i ? ", " : "around the packets: ", text);
	}
	if (wire->tag_count)
		fprintf(out, "\n");
}

static uint64_t duration_ns(const struct flow *flow)
{
	return flow->last_ns > flow->first_ns ? flow->last_ns - flow->first_ns : 0;
}

static void write_flow(FILE *out, const struct pcap_report *report, const struct flow *flow)
{
	const struct wire *wire = &report->wire;
	const struct psn_books *books = wire_requests(wire, flow);
	const char *cause = pcap_resend_cause(wire, flow);
	const char *gap = pcap_gap_cause(wire, flow);
	uint64_t ns = duration_ns(flow), resent = 0;
	char text[128];

	wire_flow_text(flow, text, sizeof(text));
	fprintf(out, "%s: %" PRIu64 " packets, %" PRIu64 " bytes of payload", text,
		flow_counts(&wire->flows, flow).packets, flow->payload_bytes);
	if (ns)
		fprintf(out, ", %.2f Gb/s", (double)flow->payload_bytes * 8 / (double)ns);
	if (report->taps > 1)
		fprintf(out, ", at %s", report->tap_names[flow->key.tap]);
	fprintf(out, "\n");
	if (flow_at(&wire->flows, flow->main) != flow)
		return;
	for (unsigned i = 0; i < RESEND_CAUSES; i++)
		resent += wire_resent(wire, flow, (enum resend_cause)i);
	if (books->gap_events || resent || books->out_of_order)
		fprintf(out,
			"  %" PRIu32 " gaps (%s), %" PRIu64 " sent again (%s), %" PRIu32
			" out of order, %" PRIu32 " still missing\n",
			books->gap_events, gap ? gap : "cause not known", resent,
			cause ? cause : "-", books->out_of_order, books->missing);
	if (flow->detail != FLOW_NONE && wire->flows.details[flow->detail].ack_times) {
		const struct flow_detail *detail = &wire->flows.details[flow->detail];

		fprintf(out,
			"  ACK after %.1f us on average, %.1f at least, %.1f at most (%" PRIu32
			" timed)\n",
			(double)detail->ack_ns_sum / detail->ack_times / 1e3,
			(double)detail->ack_ns_min / 1e3, (double)detail->ack_ns_max / 1e3,
			detail->ack_times);
	}
}

static void write_flows(FILE *out, const struct pcap_report *report)
{
	size_t count = report->flow_count < report->listed ? report->flow_count
							   : (size_t)report->listed;

	fprintf(out, "\n");
	for (size_t i = 0; i < count; i++)
		write_flow(out, report, flow_at(&report->wire.flows, report->order[i]));
	if (count < report->flow_count)
		fprintf(out, "and %zu flows more (--listed)\n", report->flow_count - count);
}

static void write_event(FILE *out, const struct pcap_report *report, const struct event *event)
{
	static const char *const streams[] = { "", " request", " response" };

	if (event->has_time)
		fprintf(out, "%14.3f us",
			(double)(event->time_ns - report->wire.first_ns) / 1e3);
	else
		fprintf(out, "%17s", "no time");
	fprintf(out, "  record %" PRIu64, event->record);
	if (report->file_count > 1)
		fprintf(out, " of %s", report->files[event->file].name);
	fprintf(out, "  QP %" PRIu32 "%s %s", event->qp, streams[event->stream],
		event_kind_name(event->kind));
	if (event->kind == EVENT_NAK)
		fprintf(out, " %s", nak_reason_name(event->detail));
	if (event->kind == EVENT_RNR_NAK)
		fprintf(out, ", wait %.2f ms", (double)rnr_timer_ns(event->detail) / 1e6);
	if (event->kind != EVENT_CNP)
		fprintf(out, ", PSN %" PRIu32, event->psn);
	if (event->kind == EVENT_GAP || event->kind == EVENT_EARLY)
		fprintf(out, " where %" PRIu32 " was due", event->expected_psn);
	fprintf(out, "\n");
}

static void write_timeline(FILE *out, const struct pcap_report *report)
{
	const struct events *events = &report->wire.events;

	fprintf(out, "\n");
	for (size_t i = 0; i < events->count; i++)
		write_event(out, report, &events->items[i]);
	if (events->left_out)
		fprintf(out, "and %" PRIu64 " events more that were not kept\n",
			events->left_out);
	if (!events->count)
		fprintf(out, "no events\n");
}

static void write_peaks(FILE *out, const struct wire *wire)
{
	const struct burst_port *port, *highest = NULL;
	unsigned scale = wire->bursts.scale;
	char address[48];

	for (size_t i = 0; i < wire->bursts.count; i++) {
		port = &wire->bursts.ports[i];
		if (!highest || port->peak_bytes[scale] > highest->peak_bytes[scale])
			highest = port;
	}
	if (!highest || !highest->peak_bytes[scale])
		return;
	flow_address_text(highest->address, highest->family, address, sizeof(address));
	fprintf(out, "highest peak: %.2f Gb/s over %" PRIu64 " us towards %s%s\n",
		(double)highest->peak_bytes[scale] * 8 / (double)burst_window_ns(scale),
		burst_window_ns(scale) / 1000, address,
		wire->bursts.rate_bps ? "" : "; bursts need the line rate: --rate");
}

void pcap_write_text(
	FILE *out, const struct pcap_report *report, const struct pcap_text_options *options)
{
	const struct wire *wire = &report->wire;
	char about[200];

	fprintf(out, "%s\n\n", verdict_name(findings_verdict(&report->findings)));
	write_findings(out, &report->findings);
	fprintf(out, "\n");
	write_files(out, report);
	pcap_about(report, about, sizeof(about));
	fprintf(out, "%s\n", about);
	if (wire->has_time)
		fprintf(out, "%.3f ms from the first to the last\n",
			(double)(wire->last_ns - wire->first_ns) / (double)NS_PER_MS);
	if (wire->roce_v1 + wire->roce_v2)
		write_packets(out, wire);
	write_peaks(out, wire);
	if (options->flows)
		write_flows(out, report);
	if (options->timeline)
		write_timeline(out, report);
}
