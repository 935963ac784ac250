/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/allreduce_sum.h"

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

/* Neighbours differ in the upper bits, so that a chunk in the wrong place is seen. The odd
 * multipliers are 2^32 and 2^64 over the golden ratio; from one element to the next a value, or
 * a sum of it, grows by the same. */
#define GOLDEN32 UINT32_C(2654435761)
#define GOLDEN64 UINT64_C(0x9e3779b97f4a7c15)

#define EXPONENT_SHIFT 26 /* the upper 6 bits of value32 are the exponent of a float */
#define FP32_EXPONENT 23  /* where a float has it */
#define BF16_EXPONENT 7

#define BLOCK 2048u /* elements: what is checked is still at hand when it is added */

static uint32_t value32(uint64_t i)
{
	return (uint32_t)(i + 1) * GOLDEN32;
}

static uint64_t value64(uint64_t i)
{
	return (i + 1) * GOLDEN64;
}

/* What a sum's bits grow by, when it is multiplied with the power of two of this value. */
static uint32_t scaled(uint32_t value, unsigned exponent)
{
	return value >> EXPONENT_SHIFT << exponent;
}

/* --- floats; bf16 is the upper half of one --- */

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* To nearest, ties to even, in the upper half; our values are finite. */
static uint32_t rounded(float value)
{
	uint32_t bits = bits_of(value);

	return bits + 0x7fff + (bits >> 16 & 1);
}

static uint16_t add_halves(uint16_t left, uint16_t right)
{
	float sum = float_of((uint32_t)left << 16) + float_of((uint32_t)right << 16);

	return (uint16_t)(rounded(sum) >> 16);
}

/* --- what is wanted --- */

/* The sum of rank + 1 over count ranks from the first on, each added as the ring adds it. */
static void sum_ranks(
	struct allreduce_wanted *wanted, uint32_t ranks, uint32_t first, uint32_t count)
{
	float fp32 = 0;
	uint16_t bf16 = 0;

	wanted->factor = 0;
	for (uint32_t k = 0, rank = first; k < count; k++) {
		float own = (float)(rank + 1);

		wanted->factor += rank + 1;
		fp32 += own;
		bf16 = add_halves(bf16, (uint16_t)(rounded(own) >> 16));
		rank = rank + 1 < ranks ? rank + 1 : 0;
	}
	wanted->sum = wanted->type == ALLREDUCE_BF16 ? bf16 : bits_of(fp32);
}

void allreduce_want(struct allreduce_wanted *wanted, enum allreduce_type type,
	const struct ring *ring, uint32_t rank, uint32_t step)
{
	uint32_t n = ring->ranks, count = step < n - 1 ? step + 1 : n;

	wanted->type = type;
	/* A chunk has the number of the rank that sends it first. */
	sum_ranks(wanted, n, (rank + 3 * n - 1 - step) % n, count);
}

static uint64_t element(const struct allreduce_wanted *wanted, uint64_t i)
{
	switch (wanted->type) {
	case ALLREDUCE_INT32:
		return value32(i) * (uint32_t)wanted->factor;
	case ALLREDUCE_INT64:
		return value64(i) * wanted->factor;
	case ALLREDUCE_FP32:
		return wanted->sum + scaled(value32(i), FP32_EXPONENT);
	case ALLREDUCE_BF16:
		break;
	}
	return wanted->sum + scaled(value32(i), BF16_EXPONENT);
}

/* --- filling --- */

void allreduce_fill(
	enum allreduce_type type, void *to, uint64_t first, uint64_t count, uint64_t rank)
{
	struct allreduce_wanted own = { .type = type };

	sum_ranks(&own, UINT32_MAX, (uint32_t)rank, 1);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits = element(&own, first + i);

		switch (allreduce_elem_bytes(type)) {
		case 8:
			((uint64_t *)to)[i] = bits;
			break;
		case 4:
			((uint32_t *)to)[i] = (uint32_t)bits;
			break;
		default:
			((uint16_t *)to)[i] = (uint16_t)bits;
		}
	}
}

/* --- checking: loops without a branch or a multiplication, which compilers make into vectors --- */

static bool is_right_int32(const uint32_t *data, const struct allreduce_wanted *wanted,
	uint64_t first, uint32_t count)
{
	uint32_t value = (uint32_t)element(wanted, first), differ = 0;
	uint32_t grows = GOLDEN32 * (uint32_t)wanted->factor;

	for (uint32_t i = 0; i < count; i++, value += grows)
		differ |= data[i] ^ value;
	return differ == 0;
}

static bool is_right_int64(const uint64_t *data, const struct allreduce_wanted *wanted,
	uint64_t first, uint32_t count)
{
	uint64_t value = element(wanted, first), grows = GOLDEN64 * wanted->factor, differ = 0;

	for (uint32_t i = 0; i < count; i++, value += grows)
		differ |= data[i] ^ value;
	return differ == 0;
}

