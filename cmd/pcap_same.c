/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a capture is of a run: two runs of the simulator have the same clock and the same
 * made-up addresses, so what decides is the flows. Each that was captured must be one that
 * the run had just then, by its ends and its UDP source port, and no more of its packets can
 * be on the wire than were sent.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pcap.h"
#include "lib/counters.h"
#include "lib/grow.h"
#include "lib/run.h"
#include "lib/units.h"

/* Acknowledgements may be under way when a stage ends; stages are further apart. */
#define AFTER_NS NS_PER_MS

/* What the run sent from one NIC to another in a stage. */
struct sent {
	char src[RUN_NAME], dst[RUN_NAME];
	uint32_t stage;
	uint64_t t0_ns, t1_ns;
	uint64_t data, cnps;           /* cnps: sent by dst */
	uint64_t data_seen, cnps_seen; /* at the tap under way */
};

struct port {
	size_t sent; /* index */
	uint16_t number;
};

struct named {
	const char *address, *nic; /* borrowed */
};

struct same {
	struct run_fact *facts; /* owned */
	struct named *names;    /* owned; ascending */
	size_t name_count;
	struct sent *sent; /* owned; ascending by src, dst, stage */
	size_t sent_count, sent_room;
	struct port *ports; /* owned; ascending by sent, number */
	size_t port_count, port_room;
	bool *has_ports; /* owned; by sent: its source ports were recorded */
};

/* --- what the run says --- */

static int compare_names(const void *left, const void *right)
{
	return strcmp(
		((const struct named *)left)->address, ((const struct named *)right)->address);
}

static int read_names(struct same *same, struct run *run, struct diag *diag)
{
	size_t count;
	int err = run_get_facts(run, &same->facts, &count, diag);

	if (err)
		return err;
	same->names = zeroed(count, sizeof(*same->names));
	for (size_t i = 0; i < count; i++)
		if (strcmp(same->facts[i].key, F_ADDRESS) == 0)
			same->names[same->name_count++] =
				(struct named){ same->facts[i].value, same->facts[i].place };
	if (same->name_count)
		qsort(same->names, same->name_count, sizeof(*same->names), compare_names);
	return 0;
}

static const char *nic_of(const struct same *same, const char *address)
{
	struct named wanted = { address, NULL }, *found = NULL;

	if (same->name_count)
		found = bsearch(
			&wanted, same->names, same->name_count, sizeof(wanted), compare_names);
	return found ? found->nic : NULL;
}

static int compare_ends(const struct sent *sent, const char *src, const char *dst)
{
	int order = strcmp(sent->src, src);

	return order ? order : strcmp(sent->dst, dst);
}

static int compare_sent(const void *left, const void *right)
{
	const struct sent *a = left, *b = right;
	int order = compare_ends(a, b->src, b->dst);

	return order ? order : (a->stage > b->stage) - (a->stage < b->stage);
}

