/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "reports/places.h"

struct entry {
	const char *name; /* borrowed from the scene */
	uint32_t index;
};

struct index {
	struct entry *entries; /* by name */
	size_t count;
};

struct place_names {
	struct index nics, ports;
};

static int by_name(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static void sort(struct index *index)
{
	if (index->count)
		qsort(index->entries, index->count, sizeof(*index->entries), by_name);
}

struct place_names *place_names_new(const struct scene *scene)
{
	struct place_names *names = zeroed(1, sizeof(*names));

	names->nics.entries = zeroed(scene->nic_count, sizeof(*names->nics.entries));
	names->nics.count = scene->nic_count;
	for (uint32_t i = 0; i < scene->nic_count; i++)
		names->nics.entries[i] = (struct entry){ scene->nics[i].name, i };
	names->ports.entries = zeroed(2ul * scene->link_count, sizeof(*names->ports.entries));
	names->ports.count = 2ul * scene->link_count;
	for (uint32_t i = 0; i < scene->link_count; i++) {
		names->ports.entries[2 * i] = (struct entry){ scene->links[i].a_port, 2 * i };
		names->ports.entries[2 * i + 1] =
			(struct entry){ scene->links[i].b_port, 2 * i + 1 };
	}
	sort(&names->nics);
	sort(&names->ports);
	return names;
}

void place_names_free(struct place_names *names)
{
	if (!names)
		return;
	free(names->nics.entries);
	free(names->ports.entries);
	free(names);
}

static uint32_t find(const struct index *index, const char *name)
{
	struct entry key = { name, 0 };
	const struct entry *found = NULL;

	if (index->count)
		found = bsearch(&key, index->entries, index->count, sizeof(key), by_name);
	return found ? found->index : SCENE_NONE;
}

uint32_t place_find_nic(const struct place_names *names, const char *name)
{
	return find(&names->nics, name);
}

uint32_t place_find_port(const struct place_names *names, const char *name)
{
	return find(&names->ports, name);
}