static bool is_right_fp32(const uint32_t *data, const struct allreduce_wanted *wanted,
	uint64_t first, uint32_t count)
{
	uint32_t value = value32(first), sum = wanted->sum, differ = 0;

	for (uint32_t i = 0; i < count; i++, value += GOLDEN32)
		differ |= data[i] ^ (sum + scaled(value, FP32_EXPONENT));
	return differ == 0;
}

/* Two at once, as the halves of a word: so nothing has to change places in a vector. */
static bool is_right_bf16(const uint16_t *data, const struct allreduce_wanted *wanted,
	uint64_t first, uint32_t count)
{
	const uint16_t one[2] = { 1, 0 };
	uint32_t left, sums = wanted->sum << 16 | wanted->sum, differ = 0;
	uint32_t lower = value32(first), upper = value32(first + 1);

	memcpy(&left, one, sizeof(left));
	if (left != 1) { /* big-endian: the first is the upper one */
		lower = upper;
		upper = value32(first);
	}
	for (uint32_t i = 0; i < count / 2; i++, lower += 2 * GOLDEN32, upper += 2 * GOLDEN32) {
		uint32_t word;

		memcpy(&word, data + 2 * (size_t)i, sizeof(word));
		differ |= word ^ (sums + scaled(lower, BF16_EXPONENT) +
					 (scaled(upper, BF16_EXPONENT) << 16));
	}
	if (count % 2)
		differ |= data[count - 1] ^ (uint32_t)element(wanted, first + count - 1);
	return differ == 0;
}

static bool is_right(
	const struct allreduce_wanted *wanted, const void *data, uint64_t first, uint32_t count)
{
	switch (wanted->type) {
	case ALLREDUCE_INT32:
		return is_right_int32(data, wanted, first, count);
	case ALLREDUCE_INT64:
		return is_right_int64(data, wanted, first, count);
	case ALLREDUCE_FP32:
		return is_right_fp32(data, wanted, first, count);
	case ALLREDUCE_BF16:
		break;
	}
	return is_right_bf16(data, wanted, first, count);
}

static uint64_t bits_at(enum allreduce_type type, const void *data, uint32_t i)
{
	switch (allreduce_elem_bytes(type)) {
	case 8:
		return ((const uint64_t *)data)[i];
	case 4:
		return ((const uint32_t *)data)[i];
	default:
		return ((const uint16_t *)data)[i];
	}
}

/* Of a block that is not right. */
static uint64_t count_wrong(const struct allreduce_wanted *wanted, const void *data,
	uint64_t first, uint32_t count, uint32_t *bad)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < count; i++)
		if (bits_at(wanted->type, data, i) != element(wanted, first + i) &&
			wrong++ == 0)
			*bad = i;
	return wrong;
}

/* --- adding --- */

static void add_int32(
	uint32_t *restrict to, const uint32_t *from, const uint32_t *own, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i] + own[i];
}

static void add_int64(
	uint64_t *restrict to, const uint64_t *from, const uint64_t *own, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i] + own[i];
}

static void add_fp32(float *restrict to, const float *from, const float *own, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i] + own[i];
}

static uint32_t add_pair(uint32_t from, uint32_t own)
{
	uint32_t upper = rounded(float_of(from & 0xffff0000) + float_of(own & 0xffff0000));
	uint32_t lower = rounded(float_of(from << 16) + float_of(own << 16));

	return (upper & 0xffff0000) | lower >> 16;
}

static void add_bf16(
	uint16_t *restrict to, const uint16_t *from, const uint16_t *own, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t left, right;

		memcpy(&left, from + 2 * (size_t)i, sizeof(left));
		memcpy(&right, own + 2 * (size_t)i, sizeof(right));
		left = add_pair(left, right);
		memcpy(to + 2 * (size_t)i, &left, sizeof(left));
	}
	if (count % 2)
		to[count - 1] = add_halves(from[count - 1], own[count - 1]);
}

static void add(
	enum allreduce_type type, void *to, const void *from, const void *own, uint32_t count)
{
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

uint64_t allreduce_take(const struct allreduce_wanted *wanted, void *to, const void *from,
	const void *own, uint64_t first, uint64_t count, uint64_t *bad)
{
	uint32_t bytes = allreduce_elem_bytes(wanted->type), here;
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < count; i += here) {
		const uint8_t *data = (const uint8_t *)from + i * bytes;
		uint32_t at = 0;

		here = count - i < BLOCK ? (uint32_t)(count - i) : BLOCK;
		if (!is_right(wanted, data, first + i, here)) {
			uint64_t more = count_wrong(wanted, data, first + i, here, &at);

			if (!wrong)
				*bad = i + at;
			wrong += more;
		}
		if (own)
			add(wanted->type, (uint8_t *)to + i * bytes, data,
				(const uint8_t *)own + i * bytes, here);
		else
			memcpy((uint8_t *)to + i * bytes, data, (size_t)here * bytes);
	}
	return wrong;
}
