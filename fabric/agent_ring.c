/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "fabric/agent_stage.h"
#include "fabric/agent_test.h"
#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"

int agent_ring_prepare(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag)
{
	const struct json *from = json_get(body, "ring");
	struct agent_ring *ring = &stage->ring;
	struct gen_end next, prev;
	struct allreduce_plan plan;
	uint64_t device;
	int err;

	if (!from)
		return 0;
	err = wire_number(from, "device", 0, AGENT_DEVICES_MAX - 1, &device, diag);
	if (!err)
		err = agent_get_ring(from, &plan, diag);
	if (!err && device >= stage->device_count)
		err = diag_error(diag, -EPROTO, "a ring over device %u, of %u",
			(unsigned)device, stage->device_count);
	if (err)
		return err;
	ring->here = true;
	err = allreduce_open(&ring->all, &stage->devices[device], &plan, diag);
	if (err)
		return err;
	ring->all.flip = agent_test_flip(plan.rank);
	allreduce_ends(&ring->all, &next, &prev);
	answer = json_put_object(answer, "ring");
	gen_put_end(json_put_object(answer, "next"), &next);
	gen_put_end(json_put_object(answer, "prev"), &prev);
	return 0;
}

/* A rank that waited in vain for others has not failed. The first sentence stays. */
static void is_over(struct agent_ring *ring, int err, const struct diag *why)
{
	ring->over = true;
	if (err >= 0 || ring->sent.why[0])
		return;
	ring->sent.failed = err != -EHOSTUNREACH && err != -ETIMEDOUT;
	snprintf(ring->sent.why, sizeof(ring->sent.why), "%.255s", why->text);
}

/* What connecting to one side has returned. Where its address was not found the other side is
 * connected all the same, so that it is answered there. */
static int connected(
	struct agent_ring *ring, int err, struct allreduce_side *side, struct diag *diag)
{
	if (agent_is_unresolved(err))
		err = agent_unresolved_by(ring->all.verbs, err, diag);
	if (!agent_is_unresolved(err))
		return err;
	side->unreachable = true;
	is_over(ring, -EHOSTUNREACH, diag);
	return 0;
}

int agent_ring_connect(struct agent_stage *stage, const struct json *body, struct diag *diag)
{
	const struct json *from = json_get(body, "ring");
	struct agent_ring *ring = &stage->ring;
	struct allreduce *all = &ring->all;
	struct gen_end next, prev;
	int err;

	if (!ring->here)
		return 0;
	err = gen_get_end(json_get(from, "next"), &next, diag);
	if (!err)
		err = gen_get_end(json_get(from, "prev"), &prev, diag);
	if (!err && (next.qps != all->plan.qps || prev.qps != all->plan.qps))
		err = diag_error(diag, -EPROTO, "a ring of %u and %u QPs, expected %u",
			prev.qps, next.qps, all->plan.qps);
	if (err)
		return err;
	err = connected(ring, allreduce_connect_next(all, &next, diag), &all->next, diag);
	return err ? err
		   : connected(
			     ring, allreduce_connect_prev(all, &prev, diag), &all->prev, diag);
}

uint32_t agent_ring_turn(struct agent_stage *stage)
{
	struct agent_ring *ring = &stage->ring;
	struct diag why;
	int got;

	if (!ring->here || ring->over)
		return 0;
	if (!ring->all.last_ns)
		got = allreduce_begin(&ring->all, &why);
	else
		got = allreduce_turn(&ring->all, &why);
	if (got < 0 || allreduce_has_ended(&ring->all))
		is_over(ring, got, &why);
	return got > 0 ? (uint32_t)got : 0;
}

void agent_ring_sent(struct agent_stage *stage, struct json *answer)
{
	struct agent_ring *ring = &stage->ring;

	struct diag why;

	if (!ring->here)
		return;
	/* Its time was up. */
	if (!ring->over && agent_unresolved_by(ring->all.verbs, 0, &why))
		is_over(ring, -EIO, &why);
	ring->sent.unreachable_next = ring->all.next.unreachable;
	ring->sent.unreachable_prev = ring->all.prev.unreachable;
	ring->sent.taken = ring->all.taken;
	ring->sent.acknowledged = ring->all.acknowledged;
	ring->sent.checked = ring->all.checked;
	ring->sent.sums_ns = ring->all.sums_ns;
	ring->sent.wrong = ring->all.wrong;
	agent_put_ring_sent(json_put_object(answer, "ring"), &ring->sent);
}

int agent_ring_steps(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag)
{
	const struct allreduce *all = &stage->ring.all;
	uint64_t from;
	int err = wire_number(body, "from", 0, stage->ring.here ? all->count : 0, &from, diag);
	uint64_t count = all->count - from;

	if (err)
		return err;
	agent_test_die(stage, "steps");
	agent_put_steps(json_put_array(answer, "steps"), all->steps + from,
		count < AGENT_STEPS_MAX ? (uint32_t)count : AGENT_STEPS_MAX);
	return 0;
}
