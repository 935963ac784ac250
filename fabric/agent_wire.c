/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the frames of fabric/agent.h. */
#include "fabric/agent.h"

#include <errno.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "lib/utf8.h"

void agent_put_end(struct json *object, const struct agent_end *end)
{
	json_put_u64(object, "device", end->device);
	json_put_u64(object, "active", end->active);
	json_put_u64(object, "start_ns", end->pace.start_ns);
	json_put_u64(object, "burst", end->pace.messages);
	json_put_u64(object, "period_ns", end->pace.period_ns);
	gen_put_plan(json_put_object(object, "plan"), &end->plan);
}

int agent_get_end(const struct json *object, struct agent_end *end, struct diag *diag)
{
	struct agent_pace *pace = &end->pace;
	uint64_t device, active;
	int err = wire_number(object, "device", 0, AGENT_DEVICES_MAX - 1, &device, diag);

	if (!err)
		err = wire_number(object, "active", 0, 1, &active, diag);
	if (!err)
		err = wire_number(
			object, "start_ns", 0, AGENT_STAGE_NS_MAX, &pace->start_ns, diag);
	if (!err)
		err = wire_number(object, "burst", 0, UINT32_MAX, &pace->messages, diag);
	if (!err)
		err = wire_number(object, "period_ns", pace->messages ? 1 : 0,
			AGENT_STAGE_NS_MAX, &pace->period_ns, diag);
	if (!err)
		err = gen_get_plan(json_get(object, "plan"), &end->plan, diag);
	if (err)
		return err;
	end->device = (uint32_t)device;
	end->active = active;
	if (end->plan.messages && !end->plan.both && !end->plan.latency)
		return 0;
	return diag_error(diag, -EPROTO, "a flow of a stage has a count and one direction");
}

void agent_put_sent(struct json *object, const struct agent_sent *sent)
{
	json_put_u64(object, "messages", sent->messages);
	json_put_u64(object, "posted", sent->posted);
	json_put_u64(object, "begin_ns", sent->begin_ns);
	json_put_u64(object, "end_ns", sent->end_ns);
	json_put_u64(object, "unreachable", sent->unreachable);
	json_put_text(object, "why", sent->why);
}

int agent_get_sent(const struct json *object, struct agent_sent *sent, struct diag *diag)
{
	uint64_t unreachable;
	int err = wire_number(object, "posted", 0, INT64_MAX, &sent->posted, diag);

	if (!err)
		err = wire_number(object, "messages", 0, sent->posted, &sent->messages, diag);
	if (!err)
		err = wire_number(object, "begin_ns", 0, INT64_MAX, &sent->begin_ns, diag);
	if (!err)
		err = wire_number(object, "end_ns", 0, INT64_MAX, &sent->end_ns, diag);
	if (!err)
		err = wire_number(object, "unreachable", 0, 1, &unreachable, diag);
	if (!err)
		err = wire_text(object, "why", sent->why, sizeof(sent->why), diag);
	if (err)
		return err;
	sent->unreachable = unreachable;
	return 0;
}

static void put_values(struct json *object, const struct hwcounters *counters)
{
	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->items[i].value <= INT64_MAX) /* what JSON can hold */
			json_put_u64(object, counters->items[i].name, counters->items[i].value);
}

void agent_put_counters(struct json *object, const struct agent_counters *counters)
{
	json_put_u64(object, "read", counters->read);
	json_put_u64(object, "first_ns", counters->first_ns);
	json_put_u64(object, "last_ns", counters->last_ns);
	put_values(json_put_object(object, "first"), &counters->first);
	put_values(json_put_object(object, "last"), &counters->last);
}

int agent_get_counters(
	const struct json *object, struct agent_counters *counters, struct diag *diag)
{
	uint64_t read;
	int err = wire_number(object, "read", 0, 1, &read, diag);

	if (!err)
		err = wire_number(object, "first_ns", 0, INT64_MAX, &counters->first_ns, diag);
	if (!err)
		err = wire_number(object, "last_ns", 0, INT64_MAX, &counters->last_ns, diag);
	if (!err)
		err = gen_get_counters(json_get(object, "first"), &counters->first, diag);
	if (!err)
		err = gen_get_counters(json_get(object, "last"), &counters->last, diag);
	if (err)
		return err;
	counters->read = read;
	return 0;
}
