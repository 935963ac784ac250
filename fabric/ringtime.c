/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/ringtime.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

static int ascending(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts values; of an even number the upper of the two in the middle. */
static uint64_t median(uint64_t *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), ascending);
	return values[count / 2];
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void count_spikes(
	struct edge_time *edge, const uint64_t *values, size_t count, uint64_t spike_ppb)
{
	uint64_t least = edge->median_ns * (spike_ppb / 1000) / (PPB / 1000);
	uint64_t spread = SPIKE_MADS * edge->mad_ns;
	uint64_t limit = edge->median_ns + (least > spread ? least : spread);

	for (size_t i = 0; i < count; i++) {
		if (values[i] > edge->longest_ns)
			edge->longest_ns = values[i];
		if (values[i] <= limit)
			continue;
		edge->spikes++;
		edge->spike_ns += values[i] - edge->median_ns;
	}
}

static void time_edge(struct edge_time *edge, const struct evidence *evidence, uint32_t rank,
	uint64_t *values, uint64_t *distances, uint64_t spike_ppb)
{
	size_t count = 0;

	for (size_t i = 0; i < evidence->step_count; i++) {
		const struct run_step *step = &evidence->steps[i];

		if (step->rank != rank || step->arrived_ns < step->posted_ns ||
			step->arrived_ns == 0)
			continue;
		if (step->posted_ns > step->ready_ns)
			edge->wait_ns += step->posted_ns - step->ready_ns;
		values[count++] = step->arrived_ns - step->posted_ns;
	}
	edge->steps = (uint32_t)count;
	edge->median_ns = median(values, count);
	for (size_t i = 0; i < count; i++)
		distances[i] = apart(values[i], edge->median_ns);
	edge->mad_ns = median(distances, count);
	count_spikes(edge, values, count, spike_ppb);
}

/* Ends of the iterations in which every step of every rank arrived, in order. */
static void time_iterations(struct ringtime *times, const struct evidence *evidence)
{
	uint32_t most = evidence->ring.iterations, steps = 2 * (times->ranks - 1);
	uint64_t *ends = zeroed(most, sizeof(*ends)), last;
	uint32_t *arrived = zeroed(most, sizeof(*arrived));

	times->start_ns = UINT64_MAX;
	for (size_t i = 0; i < evidence->step_count; i++) {
		const struct run_step *step = &evidence->steps[i];

		if (step->iteration >= most || step->arrived_ns == 0)
			continue;
		if (step->posted_ns < times->start_ns)
			times->start_ns = step->posted_ns;
		arrived[step->iteration]++;
		if (step->arrived_ns > ends[step->iteration])
			ends[step->iteration] = step->arrived_ns;
	}
	times->iteration_ns = zeroed(most, sizeof(*times->iteration_ns));
	last = times->start_ns;
	while (times->iterations < most && arrived[times->iterations] == times->ranks * steps) {
		times->iteration_ns[times->iterations] = ends[times->iterations] - last;
		last = ends[times->iterations++];
	}
	times->end_ns = last;
	free(ends);
	free(arrived);
}

bool ringtime_init(struct ringtime *times, const struct evidence *evidence, uint64_t spike_ppb)
{
	uint64_t *values, *distances, *medians;

	memset(times, 0, sizeof(*times));
	if (evidence->ring.ranks < 2 || evidence->step_count == 0)
		return false;
	times->ranks = evidence->ring.ranks;
	times->edges = zeroed(times->ranks, sizeof(*times->edges));
	values = zeroed(evidence->step_count, sizeof(*values));
	distances = zeroed(evidence->step_count, sizeof(*distances));
	medians = zeroed(times->ranks, sizeof(*medians));
	for (uint32_t rank = 0; rank < times->ranks; rank++) {
		time_edge(&times->edges[rank], evidence, rank, values, distances, spike_ppb);
		medians[rank] = times->edges[rank].median_ns;
		if (medians[rank] > times->edges[times->slowest].median_ns)
			times->slowest = rank;
	}
	times->median_ns = median(medians, times->ranks);
	time_iterations(times, evidence);
	free(values);
	free(distances);
	free(medians);
	return times->iterations > 0;
}

void ringtime_free(struct ringtime *times)
{
	free(times->edges);
	free(times->iteration_ns);
	times->edges = NULL;
	times->iteration_ns = NULL;
}

uint32_t ringtime_timeouts(uint64_t delay_ns, uint32_t timeout_exp)
{
	uint64_t one_ns, times;

	if (timeout_exp == 0 || timeout_exp > 31)
		return 0;
	one_ns = (UINT64_C(4096) << timeout_exp);
	times = (delay_ns + one_ns / 2) / one_ns;
	if (times == 0 || apart(delay_ns, times * one_ns) * 10 > one_ns)
		return 0;
	return (uint32_t)times;
}
