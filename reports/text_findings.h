/*
 * text_findings - the parts of the screen that findings fill: failures with
 * their symptoms folded under the cause, unknowns, warnings, and what a pass
 * rests on.
 */
#ifndef REPORTS_TEXT_FINDINGS_H
#define REPORTS_TEXT_FINDINGS_H

#include <stdbool.h>

#include "lib/finding.h"
#include "reports/ink.h"

struct finding_view {
	const struct findings *findings; /* borrowed; sorted by findings_sort() */
	const char *source; /* "simulated" or "measured": of figures whose basis is empty */
	bool verbose;       /* nothing folded, nothing cut */
};

/* Whether a finding before i has its check and verdict: it says the same of another
 * place. */
bool text_is_repeat(const struct findings *findings, size_t i);

void text_failures(struct ink *ink, const struct finding_view *view);
void text_unknowns(struct ink *ink, const struct finding_view *view);
void text_warnings(struct ink *ink, const struct finding_view *view);
void text_passes(struct ink *ink, const struct finding_view *view);

/* What stands against a pass once more, a line each, for the end of the screen. */
void text_closing(struct ink *ink, const struct finding_view *view);

#endif
