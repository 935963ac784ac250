/* SPDX-License-Identifier: Apache-2.0 */
/* Latency: one message at a time, to the peer and back, on one QP. A write is seen by its
 * last byte, which NICs write last, so that no completion is waited for. */
#include "fabric/gen.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/diag.h"

#define PATIENCE 65536u      /* looks at memory, about a millisecond */
#define PATIENCE_POLLS 4096u /* the same in looks at the completion queue */
#define LOOKS 4096u
#define SPINS 64u
#define NAP_NS 10000

/* Reaps what was completed; an error of the QP shows here. */
static int reap(struct gen *gen, struct diag *diag)
{
	int err;

	do
		err = gen_turn(gen, diag);
	while (err > 0);
	return err;
}

static int post(struct gen *gen, struct diag *diag)
{
	struct gen_qp *qp = &gen->qps[0];
	int err = 0;

	while (gen->in_flight >= gen->plan.depth && err >= 0)
		err = gen_turn(gen, diag);
	if (err < 0)
		return err;
	err = verbs_ring_post(&qp->sends, 1, false);
	if (err)
		return diag_system(diag, err, "QP %u: posting", qp->qp.number);
	gen->in_flight++;
	qp->posted++;
	return 0;
}

/* One look whether message number `number` (from 1) is there: 1, 0, or an error. */
static int arrived(struct gen *gen, uint64_t number, struct diag *diag)
{
	const uint8_t *last =
		gen->memory.base + gen_receive_offset(gen, 0) + gen->plan.bytes - 1;
	int err;

	if (gen->plan.work == VERBS_WRITE)
		return __atomic_load_n(last, __ATOMIC_ACQUIRE) == (uint8_t)number;
	err = gen_turn(gen, diag);
	if (err < 0)
		return err;
	if (gen->plan.work == VERBS_READ)
		return gen->qps[0].sent >= number;
	return gen->qps[0].received >= number;
}

/* What has not come after so long is late by more than the answer to a system call. Where
 * the kernel is the NIC it then needs the processor more than we do, and gets it for longer
 * than a yield would give. */
static void step_aside(const struct gen *gen, uint32_t looks)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	if (looks < (gen->plan.work == VERBS_WRITE ? PATIENCE : PATIENCE_POLLS))
		return;
	if (gen->verbs->soft)
		nanosleep(&nap, NULL);
	else
		sched_yield();
}

/* Waits for it: 1, 0 when the control channel has a word, or an error. control: NULL for
 * the end that measures. */
static int await(
	struct gen *gen, uint64_t number, const struct control *control, struct diag *diag)
{
	uint64_t begin = 0;
	int err;

	for (uint32_t spins = 1;; spins++) {
		err = arrived(gen, number, diag);
		if (err)
			return err;
		if (spins % SPINS)
			continue;
		step_aside(gen, spins);
		if (spins % LOOKS)
			continue;
		err = reap(gen, diag);
		if (err < 0)
			return err;
		if (control && control_ready(control, 0))
			return 0;
		if (!begin)
			begin = clock_ns();
		else if (clock_ns() - begin > gen->stall_ns)
			return diag_error(diag, -EHOSTUNREACH,
				"nothing came back from %s for %.3g s", gen->peer,
				(double)gen->stall_ns / (double)NS_PER_S);
	}
}

static void stamp(struct gen *gen, uint64_t number)
{
	if (gen->plan.work == VERBS_WRITE)
		gen->memory.base[gen->plan.bytes - 1] = (uint8_t)number;
}

int gen_ping(struct gen *gen, struct diag *diag)
{
	const struct gen_plan *plan = &gen->plan;
	uint64_t begin = clock_ns(), before = begin, now;
	int err;

	for (uint64_t number = 1;; number++) {
		stamp(gen, number);
		err = post(gen, diag);
		if (!err)
			err = await(gen, number, NULL, diag);
		if (err < 0)
			return err;
		now = clock_ns();
		if (now - begin >= plan->warmup_ns)
			histogram_add(gen->times,
				plan->work == VERBS_READ ? now - before : (now - before) / 2);
		before = now;
		if (plan->messages ? number >= plan->messages
				   : now - begin >= plan->warmup_ns + plan->duration_ns)
			break;
	}
	gen->result.begin_ns = begin;
	gen->result.end_ns = now;
	gen->result.messages = gen->result.messages_all = gen->qps[0].posted;
	gen->result.bytes = gen->result.messages * plan->bytes;
	return 0;
}

int gen_pong(
	struct gen *gen, const struct control *control, uint64_t most_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + most_ns;
	int err;

	if (gen->plan.work == VERBS_READ)
		return gen_receive(gen, control, most_ns, diag);
	for (uint64_t number = 1; clock_ns() < deadline; number++) {
		err = await(gen, number, control, diag);
		if (err <= 0)
			return err;
		stamp(gen, number);
		err = post(gen, diag);
		if (err)
			return err;
	}
	return diag_error(
		diag, -ETIMEDOUT, "the weft at %s has not ended in time", control->peer);
}
