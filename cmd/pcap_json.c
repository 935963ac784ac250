/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pcap.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"
#include "pfc/roce.h"

#define SCHEMA "weft-pcap"
#define SCHEMA_VERSION 1

/* A list of texts, or the text when all are the same. */
static void put_texts(
	struct json *object, const char *key, const char (*texts)[24], size_t count)
{
	struct json *list;
	bool same = true;

	for (size_t i = 1; i < count; i++)
		same = same && strcmp(texts[i], texts[0]) == 0;
	if (same) {
		json_put_text(object, key, count ? texts[0] : NULL);
		return;
	}
	list = json_put_array(object, key);
	for (size_t i = 0; i < count; i++)
		json_add_text(list, texts[i]);
}

static void put_numbers(
	struct json *object, const char *key, const uint64_t *numbers, size_t count)
{
	struct json *list;
	bool same = true;

	for (size_t i = 1; i < count; i++)
		same = same && numbers[i] == numbers[0];
	if (count == 0) {
		json_put_null(object, key);
		return;
	}
	if (same) {
		json_put_u64(object, key, numbers[0]);
		return;
	}
	list = json_put_array(object, key);
	for (size_t i = 0; i < count; i++)
		json_add_u64(list, numbers[i]);
}

static void put_link_types(struct json *container, const struct capture_info *info)
{
	struct json *list = json_put_array(container, "link_types");

	for (uint32_t i = 0; i < info->interface_count; i++) {
		uint32_t before = 0;

		while (info->interfaces[before].link_type != info->interfaces[i].link_type)
			before++;
		if (before == i)
			json_add_u64(list, info->interfaces[i].link_type);
	}
}

static void put_interfaces(struct json *container, const struct capture_info *info)
{
	char(*texts)[24];
	uint64_t *snaplens;
	size_t count =
		info->sections > info->interface_count ? info->sections : info->interface_count;

	texts = zeroed(count + 1, sizeof(*texts));
	snaplens = zeroed(count + 1, sizeof(*snaplens));
	for (uint32_t i = 0; i < info->sections; i++)
		snprintf(texts[i], sizeof(texts[i]), "%s",
			info->section_big[i] ? "big" : "little");
	put_texts(container, "byte_order", (const char(*)[24])texts, info->sections);
	for (uint32_t i = 0; i < info->interface_count; i++) {
		capture_clock_name(info->interfaces[i].clock, texts[i], sizeof(texts[i]));
		snaplens[i] = info->interfaces[i].snaplen;
	}
	put_texts(container, "time_unit", (const char(*)[24])texts, info->interface_count);
	put_numbers(container, "snaplen", snaplens, info->interface_count);
	put_link_types(container, info);
	free(texts);
	free(snaplens);
}

static void put_container(struct json *object, const struct capture_info *info)
{
	static const char *const formats[] = { "pcap", "pcapng", "live" };
	struct json *container = json_put_object(object, "container");

	json_put_text(container, "format", formats[info->format]);
	json_put_u64(container, "sections", info->sections);
	json_put_u64(container, "interfaces", info->interface_count);
	json_put_bool(container, "cut_last_record", info->cut_last_record);
	put_interfaces(container, info);
	json_put_u64(container, "records_without_time", info->records_without_time);
	if (info->dropped_counted)
		json_put_u64(container, "dropped", info->dropped);
	else
		json_put_null(container, "dropped");
}

static int compare_text(const void *left, const void *right)
{
	return strcmp(left, right);
}

static void put_encapsulation(struct json *roce, const struct wire *wire)
{
	struct json *list = json_put_array(roce, "encapsulation");
	char(*texts)[40] = zeroed(wire->tag_count + 1, sizeof(*texts));

	for (uint32_t i = 0; i < wire->tag_count; i++)
		tag_text(&wire->tags[i], texts[i], sizeof(texts[i]));
	qsort(texts, wire->tag_count, sizeof(*texts), compare_text);
	for (uint32_t i = 0; i < wire->tag_count; i++)
		json_add_text(list, texts[i]);
	free(texts);
}

static void put_roce(struct json *root, const struct wire *wire)
{
	struct json *roce = json_put_object(root, "roce"), *opcodes, *icrc;
	char key[8];

	json_put_u64(roce, "packets", wire->roce_v1 + wire->roce_v2);
	json_put_u64(roce, "v1", wire->roce_v1);
	json_put_u64(roce, "v2", wire->roce_v2);
	json_put_u64(roce, "bth_cut", wire->bth_cut);
	opcodes = json_put_object(roce, "opcodes");
	for (unsigned i = 0; i < 256; i++) {
		snprintf(key, sizeof(key), "0x%02x", i);
		if (wire->opcodes[i])
			json_put_u64(opcodes, key, wire->opcodes[i]);
	}
	icrc = json_put_object(roce, "icrc");
	json_put_u64(icrc, "ok", wire->icrc[ICRC_OK]);
	json_put_u64(icrc, "bad", wire->icrc[ICRC_BAD]);
	json_put_u64(icrc, "unchecked", wire->icrc[ICRC_UNCHECKED]);
	put_encapsulation(roce, wire);
	json_put_u64(roce, "fragments", wire->fragments);
	json_put_u64(roce, "malformed", wire->malformed);
}

