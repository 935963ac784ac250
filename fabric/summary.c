/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/summary.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

static bool is_uplink(const struct fabric *fabric, const struct link *link)
{
	return fabric->ports[link->a].node >= fabric->hosts;
}

static void count_cable(
	struct summary *summary, const struct fabric *fabric, const struct link *link)
{
	struct summary_cable wanted = {
		.uplink = is_uplink(fabric, link),
		.speed_bps = link->speed_bps,
		.length_m = link->length_m,
		.count = 1,
	};

	for (size_t i = summary->cable_count; i > 0; i--) {
		struct summary_cable *cable = &summary->cables[i - 1];

		if (cable->uplink == wanted.uplink && cable->speed_bps == wanted.speed_bps &&
			cable->length_m == wanted.length_m) {
			cable->count++;
			return;
		}
	}
	wanted.headroom_bytes = fabric_headroom(fabric, (uint32_t)(link - fabric->links));
	summary->cables = grow(summary->cables, summary->cable_count, &summary->cable_room,
		sizeof(*summary->cables));
	summary->cables[summary->cable_count++] = wanted;
}

static int by_kind(const void *left, const void *right)
{
	const struct summary_cable *a = left, *b = right;

	if (a->uplink != b->uplink)
		return a->uplink - b->uplink;
	if (a->speed_bps != b->speed_bps)
		return a->speed_bps < b->speed_bps ? 1 : -1;
	return (a->length_m > b->length_m) - (a->length_m < b->length_m);
}

static void add_link(
	struct summary *summary, const struct fabric *fabric, const struct link *link)
{
	uint32_t a = fabric->ports[link->a].node, b = fabric->ports[link->b].node;
	struct summary_leaf *leaf;

	count_cable(summary, fabric, link);
	if (is_uplink(fabric, link)) {
		summary->uplinks++;
		/* A cable between two leaves is an uplink of both. */
		if (fabric->nodes[a].kind == NODE_LEAF)
			summary->leaves[a - fabric->hosts].uplink_bps += link->speed_bps;
		if (fabric->nodes[b].kind == NODE_LEAF)
			summary->leaves[b - fabric->hosts].uplink_bps += link->speed_bps;
		return;
	}
	summary->nic_links++;
	leaf = &summary->leaves[b - fabric->hosts];
	leaf->nics++;
	leaf->host_bps += link->speed_bps;
	if (!summary->nic_bps_min || link->speed_bps < summary->nic_bps_min)
		summary->nic_bps_min = link->speed_bps;
	if (link->speed_bps > summary->nic_bps_max)
		summary->nic_bps_max = link->speed_bps;
}

/* The largest product inside is 4096 ports x 1.6 * 10^12 in Mb/s by 10^9. */
static uint64_t oversubscription(const struct summary_leaf *leaf)
{
	uint64_t uplink_mbps = leaf->uplink_bps / 1000000;

	if (!uplink_mbps)
		return UINT64_MAX;
	return leaf->host_bps / 1000000 * PPB / uplink_mbps;
}

static uint32_t leaves_with_nics(const struct summary *summary, const struct fabric *fabric)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < fabric->leaves; i++)
		count += summary->leaves[i].nics > 0;
	return count;
}

static void judge_leaves(struct summary *summary, const struct fabric *fabric)
{
	bool alone = leaves_with_nics(summary, fabric) < 2;

	for (uint32_t i = 0; i < fabric->leaves; i++) {
		struct summary_leaf *leaf = &summary->leaves[i];

		if (!leaf->nics || alone)
			continue;
		leaf->oversub_ppb = oversubscription(leaf);
		if (!summary->oversub_min_ppb || leaf->oversub_ppb < summary->oversub_min_ppb)
			summary->oversub_min_ppb = leaf->oversub_ppb;
		if (leaf->oversub_ppb > summary->oversub_max_ppb) {
			summary->oversub_max_ppb = leaf->oversub_ppb;
			summary->oversub_max_leaf = i;
		}
		summary->bisection_bps +=
			leaf->host_bps < leaf->uplink_bps ? leaf->host_bps : leaf->uplink_bps;
	}
	summary->bisection_bps /= 2;
}

static void count_pairs(
	struct summary *summary, const struct fabric *fabric, const struct routing *routing)
{
	for (uint32_t i = 0; i < fabric->leaves; i++) {
		uint64_t nics = summary->leaves[i].nics;

		if (!nics)
			continue;
		summary->pairs[1] += nics * (nics - 1) / 2;
		for (uint32_t j = i + 1; j < fabric->leaves; j++) {
			uint32_t links = routing->distance[(size_t)i * fabric->leaves + j];

			/* Between leaves without a path there are no NICs on one. */
			if (summary->leaves[j].nics)
				summary->pairs[links + 1] += nics * summary->leaves[j].nics;
		}
	}
}

uint64_t summary_headroom(const struct fabric *fabric, uint32_t node)
{
	const struct node *n = &fabric->nodes[node];
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n->port_count; i++) {
		uint32_t link = fabric->ports[n->first_port + i].link;

		if (link != PORT_NONE)
			bytes += fabric_headroom(fabric, link);
	}
	return bytes;
}

static void find_headroom(struct summary *summary, const struct fabric *fabric)
{
	for (uint32_t i = fabric->hosts; i < fabric->node_count; i++) {
		uint64_t bytes = summary_headroom(fabric, i);
		uint64_t *most = fabric->nodes[i].kind == NODE_LEAF
					 ? &summary->leaf_headroom_bytes
					 : &summary->spine_headroom_bytes;

		if (bytes > *most)
			*most = bytes;
	}
}

void summary_make(
	struct summary *summary, const struct fabric *fabric, const struct routing *routing)
{
	memset(summary, 0, sizeof(*summary));
	summary->leaves = zeroed(fabric->leaves, sizeof(*summary->leaves));
	for (uint32_t i = 0; i < fabric->link_count; i++)
		add_link(summary, fabric, &fabric->links[i]);
	qsort(summary->cables, summary->cable_count, sizeof(*summary->cables), by_kind);
	judge_leaves(summary, fabric);
	count_pairs(summary, fabric, routing);
	find_headroom(summary, fabric);
}

void summary_free(struct summary *summary)
{
	free(summary->cables);
	free(summary->leaves);
	summary->cables = NULL;
	summary->leaves = NULL;
	summary->cable_count = summary->cable_room = 0;
}
