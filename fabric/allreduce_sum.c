/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/allreduce_sum.h"

#include <math.h>
#include <string.h>

uint32_t allreduce_elem_bytes(enum allreduce_type type)
{
	switch (type) {
	case ALLREDUCE_INT32:
	case ALLREDUCE_FP32:
		return 4;
	case ALLREDUCE_INT64:
		return 8;
	case ALLREDUCE_BF16:
		break;
	}
	return 2;
}

const char *allreduce_type_name(enum allreduce_type type)
{
	switch (type) {
	case ALLREDUCE_INT32:
		return "int32";
	case ALLREDUCE_INT64:
		return "int64";
	case ALLREDUCE_FP32:
		return "fp32";
	case ALLREDUCE_BF16:
		break;
	}
	return "bf16";
}

/* Neighbours differ in all bits, so that a chunk in the wrong place is seen. The odd
 * multipliers are 2^32 and 2^64 over the golden ratio. */
static uint32_t value32(uint64_t i)
{
	return (uint32_t)(i + 1) * UINT32_C(2654435761);
}

static uint64_t value64(uint64_t i)
{
	return (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static float small(uint64_t i)
{
	return (float)(value32(i) >> 24);
}

/* --- bf16: the upper half of a float --- */

static float from_bf16(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* To nearest, ties to even; our values are finite. */
static uint16_t to_bf16(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits += 0x7fff + (bits >> 16 & 1);
	return (uint16_t)(bits >> 16);
}

/* --- filling --- */

void allreduce_fill(
	enum allreduce_type type, void *to, uint64_t first, uint64_t count, uint64_t rank)
{
	for (uint64_t i = 0; i < count; i++)
		switch (type) {
		case ALLREDUCE_INT32:
			((uint32_t *)to)[i] = value32(first + i) * (uint32_t)(rank + 1);
			break;
		case ALLREDUCE_INT64:
			((uint64_t *)to)[i] = value64(first + i) * (rank + 1);
			break;
		case ALLREDUCE_FP32:
			((float *)to)[i] = small(first + i) * (float)(rank + 1);
			break;
		case ALLREDUCE_BF16:
			((uint16_t *)to)[i] = to_bf16(small(first + i) * (float)(rank + 1));
			break;
		}
}

uint64_t allreduce_factor(const struct ring *ring, uint32_t rank, uint32_t step)
{
	uint64_t factor = 0, n = ring->ranks;

	if (step >= ring->ranks - 1)
		return n * (n + 1) / 2;
	/* step + 1 ranks before this one have added. */
	for (uint32_t k = 1; k <= step + 1; k++)
		factor += (rank + n - k) % n + 1;
	return factor;
}

/* --- adding --- */

static void add_int32(uint32_t *to, const uint32_t *from, const uint32_t *own, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = from[i] + own[i];
}

static void add_int64(uint64_t *to, const uint64_t *from, const uint64_t *own, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = from[i] + own[i];
}

static void add_fp32(float *to, const float *from, const float *own, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = from[i] + own[i];
}

static void add_bf16(uint16_t *to, const uint16_t *from, const uint16_t *own, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = to_bf16(from_bf16(from[i]) + from_bf16(own[i]));
}

void allreduce_add(
	enum allreduce_type type, void *to, const void *from, const void *own, uint64_t count)
{
	if (!own) {
		memcpy(to, from, count * allreduce_elem_bytes(type));
		return;
	}
	switch (type) {
	case ALLREDUCE_INT32:
		add_int32(to, from, own, count);
		break;
	case ALLREDUCE_INT64:
		add_int64(to, from, own, count);
		break;
	case ALLREDUCE_FP32:
		add_fp32(to, from, own, count);
		break;
	case ALLREDUCE_BF16:
		add_bf16(to, from, own, count);
		break;
	}
}

/* --- checking --- */

static bool is_near(double got, double wanted, double share)
{
	return fabs(got - wanted) <= share * wanted;
}

static bool is_right(enum allreduce_type type, const void *data, uint64_t at, uint64_t i,
	uint64_t factor, uint32_t ranks)
{
	double wanted = (double)small(i) * (double)factor;
	double fp32_share = ranks <= ALLREDUCE_EXACT_RANKS ? 0 : ranks * 0x1p-24;

	switch (type) {
	case ALLREDUCE_INT32:
		return ((const uint32_t *)data)[at] == value32(i) * (uint32_t)factor;
	case ALLREDUCE_INT64:
		return ((const uint64_t *)data)[at] == value64(i) * factor;
	case ALLREDUCE_FP32:
		return is_near(((const float *)data)[at], wanted, fp32_share);
	case ALLREDUCE_BF16:
		break;
	}
	return is_near(from_bf16(((const uint16_t *)data)[at]), wanted, ranks * 0x1p-8);
}

uint64_t allreduce_wrong(enum allreduce_type type, const void *data, uint64_t first,
	uint64_t count, uint64_t factor, uint32_t ranks, uint64_t *bad)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < count; i++)
		if (!is_right(type, data, i, first + i, factor, ranks) && wrong++ == 0)
			*bad = i;
	return wrong;
}
