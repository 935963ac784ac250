/* SPDX-License-Identifier: Apache-2.0 */

/*
 * link.loss: what one end of a link sent is what the other received, for each
 * direction, in the same window. One finding a link. Packets lost while the carrier came and went
 * belong to link.flap and are left out here.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fabric/chance.h"
#include "fabric/congest.h"
#include "fabric/judging.h"
#include "lib/grow.h"
#include "lib/units.h"

/* Below this many packets a direction was not looked at: a loss of one in a
 * thousand shows with 95 % certainty from 3000 packets on (p < 3/n). */
#define PACKETS_LEAST 3000u

struct direction {
	uint64_t sent, lost, crc;
	bool tells_crc;   /* the end that receives, where packets were lost */
	struct seen seen; /* of loss */
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->port_count, sizeof(struct direction));
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct direction *directions = state;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		struct direction *direction = &directions[port];
		uint64_t sent, lost;

		if (!evidence_lost(evidence, port, &sent, &lost))
			continue;
		direction->sent += sent;
		if (!lost)
			continue;
		direction->lost += lost;
		direction->crc += evidence_sum(evidence, fabric->ports[port].peer, M_CRC);
		direction->tells_crc |= evidence_at(evidence, fabric->ports[port].peer,
						M_CRC) != EVIDENCE_ABSENT;
		seen_add(&direction->seen, &evidence->stage);
	}
}

static bool is_lossy(const struct direction *direction, double limit)
{
	return direction->lost && (double)direction->lost > limit * (double)direction->sent;
}

/* The worse direction speaks for the link; the other one is told of beside it. */
static void tell_lost(
	struct judging *judging, uint32_t link, const struct direction *all, double limit)
{
	uint32_t from = judging->fabric->links[link].a, to = judging->fabric->links[link].b;
	const struct direction *worse = &all[from], *other = &all[to];
	struct place place = place_link(link);
	char from_name[2 * NAME_BYTES], to_name[2 * NAME_BYTES];
	struct finding *finding;
	struct seen seen = { 0 };
	char crc[48] = "CRC errors are not told";
	double lost;

	if (other->lost > worse->lost) {
		from = judging->fabric->links[link].b;
		to = judging->fabric->links[link].a;
		worse = &all[from];
		other = &all[to];
	}
	lost = (double)worse->lost / (double)worse->sent;
	seen_merge(&seen, &worse->seen);
	seen_merge(&seen, &other->seen);
	fabric_port_name(judging->fabric, from, from_name);
	fabric_port_name(judging->fabric, to, to_name);
	if (worse->tells_crc || other->tells_crc)
		snprintf(crc, sizeof(crc), "%llu CRC errors were counted",
			(unsigned long long)(worse->crc + other->crc));
	finding = judging_cause(judging, "link.loss", plan_layer_name(seen.layer), CLASS_LOSS,
		worse->lost + other->lost, &place, &seen);
	finding_text(finding,
		"%s->%s: of %llu packets %llu did not arrive (%.2e) with carrier up; "
		"the other way %llu of %llu; %s",
		from_name, to_name, (unsigned long long)worse->sent,
		(unsigned long long)worse->lost, lost, (unsigned long long)other->lost,
		(unsigned long long)other->sent, crc);
	finding_limit(finding, lost, limit, "ratio", "limits.loss%s",
		judging->fabric->limits.loss_ppb ? ""
						 : ", default 0: a lossless class loses "
						   "nothing (SONiC RoCEv2 test plan)");
	finding_advice(finding,
		"read FEC and symbol errors at %s, clean and reseat the optics on "
		"this fibre, then swap cable and optic one at a time and see what "
		"the loss follows",
		to_name);
}

static void tell_unseen(struct judging *judging, const struct direction *directions)
{
	const struct fabric *fabric = judging->fabric;
	char name[2 * NAME_BYTES] = "";
	struct finding *finding;
	uint32_t unseen = 0;
	uint64_t packets = 0;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		if (fabric->ports[port].link == PORT_NONE ||
			directions[port].sent >= PACKETS_LEAST ||
			!congest_link_used(fabric, fabric->ports[port].link))
			continue;
		if (unseen++ == 0) {
			fabric_port_name(fabric, port, name);
			packets = directions[port].sent;
		}
	}
	if (unseen == 0)
		return;
	finding = judging_say(judging, "link.coverage", "pairs", VERDICT_UNKNOWN, NULL);
	finding_text(finding,
		"%u directions of links carried too little to be judged; the first, "
		"out of %s, %llu packets",
		unseen, name, (unsigned long long)packets);
	finding_limit(finding, (double)packets, PACKETS_LEAST, "packets",
		"weft's own default: loss of 1e-3 shows from here on (p < 3/n)");
	finding_advice(
		finding, "run with --profile full, or look why nothing was routed there");
}

static void end(struct judging *judging, void *state, bool speak)
{
	double limit = (double)judging->fabric->limits.loss_ppb / (double)PPB;
	struct direction *directions = state;
	uint64_t sent = 0;
	uint32_t lossy = 0, used = 0;

	for (uint32_t port = 0; speak && port < judging->fabric->port_count; port++) {
		sent += directions[port].sent;
		used += directions[port].sent > 0;
	}
	for (uint32_t link = 0; speak && link < judging->fabric->link_count; link++) {
		const struct link *ends = &judging->fabric->links[link];

		if (!is_lossy(&directions[ends->a], limit) &&
			!is_lossy(&directions[ends->b], limit))
			continue;
		tell_lost(judging, link, directions, limit);
		lossy++;
	}
	if (speak && sent && !lossy) {
		struct finding *finding =
			judging_say(judging, "link.loss", "pairs", VERDICT_PASS, NULL);

		finding_text(finding,
			"%llu packets crossed %u directions of links and all "
			"arrived: p < %.1e",
			(unsigned long long)sent, used, chance_zero_loss_bound(sent));
		finding_limit(finding, 0, limit, "ratio", "limits.loss");
	}
	if (speak && judging->coverage)
		tell_unseen(judging, directions);
	free(directions);
}

const struct judge judge_loss = { begin, stage, end };
