/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_wheel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/rng.h"

#define EVENTS 3000u

/* A random walk: events are scheduled near, far and in the same picosecond; each
 * pop must give one of the earliest of all that are pending, found by looking at all. */
static void events_come_out_by_time(void **state)
{
	const unsigned *shift = *state;
	struct wheel wheel;
	struct rng rng;
	uint64_t now = 0;

	rng_init(&rng, *shift);
	wheel_init(&wheel, EVENTS, *shift, 12);
	for (unsigned round = 0; round < 20000; round++) {
		static const uint64_t spans[] = { 1, 700, 100000, 5000000, 80000000000 };
		uint32_t id = (uint32_t)rng_below(&rng, EVENTS);
		uint64_t least = WHEEL_NEVER, scheduled[EVENTS], when;

		if (!wheel_pending(&wheel, id))
			wheel_at(&wheel, id, now + rng_below(&rng, spans[rng_below(&rng, 5)]));
		if (rng_below(&rng, 3) == 0)
			continue;
		for (uint32_t i = 0; i < EVENTS; i++) {
			scheduled[i] = wheel.events[i].when;
			if (scheduled[i] < least)
				least = scheduled[i];
		}
		id = wheel_pop(&wheel, &when);
		assert_int_equal(id == WHEEL_NONE, least == WHEEL_NEVER);
		if (id == WHEEL_NONE)
			continue;
		assert_int_equal(scheduled[id], least);
		assert_int_equal(when, least);
		assert_false(wheel_pending(&wheel, id));
		now = when;
	}
	wheel_free(&wheel);
}

static void equal_times_come_out_as_they_were_scheduled(void **state)
{
	static const uint32_t order[] = { 7, 2, 9, 4, 4000 % 10, 1 };
	struct wheel wheel;
	uint64_t when;

	(void)state;
	wheel_init(&wheel, 10, 6, 12);
	for (unsigned i = 0; i < 6; i++)
		wheel_at(&wheel, order[i], 5000);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(wheel_pop(&wheel, &when), order[i]);
		assert_int_equal(when, 5000);
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
		cmocka_unit_test(equal_times_come_out_as_they_were_scheduled),
		cmocka_unit_test_prestate(events_come_out_by_time, &narrow),
		cmocka_unit_test_prestate(events_come_out_by_time, &wide),
	};

	return cmocka_run_group_tests_name("sim_wheel", tests, NULL, NULL);
}
