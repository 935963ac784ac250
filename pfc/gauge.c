/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/gauge.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

#define NONE SIZE_MAX
#define HALF_OF_32_BITS (UINT64_C(1) << 31)

__extension__ typedef unsigned __int128 wide;

enum gauge_state gauge_step(uint64_t from, uint64_t to, unsigned bits, uint64_t *grown)
{
	if (to >= from) {
		*grown = to - from;
		return GAUGE_COUNTED;
	}
	/* From the upper half to the lower one is what a wrap looks like; a reset may too. */
	if (bits == 32 && from >= HALF_OF_32_BITS && to < HALF_OF_32_BITS)
		return GAUGE_WRAPPED;
	return GAUGE_RESET;
}

struct gauge_counter *gauge_add(struct gauge *gauge, const char *name, enum gauge_source source,
	const struct counter_row *row, int priority)
{
	struct gauge_counter *counter;

	gauge->counters =
		grow(gauge->counters, gauge->count, &gauge->room, sizeof(*gauge->counters));
	counter = &gauge->counters[gauge->count++];
	*counter = (struct gauge_counter){ .row = row, .priority = priority, .source = source };
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	return counter;
}

void gauge_index(struct gauge *gauge)
{
	for (size_t m = 0; m < MEANINGS; m++)
		for (size_t p = 0; p <= GAUGE_PRIORITIES; p++)
			gauge->first[m][p] = NONE;
	for (size_t i = gauge->count; i-- > 0;) {
		struct gauge_counter *counter = &gauge->counters[i];
		size_t *first;

		counter->next = NONE;
		if (!counter->row)
			continue;
		assert(counter->priority < GAUGE_PRIORITIES);
		first = &gauge->first[counter->row->means][counter->priority + 1];
		counter->next = *first;
		*first = i;
	}
}

static const struct gauge_counter *find(
	const struct gauge *gauge, const struct gauge_counter *like)
{
	for (size_t i = 0; i < gauge->count; i++) {
		const struct gauge_counter *counter = &gauge->counters[i];

		if (counter->source == like->source && strcmp(counter->name, like->name) == 0)
			return counter;
	}
	return NULL;
}

void gauge_keep(struct gauge *gauge, const struct gauge *before)
{
	for (size_t i = 0; i < gauge->count; i++) {
		struct gauge_counter *counter = &gauge->counters[i];
		const struct gauge_counter *old = find(before, counter);
		size_t next = counter->next;

		if (!old)
			continue;
		*counter = *old;
		counter->next = next;
	}
	memcpy(gauge->sources, before->sources, sizeof(gauge->sources));
}

/* A window in which it went down knows no number of it any more. */
static void add_state(struct gauge_counter *counter, enum gauge_window window,
	enum gauge_state state, uint64_t grown)
{
	if (state > counter->state[window])
		counter->state[window] = state;
	counter->grown[window] += grown;
}

static void take_counter(struct gauge_counter *counter, gauge_fell *fell, void *context)
{
	unsigned bits = counter->row ? counter->row->bits : 64;
	uint64_t grown = 0;

	if (!counter->there) {
		counter->based = false;
		return;
	}
	if (counter->based) {
		enum gauge_state state =
			gauge_step(counter->last, counter->value, bits, &grown);

		add_state(counter, GAUGE_BLOCK, state, grown);
		counter->counted = counter->counted || state == GAUGE_COUNTED;
		if (grown > counter->largest)
			counter->largest = grown;
		if (state != GAUGE_COUNTED && fell)
			fell(context, counter);
	}
	counter->last = counter->value;
	counter->based = true;
}

static void take_source(struct gauge_reading *reading)
{
	uint64_t middle = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;

	if (!reading->there) {
		reading->based = false;
		return;
	}
	if (reading->based)
		reading->span_ns[GAUGE_BLOCK] += middle - reading->last_ns;
	reading->last_ns = middle;
	reading->based = true;
}

