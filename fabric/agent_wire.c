/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the frames of fabric/agent.h. */
#include "fabric/agent.h"

#include <errno.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/grow.h"
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

void agent_put_counters(struct json *object, const struct agent_counters *counters)
{
	struct json *items, *samples;

	json_put_u64(object, "read", counters->read);
	json_put_u64(object, "first_ns", counters->first_ns);
	json_put_u64(object, "last_ns", counters->last_ns);
	items = json_put_array(object, "counters");
	for (uint32_t i = 0; i < counters->count; i++) {
		struct json *item = json_add_array(items);

		json_add_text(item, counters->items[i].name);
		json_add_u64(item, counters->items[i].first);
		json_add_u64(item, counters->items[i].last);
	}
	samples = json_put_array(object, "samples");
	for (uint32_t i = 0; i < counters->sample_count; i++) {
		struct json *sample = json_add_array(samples);

		json_add_u64(sample, counters->samples[i].at_ns);
		json_add_u64(sample, counters->samples[i].counter);
		json_add_u64(sample, counters->samples[i].value);
	}
}

static bool get_number(const struct json *array, size_t index, uint64_t most, uint64_t *number)
{
	int64_t value;

	if (!json_int(json_at(array, index), &value) || value < 0 || (uint64_t)value > most)
		return false;
	*number = (uint64_t)value;
	return true;
}

static bool get_counter(const struct json *from, struct agent_counter *item)
{
	const char *name = json_text(json_at(from, 0));

	if (!name || !*name || strlen(name) >= sizeof(item->name) || utf8_has_control(name))
		return false;
	memcpy(item->name, name, strlen(name) + 1);
	return get_number(from, 1, INT64_MAX, &item->first) &&
	       get_number(from, 2, INT64_MAX, &item->last);
}

static bool get_sample(const struct json *from, uint32_t counters, struct agent_sample *sample)
{
	uint64_t counter;

	if (!counters || !get_number(from, 0, INT64_MAX, &sample->at_ns) ||
		!get_number(from, 1, counters - 1, &counter) ||
		!get_number(from, 2, INT64_MAX, &sample->value))
		return false;
	sample->counter = (uint32_t)counter;
	return true;
}

static bool get_lists(const struct json *object, struct agent_counters *counters)
{
	const struct json *items = json_get(object, "counters"),
			  *samples = json_get(object, "samples");
	bool good = json_count(items) <= AGENT_COUNTERS_MAX &&
		    json_count(samples) <= AGENT_SAMPLES_MAX;

	if (!good)
		return false;
	counters->count = (uint32_t)json_count(items);
	counters->items = zeroed(counters->count, sizeof(*counters->items));
	counters->sample_count = (uint32_t)json_count(samples);
	counters->samples = zeroed(counters->sample_count, sizeof(*counters->samples));
	for (uint32_t i = 0; i < counters->count && good; i++)
		good = get_counter(json_at(items, i), &counters->items[i]);
	for (uint32_t i = 0; i < counters->sample_count && good; i++)
		good = get_sample(json_at(samples, i), counters->count, &counters->samples[i]);
	return good;
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
	if (!err && !get_lists(object, counters))
		err = diag_error(diag, -EPROTO, "its agent's counters make no sense");
	if (err)
		return err;
	counters->read = read;
	return 0;
}
