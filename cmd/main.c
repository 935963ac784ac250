/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "accept", cmd_accept,
		"whether a fabric does what it was built for, and what is at fault" },
	{ "pcap", cmd_pcap, "what RoCE and pause frames in a capture tell of the network" },
	{ "plan", cmd_plan, "what a fabric file builds, and what a run will try" },
	{ "report", cmd_report, "judge a run file again and draw its report" },
	{ "sweep", cmd_sweep, "what was not tested for longest, every night, within budgets" },
	{ "compare", cmd_compare, "two runs side by side: what changed by more than noise" },
	{ "history", cmd_history,
		"which link, NIC or pair got worse over the runs in a folder" },
	{ "doctor", cmd_doctor, "what a host's RoCE ports are set to, and what is wrong" },
	{ "audit", cmd_audit, "the lossless policy of a fabric file against every host" },
	{ "explain", cmd_explain, "what pasted tool output says, and what to do" },
	{ "watch", cmd_watch, "what the counters of RoCE NICs do now, with alarms" },
	{ "bw", cmd_bw, "bandwidth from one host to another, or on a simulated fabric" },
	{ "lat", cmd_lat, "how long a message takes from one host to another" },
	{ "incast", cmd_incast, "one stage by hand: many NICs to one" },
	{ "burst", cmd_burst, "one stage by hand: aligned bursts to one NIC" },
	{ "ring", cmd_ring, "one stage by hand: ring all-reduce" },
	{ "sim", cmd_sim, "a stage of the plan on the simulator, captured at its ports" },
	{ "discover", cmd_discover, "a first fabric file from what hosts tell of themselves" },
	{ "agent", cmd_agent, "one host's part of a run on real NICs; accept starts it" },
	{ NULL, NULL, NULL },
};

static const struct command *find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (strcmp(command->name, name) == 0)
			return command;
	return NULL;
}

static int usage(FILE *out, int status)
{
	fprintf(out, "usage: weft COMMAND [ARGUMENT ...]\n"
		     "       weft help [COMMAND]\n"
		     "       weft --version\n\n");
	for (const struct command *command = commands; command->name; command++)
		fprintf(out, "  %-10s %s\n", command->name, command->summary);
	fprintf(out, "\nexit status: 0 the network does what was asked, 1 it does not, "
		     "2 we could not find out\n");
	return status;
}

static int unknown_command(const char *name)
{
	fprintf(stderr, "weft: no command \"%s\": weft help lists those there are\n", name);
	return EXIT_UNKNOWN;
}

static int help(int argc, char **argv)
{
	char option[] = "-h";
	char *page[] = { option, NULL };
	const struct command *command;

	if (argc == 0)
		return usage(stdout, EXIT_PASS);
	command = find(argv[0]);
	return command ? command->run(1, page) : unknown_command(argv[0]);
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc == 0)
		return usage(stderr, EXIT_UNKNOWN);
	if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 ||
		strcmp(argv[0], "-h") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[0], "--version") == 0)
		return printf("weft %s\n", WEFT_VERSION) < 0 ? EXIT_UNKNOWN : EXIT_PASS;
	command = find(argv[0]);
	return command ? command->run(argc - 1, argv + 1) : unknown_command(argv[0]);
}

/* A report that did not reach its reader is not a pass, and of a failure it stays one. A reader who left, as
 * head(1) does, knows that and is told nothing. */
static int close_output(int status)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	bool left;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout) && !fclose(stdout))
		return status;
	/* An earlier write may have failed, and its errno is gone. */
	left = errno == EPIPE || (poll(&out, 1, 0) == 1 && out.revents & POLLERR);
	if (!left)
		fprintf(stderr,
			"weft: the output could not be written in full: %s; expected a "
			"place with room for it\n",
			errno ? strerror(errno) : "the device took only a part");
	return exit_untold(status);
}

int main(int argc, char **argv)
{
	/* Both are answered where they happen, as EPIPE and EFBIG: what was measured
	 * is kept, whatever becomes of the output. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return close_output(run(argc - 1, argv + 1));
}
