/*
 * sim_fault - a port that faults make over: what the files of the simulator that do so
 * share; nobody else includes it.
 */
#ifndef FABRIC_SIM_FAULT_H
#define FABRIC_SIM_FAULT_H

#include "fabric/sim_parts.h"

/* All borrowed; nic is NULL on switches. */
struct fault_at {
	struct sim *sim;
	struct sim_port *port;
	struct trouble *trouble;
	struct sim_nic *nic;
};

/* What this fault makes of the port, which is as the fabric file has it; nothing where
 * the kind is not a matter of single ports: see sim_fault.c and sim_fault_route.c. */
void fault_make(const struct fault_at *at, const struct fault *fault);

#endif
