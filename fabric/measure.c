/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/evidence.h"
#include "fabric/lookup.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* As the judges of pairs and of rates ask for: below these a figure says more about
 * latency, or about the last packet, than about a rate. */
#define PACKETS_LEAST 32u
#define SERVED_LEAST 64u
#define BUSY_NS_LEAST (20 * NS_PER_US)

struct at_port {
	uint64_t sent, lost; /* in the direction that leaves it */
	uint64_t received, crc;
	uint64_t bytes, busy_ns; /* with preamble and gap */
	uint64_t pause_us, window_ns;
	uint64_t data, retries; /* of a NIC */
	bool has_crc, has_pause;
};

struct pair {
	uint32_t src, dst;
	double goodput_bps; /* 0: too few packets to say */
	uint64_t sent, retries;
};

struct measure {
	const struct fabric *fabric;
	struct digest *digest;
	struct at_port *ports; /* [port_count] */
	struct pair *pairs;
	size_t pair_count, pair_room;
};

static bool has_figures(const struct run_stage *stage)
{
	return stage->status == RUN_COMPLETE ||
	       (stage->status == RUN_PARTIAL && stage_met_deadline(stage));
}

/* --- what one stage adds --- */

static void add_link(struct at_port *at, const struct evidence *evidence, uint32_t port)
{
	uint64_t crc = evidence_at(evidence, port, M_CRC), sent, lost;

	if (evidence_lost(evidence, port, &sent, &lost)) {
		at->sent += sent;
		at->lost += lost;
	}
	if (crc != EVIDENCE_ABSENT) {
		at->has_crc = true;
		at->crc += crc;
		at->received += evidence_sum(evidence, port, M_RX_PACKETS);
	}
}

static void add_served(struct at_port *at, const struct evidence *evidence, uint32_t port)
{
	uint64_t busy_ns = evidence_at(evidence, port, M_BUSY_NS);
	uint64_t packets = evidence_sum(evidence, port, M_TX_PACKETS);

	if (busy_ns == EVIDENCE_ABSENT || busy_ns < BUSY_NS_LEAST || packets < SERVED_LEAST)
		return;
	at->busy_ns += busy_ns;
	at->bytes += evidence_sum(evidence, port, M_TX_BYTES) +
		     packets * (ROCE_WIRE_OVERHEAD_BYTES - ROCE_FRAME_OVERHEAD_BYTES);
}

static void add_pause(struct at_port *at, const struct evidence *evidence, uint32_t port)
{
	uint64_t pause_us = evidence_at(evidence, port, M_TX_PAUSE_US);

	if (pause_us == EVIDENCE_ABSENT)
		return;
	at->has_pause = true;
	at->pause_us += pause_us;
	at->window_ns += evidence->stage.t1_ns - evidence->stage.t0_ns;
}

static void add_ports(struct measure *measure, const struct evidence *evidence)
{
	for (uint32_t port = 0; port < measure->fabric->port_count; port++) {
		struct at_port *at = &measure->ports[port];

		if (measure->fabric->ports[port].link == PORT_NONE)
			continue;
		add_link(at, evidence, port);
		add_served(at, evidence, port);
		if (measure->fabric->ports[port].nic != PORT_NONE)
			add_pause(at, evidence, port);
	}
}

static void add_pair(struct measure *measure, const struct evidence *evidence, size_t i)
{
	const struct run_flow *flow = &evidence->flows[i];
	struct pair *pair;

	measure->pairs = grow(measure->pairs, measure->pair_count, &measure->pair_room,
		sizeof(*measure->pairs));
	pair = &measure->pairs[measure->pair_count++];
	*pair = (struct pair){
		.src = evidence->src[i],
		.dst = evidence->dst[i],
		.sent = flow->packets_sent,
		.retries = flow->naks + flow->timeouts,
	};
	if (flow->packets_sent >= PACKETS_LEAST)
		pair->goodput_bps = flow_goodput_bps(evidence, flow);
}

static void add_flows(struct measure *measure, const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];
		struct at_port *nic;

		if (evidence->src[i] == PORT_NONE || evidence->dst[i] == PORT_NONE)
			continue;
		nic = &measure->ports[measure->fabric->nics[evidence->src[i]]];
		nic->data += flow->packets_sent;
		nic->retries += flow->naks + flow->timeouts;
		if (evidence->stage.layer == LAYER_PAIRS)
			add_pair(measure, evidence, i);
	}
}

