/*
 * junit - findings as JUnit XML, for systems that show tests: a case for each check and
 * what it blames. A failure is a failure, an unknown is skipped with its reason, and a
 * run that was cut off has one skipped case more, so that it never looks whole.
 */
#ifndef REPORTS_JUNIT_H
#define REPORTS_JUNIT_H

#include <stdio.h>

#include "lib/finding.h"
#include "lib/run.h"

/* What goes wrong in out is left in ferror(out). */
void report_junit(FILE *out, const struct run *run, const struct findings *findings);

#endif
