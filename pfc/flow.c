/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

#define CHUNK (1u << FLOW_CHUNK_SHIFT)
#define READ_BLOCKS_MAX 32768u
#define DETAILS_MAX 4096u
#define TRACKS_MAX 1000000u
#define BLOCK_NONE UINT32_MAX

void flow_table_init(struct flow_table *table, uint32_t most)
{
	*table = (struct flow_table){
		.most = most < 64 ? 64 : most,
		.free = FLOW_NONE,
		.read_free = BLOCK_NONE,
		.track_free = BLOCK_NONE,
		.trouble_free = BLOCK_NONE,
		.slot_mask = 1023,
		.slots = zeroed(1024, sizeof(struct flow_slot)),
	};
}

void flow_table_free(struct flow_table *table)
{
	for (size_t i = 0; i < table->chunk_count; i++)
		free(table->chunks[i]);
	free(table->chunks);
	free(table->slots);
	free(table->reads);
	free(table->tracks);
	free(table->troubles);
	free(table->details);
	free(table->dscps);
	free(table->carries);
	memset(table, 0, sizeof(*table));
}

/* A multiplier for each word, then all bits folded into all. Not keyed: who makes
 * captures on purpose may slow us. */
static uint64_t hash_of(const struct flow_key *key)
{
	uint64_t words[sizeof(*key) / 8], hash;

	_Static_assert(sizeof(struct flow_key) == 40, "no padding, whole words");
	memcpy(words, key, sizeof(words));
	hash = words[0] * UINT64_C(0xa0761d6478bd642f) ^
	       words[1] * UINT64_C(0xe7037ed1a0b428db) ^
	       words[2] * UINT64_C(0x8ebc6af09c88c6e3) ^
	       words[3] * UINT64_C(0x589965cc75374cc3) ^
	       words[4] * UINT64_C(0x1d8e4e27c47d124f);
	hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* All flows of a key lie behind one another: the first that was added is the main
 * flow, unless it was retired. */
uint32_t flow_find(const struct flow_table *table, const struct flow_key *key,
	uint16_t src_port, uint32_t *main)
{
	uint64_t hash = hash_of(key);
	uint32_t tag = (uint32_t)(hash >> 32);
	uint32_t at = (uint32_t)hash & table->slot_mask;

	*main = FLOW_NONE;
	for (; table->slots[at].place; at = (at + 1) & table->slot_mask) {
		uint32_t index = table->slots[at].place - 1;
		const struct flow *flow;

		if (table->slots[at].tag != tag)
			continue;
		flow = flow_at(table, index);
		if (memcmp(&flow->key, key, sizeof(*key)) != 0)
			continue;
		if (flow->src_port == src_port)
			return index;
		*main = flow->main;
	}
	return FLOW_NONE;
}

static void put_slot(struct flow_table *table, uint32_t index, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & table->slot_mask;

	while (table->slots[at].place)
		at = (at + 1) & table->slot_mask;
	table->slots[at] = (struct flow_slot){ index + 1, (uint32_t)(hash >> 32) };
}

static void widen(struct flow_table *table)
{
	struct flow_slot *slots = table->slots;
	uint32_t count = table->slot_mask + 1, index;

	table->slot_mask = count * 2 - 1;
	table->slots = zeroed((size_t)count * 2, sizeof(*table->slots));
	for (uint32_t i = 0; i < count; i++) {
		index = slots[i].place - 1;
		if (slots[i].place)
			put_slot(table, index, hash_of(&flow_at(table, index)->key));
	}
	free(slots);
}

/* Takes a flow out of the hash; what lies behind it moves up. */
static void drop_slot(struct flow_table *table, uint32_t index)
{
	uint32_t mask = table->slot_mask, hole, home, at;

	hole = (uint32_t)hash_of(&flow_at(table, index)->key) & mask;
	while (table->slots[hole].place != index + 1) {
		if (!table->slots[hole].place)
			return; /* retired before */
		hole = (hole + 1) & mask;
	}
	for (at = (hole + 1) & mask; table->slots[at].place; at = (at + 1) & mask) {
		index = table->slots[at].place - 1;
		home = (uint32_t)hash_of(&flow_at(table, index)->key) & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		table->slots[hole] = table->slots[at];
		hole = at;
	}
	table->slots[hole].place = 0;
}

void flow_retire(struct flow_table *table, uint32_t index)
{
	for (; index != FLOW_NONE; index = flow_at(table, index)->next_port) {
		drop_slot(table, index);
		flow_at(table, index)->closed = true;
	}
}

static void give_reads(struct flow_table *table, uint32_t block)
{
	if (block == FLOW_NONE)
		return;
	table->reads[block].count = table->read_free;
	table->read_free = block;
}

static void forget(struct flow_table *table, uint32_t index)
{
	struct flow *flow = flow_at(table, index);

	drop_slot(table, index);
	give_reads(table, flow->reads);
	if (flow->responses_track != FLOW_NONE) {
		table->tracks[flow->responses_track].next = table->track_free;
		table->track_free = flow->responses_track;
	}
	if (flow->trouble != FLOW_NONE) {
		table->troubles[flow->trouble].cnps = table->trouble_free;
		table->trouble_free = flow->trouble;
	}
	flow->reads = flow->responses_track = flow->trouble = FLOW_NONE;
	flow->serial = 0;
	flow->next_port = table->free;
	table->free = index;
	table->live--;
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static uint64_t last_of(const struct flow_table *table, uint32_t index)
{
	uint64_t last = 0;

	for (; index != FLOW_NONE; index = flow_at(table, index)->next_port)
		if (flow_at(table, index)->last_ns > last)
			last = flow_at(table, index)->last_ns;
	return last;
}

/* The time before which the idlest part of the main flows was last seen: by a
 * sample, so that closing costs little a flow. */
static uint64_t idle_limit(const struct flow_table *table)
{
	uint64_t sample[1024];
	uint32_t count = 0, step = table->count / 1024 + 1;

	for (uint32_t i = 0; i < table->count && count < 1024; i += step)
		if (flow_is_live(table, i) && flow_at(table, i)->main == i)
			sample[count++] = last_of(table, i);
	if (count == 0)
		return UINT64_MAX;
	qsort(sample, count, sizeof(sample[0]), compare);
	return sample[count / 64];
}

static void close_idle(struct flow_table *table, flow_close *close, void *context)
{
	uint32_t wanted = table->live / 64 + 1, closed = 0;
	uint64_t limit = idle_limit(table);

	for (uint32_t i = 0; i < table->count && closed < wanted; i++) {
		uint32_t at = i, next;

		if (!flow_is_live(table, i) || flow_at(table, i)->main != i ||
			last_of(table, i) > limit)
			continue;
		close(context, i);
		for (; at != FLOW_NONE; at = next, closed++) {
			next = flow_at(table, at)->next_port;
			forget(table, at);
		}
	}
}

static uint32_t take_index(struct flow_table *table)
{
	uint32_t index = table->free;

	if (index != FLOW_NONE) {
		table->free = flow_at(table, index)->next_port;
		return index;
	}
	if (table->count >> FLOW_CHUNK_SHIFT == table->chunk_count) {
		table->chunks = grow(table->chunks, table->chunk_count, &table->chunk_room,
			sizeof(*table->chunks));
		table->chunks[table->chunk_count++] = zeroed_lines(CHUNK, sizeof(struct flow));
	}
	return table->count++;
}

uint32_t flow_add(struct flow_table *table, const struct flow_key *key, uint16_t src_port,
	uint32_t main, uint64_t now_ns, flow_close *close, void *context)
{
	struct flow *flow;
	uint32_t index;

	if (table->live >= table->most && main == FLOW_NONE)
		close_idle(table, close, context);
	if (table->live * 2 > table->slot_mask)
		widen(table);
	index = take_index(table);
	flow = flow_at(table, index);
	memset(flow, 0, sizeof(*flow));
	flow->key = *key;
	flow->src_port = src_port;
	flow->serial = ++table->serial;
	flow->main = main == FLOW_NONE ? index : main;
	flow->first_ns = flow->last_ns = now_ns;
	flow->peer = flow->older = flow->newer = flow->next_port = FLOW_NONE;
	flow->reads = flow->detail = flow->dscp_more = flow->trouble = flow->carry = FLOW_NONE;
	flow->port = FLOW_NONE;
	psn_track_init(&flow->requests_track);
	flow->responses_track = FLOW_NONE;
	if (main != FLOW_NONE) {
		flow->next_port = flow_at(table, main)->next_port;
		flow_at(table, main)->next_port = index;
		flow_at(table, main)->ports++;
	}
	put_slot(table, index, hash_of(key));
	table->live++;
	return index;
}

struct flow_reads *flow_reads(struct flow_table *table, struct flow *flow)
{
	if (flow->reads != FLOW_NONE)
		return &table->reads[flow->reads];
	if (table->read_free != BLOCK_NONE) {
		flow->reads = table->read_free;
		table->read_free = table->reads[flow->reads].count;
	} else {
		if (table->read_count == READ_BLOCKS_MAX)
			return NULL;
		table->reads = grow(table->reads, table->read_count, &table->read_room,
			sizeof(*table->reads));
		flow->reads = (uint32_t)table->read_count++;
	}
	table->reads[flow->reads].begun = table->reads[flow->reads].count = 0;
	return &table->reads[flow->reads];
}

struct psn_track *flow_responses(struct flow_table *table, struct flow *flow)
{
	if (flow->responses_track == FLOW_NONE) {
		if (table->track_free != BLOCK_NONE) {
			flow->responses_track = table->track_free;
			table->track_free = table->tracks[table->track_free].next;
		} else {
			if (table->track_count == TRACKS_MAX)
				return NULL;
			table->tracks = grow(table->tracks, table->track_count,
				&table->track_room, sizeof(*table->tracks));
			flow->responses_track = (uint32_t)table->track_count++;
		}
		psn_track_init(&table->tracks[flow->responses_track]);
	}
	return &table->tracks[flow->responses_track];
}

struct flow_trouble *flow_trouble(struct flow_table *table, struct flow *flow)
{
	if (flow->trouble == FLOW_NONE) {
		if (table->trouble_free != BLOCK_NONE) {
			flow->trouble = table->trouble_free;
			table->trouble_free = table->troubles[flow->trouble].cnps;
		} else {
			table->troubles = grow(table->troubles, table->trouble_count,
				&table->trouble_room, sizeof(*table->troubles));
			flow->trouble = (uint32_t)table->trouble_count++;
		}
		memset(&table->troubles[flow->trouble], 0, sizeof(*table->troubles));
	}
	return &table->troubles[flow->trouble];
}

const struct flow_trouble *flow_trouble_seen(
	const struct flow_table *table, const struct flow *flow)
{
	static const struct flow_trouble none;

	return flow->trouble == FLOW_NONE ? &none : &table->troubles[flow->trouble];
}

struct flow_detail *flow_detail_new(struct flow_table *table, struct flow *flow)
{
	struct flow_detail *detail;

	if (table->detail_count == DETAILS_MAX)
		return NULL;
	table->details =
		grow(table->details, table->detail_count, &table->detail_room, sizeof(*detail));
	detail = &table->details[table->detail_count];
	memset(detail, 0, sizeof(*detail));
	detail->ack_ns_min = UINT64_MAX;
	flow->detail = (uint32_t)table->detail_count++;
	return detail;
}
