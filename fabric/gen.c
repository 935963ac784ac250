/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/clock.h"
#include "lib/crc32c.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"

#define CHECK_MEMORY (UINT64_C(256) << 20)
#define EVERY_MAX 16u
#define EVERY_BYTES MIB
#define RECEIVE_ROUNDS 4u
#define LINE_BYTES 64u
#define SLOW_BPS (GBPS / 10) /* of the slowest link that nobody takes for a stall */

/* --- the plan --- */

static uint64_t stride_of(uint64_t bytes)
{
	return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Bytes in front of a message that has arrived. */
static uint32_t front_of(const struct gen_plan *plan)
{
	return plan->datagrams ? VERBS_GRH_BYTES : 0;
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

int gen_plan_complete(struct gen_plan *plan, struct diag *diag)
{
	uint64_t stride = stride_of(plan->bytes + front_of(plan)), memory;

	if (plan->latency && plan->qps != 1)
		return diag_error(diag, -EINVAL,
			"latency is measured on one QP, %u were asked for", plan->qps);
	if (plan->datagrams && plan->bytes > plan->mtu_bytes)
		return diag_error(diag, -EINVAL,
			"-s %" PRIu64 ": a datagram holds at most the MTU, %u bytes",
			plan->bytes, plan->mtu_bytes);
	if (plan->messages > INT64_MAX / plan->bytes / plan->qps)
		return diag_error(diag, -EINVAL,
			"-n %" PRIu64 ": so many messages of %" PRIu64
			" bytes on %u QPs are more "
			"than can be counted: choose fewer",
			plan->messages, plan->bytes, plan->qps);
	if (!plan->burst != !plan->period_ps)
		return diag_error(diag, -EINVAL, "bursts of %" PRIu64 " every %" PRIu64 " ps",
			plan->burst, plan->period_ps);
	if (plan->check)
		plan->depth =
			(uint32_t)clamp(CHECK_MEMORY / stride / plan->qps, 1, plan->depth);
	/* What is paced has few under way, whose completions must not wait for one another. */
	if ((plan->latency && plan->work == VERBS_READ) || plan->burst)
		plan->every = 1;
	if (!plan->every)
		plan->every = (uint32_t)clamp(EVERY_BYTES / plan->bytes, 1, EVERY_MAX);
	if (plan->every > plan->depth)
		plan->every = plan->depth;
	plan->depth = plan->depth / plan->every * plan->every;
	plan->slots = plan->check ? plan->depth : 1;
	memory = (1 + RECEIVE_ROUNDS) * (uint64_t)plan->qps * plan->slots * stride;
	if (memory <= GEN_MEMORY_MAX)
		return 0;
	return diag_error(diag, -EINVAL,
		"%u QPs with messages of %" PRIu64 " bytes need %" PRIu64
		" MiB of memory, the limit "
		"is %" PRIu64 " MiB: choose fewer QPs or a smaller -s",
		plan->qps, plan->bytes, memory / MIB, (uint64_t)GEN_MEMORY_MAX / MIB);
}

bool gen_sends(const struct gen *gen)
{
	return gen->active || gen->plan.both || gen->plan.latency;
}

bool gen_receives(const struct gen *gen)
{
	bool two_sided = gen->plan.work == VERBS_SEND || gen->plan.work == VERBS_WRITE_IMM;

	return two_sided && (!gen->active || gen->plan.both || gen->plan.latency);
}

/* --- memory: of each QP the slots it sends from, then the slots it receives into --- */

static uint64_t qp_bytes(const struct gen *gen)
{
	return (gen->plan.slots + gen->arrival_slots) * gen->stride;
}

uint64_t gen_send_offset(const struct gen *gen, uint32_t qp)
{
	return qp * qp_bytes(gen);
}

uint64_t gen_receive_offset(const struct gen *gen, uint32_t qp)
{
	return qp * qp_bytes(gen) + gen->plan.slots * gen->stride;
}

/* The same at both ends, so that each knows what must arrive. */
static void fill(struct gen *gen, uint32_t qp, uint32_t slot)
{
	const struct gen_plan *plan = &gen->plan;
	uint8_t *at = gen->memory.base + gen_send_offset(gen, qp) + slot * gen->stride;
	struct rng rng;

	rng_init(&rng, rng_derive(plan->seed, (uint64_t)qp << 32 | slot));
	for (uint64_t i = 0; i < gen->stride; i += sizeof(uint64_t)) {
		uint64_t word = rng_u64(&rng);

		memcpy(at + i, &word, sizeof(word));
	}
	gen->crcs[qp * plan->slots + slot] = crc32c(at, plan->bytes);
}

/* Those bytes are gone from memory, in case the next message never arrives. */
static void wipe_ends(uint8_t *at, uint64_t bytes)
{
	uint64_t length = bytes < LINE_BYTES ? bytes : LINE_BYTES;

	memset(at, 0, length);
	memset(at + bytes - length, 0, length);
}

void gen_check(struct gen *gen, uint32_t qp, uint32_t place, uint32_t slot, bool wipe)
{
	const struct gen_plan *plan = &gen->plan;
	uint8_t *at = gen->memory.base + gen_receive_offset(gen, qp) + place * gen->stride +
		      front_of(plan);

	gen->result.checked++;
	if (crc32c(at, plan->bytes) != gen->crcs[qp * plan->slots + slot % plan->slots] &&
		gen->result.corrupt++ == 0) {
		gen->result.corrupt_qp = qp;
		gen->result.corrupt_slot = place;
	}
	if (wipe)
		wipe_ends(at, plan->bytes);
}

static int open_memory(struct gen *gen, struct diag *diag)
{
	const struct gen_plan *plan = &gen->plan;
	int err;

	/* It is looked at without a completion: a ping's last byte, and what plain writes left. */
	gen->memory.strict = plan->latency || (plan->check && plan->work == VERBS_WRITE);
	err = verbs_memory_open(&gen->memory, gen->verbs, plan->qps * qp_bytes(gen), diag);
	if (err || !plan->check)
		return err;
	gen->crcs = zeroed((size_t)plan->qps * plan->slots, sizeof(*gen->crcs));
	for (uint32_t qp = 0; qp < plan->qps; qp++)
		for (uint32_t slot = 0; slot < plan->slots; slot++)
			fill(gen, qp, slot);
	return 0;
}

/* --- queues --- */

/* Room for every completion that can be there at once. */
static uint64_t done_count(const struct gen *gen)
{
	const struct gen_plan *plan = &gen->plan;

	return plan->qps * (plan->depth / plan->every + 1u + (uint64_t)gen->receives);
}

/* So many, where the device has room, that a receiver that is late by a few rounds is not
 * found without one. With a check each receive of a send has a place of its own, so that none
 * is overwritten before it has been looked at. */
static void count_receives(struct gen *gen)
{
	const struct gen_plan *plan = &gen->plan;

	gen->arrival_slots = plan->slots;
	if (!gen_receives(gen))
		return;
	gen->receives = plan->depth * RECEIVE_ROUNDS;
	while (gen->receives > plan->depth && (gen->receives > gen->verbs->work_max ||
						      done_count(gen) > gen->verbs->done_max))
		gen->receives -= plan->depth;
	if (plan->check && plan->work == VERBS_SEND)
		gen->arrival_slots = gen->receives;
}

/* A QP that fails has all its requests flushed: where there is room for them, too, the one that
 * is the cause is not lost. */
static uint64_t cq_entries(const struct gen *gen)
{
	const struct gen_plan *plan = &gen->plan;
	uint64_t flushed = plan->qps * (plan->depth + 1u + (uint64_t)gen->receives);

	return flushed <= gen->verbs->done_max ? flushed : done_count(gen);
}

static int open_cq(struct gen *gen, struct diag *diag)
{
	uint64_t entries = cq_entries(gen);

	if (entries <= gen->verbs->done_max)
		return verbs_cq_open_stamped(&gen->cq, gen->verbs, (uint32_t)entries, diag);
	return diag_error(diag, -EINVAL,
		"%s holds at most %u completions, %" PRIu64
		" could come at once: choose fewer QPs "
		"or a smaller -t",
		gen->verbs->device, gen->verbs->done_max, entries);
}

/* 4.096 us * 2^timeout, up to four times as long (InfiniBand 9.7.6.1.3), for each try; and what
 * it takes to send, at SLOW_BPS, all that may come before a completion: of latency a message
 * there and one back. The largest product is 2^50 bytes times 80. */
uint64_t gen_stall_ns(const struct gen_plan *plan)
{
	uint64_t once = (UINT64_C(4096) << plan->timeout_exp) * 4;
	uint64_t bytes = plan->bytes * (plan->latency ? 2 : (uint64_t)plan->qps * plan->every);

	return clamp(once * (plan->retry + 1u), 5 * NS_PER_S, 60 * NS_PER_S) +
	       bytes * (8 * NS_PER_S / SLOW_BPS);
}

static int open_qp(struct gen *gen, uint32_t i, uint32_t inline_bytes, struct diag *diag)
{
	const struct gen_plan *plan = &gen->plan;
	struct verbs_qp *qp = &gen->qps[i].qp;

	if (plan->datagrams)
		return verbs_qp_open_datagrams(qp, gen->verbs, &gen->cq, plan->depth,
			gen->receives, inline_bytes, gen_key(plan), diag);
	return verbs_qp_open(qp, gen->verbs, &gen->cq, plan->depth, gen->receives, inline_bytes,
		(uint32_t)rng_derive(plan->seed + gen->active, i), diag);
}

/* A NIC can have the times of completions in a form that its driver gives to no QP, such as
 * mlx5 with a clock that tells real time alone: then without them. */
static int open_first_qp(struct gen *gen, uint32_t inline_bytes, struct diag *diag)
{
	int err = open_qp(gen, 0, inline_bytes, diag);

	if (!err || !gen->cq.stamped)
		return err;
	verbs_qp_close(&gen->qps[0].qp);
	verbs_cq_close(&gen->cq);
	err = verbs_cq_open(&gen->cq, gen->verbs, (uint32_t)cq_entries(gen), diag);
	return err ? err : open_qp(gen, 0, inline_bytes, diag);
}

/* That nobody else can know; as large as JSON can hold. */
static uint64_t word(void)
{
	uint64_t random = 0;

	(void)!getrandom(&random, sizeof(random), 0);
	return random & INT64_MAX;
}

int gen_open(struct gen *gen, const struct verbs *verbs, const struct gen_plan *plan,
	bool active, struct diag *diag)
{
	uint32_t inline_bytes;
	int err;

	gen->plan = *plan;
	gen->verbs = verbs;
	gen->active = active;
	gen->round = 1;
	gen->stall_ns = gen_stall_ns(plan);
	gen->stride = stride_of(plan->bytes + front_of(plan));
	count_receives(gen);
	inline_bytes = plan->bytes <= plan->inline_bytes ? (uint32_t)plan->bytes : 0;
	err = open_memory(gen, diag);
	if (!err)
		err = open_cq(gen, diag);
	if (!err)
		err = open_first_qp(gen, inline_bytes, diag);
	for (uint32_t i = 1; i < plan->qps && !err; i++)
		err = open_qp(gen, i, inline_bytes, diag);
	if (!err && plan->cm && !active)
		err = rdmacm_listen(&gen->cm, verbs, word(), diag);
	if (plan->latency && active) {
		gen->times = zeroed(1, sizeof(*gen->times));
		histogram_init(gen->times);
	}
	return err;
}

void gen_end(const struct gen *gen, struct gen_end *end)
{
	*end = (struct gen_end){
		.rkey = gen->memory.rkey,
		.base = (uintptr_t)gen->memory.base,
		.cm_port = gen->cm.port,
		.cm_word = gen->cm.word,
		.reads = gen->verbs->reads_in,
		.qps = gen->plan.qps,
	};
	memcpy(end->gid, gen->verbs->gid, GID_BYTES);
	for (uint32_t i = 0; i < end->qps; i++)
		end->qp[i] = (struct gen_end_qp){
			.number = gen->qps[i].qp.number,
			.psn = gen->qps[i].qp.psn,
		};
}

void gen_close(struct gen *gen)
{
	rdmacm_close(&gen->cm);
	for (uint32_t i = 0; i < gen->plan.qps; i++) {
		verbs_qp_close(&gen->qps[i].qp);
		verbs_address_close(&gen->qps[i].address);
		verbs_ring_close(&gen->qps[i].sends);
		verbs_ring_close(&gen->qps[i].receives);
	}
	verbs_cq_close(&gen->cq);
	verbs_memory_close(&gen->memory);
	free(gen->crcs);
	free(gen->times);
	free(gen->result.series);
	gen->crcs = NULL;
	gen->times = NULL;
	gen->result.series = NULL;
}
