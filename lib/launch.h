/*
 * launch - another program with a control channel on its standard input and output: an
 * agent of weft here, or through ssh on another host.
 *
 * It runs in a process group of its own, so that a Ctrl-C at the terminal reaches it as
 * the end of its input and not as a signal. What it says on stderr is kept; the last line
 * tells why it would not start.
 */
#ifndef LIB_LAUNCH_H
#define LIB_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/control.h"

#define LAUNCH_WORDS 256

struct diag;

struct launch {
	pid_t pid;      /* 0: none */
	int words;      /* a file in memory: its stderr */
	off_t words_at; /* what stands before has been passed over */
	struct control control;
};

#define LAUNCH_INIT                                                                            \
	{                                                                                      \
		.pid = 0, .words = -1, .control = CONTROL_INIT                                 \
	}

/* Starts argv[0], looked for in $PATH; peer names it in messages. Returns 0 or a negative
 * errno: no such program, no descriptor or process left. */
int launch_start(
	struct launch *launch, const char *const *argv, const char *peer, struct diag *diag);

/* The path of this program; "weft" where the kernel does not tell it. */
void launch_self(char path[PATH_MAX]);

/* Starts weft with these words, at most LAUNCH_WEFT_WORDS and then NULL: on a host, by the user's
 * own ssh, which asks for nothing and gives up where nobody answers; or here, with host NULL.
 * weft: how it is called there; NULL: "weft", and here this program. */
#define LAUNCH_WEFT_WORDS 7
int launch_weft(struct launch *launch, const char *host, const char *weft,
	const char *const *words, const char *peer, struct diag *diag);

/* The last line that it has written to stderr, without control characters; "" when there is
 * none. */
void launch_words(const struct launch *launch, char text[LAUNCH_WORDS]);

/* From here on launch_words() passes over what it has written so far, such as the banner of
 * an ssh server. */
void launch_pass_over(struct launch *launch);

/* Whether something else than a frame waits on its standard output: then its first line is in
 * text, without control characters, and is not taken. */
bool launch_prints(const struct launch *launch, char text[LAUNCH_WORDS]);

/* The end of its input: asks it to end by itself. */
void launch_hang_up(struct launch *launch);

/* Hangs up, waits a second for its end, and then kills it. Safe on LAUNCH_INIT, safe twice. */
void launch_close(struct launch *launch);

#endif
