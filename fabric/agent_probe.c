/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams before the traffic of a stage: with which class they arrive. */
#include <stdlib.h>
#include <string.h>

#include "fabric/agent_stage.h"
#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"

#define SEND_NS (200 * NS_PER_MS)

void agent_probe_prepare(
	struct agent_stage *stage, const struct json *body, struct json *answer)
{
	struct json *list;
	bool wanted;

	if (!json_bool(json_get(body, "probe"), &wanted) || !wanted)
		return;
	list = json_put_array(answer, "probes");
	stage->uds = zeroed(stage->device_count, sizeof(*stage->uds));
	for (uint32_t i = 0; i < stage->device_count; i++) {
		struct verbs_ud *ud = &stage->uds[i];
		struct diag ignored;

		*ud = (struct verbs_ud)VERBS_UD_INIT;
		if (verbs_ud_open(ud, &stage->devices[i], &ignored))
			verbs_ud_close(ud);
		json_add_u64(list, ud->receiver.number);
	}
}

int agent_probe_connect(struct agent_stage *stage, uint32_t flow, const struct json *end,
	const struct gen_end *there, struct diag *diag)
{
	struct agent_flow *at = &stage->flows[flow];
	uint64_t qp, id;
	int err;

	if (!stage->uds || !at->end.active)
		return 0;
	err = wire_number(end, "probe_qp", 0, 0xffffff, &qp, diag);
	if (!err)
		err = wire_number(end, "probe_id", 0, UINT32_MAX, &id, diag);
	if (err)
		return err;
	at->probe.qp_number = (uint32_t)qp;
	at->probe.traffic_class = at->end.plan.traffic_class;
	at->probe_id = (uint32_t)id;
	memcpy(at->probe.gid, there->gid, GID_BYTES);
	return 0;
}

/* What does not leave is missed at the other end. */
void agent_probe_send(struct agent_stage *stage)
{
	for (uint32_t i = 0; stage->uds && i < stage->flow_count; i++) {
		const struct agent_flow *flow = &stage->flows[i];
		struct verbs_ud *ud = &stage->uds[flow->end.device];
		struct diag ignored;

		if (flow->probe.qp_number && ud->receiver.number)
			(void)verbs_ud_send(
				ud, &flow->probe, flow->probe_id, SEND_NS, &ignored);
	}
}

void agent_probe_result(struct agent_stage *stage, struct json *answer)
{
	struct json *list = stage->uds ? json_put_array(answer, "arrived") : NULL;

	for (uint32_t i = 0; stage->uds && i < stage->device_count; i++) {
		uint32_t id, left = VERBS_UD_RECEIVES;
		uint8_t class;

		while (stage->uds[i].receiver.number && left-- &&
			verbs_ud_take(&stage->uds[i], &id, &class) == 1) {
			struct json *one = json_add_object(list);

			json_put_u64(one, "id", id);
			json_put_u64(one, "class", class);
		}
	}
}

void agent_probe_close(struct agent_stage *stage)
{
	for (uint32_t i = 0; stage->uds && i < stage->device_count; i++)
		verbs_ud_close(&stage->uds[i]);
	free(stage->uds);
	stage->uds = NULL;
}
