/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cmd/pcap.h"
#include "lib/json.h"
#include "pfc/roce.h"

static const char *const ecn_names[] = { "not_ect", "ect1", "ect0", "ce" };

/* A flow that is not the main one of its QP keeps no books of PSNs. */
static const struct psn_books nothing;

struct books {
	const struct psn_books *requests, *responses;
};

static struct books books_of(const struct wire *wire, const struct flow *flow)
{
	struct books books = { &nothing, &nothing };

	if (flow_at(&wire->flows, flow->main) != flow)
		return books;
	books.requests = wire_requests(wire, flow);
	books.responses = wire_responses(wire, flow);
	return books;
}

const char *pcap_gap_cause(const struct wire *wire, const struct flow *flow)
{
	struct books books = books_of(wire, flow);

	if (!books.requests->gap_events && !books.responses->gap_events)
		return NULL;
	if (books.requests->lost_network || books.responses->lost_network)
		return "network";
	if (books.requests->lost_capture || books.responses->lost_capture)
		return "capture";
	return NULL;
}

const char *pcap_resend_cause(const struct wire *wire, const struct flow *flow)
{
	struct books books = books_of(wire, flow);
	uint32_t most = 0, count;
	const char *name = NULL;

	for (unsigned i = 0; i < RESEND_CAUSES; i++) {
		count = books.requests->resent[i] + books.responses->resent[i];
		if (count > most) {
			most = count;
			name = resend_cause_name((enum resend_cause)i);
		}
	}
	return name;
}

static void put_span(
	struct json *object, const char *key, bool any, uint32_t first, uint32_t last)
{
	struct json *span;

	if (!any) {
		json_put_null(object, key);
		return;
	}
	span = json_put_object(object, key);
	json_put_u64(span, "first", first);
	json_put_u64(span, "last", last);
}

static void put_packets(struct json *object, const struct wire *wire, const struct flow *flow)
{
	const struct flow_trouble *trouble = flow_trouble_seen(&wire->flows, flow);
	struct flow_counts counts = flow_counts(&wire->flows, flow);
	struct json *naks, *ecn, *dscp;
	uint64_t dscps[64];
	char key[8];

	json_put_u64(object, "packets", counts.packets);
	json_put_u64(object, "ip_bytes", flow->ip_bytes);
	json_put_u64(object, "payload_bytes", flow->payload_bytes);
	json_put_u64(object, "requests", counts.requests);
	json_put_u64(object, "read_requests", counts.read_requests);
	json_put_u64(object, "responses", counts.responses);
	json_put_u64(object, "acks", counts.acks);
	naks = json_put_object(object, "naks");
	for (unsigned i = 0; i < NAK_REASONS; i++)
		json_put_u64(naks, nak_reason_name((enum nak_reason)i), trouble->naks[i]);
	json_put_u64(object, "rnr_naks", trouble->rnr_naks);
	json_put_u64(object, "cnps", trouble->cnps);
	ecn = json_put_object(object, "ecn");
	for (unsigned i = 0; i < 4; i++)
		json_put_u64(ecn, ecn_names[i], counts.ecn[i]);
	dscp = json_put_object(object, "dscp");
	flow_dscps(&wire->flows, flow, dscps);
	for (unsigned i = 0; i < 64; i++) {
		snprintf(key, sizeof(key), "%u", i);
		if (dscps[i])
			json_put_u64(dscp, key, dscps[i]);
	}
	json_put_u64(object, "icrc_bad", trouble->icrc_bad);
	put_span(object, "request_psn", flow->has_request, flow->request_first,
		flow->request_last);
	put_span(object, "response_psn", flow->has_response, flow->response_first,
		flow->response_last);
}

static void put_books(struct json *object, const struct wire *wire, const struct flow *flow)
{
	struct books books = books_of(wire, flow);
	const struct psn_books *a = books.requests, *b = books.responses;
	struct json *by_cause;
	uint64_t resent = 0;

	json_put_u64(object, "gap_events", a->gap_events + b->gap_events);
	json_put_u64(object, "gap_psns", a->gap_psns + b->gap_psns);
	json_put_u64(object, "missing", a->missing + b->missing);
	json_put_text(object, "gap_cause", pcap_gap_cause(wire, flow));
	json_put_u64(object, "repeated", a->repeated + b->repeated);
	for (unsigned i = 0; i < RESEND_CAUSES; i++)
		resent += a->resent[i] + b->resent[i];
	json_put_u64(object, "retransmitted", resent);
	json_put_text(object, "retransmit_cause", pcap_resend_cause(wire, flow));
	json_put_u64(object, "out_of_order", a->out_of_order + b->out_of_order);
	if (!resent && !a->gap_events && !b->gap_events && !a->copies)
		return;
	by_cause = json_put_object(object, "retransmitted_by_cause");
	for (unsigned i = 0; i < RESEND_CAUSES; i++)
		json_put_u64(by_cause, resend_cause_name((enum resend_cause)i),
			a->resent[i] + b->resent[i]);
	json_put_u64(object, "lost_network", a->lost_network + b->lost_network);
	json_put_u64(object, "lost_behind_tap", a->lost_after);
	json_put_u64(object, "lost_capture", a->lost_capture + b->lost_capture);
	json_put_u64(object, "lost_unknown", a->lost_unknown + b->lost_unknown);
	json_put_u64(object, "captured_twice", a->copies + b->copies);
}

