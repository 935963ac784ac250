/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/facts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "pfc/bundle.h"

static const struct {
	const char *id, *name, *fields;
} keys[FACT_KEYS] = {
#define FACT(key, name, fields) [FACT_##key] = { #key, name, fields },
	FACT_TABLE(FACT)
#undef FACT
};

void facts_init(struct facts *facts)
{
	memset(facts, 0, sizeof(*facts));
}

void facts_free(struct facts *facts)
{
	arena_free(&facts->arena);
	free(facts->items);
	facts_init(facts);
}

const char *fact_key_name(enum fact_key key)
{
	return keys[key].name;
}

const char *fact_key_id(enum fact_key key)
{
	return keys[key].id;
}

const char *fact_key_fields(enum fact_key key)
{
	return keys[key].fields;
}

enum fact_key fact_key_find(const char *id)
{
	enum fact_key key = 0;

	while (key < FACT_KEYS && strcmp(keys[key].id, id) != 0)
		key++;
	return key;
}

double fact_window_s(const struct fact *fact)
{
	return fact->window_s > 0 ? fact->window_s
	       : fact->section    ? fact->section->window_s
				  : 0;
}

const char *facts_keep(struct facts *facts, const char *text)
{
	return text && *text ? arena_text(&facts->arena, text, strlen(text)) : "";
}

struct fact *facts_add(struct facts *facts, enum fact_key key, const char *place,
	const char *subject, const char *name, const char *text)
{
	static struct fact spare;
	struct fact *fact;

	if (facts->count == FACTS_MAX || (key != FACT_COUNTER && key != FACT_SETTING &&
						 facts->of_key[key] == FACTS_KEY_MAX)) {
		facts->dropped++;
		return &spare;
	}
	facts->items = grow(facts->items, facts->count, &facts->room, sizeof(*facts->items));
	fact = &facts->items[facts->count++];
	*fact = (struct fact){ .key = key,
		.place = facts_keep(facts, place),
		.subject = facts_keep(facts, subject),
		.name = facts_keep(facts, name),
		.text = facts_keep(facts, text),
		.extra = "",
		.source = "",
		.priority = -1 };
	if (facts->last[key])
		facts->items[facts->last[key] - 1].next = (uint32_t)facts->count;
	else
		facts->first[key] = (uint32_t)facts->count;
	facts->last[key] = (uint32_t)facts->count;
	facts->of_key[key]++;
	return fact;
}

static void append_one(struct facts *facts, const struct fact *old)
{
	struct fact *fact =
		facts_add(facts, old->key, old->place, old->subject, old->name, old->text);

	fact->extra = facts_keep(facts, old->extra);
	fact->source = facts_keep(facts, old->source);
	fact->has_number = old->has_number;
	fact->number = old->number;
	fact->more = old->more;
	fact->window_s = old->window_s;
	fact->means = old->means;
	fact->priority = old->priority;
	fact->section = old->section;
	fact->line = old->section ? old->line : (uint32_t)facts->count;
}

void facts_append(
	struct facts *facts, const struct facts *from, bool (*keep)(const struct fact *fact))
{
	for (size_t i = 0; i < from->count; i++)
		if (!keep || keep(&from->items[i]))
			append_one(facts, &from->items[i]);
	facts->dropped += from->dropped;
}

const struct fact *facts_first(const struct facts *facts, enum fact_key key)
{
	return facts->first[key] ? &facts->items[facts->first[key] - 1] : NULL;
}

const struct fact *facts_next(const struct facts *facts, const struct fact *fact)
{
	return fact->next ? &facts->items[fact->next - 1] : NULL;
}

static bool matches(
	const struct fact *fact, const char *place, const char *subject, const char *name)
{
	return (!place || strcmp(fact->place, place) == 0) &&
	       (!subject || strcmp(fact->subject, subject) == 0) &&
	       (!name || strcmp(fact->name, name) == 0);
}

const struct fact *facts_find(const struct facts *facts, enum fact_key key, const char *place,
	const char *subject, const char *name)
{
	FACTS_EACH (facts, key, fact)
		if (matches(fact, place, subject, name))
			return fact;
	return NULL;
}

const struct fact *facts_find_last(const struct facts *facts, enum fact_key key,
	const char *place, const char *subject, const char *name)
{
	const struct fact *last = NULL;

	FACTS_EACH (facts, key, fact)
		if (matches(fact, place, subject, name))
			last = fact;
	return last;
}

const struct fact *facts_beside(
	const struct facts *facts, enum fact_key key, const struct fact *fact)
{
	FACTS_EACH (facts, key, other)
		if (other->section == fact->section && other->line == fact->line)
			return other;
	return NULL;
}

static size_t add_distinct(const char **names, size_t count, size_t room, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return count;
	if (count < room)
		names[count++] = name;
	return count;
}

size_t facts_places(
	const struct facts *facts, enum fact_key key, const char **places, size_t room)
{
	size_t count = 0;

	FACTS_EACH (facts, key, fact)
		count = add_distinct(places, count, room, fact->place);
	return count;
}

size_t facts_subjects(const struct facts *facts, enum fact_key key, const char *place,
	const char **subjects, size_t room)
{
	size_t count = 0;

	FACTS_EACH (facts, key, fact)
		if (!place || strcmp(fact->place, place) == 0)
			count = add_distinct(subjects, count, room, fact->subject);
	return count;
}
