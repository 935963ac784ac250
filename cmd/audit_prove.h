/*
 * audit_prove - what weft audit --prove does: bytes are sent from every NIC of the fabric
 * file through agents, and the counters by priority of both ends are read before and after.
 */
#ifndef CMD_AUDIT_PROVE_H
#define CMD_AUDIT_PROVE_H

#include <stdint.h>

#include "cmd/doctor.h"
#include "fabric/agents.h"

#define AUDIT_PROVE_BYTES_MAX (UINT64_C(40) << 30) /* what agents have the time for */

struct audit_proof {
	uint64_t bytes; /* a NIC, at most AUDIT_PROVE_BYTES_MAX; 0: not asked for */
	struct agents_options agents;
	struct doctor_wish wish; /* for the counters */
};

/* Adds facts PROOF, and WANTED for each NIC that they are asked of. A NIC that nothing was
 * sent through has no PROOF. Errors are agents_start()'s but for hosts that are away. */
int audit_prove(struct facts *facts, const struct fabric *fabric,
	const struct audit_proof *proof, struct diag *diag);

#endif
