/*
 * sweep_busy - which hosts have something better to do: the user's command decides.
 *
 * It is run by sh once for each host, with the host's name as $1 and in WEFT_HOST, and
 * answers by its exit status: 0 the host is busy, 1 it is free. Anything else, and no
 * answer within SWEEP_BUSY_S, is not known, and who may be busy is left alone.
 */
#ifndef CMD_SWEEP_BUSY_H
#define CMD_SWEEP_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define SWEEP_BUSY_S 30u
#define SWEEP_WHY 512u

/* Sets busy[host] for each of fabric->hosts. Returns of how many it is not known: they are
 * busy, too; why then tells of the first of them: "host3: Permission denied". */
uint32_t sweep_busy(
	bool *busy, const struct fabric *fabric, const char *command, char why[SWEEP_WHY]);

/* The machine behind a host where the file names one, else the host's own name. */
const char *sweep_host_name(const struct fabric *fabric, uint32_t host);

#endif
