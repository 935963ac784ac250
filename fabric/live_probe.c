/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams of the policy's class from every NIC that sends in a stage of pairs. */
#include "fabric/live.h"

#include <errno.h>
#include <stdlib.h>

#include "fabric/wire.h"
#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"

#define DSCP_OF(class) ((unsigned)(class) >> 2)

static bool probes(const struct live_stage *run)
{
	return run->stage->layer == LAYER_PAIRS;
}

void live_probe_open(struct live_stage *run)
{
	run->probe_qps = zeroed(run->live->fabric->nic_count, sizeof(*run->probe_qps));
	run->probes = zeroed(run->live->fabric->nic_count, sizeof(*run->probes));
}

void live_probe_close(struct live_stage *run)
{
	free(run->probe_qps);
	free(run->probes);
}

/* --- frames --- */

void live_probe_prepare(const struct live_stage *run, struct json *body)
{
	if (probes(run))
		json_put_bool(body, "probe", true);
}

int live_probe_prepared(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag)
{
	const struct json *list = json_get(body, "probes");

	for (uint32_t i = 0; probes(run) && i < host->nics; i++) {
		int64_t number;

		if (!json_int(json_at(list, i), &number) || number < 0 || number > 0xffffff)
			return diag_error(diag, -EPROTO, "its agent opened no QP for probes");
		run->probe_qps[host->first_nic + i] = (uint32_t)number;
	}
	return 0;
}

/* Of an active end: where the probes of its flow go. */
void live_probe_connect(
	const struct live_stage *run, const struct live_end *end, struct json *object)
{
	if (!probes(run) || !end->active)
		return;
	json_put_u64(object, "probe_qp", run->probe_qps[run->stage->flows[end->flow].dst]);
	json_put_u64(object, "probe_id", end->flow);
}

/* Only a datagram of a flow that ends here counts: any other is a stranger's. A mark of
 * congestion makes no other class. */
static void count(
	struct live_stage *run, const struct agents_host *host, uint64_t flow, unsigned dscp)
{
	struct live_probes *of;

	if (flow >= run->stage->flow_count || run->ends[2 * flow + 1].host != host)
		return;
	of = &run->probes[run->stage->flows[flow].src];
	of->arrived++;
	if (dscp == DSCP_OF(run->plans[flow].traffic_class))
		of->right++;
	else
		of->wrong_dscp = dscp;
}

int live_probe_result(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag)
{
	const struct json *list = json_get(body, "arrived");

	for (size_t i = 0; probes(run) && i < json_count(list); i++) {
		uint64_t flow, class;
		int err = wire_number(json_at(list, i), "id", 0, UINT32_MAX, &flow, diag);

		if (!err)
			err = wire_number(json_at(list, i), "class", 0, 255, &class, diag);
		if (err)
			return err;
		count(run, host, flow, DSCP_OF(class));
	}
	return 0;
}

/* --- the result --- */

/* A NIC that sent no probes has no row: absent is not zero. */
static bool sends(const struct live_stage *run, uint32_t nic)
{
	for (uint32_t i = 0; i < run->stage->flow_count; i++)
		if (run->stage->flows[i].src == nic && !run->ends[2 * (size_t)i].missing)
			return true;
	return false;
}

void live_probe_collect(struct live_stage *run, struct sim_result *result)
{
	for (uint32_t nic = 0; probes(run) && nic < run->live->fabric->nic_count; nic++) {
		const struct live_probes *of = &run->probes[nic];

		if (!sends(run, nic))
			continue;
		live_put_counter(run, result, nic, C_PROBES_ARRIVED, of->arrived);
		live_put_counter(run, result, nic, C_PROBES_RIGHT, of->right);
		if (of->arrived != of->right)
			live_put_counter(run, result, nic, C_PROBES_WRONG_DSCP, of->wrong_dscp);
	}
}
