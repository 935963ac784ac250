/*
 * command - runs other programs side by side, and keeps what they print.
 *
 * A program that is not done in time, or prints more than it may, is killed with all that
 * it has started in its process group; the others go on.
 */
#ifndef LIB_COMMAND_H
#define LIB_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define COMMAND_OUTPUT_MAX ((size_t)16 << 20)
#define COMMAND_WORDS 256

struct command {
	const char *const *argv; /* borrowed; argv[0] is looked for in $PATH; ends in NULL */
	const char *input;       /* borrowed; what its standard input holds, NULL: nothing */
	size_t input_bytes;
	bool through; /* what it prints goes to our stderr, and nothing of it is kept */
	char *output; /* owned; NUL behind it */
	size_t size, room;
	char words[COMMAND_WORDS]; /* the last of its stderr */
	int status;                /* exit status; 127: no such program */
	int err; /* 0, -ETIMEDOUT, -E2BIG, -EINTR for a death by signal, or of the system */
	/* private */
	pid_t pid;
	int out, words_fd;
	uint64_t end_ns;
};

/* Runs all, at most at_once at a time, each for at most limit_ns. What became of each is
 * in status and err. */
void commands_run(struct command *commands, size_t count, size_t at_once, uint64_t limit_ns);
void command_free(struct command *command); /* safe twice */

#endif
