/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of the flows of a stage of pairs: its last messages are compared where they came in. */
#include "fabric/live.h"

#include "fabric/wire.h"
#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/json.h"

bool live_payload_is_checked(const struct live_stage *run)
{
	return run->stage->layer == LAYER_PAIRS;
}

/* Of an end: how many messages came in, when all have; there is nothing to compare else. */
void live_payload_stop(
	const struct live_stage *run, const struct live_end *end, struct json *list)
{
	const struct gen_plan *plan = &run->plans[end->flow];
	uint64_t all = plan->messages * plan->qps;
	bool ended = live_payload_is_checked(run) && run->sent[end->flow].messages == all;

	json_add_u64(list, ended && !end->active ? all : 0);
}

int live_payload_result(struct live_stage *run, const struct live_end *end,
	const struct json *from, struct diag *diag)
{
	struct live_payload *of = &run->payloads[end->flow];
	int err = wire_number(from, "checked", 0, INT64_MAX, &of->checked, diag);

	return err ? err : wire_number(from, "corrupt", 0, of->checked, &of->corrupt, diag);
}

/* A NIC that compared nothing has no row: absent is not zero. */
void live_payload_collect(struct live_stage *run, struct sim_result *result)
{
	uint32_t nics = live_payload_is_checked(run) ? run->live->fabric->nic_count : 0;

	for (uint32_t nic = 0; nic < nics; nic++) {
		uint64_t checked = 0, corrupt = 0;

		for (uint32_t i = 0; i < run->stage->flow_count; i++) {
			if (run->stage->flows[i].dst != nic)
				continue;
			checked += run->payloads[i].checked;
			corrupt += run->payloads[i].corrupt;
		}
		if (checked == 0)
			continue;
		live_put_counter(run, result, nic, C_PAYLOAD_CHECKED, checked);
		live_put_counter(run, result, nic, C_PAYLOAD_CORRUPT, corrupt);
	}
}
