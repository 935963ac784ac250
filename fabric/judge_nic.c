/* SPDX-License-Identifier: Apache-2.0 */

/*
 * nic.pause: a healthy NIC takes in what its link carries, so in these stages it
 * never pauses its switch. One that does drains too slowly (nic.slow-receiver),
 * or, when it holds the switch nearly all the time and takes in next to nothing,
 * is a storm (nic.pause-storm). nic.not-ready: its host posted no receive in time, so
 * that messages were refused and their senders had to wait: no fault of the network.
 */
#include <stdlib.h>

#include "fabric/judging.h"
#include "lib/grow.h"
#include "lib/units.h"

#define STORM_HELD 0.90   /* share of the window from which holding is a storm */
#define STORM_INTAKE 0.01 /* of the link's speed; what a storm takes in at most */

struct pausing {
	bool read;
	uint64_t frames, hold_us;
	double held;   /* largest share of a window */
	double intake; /* in that stage, as a share of the speed */
	bool storm;
	struct seen seen;
	uint64_t refused; /* messages that found no receive posted */
	struct seen unready;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->nic_count, sizeof(struct pausing));
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	double window_ns = (double)(evidence->stage.t1_ns - evidence->stage.t0_ns);
	struct pausing *nics = state;

	for (uint32_t nic = 0; nic < judging->fabric->nic_count; nic++) {
		uint32_t port = judging->fabric->nics[nic];
		uint64_t frames = evidence_at(evidence, port, M_TX_PAUSE);
		uint64_t hold_us = evidence_sum(evidence, port, M_TX_PAUSE_US);
		uint64_t bps = fabric_nic_bps(judging->fabric, nic);
		uint64_t refused = evidence_sum(evidence, port, M_OUT_OF_BUFFER);
		double held, intake;

		nics[nic].refused += refused;
		if (refused)
			seen_add(&nics[nic].unready, &evidence->stage);
		nics[nic].read |= frames != EVIDENCE_ABSENT;
		if (frames == EVIDENCE_ABSENT || frames == 0 || window_ns <= 0 || bps == 0)
			continue;
		held = (double)hold_us * (double)NS_PER_US / window_ns;
		intake = (double)evidence_sum(evidence, port, M_RX_BYTES) * 8 *
			 (double)NS_PER_S / window_ns / (double)bps;
		nics[nic].frames += frames;
		nics[nic].hold_us += hold_us;
		nics[nic].storm |= held >= STORM_HELD && intake <= STORM_INTAKE;
		if (held >= nics[nic].held) {
			nics[nic].held = held;
			nics[nic].intake = intake;
		}
		seen_add(&nics[nic].seen, &evidence->stage);
	}
}

static void tell(struct judging *judging, uint32_t nic, const struct pausing *pausing)
{
	double gbps = (double)fabric_nic_bps(judging->fabric, nic) / (double)GBPS;
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	struct finding *finding;

	finding =
		judging_cause(judging, pausing->storm ? "nic.pause-storm" : "nic.slow-receiver",
			plan_layer_name(pausing->seen.layer), CLASS_PAUSE, pausing->hold_us,
			&place, &pausing->seen);
	judging_spreads(judging);
	finding_limit(finding, pausing->held, 0, "ratio",
		"weft's own default: a NIC that keeps up with its link never pauses it");
	if (pausing->storm) {
		finding_text(finding,
			"%s held its switch for %.0f %% of the window and took in "
			"next to nothing; %llu XOFF frames in all",
			finding->culprit, pausing->held * 100,
			(unsigned long long)pausing->frames);
		finding_advice(finding,
			"take %s out of the fabric now: reset or replace the NIC, "
			"look for a hung host or firmware; set a PFC watchdog on "
			"the leaf port",
			finding->culprit);
		return;
	}
	finding_text(finding,
		"%s paused its switch for up to %.0f %% of a window while it took in "
		"%.1f Gb/s of %.0f; %llu XOFF frames in all",
		finding->culprit, pausing->held * 100, pausing->intake * gbps, gbps,
		(unsigned long long)pausing->frames);
	finding_advice(finding,
		"on %s look at PCIe width and speed, memory and NUMA placement, "
		"MTT/ICM cache misses and out_of_buffer; test it alone with its "
		"loopback",
		finding->culprit);
}

static void tell_unready(struct judging *judging, uint32_t nic, const struct pausing *pausing)
{
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	struct finding *finding =
		judging_cause(judging, "nic.not-ready", plan_layer_name(pausing->unready.layer),
			CLASS_RATE, pausing->refused, &place, &pausing->unready);

	finding_limit(finding, (double)pausing->refused, 0, "messages",
		"weft's own default: a host that keeps up has a receive posted for each");
	finding_text(finding,
		"%s refused %llu messages, for its host had posted no receive; the senders "
		"waited and the network lost nothing",
		finding->culprit, (unsigned long long)pausing->refused);
	finding_advice(finding,
		"on the host of %s look at what posts receives late: CPU load, a process that "
		"was stopped, too few receives or a shared receive queue that is too short",
		finding->culprit);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct pausing *nics = state;
	uint32_t read = 0, plugged = 0, bad = 0;

	for (uint32_t nic = 0; speak && nic < judging->fabric->nic_count; nic++) {
		read += nics[nic].read;
		plugged += fabric_nic_leaf(judging->fabric, nic) != PORT_NONE;
		if (nics[nic].refused)
			tell_unready(judging, nic, &nics[nic]);
		if (nics[nic].seen.stages == 0)
			continue;
		tell(judging, nic, &nics[nic]);
		bad++;
	}
	if (speak && !bad && read == plugged) {
		struct finding *finding =
			judging_say(judging, "nic.pause", "lossless", VERDICT_PASS, NULL);

		finding_text(finding, "none of %u NICs paused its switch", read);
		finding_limit(finding, 0, 0, "frames",
			"weft's own default: a NIC that keeps up with its link never pauses "
			"it");
	} else if (speak && !bad && judging->coverage) {
		struct finding *finding =
			judging_say(judging, "nic.pause", "lossless", VERDICT_UNKNOWN, NULL);

		finding_text(finding, "pause frames sent were not read at %u of %u NICs",
			plugged - read, plugged);
	}
	free(nics);
}

const struct judge judge_nic = { begin, stage, end };
