/*
 * history - many runs of one fabric: which link, NIC or pair drifts, which has taken a
 * step for the worse, and which findings are new since the run before.
 *
 * Noise is 1.4826 MAD of the differences of neighbours over the square root of 2, the
 * figure's own or the median of all figures of its kind, whichever is larger; of counts
 * never less than Poisson's.
 *
 * Drift: a Theil-Sen slope over the runs that measured the figure which noise alone makes
 * with p < CHANGE_ALPHA / n, two-sided, for n figures that can be tested; Mann and
 * Kendall's trend test, which knows nothing of the noise, agrees with p < HISTORY_TREND;
 * the change over the runs is large enough to be named (change.h); and the latest value
 * lies beyond the median on the line's side, so that what was repaired is named no more.
 *
 * Step: the latest HISTORY_CONFIRM values are all further from the reference than noise
 * allows, with the same n, on the same side. The reference is the baseline run's value,
 * or the median of the values before them. Of counts, each of them against the sum of the
 * reference (binomial), and beyond each value before. Three in a row, as the sub-health
 * rules of Ascend's HCCN ask before they speak.
 *
 * A link that got worse makes NICs, pairs and stages worse, whoever sends over it: where
 * there is one, their goodput and retries are told as symptoms and not counted.
 *
 * A figure counts from HISTORY_LEAST runs on; below that it is unknown. A run that was cut
 * short, or ran nothing, does not count; of what is drawn (digest_comparable()) only the runs
 * that sent the same as the latest.
 */
#ifndef REPORTS_HISTORY_H
#define REPORTS_HISTORY_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/digest.h"
#include "reports/change.h"
#include "reports/options.h"
#include "reports/turns.h"

struct json;

#define HISTORY_LEAST 8u
#define HISTORY_CONFIRM 3u
#define HISTORY_TREND 0.001
#define HISTORY_AGE 30u /* runs behind a baseline, from which on it is old: a month of nights */
#define HISTORY_NONE SIZE_MAX

struct history_run {
	char name[64];               /* of its file, without the ending */
	const struct digest *digest; /* borrowed */
};

enum claim_kind {
	CLAIM_DRIFT,
	CLAIM_STEP,
};

struct claim {
	enum claim_kind kind;
	enum change change; /* CHANGE_WORSE or CHANGE_BETTER */
	bool symptom;       /* worse, and so is a link */
	enum digest_metric metric;
	const char *subject; /* borrowed from a digest */
	size_t runs;         /* that measured it: what the claim rests on */
	size_t first, last;  /* indices of the first and the latest of them */
	double from, to;     /* drift: the line at both; step: reference and latest value */
	double latest;
	double p;       /* that noise alone makes the slope, or the step */
	double trend_p; /* of Mann and Kendall's test; of a step 1 */
};

struct history {
	const struct history_run *runs; /* borrowed; in the order of time */
	size_t run_count;
	size_t whole;    /* runs: of digest_is_whole(), the only ones whose figures count */
	size_t baseline; /* index, or HISTORY_NONE */
	size_t behind;   /* runs after the baseline, those not looked at as well */
	size_t age;      /* so many are too many; HISTORY_AGE unless changed */
	struct claim *claims; /* owned; worse first, symptoms last of them; then by kind, p */
	size_t count, room;
	size_t worse, symptoms, better;
	size_t figures;     /* measured at all */
	size_t tested;      /* n: in HISTORY_LEAST runs or more, and not always the same */
	size_t steady;      /* in as many, and always the same */
	struct turns turns; /* the last run against those before */
};

/* Keeps runs; all of one fabric, plane and backend. */
void history_make(
	struct history *history, const struct history_run *runs, size_t count, size_t baseline);
void history_free(struct history *history); /* safe twice */

/* 0: nothing got worse; 1: something did, or the last run has a failure that is new; 2: no
 * figure is in enough runs to tell, the last run is not whole, or it has not looked at what
 * failed before. */
int history_status(const struct history *history);

/* "The baseline NAME has 41 runs behind it ..."; "" where it is not old, or there is none. */
#define ADVICE_TEXT 256u
void history_advice(char *text, size_t size, const struct history *history);

/* The fabric's own best: of the runs that passed, are whole and measured at least half of
 * what the fullest did, the one whose rates lie above those of each other in the middle.
 * Of equals the latest; HISTORY_NONE where none passed. */
size_t history_best(const struct history_run *runs, size_t count);

void history_text(
	FILE *out, const struct history *history, const struct report_options *options);
void history_json(FILE *out, const struct history *history);

/* The keys of history_json() after the verdict, for other documents. */
void history_put(struct json *root, const struct history *history);

/* "drift: link leaf1:9-spine1:1 loss 1.0e-04 to 3.0e-04 over 10 runs, p 5e-07". */
#define CLAIM_TEXT 256u
void claim_text(char *text, size_t size, const struct claim *claim);

#endif
