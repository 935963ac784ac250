/*
 * judge_wire - what captures say (weft pcap --into) beside what NICs and ports
 * counted. Internal to fabric/judge_wire*.c.
 *
 * A capture is compared with the stages that its first and last packet lie in. It
 * sees a part of the traffic, so fewer packets on the wire than counted say nothing;
 * more do, and where a tap saw all that a NIC sent to another, so does any
 * difference.
 */
#ifndef FABRIC_JUDGE_WIRE_H
#define FABRIC_JUDGE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/judging.h"

/* A capture and when it was. */
struct wire_capture {
	char name[64];
	bool timed;
	uint64_t first_ns, last_ns;
	uint32_t stages; /* that it was compared with */
	uint32_t pairs, strangers;
};

/* From one NIC to another, at one capture. */
struct wire_pair {
	uint32_t src, dst; /* NICs */
	size_t capture;
	/* on the wire */
	uint64_t data, resent, ce, cnps, naks;
	/* counted: of data from src to dst; of CNPs and NAKs that src sent to dst */
	uint64_t sent, sent_again, received, ce_counted, cnps_sent, cnps_handled, naks_counted;
};

/* XOFF frames that a port sent, of the lossless priority. */
struct wire_pause {
	uint32_t port;
	size_t capture;
	uint64_t seen, counted;
};

struct wire_state {
	struct wire_capture *captures;
	size_t capture_count, capture_room;
	struct wire_pair *pairs; /* ascending by src, dst */
	size_t pair_count, pair_room;
	struct wire_pause *pauses;
	size_t pause_count, pause_room;
};

/* Says it all; state is complete. */
void judge_wire_tell(struct judging *judging, const struct wire_state *state);

#endif
