/* SPDX-License-Identifier: Apache-2.0 */

/*
 * link.corrupt: packets that NICs dropped for a wrong ICRC. No link and no switch counts
 * them, so the place is had from which flows were hit, and by how much of each went where
 * (fabric/suspects.h). Where the ways of the QPs are not known, one NIC that alone got many
 * of them names its link.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/suspects.h"
#include "fabric/tally.h"
#include "lib/grow.h"

/* At one NIC, and at no other, before its link is named without knowing any way. */
#define ALONE_LEAST 10u
/* So many links are told of when the place is not sure. */
#define SUSPECTS_TOLD 3u

struct corrupt {
	uint64_t *packets; /* by NIC; owned */
	struct suspects suspects;
	struct votes votes;
	struct seen seen;
	bool ways; /* known, of some flow that was hit */
};

static void *begin(const struct judging *judging)
{
	struct corrupt *corrupt = zeroed(1, sizeof(*corrupt));

	corrupt->packets = zeroed(judging->fabric->nic_count, sizeof(uint64_t));
	suspects_begin(&corrupt->suspects, judging->fabric);
	votes_begin(&corrupt->votes, judging->fabric);
	return corrupt;
}

/* A gap is one packet with a wrong ICRC only where nothing else is missing. */
static bool is_only_loss(const struct evidence *evidence)
{
	struct tally tally = { 0 };

	tally_add(&tally, evidence);
	return tally.lost == 0 && tally_drops(&tally) == 0;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct corrupt *corrupt = state;
	bool only = is_only_loss(evidence);
	uint64_t wrong = 0;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		uint64_t packets = evidence_sum(evidence, fabric->nics[nic], M_ICRC);

		corrupt->packets[nic] += packets;
		wrong += packets;
	}
	for (size_t i = 0; i < evidence->flow_count; i++) {
		uint64_t gaps = wrong ? evidence->flows[i].out_of_sequence : 0;

		if (only)
			suspects_add(&corrupt->suspects, evidence, i, gaps);
		if (wrong)
			votes_add(&corrupt->votes, evidence, i,
				evidence->flows[i].packets_resent > 0);
	}
	corrupt->ways |= wrong && evidence->path_count;
	if (wrong)
		seen_add(&corrupt->seen, &evidence->stage);
}

/* The only NIC that got any, when it got many. */
static uint32_t link_of_lone_nic(const struct fabric *fabric, const struct corrupt *corrupt)
{
	uint32_t found = PORT_NONE;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		if (corrupt->packets[nic] == 0)
			continue;
		if (found != PORT_NONE || corrupt->packets[nic] < ALONE_LEAST)
			return PORT_NONE;
		found = nic;
	}
	return found == PORT_NONE ? PORT_NONE : fabric->ports[fabric->nics[found]].link;
}

static void tell_limit(struct finding *finding, uint64_t packets)
{
	finding_limit(finding, (double)packets, 0, "packets",
		"a lossless class loses nothing (SONiC RoCEv2 test plan)");
}

static void tell_link(struct judging *judging, const struct corrupt *corrupt, uint32_t link,
	uint64_t packets, double share)
{
	struct place place = place_link(link);
	struct finding *finding =
		judging_cause(judging, "link.corrupt", plan_layer_name(corrupt->seen.layer),
			CLASS_LOSS, packets, &place, &corrupt->seen);

	if (corrupt->ways)
		finding_text(finding,
			"%" PRIu64
			" packets came with a wrong ICRC and were dropped by their NICs; of "
			"all links %s explains best which flows they hit (%.1f %% of the "
			"likelihood, %" PRIu64 " gaps)",
			packets, finding->culprit, share * 100, corrupt->suspects.events);
	else
		finding_text(finding,
			"%s leads to the only NIC that got packets with a wrong ICRC, and "
			"dropped them: %" PRIu64,
			finding->culprit, packets);
	tell_limit(finding, packets);
	finding_advice(finding,
		"swap the cable, then the optics, then the line card or NIC at its ends, and "
		"see what the errors follow; no CRC of a link sees them");
}

/* ": leaf1:5-spine1:1 (77 %) or leaf2:6-spine1:4 (23 %)"; "" where that does not help. */
static void name_suspects(const struct fabric *fabric, const uint32_t *links,
	const double *shares, uint32_t count, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < count && used < bytes; i++) {
		char name[2 * NAME_BYTES];

		fabric_link_name(fabric, links[i], name);
		used += (size_t)snprintf(text + used, bytes - used, "%s%s (%.0f %%)",
			i ? " or " : ": ", name, shares[i] * 100);
	}
}

static void tell_unlocated(struct judging *judging, struct corrupt *corrupt, uint32_t nics,
	uint64_t packets, const char *suspects)
{
	struct finding *finding = judging_say(judging, "link.corrupt",
		plan_layer_name(corrupt->seen.layer), VERDICT_FAIL, &corrupt->seen);

	finding->weight = packets;
	finding_text(finding,
		"%" PRIu64 " packets came to %u NIC%s with a wrong ICRC, changed on the way "
		"past the CRC of every link; too few to tell where%s",
		packets, nics, nics == 1 ? "" : "s", suspects);
	tell_limit(finding, packets);
	finding_advice(finding,
		"run --profile full, which sends more; or send through one "
		"spine and one line card at a time, and see where the errors stop");
	judging_complain(judging, &corrupt->votes, &corrupt->seen);
}

static void tell(struct judging *judging, struct corrupt *corrupt)
{
	const struct fabric *fabric = judging->fabric;
	uint32_t nics = 0, links[SUSPECTS_TOLD] = { PORT_NONE }, count;
	double shares[SUSPECTS_TOLD] = { 0 };
	char suspects[SUSPECTS_TOLD * (2 * NAME_BYTES + 16)];
	uint64_t packets = 0;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		packets += corrupt->packets[nic];
		nics += corrupt->packets[nic] > 0;
	}
	if (nics == 0)
		return;
	count = suspects_rank(&corrupt->suspects, links, shares, SUSPECTS_TOLD);
	if (!corrupt->ways) {
		links[0] = link_of_lone_nic(fabric, corrupt);
		count = links[0] != PORT_NONE;
	}
	name_suspects(fabric, links, shares, count, suspects, sizeof(suspects));
	if (count == 1)
		tell_link(judging, corrupt, links[0], packets, shares[0]);
	else
		tell_unlocated(judging, corrupt, nics, packets, suspects);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct corrupt *corrupt = state;

	if (speak)
		tell(judging, corrupt);
	votes_free(&corrupt->votes);
	suspects_free(&corrupt->suspects);
	free(corrupt->packets);
	free(corrupt);
}

const struct judge judge_corrupt = { begin, stage, end };
