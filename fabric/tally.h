/*
 * tally - the sums of one stage: what its flows and its ports counted, all
 * places together. Absent counters add nothing; has_* tell whether any was read.
 */
#ifndef FABRIC_TALLY_H
#define FABRIC_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/evidence.h"

struct tally {
	/* flows */
	uint64_t planned_bytes, posted_bytes, delivered_bytes;
	uint64_t sent, resent, received; /* data packets */
	uint64_t timeouts, naks, out_of_sequence, ce, cnps_sent, cnps_handled;
	uint32_t flows, complete, errors;
	/* ports */
	uint64_t drop_buffer, drop_headroom, drop_egress, drop_other, drop_down, drop_no_route,
		drop_watchdog;
	uint64_t xoff, marked, lost; /* lost: sent minus received over all links */
	uint64_t hops;               /* packets sent over all ports */
	/* NICs: retransmissions, timeouts and gaps that their own counters tell of. Flows tell
	 * the same on the simulator; a real NIC counts for all of its flows together. */
	uint64_t nic_loss;
	bool has_pause, has_marks;
	uint32_t silent_nic; /* the first that sent and did not tell of it, from 1; 0: none */
};

void tally_add(struct tally *tally, const struct evidence *evidence);

/* Packets dropped by switches, of all causes. */
uint64_t tally_drops(const struct tally *tally);

/* Goodput of a flow, payload bits a second, from its first packet to its last
 * byte, or to the end of the window when it is not complete; 0 when it has not
 * sent. */
double flow_goodput_bps(const struct evidence *evidence, const struct run_flow *flow);

/* Goodput as a share of what a flow of its size can reach: the ceiling of its NICs
 * (line rate less framing), and once the way to the far end, by the latencies in
 * the fabric file. Time on the way matters to short flows only. 0 when not known. */
double flow_share(const struct evidence *evidence, size_t flow);

/* The same of another line rate than that of its NICs. */
double flow_share_of(const struct evidence *evidence, size_t flow, uint64_t line_bps);

/* What a rate is told in: Gb/s, or Mb/s or kb/s where that would be 0.something. */
struct rate_unit {
	double bps;
	const char *name;
};

struct rate_unit rate_unit_of(double bps);

/* Whether a flow is too short to be judged: it says more about latency than about bandwidth. */
bool flow_is_brief(const struct evidence *evidence, const struct run_flow *flow);

/* Line rate of the slower of a flow's two NICs; 0 when not known. */
uint64_t flow_nics_bps(const struct evidence *evidence, size_t flow);

/* Whether the stage ran to its end and all that was sent arrived: every link tells both ends'
 * packets and they are the same, its carrier stayed, and no switch and no NIC counted one
 * that it dropped or refused. */
bool stage_lost_nothing(const struct evidence *evidence);

/* Whether a stage that is not complete ran to its own deadline: then what did not
 * finish is an observation, and not for want of time. */
bool stage_met_deadline(const struct run_stage *stage);

#endif
