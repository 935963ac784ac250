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

#include "fabric/allreduce_sum.h"
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
	uint64_t count = what.recv.length_bytes / elem, bad;
	uint64_t wrong = allreduce_wrong(play->type, data, what.recv.offset_bytes / elem, count,
		allreduce_factor(&play->ring, rank, step), play->ring.ranks, &bad);

	allreduce_add(play->type, play->work[rank] + what.recv.offset_bytes, data,
		what.adds ? play->own[rank] + what.recv.offset_bytes : NULL, count);
	return wrong;
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

static void every_rank_ends_with_the_sum(void **state)
{
	static const uint32_t ranks[] = { 2, 3, 4, 8, 9 };

	(void)state;
	for (int type = ALLREDUCE_INT32; type <= ALLREDUCE_BF16; type++)
		for (size_t k = 0; k < sizeof(ranks) / sizeof(ranks[0]); k++) {
			uint64_t n = ranks[k], bad;
			uint32_t rank, step;
			struct play play;

			begin(&play, (enum allreduce_type)type, ranks[k]);
			assert_int_equal(play_all(&play, 99, 0, &rank, &step), 0);
			for (uint32_t r = 0; r < n; r++)
				assert_int_equal(
					allreduce_wrong(play.type, play.work[r], 0, ELEMS,
						n * (n + 1) / 2, ranks[k], &bad),
					0);
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
	uint32_t data[8];
	uint64_t bad;

	(void)state;
	allreduce_fill(ALLREDUCE_INT32, data, 100, 8, 0);
	assert_int_equal(allreduce_wrong(ALLREDUCE_INT32, data, 100, 8, 1, 2, &bad), 0);
	assert_int_equal(allreduce_wrong(ALLREDUCE_INT32, data, 101, 8, 1, 2, &bad), 8);
	assert_int_equal(bad, 0);
}

/* collectives: N = 8, every rank ends with 36 times the value. */
static void the_factor_is_the_sum_of_the_ranks_in_it(void **state)
{
	struct ring ring;

	(void)state;
	assert_int_equal(ring_init(&ring, 8, 64, 4), 0);
	assert_int_equal(allreduce_factor(&ring, 0, 0), 8);
	assert_int_equal(allreduce_factor(&ring, 1, 0), 1);
	assert_int_equal(allreduce_factor(&ring, 2, 1), 3);
	assert_int_equal(allreduce_factor(&ring, 5, 7), 36);
	assert_int_equal(allreduce_factor(&ring, 5, 13), 36);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rank_ends_with_the_sum),
		cmocka_unit_test(one_bit_is_named_by_rank_and_step),
		cmocka_unit_test(a_chunk_in_the_wrong_place_is_seen),
		cmocka_unit_test(the_factor_is_the_sum_of_the_ranks_in_it),
	};

	return cmocka_run_group_tests_name("allreduce", tests, NULL, NULL);
}
