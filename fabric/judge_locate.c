/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Where it is, without the ways of the QPs: a link of a NIC explains the bad flows when
 * most of them begin or end there and few good ones do; else the leaves that most of
 * them run between are as far as it goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/judging.h"
#include "lib/grow.h"

/* Chance leaves some flows unhurt, and hurts others by what it does to acknowledgements. */
#define MOST_OF(part, all) ((part)*5 >= (all)*4)
#define FEW_BESIDE(good, bad) ((good)*3 <= (bad))
#define FLOWS_LEAST 2u
#define ACROSS_LEAST 8u

struct suspect {
	uint32_t nic, bad, good;
	bool sends; /* what leaves the NIC; else what comes to it */
	bool both;
};

static uint32_t weight(const struct suspect *suspect)
{
	return suspect->bad * 4 - suspect->good;
}

static void weigh(struct suspect *best, const struct suspect *now, uint32_t bad_flows)
{
	if (now->bad < FLOWS_LEAST || !MOST_OF(now->bad, bad_flows) ||
		!FEW_BESIDE(now->good, now->bad))
		return;
	if (best->nic == PORT_NONE || weight(now) > weight(best))
		*best = *now;
}

/* Of one NIC; one direction before both, where it says as much. PORT_NONE: none. */
static struct suspect suspect_of(const struct votes *votes, uint32_t nic)
{
	const struct ends_votes *ends = &votes->ends[nic];
	const struct suspect in = { nic, ends->bad_to, ends->good_to, false, false };
	const struct suspect out = { nic, ends->bad_from, ends->good_from, true, false };
	const struct suspect both = { nic, in.bad + out.bad, in.good + out.good, false, true };
	struct suspect best = { .nic = PORT_NONE };

	weigh(&best, &in, votes->bad_flows);
	weigh(&best, &out, votes->bad_flows);
	weigh(&best, &both, votes->bad_flows);
	return best;
}

static bool is_named_already(const struct judging *judging, uint32_t nic)
{
	const struct fabric *fabric = judging->fabric;
	struct place place = place_link(fabric->ports[fabric->nics[nic]].link);
	char name[FINDING_NAME];

	place_name(fabric, &place, name);
	for (size_t i = 0; i < judging->findings->count; i++) {
		const struct finding *other = &judging->findings->items[i];

		if (other->culprit_kind == CULPRIT_LINK && strcmp(other->culprit, name) == 0)
			return true;
	}
	return false;
}

/* Those against whom most speaks: all alike, in the order of their NICs. */
struct suspects {
	struct suspect first, second;
	uint32_t count;
};

static struct suspects find_nics(
	const struct judging *judging, const struct votes *votes, bool named)
{
	struct suspects found = { .count = 0 };

	for (uint32_t nic = 0; nic < judging->fabric->nic_count; nic++) {
		struct suspect now = suspect_of(votes, nic);

		if (now.nic == PORT_NONE || (named && !is_named_already(judging, nic)))
			continue;
		if (found.count == 0 || weight(&now) > weight(&found.first))
			found = (struct suspects){ .first = now, .count = 1 };
		else if (weight(&now) == weight(&found.first) && found.count++ == 1)
			found.second = now;
	}
	return found;
}

static void append(char *text, size_t bytes, const char *more)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s", more);
}

static void name_link(const struct fabric *fabric, const struct suspect *suspect,
	const struct votes *votes, struct finding *finding)
{
	struct place place = place_link(fabric->ports[fabric->nics[suspect->nic]].link);
	char more[120];

	finding->culprit_kind = CULPRIT_LINK;
	place_name(fabric, &place, finding->culprit);
	snprintf(more, sizeof(more),
		"; by exclusion: %u of %u of them %s its host, and %u good ones did",
		suspect->bad, votes->bad_flows,
		suspect->both    ? "began or ended at"
		: suspect->sends ? "began at"
				 : "ended at",
		suspect->good);
	append(finding->basis, sizeof(finding->basis), more);
}

/* --- leaves --- */

struct leaf_votes {
	uint32_t from, to;
};

/* The leaf that most bad flows begin (end) at, or PORT_NONE. */
static uint32_t most(const struct fabric *fabric, const struct leaf_votes *leaves, bool from,
	uint32_t bad_flows)
{
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++)
		if (MOST_OF(from ? leaves[leaf].from : leaves[leaf].to, bad_flows))
			return leaf;
	return PORT_NONE;
}

static const char *leaf_name(const struct fabric *fabric, uint32_t leaf)
{
	return leaf == PORT_NONE ? "any leaf"
				 : fabric->nodes[fabric_leaf_node(fabric, leaf)].name;
}

static struct leaf_votes *count_leaves(const struct fabric *fabric, const struct votes *votes)
{
	struct leaf_votes *leaves = zeroed(fabric->leaves, sizeof(*leaves));

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		uint32_t leaf = fabric_nic_leaf(fabric, nic);

		if (leaf == PORT_NONE)
			continue;
		leaves[leaf].from += votes->ends[nic].bad_from;
		leaves[leaf].to += votes->ends[nic].bad_to;
	}
	return leaves;
}

/* The two leaves with most ends of bad flows, when these are most of all; else one or both
 * are PORT_NONE. */
