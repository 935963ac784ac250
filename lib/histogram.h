/*
 * histogram - how often each duration was seen, with nothing dropped: buckets of 1/128
 * of their power of two, so that a quantile is within 0.4 % of a value that was seen;
 * least and most are exact.
 */
#ifndef LIB_HISTOGRAM_H
#define LIB_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 7u
#define HISTOGRAM_BUCKETS ((64u - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
	uint64_t count, sum; /* the sum of 2^64 ns is 584 years */
	uint64_t least, most;
};

void histogram_init(struct histogram *histogram);

void histogram_add(struct histogram *histogram, uint64_t value);

/* The value below or at which share_ppb (parts per 10^9) of those seen lie: the smallest
 * rank r with r >= count * share. 0 when nothing was seen. */
uint64_t histogram_quantile(const struct histogram *histogram, uint64_t share_ppb);

/* The range of values [*low, *low + *width) of a bucket. */
void histogram_bucket(uint32_t bucket, uint64_t *low, uint64_t *width);

#endif