/* All that was delivered, from the first packet to the last byte. */
static void add_stage(struct measure *measure, const struct evidence *evidence)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0, bytes = 0;
	enum plan_layer layer = evidence->stage.layer;

	if (layer != LAYER_NONBLOCKING && layer != LAYER_LOSSLESS && layer != LAYER_RING)
		return;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];
		uint64_t end_ns = flow->complete ? flow->end_ns : evidence->stage.t1_ns;

		first_ns = flow->start_ns < first_ns ? flow->start_ns : first_ns;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
		bytes += flow->bytes_delivered;
	}
	if (last_ns > first_ns)
		digest_add(measure->digest, DIGEST_STAGE_GOODPUT, evidence->stage.name)->value =
			(double)bytes * 8 * (double)NS_PER_S / (double)(last_ns - first_ns);
}

/* --- the figures of the run --- */

static void put_counts(struct digest *digest, enum digest_metric metric, const char *subject,
	uint64_t events, uint64_t of)
{
	struct digest_figure *figure;

	if (!of)
		return;
	figure = digest_add(digest, metric, subject);
	figure->events = events < of ? events : of;
	figure->of = of;
	figure->value = (double)figure->events / (double)of;
}

static double served_bps(const struct at_port *at)
{
	return at->busy_ns ? (double)at->bytes * 8 * (double)NS_PER_S / (double)at->busy_ns : 0;
}

static void put_link(const struct measure *measure, uint32_t link)
{
	const struct at_port *a = &measure->ports[measure->fabric->links[link].a];
	const struct at_port *b = &measure->ports[measure->fabric->links[link].b];
	double slow = served_bps(a), other = served_bps(b);
	char name[2 * NAME_BYTES];

	fabric_link_name(measure->fabric, link, name);
	put_counts(
		measure->digest, DIGEST_LINK_LOSS, name, a->lost + b->lost, a->sent + b->sent);
	if (a->has_crc || b->has_crc)
		put_counts(measure->digest, DIGEST_LINK_ERRORS, name, a->crc + b->crc,
			a->received + b->received);
	if (slow <= 0 || (other > 0 && other < slow))
		slow = other;
	if (slow > 0)
		digest_add(measure->digest, DIGEST_LINK_RATE, name)->value = slow;
}

