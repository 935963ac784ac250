/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers both sides: the rows of captures, and the counts of the stages that they cover. */
#include "fabric/judge_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counters.h"
#include "lib/grow.h"

/* --- addresses --- */

/* The ports by an address of theirs, as the facts of the run tell it. */
struct directory {
	struct named {
		const char *address; /* borrowed from the facts */
		uint32_t port;
	} * items; /* owned; ascending */
	size_t count;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	return strcmp(a->address, b->address);
}

static void directory_init(
	struct directory *directory, const struct judging *judging, const char *key)
{
	directory->items = zeroed(judging->fact_count, sizeof(*directory->items));
	directory->count = 0;
	for (size_t i = 0; i < judging->fact_count; i++) {
		const struct run_fact *fact = &judging->facts[i];

		if (strcmp(fact->key, key) == 0)
			directory->items[directory->count++] = (struct named){
				fact->value,
				lookup_port(&judging->lookup, fact->place, strlen(fact->place)),
			};
	}
	if (directory->count)
		qsort(directory->items, directory->count, sizeof(*directory->items),
			compare_named);
}

static uint32_t directory_port(const struct directory *directory, const char *address)
{
	struct named wanted = { address, PORT_NONE }, *found = NULL;

	if (directory->count)
		found = bsearch(&wanted, directory->items, directory->count, sizeof(wanted),
			compare_named);
	return found ? found->port : PORT_NONE;
}

/* --- the rows of captures --- */

static size_t capture_of(struct wire_state *state, const char *name)
{
	size_t at = state->capture_count;

	/* Rows of a capture follow each other. */
	while (at > 0 && strcmp(state->captures[at - 1].name, name) != 0)
		at--;
	if (at > 0)
		return at - 1;
	state->captures = grow(state->captures, state->capture_count, &state->capture_room,
		sizeof(*state->captures));
	state->captures[state->capture_count] = (struct wire_capture){ .timed = false };
	snprintf(state->captures[state->capture_count].name, sizeof(state->captures[0].name),
		"%s", name);
	return state->capture_count++;
}

static void take_whole(struct wire_capture *capture, const struct run_wire *row)
{
	if (strcmp(row->name, W_FIRST_NS) == 0) {
		capture->timed = true;
		capture->first_ns = row->value;
	} else if (strcmp(row->name, W_LAST_NS) == 0) {
		capture->last_ns = row->value;
	}
}

static void take_pause(const struct judging *judging, struct wire_state *state,
	const struct directory *macs, size_t capture, const struct run_wire *row)
{
	uint32_t port = directory_port(macs, row->src);
	char name[40];

	snprintf(name, sizeof(name), C_TX_PRIO_PAUSE, judging->fabric->policy.priority);
	if (port == PORT_NONE || strcmp(row->name, name) != 0)
		return;
	state->pauses = grow(
		state->pauses, state->pause_count, &state->pause_room, sizeof(*state->pauses));
	state->pauses[state->pause_count++] =
		(struct wire_pause){ .port = port, .capture = capture, .seen = row->value };
}

static uint64_t *sum_of(struct wire_pair *pair, const char *name)
{
	if (strcmp(name, W_DATA) == 0)
		return &pair->data;
	if (strcmp(name, W_RESENT) == 0)
		return &pair->resent;
	if (strcmp(name, W_CE) == 0)
		return &pair->ce;
	if (strcmp(name, W_CNPS) == 0)
		return &pair->cnps;
	return strcmp(name, W_NAKS) == 0 ? &pair->naks : NULL;
}

/* The rows of a pair follow each other. */
static void take_pair(const struct judging *judging, struct wire_state *state,
	const struct directory *addresses, size_t capture, const struct run_wire *row)
{
	uint32_t src = directory_port(addresses, row->src);
	uint32_t dst = directory_port(addresses, row->dst);
	struct wire_pair *pair =
		state->pair_count ? &state->pairs[state->pair_count - 1] : NULL;
	uint64_t *sum;

	src = src == PORT_NONE ? src : judging->fabric->ports[src].nic;
	dst = dst == PORT_NONE ? dst : judging->fabric->ports[dst].nic;
	if (src == PORT_NONE || dst == PORT_NONE) {
		state->captures[capture].strangers += strcmp(row->name, W_DATA) == 0;
		return;
	}
	if (!pair || pair->src != src || pair->dst != dst || pair->capture != capture) {
		state->pairs = grow(state->pairs, state->pair_count, &state->pair_room,
			sizeof(*state->pairs));
		pair = &state->pairs[state->pair_count++];
		*pair = (struct wire_pair){ .src = src, .dst = dst, .capture = capture };
		state->captures[capture].pairs++;
	}
	sum = sum_of(pair, row->name);
	if (sum)
		*sum += row->value;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct wire_pair *a = left, *b = right;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return (a->capture > b->capture) - (a->capture < b->capture);
}

