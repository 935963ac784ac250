/*
 * change_show - the parts that a comparison and a history have in common on the screen
 * and in JSON: the findings that are new, fixed or still there, and a paragraph.
 */
#ifndef REPORTS_CHANGE_SHOW_H
#define REPORTS_CHANGE_SHOW_H

#include "lib/digest.h"
#include "lib/json.h"
#include "reports/change.h"
#include "reports/turns.h"
#include "reports/ink.h"

/* "PASS", "FAIL" or "UNKNOWN" for the exit status, then whether it is a simulation. */
void change_head(struct ink *ink, int status, const struct digest *digest);

/* A paragraph from the first column on. */
__attribute__((format(printf, 3, 4))) void change_line(
	struct ink *ink, enum ink_style style, const char *fmt, ...);

/* A row a failure under a heading; nothing where there are none. */
void change_turns(struct ink *ink, const struct turns *turns);

/* The key "findings": an array of {state, check, culprit, culprit_kind, text}, and of what is
 * unseen why. */
void change_put_turns(struct json *root, const struct turns *turns);

/* verdict, exit_status, backend, simulation, fabric, plane. */
void change_put_head(struct json *root, int status, const struct digest *digest);

#endif
