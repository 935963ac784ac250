/* SPDX-License-Identifier: Apache-2.0 */
/* Latency: one message at a time, to the peer and back, on one QP. A write is seen by its
 * last byte, which NICs write last, so that no completion is waited for. */
#include "fabric/gen.h"

#include <errno.h>
#include <sched.h>

#include "lib/clock.h"
#include "lib/diag.h"

#define SPINS 64u
#define LOOKS 16384u /* at memory, some ten microseconds */
#define POLLS 256u   /* the same in looks at the completion queue */
#define PATIENCE 8u
#define SOFT_PATIENCE 64u
#define TIMES 64u
#define QUIET_NS (10 * NS_PER_MS) /* before a word of the control channel is looked for */

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

/* The last byte of a write, looked at in the tightest loop there can be. */
static bool is_written(const uint8_t *last, uint8_t number)
{
	for (uint32_t i = 0; i < SPINS; i++)
		if (__atomic_load_n(last, __ATOMIC_ACQUIRE) == number)
			return true;
	return false;
}

/* SPINS looks whether message number `number` (from 1) is there: 1, 0, or an error. */
static int arrived(struct gen *gen, const uint8_t *last, uint64_t number, struct diag *diag)
{
	const struct gen_qp *qp = &gen->qps[0];
	int err = 0;

	if (gen->plan.work == VERBS_WRITE)
		return is_written(last, (uint8_t)number);
	for (uint32_t i = 0; i < SPINS && err >= 0; i++) {
		err = gen_turn(gen, diag);
		if (err >= 0 &&
			(gen->plan.work == VERBS_READ ? qp->sent : qp->received) >= number)
			return 1;
	}
	return err < 0 ? err : 0;
}

/* Who waits leaves the processor to others when so much time is gone that a system call adds
 * little. Where the kernel is the NIC, it has to be later: its workers take the processor
 * when they need it, and who yields draws onto his own those that have nothing to do there
 * but to hold up the others. He does not sleep: a processor that has gone idle is slow to come back. */
static void step_aside(const struct gen *gen, uint32_t looks)
{
	uint32_t often = gen->plan.work == VERBS_WRITE ? LOOKS : POLLS;

	if (looks % often == 0 &&
		looks / often >= (gen->verbs->soft ? SOFT_PATIENCE : PATIENCE))
		sched_yield();
}

static int stalled(const struct gen *gen, struct diag *diag)
{
	int err = gen_check_port(gen, diag);

	return err ? err
		   : diag_error(diag, -EHOSTUNREACH, "nothing came back from %s for %.3g s",
			     gen->peer, (double)gen->stall_ns / (double)NS_PER_S);
}

/* Where the last byte of what comes will be. */
static const uint8_t *last_byte(const struct gen *gen)
{
	return gen->memory.base + gen_receive_offset(gen, 0) + gen->plan.bytes - 1;
}

/* Waits for it: 1, 0 when the control channel has a word, or an error. */
static int await(struct gen *gen, const uint8_t *last, uint64_t number,
	const struct control *control, struct diag *diag)
{
	uint64_t begin = 0, now;
	int err;

	for (uint32_t spins = SPINS;; spins += SPINS) {
		err = arrived(gen, last, number, diag);
		if (err)
			return err;
		step_aside(gen, spins);
		if (spins % LOOKS)
			continue;
		err = reap(gen, diag);
		if (err < 0)
			return err;
		now = clock_ns();
		begin = begin ? begin : now;
		if (now - begin > QUIET_NS && control_ready(control, 0))
			return 0;
		if (now - begin > gen->stall_ns)
			return stalled(gen, diag);
	}
}

static void stamp(struct gen *gen, uint64_t number)
{
	if (gen->plan.work == VERBS_WRITE)
		gen->memory.base[gen->plan.bytes - 1] = (uint8_t)number;
}

/* Times that wait for the histogram: what a message does costs the next one. */
struct times {
	uint64_t round_ns[TIMES];
	uint32_t count;
};

static void put_away(struct gen *gen, struct times *times)
{
	uint64_t ways = gen->plan.work == VERBS_READ ? 1 : 2;

	for (uint32_t i = 0; i < times->count; i++)
		histogram_add(gen->times, times->round_ns[i] / ways);
	times->count = 0;
}

static void add_time(struct gen *gen, struct times *times, uint64_t round_ns)
{
	times->round_ns[times->count++] = round_ns;
	if (times->count == TIMES)
		put_away(gen, times);
}

/* A time goes from one arrival to the next. */
static int ping(
	struct gen *gen, struct times *times, const struct control *control, struct diag *diag)
{
	const struct gen_plan *plan = &gen->plan;
	const uint8_t *last = last_byte(gen);
	uint64_t begin = clock_ns(), before = begin, now = begin;
	bool more = true;
	int err;

	for (uint64_t number = 1; more; number++) {
		stamp(gen, number);
		err = post(gen, diag);
		if (err)
			return err;
		if (number > 1 && now - begin >= plan->warmup_ns)
			add_time(gen, times, now - before);
		before = now;
		err = await(gen, last, number, control, diag);
		if (err <= 0)
			return err < 0 ? err
				       : diag_error(diag, -ECANCELED,
						 "a word from the weft at %s in mid-run",
						 control->peer);
		now = clock_ns();
		err = now < gen->look_ns ? 0 : gen_look(gen, now, diag);
		if (err)
			return err;
		more = plan->messages ? number < plan->messages
				      : now - begin < plan->warmup_ns + plan->duration_ns;
	}
	add_time(gen, times, now - before);
	gen->result.begin_ns = begin;
	gen->result.end_ns = now;
	gen->result.messages = gen->result.messages_all = gen->qps[0].posted;
	gen->result.bytes = gen->result.messages * plan->bytes;
	return 0;
}

int gen_ping(struct gen *gen, const struct control *control, struct diag *diag)
{
	struct times times = { .count = 0 };
	int err;

	gen->watched = control;
	err = ping(gen, &times, control, diag);
	put_away(gen, &times);
	gen->watched = NULL;
	return err;
}

int gen_pong(
	struct gen *gen, const struct control *control, uint64_t most_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + most_ns;
	const uint8_t *last = last_byte(gen);
	int err;

	if (gen->plan.work == VERBS_READ)
		return gen_receive(gen, control, most_ns, diag);
	for (uint64_t number = 1; number % LOOKS || clock_ns() < deadline; number++) {
		err = await(gen, last, number, control, diag);
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
