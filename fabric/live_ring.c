/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of a stage: one rank a host. */
#include "fabric/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"
#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/rng.h"

#define STEPS_NS (10 * NS_PER_S) /* for one answer */

static uint32_t steps_of(const struct plan_ring *plan)
{
	return 2 * (plan->ranks - 1) * plan->iterations;
}

void live_ring_open(struct live_stage *run)
{
	const struct plan_ring *plan = &run->stage->ring;

	run->ranks = zeroed(plan->ranks, sizeof(*run->ranks));
	for (uint32_t i = 0; i < plan->ranks; i++) {
		run->ranks[i].host = agents_of_nic(&run->live->agents, plan->nics[i]);
		run->ranks[i].steps = zeroed(steps_of(plan), sizeof(struct allreduce_step));
	}
}

void live_ring_close(struct live_stage *run)
{
	for (uint32_t i = 0; i < run->stage->ring.ranks; i++)
		free(run->ranks[i].steps);
	free(run->ranks);
}

/* The rank of a host, or NULL. */
static struct live_rank *rank_of(struct live_stage *run, const struct agents_host *host)
{
	for (uint32_t i = 0; i < run->stage->ring.ranks; i++)
		if (run->ranks[i].host == host)
			return &run->ranks[i];
	return NULL;
}

static uint32_t number(const struct live_stage *run, const struct live_rank *rank)
{
	return (uint32_t)(rank - run->ranks);
}

static struct live_rank *neighbour(
	struct live_stage *run, const struct live_rank *rank, uint32_t on)
{
	return &run->ranks[(number(run, rank) + on) % run->stage->ring.ranks];
}

/* --- frames --- */

void live_ring_prepare(
	struct live_stage *run, const struct agents_host *host, struct json *body)
{
	const struct live_rank *rank = rank_of(run, host);
	const struct plan_ring *ring = &run->stage->ring;
	struct allreduce_plan plan;
	struct live_terms terms;
	uint32_t nic, next;

	if (!rank)
		return;
	nic = ring->nics[number(run, rank)];
	next = ring->nics[(number(run, rank) + 1) % ring->ranks];
	terms = live_terms(run->live, nic, next, false);
	plan = (struct allreduce_plan){
		.rank = number(run, rank),
		.ranks = ring->ranks,
		.qps = ring->qps < ALLREDUCE_QPS_MAX ? ring->qps : ALLREDUCE_QPS_MAX,
		.iterations = ring->iterations,
		.bytes = ring->bytes,
		.type = (enum allreduce_type)ring->type,
		.mtu_bytes = terms.mtu_bytes,
		.traffic_class = terms.traffic_class,
		.timeout_exp = terms.timeout_exp,
		.retry = terms.retry,
		.seed = rng_derive(run->live->plan->seed, number(run, rank)) >> 1,
	};
	body = json_put_object(body, "ring");
	json_put_u64(body, "device", nic - host->first_nic);
	agent_put_ring(body, &plan);
}

int live_ring_prepared(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag)
{
	struct live_rank *rank = rank_of(run, host);
	const struct json *ring = json_get(body, "ring");
	int err;

	if (!rank)
		return 0;
	err = gen_get_end(json_get(ring, "next"), &rank->next, diag);
	return err ? err : gen_get_end(json_get(ring, "prev"), &rank->prev, diag);
}

/* The QPs towards the next rank meet those that it has towards the one before. */
void live_ring_connect(
	struct live_stage *run, const struct agents_host *host, struct json *body)
{
	const struct live_rank *rank = rank_of(run, host);
	uint32_t ranks = run->stage->ring.ranks;

	if (!rank)
		return;
	body = json_put_object(body, "ring");
	gen_put_end(json_put_object(body, "next"), &neighbour(run, rank, 1)->prev);
	gen_put_end(json_put_object(body, "prev"), &neighbour(run, rank, ranks - 1)->next);
}

int live_ring_sent(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag)
{
	struct live_rank *rank = rank_of(run, host);

	return rank ? agent_get_ring_sent(json_get(body, "ring"), &rank->sent, diag) : 0;
}

/* As many as have come, or -EPROTO. */
static int check_steps(const struct live_stage *run, const struct live_rank *rank,
	uint32_t count, struct diag *diag)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct allreduce_step *step = &rank->steps[rank->step_count + i];

		if (!live_is_of_stage(run, rank->host, step->ready_ns) ||
			!live_is_of_stage(run, rank->host, step->posted_ns) ||
			!live_is_of_stage(run, rank->host, step->completed_ns) ||
			!live_is_of_stage(run, rank->host, step->arrived_ns))
			return diag_error(diag, -EPROTO,
				"its agent tells of times that are not of the stage");
	}
	return (int)count;
}

