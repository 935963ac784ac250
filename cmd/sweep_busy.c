/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_busy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/diag.h"

#define AT_ONCE 16u

/* The user's words reach the shell by the environment, so that nothing has to be quoted. */
static const char ask[] =
	"exec timeout " SWEEP_BUSY_S " sh -c \"$WEFT_BUSY_IF\" sh \"$WEFT_HOST\" < /dev/null "
	"> /dev/null 2>&1";

const char *sweep_host_name(const struct fabric *fabric, uint32_t host)
{
	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		const struct binding *binding = &fabric->bindings[i];

		if (fabric->ports[fabric->nics[binding->nic]].node == host && binding->host[0])
			return binding->host;
	}
	return fabric->nodes[host].name;
}

static int begin(FILE **asked, const struct fabric *fabric, uint32_t host, struct diag *diag)
{
	if (setenv("WEFT_HOST", sweep_host_name(fabric, host), 1))
		return diag_system(diag, -errno, "cannot set WEFT_HOST");
	*asked = popen(ask, "re");
	return *asked ? 0 : diag_system(diag, -errno, "cannot start --busy-if");
}

static void answer(FILE *asked, bool *busy, uint32_t *unknown)
{
	int status = pclose(asked);
	int answered = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	*busy = answered != 1;
	*unknown += answered != 0 && answered != 1;
}

int sweep_busy(bool *busy, uint32_t *unknown, const struct fabric *fabric, const char *command,
	struct diag *diag)
{
	FILE *asked[AT_ONCE] = { NULL };
	int err = 0;

	*unknown = 0;
	if (setenv("WEFT_BUSY_IF", command, 1))
		return diag_system(diag, -errno, "cannot set WEFT_BUSY_IF");
	for (uint32_t host = 0; host < fabric->hosts + AT_ONCE; host++) {
		FILE **slot = &asked[host % AT_ONCE];

		if (*slot)
			answer(*slot, &busy[host - AT_ONCE], unknown);
		*slot = NULL;
		if (host < fabric->hosts && !err)
			err = begin(slot, fabric, host, diag);
	}
	return err;
}
