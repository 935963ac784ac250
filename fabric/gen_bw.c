/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth: many messages under way on every QP, counted by their completions. Sent by
 * fabric/gen_send.c. */
#include "fabric/gen.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/diag.h"

#define IDLE_LOOKS 1024u /* then the clock is looked at */
#define SOFT_LOOKS 32u   /* where the kernel is the NIC: then it gets the processor */
#define SOFT_NAP_NS 200000
#define REPOST_MAX 16u
#define CONTROL_WAIT_NS (100 * NS_PER_MS)
#define LOOK_NS (100 * NS_PER_MS)
#define REST_NS (5 * NS_PER_S)
#define REST_DATAGRAMS_NS NS_PER_S
#define CAUSE_NS (200 * NS_PER_MS)

/* --- counting --- */

static void add_to_series(struct gen *gen, uint64_t bytes)
{
	struct gen_result *result = &gen->result;
	uint64_t at = (gen->now_ns - result->begin_ns) / gen->plan.interval_ns;

	if (at >= GEN_SERIES_MAX)
		return;
	result->series[at] += bytes;
	if (at >= result->series_count)
		result->series_count = (uint32_t)at + 1;
}

/* The window of a timed run goes from the first completion after the warm-up, which is
 * not counted, to the first one after the duration, which is: so it holds a whole number
 * of messages, and a stall at its end makes it longer instead of going unseen. */
static void count(struct gen *gen, const struct verbs_done *done)
{
	struct gen_result *result = &gen->result;
	const struct gen_plan *plan = &gen->plan;
	uint64_t messages = done->count;

	result->messages_all += messages;
	if (result->end_ns && !plan->messages)
		return;
	if (!result->begin_ns) {
		if (gen->now_ns >= gen->start_ns + plan->warmup_ns) {
			result->begin_ns = gen->now_ns;
			result->nic_begin = done->stamp;
		}
		return;
	}
	result->messages += messages;
	result->bytes += messages * plan->bytes;
	add_to_series(gen, messages * plan->bytes);
	if (plan->messages || gen->now_ns >= result->begin_ns + plan->duration_ns)
		result->end_ns = gen->now_ns;
	if (plan->messages || !result->end_ns)
		return;
	gen->stopping = true;
	if (gen->cq.clock_khz)
		result->nic_window_ns =
			verbs_stamps_ns(&gen->cq, result->nic_begin, done->stamp);
}

/* --- completions --- */

/* The requests of a QP that failed are flushed, sometimes before the one that is the
 * cause: it is waited for. */
static struct verbs_done find_cause(struct gen *gen, const struct verbs_done *first)
{
	uint64_t deadline = gen->cause_by_ns ? gen->cause_by_ns : clock_ns() + CAUSE_NS;
	struct verbs_done done[VERBS_DONE_MAX];

	while (verbs_status_is_flushed(first->status) && clock_ns() < deadline) {
		int taken = verbs_poll(&gen->cq, done);

		for (int i = 0; i < taken; i++)
			if (done[i].status && !verbs_status_is_flushed(done[i].status))
				return done[i];
		sched_yield();
	}
	return *first;
}

int gen_check_port_of(const struct verbs *verbs, const char *when, struct diag *diag)
{
	int up = verbs_is_up(verbs);

	if (up > 0)
		return 0;
	if (up < 0)
		return diag_error(diag, -EIO,
			"%s tells nothing of its port %u any more (%s), %s: if it was reset "
			"or removed, the kernel's log (dmesg) says why",
			verbs->device, verbs->port, strerror(-up), when);
	return diag_error(diag, -EHOSTUNREACH, "%s port %u went down in mid-run, %s",
		verbs->device, verbs->port, when);
}

int gen_check_port(const struct gen *gen, struct diag *diag)
{
	char when[sizeof(gen->peer) + 40];

	snprintf(when, sizeof(when), "with messages under way to %s", gen->peer);
	return gen_check_port_of(gen->verbs, when, diag);
}

