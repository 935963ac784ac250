/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stage_build.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"

#define MBPS UINT64_C(1000000)
#define LEAST_NS (20 * NS_PER_US)
#define DEADLINE_NS_MAX (30 * NS_PER_S)

void stage_build_init(struct stage_build *build, struct plan *plan, const struct fabric *fabric,
	enum profile profile, uint64_t seed)
{
	*build = (struct stage_build){
		.fabric = fabric,
		.plan = plan,
		.profile = profile,
		.seed = seed,
	};
	snprintf(plan->profile, sizeof(plan->profile), "%s", profile_name(profile));
	plan->seed = seed;
	leafnics_init(&build->by_leaf, fabric);
	for (uint32_t i = 0; i < build->by_leaf.count; i++)
		build->total_mbps += fabric_nic_bps(fabric, build->by_leaf.nics[i]) / MBPS;
}

void stage_build_free(struct stage_build *build)
{
	leafnics_free(&build->by_leaf);
}

void stage_rng(const struct stage_build *build, uint64_t stream, struct rng *rng)
{
	rng_init(rng, rng_derive(build->seed, stream));
}

struct plan_stage *stage_begin(struct stage_build *build, enum plan_layer layer)
{
	return plan_add(build->plan, layer);
}

void stage_name(struct plan_stage *stage, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(stage->name, sizeof(stage->name), fmt, args);
	va_end(args);
}

void stage_note(struct plan_stage *stage, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(stage->note, sizeof(stage->note), fmt, args);
	va_end(args);
}

struct plan_flow *stage_flow(
	struct plan_stage *stage, uint32_t src, uint32_t dst, uint32_t qps, uint64_t bytes)
{
	struct plan_flow *flow = plan_stage_add(stage);

	assert(src != dst);
	flow->src = src;
	flow->dst = dst;
	flow->qps = qps;
	flow->bytes = bytes ? bytes : 1;
	flow->role = FLOW_MAIN;
	return flow;
}

/* Payload per second that a NIC or port of this speed carries, in Mb/s: with it no
 * product below passes 64 bits, and the error is below 1e-4 at 10 Gb/s. */
static uint64_t ceiling_mbps(const struct stage_build *build, uint64_t line_bps)
{
	uint64_t mbps = payload_ceiling_bps(line_bps, build->fabric->mtu_bytes) / MBPS;

	return mbps ? mbps : 1;
}

static uint64_t bytes_ns(uint64_t bytes, uint64_t mbps)
{
	return bytes * 8000 / mbps;
}

/* Below 1 Gb/s, on emulated fabrics, Mb/s are too coarse. */
static uint64_t slow_kbps(const struct stage_build *build, uint32_t nic)
{
	uint64_t bps = fabric_nic_bps(build->fabric, nic);

	return bps < GBPS ? payload_ceiling_bps(bps, build->fabric->mtu_bytes) / 1000 : 0;
}

uint64_t stage_bytes(const struct stage_build *build, uint32_t nic, uint64_t ns)
{
	uint64_t kbps = slow_kbps(build, nic);

	if (kbps)
		return ns / NS_PER_US * kbps / 8000;
	return ns * ceiling_mbps(build, fabric_nic_bps(build->fabric, nic)) / 8000;
}

uint64_t stage_ns(const struct stage_build *build, uint32_t nic, uint64_t bytes)
{
	uint64_t kbps = slow_kbps(build, nic);

	if (kbps)
		return bytes * 8000 / kbps * NS_PER_US;
	return bytes_ns(bytes, ceiling_mbps(build, fabric_nic_bps(build->fabric, nic)));
}

uint64_t stage_latency_ns(const struct stage_build *build)
{
	const struct fabric *fabric = build->fabric;
	uint64_t packet_bits = (fabric->mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES) * UINT64_C(8);
	uint64_t slowest_bps = UINT64_MAX;
	uint32_t longest_m = 0;

	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct link *link = &fabric->links[i];

		if (link->speed_bps < slowest_bps)
			slowest_bps = link->speed_bps;
		if (link->length_m > longest_m)
			longest_m = link->length_m;
	}
	return 2 * fabric->nic_ns + 3 * fabric->switch_ns + 4 * longest_m * UINT64_C(5) +
	       4 * (packet_bits * NS_PER_S / slowest_bps);
}

