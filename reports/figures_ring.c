/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/figures_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

/*
 * An all-reduce is over when the last byte of its last step has arrived
 * everywhere. The iterations follow each other with no barrier but the data, so
 * their mean time is that of all of them over their number.
 */
struct iterations {
	uint64_t first_posted_ns;
	uint64_t last_arrived_ns; /* of the complete ones */
	uint32_t complete;
};

/* The arrivals that an iteration still lacks, and its last one. */
struct iteration {
	uint64_t missing, last_arrived_ns;
};

static struct iterations count_iterations(
	const struct figure_ring *ring, const struct run_step *steps, size_t count)
{
	uint64_t messages = (uint64_t)ring->ranks * 2 * (ring->ranks - 1);
	/* No more can be complete, whatever number the file claims. */
	uint64_t most =
		count / messages < ring->iterations ? count / messages : ring->iterations;
	struct iteration *each = zeroed(most, sizeof(*each));
	struct iterations sum = { .first_posted_ns = UINT64_MAX };

	for (uint64_t i = 0; i < most; i++)
		each[i].missing = messages;
	for (size_t i = 0; i < count; i++) {
		if (steps[i].posted_ns < sum.first_posted_ns)
			sum.first_posted_ns = steps[i].posted_ns;
		if (steps[i].iteration >= most || !steps[i].arrived_ns)
			continue;
		if (each[steps[i].iteration].missing)
			each[steps[i].iteration].missing--;
		if (steps[i].arrived_ns > each[steps[i].iteration].last_arrived_ns)
			each[steps[i].iteration].last_arrived_ns = steps[i].arrived_ns;
	}
	while (sum.complete < most && !each[sum.complete].missing) {
		if (each[sum.complete].last_arrived_ns > sum.last_arrived_ns)
			sum.last_arrived_ns = each[sum.complete].last_arrived_ns;
		sum.complete++;
	}
	free(each);
	return sum;
}

/* nccl-tests, doc/PERFORMANCE.md: algbw = size / time, and for an all-reduce
 * busbw = algbw * 2 (n - 1) / n. */
static void set_bandwidth(struct figure_ring *ring, const struct iterations *iterations)
{
	double algbw;

	ring->iterations_complete = iterations->complete;
	if (!iterations->complete || iterations->last_arrived_ns <= iterations->first_posted_ns)
		return;
	ring->time_ns = (iterations->last_arrived_ns - iterations->first_posted_ns) /
			iterations->complete;
	if (!ring->time_ns)
		return;
	algbw = (double)ring->bytes * 8 * (double)NS_PER_S / (double)ring->time_ns;
	ring->algbw_bps = (uint64_t)(algbw + 0.5);
	ring->busbw_bps = (uint64_t)(algbw * 2 * (ring->ranks - 1) / ring->ranks + 0.5);
}

struct timed {
	uint32_t rank;
	uint64_t ns;
};

static int by_rank_and_time(const void *left, const void *right)
{
	const struct timed *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static int by_time(const void *left, const void *right)
{
	const struct timed *a = left, *b = right;

	return (a->ns > b->ns) - (a->ns < b->ns);
}

/* From the sender's post to the last byte at the receiver: what the edge took,
 * without the wait for the sender's own input. */
static size_t time_steps(const struct figure_ring *ring, const struct run_step *steps,
	size_t count, struct timed *times)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (steps[i].rank < ring->ranks && steps[i].arrived_ns > steps[i].posted_ns)
			times[used++] = (struct timed){ steps[i].rank,
				steps[i].arrived_ns - steps[i].posted_ns };
	return used;
}

static void find_slowest(struct figure_ring *ring, struct timed *times, size_t count)
{
	if (count == 0)
		return;
	qsort(times, count, sizeof(*times), by_rank_and_time);
	for (size_t i = 0; i < count;) {
		size_t end = i;
		uint64_t median_ns;

		while (end < count && times[end].rank == times[i].rank)
			end++;
		median_ns = times[i + (end - i) / 2].ns;
		if (!ring->has_slowest || median_ns > ring->slowest_ns) {
			ring->slowest_rank = times[i].rank;
			ring->slowest_ns = median_ns;
			ring->has_slowest = true;
		}
		i = end;
	}
	qsort(times, count, sizeof(*times), by_time);
	if (count)
		ring->median_ns = times[count / 2].ns;
}

static int name_slowest(
	struct figure_ring *ring, uint32_t stage, struct run *run, struct diag *diag)
{
	char(*names)[RUN_NAME] = NULL;
	size_t count = 0;
	int err;

	err = run_get_ring_names(run, stage, &names, &count, diag);
	if (!err && ring->has_slowest && ring->slowest_rank < count) {
		snprintf(ring->slowest_src, RUN_NAME, "%s", names[ring->slowest_rank]);
		snprintf(ring->slowest_dst, RUN_NAME, "%s",
			names[(ring->slowest_rank + 1) % count]);
	}
	free(names);
	return err;
}

static int read_steps(
	struct figure_ring *ring, uint32_t stage, struct run *run, struct diag *diag)
{
	struct run_step *steps = NULL;
	struct iterations iterations;
	struct timed *times;
	size_t count = 0;
	int err;

	err = run_get_steps(run, stage, &steps, &count, diag);
	if (err)
		return err;
	iterations = count_iterations(ring, steps, count);
	set_bandwidth(ring, &iterations);
	times = zeroed(count, sizeof(*times));
	find_slowest(ring, times, time_steps(ring, steps, count, times));
	free(times);
	free(steps);
	return 0;
}

int figures_read_ring(
	struct figures *figures, uint32_t stage, struct run *run, struct diag *diag)
{
	struct plan_ring plan = { 0 };
	struct figure_ring ring = { .stage = stage };
	uint32_t id = figures->stages[stage].stage.id;
	int err;

	err = run_get_ring(run, id, &plan, diag);
	if (err)
		return err;
	free(plan.nics);
	if (plan.ranks < 2)
		return 0;
	ring.ranks = plan.ranks;
	ring.qps = plan.qps;
	ring.bytes = plan.bytes;
	ring.iterations = plan.iterations;
	err = read_steps(&ring, id, run, diag);
	if (!err)
		err = name_slowest(&ring, id, run, diag);
	if (err)
		return err;
	/* At most one a stage. */
	if (!figures->rings)
		figures->rings = zeroed(figures->stage_count, sizeof(*figures->rings));
	figures->rings[figures->ring_count++] = ring;
	return 0;
}
