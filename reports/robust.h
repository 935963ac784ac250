/*
 * robust - statistics that one bad night does not bend: median and MAD, the slope
 * of Theil and Sen, the trend test of Mann and Kendall, and how surprising two
 * counts are. Floating point, because these are estimates and probabilities; the
 * same input gives the same result.
 *
 * Sources: H. B. Mann, Econometrica 13 (1945) 245; M. G. Kendall, Rank Correlation
 * Methods (1975); P. K. Sen, JASA 63 (1968) 1379; 1.4826 makes the MAD of normal
 * noise its standard deviation (Rousseeuw and Croux, JASA 88 (1993) 1273).
 *
 * values are in the order of time, finite, and left as they are. Nothing here fails.
 */
#ifndef REPORTS_ROBUST_H
#define REPORTS_ROBUST_H

#include <stddef.h>
#include <stdint.h>

#define ROBUST_SIGMA 1.4826

double robust_median(const double *values, size_t count); /* count > 0 */

/* The standard deviation that normal noise with this median absolute deviation has. */
double robust_sigma(const double *values, size_t count); /* count > 0 */

/* The same of the noise from one value to the next, which neither a drift nor one
 * step widens: from the differences of neighbours, over the square root of 2.
 * count > 1. */
double robust_noise(const double *values, size_t count);

/* Median of the slopes of all pairs, for times[i] ascending. count > 1. */
double robust_slope(const double *times, const double *values, size_t count);

/*
 * Two-sided p of Mann and Kendall's test that values have no trend; *s, if not NULL,
 * is their S, positive for a rise. Exact up to ROBUST_EXACT values without ties, else by
 * the normal approximation with its correction for ties and continuity. 1 for fewer
 * than 4 values, or when all are equal.
 */
#define ROBUST_EXACT 60u
double robust_trend(const double *values, size_t count, int64_t *s);

/* Two-sided p that events of `of` and events of `of` other trials come of one
 * probability: binomial, given their sum. 1 when there are no events or no trials. */
double robust_counts(uint64_t events, uint64_t of, uint64_t other_events, uint64_t other_of);

/* z with P(|Z| > z) = p for normal Z; 0 < p <= 1. */
double robust_z(double p);

#endif
