/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_wheel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/rng.h"

#define EVENTS 3000u

/* A random walk: events are scheduled near, far and in the same picosecond, and
 * each pop must give the least of all that are pending, found by looking at all. */
static void events_come_out_by_time_then_by_number(void **state)
{
	const unsigned *shift = *state;
	struct wheel wheel;
	struct rng rng;
	uint64_t now = 0, when = 0;

	rng_init(&rng, *shift);
	wheel_init(&wheel, EVENTS, *shift, 12);
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t id = (uint32_t)rng_below(&rng, EVENTS), best = WHEEL_NONE;
		static const uint64_t spans[] = { 1, 700, 100000, 5000000, 80000000000 };

		if (!wheel_pending(&wheel, id))
			wheel_at(&wheel, id, now + rng_below(&rng, spans[rng_below(&rng, 5)]));
		if (rng_below(&rng, 3) == 0)
			continue;
		for (uint32_t i = 0; i < EVENTS; i++)
			if (wheel_pending(&wheel, i) &&
				(best == WHEEL_NONE || wheel.when[i] < wheel.when[best]))
				best = i;
		if (best != WHEEL_NONE)
			now = wheel.when[best];
		assert_int_equal(wheel_pop(&wheel, &when), best);
		if (best != WHEEL_NONE)
			assert_int_equal(when, now);
	}
	wheel_free(&wheel);
}

static void an_empty_wheel_gives_nothing(void **state)
{
	struct wheel wheel;
	uint64_t when;

	(void)state;
	wheel_init(&wheel, 4, 9, 12);
	assert_int_equal(wheel_pop(&wheel, &when), WHEEL_NONE);
	wheel_at(&wheel, 3, 0);
	assert_int_equal(wheel_pop(&wheel, &when), 3);
	assert_int_equal(wheel_pop(&wheel, &when), WHEEL_NONE);
	wheel_free(&wheel);
}

int main(void)
{
	static unsigned narrow = 6, wide = 20;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_wheel_gives_nothing),
		cmocka_unit_test_prestate(events_come_out_by_time_then_by_number, &narrow),
		cmocka_unit_test_prestate(events_come_out_by_time_then_by_number, &wide),
	};

	return cmocka_run_group_tests_name("sim_wheel", tests, NULL, NULL);
}
