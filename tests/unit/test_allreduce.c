/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a ring all-reduce, played through in memory: right for every type, rank and
 * step, and wrong by one bit is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/allreduce.h"
#include "lib/grow.h"

#define ELEMS 77u
#define RANKS_MAX 9u

struct play {
	enum allreduce_type type;
	struct ring ring;
	uint8_t *own[RANKS_MAX], *work[RANKS_MAX];
};

static void begin(struct play *play, enum allreduce_type type, uint32_t ranks)
{
	uint64_t bytes = (uint64_t)ELEMS * allreduce_elem_bytes(type);

	play->type = type;
	assert_int_equal(ring_init(&play->ring, ranks, bytes, allreduce_elem_bytes(type)), 0);
	for (uint32_t r = 0; r < ranks; r++) {
		play->own[r] = zeroed(1, bytes);
		play->work[r] = zeroed(1, bytes);
		allreduce_fill(type, play->own[r], 0, ELEMS, r);
	}
}

static void end(struct play *play)
{
	for (uint32_t r = 0; r < play->ring.ranks; r++) {
		free(play->own[r]);
		free(play->work[r]);
	}
}

/* What a rank sends in a step, copied. */
static uint8_t *sent(const struct play *play, uint32_t rank, uint32_t step)
{
	struct ring_step what = ring_plan(&play->ring, rank, step);
	const uint8_t *from = step == 0 ? play->own[rank] : play->work[rank];
	uint8_t *copy = zeroed(what.send.length_bytes + 1, 1);

	memcpy(copy, from + what.send.offset_bytes, what.send.length_bytes);
	return copy;
}

/* One step at a rank; how many elements of what arrives are wrong. */
static uint64_t receive(struct play *play, uint32_t rank, uint32_t step, const uint8_t *data)
{
	struct ring_step what = ring_plan(&play->ring, rank, step);
	uint32_t elem = play->ring.elem_bytes;
	struct allreduce_wanted wanted;
	uint64_t bad;

	allreduce_want(&wanted, play->type, &play->ring, rank, step);
	return allreduce_take(&wanted, play->work[rank] + what.recv.offset_bytes, data,
		what.adds ? play->own[rank] + what.recv.offset_bytes : NULL,
		what.recv.offset_bytes / elem, what.recv.length_bytes / elem, &bad);
}

/* All ranks, all steps; flip: at (rank, step) one bit of what arrives. Returns the wrong
 * elements that were seen, and where first. */
static uint64_t play_all(struct play *play, uint32_t flip_rank, uint32_t flip_step,
	uint32_t *at_rank, uint32_t *at_step)
{
	uint64_t wrong = 0;

	for (uint32_t step = 0; step < ring_steps(&play->ring); step++) {
		uint8_t *data[RANKS_MAX];

		for (uint32_t r = 0; r < play->ring.ranks; r++)
			data[r] = sent(play, r, step);
		for (uint32_t r = 0; r < play->ring.ranks; r++) {
			uint8_t *in = data[(r + play->ring.ranks - 1) % play->ring.ranks];
			uint64_t now;

			if (r == flip_rank && step == flip_step)
				in[play->ring.elem_bytes - 1] ^= 0x10;
			now = receive(play, r, step, in);
			if (now && !wrong) {
				*at_rank = r;
				*at_step = step;
			}
			wrong += now;
		}
		for (uint32_t r = 0; r < play->ring.ranks; r++)
			free(data[r]);
	}
	return wrong;
}

/* Element i of what a rank holds, as it is and as the sum of what all put in. */
static void element(const struct play *play, const uint8_t *data, uint32_t i, double *value,
	uint64_t *whole)
{
	uint32_t bits = 0;
	float fp32;

	*value = 0;
	*whole = 0;
	switch (play->type) {
	case ALLREDUCE_INT32:
		*whole = ((const uint32_t *)(const void *)data)[i];
		return;
	case ALLREDUCE_INT64:
		*whole = ((const uint64_t *)(const void *)data)[i];
		return;
	case ALLREDUCE_FP32:
		bits = ((const uint32_t *)(const void *)data)[i];
		break;
	case ALLREDUCE_BF16:
		bits = (uint32_t)((const uint16_t *)(const void *)data)[i] << 16;
		break;
	}
	memcpy(&fp32, &bits, sizeof(fp32));
	*value = fp32;
}

