/* SPDX-License-Identifier: Apache-2.0 */

/*
 * link.rate: a port that has something to send, and may, sends at the speed of
 * its link. Bytes over the time in which the lossless priority was busy and not
 * held is the rate that the port serves; bytes of other priorities only raise
 * it, so that they never make a port look slow. One finding a link.
 */
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

#define PACKETS_LEAST 64u
/* Of a stage that was cut off: what was on the wire then was busy and is not counted as
 * sent, a few packets for each link. */
#define PACKETS_LEAST_CUT 1000u
#define BUSY_NS_LEAST (20 * NS_PER_US)
#define RATE_LEAST 0.97 /* of the link's speed */
#define GAP_BYTES 20u   /* preamble and gap of every frame */

struct served {
	double least; /* of all stages, as a share of the speed */
	uint32_t judged;
	uint64_t busy_ns; /* over the slow stages */
	struct seen slow;
};

static void *begin(const struct judging *judging)
{
	struct served *ports = zeroed(judging->fabric->port_count, sizeof(*ports));

	for (uint32_t i = 0; i < judging->fabric->port_count; i++)
		ports[i].least = 1.0;
	return ports;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	bool cut = evidence->stage.status != RUN_COMPLETE;
	uint64_t packets_least = cut ? PACKETS_LEAST_CUT : PACKETS_LEAST;
	struct served *ports = state;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		uint64_t busy_ns = evidence_at(evidence, port, M_BUSY_NS);
		uint64_t packets = evidence_sum(evidence, port, M_TX_PACKETS), bytes;
		double share;

		if (busy_ns == EVIDENCE_ABSENT || busy_ns < BUSY_NS_LEAST ||
			packets < packets_least || fabric->ports[port].link == PORT_NONE)
			continue;
		bytes = evidence_sum(evidence, port, M_TX_BYTES) + packets * GAP_BYTES;
		share = (double)bytes * 8 * (double)NS_PER_S / (double)busy_ns /
			(double)fabric->links[fabric->ports[port].link].speed_bps;
		ports[port].judged++;
		if (share < RATE_LEAST) {
			ports[port].busy_ns += busy_ns;
			seen_add(&ports[port].slow, &evidence->stage);
		}
		if (share < ports[port].least)
			ports[port].least = share;
	}
}

/* The slower end speaks for the link. */
static void tell_slow(struct judging *judging, uint32_t link, const struct served *ports)
{
	const struct link *ends = &judging->fabric->links[link];
	uint32_t port = ports[ends->b].least < ports[ends->a].least ? ends->b : ends->a;
	uint32_t other = port == ends->a ? ends->b : ends->a;
	double gbps = (double)ends->speed_bps / (double)GBPS, least = ports[port].least;
	struct rate_unit unit = rate_unit_of((double)ends->speed_bps);
	double line = (double)ends->speed_bps / unit.bps;
	struct place place = place_link(link);
	char name[2 * NAME_BYTES], other_name[2 * NAME_BYTES];
	struct seen seen = ports[port].slow;
	struct finding *finding;

	seen_merge(&seen, &ports[other].slow);
	fabric_port_name(judging->fabric, port, name);
	fabric_port_name(judging->fabric, other, other_name);
	finding = judging_cause(judging, "link.rate", plan_layer_name(seen.layer), CLASS_RATE,
		(uint64_t)((1.0 - least) * (double)ports[port].busy_ns), &place, &seen);
	finding_text(finding,
		"%s serves its link at %.1f %s of %.6g while it has packets and is "
		"not paused; the other end, %s, at %.1f",
		name, least * line, unit.name, line, other_name, ports[other].least * line);
	finding_limit(finding, least * gbps, RATE_LEAST * gbps, "Gb/s",
		"speed of the link in the fabric file x %.2f", RATE_LEAST);
	finding_advice(finding,
		"compare speed, lanes and FEC mode at both ends of %s, look for a "
		"shaper or policer on %s, and for a NIC its PCIe width and speed",
		finding->culprit, name);
}

static void end(struct judging *judging, void *state, bool speak)
{
	uint32_t judged = 0, slow = 0;
	struct served *ports = state;
	double least = 1.0;

	for (uint32_t port = 0; speak && port < judging->fabric->port_count; port++) {
		judged += ports[port].judged > 0;
		if (ports[port].least < least)
			least = ports[port].least;
	}
	for (uint32_t link = 0; speak && link < judging->fabric->link_count; link++) {
		const struct link *ends = &judging->fabric->links[link];

		if (ports[ends->a].slow.stages == 0 && ports[ends->b].slow.stages == 0)
			continue;
		tell_slow(judging, link, ports);
		slow++;
	}
	if (speak && judged && !slow) {
		struct finding *finding =
			judging_say(judging, "link.rate", "pairs", VERDICT_PASS, NULL);

		finding_text(finding,
			"%u ports were busy enough to be timed, and the slowest "
			"served %.1f %% of its link's speed",
			judged, least * 100);
		finding_limit(finding, least, RATE_LEAST, "ratio",
			"speed of each link in the fabric file");
	}
	free(ports);
}

const struct judge judge_rate = { begin, stage, end };
