/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_hook.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep_tell.h"
#include "lib/command.h"
#include "lib/grow.h"
#include "lib/units.h"

static void tell(const char *command, const struct command *hook, uint64_t limit_ns)
{
	fprintf(stderr, "weft sweep: --hook %s: ", command);
	if (hook->err == -ETIMEDOUT)
		fprintf(stderr,
			"not done within %" PRIu64
			" s, so it was killed: expected it sooner, or a longer --hook-time\n",
			limit_ns / NS_PER_S);
	else if (hook->err == -EINTR)
		fprintf(stderr, "killed by a signal: expected status 0\n");
	else if (hook->err)
		fprintf(stderr, "it could not be run: %s\n", strerror(-hook->err));
	else
		fprintf(stderr, "ended with status %d: expected status 0\n", hook->status);
}

void sweep_hook(const struct night *night, const char *command, uint64_t limit_ns)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct command hook = { .argv = argv, .through = true };
	char *text = NULL;
	FILE *out = open_memstream(&text, &hook.input_bytes);

	if (!out)
		out_of_memory();
	night_json(out, night);
	if (fclose(out))
		out_of_memory();
	hook.input = text;
	fflush(NULL); /* the child must not write what is ours, nor come before it */
	commands_run(&hook, 1, 1, limit_ns);
	if (hook.err || hook.status)
		tell(command, &hook, limit_ns);
	command_free(&hook);
	free(text);
}
