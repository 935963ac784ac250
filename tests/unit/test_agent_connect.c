/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of a stage are connected over devices played by this file: one that asks for addresses
 * which nobody has, and one whose firmware does not answer. And how long either side waits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fabric/agent_stage.h"
#include "fabric/live.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"

#define FLOWS 6u

int __wrap_gen_connect(struct gen *gen, const struct gen_end *peer, struct diag *diag);
int __wrap_verbs_is_up(const struct verbs *verbs);
int __wrap_agent_probe_connect(struct agent_stage *stage, uint32_t flow, const struct json *end,
	const struct gen_end *there, struct diag *diag);

bool __wrap_control_ready(const struct control *control, uint64_t wait_ns);
int __wrap_control_receive(struct control *control, uint8_t *kind, struct json **body,
	uint64_t wait_ns, struct diag *diag);

static uint64_t waited_ns;

/* Something comes after 20 ms. */
bool __wrap_control_ready(const struct control *control, uint64_t wait_ns)
{
	const struct timespec time = { .tv_nsec = 20 * (long)NS_PER_MS };

	(void)control;
	(void)wait_ns;
	nanosleep(&time, NULL);
	return true;
}

int __wrap_control_receive(struct control *control, uint8_t *kind, struct json **body,
	uint64_t wait_ns, struct diag *diag)
{
	(void)control;
	(void)kind;
	(void)body;
	waited_ns = wait_ns;
	return diag_error(diag, -ETIMEDOUT, "nothing");
}

static uint32_t asked;
static int port;

/* Nobody has an address whose last byte is 9. */
int __wrap_gen_connect(struct gen *gen, const struct gen_end *peer, struct diag *diag)
{
	(void)gen;
	asked++;
	if (peer->gid[GID_BYTES - 1] == 9)
		return diag_error(diag, -ETIMEDOUT, "nobody answers");
	return 0;
}

int __wrap_verbs_is_up(const struct verbs *verbs)
{
	(void)verbs;
	return port;
}

int __wrap_agent_probe_connect(struct agent_stage *stage, uint32_t flow, const struct json *end,
	const struct gen_end *there, struct diag *diag)
{
	(void)stage;
	(void)flow;
	(void)end;
	(void)there;
	(void)diag;
	return 0;
}

struct bench {
	struct verbs devices[2];
	struct agent_flow flows[FLOWS];
	struct agent_stage stage;
	uint32_t unanswered[FLOWS];
	struct agent_counters counters[2];
};

static int connect_all(struct bench *bench, const uint8_t last[FLOWS],
	const uint32_t device[FLOWS], struct diag *diag)
{
	struct json *body = json_new_object(), *list = json_put_array(body, "ends");
	int err;

	memset(bench, 0, sizeof(*bench));
	asked = 0;
	for (uint32_t i = 0; i < FLOWS; i++) {
		struct gen_end there = { .qps = 1, .gid = { [GID_BYTES - 1] = last[i] } };

		gen_put_end(json_add_object(list), &there);
		bench->flows[i].end.plan.qps = 1;
		bench->flows[i].end.device = device[i];
		bench->flows[i].gen.verbs = &bench->devices[device[i]];
	}
	bench->stage.devices = bench->devices;
	bench->stage.flows = bench->flows;
	bench->stage.flow_count = FLOWS;
	bench->stage.unanswered = bench->unanswered;
	bench->stage.counters = bench->counters;
	err = agent_stage_connect(&bench->stage, body, diag);
	json_free(body);
	return err;
}

static const uint8_t last[FLOWS] = { 1, 9, 2, 9, 9, 1 };
static const uint32_t device[FLOWS] = { 0, 0, 0, 0, 1, 1 };

/* The kernel takes a second each time, and the coordinator does not wait for ever. */
static void an_address_that_nobody_has_is_asked_for_once(void **state)
{
	static struct bench bench;
	struct diag diag;

	(void)state;
	port = 1;
	assert_int_equal(connect_all(&bench, last, device, &diag), 0);
	assert_int_equal(asked, FLOWS - 1);
	for (uint32_t i = 0; i < FLOWS; i++) {
		assert_int_equal(bench.flows[i].over, last[i] == 9);
		assert_int_equal(bench.flows[i].sent.unreachable, last[i] == 9);
		assert_string_equal(
			bench.flows[i].sent.why, last[i] == 9 ? "nobody answers" : "");
	}
	assert_true(bench.stage.connected);
}

static void a_firmware_that_does_not_answer_is_not_the_network(void **state)
{
	static struct bench bench;
	struct diag diag;

	(void)state;
	port = -ETIMEDOUT;
	assert_int_equal(connect_all(&bench, last, device, &diag), -EIO);
	assert_non_null(strstr(diag.text, "tells nothing of its port"));
	assert_false(bench.stage.connected);
}

static void a_frame_is_waited_for_once(void **state)
{
	struct launch launch = LAUNCH_INIT;
	struct json *body;
	struct diag diag;
	uint8_t kind;

	(void)state;
	assert_int_equal(
		agents_receive(&launch, &kind, &body, 5 * NS_PER_S, &diag), -ETIMEDOUT);
	assert_true(waited_ns <= 5 * NS_PER_S - 20 * NS_PER_MS);
	assert_int_equal(
		agents_receive(&launch, &kind, &body, 10 * NS_PER_MS, &diag), -ETIMEDOUT);
	assert_int_equal(waited_ns, 0);
}

static void no_sums_outlast_the_coordinator(void **state)
{
	static const uint64_t sums_s[] = { 0, 10, 70, 600, 100000 };
	struct plan_stage plan = { .deadline_ns = 4 * NS_PER_S, .ring.ranks = 2 };
	struct agent_stage stage = AGENT_STAGE_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sums_s); i++) {
		stage.ring.all.sums_ns = sums_s[i] * NS_PER_S;
		assert_true(
			agent_traffic_ns(&stage, plan.deadline_ns) < live_traffic_ns(&plan));
	}
	stage.ring.all.sums_ns = 70 * NS_PER_S;
	assert_int_equal(agent_traffic_ns(&stage, plan.deadline_ns), 74 * NS_PER_S);
	plan.ring.ranks = 0;
	assert_int_equal(live_traffic_ns(&plan), 69 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_that_nobody_has_is_asked_for_once),
		cmocka_unit_test(a_frame_is_waited_for_once),
		cmocka_unit_test(no_sums_outlast_the_coordinator),
		cmocka_unit_test(a_firmware_that_does_not_answer_is_not_the_network),
	};

	return cmocka_run_group_tests_name("agent_connect", tests, NULL, NULL);
}