uint64_t stage_budget_ns(const struct stage_build *build, uint64_t quick_hops, uint32_t stages,
	uint32_t hops_x10, uint64_t most_ns)
{
	uint64_t nics = build->by_leaf.count;
	uint64_t wire_bits =
		(build->fabric->mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES) * UINT64_C(8);
	uint64_t hops, ns;

	if (build->live_ns)
		return build->live_ns;
	if (nics > 1024)
		nics = 1024;
	hops = nics <= 32 ? quick_hops / 32 * nics
			  : quick_hops + quick_hops * 3 / 992 * (nics - 32);
	if (build->profile == PROFILE_FULL)
		hops *= 10;
	ns = hops * wire_bits / hops_x10 * 10000 / (build->total_mbps * stages);
	if (ns > most_ns)
		ns = most_ns;
	return ns < LEAST_NS ? LEAST_NS : ns;
}

uint64_t stage_held_bytes(const struct stage_build *build, uint32_t busy_ports)
{
	const struct policy *policy = &build->fabric->policy;
	uint64_t held;

	if (policy->xoff_bytes)
		held = policy->xoff_bytes * busy_ports;
	else
		held = policy->buffer_bytes /
		       ((UINT64_C(1) << policy->alpha_shift) + busy_ports) * busy_ports;
	return held < policy->buffer_bytes ? held : policy->buffer_bytes;
}

uint32_t stage_rail(const struct stage_build *build, uint32_t rail, uint32_t *nics)
{
	const struct fabric *fabric = build->fabric;
	uint32_t count = 0;

	for (uint32_t i = 0; i < build->by_leaf.count; i++) {
		uint32_t nic = build->by_leaf.nics[i];

		if (fabric->ports[fabric->nics[nic]].number == rail + 1)
			nics[count++] = nic;
	}
	return count;
}

/* --- permutations --- */

/* All NICs in a random order of leaves and, in each, of NICs. From a leaf with more
 * than half of all only as many as all the others have. */
static uint32_t shuffled(const struct stage_build *build, struct rng *rng, uint32_t *nics)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t *leaves = zeroed(by_leaf->leaves, sizeof(*leaves));
	uint32_t *inside = zeroed(by_leaf->largest, sizeof(*inside));
	uint32_t count = 0;

	rng_permutation(rng, leaves, by_leaf->leaves);
	for (uint32_t l = 0; l < by_leaf->leaves; l++) {
		uint32_t size = leafnics_size(by_leaf, leaves[l]);
		uint32_t others = by_leaf->count - size;

		rng_permutation(rng, inside, size);
		for (uint32_t i = 0; i < size && i < others; i++)
			nics[count++] = leafnics_at(by_leaf, leaves[l], inside[i]);
	}
	free(leaves);
	free(inside);
	return count;
}

/* Exchanges the receivers of random pairs of senders where both stay across leaves. */
static void stir(const struct leafnics *by_leaf, struct rng *rng, const uint32_t *src,
	uint32_t *dst, uint32_t count)
{
	for (uint32_t tries = 0; tries < 8 * count; tries++) {
		uint32_t i = (uint32_t)rng_below(rng, count);
		uint32_t j = (uint32_t)rng_below(rng, count);
		uint32_t swapped = dst[i];

		if (by_leaf->leaf[src[i]] == by_leaf->leaf[dst[j]] ||
			by_leaf->leaf[src[j]] == by_leaf->leaf[dst[i]])
			continue;
		dst[i] = dst[j];
		dst[j] = swapped;
	}
}

/* A shift by at least the largest leaf and at most all but it leaves every leaf, since
 * a leaf is one run in the order; stirring then takes the regularity out. */
uint32_t stage_permutation(
	const struct stage_build *build, struct rng *rng, uint32_t *src, uint32_t *dst)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint32_t count, largest = by_leaf->largest;

	if (by_leaf->used < 2)
		return 0;
	if (largest > by_leaf->count - largest)
		largest = by_leaf->count - largest;
	count = shuffled(build, rng, src);
	for (uint32_t i = 0; i < count; i++)
		dst[i] = src[(i + largest) % count];
	stir(by_leaf, rng, src, dst, count);
	return count;
}

/* --- closing a stage --- */

struct loads {
	uint64_t *tx, *rx;   /* per NIC */
	uint64_t *up, *down; /* per leaf */
};

static void add_loads(
	struct loads *loads, const struct leafnics *by_leaf, const struct plan_stage *stage)
{
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		const struct plan_flow *flow = &stage->flows[i];
		uint32_t from = by_leaf->leaf[flow->src], to = by_leaf->leaf[flow->dst];

		loads->tx[flow->src] += flow->bytes;
		loads->rx[flow->dst] += flow->bytes;
		if (from == to)
			continue;
		loads->up[from] += flow->bytes;
		loads->down[to] += flow->bytes;
	}
}