static void ask_steps(struct live_stage *run, struct live_rank *rank)
{
	uint32_t all = steps_of(&run->stage->ring);

	while (rank->host->alive && rank->step_count < all) {
		struct json *body = json_new_object();
		char refusal[256];
		struct diag why;
		int got;

		json_put_u64(body, "from", rank->step_count);
		agents_say(rank->host, AGENT_STEPS, body);
		if (!agents_hear(&run->live->agents, rank->host, AGENT_STEPS, &body,
			    clock_ns() + STEPS_NS, refusal))
			return;
		got = agent_get_steps(json_get(body, "steps"), rank->steps + rank->step_count,
			all - rank->step_count, &why);
		json_free(body);
		if (got > 0)
			got = check_steps(run, rank, (uint32_t)got, &why);
		if (got <= 0) {
			agents_give_up(rank->host, got ? why.text : "its agent has no steps");
			return;
		}
		rank->step_count += (uint32_t)got;
	}
}

void live_ring_steps(struct live_stage *run)
{
	for (uint32_t i = 0; i < run->stage->ring.ranks; i++)
		ask_steps(run, &run->ranks[i]);
}

/* --- the result --- */

static uint64_t on_run(const struct live *live, const struct agents_host *host, uint64_t ns)
{
	return ns ? live_run_ns(live, host, ns) : 0;
}

