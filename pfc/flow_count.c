/* SPDX-License-Identifier: Apache-2.0 */
/* What a flow's packets are counted in, beyond the 32 bits and the DSCPs that it holds. */
#include <stddef.h>
#include <string.h>

#include "lib/grow.h"
#include "pfc/flow.h"

#define DSCP_BLOCKS_MAX 65536u

_Static_assert(offsetof(struct flow_counts, packets) == FLOW_TALLIES * sizeof(uint64_t),
	"the same numbers in the same order");

static void add_tally(struct flow_counts *counts, const struct flow_tally *tally)
{
	uint64_t sums[FLOW_TALLIES];
	uint32_t more[FLOW_TALLIES];

	memcpy(sums, counts, sizeof(sums));
	memcpy(more, tally, sizeof(more));
	for (unsigned i = 0; i < FLOW_TALLIES; i++)
		sums[i] += more[i];
	memcpy(counts, sums, sizeof(sums));
}

void flow_carry(struct flow_table *table, struct flow *flow)
{
	if (flow->carry == FLOW_NONE) {
		table->carries = grow(table->carries, table->carry_count, &table->carry_room,
			sizeof(*table->carries));
		flow->carry = (uint32_t)table->carry_count++;
		table->carries[flow->carry] = (struct flow_counts){ .packets = 0 };
	}
	add_tally(&table->carries[flow->carry], &flow->tally);
	flow->tally = (struct flow_tally){ .acks = 0 };
}

struct flow_counts flow_counts(const struct flow_table *table, const struct flow *flow)
{
	struct flow_counts counts = { .packets = 0 };

	if (flow->carry != FLOW_NONE)
		counts = table->carries[flow->carry];
	add_tally(&counts, &flow->tally);
	for (unsigned i = 0; i < 4; i++) {
		counts.packets += counts.ecn[i];
		counts.data += counts.data_ecn[i];
	}
	counts.requests = counts.data - counts.responses;
	return counts;
}

void flow_count_other_dscp(struct flow_table *table, struct flow *flow, uint8_t dscp)
{
	for (unsigned i = 0; i < flow->dscp_count; i++) {
		if (flow->dscp[i] == dscp) {
			flow->tally.dscp[i]++;
			return;
		}
	}
	if (flow->dscp_count < FLOW_DSCPS) {
		flow->dscp[flow->dscp_count] = dscp;
		flow->tally.dscp[flow->dscp_count++] = 1;
		return;
	}
	if (flow->dscp_more == FLOW_NONE) {
		if (table->dscp_count == DSCP_BLOCKS_MAX)
			return;
		table->dscps = grow(table->dscps, table->dscp_count, &table->dscp_room,
			sizeof(*table->dscps));
		memset(table->dscps[table->dscp_count], 0, sizeof(*table->dscps));
		flow->dscp_more = (uint32_t)table->dscp_count++;
	}
	table->dscps[flow->dscp_more][dscp & 63]++;
}

void flow_dscps(const struct flow_table *table, const struct flow *flow, uint64_t *counts)
{
	struct flow_counts all = flow_counts(table, flow);

	memset(counts, 0, 64 * sizeof(*counts));
	if (flow->dscp_more != FLOW_NONE)
		memcpy(counts, table->dscps[flow->dscp_more], 64 * sizeof(*counts));
	for (unsigned i = 0; i < flow->dscp_count; i++)
		counts[flow->dscp[i]] += all.dscp[i];
}
