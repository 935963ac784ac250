/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture says, as rows of a run file: sums between addresses, by tap, and the
 * findings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pcap.h"
#include "lib/counters.h"
#include "lib/grow.h"
#include "lib/run.h"
#include "pfc/policy.h"

enum sum {
	SUM_DATA,
	SUM_RESENT,
	SUM_CE,
	SUM_CNPS,
	SUM_NAKS,
	SUM_LOST_BEFORE,
	SUM_LOST_BEHIND,
	SUM_LOST_CAPTURE,
	SUM_COUNT,
};

static const char *const sum_names[SUM_COUNT] = { W_DATA, W_RESENT, W_CE, W_CNPS, W_NAKS,
	W_LOST_BEFORE, W_LOST_BEHIND, W_LOST_CAPTURE };

/* One way between two addresses. */
struct way {
	uint16_t tap;
	uint8_t family;
	uint8_t src[16], dst[16];
	uint64_t sums[SUM_COUNT];
};

struct rows {
	struct run_wire *items; /* owned */
	size_t count, room;
	char capture[64];
};

/* The end of a path that is too long for its column. */
static void name_capture(const char *path, char *text, size_t size)
{
	size_t length = strlen(path);

	snprintf(text, size, "%s", length < size ? path : path + length - (size - 1));
}

static void add(
	struct rows *rows, const char *src, const char *dst, const char *name, uint64_t value)
{
	struct run_wire *row;

	rows->items = grow(rows->items, rows->count, &rows->room, sizeof(*rows->items));
	row = &rows->items[rows->count++];
	memset(row, 0, sizeof(*row));
	memcpy(row->capture, rows->capture, sizeof(row->capture));
	snprintf(row->src, sizeof(row->src), "%s", src);
	snprintf(row->dst, sizeof(row->dst), "%s", dst);
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->value = value;
}

/* --- flows --- */

static uint64_t resent_of(const struct psn_books *books)
{
	uint64_t resent = 0;

	for (unsigned i = 0; i < RESEND_CAUSES; i++)
		resent += books->resent[i];
	return resent;
}

static void add_books(struct way *way, const struct psn_books *books)
{
	way->sums[SUM_RESENT] += resent_of(books);
	way->sums[SUM_LOST_BEFORE] += books->lost_network;
	way->sums[SUM_LOST_BEHIND] += books->lost_after;
	way->sums[SUM_LOST_CAPTURE] += books->lost_capture;
}

static void fill_way(struct way *way, const struct wire *wire, uint32_t index)
{
	const struct flow *flow = flow_at(&wire->flows, index);
	const struct flow_trouble *trouble = flow_trouble_seen(&wire->flows, flow);
	struct flow_counts counts = flow_counts(&wire->flows, flow);

	way->tap = flow->key.tap;
	way->family = flow->key.family;
	memcpy(way->src, flow->key.src, sizeof(way->src));
	memcpy(way->dst, flow->key.dst, sizeof(way->dst));
	way->sums[SUM_DATA] = counts.data;
	way->sums[SUM_CE] = counts.data_ecn[3];
	way->sums[SUM_CNPS] = trouble->cnps;
	way->sums[SUM_NAKS] = trouble->naks[NAK_PSN_SEQUENCE];
	if (flow->main != index)
		return;
	add_books(way, wire_requests(wire, flow));
	add_books(way, wire_responses(wire, flow));
}

static int compare_ways(const void *left, const void *right)
{
	const struct way *a = left, *b = right;
	int order = (a->tap > b->tap) - (a->tap < b->tap);

	if (!order)
		order = (a->family > b->family) - (a->family < b->family);
	if (!order)
		order = memcmp(a->src, b->src, sizeof(a->src));
	return order ? order : memcmp(a->dst, b->dst, sizeof(a->dst));
}

/* One entry for all flows of the same way; returns how many. */
static size_t merge_ways(struct way *ways, size_t count)
{
	size_t merged = 0;

	if (count)
		qsort(ways, count, sizeof(*ways), compare_ways);
	for (size_t i = 0; i < count; i++) {
		if (merged && compare_ways(&ways[merged - 1], &ways[i]) == 0)
			for (unsigned sum = 0; sum < SUM_COUNT; sum++)
				ways[merged - 1].sums[sum] += ways[i].sums[sum];
		else
			ways[merged++] = ways[i];
	}
	return merged;
}

