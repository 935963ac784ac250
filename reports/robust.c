/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts values and takes their median. */
static double take_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2]
			 : values[count / 2 - 1] / 2 + values[count / 2] / 2;
}

double robust_median(const double *values, size_t count)
{
	double *sorted = zeroed(count, sizeof(*sorted)), median;

	memcpy(sorted, values, count * sizeof(*sorted));
	median = take_median(sorted, count);
	free(sorted);
	return median;
}

double robust_sigma(const double *values, size_t count)
{
	double *distances = zeroed(count, sizeof(*distances)), median, sigma;

	median = robust_median(values, count);
	for (size_t i = 0; i < count; i++)
		distances[i] = fabs(values[i] - median);
	sigma = ROBUST_SIGMA * take_median(distances, count);
	free(distances);
	return sigma;
}

double robust_noise(const double *values, size_t count)
{
	double *steps = zeroed(count - 1, sizeof(*steps)), noise;

	for (size_t i = 0; i + 1 < count; i++)
		steps[i] = values[i + 1] - values[i];
	noise = robust_sigma(steps, count - 1) / sqrt(2.0);
	free(steps);
	return noise;
}

double robust_slope(const double *times, const double *values, size_t count)
{
	double *slopes = zeroed(count * (count - 1) / 2, sizeof(*slopes)), slope;
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			slopes[used++] = (values[k] - values[i]) / (times[k] - times[i]);
	slope = take_median(slopes, used);
	free(slopes);
	return slope;
}

/* --- the test of Mann and Kendall --- */

static int64_t rises_less_falls(const double *values, size_t count)
{
	int64_t s = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			s += (values[k] > values[i]) - (values[k] < values[i]);
	return s;
}

/* Sum over the groups of equal values of t(t-1)(2t+5); 0: no two are equal. */
static double tie_term(const double *values, size_t count)
{
	double *sorted = zeroed(count, sizeof(*sorted)), sum = 0;
	size_t end;

	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (size_t i = 0; i < count; i = end) {
		double t;

		for (end = i + 1; end < count && sorted[end] <= sorted[i]; end++)
			;
		t = (double)(end - i);
		sum += t * (t - 1) * (2 * t + 5);
	}
	free(sorted);
	return sum;
}

/*
 * P(at most `most` of the pairs of a random order of count are inverted), by the
 * recursion over count: the n-th value adds 0 to n - 1 inversions, each equally
 * likely.
 */
static double inverted_at_most(size_t count, size_t most)
{
	size_t pairs = count * (count - 1) / 2;
	double *now = zeroed(pairs + 1, sizeof(*now));
	double *next = zeroed(pairs + 1, sizeof(*next)), sum = 0, *swap;

	now[0] = 1;
	for (size_t n = 2; n <= count; n++) {
		double window = 0;

		for (size_t i = 0; i <= n * (n - 1) / 2; i++) {
			window += now[i];
			if (i >= n)
				window -= now[i - n];
			next[i] = window / (double)n;
		}
		swap = now;
		now = next;
		next = swap;
	}
	for (size_t i = 0; i <= most; i++)
		sum += now[i];
	free(now);
	free(next);
	return sum;
}

/* P(|Z| > z) for normal Z. */
static double both_tails(double z)
{
	return erfc(z / sqrt(2.0));
}

double robust_trend(const double *values, size_t count, int64_t *s_out)
{
	int64_t s = rises_less_falls(values, count);
	double n = (double)count, ties, variance, p;

	if (s_out)
		*s_out = s;
	if (count < 4 || s == 0)
		return 1;
	ties = tie_term(values, count);
	if (ties <= 0 && count <= ROBUST_EXACT) {
		size_t pairs = count * (count - 1) / 2;

		p = 2 * inverted_at_most(count, (pairs - (size_t)llabs(s)) / 2);
		return p < 1 ? p : 1;
	}
	variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
	return both_tails(((double)llabs(s) - 1) / sqrt(variance));
}

/* --- two counts --- */

/* ln of P(X = k), X ~ binomial(n, p), 0 < p < 1. */
static double log_binomial(double n, double k, double p)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
	       (n - k) * log1p(-p);
}

/* P(X at k or further from the mean on its side); the terms fall off by at least
 * their ratio, so that the sum ends soon. */
static double binomial_side(double n, double k, double p)
{
	double step = k < n * p ? -1 : 1, term = exp(log_binomial(n, k, p)), sum = 0;

	while (k >= 0 && k <= n && term > sum * 1e-12) {
		sum += term;
		term *= step > 0 ? (n - k) / (k + 1) * p / (1 - p)
				 : k / (n - k + 1) * (1 - p) / p;
		k += step;
	}
	return sum;
}

double robust_counts(uint64_t events, uint64_t of, uint64_t other_events, uint64_t other_of)
{
	double n = (double)events + (double)other_events, share, p;

	if (n <= 0 || !of || !other_of)
		return 1;
	share = (double)of / ((double)of + (double)other_of);
	p = 2 * binomial_side(n, (double)events, share);
	return p < 1 ? p : 1;
}

double robust_z(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (both_tails(middle) > p)
			low = middle;
		else
			high = middle;
	}
	return low;
}
