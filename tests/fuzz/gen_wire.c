/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a JSON document of the control channel: what is taken is in its ranges, and
 * comes back the same. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/agent.h"
#include "lib/diag.h"
#include "lib/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_plan(const struct json *body)
{
	struct gen_plan plan, again;
	struct json *back;
	struct diag diag;

	if (gen_get_plan(body, &plan, &diag))
		return;
	assert(plan.qps >= 1 && plan.qps <= VERBS_QPS_MAX && plan.bytes <= GEN_BYTES_MAX);
	assert(plan.every && plan.depth % plan.every == 0);
	back = json_new_object();
	gen_put_plan(back, &plan);
	assert(gen_get_plan(back, &again, &diag) == 0);
	assert(again.bytes == plan.bytes && again.messages == plan.messages);
	json_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agent_counters counters = { .read = false };
	static struct gen_end end;
	struct agent_ring_sent ring_sent;
	struct allreduce_step steps[4];
	struct allreduce_plan ring;
	struct agent_sent sent;
	struct agent_end agent;
	struct gen_side side;
	struct json *body;
	struct diag diag;

	if (json_parse(&body, (const char *)data, size, &diag))
		return 0;
	try_plan(body);
	if (!gen_get_end(body, &end, &diag))
		assert(end.qps >= 1 && end.qps <= VERBS_QPS_MAX);
	if (!gen_get_side(body, &side, &diag))
		assert(strlen(side.device) < sizeof(side.device));
	if (!agent_get_end(body, &agent, &diag))
		assert(agent.device < AGENT_DEVICES_MAX && agent.plan.messages);
	if (!agent_get_sent(body, &sent, &diag))
		assert(sent.messages <= sent.posted);
	if (!agent_get_ring(body, &ring, &diag))
		assert(ring.ranks >= 2 && ring.bytes <= ALLREDUCE_BYTES_MAX);
	if (!agent_get_ring_sent(body, &ring_sent, &diag))
		assert(ring_sent.wrong.step <= ALLREDUCE_STEPS_MAX);
	assert(agent_get_steps(json_get(body, "steps"), steps, 4, &diag) <= 4);
	if (!agent_get_counters(body, &counters, &diag))
		for (uint32_t i = 0; i < counters.sample_count; i++)
			assert(counters.samples[i].counter < counters.count);
	free(counters.items);
	free(counters.samples);
	json_free(body);
	return 0;
}