static void add_way(struct rows *rows, const struct way *way)
{
	char src[48], dst[48];

	flow_address_text(way->src, way->family, src, sizeof(src));
	flow_address_text(way->dst, way->family, dst, sizeof(dst));
	for (unsigned sum = 0; sum < SUM_COUNT; sum++)
		add(rows, src, dst, sum_names[sum], way->sums[sum]);
}

/* --- pauses --- */

static void add_pauses(struct rows *rows, const struct pause *pause, uint16_t tap)
{
	char mac[MAC_TEXT_BYTES], name[40];

	for (size_t i = 0; i < pause->count; i++) {
		const struct pause_source *source = &pause->sources[i];

		if (source->file != tap)
			continue;
		mac_text(source->mac, mac);
		for (unsigned prio = 0; prio < PRIORITIES; prio++) {
			if (!source->classes[prio].xoff)
				continue;
			snprintf(name, sizeof(name), C_TX_PRIO_PAUSE, prio);
			add(rows, mac, "", name, source->classes[prio].xoff);
		}
	}
}

/* --- a tap --- */

static uint64_t records_of(const struct pcap_report *report, uint16_t tap)
{
	uint64_t records = 0;

	for (uint16_t i = 0; i < report->file_count; i++)
		if (report->files[i].tap == tap)
			records += capture_info(report->files[i].capture)->records;
	return records;
}

static int put_tap(struct run *run, const struct pcap_report *report, uint16_t tap,
	const struct way *ways, size_t count, struct diag *diag)
{
	struct rows rows = { .items = NULL };
	uint64_t left_out = report->wire.closed_flows, taken = 0;
	int err;

	name_capture(report->tap_names[tap], rows.capture, sizeof(rows.capture));
	for (size_t i = 0; i < count; i++) {
		if (ways[i].tap != tap)
			continue;
		if (taken++ < report->listed)
			add_way(&rows, &ways[i]);
		else
			left_out++;
	}
	add_pauses(&rows, &report->wire.pause, tap);
	add(&rows, "", "", W_RECORDS, records_of(report, tap));
	add(&rows, "", "", W_LEFT_OUT, left_out);
	if (report->wire.has_time) {
		add(&rows, "", "", W_FIRST_NS, report->wire.first_ns);
		add(&rows, "", "", W_LAST_NS, report->wire.last_ns);
	}
	if (report->facts.dropped)
		add(&rows, "", "", W_DROPPED, report->facts.dropped);
	err = run_put_wire(run, rows.capture, rows.items, rows.count, diag);
	free(rows.items);
	return err;
}

static int put_findings(struct run *run, const struct pcap_report *report, struct diag *diag)
{
	const struct findings *findings = &report->findings;
	struct run_wire_finding *rows = zeroed(findings->count, sizeof(*rows));
	char capture[sizeof(rows->capture)];
	int err;

	name_capture(report->tap_names[0], capture, sizeof(capture));
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *from = &findings->items[i];

		memcpy(rows[i].capture, capture, sizeof(capture));
		snprintf(rows[i].name, sizeof(rows[i].name), "%s", from->check);
		rows[i].verdict = from->verdict;
		rows[i].culprit_kind = from->culprit_kind;
		snprintf(rows[i].culprit, sizeof(rows[i].culprit), "%s", from->culprit);
		snprintf(rows[i].text, sizeof(rows[i].text), "%s", from->text);
		snprintf(rows[i].advice, sizeof(rows[i].advice), "%s", from->advice);
		rows[i].weight = from->weight;
	}
	err = run_put_wire_findings(run, capture, rows, findings->count, diag);
	free(rows);
	return err;
}

/* A run that the capture is not of stays as it is. */
static int check_same(const struct pcap_report *report, const char *run_path, struct diag *diag)
{
	struct run *run = NULL;
	int err = run_open(&run, run_path, diag);

	if (!err)
		err = pcap_check_same(report, run, diag);
	run_close(run);
	return err;
}

int pcap_put_into(const struct pcap_report *report, const char *run_path, struct diag *diag)
{
	struct way *ways = zeroed(report->flow_count, sizeof(*ways));
	struct run *run = NULL;
	size_t count;
	int err = check_same(report, run_path, diag);

	if (!err)
		err = run_append(&run, run_path, diag);
	for (size_t i = 0; i < report->flow_count; i++)
		fill_way(&ways[i], &report->wire, report->order[i]);
	count = merge_ways(ways, report->flow_count);
	for (uint16_t tap = 0; tap < report->taps && !err; tap++)
		err = put_tap(run, report, tap, ways, count, diag);
	if (!err)
		err = put_findings(run, report, diag);
	if (!err)
		err = run_commit(run, diag);
	run_close(run);
	free(ways);
	return err;
}
