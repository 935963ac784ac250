/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "pfc/obey.h"

static const struct obey_case {
	const char *name;
	struct obey_counters counters; /* sent, hold us, heard, held us, dropped twice */
	enum obey answer;
} cases[] = {
	{ "nothing happened", { 0, 0, 0, 0, 0, 0 }, OBEY_UNPROVOKED },
	{ "told and stopped", { 9, 300, 9, 298, 0, 0 }, OBEY_WORKS },
	{ "dropped without a word", { 0, 0, 0, 0, 7, 0 }, OBEY_NOT_SENT },
	{ "headroom full without a word", { 0, 0, 0, 0, 0, 7 }, OBEY_NOT_SENT },
	{ "told and went on", { 9, 300, 9, 0, 0, 0 }, OBEY_NOT_OBEYED },
	{ "told and went on, and was dropped", { 9, 300, 9, 0, 0, 50 }, OBEY_NOT_OBEYED },
	{ "told and nobody heard", { 9, 300, 0, 0, 0, 0 }, OBEY_NOT_HEARD },
	{ "stopped and was dropped all the same", { 9, 300, 9, 298, 0, 3 }, OBEY_NO_HEADROOM },
	{ "too short to compare", { 1, 19, 1, 0, 0, 0 }, OBEY_WORKS },
	{ "just long enough to compare", { 1, 20, 1, 4, 0, 0 }, OBEY_NOT_OBEYED },
	{ "a quarter is enough", { 1, 20, 1, 5, 0, 0 }, OBEY_WORKS },
};

static void answers_as_it_should(void **state)
{
	const struct obey_case *row = *state;

	assert_int_equal(obey_judge(&row->counters), row->answer);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases)];

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = answers_as_it_should,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("obey", tests, NULL, NULL);
}
