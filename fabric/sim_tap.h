/*
 * sim_tap - captures at ports of a simulated fabric, as a mirror of both directions
 * would give them: one pcap file a port.
 *
 * A frame that the port sends is captured as its first bit leaves, before the link
 * may lose it; one that it receives when it is taken in, before the switch may drop it
 * (times are those of the simulator, on the run's clock). What a packet carries that
 * the simulator does not need is made up, the same for the same seed:
 *
 *   MAC, IP address  fabric/sim_address.h. Switches route: both MACs are those of the link
 *   TTL     64, less one for each switch on the way
 *   IP ID   PSN times 4, plus how many packets the QP had sent again, modulo 4
 *   QPN     two for each QP, counted through all stages of the run
 *   PSN     starts at a random value in each QP, as those of connections do
 *   RETH    one region a QP, written through from its start
 *
 * A selective-repeat NAK has no standard form that says which packet came instead:
 * it is written as a PSN sequence error for the one that is missing.
 *
 * One tap serves one simulation at a time.
 */
#ifndef FABRIC_SIM_TAP_H
#define FABRIC_SIM_TAP_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define TAP_PORTS_MAX 64u
#define TAP_SNAPLEN_MAX 65535u
#define TAP_SNAPLEN_MIN 64u

struct diag;
struct sim_tap;

/*
 * places: ports and NICs by name, "leaf1:3,host2"; fabric is borrowed. The files are
 * PREFIX-leaf1-3.pcap and so on. Returns 0; -EINVAL for a place that does not exist,
 * has no cable or is given twice; or the error of making a file (capture_write.h).
 */
int sim_tap_open(struct sim_tap **tap, const struct fabric *fabric, const char *places,
	const char *prefix, uint32_t snaplen, struct diag *diag);

/* What was captured at a place, in its order. */
struct sim_tap_file {
	const char *path;
	char place[2 * NAME_BYTES];
	uint64_t sent, received; /* frames, PFC included */
};

size_t sim_tap_files(const struct sim_tap *tap, const struct sim_tap_file **files);

/* Ends the files; what sim_tap_files() gave stays until sim_tap_free(). Returns 0 or
 * the first error of writing. */
int sim_tap_finish(struct sim_tap *tap, struct diag *diag);

void sim_tap_free(struct sim_tap *tap); /* NULL is nothing; finishes what is open */

#endif
