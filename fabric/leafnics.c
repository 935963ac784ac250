/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/leafnics.h"

#include <stdlib.h>

#include "lib/grow.h"

static void count_sizes(struct leafnics *by_leaf, const struct fabric *fabric)
{
	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		by_leaf->leaf[nic] = fabric_nic_leaf(fabric, nic);
		if (by_leaf->leaf[nic] != PORT_NONE)
			by_leaf->first[by_leaf->leaf[nic] + 1]++;
	}
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++) {
		uint32_t size = by_leaf->first[leaf + 1];

		by_leaf->used += size > 0;
		if (size > by_leaf->largest)
			by_leaf->largest = size;
		by_leaf->first[leaf + 1] += by_leaf->first[leaf];
	}
}

void leafnics_init(struct leafnics *by_leaf, const struct fabric *fabric)
{
	uint32_t *next = zeroed(fabric->leaves + 1, sizeof(*next));

	*by_leaf = (struct leafnics){
		.nics = zeroed(fabric->nic_count, sizeof(uint32_t)),
		.first = zeroed(fabric->leaves + 1, sizeof(uint32_t)),
		.leaf = zeroed(fabric->nic_count, sizeof(uint32_t)),
		.leaves = fabric->leaves,
	};
	count_sizes(by_leaf, fabric);
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++)
		next[leaf] = by_leaf->first[leaf];
	for (uint32_t nic = 0; nic < fabric->nic_count; nic++)
		if (by_leaf->leaf[nic] != PORT_NONE)
			by_leaf->nics[next[by_leaf->leaf[nic]]++] = nic;
	by_leaf->count = by_leaf->first[fabric->leaves];
	free(next);
}

void leafnics_free(struct leafnics *by_leaf)
{
	free(by_leaf->nics);
	free(by_leaf->first);
	free(by_leaf->leaf);
	*by_leaf = (struct leafnics)LEAFNICS_INIT;
}
