/*
 * verdict - what a whole run comes to, and what the shell is told.
 */
#ifndef REPORTS_VERDICT_H
#define REPORTS_VERDICT_H

#include "lib/finding.h"
#include "lib/run.h"

/* findings_verdict(), but unknown where a run that was cut off or interrupted would
 * have passed. A writer calls run_finish() first. */
enum verdict report_verdict(const struct run *run, const struct findings *findings);

/* 0 for pass and warn, 1 for fail, 2 for unknown. */
int report_exit_status(enum verdict verdict);

#endif
