/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/run.h"
#include "lib/run_sql.h"

static struct run_stage not_reached(const struct plan_row *planned)
{
	struct run_stage stage = {
		.id = planned->stage,
		.layer = planned->layer,
		.variant = planned->variant,
		.repeat = planned->repeat,
		.subject = planned->subject,
		.expected_ns = planned->expected_ns,
		.deadline_ns = planned->deadline_ns,
		.status = RUN_PARTIAL,
		.reason = "the run ended before it",
	};

	memcpy(stage.name, planned->name, sizeof(stage.name));
	memcpy(stage.note, planned->note, sizeof(stage.note));
	return stage;
}

/* Both are in the order of their ids; what only one of them has is kept. */
static size_t merge(struct run_stage *to, const struct run_stage *ran, size_t ran_count,
	const struct plan_row *planned, size_t planned_count)
{
	size_t used = 0, p = 0;

	for (size_t r = 0; r < ran_count; r++) {
		while (p < planned_count && planned[p].stage < ran[r].id)
			to[used++] = not_reached(&planned[p++]);
		if (p < planned_count && planned[p].stage == ran[r].id)
			p++;
		to[used++] = ran[r];
	}
	while (p < planned_count)
		to[used++] = not_reached(&planned[p++]);
	return used;
}

int run_get_planned(struct run *run, struct run_stage **rows, size_t *count, struct diag *diag)
{
	struct plan_row *planned = NULL;
	struct run_stage *ran = NULL;
	size_t planned_count = 0, ran_count = 0;
	int err;

	err = run_read(run, TABLE_PLAN, NULL, &planned, &planned_count, diag);
	if (!err)
		err = run_get_stages(run, &ran, &ran_count, diag);
	if (!err) {
		*rows = zeroed(planned_count + ran_count, sizeof(**rows));
		*count = merge(*rows, ran, ran_count, planned, planned_count);
	}
	free(planned);
	free(ran);
	return err;
}

int run_get_ring_names(struct run *run, uint32_t stage, char (**names)[RUN_NAME], size_t *count,
	struct diag *diag)
{
	struct ring_rank_row *ranks = NULL;
	size_t found = 0;
	int err;

	err = run_read(run, TABLE_RING_RANK, &stage, &ranks, &found, diag);
	if (!err) {
		*names = zeroed(found, sizeof(**names));
		*count = found;
		for (size_t i = 0; i < found; i++)
			memcpy((*names)[i], ranks[i].name, sizeof((*names)[i]));
	}
	free(ranks);
	return err;
}

int run_get_burst(struct run *run, uint32_t stage, struct run_burst *burst, struct diag *diag)
{
	struct plan_flow_row *flows = NULL;
	size_t count = 0;
	bool same = true;
	int err;

	*burst = (struct run_burst){ 0 };
	err = run_read(run, TABLE_PLAN_FLOW, &stage, &flows, &count, diag);
	for (size_t i = 0; !err && i < count; i++) {
		if (!flows[i].burst_bytes || !flows[i].burst_period_ns)
			continue;
		if (!burst->senders++) {
			burst->bytes = flows[i].burst_bytes;
			burst->period_ns = flows[i].burst_period_ns;
		}
		same = same && flows[i].burst_bytes == burst->bytes &&
		       flows[i].burst_period_ns == burst->period_ns;
	}
	if (!same)
		*burst = (struct run_burst){ 0 };
	free(flows);
	return err;
}
