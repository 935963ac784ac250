/*
 * runs - run files made up for the tests of the reports, with the findings that
 * judges could have given on them. Nothing here was simulated; the figures are
 * chosen so that each part of a report has something to show.
 */
#ifndef TESTS_MADE_RUNS_H
#define TESTS_MADE_RUNS_H

#include "lib/finding.h"
#include "lib/run.h"

enum made_kind {
	MADE_PASS,
	MADE_FAIL,        /* three causes with symptoms, later layers skipped */
	MADE_UNKNOWN,     /* clean, but a switch was never provoked */
	MADE_INTERRUPTED, /* stopped in the lossless layer */
	MADE_CUT,         /* never finished */
	MADE_EMPTY,       /* no stage, no finding */
	MADE_HOSTILE, /* names with control characters, broken UTF-8, wide characters; NaN */
};

/* "pass" and so on; -1 for another name. */
int made_find(const char *name);

/* The findings that go with a kind of run, sorted. */
void made_findings(enum made_kind kind, struct findings *findings);

/* Makes the run file at path and opens it for reading; adds and sorts the
 * findings. Ends the program with a sentence when it cannot. */
struct run *made_run(enum made_kind kind, const char *path, struct findings *findings);

#endif
