/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ NULL, NULL, NULL },
};

static int usage(FILE *out, int status)
{
	fprintf(out, "usage: weft <command> [options]\n\n");
	for (const struct command *command = commands; command->name; command++)
		fprintf(out, "  %-10s %s\n", command->name, command->summary);
	return status;
}

static int run(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0)
		return usage(argc < 2 ? stderr : stdout, argc < 2 ? EXIT_UNKNOWN : EXIT_PASS);
	for (const struct command *command = commands; command->name; command++)
		if (strcmp(command->name, argv[1]) == 0)
			return command->run(argc - 2, argv + 2);
	fprintf(stderr, "weft: no command \"%s\"\n", argv[1]);
	return usage(stderr, EXIT_UNKNOWN);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	/* A report that did not reach the disk is not a pass. */
	if (fflush(stdout) || ferror(stdout)) {
		perror("weft: stdout");
		return EXIT_UNKNOWN;
	}
	return status;
}
