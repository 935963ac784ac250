/* SPDX-License-Identifier: Apache-2.0 */
/* The end that sends: as fast as completions come, in leave given by the caller, or paced by
 * the clock; at once, or from an absolute time on. */
#include "fabric/gen.h"

#include <errno.h>
#include <time.h>

#include "fabric/gen_pace.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"

#define NEAR_NS NS_PER_MS /* of what is due: then it is looked for, not slept */
#define NAP_MAX_NS (100 * NS_PER_MS)
#define NS_OF(time) ((uint64_t)(time).tv_sec * NS_PER_S + (uint64_t)(time).tv_nsec)

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return NS_OF(time);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- as fast as completions come --- */

int gen_begin(struct gen *gen, struct diag *diag)
{
	struct gen_result *result = &gen->result;
	int err = 0;

	result->series = zeroed(GEN_SERIES_MAX, sizeof(*result->series));
	gen->now_ns = gen->start_ns = clock_ns();
	if (gen->plan.messages)
		result->begin_ns = gen->now_ns;
	if (gen->plan.burst)
		return 0;
	for (uint32_t i = 0; i < gen->plan.qps && !err; i++)
		err = gen_post(gen, &gen->qps[i], gen->plan.depth, diag);
	return err;
}

int gen_allow(struct gen *gen, uint64_t messages, struct diag *diag)
{
	int err = 0;

	if (messages <= gen->allowed)
		return 0;
	/* What stood still for want of leave has not stalled. */
	if (!gen->in_flight)
		gen->now_ns = clock_ns();
	gen->allowed = messages;
	for (uint32_t i = 0; i < gen->plan.qps && !err; i++) {
		struct gen_qp *qp = &gen->qps[i];

		err = gen_post(gen, qp, gen->plan.depth - (qp->posted - qp->sent), diag);
	}
	return err;
}

bool gen_has_ended(const struct gen *gen)
{
	if (gen->in_flight)
		return false;
	for (uint32_t i = 0; i < gen->plan.qps; i++)
		if (gen->qps[i].posted < gen->plan.messages)
			return false;
	return true;
}

/* --- paced --- */

/* Messages that this QP can take now. */
static uint64_t room(const struct gen *gen, const struct gen_qp *qp)
{
	uint64_t free = gen->plan.depth - (qp->posted - qp->sent);

	return gen->plan.messages ? least(free, gen->plan.messages - qp->posted) : free;
}

/* Posts what is due by now, in even shares; what finds no room is late, and goes when it
 * does. */
static int release(struct gen *gen, uint64_t due, uint64_t now, struct diag *diag)
{
	uint32_t qps = gen->plan.qps, full = 0;
	uint64_t share = (due - gen->released + qps - 1) / qps, first = gen->released, at;
	int err = 0;

	if (!gen->in_flight)
		gen->now_ns = now; /* what was not due has not stalled */
	while (gen->released < due && full < qps && !err) {
		struct gen_qp *qp = &gen->qps[gen->turn];
		uint64_t messages = least(room(gen, qp), least(share, due - gen->released));

		gen->turn = (gen->turn + 1) % qps;
		full = messages ? 0 : full + 1;
		gen->released += messages;
		err = gen_post(gen, qp, messages, diag);
	}
	if (err || gen->released == first)
		return err;
	at = gen->start_ns + gen_pace_due_ns(&gen->plan, first); /* the latest of them */
	if (now > at && now - at > gen->result.pace_late_ns)
		gen->result.pace_late_ns = now - at;
	return 0;
}

/* Sleeps where nothing is under way and nothing due for long. */
static void rest(const struct gen *gen, uint64_t now)
{
	uint64_t due = gen->start_ns + gen_pace_due_ns(&gen->plan, gen->released);
	struct timespec nap;

	if (gen->in_flight || gen_receives(gen) || due < now + 2 * NEAR_NS)
		return;
	nap = (struct timespec){ .tv_nsec = (long)least(due - now - NEAR_NS, NAP_MAX_NS) };
	nanosleep(&nap, NULL);
}

static bool has_gone(const struct gen *gen)
{
	const struct gen_plan *plan = &gen->plan;

	return !gen->in_flight &&
	       (gen->stopping ||
		       (plan->messages && gen->released == plan->messages * plan->qps));
}

static int send_paced(struct gen *gen, struct diag *diag)
{
	while (!has_gone(gen)) {
		uint64_t now = clock_ns(), due = 0;
		int err = 0;

		if (!gen->stopping)
			due = gen_pace_allowed(&gen->plan, now - gen->start_ns);
		if (due > gen->released)
			err = release(gen, due, now, diag);
		if (!err)
			err = gen_turn(gen, diag);
		if (err < 0)
			return err;
		if (err)
			continue;
		err = gen_look(gen, now, diag);
		if (err)
			return err;
		rest(gen, now);
	}
	return 0;
}

/* --- all --- */

int gen_await_start(struct gen *gen, const struct control *control, struct diag *diag)
{
	uint64_t start = gen->plan.start_ns, now;

	if (!start)
		return 0;
	now = read_clock(CLOCK_REALTIME);
	if (start > now + GEN_AHEAD_NS_MAX)
		return diag_error(diag, -EINVAL,
			"a start more than an hour ahead by this host's clock: are the clocks "
			"of both hosts right?");
	while (now + NEAR_NS < start) {
		if (control_ready(control, least(start - NEAR_NS - now, NAP_MAX_NS)))
			return diag_error(diag, -ECANCELED,
				"a word from the weft at %s before the start", control->peer);
		now = read_clock(CLOCK_REALTIME);
	}
	while (now < start)
		now = read_clock(CLOCK_REALTIME);
	gen->result.start_late_ns = now - start;
	return 0;
}

static uint64_t fewest(const struct gen *gen)
{
	uint64_t messages = UINT64_MAX;

	for (uint32_t i = 0; i < gen->plan.qps; i++)
		messages = least(messages, gen->qps[i].sent);
	return messages;
}

int gen_send(struct gen *gen, const struct control *control, struct diag *diag)
{
	uint64_t cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	int err = gen_begin(gen, diag);

	gen->watched = control;
	gen->start_ns -= least(gen->result.start_late_ns, gen->start_ns);
	if (!err && gen->plan.burst)
		err = send_paced(gen, diag);
	while (err >= 0 && gen->in_flight)
		err = gen_turn(gen, diag);
	gen->result.messages_least = fewest(gen);
	gen->watched = NULL;
	gen->result.cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	return err < 0 ? err : 0;
}
