/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the frames of fabric/agent.h that a ring needs. */
#include <errno.h>

#include "fabric/agent.h"
#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"

void agent_put_ring(struct json *object, const struct allreduce_plan *plan)
{
	json_put_u64(object, "rank", plan->rank);
	json_put_u64(object, "ranks", plan->ranks);
	json_put_u64(object, "qps", plan->qps);
	json_put_u64(object, "iterations", plan->iterations);
	json_put_u64(object, "bytes", plan->bytes);
	json_put_u64(object, "type", plan->type);
	json_put_u64(object, "mtu_bytes", plan->mtu_bytes);
	json_put_u64(object, "traffic_class", plan->traffic_class);
	json_put_u64(object, "timeout_exp", plan->timeout_exp);
	json_put_u64(object, "retry", plan->retry);
	json_put_u64(object, "seed", plan->seed);
}

int agent_get_ring(const struct json *object, struct allreduce_plan *plan, struct diag *diag)
{
	uint64_t rank, ranks, qps, iterations, type, mtu, class, timeout, retry;
	const struct {
		const char *key;
		uint64_t least, most, *value;
	} fields[] = {
		{ "ranks", 2, RING_RANKS_MAX, &ranks },
		{ "rank", 0, RING_RANKS_MAX - 1, &rank },
		{ "qps", 1, ALLREDUCE_QPS_MAX, &qps },
		{ "iterations", 1, ALLREDUCE_STEPS_MAX, &iterations },
		{ "bytes", 1, ALLREDUCE_BYTES_MAX, &plan->bytes },
		{ "type", ALLREDUCE_INT32, ALLREDUCE_BF16, &type },
		{ "mtu_bytes", 256, 4096, &mtu },
		{ "traffic_class", 0, 255, &class },
		{ "timeout_exp", 1, 31, &timeout },
		{ "retry", 0, 7, &retry },
		{ "seed", 0, INT64_MAX, &plan->seed },
	};

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		int err = wire_number(object, fields[i].key, fields[i].least, fields[i].most,
			fields[i].value, diag);

		if (err)
			return err;
	}
	plan->rank = (uint32_t)rank;
	plan->ranks = (uint32_t)ranks;
	plan->qps = (uint32_t)qps;
	plan->iterations = (uint32_t)iterations;
	plan->type = (enum allreduce_type)type;
	plan->mtu_bytes = (uint32_t)mtu;
	plan->traffic_class = (uint8_t) class;
	plan->timeout_exp = (uint8_t)timeout;
	plan->retry = (uint8_t)retry;
	return 0;
}

void agent_put_ring_sent(struct json *object, const struct agent_ring_sent *sent)
{
	json_put_u64(object, "taken", sent->taken);
	json_put_u64(object, "acknowledged", sent->acknowledged);
	json_put_u64(object, "checked", sent->checked);
	json_put_u64(object, "sums_ns", sent->sums_ns);
	json_put_u64(object, "wrong_chunks", sent->wrong.chunks);
	json_put_u64(object, "wrong_elements", sent->wrong.elements);
	json_put_u64(object, "wrong_step", sent->wrong.step);
	json_put_u64(object, "wrong_chunk", sent->wrong.chunk);
	json_put_u64(object, "wrong_element", sent->wrong.element);
	json_put_u64(object, "unreachable_next", sent->unreachable_next);
	json_put_u64(object, "unreachable_prev", sent->unreachable_prev);
	json_put_u64(object, "failed", sent->failed);
	json_put_text(object, "why", sent->why);
}

int agent_get_ring_sent(
	const struct json *object, struct agent_ring_sent *sent, struct diag *diag)
{
	uint64_t step, chunk, next, prev, failed;
	const struct {
		const char *key;
		uint64_t most, *value;
	} fields[] = {
		{ "taken", ALLREDUCE_STEPS_MAX, &sent->taken },
		{ "acknowledged", ALLREDUCE_STEPS_MAX, &sent->acknowledged },
		{ "checked", ALLREDUCE_STEPS_MAX, &sent->checked },
		{ "sums_ns", INT64_MAX, &sent->sums_ns },
		{ "wrong_chunks", ALLREDUCE_STEPS_MAX, &sent->wrong.chunks },
		{ "wrong_elements", INT64_MAX, &sent->wrong.elements },
		{ "wrong_step", ALLREDUCE_STEPS_MAX, &step },
		{ "wrong_chunk", RING_RANKS_MAX, &chunk },
		{ "wrong_element", INT64_MAX, &sent->wrong.element },
		{ "unreachable_next", 1, &next },
		{ "unreachable_prev", 1, &prev },
		{ "failed", 1, &failed },
	};

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		int err = wire_number(
			object, fields[i].key, 0, fields[i].most, fields[i].value, diag);

		if (err)
			return err;
	}
	sent->wrong.step = (uint32_t)step;
	sent->wrong.chunk = (uint32_t)chunk;
	sent->unreachable_next = next;
	sent->unreachable_prev = prev;
	sent->failed = failed;
	return wire_text(object, "why", sent->why, sizeof(sent->why), diag);
}

void agent_put_steps(struct json *list, const struct allreduce_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		json_add_u64(list, steps[i].ready_ns);
		json_add_u64(list, steps[i].posted_ns);
		json_add_u64(list, steps[i].completed_ns);
		json_add_u64(list, steps[i].arrived_ns);
	}
}

int agent_get_steps(
	const struct json *list, struct allreduce_step *steps, uint32_t most, struct diag *diag)
{
	size_t count = json_count(list);

	if (!json_is_array(list) || count % 4 || count / 4 > most ||
		count / 4 > AGENT_STEPS_MAX)
		return diag_error(diag, -EPROTO, "its agent tells of %zu times", count);
	for (size_t i = 0; i < count; i++) {
		struct allreduce_step *step = &steps[i / 4];
		uint64_t *fields[] = { &step->ready_ns, &step->posted_ns, &step->completed_ns,
			&step->arrived_ns };
		int64_t value;

		if (!json_int(json_at(list, i), &value) || value < 0)
			return diag_error(diag, -EPROTO, "a time of a step is no number");
		*fields[i % 4] = (uint64_t)value;
	}
	return (int)(count / 4);
}
