/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/judging.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

static uint32_t count_bits(const struct seen *seen)
{
	uint32_t count = 0;

	for (size_t i = 0; i < COUNT_OF(seen->bits); i++)
		count += (uint32_t)__builtin_popcountll(seen->bits[i]);
	return count;
}

void seen_add(struct seen *seen, const struct run_stage *stage)
{
	struct seen one = { .stages = 1, .layer = stage->layer };

	one.bits[stage->id % SEEN_STAGES / 64] = UINT64_C(1) << stage->id % 64;
	one.t0_ns = stage->t0_ns;
	one.t1_ns = stage->t1_ns;
	memcpy(one.first, stage->name, sizeof(one.first));
	seen_merge(seen, &one);
}

void seen_merge(struct seen *seen, const struct seen *other)
{
	if (other->stages == 0)
		return;
	if (seen->stages == 0) {
		*seen = *other;
		return;
	}
	if (other->t0_ns < seen->t0_ns) {
		memcpy(seen->first, other->first, sizeof(seen->first));
		seen->layer = other->layer;
		seen->t0_ns = other->t0_ns;
	}
	if (other->t1_ns > seen->t1_ns)
		seen->t1_ns = other->t1_ns;
	for (size_t i = 0; i < COUNT_OF(seen->bits); i++)
		seen->bits[i] |= other->bits[i];
	seen->stages = count_bits(seen);
}

bool seen_meets(const struct seen *seen, const struct seen *other)
{
	for (size_t i = 0; i < COUNT_OF(seen->bits); i++)
		if (seen->bits[i] & other->bits[i])
			return true;
	return false;
}

struct place place_link(uint32_t link)
{
	return (struct place){ CULPRIT_LINK, link, PORT_NONE };
}

struct place place_direction(const struct fabric *fabric, uint32_t port)
{
	return (struct place){ CULPRIT_LINK, fabric->ports[port].link, port };
}

struct place place_port(const struct fabric *fabric, uint32_t port)
{
	bool nic = fabric->ports[port].nic != PORT_NONE;

	return (struct place){ nic ? CULPRIT_NIC : CULPRIT_PORT, port, PORT_NONE };
}

struct place place_switch(uint32_t node)
{
	return (struct place){ CULPRIT_SWITCH, node, PORT_NONE };
}

void place_name(const struct fabric *fabric, const struct place *place, char *text)
{
	char name[2 * NAME_BYTES] = "";

	if (place->kind == CULPRIT_LINK)
		fabric_link_name(fabric, place->index, name);
	else if (place->kind == CULPRIT_NIC)
		fabric_nic_name(fabric, fabric->ports[place->index].nic, name);
	else if (place->kind == CULPRIT_PORT)
		fabric_port_name(fabric, place->index, name);
	else if (place->kind == CULPRIT_SWITCH)
		snprintf(name, sizeof(name), "%s", fabric->nodes[place->index].name);
	snprintf(text, FINDING_NAME, "%s", name);
}

bool judging_is_live(const struct judging *judging)
{
	return strcmp(judging->info->backend, "verbs") == 0;
}

bool judging_asks_switches(const struct judging *judging)
{
	return !judging_is_live(judging) || !judging->fabric->proof_hosts;
}

static void fill_basis(
	const struct judging *judging, struct finding *finding, const struct seen *seen)
{
	bool simulated = strcmp(judging->info->backend, "sim") == 0;
	const char *made = simulated ? "simulated" : "measured";
	char more[32] = "";

	if (!seen || seen->stages == 0)
		return;
	if (seen->stages > 1)
		snprintf(more, sizeof(more), " and %u more", seen->stages - 1);
	snprintf(finding->basis, sizeof(finding->basis), "%s, stage %s%s, window %.3f-%.3f ms",
		made, seen->first, more, (double)seen->t0_ns / (double)NS_PER_MS,
		(double)seen->t1_ns / (double)NS_PER_MS);
}

struct finding *judging_say(struct judging *judging, const char *check, const char *layer,
	enum verdict verdict, const struct seen *seen)
{
	struct finding *finding = findings_add(judging->findings, check, layer, verdict);

	finding->rank = RANK_INFO;
	fill_basis(judging, finding, seen);
	return finding;
}

#define AMOUNT_BITS 48

struct finding *judging_cause(struct judging *judging, const char *check, const char *layer,
	enum cause_class class, uint64_t amount, const struct place *place,
	const struct seen *seen)
{
	uint64_t most = (UINT64_C(1) << AMOUNT_BITS) - 1;
	struct finding *finding = judging_say(judging, check, layer, VERDICT_FAIL, seen);
	struct cause *cause;

	finding->rank = RANK_CAUSE;
	finding->culprit_kind = place->kind;
	place_name(judging->fabric, place, finding->culprit);
	finding->weight = (uint64_t) class << AMOUNT_BITS | (amount < most ? amount : most);
	judging->causes = grow(judging->causes, judging->cause_count, &judging->cause_room,
		sizeof(*judging->causes));
	cause = &judging->causes[judging->cause_count++];
	*cause = (struct cause){
		.finding = judging->findings->count - 1,
		.class = class,
		.place = *place,
	};
	if (seen)
		cause->seen = *seen;
	return finding;
}

static bool ends_at(const struct fabric *fabric, const struct place *place, uint32_t node)
{
	const struct link *link;

	if (place->kind == CULPRIT_SWITCH)
		return place->index == node;
	if (place->kind == CULPRIT_PORT || place->kind == CULPRIT_NIC)
		return fabric->ports[place->index].node == node;
	if (place->kind != CULPRIT_LINK)
		return false;
	link = &fabric->links[place->index];
	return fabric->ports[link->a].node == node || fabric->ports[link->b].node == node;
}

bool judging_blames(const struct judging *judging, uint32_t node, enum cause_class class)
{
	for (size_t i = 0; i < judging->cause_count; i++)
		if (judging->causes[i].class >= class &&
			ends_at(judging->fabric, &judging->causes[i].place, node))
			return true;
	return false;
}

bool judging_blames_link(const struct judging *judging, uint32_t link, enum cause_class class)
{
	for (size_t i = 0; i < judging->cause_count; i++)
		if (judging->causes[i].class >= class &&
			judging->causes[i].place.kind == CULPRIT_LINK &&
			judging->causes[i].place.index == link)
			return true;
	return false;
}

void judging_spreads(struct judging *judging)
{
	assert(judging->cause_count > 0);
	judging->causes[judging->cause_count - 1].spreads = true;
}

static void fill(char *text, size_t bytes, const char *fmt, va_list args)
{
	vsnprintf(text, bytes, fmt, args);
}

void finding_text(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(finding->text, sizeof(finding->text), fmt, args);
	va_end(args);
}

void finding_advice(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(finding->advice, sizeof(finding->advice), fmt, args);
	va_end(args);
}

void finding_limit(struct finding *finding, double measured, double limit, const char *unit,
	const char *source, ...)
{
	va_list args;

	finding->has_measured = finding->has_limit = true;
	finding->measured = measured;
	finding->limit = limit;
	snprintf(finding->unit, sizeof(finding->unit), "%s", unit);
	va_start(args, source);
	fill(finding->limit_source, sizeof(finding->limit_source), source, args);
	va_end(args);
}