static void is_the_sum(const struct play *play, const uint8_t *data, uint32_t i)
{
	double got, one, sum = 0, share = play->type == ALLREDUCE_BF16 ? play->ring.ranks : 0;
	uint64_t got_whole, one_whole, sum_whole = 0;

	element(play, data, i, &got, &got_whole);
	for (uint32_t r = 0; r < play->ring.ranks; r++) {
		element(play, play->own[r], i, &one, &one_whole);
		sum += one;
		sum_whole += one_whole;
	}
	if (play->type == ALLREDUCE_INT32)
		sum_whole &= UINT32_MAX;
	assert_int_equal(got_whole, sum_whole);
	assert_true(got >= sum * (1 - share * 0x1p-8) && got <= sum * (1 + share * 0x1p-8));
}

static void every_rank_ends_with_the_sum(void **state)
{
	static const uint32_t ranks[] = { 2, 3, 4, 8, 9 };

	(void)state;
	for (int type = ALLREDUCE_INT32; type <= ALLREDUCE_BF16; type++)
		for (size_t k = 0; k < sizeof(ranks) / sizeof(ranks[0]); k++) {
			uint32_t rank, step;
			struct play play;

			begin(&play, (enum allreduce_type)type, ranks[k]);
			assert_int_equal(play_all(&play, 99, 0, &rank, &step), 0);
			for (uint32_t r = 0; r < ranks[k]; r++)
				for (uint32_t i = 0; i < ELEMS; i++)
					is_the_sum(&play, play.work[r], i);
			end(&play);
		}
}

static void one_bit_is_named_by_rank_and_step(void **state)
{
	(void)state;
	for (int type = ALLREDUCE_INT32; type <= ALLREDUCE_BF16; type++)
		for (uint32_t flip = 0; flip < 14; flip++) {
			uint32_t rank = 0, step = 0;
			struct play play;

			begin(&play, (enum allreduce_type)type, 8);
			assert_true(play_all(&play, flip % 8, flip, &rank, &step) > 0);
			assert_int_equal(rank, flip % 8);
			assert_int_equal(step, flip);
			end(&play);
		}
}

static void a_chunk_in_the_wrong_place_is_seen(void **state)
{
	(void)state;
	for (int type = ALLREDUCE_INT32; type <= ALLREDUCE_BF16; type++) {
		struct allreduce_wanted wanted;
		uint64_t data[8], to[8], bad = 99;
		struct ring ring;

		assert_int_equal(ring_init(&ring, 2, 80, 8), 0);
		allreduce_want(&wanted, (enum allreduce_type)type, &ring, 1, 0);
		allreduce_fill((enum allreduce_type)type, data, 100, 8, 0);
		assert_int_equal(allreduce_take(&wanted, to, data, NULL, 100, 8, &bad), 0);
		for (uint64_t apart = 1; apart < UINT64_C(1) << 31; apart *= 2)
			assert_int_equal(
				allreduce_take(&wanted, to, data, NULL, 100 + apart, 8, &bad),
				8);
		assert_int_equal(bad, 0);
	}
}

/* Chunks are checked in blocks, and floats of two bytes two at a time. */
static void one_bit_is_named_wherever_it_stands(void **state)
{
	enum { COUNT = 5003 };
	static uint64_t data[COUNT], to[COUNT], own[COUNT];

	(void)state;
	for (int type = ALLREDUCE_INT32; type <= ALLREDUCE_BF16; type++)
		for (uint32_t i = 0; i < COUNT; i += i < 5 || i > COUNT - 5 ? 1 : 487) {
			uint32_t bytes = allreduce_elem_bytes((enum allreduce_type)type);
			uint8_t *at = (uint8_t *)data + (uint64_t)i * bytes + i % bytes;
			struct allreduce_wanted wanted;
			uint64_t bad = 0;
			struct ring ring;

			assert_int_equal(ring_init(&ring, 3, 24, 8), 0);
			allreduce_want(&wanted, (enum allreduce_type)type, &ring, 1, 0);
			allreduce_fill((enum allreduce_type)type, data, 7, COUNT, 0);
			allreduce_fill((enum allreduce_type)type, own, 7, COUNT, 1);
			assert_int_equal(
				allreduce_take(&wanted, to, data, own, 7, COUNT, &bad), 0);
			*at ^= (uint8_t)(1u << i % 8);
			assert_int_equal(
				allreduce_take(&wanted, to, data, own, 7, COUNT, &bad), 1);
			assert_int_equal(bad, i);
		}
}