static void put_event(
	struct json *list, const struct pcap_report *report, const struct event *event)
{
	struct json *object = json_add_object(list);
	bool psn = event->kind != EVENT_CNP;

	json_put_u64(object, "record", event->record);
	if (report->file_count > 1)
		json_put_text(object, "file", report->files[event->file].name);
	if (event->has_time)
		json_put_u64(object, "time_ns", event->time_ns);
	json_put_text(object, "kind", event_kind_name(event->kind));
	if (event->kind == EVENT_NAK)
		json_put_text(object, "reason", nak_reason_name(event->detail));
	if (event->kind == EVENT_RNR_NAK) {
		json_put_u64(object, "timer_code", event->detail);
		json_put_double(object, "timer_ms", (double)rnr_timer_ns(event->detail) / 1e6);
	}
	if (event->stream != STREAM_NONE)
		json_put_text(object, "stream",
			event->stream == STREAM_REQUEST ? "request" : "response");
	json_put_u64(object, "dest_qp", event->qp);
	if (psn)
		json_put_u64(object, "psn", event->psn);
	if (event->kind == EVENT_GAP || event->kind == EVENT_EARLY)
		json_put_u64(object, "expected_psn", event->expected_psn);
}

static void put_events(struct json *root, const struct pcap_report *report)
{
	const struct events *events = &report->wire.events;
	struct json *list = json_put_array(root, "events");

	for (size_t i = 0; i < events->count; i++)
		put_event(list, report, &events->items[i]);
	json_put_u64(root, "events_left_out", events->left_out);
}

static double us_of(uint64_t ps)
{
	return (double)((ps + 500) / 1000) / 1000;
}

static void put_class(struct json *priorities, const struct pause *pause,
	const struct pause_source *source, unsigned class)
{
	const struct pause_class *counts = &source->classes[class];
	struct json *object, *paused, *longest;
	char key[16];

	if (!counts->xoff && !counts->xon)
		return;
	snprintf(key, sizeof(key), class == PAUSE_PORT ? "802.3x" : "%u", class);
	object = json_put_object(priorities, key);
	json_put_u64(object, "xoff", counts->xoff);
	json_put_u64(object, "xon", counts->xon);
	json_put_u64(object, "quanta_sum", counts->quanta_sum);
	paused = json_put_object(object, "paused_us");
	longest = json_put_object(object, "longest_us");
	for (size_t i = 0; i < PAUSE_RATES; i++) {
		if (!pause->rate_gbps[i])
			continue;
		snprintf(key, sizeof(key), "%u", pause->rate_gbps[i]);
		json_put_double(paused, key, us_of(pause_ps(pause, counts, i)));
		json_put_double(longest, key, us_of(pause_longest_ps(pause, counts, i)));
	}
}

static void put_mac_control(struct json *root, const struct pcap_report *report)
{
	const struct pause *pause = &report->wire.pause;
	struct json *object, *list, *at, *priorities;
	char mac[MAC_TEXT_BYTES];

	if (!report->wire.mac_control)
		return;
	object = json_put_object(root, "mac_control");
	json_put_u64(object, "pfc", pause->pfc);
	json_put_u64(object, "pause_802_3x", pause->pause_802_3x);
	json_put_u64(object, "unknown_opcode", pause->unknown_opcode);
	json_put_u64(object, "cut", pause->cut);
	list = json_put_array(object, "sources");
	for (size_t i = 0; i < pause->count; i++) {
		const struct pause_source *source = &pause->sources[i];

		at = json_add_object(list);
		mac_text(source->mac, mac);
		json_put_text(at, "src", mac);
		if (report->taps > 1)
			json_put_text(at, "tap", report->tap_names[source->file]);
		json_put_u64(at, "frames", source->frames);
		json_put_u64(at, "pfc_without_class", source->without_class);
		json_put_u64(at, "cut", source->cut);
		priorities = json_put_object(at, "priorities");
		for (unsigned class = 0; class < PAUSE_CLASSES; class ++)
			put_class(priorities, pause, source, class);
	}
}

static void put_burst_port(
	struct json *list, const struct wire *wire, const struct burst_port *port)
{
	static const char *const names[] = { "10", "100", "1000" };
	struct json *object = json_add_object(list), *peaks;
	char address[48];

