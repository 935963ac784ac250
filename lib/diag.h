/*
 * diag - the sentence that goes with an error code.
 *
 * A function that can fail in a way the user must act on takes a struct diag
 * as its last argument, writes one line there and returns the negative errno.
 * Nothing below cmd/ uses stderr. The sentence says what was given and what
 * would do; it does not end in a full stop.
 */
#ifndef LIB_DIAG_H
#define LIB_DIAG_H

struct diag {
	char text[768];
};

/* Records what went wrong and returns err, so that callers can return it.
 * err < 0. The text is the caller's sentence alone. */
__attribute__((format(printf, 3, 4))) int diag_error(
	struct diag *diag, int err, const char *fmt, ...);

/* The same, followed by ": " and what the system calls err. For failures of
 * the system (open, write), where the errno is the news. */
__attribute__((format(printf, 3, 4))) int diag_system(
	struct diag *diag, int err, const char *fmt, ...);

#endif
