/*
 * compare - two runs side by side: every figure that both have, whether its change is
 * more than noise, and which findings are new, fixed or still there.
 *
 * Noise is what the figures of the same kind changed by between the two runs: 1.4826 MAD
 * of all links' changes of rate, say. So two runs are enough; and a change of all by the
 * same amount is no noise. Counts (loss, retries) carry their own: binomial.
 *
 * What a link loses or serves is its own. What NICs, pairs and stages do depends on who sends
 * to whom, and is compared only where the same was sent (digest_comparable()).
 */
#ifndef REPORTS_COMPARE_H
#define REPORTS_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/digest.h"
#include "reports/change.h"
#include "reports/options.h"
#include "reports/turns.h"

struct diag;

/* Fewer figures of a kind tell no noise; COMPARE_LEAST is then asked of a change:
 * "off baseline > 5 % = defective" (microsoft/superbenchmark). */
#define COMPARE_PEERS 8u
#define COMPARE_LEAST 0.05

struct compared {
	const struct digest_figure *before, *after; /* borrowed */
	enum change change;
	double limit; /* what the change would have had to exceed; of counts 0 */
	double p;     /* of counts */
};

/* What the figures of one metric did together. */
struct compare_metric {
	size_t count;
	double median; /* change */
	double sigma;  /* of the changes; < 0: too few figures to tell */
	size_t worse, better;
	size_t apart;
};

struct comparison {
	const struct digest *before, *after; /* borrowed */
	struct compared *rows;               /* owned; by metric and subject */
	size_t count;
	size_t only_before, only_after;
	size_t apart; /* figures in both that mean something else in each */
	struct compare_metric metrics[DIGEST_METRICS];
	size_t worse, better;
	struct turns turns;
};

/* Returns 0; or -EINVAL with the sentence for runs of different fabrics, planes or
 * backends. before and after are kept. */
int compare_make(struct comparison *comparison, const struct digest *before,
	const struct digest *after, struct diag *diag);
void compare_free(struct comparison *comparison); /* safe twice */

/* 0: nothing is worse; 1: something is; 2: something that the first run measured could not be
 * compared, or what failed before was not looked at, or the later run is not whole. */
int compare_status(const struct comparison *comparison);

/* Why figures that both have were not compared: "they were drawn by other seeds, 1 and 2". */
#define COMPARE_WHY 160u
void compare_why_apart(char *text, size_t size, const struct comparison *comparison);

/* before and after: what to call the two. Of the options colour, width and verbose. */
void compare_text(FILE *out, const struct comparison *comparison, const char *before,
	const char *after, const struct report_options *options);
void compare_json(
	FILE *out, const struct comparison *comparison, const char *before, const char *after);

#endif
