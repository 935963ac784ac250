/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/draw.h"
#include "fabric/lookup.h"
#include "fabric/measure_parts.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* As the judges of pairs and of rates ask for: below these a figure says more about
 * latency, or about the last packet, than about a rate. */
#define PACKETS_LEAST 32u
#define SERVED_LEAST 64u
#define BUSY_NS_LEAST (20 * NS_PER_US)

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

/* What a port sent where it does not count that itself: told by the flows. */
static void add_untold(struct measure *measure, const struct evidence *evidence, uint32_t port,
	uint64_t packets)
{
	if (port != PORT_NONE && evidence_at(evidence, port, M_TX_PACKETS) == EVIDENCE_ABSENT)
		measure->ports[port].load[evidence->stage.layer] += packets;
}

static void add_ports(struct measure *measure, const struct evidence *evidence)
{
	for (uint32_t port = 0; port < measure->fabric->port_count; port++) {
		struct at_port *at = &measure->ports[port];

		if (measure->fabric->ports[port].link == PORT_NONE)
			continue;
		at->load[evidence->stage.layer] += evidence_sum(evidence, port, M_TX_PACKETS);
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
		.draw = draw_flow(evidence, i, measure->seed),
	};
	if (flow->packets_sent >= PACKETS_LEAST)
		pair->goodput_bps = flow_goodput_bps(evidence, flow);
}

static void add_flow(struct measure *measure, const struct evidence *evidence, size_t i)
{
	const struct fabric *fabric = measure->fabric;
	const struct run_flow *flow = &evidence->flows[i];
	uint32_t from = fabric->nics[evidence->src[i]], to = fabric->nics[evidence->dst[i]];

	measure->ports[from].data += flow->packets_sent;
	measure->ports[from].retries += flow->naks + flow->timeouts;
	measure->ports[from].stage = evidence->stage.id + 1;
	measure->ports[to].stage = evidence->stage.id + 1;
	add_untold(measure, evidence, from, flow->packets_sent);
	add_untold(measure, evidence, fabric->ports[to].peer, flow->packets_received);
	if (evidence->stage.layer == LAYER_PAIRS)
		add_pair(measure, evidence, i);
}

/* The stages that a NIC took part in are what its retries and pauses come from; summed, so
 * that their order is nothing. */
static void add_flows(struct measure *measure, const struct evidence *evidence, uint64_t draw)
{
	for (size_t i = 0; i < evidence->flow_count; i++)
		if (evidence->src[i] != PORT_NONE && evidence->dst[i] != PORT_NONE)
			add_flow(measure, evidence, i);
	for (uint32_t nic = 0; nic < measure->fabric->nic_count; nic++) {
		struct at_port *at = &measure->ports[measure->fabric->nics[nic]];

		if (at->stage == evidence->stage.id + 1)
			at->draw += draw;
	}
}

/* All that was delivered, from the first packet to the last byte. */
static void add_stage(struct measure *measure, const struct evidence *evidence, uint64_t draw)
{
	struct digest_figure *figure;
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
	if (last_ns <= first_ns)
		return;
	figure = digest_add(measure->digest, DIGEST_STAGE_GOODPUT, evidence->stage.name);
	figure->value = (double)bytes * 8 * (double)NS_PER_S / (double)(last_ns - first_ns);
	figure->draw = draw;
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
		measure->digest->stages[i].draw = draw_stage(&evidence, measure->seed);
		add_ports(measure, &evidence);
		add_flows(measure, &evidence, measure->digest->stages[i].draw);
		add_stage(measure, &evidence, measure->digest->stages[i].draw);
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
		.seed = draw_seed(run_info(run)),
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
		measure_put(&measure);
	else
		digest_free(digest);
	free(stages);
	free(measure.ports);
	free(measure.pairs);
	return err;
}
