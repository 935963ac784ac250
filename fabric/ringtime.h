/*
 * ringtime - the times of a ring all-reduce: of whole iterations, and of each
 * edge (rank to the next one), from the steps in the evidence.
 *
 * An edge's time is from posting to arrival. Its own wait is from having its
 * input to posting: that is the host, not the network.
 */
#ifndef FABRIC_RINGTIME_H
#define FABRIC_RINGTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/evidence.h"

/* A step is a spike above median + max(10 %, 5 MAD) of its own edge. */
#define SPIKE_MADS 5u

struct edge_time {
	uint64_t median_ns, mad_ns; /* posted to arrived */
	uint64_t wait_ns;           /* ready to posted, summed */
	uint32_t steps;             /* that arrived */
	uint32_t spikes;
	uint64_t spike_ns; /* what the spikes cost above the median, summed */
	uint64_t longest_ns;
};

struct ringtime {
	uint32_t ranks, iterations; /* iterations that were completed */
	struct edge_time *edges;    /* owned; by the rank that sends */
	uint64_t start_ns, end_ns;  /* of the completed iterations */
	uint64_t median_ns;         /* of the edges' medians */
	uint32_t slowest;           /* edge */
	uint64_t *iteration_ns;     /* owned; time of each completed one */
};

/* spike_ppb: the least share above the median that makes a spike (limits.spike).
 * False when the evidence holds no ring or no completed iteration. */
bool ringtime_init(struct ringtime *times, const struct evidence *evidence, uint64_t spike_ppb);
void ringtime_free(struct ringtime *times); /* safe twice */

/* The number of ACK timeouts (back to back, first at 4.096 us * 2^exp, the later
 * ones equal) that a delay matches within 10 %; 0: none. */
uint32_t ringtime_timeouts(uint64_t delay_ns, uint32_t timeout_exp);

#endif
