/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of a stage are connected over devices played by this file: one that asks for addresses
 * which nobody has, and one whose firmware does not answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/agent_stage.h"
#include "lib/diag.h"
#include "lib/json.h"

#define FLOWS 6u

int __wrap_gen_connect(struct gen *gen, const struct gen_end *peer, struct diag *diag);
int __wrap_verbs_is_up(const struct verbs *verbs);
int __wrap_agent_probe_connect(struct agent_stage *stage, uint32_t flow, const struct json *end,
	const struct gen_end *there, struct diag *diag);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_that_nobody_has_is_asked_for_once),
		cmocka_unit_test(a_firmware_that_does_not_answer_is_not_the_network),
	};

	return cmocka_run_group_tests_name("agent_connect", tests, NULL, NULL);
}
