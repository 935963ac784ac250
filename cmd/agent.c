/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "fabric/agent.h"
#include "lib/diag.h"

struct agent_args {
	bool none;
};

static const struct opt agent_opts[] = {
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

int cmd_agent(int argc, char **argv)
{
	struct control control = CONTROL_INIT;
	struct agent_args args = { false };
	struct diag diag;
	int status, err;

	if (!opt_read("agent",
		    "One host's part of a run on real NICs: weft accept starts it, here or "
		    "through ssh, and talks to it over its standard input and output.",
		    agent_opts, argc, argv, &args, &status))
		return status;
	if (isatty(STDIN_FILENO)) {
		fprintf(stderr, "weft agent: the standard input is a terminal: expected "
				"another weft there, which starts agents by itself\n");
		return EXIT_UNKNOWN;
	}
	control_take_stdio(&control, "the coordinator");
	err = agent_serve(&control, "weft " WEFT_VERSION, &diag);
	control_close(&control);
	if (err)
		fprintf(stderr, "weft agent: %s\n", diag.text);
	return err ? EXIT_UNKNOWN : EXIT_PASS;
}
