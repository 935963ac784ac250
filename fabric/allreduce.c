/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/allreduce.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"
#include "lib/units.h"

#define LINE_BYTES 64u
#define DEPTH 64u /* of a send queue: a few slots, and credits */
#define RECEIVES (ALLREDUCE_SLOTS + 1)
#define STALL_NS_MIN (10 * NS_PER_S)
#define STALL_NS_MAX (60 * NS_PER_S)
#define SLOW_BPS (GBPS / 10) /* of the slowest link that nobody takes for a stall */
#define CAUSE_NS (200 * NS_PER_MS)

/* --- memory: input, working memory, slots --- */

static uint8_t *input(const struct allreduce *all)
{
	return all->memory.base;
}

static uint8_t *work(const struct allreduce *all)
{
	return all->memory.base + all->plan.bytes;
}

static uint64_t slots_offset(const struct allreduce *all)
{
	return (2 * all->plan.bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static uint8_t *slot(const struct allreduce *all, uint32_t step)
{
	return all->memory.base + slots_offset(all) + step % ALLREDUCE_SLOTS * all->slot_bytes;
}

static struct ring_step step_of(const struct allreduce *all, uint32_t step)
{
	return ring_plan(&all->ring, all->plan.rank, step % ring_steps(&all->ring));
}

static uint32_t chunk_sent(const struct allreduce *all, uint32_t step)
{
	uint32_t n = all->plan.ranks;

	return (all->plan.rank + 2 * n - step % ring_steps(&all->ring)) % n;
}

static uint32_t chunk_received(const struct allreduce *all, uint32_t step)
{
	uint32_t n = all->plan.ranks;

	return (all->plan.rank + 3 * n - 1 - step % ring_steps(&all->ring)) % n;
}

/* The part of a chunk that a QP carries: whole elements, the first QPs one more. */
static struct ring_chunk part_of(
	const struct allreduce *all, const struct ring_chunk *chunk, uint32_t qp)
{
	uint64_t elem = all->ring.elem_bytes, elems = chunk->length_bytes / elem;
	uint64_t even = elems / all->plan.qps, longer = elems % all->plan.qps;

	return (struct ring_chunk){
		.offset_bytes = (qp * even + (qp < longer ? qp : longer)) * elem,
		.length_bytes = (even + (qp < longer)) * elem,
	};
}

/* --- opening --- */

static int check_plan(const struct allreduce_plan *plan, struct ring *ring, struct diag *diag)
{
	if (ring_init(ring, plan->ranks, plan->bytes, allreduce_elem_bytes(plan->type)) ||
		plan->rank >= plan->ranks || plan->bytes > ALLREDUCE_BYTES_MAX ||
		plan->qps == 0 || plan->qps > ALLREDUCE_QPS_MAX || plan->iterations == 0 ||
		(uint64_t)ring_steps(ring) * plan->iterations > ALLREDUCE_STEPS_MAX)
		return diag_error(diag, -EINVAL,
			"an all-reduce of %" PRIu64 " bytes over %u ranks, %u QPs, %u times: "
			"expected 2 ranks or more, at most %u QPs and %u steps",
			plan->bytes, plan->ranks, plan->qps, plan->iterations,
			ALLREDUCE_QPS_MAX, ALLREDUCE_STEPS_MAX);
	return 0;
}

static int open_side(
	struct allreduce *all, struct allreduce_side *side, uint64_t seed, struct diag *diag)
{
	int err = 0;

	for (uint32_t i = 0; i < all->plan.qps && !err; i++)
		err = verbs_qp_open(&side->qps[i], all->verbs, &all->cq, DEPTH, RECEIVES, 0,
			(uint32_t)rng_derive(seed, i), diag);
	return err;
}

/* As long as a NIC tries, and what it takes to send, at SLOW_BPS, all that may be under way. The
 * largest product is 2^32 bytes times 80. */
uint64_t allreduce_stall_ns(const struct allreduce_plan *plan, uint64_t chunk_bytes)
{
	uint64_t once = (UINT64_C(4096) << plan->timeout_exp) * 4;
	uint64_t ns = once * (plan->retry + 1u);

	ns = ns < STALL_NS_MIN ? STALL_NS_MIN : ns > STALL_NS_MAX ? STALL_NS_MAX : ns;
	return ns + ALLREDUCE_SLOTS * chunk_bytes * (8 * NS_PER_S / SLOW_BPS);
}

/* To the rank before, the first QP alone sends. */
uint32_t allreduce_completions(uint32_t qps)
{
	return qps * (DEPTH + 2 * RECEIVES) + DEPTH;
}

int allreduce_open(struct allreduce *all, const struct verbs *verbs,
	const struct allreduce_plan *plan, struct diag *diag)
{
	uint64_t chunk;
	int err = check_plan(plan, &all->ring, diag);

	if (err)
		return err;
	all->plan = *plan;
	all->verbs = verbs;
	all->count = ring_steps(&all->ring) * plan->iterations;
	chunk = ring_plan(&all->ring, 0, 0).send.length_bytes; /* the longest is the first */
	all->stall_ns = allreduce_stall_ns(plan, chunk);
	all->slot_bytes = (chunk + LINE_BYTES) / LINE_BYTES * LINE_BYTES;
	all->steps = zeroed(all->count, sizeof(*all->steps));
	all->sent_last = zeroed(plan->ranks, sizeof(*all->sent_last));
	err = verbs_memory_open(&all->memory, verbs,
		slots_offset(all) + ALLREDUCE_SLOTS * all->slot_bytes, diag);
	if (!err)
		err = verbs_cq_open(&all->cq, verbs, allreduce_completions(plan->qps), diag);
	if (!err)
		err = open_side(all, &all->next, rng_derive(plan->seed, 1), diag);
	if (!err)
		err = open_side(all, &all->prev, rng_derive(plan->seed, 2), diag);
	if (!err)
		allreduce_fill(plan->type, input(all), 0, all->ring.elems, plan->rank);
	return err;
}

static void put_end(
	const struct allreduce *all, const struct allreduce_side *side, struct gen_end *end)
{
	*end = (struct gen_end){
		.rkey = all->memory.rkey,
		.base = (uintptr_t)all->memory.base + slots_offset(all),
		.qps = all->plan.qps,
	};
	memcpy(end->gid, all->verbs->gid, GID_BYTES);
	for (uint32_t i = 0; i < end->qps; i++)
		end->qp[i] = (struct gen_end_qp){
			.number = side->qps[i].number,
			.psn = side->qps[i].psn,
		};
}

void allreduce_ends(const struct allreduce *all, struct gen_end *next, struct gen_end *prev)
{
	put_end(all, &all->next, next);
	put_end(all, &all->prev, prev);
}

/* --- connecting --- */

static int connect_side(struct allreduce *all, struct allreduce_side *side,
	const struct gen_end *end, uint64_t seed, uint32_t id, struct diag *diag)
{
	const struct allreduce_plan *plan = &all->plan;
	int err = 0;

	side->rkey = end->rkey;
	side->base = end->base;
	gid_print(end->gid, side->peer);
	for (uint32_t i = 0; i < plan->qps && !err; i++) {
		struct verbs_path path = {
			.qp_number = end->qp[i].number,
			.psn = end->qp[i].psn,
			.mtu_bytes = plan->mtu_bytes,
			.traffic_class = plan->traffic_class,
			.flow_label = gen_flow_label(seed, i),
			.timeout_exp = plan->timeout_exp,
			.retry = plan->retry,
		};

		memcpy(path.gid, end->gid, GID_BYTES);
		err = verbs_qp_connect(&side->qps[i], all->verbs, &path, diag);
		for (uint32_t k = 0; k < RECEIVES && !err; k++)
			err = verbs_post_receive(&side->qps[i], id + i);
	}
	return err;
}

int allreduce_connect_next(struct allreduce *all, const struct gen_end *next, struct diag *diag)
{
	return connect_side(all, &all->next, next, all->plan.seed, 0, diag);
}

int allreduce_connect_prev(struct allreduce *all, const struct gen_end *prev, struct diag *diag)
{
	return connect_side(
		all, &all->prev, prev, all->plan.seed + 1, ALLREDUCE_FROM_PREV, diag);
}

/* --- sending --- */

static int post_part(struct allreduce *all, uint32_t step, const uint8_t *from,
	const struct ring_chunk *part, uint32_t qp)
{
	struct verbs_write write = {
		.local = (uintptr_t)from + part->offset_bytes,
		.remote = all->next.base + step % ALLREDUCE_SLOTS * all->slot_bytes +
			  part->offset_bytes,
		.lkey = all->memory.lkey,
		.rkey = all->next.rkey,
		.bytes = (uint32_t)part->length_bytes,
		.immediate = step,
		.id = qp,
	};

	return verbs_post_write(&all->next.qps[qp], &write);
}

/* The chunk of the next step, when its input is there and the next rank has a slot for it. */
static int post_step(struct allreduce *all, struct diag *diag)
{
	uint32_t step = all->posted;
	struct ring_step what = step_of(all, step);
	bool first = step % ring_steps(&all->ring) == 0;
	const uint8_t *from = (first ? input(all) : work(all)) + what.send.offset_bytes;
	int err = 0;

	for (uint32_t qp = 0; qp < all->plan.qps && !err; qp++) {
		struct ring_chunk part = part_of(all, &what.send, qp);

		err = post_part(all, step, from, &part, qp);
	}
	if (err)
		return diag_system(diag, err, "step %u: posting", step);
	/* Waiting for a slot, or for an acknowledgement, is none of this host's doing. */
	if (all->held_ns > all->steps[step].ready_ns)
		all->steps[step].ready_ns = all->held_ns;
	all->steps[step].posted_ns = clock_ns();
	all->sent_last[chunk_sent(all, step)] = step + 1;
	all->posted++;
	return 0;
}

static bool may_post(const struct allreduce *all)
{
	return all->posted < all->count && all->posted <= all->taken &&
	       all->posted - all->credits < ALLREDUCE_SLOTS;
}

static int give_credit(struct allreduce *all, struct diag *diag)
{
	struct verbs_write write = { .immediate = all->taken, .id = ALLREDUCE_FROM_PREV };
	int err;

	write.remote = all->prev.base;
	write.rkey = all->prev.rkey;
	err = verbs_post_write(&all->prev.qps[0], &write);
	return err ? diag_system(diag, err, "step %u: giving back a slot", all->taken) : 0;
}

/* --- receiving --- */

static void note_wrong(struct allreduce *all, uint32_t step, uint64_t elements, uint64_t bad)
{
	struct allreduce_wrong *wrong = &all->wrong;

	if (wrong->chunks++ == 0) {
		wrong->step = step;
		wrong->chunk = chunk_received(all, step);
		wrong->element = bad;
	}
	wrong->elements += elements;
}

/* Whether the place that the chunk goes to has been acknowledged. */
static bool may_take(const struct allreduce *all)
{
	return all->taken < all->arrived &&
	       all->sent_last[chunk_received(all, all->taken)] <= all->acknowledged;
}

static int take_step(struct allreduce *all, struct diag *diag)
{
	uint32_t step = all->taken, elem = all->ring.elem_bytes;
	struct ring_step what = step_of(all, step);
	uint64_t at = what.recv.offset_bytes, began_ns = clock_ns(), ready_ns, bad = 0,
		 elements;
	struct allreduce_wanted wanted;

	if (all->flip == step + 1 && what.recv.length_bytes)
		*slot(all, step) ^= 1;
	allreduce_want(&wanted, all->plan.type, &all->ring, all->plan.rank,
		step % ring_steps(&all->ring));
	elements = allreduce_take(&wanted, work(all) + at, slot(all, step),
		what.adds ? input(all) + at : NULL, at / elem, what.recv.length_bytes / elem,
		&bad);
	if (elements)
		note_wrong(all, step, elements, bad);
	all->checked++;
	all->taken++;
	ready_ns = clock_ns();
	all->sums_ns += ready_ns - began_ns;
	if (step + 1 < all->count)
		all->steps[step + 1].ready_ns = ready_ns;
	return give_credit(all, diag);
}

/* --- completions --- */

static uint32_t least(const struct allreduce *all, const struct allreduce_side *side)
{
	uint32_t least = side->done[0];

	for (uint32_t i = 1; i < all->plan.qps; i++)
		if (side->done[i] < least)
			least = side->done[i];
	return least;
}

static void acknowledged(struct allreduce *all, uint32_t qp)
{
	bool held = all->taken < all->arrived && !may_take(all);
	uint32_t now;

	all->next.done[qp]++;
	now = least(all, &all->next);
	for (; all->acknowledged < now; all->acknowledged++)
		all->steps[all->acknowledged].completed_ns = all->last_ns;
	if (held && may_take(all))
		all->held_ns = all->last_ns;
}

static int arrived(struct allreduce *all, const struct verbs_done *done, struct diag *diag)
{
	uint32_t qp = done->id & ~ALLREDUCE_FROM_PREV, now;

	if (done->immediate != all->prev.done[qp])
		return diag_error(diag, -EIO, "%s sent step %u, expected %u", all->prev.peer,
			done->immediate, all->prev.done[qp]);
	all->prev.done[qp]++;
	now = least(all, &all->prev);
	for (; all->arrived < now && all->arrived < all->count; all->arrived++)
		all->steps[all->arrived].arrived_ns = all->last_ns;
	return 0;
}

static int credited(struct allreduce *all, const struct verbs_done *done, struct diag *diag)
{
	if (done->immediate > all->posted || done->immediate < all->credits)
		return diag_error(diag, -EIO, "%s gave back slot %u of %u", all->next.peer,
			done->immediate, all->posted);
	if (all->posted - all->credits >= ALLREDUCE_SLOTS)
		all->held_ns = all->last_ns;
	all->credits = done->immediate;
	return 0;
}

/* --- turning --- */

/* Requests of a QP that failed are flushed, sometimes before the one that is the cause, or with
 * none: it is waited for from turn to turn. */
static void flushed(struct allreduce *all, const struct verbs_done *done)
{
	if (all->cause_by_ns)
		return;
	all->flushed = *done;
	all->cause_by_ns = all->last_ns + CAUSE_NS;
}

static int take(struct allreduce *all, const struct verbs_done *done, struct diag *diag)
{
	bool prev = done->id & ALLREDUCE_FROM_PREV;
	uint32_t qp = done->id & ~ALLREDUCE_FROM_PREV;
	int err;

	if (done->status && !verbs_status_is_flushed(done->status))
		return allreduce_broke(all, done, diag);
	if (done->status) {
		flushed(all, done);
		return 0;
	}
	if (!done->received) {
		if (prev)
			all->returned++;
		else
			acknowledged(all, qp);
		return 0;
	}
	err = verbs_post_receive(prev ? &all->prev.qps[qp] : &all->next.qps[qp], done->id);
	if (err)
		return diag_system(diag, err, "posting a receive");
	return prev ? arrived(all, done, diag) : credited(all, done, diag);
}

static int advance(struct allreduce *all, struct diag *diag)
{
	int err = 0;

	while (!err && may_take(all))
		err = take_step(all, diag);
	while (!err && may_post(all))
		err = post_step(all, diag);
	return err;
}

int allreduce_begin(struct allreduce *all, struct diag *diag)
{
	all->last_ns = clock_ns();
	all->steps[0].ready_ns = all->last_ns;
	return advance(all, diag);
}

int allreduce_turn(struct allreduce *all, struct diag *diag)
{
	struct verbs_done done[VERBS_DONE_MAX];
	int taken = verbs_poll(&all->cq, done), err = 0;
	uint64_t now = clock_ns();

	if (taken < 0)
		return diag_system(diag, taken, "%s: taking completions", all->verbs->device);
	if (taken)
		all->last_ns = now;
	for (int i = 0; i < taken && !err; i++)
		err = take(all, &done[i], diag);
	if (!err && all->cause_by_ns && now > all->cause_by_ns)
		err = allreduce_broke(all, &all->flushed, diag);
	if (!err && !taken && now > all->last_ns + all->stall_ns)
		err = allreduce_stalled(all, diag);
	if (!err && taken && !all->cause_by_ns)
		err = advance(all, diag);
	return err ? err : taken;
}

bool allreduce_has_ended(const struct allreduce *all)
{
	return all->taken == all->count && all->acknowledged == all->count;
}

void allreduce_close(struct allreduce *all)
{
	for (uint32_t i = 0; i < all->plan.qps; i++) {
		verbs_qp_close(&all->next.qps[i]);
		verbs_qp_close(&all->prev.qps[i]);
	}
	verbs_cq_close(&all->cq);
	verbs_memory_close(&all->memory);
	free(all->steps);
	free(all->sent_last);
	*all = (struct allreduce)ALLREDUCE_INIT;
}