static uint64_t uplink_bps(const struct fabric *fabric, uint32_t leaf)
{
	const struct node *node = &fabric->nodes[fabric_leaf_node(fabric, leaf)];
	uint64_t bps = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct port *port = &fabric->ports[node->first_port + i];

		if (port->link != PORT_NONE && fabric->ports[port->peer].nic == PORT_NONE)
			bps += fabric->links[port->link].speed_bps;
	}
	return bps;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The busiest NIC or leaf at its payload ceiling. */
static uint64_t bottleneck_ns(const struct stage_build *build, const struct loads *loads)
{
	const struct leafnics *by_leaf = &build->by_leaf;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < by_leaf->count; i++) {
		uint32_t nic = by_leaf->nics[i];

		ns = larger(ns, stage_ns(build, nic, larger(loads->tx[nic], loads->rx[nic])));
	}
	for (uint32_t leaf = 0; leaf < by_leaf->leaves; leaf++) {
		uint64_t bytes = larger(loads->up[leaf], loads->down[leaf]);
		uint64_t mbps = ceiling_mbps(build, uplink_bps(build->fabric, leaf));

		if (bytes)
			ns = larger(ns, bytes_ns(bytes, mbps));
	}
	return ns;
}

static uint64_t flow_ns(const struct stage_build *build, const struct plan_flow *flow)
{
	uint64_t ns = larger(stage_ns(build, flow->src, flow->bytes),
		stage_ns(build, flow->dst, flow->bytes));

	if (flow->rate_bps)
		ns = larger(ns, bytes_ns(flow->bytes, larger(flow->rate_bps / MBPS, 1)));
	if (flow->burst_bytes)
		ns = larger(ns, flow->bytes / flow->burst_bytes * flow->burst_period_ns);
	return flow->start_ns + ns;
}

static uint64_t flows_ns(const struct stage_build *build, const struct plan_stage *stage)
{
	const struct fabric *fabric = build->fabric;
	struct loads loads = {
		.tx = zeroed(fabric->nic_count, sizeof(uint64_t)),
		.rx = zeroed(fabric->nic_count, sizeof(uint64_t)),
		.up = zeroed(fabric->leaves, sizeof(uint64_t)),
		.down = zeroed(fabric->leaves, sizeof(uint64_t)),
	};
	uint64_t ns;

	add_loads(&loads, &build->by_leaf, stage);
	ns = bottleneck_ns(build, &loads);
	for (uint32_t i = 0; i < stage->flow_count; i++)
		ns = larger(ns, flow_ns(build, &stage->flows[i]));
	free(loads.tx);
	free(loads.rx);
	free(loads.up);
	free(loads.down);
	return ns;
}

/* Iterations x 2 (N - 1) x (latency + chunk / slowest NIC). */
static uint64_t ring_ns(const struct stage_build *build, const struct plan_ring *ring)
{
	uint64_t chunk = (ring->bytes + ring->ranks - 1) / ring->ranks;
	uint64_t slowest_ns = 0;

	for (uint32_t i = 0; i < ring->ranks; i++)
		slowest_ns = larger(slowest_ns, stage_ns(build, ring->nics[i], chunk));
	return 2 * (ring->ranks - UINT64_C(1)) * ring->iterations *
	       (slowest_ns + stage_latency_ns(build));
}

/* Four times what it should take, and room for three ACK timeouts: 4.096 us * 2^t. */
static uint64_t deadline_ns(const struct stage_build *build, uint64_t expected_ns)
{
	uint64_t timeout_ns = UINT64_C(4096) << build->fabric->policy.timeout_exp;
	uint64_t ns = 4 * expected_ns + 3 * timeout_ns + NS_PER_MS;

	if (ns > DEADLINE_NS_MAX)
		ns = DEADLINE_NS_MAX;
	return larger(ns, 2 * expected_ns);
}

void stage_end(const struct stage_build *build, struct plan_stage *stage)
{
	if (stage->flow_count)
		stage->expected_ns = flows_ns(build, stage) + stage_latency_ns(build);
	if (stage->ring.ranks)
		stage->expected_ns = larger(stage->expected_ns, ring_ns(build, &stage->ring));
	stage->deadline_ns = deadline_ns(build, stage->expected_ns);
	/* A hundred points of a stage that goes as expected, and not without end of one
	 * that stands still until its deadline. */
	stage->sample_ns = larger(stage->expected_ns / 100, stage->deadline_ns / 4000);
	stage->sample_ns = larger(stage->sample_ns, NS_PER_US);
}
