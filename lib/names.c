/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

/* FNV-1a: the texts are short and nobody attacks us with them. */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

/* The slot that holds the text, or the free one where it would go. */
static size_t slot_of(const struct names *names, const char *text)
{
	size_t mask = names->slot_count - 1;
	size_t slot = hash(text) & mask;

	while (names->slots[slot] != NAMES_NONE &&
		strcmp(names->texts[names->slots[slot]], text) != 0)
		slot = (slot + 1) & mask;
	return slot;
}

/* At most half of the slots are ever taken. */
static void make_slots(struct names *names)
{
	size_t wanted = names->slot_count ? names->slot_count * 2 : 64;

	if (names->count * 2 < names->slot_count)
		return;
	free(names->slots);
	names->slots = zeroed(wanted, sizeof(*names->slots));
	memset(names->slots, 0xff, wanted * sizeof(*names->slots));
	names->slot_count = wanted;
	for (size_t i = 0; i < names->count; i++)
		names->slots[slot_of(names, names->texts[i])] = (uint32_t)i;
}

uint32_t names_put(struct names *names, const char *text, bool *is_new)
{
	size_t bytes = strlen(text) + 1;
	size_t slot;

	make_slots(names);
	slot = slot_of(names, text);
	*is_new = names->slots[slot] == NAMES_NONE;
	if (!*is_new)
		return names->slots[slot];
	assert(names->count < NAMES_NONE);
	names->texts = grow(names->texts, names->count, &names->room, sizeof(*names->texts));
	names->texts[names->count] = zeroed(bytes, 1);
	memcpy(names->texts[names->count], text, bytes);
	names->slots[slot] = (uint32_t)names->count++;
	return names->slots[slot];
}

uint32_t names_find(const struct names *names, const char *text)
{
	return names->slot_count ? names->slots[slot_of(names, text)] : NAMES_NONE;
}

const char *names_text(const struct names *names, uint64_t number)
{
	return number < names->count ? names->texts[number] : NULL;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->texts[i]);
	free(names->texts);
	free(names->slots);
	*names = (struct names)NAMES_INIT;
}
