/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/histogram.h"

#include <string.h>

#include "lib/units.h"

#define SUBS (UINT64_C(1) << HISTOGRAM_SUB_BITS)

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->least = UINT64_MAX;
}

/* Values below SUBS have a bucket each; above, SUBS buckets a power of two. */
static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value < SUBS)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return ((shift + 1) << HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift) -
	       (uint32_t)SUBS;
}

void histogram_bucket(uint32_t bucket, uint64_t *low, uint64_t *width)
{
	uint32_t power = bucket >> HISTOGRAM_SUB_BITS;

	if (power == 0) {
		*low = bucket;
		*width = 1;
		return;
	}
	*width = UINT64_C(1) << (power - 1);
	*low = (SUBS + (bucket & (SUBS - 1))) << (power - 1);
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->counts[bucket_of(value)]++;
	histogram->count++;
	histogram->sum += value;
	if (value < histogram->least)
		histogram->least = value;
	if (value > histogram->most)
		histogram->most = value;
}

/* Rounded up; count * share_ppb can pass 64 bits. */
static uint64_t rank_of(uint64_t count, uint64_t share_ppb)
{
	uint64_t whole = count / PPB * share_ppb;
	uint64_t rest = count % PPB * share_ppb;
	uint64_t rank = whole + (rest + PPB - 1) / PPB;

	return rank ? rank : 1;
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

uint64_t histogram_quantile(const struct histogram *histogram, uint64_t share_ppb)
{
	uint64_t rank = rank_of(histogram->count, share_ppb), seen = 0, low, width;

	if (histogram->count == 0)
		return 0;
	if (rank >= histogram->count)
		return histogram->most;
	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		seen += histogram->counts[bucket];
		if (seen < rank)
			continue;
		histogram_bucket(bucket, &low, &width);
		return within(low + width / 2, histogram->least, histogram->most);
	}
	return histogram->most;
}
