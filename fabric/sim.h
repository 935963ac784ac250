/*
 * sim - the packet-level simulator: runs one stage of a plan on a fabric and
 * tells what NICs and switches would have counted.
 *
 * Deterministic: the same fabric, stage, seed and start time give the same
 * result to the byte, on any number of threads and on any machine. A sim shares
 * nothing, so independent stages may run in parallel threads.
 *
 * What is modelled, and from where the models are: docs/simulator.md. Time
 * inside is in picoseconds, so that a packet at 400 Gb/s is a whole number.
 */
#ifndef FABRIC_SIM_H
#define FABRIC_SIM_H

#include <signal.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/routing.h"
#include "lib/plan.h"
#include "lib/run.h"

struct diag;
struct sim_tap;

/* Rows of a stage's series at most; where a large fabric and a late deadline would
 * give more, the period is longer than the stage asks for. */
#define SIM_SAMPLES_MAX (4u << 20)

struct sim_config {
	const struct fabric *fabric;       /* borrowed */
	const struct routing *routing;     /* borrowed */
	uint64_t seed;                     /* of this stage: loss, marking, source ports */
	uint64_t t0_ns;                    /* run clock at the start: faults are placed on it */
	struct sim_tap *tap;               /* borrowed; NULL: captures nothing (sim_tap.h) */
	const volatile sig_atomic_t *stop; /* may be NULL; non-zero ends the stage early */
};

/* Conservation, asserted at the end of every stage: sent = received + lost on
 * links + dropped by cause + still in the network, in packets of all kinds. */
struct sim_totals {
	uint64_t data_sent, control_sent;
	uint64_t received;
	uint64_t lost_on_links, dropped_buffer, dropped_headroom, dropped_egress, dropped_down,
		dropped_no_route, dropped_watchdog, dropped_oversize, dropped_policer,
		dropped_expired, /* by TTL, on a circular way */

		dropped_hidden,  /* by a switch that counts nothing */
		dropped_corrupt; /* by the NIC that they were for */
	uint64_t in_flight;
	uint64_t packet_hops; /* transmissions of data, ACKs, NAKs and CNPs on a link */
	uint64_t events;
};

struct sim_result {
	struct run_stage stage; /* window, status and reason filled */
	struct run_flow *flows;
	size_t flow_count;
	struct run_path *paths;
	size_t path_count;
	struct run_counter *counters;
	size_t counter_count;
	struct run_step *steps;
	size_t step_count;
	struct run_sample *samples;
	size_t sample_count;
	struct sim_totals totals;
};

/* Runs stage until all flows and the ring are done and the network is empty, or
 * until its deadline. id becomes result->stage.id. Returns 0 (also when flows did
 * not finish: that is an observation), -ENOMEM, or -EINVAL for a stage that
 * does not fit the fabric. On failure *result is left alone. */
int sim_run(const struct sim_config *config, const struct plan_stage *stage, uint32_t id,
	struct sim_result *result, struct diag *diag);

void sim_result_free(struct sim_result *result); /* safe twice */

/* The fabric with the cables of its swap faults exchanged: a shallow copy with
 * ports and links of its own, which the caller frees. False, and nothing done,
 * when it has no such fault. */
bool fault_rewire(const struct fabric *fabric, struct fabric *wired);

/* Writes what the ports of the simulated fabric tell of themselves: state, speed
 * and neighbour (lib/counters.h, F_*). Errors are run_put_fact()'s. */
int sim_put_facts(const struct fabric *fabric, struct run *run, struct diag *diag);

#endif
