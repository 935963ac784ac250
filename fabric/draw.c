/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/draw.h"

#include <string.h>

/* FNV-1a, 64 bits. */
#define HASH_BASIS UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static void hash_bytes(uint64_t *hash, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < count; i++)
		*hash = (*hash ^ at[i]) * HASH_PRIME;
}

/* Least byte first, so that machines of either order agree. */
static void hash_u64(uint64_t *hash, uint64_t value)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	hash_bytes(hash, bytes, sizeof(bytes));
}

static void hash_text(uint64_t *hash, const char *text)
{
	hash_bytes(hash, text, strlen(text) + 1);
}

uint64_t draw_seed(const struct run_info *info)
{
	return strcmp(info->backend, "sim") == 0 ? info->seed : 0;
}

static void hash_ways(uint64_t *hash, const struct evidence *evidence, size_t flow)
{
	uint32_t number = evidence->flows[flow].flow;
	size_t i = evidence_first_path(evidence, number);

	for (; i < evidence->path_count && evidence->paths[i].flow == number; i++)
		hash_u64(hash, evidence->paths[i].sport);
}

/* A NIC that is not known may be anywhere. */
static bool is_local(const struct evidence *evidence, size_t flow)
{
	uint32_t src = evidence->src[flow], dst = evidence->dst[flow];

	return src != PORT_NONE && dst != PORT_NONE &&
	       fabric_nic_leaf(evidence->fabric, src) == fabric_nic_leaf(evidence->fabric, dst);
}

uint64_t draw_flow(const struct evidence *evidence, size_t flow, uint64_t seed)
{
	const struct run_flow *row = &evidence->flows[flow];
	uint64_t hash = HASH_BASIS;

	hash_text(&hash, row->src);
	hash_text(&hash, row->dst);
	hash_u64(&hash, row->role);
	hash_u64(&hash, row->not_ect);
	hash_u64(&hash, row->qps);
	hash_u64(&hash, row->bytes_planned);
	if (!is_local(evidence, flow)) {
		hash_u64(&hash, seed);
		hash_ways(&hash, evidence, flow);
	}
	return hash ? hash : 1;
}

uint64_t draw_stage(const struct evidence *evidence, uint64_t seed)
{
	const struct run_stage *stage = &evidence->stage;
	uint64_t hash = HASH_BASIS;

	hash_u64(&hash, stage->layer);
	hash_u64(&hash, stage->variant);
	hash_u64(&hash, stage->repeat);
	hash_u64(&hash, stage->expected_ns); /* rates, bursts and starts of the flows */
	hash_u64(&hash, evidence->ring.bytes);
	hash_u64(&hash, evidence->ring.iterations);
	for (size_t i = 0; i < evidence->flow_count; i++)
		hash_u64(&hash, draw_flow(evidence, i, seed));
	return hash ? hash : 1;
}