static void take_rows(const struct judging *judging, struct wire_state *state)
{
	struct directory addresses, macs;

	directory_init(&addresses, judging, F_ADDRESS);
	directory_init(&macs, judging, F_MAC);
	for (size_t i = 0; i < judging->wire_count; i++) {
		const struct run_wire *row = &judging->wires[i];
		size_t capture = capture_of(state, row->capture);

		if (!row->src[0])
			take_whole(&state->captures[capture], row);
		else if (!row->dst[0])
			take_pause(judging, state, &macs, capture, row);
		else
			take_pair(judging, state, &addresses, capture, row);
	}
	if (state->pair_count)
		qsort(state->pairs, state->pair_count, sizeof(*state->pairs), compare_pairs);
	free(addresses.items);
	free(macs.items);
}

/* --- the counts --- */

static bool covers(const struct wire_capture *capture, const struct run_stage *stage)
{
	return capture->timed && capture->first_ns <= stage->t1_ns &&
	       capture->last_ns >= stage->t0_ns;
}

/* The first pair from src to dst; those of other captures follow. */
static size_t first_pair(const struct wire_state *state, uint32_t src, uint32_t dst)
{
	struct wire_pair wanted = { .src = src, .dst = dst };
	size_t low = 0, high = state->pair_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_pairs(&state->pairs[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_flow(struct wire_state *state, const struct run_stage *stage,
	const struct run_flow *flow, uint32_t src, uint32_t dst)
{
	size_t at = first_pair(state, src, dst);

	for (; at < state->pair_count && state->pairs[at].src == src &&
		state->pairs[at].dst == dst;
		at++) {
		struct wire_pair *pair = &state->pairs[at];

		if (!covers(&state->captures[pair->capture], stage))
			continue;
		pair->sent += flow->packets_sent;
		pair->sent_again += flow->packets_resent;
		pair->received += flow->packets_received;
		pair->ce_counted += flow->ce_packets;
	}
	at = first_pair(state, dst, src);
	for (; at < state->pair_count && state->pairs[at].src == dst &&
		state->pairs[at].dst == src;
		at++) {
		struct wire_pair *pair = &state->pairs[at];

		if (!covers(&state->captures[pair->capture], stage))
			continue;
		pair->cnps_sent += flow->cnps_sent;
		pair->cnps_handled += flow->cnps_handled;
		pair->naks_counted += flow->naks;
	}
}

static void *begin(const struct judging *judging)
{
	struct wire_state *state = zeroed(1, sizeof(*state));

	take_rows(judging, state);
	return state;
}

static void stage(struct judging *judging, void *opaque, const struct evidence *evidence)
{
	struct wire_state *state = opaque;

	(void)judging;
	for (size_t i = 0; i < state->capture_count; i++)
		state->captures[i].stages += covers(&state->captures[i], &evidence->stage);
	for (size_t i = 0; i < evidence->flow_count && state->pair_count; i++)
		if (evidence->src[i] != PORT_NONE && evidence->dst[i] != PORT_NONE)
			count_flow(state, &evidence->stage, &evidence->flows[i],
				evidence->src[i], evidence->dst[i]);
	for (size_t i = 0; i < state->pause_count; i++)
		if (covers(&state->captures[state->pauses[i].capture], &evidence->stage))
			state->pauses[i].counted +=
				evidence_sum(evidence, state->pauses[i].port, M_TX_PAUSE);
}

static void end(struct judging *judging, void *opaque, bool speak)
{
	struct wire_state *state = opaque;

	if (speak)
		judge_wire_tell(judging, state);
	free(state->captures);
	free(state->pairs);
	free(state->pauses);
	free(state);
}

const struct judge judge_wire = { begin, stage, end };
