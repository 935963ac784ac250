/*
 * words - what every form of a report says in the same words.
 */
#ifndef REPORTS_WORDS_H
#define REPORTS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/finding.h"
#include "lib/run.h"

#define WORDS_TEXT 512u /* holds any of them */

const char *words_verdict(enum verdict verdict); /* "PASS", "PASS, with warnings", ... */

bool words_simulated(const struct run *run);
const char *words_source(const struct run *run); /* "simulated" or "measured" */

/* "leafspine-32, parameter plane, quick, seed 1" */
void words_run(char *text, size_t size, const struct run *run);

/* "30 findings: 3 causes and 4 symptoms of failure, 22 passed, 1 warned, 0 unknown" */
void words_counts(char *text, size_t size, const struct findings *findings);

/* "found 0.00099, limit 0: lossless class (limits.loss)"; "" without a figure */
void words_figure(char *text, size_t size, const struct finding *finding);

/* That the run was cut off or interrupted; NULL when it was not. */
const char *words_cut(const struct run *run);

/* What kind of figures a report holds, and by which program. */
void words_foot(char *text, size_t size, const struct run *run);

#endif
