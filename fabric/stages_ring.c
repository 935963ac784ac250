/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stage_build.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/allreduce.h"
#include "lib/grow.h"
#include "lib/units.h"

#define ELEM_BYTES 4u
#define SLOW_UPLINK_QPS 8u        /* for each uplink that a NIC fills, against collisions */
#define CHUNK_NS (85 * NS_PER_US) /* so that the latency of a step is 5 % of it */
#define CHUNK_PACKETS 8u          /* at least, on links so slow that this takes longer */
#define RING_NS_QUICK (12 * NS_PER_MS) /* longer than the usual period of a flapping link */
#define RING_NS_FULL (100 * NS_PER_MS)
#define ITERATIONS_MIN 3u
#define ITERATIONS_MAX 200u
#define HOPS_QUICK UINT64_C(5000000)
#define LIVE_CHUNK_BYTES (4 * MIB)
#define LIVE_CHUNK_ROUNDING (4 * KIB)
#define LIVE_RANKS 1024u
#define HOPS_PER_PACKET 3u /* between the 2.1 inside a leaf and the 4.3 across */

static uint64_t hops_at_most(const struct stage_build *build)
{
	uint64_t hops = HOPS_QUICK;

	if (build->by_leaf.count > 32)
		hops *= 3;
	return build->profile == PROFILE_FULL ? 10 * hops : hops;
}

/* Packets of an all-reduce are ranks x 2 (ranks - 1) x packets a chunk: the most ranks
 * whose iterations stay in the budget of one rail. */
static uint32_t ranks_at_most(const struct stage_build *build, uint64_t chunk_packets)
{
	uint64_t hops = hops_at_most(build) / build->fabric->rails;
	uint64_t most = hops / (HOPS_PER_PACKET * chunk_packets * 2 * ITERATIONS_MIN);
	uint32_t ranks = 2;

	while (ranks < UINT16_MAX && (ranks + UINT64_C(1)) * ranks <= most)
		ranks++;
	return ranks;
}

/* Keeps `keep` of count, evenly over the order and so over the leaves. */
static void thin_out(uint32_t *nics, uint32_t count, uint32_t keep)
{
	for (uint32_t i = 0; i < keep; i++)
		nics[i] = nics[(uint64_t)i * count / keep];
}

/* One QP takes one uplink: enough where it is as fast as the NICs. */
static uint32_t edge_qps(const struct stage_build *build, uint32_t nic)
{
	const struct fabric *fabric = build->fabric;
	uint64_t nic_bps = fabric_nic_bps(fabric, nic), slowest_bps = UINT64_MAX, uplinks;

	for (uint32_t i = 0; i < fabric->link_count; i++)
		if (fabric->ports[fabric->links[i].a].nic == PORT_NONE &&
			fabric->links[i].speed_bps < slowest_bps)
			slowest_bps = fabric->links[i].speed_bps;
	if (slowest_bps >= nic_bps)
		return 1;
	uplinks = (nic_bps + slowest_bps - 1) / slowest_bps;
	return uplinks < 16 ? (uint32_t)uplinks * SLOW_UPLINK_QPS : 16 * SLOW_UPLINK_QPS;
}

/* On the simulator. */
static uint64_t chunk_ns_for(const struct stage_build *build, uint32_t nic)
{
	uint64_t least_ns =
		stage_ns(build, nic, CHUNK_PACKETS * (uint64_t)build->fabric->mtu_bytes);

	return least_ns > CHUNK_NS ? least_ns : CHUNK_NS;
}

/* As many as fill the time, within the budget. */
static uint32_t iterations_for(const struct stage_build *build, uint32_t ranks,
	uint64_t chunk_ns, uint64_t chunk_packets)
{
	uint64_t least_ns = build->profile == PROFILE_FULL ? RING_NS_FULL : RING_NS_QUICK;
	uint64_t steps = 2 * (ranks - UINT64_C(1));
	uint64_t hops = hops_at_most(build) / build->fabric->rails;
	uint64_t iterations = (least_ns + steps * chunk_ns - 1) / (steps * chunk_ns);
	uint64_t most = hops / (steps * ranks * chunk_packets * HOPS_PER_PACKET);

	if (iterations > most)
		iterations = most;
	if (iterations > ITERATIONS_MAX)
		iterations = ITERATIONS_MAX;
	return iterations < ITERATIONS_MIN ? ITERATIONS_MIN : (uint32_t)iterations;
}

/* On real NICs: chunks that registered memory has room for, with what rounding adds, and as many
 * all-reduces as fill the time. */