static int ascending(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The acknowledgement, on the sender's clock, follows an arrival in no time, but where one of the
 * two hosts was busy: the median of what lies between them is the error of the clocks. */
void live_ring_align(struct run_step *steps, uint32_t count, uint64_t error_ns)
{
	int64_t *between = zeroed(count, sizeof(*between)), shift_ns = 0;
	int64_t most_ns = error_ns < INT64_MAX ? (int64_t)error_ns : INT64_MAX;
	uint32_t known = 0;

	for (uint32_t i = 0; i < count; i++)
		if (steps[i].arrived_ns && steps[i].completed_ns)
			between[known++] =
				(int64_t)(steps[i].completed_ns - steps[i].arrived_ns);
	if (known) {
		qsort(between, known, sizeof(*between), ascending);
		shift_ns = between[known / 2];
	}
	if (shift_ns > most_ns || shift_ns < -most_ns)
		shift_ns = shift_ns > 0 ? most_ns : -most_ns;
	for (uint32_t i = 0; i < count; i++)
		if (steps[i].arrived_ns)
			steps[i].arrived_ns += (uint64_t)shift_ns;
	free(between);
}

static void collect_steps(struct live_stage *run, struct sim_result *result)
{
	const struct plan_ring *plan = &run->stage->ring;
	uint32_t all = steps_of(plan), each = 2 * (plan->ranks - 1);

	result->steps = zeroed((size_t)all * plan->ranks, sizeof(*result->steps));
	for (uint32_t r = 0; r < plan->ranks; r++) {
		const struct live_rank *rank = &run->ranks[r], *next = neighbour(run, rank, 1);
		struct run_step *first = &result->steps[result->step_count];

		for (uint32_t i = 0; i < rank->step_count; i++) {
			struct run_step *row = &result->steps[result->step_count++];
			const struct allreduce_step *step = &rank->steps[i];

			*row = (struct run_step){
				.stage = result->stage.id,
				.iteration = i / each,
				.rank = r,
				.step = i % each,
				.ready_ns = on_run(run->live, rank->host, step->ready_ns),
				.posted_ns = on_run(run->live, rank->host, step->posted_ns),
				.completed_ns =
					on_run(run->live, rank->host, step->completed_ns),
				.arrived_ns = on_run(
					run->live, next->host, next->steps[i].arrived_ns),
			};
		}
		live_ring_align(
			first, rank->step_count, rank->host->error_ns + next->host->error_ns);
	}
}

static void collect_sums(struct live_stage *run, struct sim_result *result)
{
	for (uint32_t r = 0; r < run->stage->ring.ranks; r++) {
		const struct agent_ring_sent *sent = &run->ranks[r].sent;
		uint32_t nic = run->stage->ring.nics[r];

		live_put_counter(run, result, nic, C_RING_CHECKED, sent->checked);
		live_put_counter(run, result, nic, C_RING_SUMS_NS, sent->sums_ns);
		live_put_counter(run, result, nic, C_RING_WRONG, sent->wrong.chunks);
		if (sent->wrong.chunks == 0)
			continue;
		live_put_counter(run, result, nic, C_RING_WRONG_STEP, sent->wrong.step);
		live_put_counter(run, result, nic, C_RING_WRONG_CHUNK, sent->wrong.chunk);
	}
}

/* Bytes that the next rank has taken in, and how many there would be. */
static void bytes_of(const struct live_stage *run, uint32_t rank, struct run_flow *row)
{
	const struct plan_ring *plan = &run->stage->ring;
	uint32_t next = (rank + 1) % plan->ranks, each = 2 * (plan->ranks - 1);
	struct ring ring;

	if (ring_init(&ring, plan->ranks, plan->bytes, plan->elem_bytes))
		return;
	for (uint32_t i = 0; i < steps_of(plan); i++) {
		uint64_t bytes = ring_plan(&ring, rank, i % each).send.length_bytes;

		row->bytes_planned += bytes;
		row->bytes_posted += run->ranks[rank].steps[i].posted_ns ? bytes : 0;
		row->bytes_delivered += i < run->ranks[next].sent.taken ? bytes : 0;
	}
}

/* Either end may have found that an edge does not carry. Where one of them failed by itself, that
 * is why it did not answer the other. */
static bool gave_up(const struct agent_ring_sent *from, const struct agent_ring_sent *to)
{
	return (from->unreachable_next || to->unreachable_prev) && !from->failed && !to->failed;
}

static void collect_edge(struct live_stage *run, uint32_t rank, struct run_flow *row)
{
	const struct plan_ring *plan = &run->stage->ring;
	const struct live_rank *from = &run->ranks[rank];
	uint32_t next = (rank + 1) % plan->ranks, last = steps_of(plan) - 1;
	struct live_terms terms =
		live_terms(run->live, plan->nics[rank], plan->nics[next], false);

	row->flow = rank;
	live_nic_name(run->live, plan->nics[rank], row->src);
	live_nic_name(run->live, plan->nics[next], row->dst);
	row->qps = plan->qps;
	bytes_of(run, rank, row);
	row->packets_sent = (row->bytes_posted + terms.mtu_bytes - 1) / terms.mtu_bytes;
	row->packets_received = (row->bytes_delivered + terms.mtu_bytes - 1) / terms.mtu_bytes;
	row->complete = row->bytes_delivered == row->bytes_planned;
	row->qp_error = gave_up(&from->sent, &run->ranks[next].sent);
	row->start_ns = on_run(run->live, from->host, from->steps[0].posted_ns);
	if (row->complete)
		row->end_ns = on_run(run->live, run->ranks[next].host,
			run->ranks[next].steps[last].arrived_ns);
}

static bool is_done(const struct live_stage *run, uint32_t rank)
{
	return run->ranks[rank].sent.taken == steps_of(&run->stage->ring);
}

/* The agents had as much longer as their sums took: those that were not done when their time was
 * up, where there are such. */
static void extend(struct live_stage *run, struct sim_result *result)
{
	uint64_t most_ns = 0, late_ns = 0;

	for (uint32_t r = 0; r < run->stage->ring.ranks; r++) {
		const struct agent_ring_sent *sent = &run->ranks[r].sent;

		if (sent->sums_ns > most_ns)
			most_ns = sent->sums_ns;
		if (!is_done(run, r) && !sent->why[0] && sent->sums_ns > late_ns)
			late_ns = sent->sums_ns;
	}
	if (late_ns)
		most_ns = late_ns;
	result->stage.deadline_ns += most_ns < AGENT_SUMS_NS_MAX ? most_ns : AGENT_SUMS_NS_MAX;
}

/* How much what a rank tells explains: its own failure that of its neighbours, and theirs that
 * others waited. */
static unsigned explains(const struct live_stage *run, uint32_t rank)
{
	const struct agent_ring_sent *sent = &run->ranks[rank].sent;

	if (sent->failed)
		return 4;
	if (sent->unreachable_next || sent->unreachable_prev)
		return 3;
	if (is_done(run, rank))
		return 0;
	return sent->why[0] ? 1 : 2;
}

static void conclude(struct live_stage *run, struct sim_result *result)
{
	struct run_stage *stage = &result->stage;
	const struct live_rank *rank;
	uint32_t most = 0;
	bool done = true;

	for (uint32_t r = 0; r < run->stage->ring.ranks; r++) {
		done &= is_done(run, r);
		if (explains(run, r) > explains(run, most))
			most = r;
	}
	if (done)
		return;
	rank = &run->ranks[most];
	stage->status = RUN_PARTIAL;
	snprintf(stage->reason, sizeof(stage->reason), "rank %u, %s: %.150s", most,
		rank->host->name,
		rank->sent.why[0] ? rank->sent.why : "not done when its time was up");
}

void live_ring_collect(struct live_stage *run, struct sim_result *result)
{
	const struct plan_ring *plan = &run->stage->ring;

	if (plan->ranks == 0)
		return;
	free(result->flows); /* a ring stands alone in its stage */
	result->flow_count = 0;
	result->flows = zeroed(plan->ranks, sizeof(*result->flows));
	for (uint32_t r = 0; r < plan->ranks; r++) {
		collect_edge(run, r, &result->flows[r]);
		result->flows[r].stage = result->stage.id;
		result->flow_count++;
	}
	collect_steps(run, result);
	collect_sums(run, result);
	extend(run, result);
	conclude(run, result);
}