static void find_two(const struct fabric *fabric, const struct leaf_votes *leaves,
	uint32_t bad_flows, uint32_t two[2])
{
	uint32_t ends[2] = { 0, 0 };

	two[0] = two[1] = PORT_NONE;
	for (uint32_t leaf = 0; leaf < fabric->leaves; leaf++) {
		uint32_t here = leaves[leaf].from + leaves[leaf].to;

		if (here > ends[0]) {
			two[1] = two[0];
			ends[1] = ends[0];
			two[0] = leaf;
			ends[0] = here;
		} else if (here > ends[1]) {
			two[1] = leaf;
			ends[1] = here;
		}
	}
	if (!MOST_OF(ends[0] + ends[1], 2 * bad_flows))
		two[1] = PORT_NONE;
	if (!MOST_OF(ends[0], bad_flows))
		two[0] = PORT_NONE;
}

/* Both ways: what is wrong there harms what comes back as well. */
static void name_both_ways(const struct fabric *fabric, const struct leaf_votes *leaves,
	uint32_t bad_flows, struct finding *finding)
{
	uint32_t two[2];

	find_two(fabric, leaves, bad_flows, two);
	if (two[0] == PORT_NONE)
		snprintf(finding->culprit, sizeof(finding->culprit), "pairs across leaves");
	else
		snprintf(finding->culprit, sizeof(finding->culprit),
			"pairs between %.14s and %.14s", leaf_name(fabric, two[0]),
			leaf_name(fabric, two[1]));
}

static void name_leaves(
	const struct fabric *fabric, const struct votes *votes, struct finding *finding)
{
	struct leaf_votes *leaves = count_leaves(fabric, votes);
	uint32_t from = most(fabric, leaves, true, votes->bad_flows);
	uint32_t to = most(fabric, leaves, false, votes->bad_flows);
	bool one_way = from != PORT_NONE || to != PORT_NONE;

	if (one_way)
		snprintf(finding->culprit, sizeof(finding->culprit),
			"pairs from %.16s to %.16s", leaf_name(fabric, from),
			leaf_name(fabric, to));
	else if (MOST_OF(votes->bad_across, votes->bad_flows))
		name_both_ways(fabric, leaves, votes->bad_flows, finding);
	free(leaves);
	if (one_way || MOST_OF(votes->bad_across, votes->bad_flows))
		append(finding->basis, sizeof(finding->basis),
			"; most that complain go this way, by links that were not told apart");
}

/* What begins or ends at one NIC is no proof against its link as long as all of it crosses
 * leaves: a few flows may all have drawn the same bad way, and when hardly another one went
 * well, an incast has one target. */
static bool could_be_between_leaves(const struct votes *votes, const struct suspect *suspect)
{
	return votes->ends[suspect->nic].bad_inside == 0 &&
	       (suspect->bad < ACROSS_LEAST ||
		       FEW_BESIDE(votes->good_across, votes->bad_across));
}

/* Two NICs with only each other for a partner, as far as these flows go. */
static void name_pair(
	const struct fabric *fabric, const struct suspects *two, struct finding *finding)
{
	char one[2 * NAME_BYTES], other[2 * NAME_BYTES];

	fabric_nic_name(fabric, two->first.nic, one);
	fabric_nic_name(fabric, two->second.nic, other);
	snprintf(finding->culprit, sizeof(finding->culprit), "pair of %.22s and %.22s", one,
		other);
	append(finding->basis, sizeof(finding->basis),
		"; all that complain run between these two, and nothing tells them apart");
}

static bool suspects_nic(const struct suspects *suspects, uint32_t nic)
{
	return suspects->first.nic == nic ||
	       (suspects->count == 2 && suspects->second.nic == nic);
}

/* Of two that these votes do not tell apart, the one that those of another failure suspect
 * without the other; NULL: none, or both. */
static const struct suspect *tell_apart(
	const struct judging *judging, const struct votes *votes, const struct suspects *two)
{
	const struct suspect *told = NULL;

	for (size_t i = 0; i < judging->complaint_count; i++) {
		const struct votes *other = &judging->complaints[i].votes;
		struct suspects found = { .count = 0 };
		bool first, second;

		if (other != votes && other->bad_flows)
			found = find_nics(judging, other, false);
		if (found.count < 1 || found.count > 2)
			continue;
		first = suspects_nic(&found, two->first.nic);
		second = suspects_nic(&found, two->second.nic);
		if (first == second)
			continue;
		if (told && told != (first ? &two->first : &two->second))
			return NULL;
		told = first ? &two->first : &two->second;
	}
	return told;
}

static void name_one_of(const struct judging *judging, const struct votes *votes,
	const struct suspects *two, struct finding *finding)
{
	const struct suspect *told = tell_apart(judging, votes, two);

	if (!told) {
		name_pair(judging->fabric, two, finding);
		return;
	}
	name_link(judging->fabric, told, votes, finding);
	append(finding->basis, sizeof(finding->basis),
		"; of the two it is the one that another failure speaks against");
}

void judging_locate(const struct judging *judging, const struct votes *votes,
	struct finding *finding, bool last)
{
	const struct fabric *fabric = judging->fabric;
	struct suspects all, named;
	bool open;

	if (votes->bad_flows == 0)
		return;
	all = find_nics(judging, votes, false);
	open = all.count > 1 || (all.count == 1 && could_be_between_leaves(votes, &all.first));
	if (open && !last)
		return;
	if (open) {
		named = find_nics(judging, votes, true);
		open = named.count != 1 || weight(&named.first) != weight(&all.first);
		all = open ? all : named;
	}
	if (all.count && !open)
		name_link(fabric, &all.first, votes, finding);
	else if (all.count == 2)
		name_one_of(judging, votes, &all, finding);
	else
		name_leaves(fabric, votes, finding);
}