static void put_log2(struct json *object, const char *key, const uint32_t *counts, size_t count)
{
	struct json *at = json_put_object(object, key);
	char from[24];

	for (size_t i = 0; i < count; i++) {
		snprintf(from, sizeof(from), "%" PRIu64, i ? UINT64_C(1) << i : 0);
		if (counts[i])
			json_put_u64(at, from, counts[i]);
	}
}

static void put_series(struct json *object, const struct flow_detail *detail)
{
	struct json *series, *bytes, *marked, *cnps;
	unsigned last = 0;

	for (unsigned i = 0; i < FLOW_SERIES; i++)
		if (detail->series_bytes[i] || detail->series_cnps[i])
			last = i + 1;
	if (!last)
		return;
	series = json_put_object(object, "series");
	json_put_double(series, "step_us", (double)detail->series_width_ns / 1e3);
	bytes = json_put_array(series, "payload_bytes");
	marked = json_put_array(series, "ce");
	cnps = json_put_array(series, "cnps_received");
	for (unsigned i = 0; i < last; i++) {
		json_add_u64(bytes, detail->series_bytes[i]);
		json_add_u64(marked, detail->series_ce[i]);
		json_add_u64(cnps, detail->series_cnps[i]);
	}
}

static void put_detail(struct json *object, const struct flow_detail *detail, uint8_t service)
{
	struct json *at;
	char key[8];

	at = json_put_object(object, "opcodes");
	for (unsigned i = 0; i < 32; i++) {
		snprintf(key, sizeof(key), "0x%02x", (unsigned)service << 5 | i);
		if (detail->opcodes[i])
			json_put_u64(at, key, detail->opcodes[i]);
	}
	if (detail->messages) {
		at = json_put_object(object, "messages");
		json_put_u64(at, "count", detail->messages);
		json_put_u64(at, "bytes", detail->message_bytes);
		json_put_u64(at, "largest_bytes", detail->message_bytes_max);
		put_log2(at, "count_from_bytes", detail->message_log2, FLOW_LOG2);
	}
	if (detail->ack_times) {
		at = json_put_object(object, "ack_latency_ns");
		json_put_u64(at, "count", detail->ack_times);
		json_put_u64(at, "min", detail->ack_ns_min);
		json_put_u64(at, "mean", detail->ack_ns_sum / detail->ack_times);
		json_put_u64(at, "max", detail->ack_ns_max);
		put_log2(at, "count_from_ns", detail->ack_ns_log2, FLOW_LOG2);
	}
	if (detail->cnp_windows) {
		double windows_ns = (double)detail->cnp_windows * (double)FLOW_RATE_NS;

		at = json_put_object(object, "rate_around_cnps");
		json_put_u64(at, "windows", detail->cnp_windows);
		json_put_double(
			at, "before_gbps", (double)detail->cnp_bytes_before * 8 / windows_ns);
		json_put_double(
			at, "after_gbps", (double)detail->cnp_bytes_after * 8 / windows_ns);
	}
	put_series(object, detail);
}

static void put_connection(
	struct json *object, const struct pcap_report *report, const struct flow *flow)
{
	const struct wire *wire = &report->wire;

	if (report->taps > 1)
		json_put_text(object, "tap", report->tap_names[flow->key.tap]);
	if (flow_at(&wire->flows, flow->main) != flow)
		return;
	if (flow->peer != FLOW_NONE)
		json_put_u64(object, "peer_dest_qp", flow_at(&wire->flows, flow->peer)->key.qp);
	else
		json_put_null(object, "peer_dest_qp");
	if (flow->mtu)
		json_put_u64(object, "path_mtu", flow->mtu);
	else
		json_put_null(object, "path_mtu");
	json_put_u64(object, "first_time_ns", flow->first_ns);
	json_put_u64(object, "last_time_ns", flow->last_ns);
	json_put_u64(object, "ce_data", flow_counts(&wire->flows, flow).data_ecn[3]);
	if (flow->has_vlan)
		json_put_u64(object, "vlan_priority", flow->vlan_priority);
	if (flow->detail != FLOW_NONE)
		put_detail(object, &wire->flows.details[flow->detail], flow->service);
}

static void put_flow(
	struct json *list, const struct pcap_report *report, const struct flow *flow)
{
	struct json *object = json_add_object(list);
	char address[48];

	flow_address_text(flow->key.src, flow->key.family, address, sizeof(address));
	json_put_text(object, "src", address);
	flow_address_text(flow->key.dst, flow->key.family, address, sizeof(address));
	json_put_text(object, "dst", address);
	if (flow->key.family == FLOW_GID) {
		json_put_null(object, "src_port");
		json_put_null(object, "dst_port");
	} else {
		json_put_u64(object, "src_port", flow->src_port);
		json_put_u64(object, "dst_port", ROCE_UDP_PORT);
	}
	json_put_u64(object, "dest_qp", flow->key.qp);
	put_packets(object, &report->wire, flow);
	put_books(object, &report->wire, flow);
	put_connection(object, report, flow);
}

void pcap_put_flows(struct json *root, const struct pcap_report *report)
{
	struct json *list = json_put_array(root, "flows");
	size_t count = report->flow_count < report->listed ? report->flow_count
							   : (size_t)report->listed;

	for (size_t i = 0; i < count; i++)
		put_flow(list, report, flow_at(&report->wire.flows, report->order[i]));
	json_put_u64(
		root, "flows_left_out", report->flow_count - count + report->wire.closed_flows);
}