	flow_address_text(port->address, port->family, address, sizeof(address));
	json_put_text(object, "towards", address);
	peaks = json_put_object(object, "peak_gbps");
	for (unsigned i = 0; i < BURST_SCALES; i++)
		json_put_double(peaks, names[i],
			(double)port->peak_bytes[i] * 8 / (double)burst_window_ns(i));
	json_put_u64(object, "peak_time_ns", port->peak_ns[wire->bursts.scale]);
	if (!wire->bursts.rate_bps)
		return;
	json_put_u64(object, "bursts", port->bursts);
	json_put_double(object, "longest_us",
		(double)(port->longest * burst_window_ns(wire->bursts.scale)) / 1e3);
	json_put_u64(object, "bytes_in_bursts", port->burst_bytes);
}

static void put_bursts(struct json *root, const struct pcap_report *report)
{
	const struct bursts *bursts = &report->wire.bursts;
	struct json *object = json_put_object(root, "microbursts"), *list;

	if (bursts->rate_bps)
		json_put_u64(object, "line_rate_bps", bursts->rate_bps);
	else
		json_put_null(object, "line_rate_bps");
	json_put_double(object, "window_us", (double)burst_window_ns(bursts->scale) / 1e3);
	list = json_put_array(object, "ports");
	for (size_t i = 0; i < bursts->count && i < report->listed; i++)
		put_burst_port(list, &report->wire, &bursts->ports[i]);
}

static void put_findings(struct json *root, const struct findings *findings)
{
	struct json *list = json_put_array(root, "findings"), *object;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		object = json_add_object(list);
		json_put_text(object, "check", finding->check);
		json_put_text(object, "verdict", verdict_name(finding->verdict));
		json_put_text(object, "culprit_kind", culprit_kind_name(finding->culprit_kind));
		json_put_text(object, "culprit", finding->culprit[0] ? finding->culprit : NULL);
		if (finding->has_measured)
			json_put_double(object, "measured", finding->measured);
		if (finding->has_limit)
			json_put_double(object, "limit", finding->limit);
		json_put_text(object, "unit", finding->unit[0] ? finding->unit : NULL);
		json_put_text(object, "text", finding->text);
		json_put_text(object, "advice", finding->advice[0] ? finding->advice : NULL);
	}
}

static void put_files(struct json *root, const struct pcap_report *report)
{
	struct json *list = json_put_array(root, "files"), *object;

	for (uint16_t i = 0; i < report->file_count; i++) {
		const struct pcap_file *file = &report->files[i];

		object = json_add_object(list);
		json_put_text(object, "name", file->name);
		if (report->file_count > 1)
			put_container(object, capture_info(file->capture));
		json_put_u64(object, "records", capture_info(file->capture)->records);
		if (file->tap == TAP_NONE)
			json_put_null(object, "tap");
		else
			json_put_u64(object, "tap", file->tap);
		json_put_text(object, "damaged", file->damaged ? file->why.text : NULL);
	}
}

static void put_sums(struct json *root, const struct wire *wire)
{
	struct json *object = json_put_object(root, "connections");
	const struct wire_sums *sums = &wire->sums;

	json_put_u64(object, "directions", sums->connections);
	json_put_u64(object, "joined", sums->paired);
	json_put_u64(object, "one_sided", sums->one_sided);
	json_put_u64(object, "closed_early", wire->closed_flows);
	json_put_u64(object, "lost_network", sums->lost_network);
	json_put_u64(object, "lost_behind_tap", sums->lost_after);
	json_put_u64(object, "lost_capture", sums->lost_capture);
	json_put_u64(object, "lost_unknown", sums->lost_unknown);
	json_put_u64(object, "repeated", sums->repeated);
	json_put_u64(object, "out_of_order", sums->out_of_order);
}

int pcap_write_json(FILE *out, const struct pcap_report *report)
{
	const struct wire *wire = &report->wire;
	struct json *root = json_new_object();
	enum verdict verdict = findings_verdict(&report->findings);
	char about[200];
	int err;

	json_put_text(root, "schema", SCHEMA);
	json_put_i64(root, "version", SCHEMA_VERSION);
	json_put_text(root, "verdict", verdict_name(verdict));
	pcap_about(report, about, sizeof(about));
	json_put_text(root, "about", about);
	if (report->file_count == 1)
		put_container(root, capture_info(report->files[0].capture));
	json_put_u64(root, "records", wire->records);
	json_put_u64(root, "wire_bytes", wire->wire_bytes);
	json_put_u64(root, "first_time_ns", wire->has_time ? wire->first_ns : UINT64_MAX);
	json_put_u64(root, "last_time_ns", wire->has_time ? wire->last_ns : UINT64_MAX);
	put_roce(root, wire);
	json_put_u64(root, "mac_control_records", wire->mac_control);
	json_put_u64(root, "other_records", wire->other);
	pcap_put_flows(root, report);
	put_events(root, report);
	put_mac_control(root, report);
	put_findings(root, &report->findings);
	put_sums(root, wire);
	put_bursts(root, report);
	put_files(root, report);
	err = json_write(out, root);
	json_free(root);
	return err;
}
