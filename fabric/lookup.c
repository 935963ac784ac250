/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

/* FNV-1a, 64 bits. */
static uint64_t hash(const char *text, size_t length)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 29;
}

void lookup_init(struct lookup *lookup, const struct fabric *fabric)
{
	size_t slots = 16;

	while (slots < 2 * (size_t)fabric->port_count)
		slots *= 2;
	lookup->fabric = fabric;
	lookup->texts = zeroed(fabric->port_count, sizeof(*lookup->texts));
	lookup->slots = zeroed(slots, sizeof(*lookup->slots));
	lookup->mask = slots - 1;
	for (uint32_t port = 0; port < fabric->port_count; port++) {
		char *text = lookup->texts[port];
		size_t at;

		if (fabric->ports[port].nic == PORT_NONE)
			fabric_port_name(fabric, port, text);
		else
			fabric_nic_name(fabric, fabric->ports[port].nic, text);
		at = hash(text, strlen(text)) & lookup->mask;
		while (lookup->slots[at])
			at = (at + 1) & lookup->mask;
		lookup->slots[at] = port + 1;
	}
}

void lookup_free(struct lookup *lookup)
{
	free(lookup->texts);
	free(lookup->slots);
	*lookup = (struct lookup)LOOKUP_INIT;
}

uint32_t lookup_port(const struct lookup *lookup, const char *text, size_t length)
{
	size_t at = hash(text, length) & lookup->mask;

	for (; lookup->slots[at]; at = (at + 1) & lookup->mask) {
		const char *known = lookup->texts[lookup->slots[at] - 1];

		if (strlen(known) == length && memcmp(known, text, length) == 0)
			return lookup->slots[at] - 1;
	}
	return PORT_NONE;
}

uint32_t lookup_nic(const struct lookup *lookup, const char *text)
{
	uint32_t port = lookup_port(lookup, text, strlen(text));

	return port == PORT_NONE ? PORT_NONE : lookup->fabric->ports[port].nic;
}
