/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_busy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/command.h"
#include "lib/grow.h"
#include "lib/units.h"

#define AT_ONCE 16u
#define WORDS 6

/* The user's words reach the shell as $2, so that nothing has to be quoted. */
static const char ask[] = "export WEFT_HOST=\"$1\"; exec sh -c \"$2\" sh \"$1\" > /dev/null";

const char *sweep_host_name(const struct fabric *fabric, uint32_t host)
{
	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		const struct binding *binding = &fabric->bindings[i];

		if (fabric->ports[fabric->nics[binding->nic]].node == host && binding->host[0])
			return binding->host;
	}
	return fabric->nodes[host].name;
}

static void tell_why(char why[SWEEP_WHY], const char *host, const struct command *command)
{
	if (command->err == -ETIMEDOUT)
		snprintf(why, SWEEP_WHY, "%s: no answer within %u s", host, SWEEP_BUSY_S);
	else if (command->err)
		snprintf(why, SWEEP_WHY, "%s: %s", host, strerror(-command->err));
	else if (command->words[0])
		snprintf(why, SWEEP_WHY, "%s: %s", host, command->words);
	else
		snprintf(why, SWEEP_WHY, "%s: --busy-if ended with status %d, expected 0 or 1",
			host, command->status);
}

uint32_t sweep_busy(
	bool *busy, const struct fabric *fabric, const char *command, char why[SWEEP_WHY])
{
	struct command *asked = zeroed(fabric->hosts, sizeof(*asked));
	const char *(*words)[WORDS + 1] = zeroed(fabric->hosts, sizeof(*words));
	uint32_t unknown = 0;

	for (uint32_t host = 0; host < fabric->hosts; host++) {
		const char *said[WORDS + 1] = { "sh", "-c", ask, "sh",
			sweep_host_name(fabric, host), command, NULL };

		memcpy(words[host], said, sizeof(said));
		asked[host].argv = words[host];
	}
	commands_run(asked, fabric->hosts, AT_ONCE, SWEEP_BUSY_S * NS_PER_S);
	for (uint32_t host = 0; host < fabric->hosts; host++) {
		bool is_free = !asked[host].err && asked[host].status == 1;

		busy[host] = !is_free;
		if (!is_free && (asked[host].err || asked[host].status != 0) && !unknown++)
			tell_why(why, sweep_host_name(fabric, host), &asked[host]);
		command_free(&asked[host]);
	}
	free(words);
	free(asked);
	return unknown;
}
