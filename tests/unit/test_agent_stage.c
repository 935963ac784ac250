/* SPDX-License-Identifier: Apache-2.0 */
/* A stage of an agent without a device: what comes out of turn, and a coordinator that is silent. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "fabric/agent_stage.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "tests/unit/agent_bench.h"

static void heard(struct bench *bench, uint8_t kind)
{
	struct json *body;

	hear(bench, kind, &body);
	json_free(body);
}

/* Up to a stage of no flows that is connected. */
static void begin_stage(struct bench *bench)
{
	begin(bench);
	say(bench, AGENT_PREPARE, "{\"ends\": []}");
	heard(bench, AGENT_PREPARED);
	say(bench, AGENT_CONNECT, "{\"ends\": []}");
	heard(bench, AGENT_CONNECTED);
}

static void ends_with(struct bench *bench, int err, const char *why)
{
	assert_int_equal(pthread_join(bench->thread, NULL), 0);
	assert_int_equal(bench->err, err);
	assert_non_null(strstr(bench->diag.text, why));
	control_close(&bench->here);
}

static void a_coordinator_that_says_nothing_ends_a_stage_that_runs(void **state)
{
	struct bench bench;
	char text[80];

	(void)state;
	begin_stage(&bench);
	snprintf(text, sizeof(text), "{\"at_ns\": %llu, \"deadline_ns\": 1000000}",
		(unsigned long long)(clock_ns() + AGENT_SILENCE_NS + NS_PER_S));
	say(&bench, AGENT_START, text);
	ends_with(&bench, -ETIMEDOUT, "test said nothing for 8 s while a stage ran");
}

static void no_nap_reaches_the_start(void **state)
{
	uint64_t begin_ns = 10 * NS_PER_MS, now_ns = 0, ns;

	(void)state;
	while ((ns = agent_nap_ns(now_ns, begin_ns)) > 0) {
		assert_true(ns <= 4 * NS_PER_MS);
		now_ns += ns;
	}
	assert_true(now_ns < begin_ns && now_ns + NS_PER_MS > begin_ns);
	assert_int_equal(agent_nap_ns(begin_ns + 1, begin_ns), 0);
}

static void what_comes_twice_ends_it(void **state)
{
	static const char start[] = "{\"at_ns\": 0, \"deadline_ns\": 1000000}";
	struct bench bench;

	(void)state;
	begin_stage(&bench);
	say(&bench, AGENT_CONNECT, "{\"ends\": []}");
	ends_with(&bench, -EPROTO, "out of turn");
	begin_stage(&bench);
	say(&bench, AGENT_START, start);
	heard(&bench, AGENT_SENT);
	say(&bench, AGENT_START, start);
	ends_with(&bench, -EPROTO, "out of turn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_nap_reaches_the_start),
		cmocka_unit_test(what_comes_twice_ends_it),
		cmocka_unit_test(a_coordinator_that_says_nothing_ends_a_stage_that_runs),
	};

	return cmocka_run_group_tests_name("agent_stage", tests, NULL, NULL);
}
