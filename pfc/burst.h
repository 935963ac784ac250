/*
 * burst - microbursts: bytes over short windows towards each destination.
 *
 * Windows follow one another without overlap, so a burst of a window's length
 * may be split between two; a peak is then seen at half its height at worst. Three
 * lengths are kept: BURST_STEP_NS and 10 and 100 times it. Where the line rate of the
 * port is known, windows of one of them above a share of it are bursts; windows
 * in a row are one burst. A window's bytes are frame bytes with preamble and gap.
 *
 * "Towards a destination" stands for an egress port: the capture knows addresses,
 * not ports. At most BURST_PORTS_MAX are told apart.
 */
#ifndef PFC_BURST_H
#define PFC_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BURST_STEP_NS UINT64_C(10000)
#define BURST_SCALES 3u
#define BURST_PORTS_MAX 4096u
#define BURST_FLOWS 4u
/* Frame check sequence, preamble and gap, which no capture holds. */
#define BURST_FRAME_BYTES 24u

struct burst_port {
	uint8_t address[16];
	uint16_t tap;
	uint8_t family;                /* enum flow_family */
	uint64_t window[BURST_SCALES]; /* number of the window under way */
	uint64_t step_end_ns;          /* of the shortest one; 0: none yet */
	uint64_t bytes[BURST_SCALES];  /* of windows that are over; [0]: so far */
	uint64_t peak_bytes[BURST_SCALES];
	uint64_t peak_ns[BURST_SCALES]; /* when the window of the peak began */
	uint64_t total_bytes;

	/* Of the scale that is judged. */
	uint64_t bursts;      /* runs of windows above the limit */
	uint64_t run_windows; /* of the run under way */
	uint64_t run_end;     /* number of its last window */
	uint64_t longest;     /* windows of the longest run */
	uint64_t burst_bytes; /* in windows above the limit */
	/* Who made them: the weightiest flows, by a heap of counters that loses
	 * small ones (Misra and Gries). */
	uint32_t flow[BURST_FLOWS]; /* serial numbers; 0: free */
	uint64_t flow_bytes[BURST_FLOWS];
	uint32_t slot;                   /* of the packet before */
	uint32_t peak_flow[BURST_FLOWS]; /* those of the highest window */
	uint64_t peak_flow_bytes[BURST_FLOWS];
};

struct bursts {
	uint64_t rate_bps;        /* of the ports; 0: not known, only peaks are kept */
	uint64_t share_ppb;       /* of it that makes a burst */
	unsigned scale;           /* which length is judged: 0, 1, 2 */
	struct burst_port *ports; /* owned */
	size_t count, room;
	uint64_t left_out;
};

uint64_t burst_window_ns(unsigned scale);

/* The index of a destination's port; UINT32_MAX when there are too many. */
uint32_t burst_port(
	struct bursts *bursts, const uint8_t *address, uint8_t family, uint16_t tap);

/* Ends the windows in which time_ns does not lie any more. */
void burst_move(struct bursts *bursts, struct burst_port *port, uint64_t time_ns);

/* Counts for a flow that is not the one before. */
void burst_other_flow(struct burst_port *port, uint32_t flow, uint32_t bytes);

/* Counts a frame of a flow. Times may go back a little. */
static inline __attribute__((always_inline)) void burst_count(
	struct bursts *bursts, uint32_t index, uint64_t time_ns, uint32_t bytes, uint32_t flow)
{
	struct burst_port *port = &bursts->ports[index];

	if (time_ns >= port->step_end_ns)
		burst_move(bursts, port, time_ns);
	port->bytes[0] += bytes;
	port->total_bytes += bytes;
	if (port->flow[port->slot] == flow)
		port->flow_bytes[port->slot] += bytes;
	else
		burst_other_flow(port, flow, bytes);
}

/* Ends the windows under way. */
void bursts_finish(struct bursts *bursts);

void bursts_free(struct bursts *bursts);

#endif