static int failed(struct gen *gen, const struct verbs_done *first, struct diag *diag)
{
	const struct gen_plan *plan = &gen->plan;
	const struct verbs_done cause = find_cause(gen, first), *done = &cause;
	const struct gen_qp *qp = &gen->qps[done->id];
	int err = gen_check_port(gen, diag);

	if (err)
		return err;
	if (verbs_status_is_unanswered(done->status))
		return diag_error(diag, -EHOSTUNREACH,
			"%s does not acknowledge: QP %u sent to its QP %u %u times, each %.3g "
			"ms "
			"apart or more: look whether packets of %u bytes with traffic class %u "
			"get there "
			"from GID %u",
			gen->peer, qp->qp.number, qp->number_there, plan->retry + 1u,
			0.004096 * (double)(UINT64_C(1) << plan->timeout_exp), plan->mtu_bytes,
			plan->traffic_class, gen->verbs->gid_index);
	return diag_error(diag, -EIO, "QP %u to QP %u of %s failed: %s (vendor code 0x%x)",
		qp->qp.number, qp->number_there, gen->peer, verbs_status_text(done->status),
		done->vendor_error);
}

/* One of several that a host drives waits for the cause from turn to turn. */
static int failed_of_several(struct gen *gen, const struct verbs_done *done, struct diag *diag)
{
	if (!gen->one_of_several || !verbs_status_is_flushed(done->status))
		return failed(gen, done, diag);
	if (!gen->cause_by_ns) {
		gen->flushed = *done;
		gen->cause_by_ns = gen->now_ns + CAUSE_NS;
	}
	return 0;
}

static bool has_no_cause(const struct gen *gen)
{
	return gen->cause_by_ns && clock_ns() > gen->cause_by_ns;
}

int gen_post(struct gen *gen, struct gen_qp *qp, uint64_t messages, struct diag *diag)
{
	uint64_t left = gen->plan.messages - qp->posted;
	bool last = false;
	int err;

	if (gen->allowed && messages > gen->allowed - qp->posted)
		messages = gen->allowed - qp->posted;
	if (gen->plan.messages && messages >= left) {
		messages = left;
		last = true;
	}
	if (!messages || gen->stopping || gen->cause_by_ns)
		return 0;
	err = verbs_ring_post(&qp->sends, (uint32_t)messages, last);
	if (err)
		return diag_system(diag, err, "QP %u: posting", qp->qp.number);
	qp->posted += messages;
	gen->in_flight += messages;
	return 0;
}

static int sent(struct gen *gen, const struct verbs_done *done, struct diag *diag)
{
	struct gen_qp *qp = &gen->qps[done->id];

	if (gen->plan.check && gen->plan.work == VERBS_READ)
		for (uint32_t i = 0; i < done->count; i++) {
			uint32_t slot = (done->place - i) % gen->plan.slots;

			gen_check(gen, done->id, slot, slot, true);
		}
	qp->sent += done->count;
	gen->in_flight -= done->count;
	if (gen->plan.latency)
		return 0;
	count(gen, done);
	return gen->plan.burst ? 0 : gen_post(gen, qp, done->count, diag);
}

/* Whether a datagram may have come when no receive was posted, which loses it without a
 * trace. In a round of completions, from one moment when all had been taken to the next, no
 * more receives can have been used than were taken: as long as fewer than were posted at its
 * beginning, one was there at any time. */
static void watch_receives(struct gen *gen, struct gen_qp *qp)
{
	if (qp->round != gen->round) {
		qp->round = gen->round;
		qp->left = qp->receives.count - qp->owed;
	}
	if (--qp->left)
		return;
	gen->result.dry++;
	qp->left = qp->receives.count;
}

static int received(struct gen *gen, const struct verbs_done *done, struct diag *diag)
{
	struct gen_qp *qp = &gen->qps[done->id];
	uint32_t place = (uint32_t)(qp->received % gen->arrival_slots);
	int err;

	/* A send lands in the slot of its receive; a write goes on where its QP is. A
	 * datagram says itself what was sent. */
	if (gen->plan.check)
		gen_check(gen, done->id, place, gen->plan.datagrams ? done->immediate : place,
			gen->plan.work == VERBS_SEND);
	if (gen->plan.datagrams)
		watch_receives(gen, qp);
	qp->received++;
	gen->result.received++;
	if (++qp->owed < REPOST_MAX && qp->owed < qp->receives.count / 4 + 1)
		return 0;
	err = verbs_ring_post(&qp->receives, qp->owed, false);
	qp->owed = 0;
	return err ? diag_system(diag, err, "QP %u: posting receives", qp->qp.number) : 0;
}

int gen_look(struct gen *gen, uint64_t now, struct diag *diag)
{
	if (!gen->watched || now < gen->look_ns)
		return 0;
	gen->look_ns = now + LOOK_NS;
	if (!control_hung_up(gen->watched))
		return 0;
	return diag_error(
		diag, -ECANCELED, "the weft at %s has gone in mid-run", gen->watched->peer);
}

