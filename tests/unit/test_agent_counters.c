/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a host as a frame: they come back as they were, and nonsense is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/agent_counters.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"

static void free_lists(struct agent_counters *counters)
{
	free(counters->items);
	free(counters->samples);
}

static void they_come_back_as_they_were(void **state)
{
	struct agent_counter items[AGENT_COUNTERS_MAX];
	struct agent_sample samples[] = { { 1500, 4, 1 }, { 1900, UINT32_MAX, 0 } };
	struct agent_counters counters = { true, 1000, 2000, items, AGENT_COUNTERS_MAX, samples,
		COUNT_OF(samples) };
	struct agent_counters back = { .read = false };
	struct json *object = json_new_object();
	struct diag diag;

	(void)state;
	for (uint32_t i = 0; i < AGENT_COUNTERS_MAX; i++) {
		items[i] = (struct agent_counter){ .first = i, .last = INT64_MAX };
		snprintf(items[i].name, sizeof(items[i].name), "counter_%03u", i);
	}
	agent_put_counters(object, &counters);
	assert_int_equal(agent_get_counters(object, &back, &diag), 0);
	assert_true(back.read);
	assert_int_equal(back.first_ns, 1000);
	assert_int_equal(back.last_ns, 2000);
	assert_int_equal(back.count, AGENT_COUNTERS_MAX);
	for (uint32_t i = 0; i < back.count; i++) {
		assert_string_equal(back.items[i].name, items[i].name);
		assert_int_equal(back.items[i].first, items[i].first);
		assert_int_equal(back.items[i].last, items[i].last);
	}
	assert_int_equal(back.sample_count, COUNT_OF(samples));
	for (uint32_t i = 0; i < back.sample_count; i++) {
		assert_int_equal(back.samples[i].at_ns, samples[i].at_ns);
		assert_int_equal(back.samples[i].value, samples[i].value);
		assert_int_equal(back.samples[i].counter, samples[i].counter);
	}
	json_free(object);
	free_lists(&back);
}

#define FRONT "{\"read\": 1, \"first_ns\": 1, \"last_ns\": 2, "

static const struct refused {
	const char *name, *text;
} refused[] = {
	{ "no reading", "{}" },
	{ "a counter without a name", FRONT "\"counters\": [[\"\", 1, 2]], \"samples\": []}" },
	{ "a counter without numbers", FRONT "\"counters\": [[\"a\"]], \"samples\": []}" },
	{ "a counter below zero", FRONT "\"counters\": [[\"a\", 1, -2]], \"samples\": []}" },
	{ "a name that is too long",
		FRONT "\"counters\": "
		      "[[\"a_name_that_is_longer_than_any_driver_has_for_any_counter\", "
		      "1, 2]], \"samples\": []}" },
	{ "a name of other signs", FRONT "\"counters\": [[\"a\\u001b\", 1, 2]]}" },
	{ "a sample of no counter", FRONT "\"counters\": [], \"samples\": [[1, 0, 2]]}" },
	{ "a sample of the next counter",
		FRONT "\"counters\": [[\"a\", 1, 2]], \"samples\": [[1, 1, 2]]}" },
	{ "a sample without a value",
		FRONT "\"counters\": [[\"a\", 1, 2]], \"samples\": [[1, 0]]}" },
};

static void is_refused(void **state)
{
	const struct refused *row = *state;
	struct agent_counters back = { .read = false };
	struct json *object;
	struct diag diag;

	assert_int_equal(json_parse(&object, row->text, strlen(row->text), &diag), 0);
	assert_int_equal(agent_get_counters(object, &back, &diag), -EPROTO);
	json_free(object);
	free_lists(&back);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(refused) + 1] = {
		cmocka_unit_test(they_come_back_as_they_were),
	};

	for (size_t i = 0; i < COUNT_OF(refused); i++)
		tests[i + 1] = (struct CMUnitTest){
			.name = refused[i].name,
			.test_func = is_refused,
			.initial_state = (void *)(uintptr_t)&refused[i],
		};
	return cmocka_run_group_tests_name("agent counters", tests, NULL, NULL);
}
