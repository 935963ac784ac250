/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
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

/* What a library or a program that is started here prints would be mistaken for frames, and what
 * it reads would be missing: the channel has descriptors that no other knows. */
static void take_channel(struct control *control)
{
	int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	control_adopt(control, in, out, "the coordinator");
	dup2(nothing, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close(nothing);
}

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
	take_channel(&control);
	err = agent_serve(&control, "weft " WEFT_VERSION, &diag);
	control_close(&control);
	if (err)
		fprintf(stderr, "weft agent: %s\n", diag.text);
	return err ? EXIT_UNKNOWN : EXIT_PASS;
}