void gauge_take(struct gauge *gauge, gauge_fell *fell, void *context)
{
	for (size_t i = 0; i < gauge->count; i++)
		if (gauge->sources[gauge->counters[i].source].asked)
			take_counter(&gauge->counters[i], fell, context);
	for (size_t i = 0; i < GAUGE_SOURCES; i++)
		if (gauge->sources[i].asked)
			take_source(&gauge->sources[i]);
}

void gauge_close(struct gauge *gauge, enum gauge_window window)
{
	enum gauge_window larger = window + 1;

	assert(larger < GAUGE_WINDOWS);
	for (size_t i = 0; i < gauge->count; i++) {
		struct gauge_counter *counter = &gauge->counters[i];

		add_state(counter, larger, counter->state[window], counter->grown[window]);
		counter->state[window] = GAUGE_UNSEEN;
		counter->grown[window] = 0;
		if (window == GAUGE_INTERVAL)
			counter->largest = 0;
	}
	for (size_t i = 0; i < GAUGE_SOURCES; i++) {
		struct gauge_reading *reading = &gauge->sources[i];

		reading->span_ns[larger] += reading->span_ns[window];
		reading->span_ns[window] = 0;
	}
}

void gauge_rebase(struct gauge *gauge)
{
	for (size_t i = 0; i < gauge->count; i++)
		gauge->counters[i].based = false;
	for (size_t i = 0; i < GAUGE_SOURCES; i++)
		gauge->sources[i].based = false;
}

bool gauge_get(const struct gauge *gauge, enum gauge_window window, enum meaning means,
	int priority, struct gauge_growth *growth)
{
	bool known = false;

	for (size_t i = gauge->first[means][priority + 1]; i != NONE;
		i = gauge->counters[i].next) {
		const struct gauge_counter *counter = &gauge->counters[i];
		uint64_t span_ns = gauge->sources[counter->source].span_ns[window];
		uint64_t grown = counter->grown[window];

		if (counter->state[window] != GAUGE_COUNTED || !span_ns ||
			counter->row->unit == UNIT_UNSTATED)
			continue;
		if (counter->row->unit == UNIT_WORDS)
			grown *= 4;
		if (known && grown <= growth->grown)
			continue;
		*growth = (struct gauge_growth){ grown, span_ns, counter };
		known = true;
	}
	return known;
}

bool gauge_counter_total(const struct gauge_counter *counter, uint64_t *total)
{
	enum gauge_state all = counter->state[GAUGE_ALL],
			 interval = counter->state[GAUGE_INTERVAL];

	if ((all > interval ? all : interval) != GAUGE_COUNTED)
		return false;
	*total = counter->grown[GAUGE_ALL] + counter->grown[GAUGE_INTERVAL];
	if (counter->row && counter->row->unit == UNIT_WORDS)
		*total *= 4;
	return true;
}

bool gauge_total(const struct gauge *gauge, enum meaning means, int priority, uint64_t *total)
{
	bool known = false;

	for (size_t i = gauge->first[means][priority + 1]; i != NONE;
		i = gauge->counters[i].next) {
		uint64_t one;

		if (!gauge_counter_total(&gauge->counters[i], &one) || (known && one <= *total))
			continue;
		*total = one;
		known = true;
	}
	return known;
}

bool gauge_counted(const struct gauge *gauge, enum meaning means, int priority)
{
	for (size_t i = gauge->first[means][priority + 1]; i != NONE;
		i = gauge->counters[i].next)
		if (gauge->counters[i].counted && gauge->counters[i].row->unit != UNIT_UNSTATED)
			return true;
	return false;
}

bool gauge_has(const struct gauge *gauge, enum meaning means, int priority)
{
	for (size_t i = gauge->first[means][priority + 1]; i != NONE;
		i = gauge->counters[i].next)
		if (gauge->counters[i].there)
			return true;
	return false;
}

uint64_t gauge_share_ppb(const struct gauge_growth *growth)
{
	wide ppb = (wide)growth->grown * NS_PER_US * PPB / growth->span_ns;

	return ppb > PPB ? PPB : (uint64_t)ppb;
}

void gauge_free(struct gauge *gauge)
{
	free(gauge->counters);
	gauge->counters = NULL;
	gauge->count = gauge->room = 0;
}