static int compare_ports(const void *left, const void *right)
{
	const struct port *a = left, *b = right;

	if (a->sent != b->sent)
		return a->sent < b->sent ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_flow(
	struct same *same, const struct run_stage *stage, const struct run_flow *flow)
{
	struct sent *sent;

	same->sent = grow(same->sent, same->sent_count, &same->sent_room, sizeof(*same->sent));
	sent = &same->sent[same->sent_count++];
	*sent = (struct sent){
		.stage = stage->id,
		.t0_ns = stage->t0_ns,
		.t1_ns = stage->t1_ns,
		.data = flow->packets_sent,
		.cnps = flow->cnps_sent,
	};
	memcpy(sent->src, flow->src, sizeof(sent->src));
	memcpy(sent->dst, flow->dst, sizeof(sent->dst));
}

/* One entry for all flows of a stage between the same two. */
static void merge_sent(struct same *same)
{
	size_t merged = 0;

	if (same->sent_count)
		qsort(same->sent, same->sent_count, sizeof(*same->sent), compare_sent);
	for (size_t i = 0; i < same->sent_count; i++) {
		struct sent *last = merged ? &same->sent[merged - 1] : NULL;

		if (last && compare_sent(last, &same->sent[i]) == 0) {
			last->data += same->sent[i].data;
			last->cnps += same->sent[i].cnps;
		} else {
			same->sent[merged++] = same->sent[i];
		}
	}
	same->sent_count = merged;
}

static int read_flows(
	struct same *same, struct run *run, const struct run_stage *stage, struct diag *diag)
{
	struct run_flow *flows;
	size_t count;
	int err = run_get_flows(run, stage->id, &flows, &count, diag);

	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		add_flow(same, stage, &flows[i]);
	free(flows);
	return 0;
}

static void add_ports(struct same *same, uint32_t stage, const struct run_flow *flows,
	size_t flow_count, const struct run_path *paths, size_t count)
{
	for (size_t i = 0, at = 0; i < count; i++) {
		struct sent wanted = { .stage = stage }, *found;

		/* Paths stand in the order of the flows. */
		while (at < flow_count && flows[at].flow < paths[i].flow)
			at++;
		if (at == flow_count || flows[at].flow != paths[i].flow)
			continue;
		memcpy(wanted.src, flows[at].src, sizeof(wanted.src));
		memcpy(wanted.dst, flows[at].dst, sizeof(wanted.dst));
		found = bsearch(
			&wanted, same->sent, same->sent_count, sizeof(wanted), compare_sent);
		if (!found)
			continue;
		same->ports = grow(
			same->ports, same->port_count, &same->port_room, sizeof(*same->ports));
		same->ports[same->port_count++] =
			(struct port){ (size_t)(found - same->sent), paths[i].sport };
		same->has_ports[found - same->sent] = true;
	}
}

static int read_ports(struct same *same, struct run *run, uint32_t stage, struct diag *diag)
{
	struct run_flow *flows;
	struct run_path *paths = NULL;
	size_t flow_count, count;
	int err = run_get_flows(run, stage, &flows, &flow_count, diag);

	if (err)
		return err;
	err = run_get_paths(run, stage, &paths, &count, diag);
	if (!err)
		add_ports(same, stage, flows, flow_count, paths, count);
	free(paths);
	free(flows);
	return err;
}

static bool ran_meanwhile(const struct run_stage *stage, const struct wire *wire)
{
	return wire->first_ns <= stage->t1_ns && wire->last_ns >= stage->t0_ns;
}

/* The flows of the stages that the capture lies in, and their source ports. */
static int read_run(
	struct same *same, struct run *run, const struct wire *wire, struct diag *diag)
{
	struct run_stage *stages = NULL;
	size_t count = 0;
	int err = read_names(same, run, diag);

	if (!err)
		err = run_get_stages(run, &stages, &count, diag);
	for (size_t i = 0; i < count && !err; i++)
		if (ran_meanwhile(&stages[i], wire))
			err = read_flows(same, run, &stages[i], diag);
	merge_sent(same);
	same->has_ports = zeroed(same->sent_count, sizeof(*same->has_ports));
	for (size_t i = 0; i < count && !err && same->sent_count; i++)
		if (ran_meanwhile(&stages[i], wire))
			err = read_ports(same, run, stages[i].id, diag);
	if (same->port_count)
		qsort(same->ports, same->port_count, sizeof(*same->ports), compare_ports);
	free(stages);
	return err;
}

static void same_free(struct same *same)
{
	free(same->facts);
	free(same->names);
	free(same->sent);
	free(same->ports);
	free(same->has_ports);
}

/* --- what the capture says --- */

static size_t first_sent(const struct same *same, const char *src, const char *dst)
{
	size_t low = 0, high = same->sent_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_ends(&same->sent[middle], src, dst) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_port(const struct same *same, size_t sent, uint16_t number)
{
	struct port wanted = { sent, number };

	return !same->has_ports[sent] ||
	       (same->port_count && bsearch(&wanted, same->ports, same->port_count,
					    sizeof(wanted), compare_ports));
}

/* What the run sent from src to dst while a flow was captured. number: its source port, or
 * NULL where that of the other direction is not known. */
static struct sent *sent_then(struct same *same, const char *src, const char *dst,
	const struct flow *flow, const uint16_t *number)
{
	for (size_t at = first_sent(same, src, dst);
		at < same->sent_count && compare_ends(&same->sent[at], src, dst) == 0; at++)
		if (flow->first_ns >= same->sent[at].t0_ns &&
			flow->last_ns <= same->sent[at].t1_ns + AFTER_NS &&
			(!number || has_port(same, at, *number)))
			return &same->sent[at];
	return NULL;
}

static int refuse(const struct pcap_report *report, const struct flow *flow, const char *why,
	struct diag *diag)
{
	char src[48], dst[48];

	flow_address_text(flow->key.src, flow->key.family, src, sizeof(src));
	flow_address_text(flow->key.dst, flow->key.family, dst, sizeof(dst));
	return diag_error(diag, -EINVAL,
		"%s is of another run: %s -> %s from UDP port %u %s; give the run that was "
		"captured",
		report->tap_names[flow->key.tap], src, dst, flow->src_port, why);
}

/* Files that are one tap may hold the same packets. */
static bool joined(const struct pcap_report *report)
{
	return report->one_tap && report->file_count > 1;
}

static int check_flow(
	struct same *same, const struct pcap_report *report, uint32_t index, struct diag *diag)
{
	const struct flow *flow = flow_at(&report->wire.flows, index);
	struct flow_counts counts = flow_counts(&report->wire.flows, flow);
	char address[48];
	const char *src, *dst;
	struct sent *sent;

	flow_address_text(flow->key.src, flow->key.family, address, sizeof(address));
	src = nic_of(same, address);
	flow_address_text(flow->key.dst, flow->key.family, address, sizeof(address));
	dst = nic_of(same, address);
	if (!src || !dst)
		return 0; /* weft report tells of strangers */
	if (counts.data) {
		sent = sent_then(same, src, dst, flow, &flow->src_port);
		if (!sent)
			return refuse(
				report, flow, "is no flow of a stage that ran then", diag);
		sent->data_seen += counts.data;
		return joined(report) || sent->data_seen <= sent->data
			       ? 0
			       : refuse(report, flow, "sent more than the run did", diag);
	}
	sent = sent_then(same, dst, src, flow, NULL);
	if (!sent)
		return refuse(report, flow, "answers no flow of a stage that ran then", diag);
	sent->cnps_seen += flow_trouble_seen(&report->wire.flows, flow)->cnps;
	return joined(report) || sent->cnps_seen <= sent->cnps
		       ? 0
		       : refuse(report, flow, "sent more CNPs than the run did", diag);
}

static int check_tap(
	struct same *same, const struct pcap_report *report, uint16_t tap, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < same->sent_count; i++)
		same->sent[i].data_seen = same->sent[i].cnps_seen = 0;
	for (size_t i = 0; i < report->flow_count && !err; i++)
		if (flow_at(&report->wire.flows, report->order[i])->key.tap == tap)
			err = check_flow(same, report, report->order[i], diag);
	return err;
}

int pcap_check_same(const struct pcap_report *report, struct run *run, struct diag *diag)
{
	struct same same = { .facts = NULL };
	int err = 0;

	if (report->wire.has_time)
		err = read_run(&same, run, &report->wire, diag);
	for (uint16_t tap = 0; tap < report->taps && !err && same.sent_count; tap++)
		err = check_tap(&same, report, tap, diag);
	same_free(&same);
	return err;
}