/* Zeroes, or what one rank did not add, are wrong for any number of ranks. */
static void sums_of_many_ranks_are_known_to_the_bit(void **state)
{
	enum { COUNT = 9, MANY = 1024 };

	(void)state;
	for (int type = ALLREDUCE_INT32; type <= ALLREDUCE_BF16; type++) {
		uint64_t sum[2][COUNT] = { { 0 } }, own[COUNT], nothing[COUNT] = { 0 }, bad;
		struct allreduce_wanted wanted;
		struct ring ring;

		assert_int_equal(ring_init(&ring, MANY, MANY * 8, 8), 0);
		/* What rank 0 sends first comes to rank 1, and in step k to rank k + 1. */
		allreduce_fill((enum allreduce_type)type, sum[0], 5, COUNT, 0);
		for (uint32_t step = 0; step < MANY - 1; step++) {
			allreduce_want(
				&wanted, (enum allreduce_type)type, &ring, step + 1, step);
			allreduce_fill((enum allreduce_type)type, own, 5, COUNT, step + 1);
			assert_int_equal(allreduce_take(&wanted, sum[(step + 1) % 2],
						 sum[step % 2], own, 5, COUNT, &bad),
				0);
		}
		allreduce_want(&wanted, (enum allreduce_type)type, &ring, 0, MANY - 1);
		assert_int_equal(
			allreduce_take(&wanted, own, sum[(MANY - 1) % 2], NULL, 5, COUNT, &bad),
			0);
		assert_int_equal(
			allreduce_take(&wanted, own, nothing, NULL, 5, COUNT, &bad), COUNT);
		/* One unit of the last place. */
		((uint8_t *)sum[(MANY - 1) % 2])[0] ^= 1;
		assert_int_equal(
			allreduce_take(&wanted, own, sum[(MANY - 1) % 2], NULL, 5, COUNT, &bad),
			1);
	}
}

/* collectives: N = 8, every rank ends with 36 times the value. */
static void the_factor_is_the_sum_of_the_ranks_in_it(void **state)
{
	static const struct {
		uint32_t rank, step;
		uint64_t factor;
	} cases[] = { { 0, 0, 8 }, { 1, 0, 1 }, { 2, 1, 3 }, { 5, 7, 36 }, { 5, 13, 36 } };
	struct allreduce_wanted wanted;
	struct ring ring;

	(void)state;
	assert_int_equal(ring_init(&ring, 8, 64, 4), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		allreduce_want(&wanted, ALLREDUCE_INT32, &ring, cases[i].rank, cases[i].step);
		assert_int_equal(wanted.factor, cases[i].factor);
	}
}

/* 32,767 completions are what Soft-RoCE can hold. */
static void completions_of_the_most_qps_fit_a_queue(void **state)
{
	(void)state;
	assert_true(allreduce_completions(ALLREDUCE_QPS_MAX) <= 32767);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rank_ends_with_the_sum),
		cmocka_unit_test(one_bit_is_named_by_rank_and_step),
		cmocka_unit_test(a_chunk_in_the_wrong_place_is_seen),
		cmocka_unit_test(one_bit_is_named_wherever_it_stands),
		cmocka_unit_test(sums_of_many_ranks_are_known_to_the_bit),
		cmocka_unit_test(completions_of_the_most_qps_fit_a_queue),
		cmocka_unit_test(the_factor_is_the_sum_of_the_ranks_in_it),
	};

	return cmocka_run_group_tests_name("allreduce", tests, NULL, NULL);
}
