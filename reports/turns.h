/*
 * turns - the failures of a run beside those of the runs before it: which are new, which
 * are still there, which are gone, and which nobody has looked at since.
 *
 * A failure stays open until a run looks at its culprit again (looked.h) and finds nothing:
 * nights that did not, for they were cut short, or left its host out, change nothing. One that
 * was not located ends with the next failure of its check, which says where.
 */
#ifndef REPORTS_TURNS_H
#define REPORTS_TURNS_H

#include <stddef.h>

#include "lib/digest.h"

enum turn {
	TURN_NEW,
	TURN_PERSISTING,
	TURN_UNSEEN, /* failed when it was last looked at, which was before this run */
	TURN_FIXED,  /* failed before, and this run has looked at it again */
};

struct turned {
	enum turn turn;
	const struct finding *finding; /* borrowed: of the last run where it has one */
	const char *why;               /* TURN_UNSEEN: a constant clause; else NULL */
};

struct turns {
	struct turned *items; /* owned; failures only; in the order of enum turn */
	size_t count, room;
	size_t each[TURN_FIXED + 1];
};

#define TURNS_INIT                                                                             \
	{                                                                                      \
		.items = NULL                                                                  \
	}

const char *turn_name(enum turn turn); /* "new", "persisting", "unseen", "fixed" */

/* The last of the runs against all before it, in the order of time; count > 0. Joins causes by
 * check and culprit; where a run has only symptoms, these. Keeps the findings. */
void turns_make(struct turns *turns, const struct digest *const *runs, size_t count);
void turns_free(struct turns *turns); /* safe twice */

#endif
