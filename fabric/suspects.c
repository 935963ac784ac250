/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/suspects.h"

#include <math.h>
#include <stdlib.h>

#include "lib/grow.h"

void suspects_begin(struct suspects *suspects, const struct fabric *fabric)
{
	size_t count = (size_t)fabric->port_count + fabric->link_count;

	*suspects = (struct suspects){
		.fabric = fabric,
		.carried = zeroed(count, sizeof(double)),
		.log_hits = zeroed(count, sizeof(double)),
		.hits = zeroed(count, sizeof(uint64_t)),
		.now = zeroed(count, sizeof(double)),
		.touched = zeroed(count, sizeof(uint32_t)),
	};
}

void suspects_free(struct suspects *suspects)
{
	free(suspects->carried);
	free(suspects->log_hits);
	free(suspects->hits);
	free(suspects->now);
	free(suspects->touched);
	*suspects = (struct suspects){ .fabric = NULL };
}

static void touch(struct suspects *suspects, uint32_t *count, uint32_t at, double packets)
{
	if (suspects->now[at] <= 0)
		suspects->touched[(*count)++] = at;
	suspects->now[at] += packets;
}

/* What the flow sends over each port and link, into now. Returns how many those are. */
static uint32_t spread(
	struct suspects *suspects, const struct evidence *evidence, const struct run_flow *flow)
{
	const struct fabric *fabric = suspects->fabric;
	double packets = (double)flow->packets_sent / flow->qps;
	size_t path = evidence_first_path(evidence, flow->flow);
	uint32_t count = 0;

	for (; path < evidence->path_count && evidence->paths[path].flow == flow->flow; path++)
		for (uint32_t i = 0; i < evidence->ways[path].count; i++) {
			uint32_t port = evidence->way_ports[evidence->ways[path].first + i];

			touch(suspects, &count, port, packets);
			if (fabric->ports[port].link != PORT_NONE)
				touch(suspects, &count,
					fabric->port_count + fabric->ports[port].link, packets);
		}
	return count;
}

void suspects_add(struct suspects *suspects, const struct evidence *evidence, size_t flow,
	uint64_t events)
{
	const struct run_flow *row = &evidence->flows[flow];
	uint32_t count;

	if (row->packets_sent == 0)
		return;
	count = spread(suspects, evidence, row);
	suspects->events += count ? events : 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = suspects->touched[i];

		suspects->carried[at] += suspects->now[at];
		suspects->hits[at] += events;
		suspects->log_hits[at] += (double)events * log(suspects->now[at]);
		suspects->now[at] = 0;
	}
}

/* Logarithm of the likelihood that all events happened there; -INFINITY when one cannot. */
static double likelihood(const struct suspects *suspects, uint32_t at)
{
	if (suspects->hits[at] < suspects->events)
		return -INFINITY;
	return suspects->log_hits[at] - (double)suspects->events * log(suspects->carried[at]);
}

/* One direction alone, or both alike. */
static double best_of_link(const struct suspects *suspects, uint32_t link)
{
	const struct link *ends = &suspects->fabric->links[link];
	double both = likelihood(suspects, suspects->fabric->port_count + link);

	return fmax(both, fmax(likelihood(suspects, ends->a), likelihood(suspects, ends->b)));
}

/* Puts a link among the best ones so far, which are sorted. */
static uint32_t insert(uint32_t *links, double *values, uint32_t count, uint32_t most,
	uint32_t link, double value)
{
	uint32_t at = count < most ? count : most;

	for (; at > 0 && values[at - 1] < value; at--) {
		if (at == most)
			continue;
		links[at] = links[at - 1];
		values[at] = values[at - 1];
	}
	if (at < most) {
		links[at] = link;
		values[at] = value;
	}
	return count < most ? count + 1 : most;
}

uint32_t suspects_rank(
	const struct suspects *suspects, uint32_t *links, double *shares, uint32_t most)
{
	uint32_t count = 0, link_count = suspects->fabric->link_count;
	double sum = 0, best, together = 0;

	if (suspects->events == 0)
		return 0;
	for (uint32_t link = 0; link < link_count; link++) {
		double value = best_of_link(suspects, link);

		if (value > -INFINITY)
			count = insert(links, shares, count, most, link, value);
	}
	best = count ? shares[0] : 0;
	for (uint32_t link = 0; link < link_count; link++)
		sum += exp(best_of_link(suspects, link) - best);
	for (uint32_t i = 0; i < count; i++) {
		shares[i] = exp(shares[i] - best) / sum;
		together += shares[i];
		if (together >= SUSPECTS_SURE)
			return i + 1;
	}
	return 0;
}