static uint64_t live_chunk_ns(const struct stage_build *build, uint32_t nic, uint32_t members)
{
	uint32_t ranks = members < LIVE_RANKS ? members : LIVE_RANKS;
	uint64_t room = ALLREDUCE_BYTES_MAX / ranks - LIVE_CHUNK_ROUNDING;
	uint64_t most_ns =
		stage_ns(build, nic, room < LIVE_CHUNK_BYTES ? room : LIVE_CHUNK_BYTES);
	uint64_t ns = build->live_ns / (2 * (uint64_t)members * ITERATIONS_MIN);

	return ns < most_ns ? ns : most_ns;
}

static uint32_t live_iterations(
	const struct stage_build *build, uint32_t ranks, uint64_t chunk_ns)
{
	uint64_t iterations = build->live_ns / (2 * (ranks - UINT64_C(1)) * (chunk_ns + 1));

	if (iterations > ITERATIONS_MAX)
		return ITERATIONS_MAX;
	return iterations < ITERATIONS_MIN ? ITERATIONS_MIN : (uint32_t)iterations;
}

/* nics is handed over. */
static void ring(struct stage_build *build, uint32_t rail, uint32_t *nics, uint32_t members)
{
	struct plan_stage *stage = stage_begin(build, LAYER_RING);
	uint64_t chunk_ns = build->live_ns ? live_chunk_ns(build, nics[0], members)
					   : chunk_ns_for(build, nics[0]);
	uint64_t chunk = stage_bytes(build, nics[0], chunk_ns) / ELEM_BYTES * ELEM_BYTES +
			 ELEM_BYTES * (build->live_ns > 0);
	uint64_t packets = (chunk + build->fabric->mtu_bytes - 1) / build->fabric->mtu_bytes;
	uint32_t ranks = build->live_ns ? LIVE_RANKS : ranks_at_most(build, packets);

	if (ranks > members)
		ranks = members;
	thin_out(nics, members, ranks);
	stage->variant = ranks;
	stage->subject = rail;
	stage->ring = (struct plan_ring){
		.nics = nics,
		.ranks = ranks,
		.qps = edge_qps(build, nics[0]),
		.bytes = chunk * ranks,
		.elem_bytes = ELEM_BYTES,
		.iterations = build->live_ns ? live_iterations(build, ranks, chunk_ns)
					     : iterations_for(build, ranks, chunk_ns, packets),
	};
	if (build->fabric->rails > 1)
		stage_name(stage, "ring-rail%u", rail + 1);
	else
		stage_name(stage, "ring");
	stage_note(stage, "all-reduce over %u of %u NICs, %u times", ranks, members,
		stage->ring.iterations);
	stage_end(build, stage);
}

/* The other types of element, a few times each: that their sums are right. */
static void other_types(struct stage_build *build, uint32_t rail)
{
	size_t like = build->plan->count - 1;

	for (unsigned type = ALLREDUCE_INT64; type <= ALLREDUCE_BF16; type++) {
		struct plan_stage *stage = stage_begin(build, LAYER_RING);
		const struct plan_ring *from = &build->plan->stages[like].ring;
		uint32_t bytes = allreduce_elem_bytes((enum allreduce_type)type);

		stage->variant = from->ranks;
		stage->subject = rail;
		stage->ring = *from;
		stage->ring.nics = zeroed(from->ranks, sizeof(*from->nics));
		memcpy(stage->ring.nics, from->nics, from->ranks * sizeof(*from->nics));
		stage->ring.type = type;
		stage->ring.elem_bytes = bytes;
		stage->ring.bytes =
			(from->bytes / from->ranks + bytes - 1) / bytes * bytes * from->ranks;
		stage->ring.iterations = ITERATIONS_MIN;
		stage_name(stage, "%.20s-%s", build->plan->stages[like].name,
			allreduce_type_name((enum allreduce_type)type));
		stage_note(stage, "the same with %s, %u times",
			allreduce_type_name((enum allreduce_type)type), ITERATIONS_MIN);
		stage_end(build, stage);
	}
}

void stages_ring(struct stage_build *build)
{
	for (uint32_t rail = 0; rail < build->fabric->rails; rail++) {
		uint32_t *nics = zeroed(build->by_leaf.count + 1, sizeof(*nics));
		uint32_t members = stage_rail(build, rail, nics);

		if (members < 2)
			free(nics);
		else
			ring(build, rail, nics, members);
		if (members >= 2 && build->live_ns)
			other_types(build, rail);
	}
}