/* Nothing came. Where the kernel is the NIC it needs the processor more than we do, and has
 * enough under way for as long as a nap takes. */
static int idle(struct gen *gen, struct diag *diag)
{
	const struct timespec nap = { .tv_nsec = SOFT_NAP_NS };
	uint64_t now;
	int err;

	gen->idle++;
	if (gen->verbs->soft && !gen->plan.latency && gen->idle % SOFT_LOOKS == 0)
		nanosleep(&nap, NULL);
	if (gen->idle % IDLE_LOOKS)
		return 0;
	if (!gen->verbs->soft)
		sched_yield();
	now = clock_ns();
	err = gen_look(gen, now, diag);
	if (err || !gen->in_flight || now < gen->now_ns + gen->stall_ns)
		return err;
	err = gen_check_port(gen, diag);
	if (err)
		return err;
	return diag_error(diag, -EHOSTUNREACH,
		"nothing was completed for %.3g s, with messages under way to %s on %u QPs",
		(double)gen->stall_ns / (double)NS_PER_S, gen->peer, gen->plan.qps);
}

int gen_turn(struct gen *gen, struct diag *diag)
{
	struct verbs_done done[VERBS_DONE_MAX];
	int taken = verbs_poll(&gen->cq, done), err = 0;

	if (taken < 0)
		return diag_system(diag, taken, "%s: taking completions", gen->verbs->device);
	if (taken == 0 && !has_no_cause(gen))
		return idle(gen, diag);
	gen->idle = 0;
	gen->now_ns = clock_ns();
	err = gen_look(gen, gen->now_ns, diag);
	for (int i = 0; i < taken && !err; i++) {
		if (done[i].status)
			err = failed_of_several(gen, &done[i], diag);
		else if (done[i].received)
			err = received(gen, &done[i], diag);
		else
			err = sent(gen, &done[i], diag);
	}
	if (!err && has_no_cause(gen))
		err = failed(gen, &gen->flushed, diag);
	gen->round += taken < VERBS_DONE_MAX;
	return err ? err : taken;
}

/* --- the end that receives --- */

int gen_receive(
	struct gen *gen, const struct control *control, uint64_t most_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + most_ns;
	int err = 0;

	while (err >= 0 && clock_ns() < deadline) {
		if (control_ready(control, gen_receives(gen) ? 0 : CONTROL_WAIT_NS))
			return 0;
		for (uint32_t i = 0; i < IDLE_LOOKS && err >= 0 && gen_receives(gen); i++)
			err = gen_turn(gen, diag);
	}
	if (err < 0)
		return err;
	return diag_error(
		diag, -ETIMEDOUT, "the weft at %s has not ended in time", control->peer);
}

/* Datagrams that do not come are lost, and told by how many came. */
static int rest_of_datagrams(struct gen *gen, uint64_t messages, struct diag *diag)
{
	uint64_t heard = clock_ns();
	int err = 0;

	while (err >= 0 && gen->result.received < messages &&
		clock_ns() < heard + REST_DATAGRAMS_NS) {
		err = gen_turn(gen, diag);
		if (err > 0)
			heard = gen->now_ns;
	}
	return err < 0 ? err : 0;
}

int gen_receive_rest(
	struct gen *gen, uint64_t messages, uint64_t least_of_qp, struct diag *diag)
{
	uint64_t deadline = clock_ns() + REST_NS;
	const struct gen_plan *plan = &gen->plan;
	int err = 0;

	if (plan->datagrams)
		return rest_of_datagrams(gen, messages, diag);
	while (gen_receives(gen) && err >= 0 && gen->result.received < messages) {
		err = gen_turn(gen, diag);
		if (err == 0 && clock_ns() > deadline)
			err = diag_error(diag, -EIO,
				"%s had %llu messages acknowledged, of which %llu arrived here",
				gen->peer, (unsigned long long)messages,
				(unsigned long long)gen->result.received);
	}
	if (err < 0 || !plan->check || plan->work != VERBS_WRITE)
		return err < 0 ? err : 0;
	/* The last message of each slot that every QP has come to: a timed run ends on some
	 * of them earlier. */
	for (uint32_t i = 0; i < plan->qps; i++)
		for (uint32_t slot = 0; slot < plan->slots && slot < least_of_qp; slot++)
			gen_check(gen, i, slot, slot, false);
	return 0;
}