static int by_rate(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void put_nic(const struct measure *measure, uint32_t nic)
{
	const struct at_port *at = &measure->ports[measure->fabric->nics[nic]];
	char name[2 * NAME_BYTES];

	fabric_nic_name(measure->fabric, nic, name);
	put_counts(measure->digest, DIGEST_NIC_RETRIES, name, at->retries, at->data);
	if (at->has_pause && at->window_ns)
		digest_add(measure->digest, DIGEST_NIC_PAUSE, name)->value =
			(double)at->pause_us * (double)NS_PER_US / (double)at->window_ns;
}

/* The rounds of one pair: pairs[first..end-1]. */
static void put_pair(const struct measure *measure, size_t first, size_t end)
{
	char src[2 * NAME_BYTES], dst[2 * NAME_BYTES], name[DIGEST_SUBJECT];
	uint64_t sent = 0, retries = 0;
	double sum = 0;
	size_t rated = 0;

	for (size_t i = first; i < end; i++) {
		sent += measure->pairs[i].sent;
		retries += measure->pairs[i].retries;
		sum += measure->pairs[i].goodput_bps;
		rated += measure->pairs[i].goodput_bps > 0;
	}
	fabric_nic_name(measure->fabric, measure->pairs[first].src, src);
	fabric_nic_name(measure->fabric, measure->pairs[first].dst, dst);
	snprintf(name, sizeof(name), "%.32s->%.32s", src, dst);
	put_counts(measure->digest, DIGEST_PAIR_RETRIES, name, retries, sent);
	if (rated)
		digest_add(measure->digest, DIGEST_PAIR_GOODPUT, name)->value =
			sum / (double)rated;
}

static int by_src(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

static int by_dst(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return (a->src > b->src) - (a->src < b->src);
}

/* Of one NIC, the median over its pairs in one direction: pairs[first..end-1]. */
static void put_goodput(const struct measure *measure, size_t first, size_t end, bool sends)
{
	const struct pair *pair = &measure->pairs[first];
	double *rates = zeroed(end - first, sizeof(*rates));
	char name[2 * NAME_BYTES];
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		if (measure->pairs[i].goodput_bps > 0)
			rates[count++] = measure->pairs[i].goodput_bps;
	if (count) {
		qsort(rates, count, sizeof(*rates), by_rate);
		fabric_nic_name(measure->fabric, sends ? pair->src : pair->dst, name);
		digest_add(measure->digest, sends ? DIGEST_NIC_SENT : DIGEST_NIC_RECEIVED, name)
			->value = (rates[(count - 1) / 2] + rates[count / 2]) / 2;
	}
	free(rates);
}

static void put_goodputs(const struct measure *measure, bool sends)
{
	const struct pair *pairs = measure->pairs;
	size_t end;

	qsort(measure->pairs, measure->pair_count, sizeof(*pairs), sends ? by_src : by_dst);
	for (size_t first = 0; first < measure->pair_count; first = end) {
		end = first + 1;
		while (end < measure->pair_count &&
			(sends ? pairs[end].src == pairs[first].src
			       : pairs[end].dst == pairs[first].dst))
			end++;
		put_goodput(measure, first, end, sends);
	}
}

static void put_pairs(const struct measure *measure)
{
	const struct pair *pairs = measure->pairs;
	size_t end;

	qsort(measure->pairs, measure->pair_count, sizeof(*pairs), by_src);
	for (size_t first = 0; first < measure->pair_count; first = end) {
		end = first + 1;
		while (end < measure->pair_count && by_src(&pairs[first], &pairs[end]) == 0)
			end++;
		put_pair(measure, first, end);
	}
}

static void put_all(const struct measure *measure)
{
	for (uint32_t link = 0; link < measure->fabric->link_count; link++)
		put_link(measure, link);
	for (uint32_t nic = 0; nic < measure->fabric->nic_count; nic++)
		put_nic(measure, nic);
	if (measure->pair_count) {
		put_goodputs(measure, true);
		put_goodputs(measure, false);
		put_pairs(measure);
	}
	digest_sort(measure->digest);
}

/* --- reading --- */

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

static void keep_info(struct digest *digest, const struct run *run)
{
	const struct run_info *info = run_info(run);

	COPY(digest->program, info->program);
	COPY(digest->backend, info->backend);
	COPY(digest->profile, info->profile);
	COPY(digest->plane, info->plane);
	COPY(digest->fabric, info->fabric_name);
	digest->seed = info->seed;
	digest->ended = run_ended(run, &digest->interrupted);
}

static int add_stages(struct measure *measure, struct run *run, struct run_stage *stages,
	size_t count, struct diag *diag)
{
	struct lookup lookup = LOOKUP_INIT;
	int err = 0;

	lookup_init(&lookup, measure->fabric);
	for (size_t i = 0; i < count && !err; i++) {
		struct evidence evidence = EVIDENCE_INIT;

		COPY(measure->digest->stages[i].name, stages[i].name);
		measure->digest->stages[i].complete = has_figures(&stages[i]);
		if (!has_figures(&stages[i]))
			continue;
		err = evidence_load(&evidence, run, measure->fabric, &lookup, &stages[i], diag);
		if (err)
			break;
		add_ports(measure, &evidence);
		add_flows(measure, &evidence);
		add_stage(measure, &evidence);
		evidence_free(&evidence);
	}
	lookup_free(&lookup);
	return err;
}

int measure_run(
	struct digest *digest, struct run *run, const struct fabric *fabric, struct diag *diag)
{
	struct measure measure = {
		.fabric = fabric,
		.digest = digest,
		.ports = zeroed(fabric->port_count, sizeof(struct at_port)),
	};
	struct run_stage *stages = NULL;
	int err;

	*digest = (struct digest)DIGEST_INIT;
	keep_info(digest, run);
	err = run_get_stages(run, &stages, &digest->stage_count, diag);
	digest->stages = zeroed(digest->stage_count, sizeof(*digest->stages));
	if (!err)
		err = add_stages(&measure, run, stages, digest->stage_count, diag);
	if (!err)
		put_all(&measure);
	else
		digest_free(digest);
	free(stages);
	free(measure.ports);
	free(measure.pairs);
	return err;
}
