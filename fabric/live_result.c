/* SPDX-License-Identifier: Apache-2.0 */
/* What the agents told of a stage, as rows of the run file. */
#include "fabric/live.h"

#include <stdio.h>
#include <string.h>

#include "lib/counters.h"
#include "lib/grow.h"
#include "lib/units.h"

/* The drivers' names for what lib/counters.h has one name for; mlx5's are ours. */
static const struct {
	const char *theirs, *ours;
} same[] = {
	/* rxe: a retry is counted whether a NAK or a timeout has brought it about. */
	{ "out_of_seq_request", C_OUT_OF_SEQUENCE },
	{ "rcvd_seq_err", C_PACKET_SEQ_ERR },
	{ "completer_retry_err", C_ACK_TIMEOUT },
	{ "retry_exceeded_err", C_RETRY_EXCEEDED },
	/* bnxt_re */
	{ "oos_drop_count", C_OUT_OF_SEQUENCE },
	{ "seq_err_naks_rcvd", C_PACKET_SEQ_ERR },
	{ "to_retransmits", C_ACK_TIMEOUT },
	{ "max_retry_exceeded", C_RETRY_EXCEEDED },
	{ "missing_resp", C_IMPLIED_NAK },
	{ "dup_req", C_DUPLICATE },
	/* mana_ib */
	{ "responder_oos", C_OUT_OF_SEQUENCE },
	{ "requester_oos_nak", C_PACKET_SEQ_ERR },
	{ "requester_timeout", C_ACK_TIMEOUT },
	{ "requester_retries_exceeded", C_RETRY_EXCEEDED },
	{ "requester_implicit_nak", C_IMPLIED_NAK },
	{ "responder_dup_request", C_DUPLICATE },
	/* ionic_rdma */
	{ "resp_rx_outouf_seq", C_OUT_OF_SEQUENCE },
	{ "req_rx_pkt_seq_err", C_PACKET_SEQ_ERR },
	{ "tx_rdma_ack_timeout", C_ACK_TIMEOUT },
	{ "req_tx_retry_excd_err", C_RETRY_EXCEEDED },
	{ "req_rx_impl_nak_seq_err", C_IMPLIED_NAK },
	{ "resp_rx_dup_request", C_DUPLICATE },
	/* mlx4_ib */
	{ "rq_num_oos", C_OUT_OF_SEQUENCE },
	{ "sq_num_oos", C_PACKET_SEQ_ERR },
	{ "sq_num_to", C_ACK_TIMEOUT },
	{ "sq_num_tree", C_RETRY_EXCEEDED },
	{ "rq_num_dup", C_DUPLICATE },
	/* irdma: why it sent again is not told */
	{ "RetransSegs", C_ACK_TIMEOUT },
};

static const char *our_name(const char *theirs)
{
	for (size_t i = 0; i < COUNT_OF(same); i++)
		if (strcmp(same[i].theirs, theirs) == 0)
			return same[i].ours;
	return theirs;
}

void live_nic_name(const struct live *live, uint32_t nic, char text[RUN_NAME])
{
	char name[2 * NAME_BYTES];

	fabric_nic_name(live->fabric, nic, name);
	snprintf(text, RUN_NAME, "%.31s", name);
}

/* --- counters --- */

static void collect_counters(struct live_stage *run, struct sim_result *result)
{
	uint32_t nics = run->live->fabric->nic_count;
	size_t room = (size_t)nics * LIVE_MORE_COUNTERS;

	for (uint32_t nic = 0; nic < nics; nic++)
		room += run->counters[nic].count;
	result->counters = zeroed(room, sizeof(*result->counters));
	for (uint32_t nic = 0; nic < nics; nic++) {
		const struct agent_counters *from = &run->counters[nic];

		for (uint32_t i = 0; i < from->count; i++) {
			struct run_counter *row;

			if (!from->read && hwcounters_is_loss(from->items[i].name))
				continue;
			row = &result->counters[result->counter_count++];
			row->stage = result->stage.id;
			live_nic_name(run->live, nic, row->place);
			snprintf(row->name, sizeof(row->name), "%.39s",
				our_name(from->items[i].name));
			row->first = from->items[i].first;
			row->last = from->items[i].last;
		}
	}
}

void live_put_counter(struct live_stage *run, struct sim_result *result, uint32_t nic,
	const char *name, uint64_t value)
{
	struct run_counter *row = &result->counters[result->counter_count++];

	row->stage = result->stage.id;
	live_nic_name(run->live, nic, row->place);
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->last = value;
}

/* --- flows --- */

/* How much a counter of a NIC grew, by our name; 0 also where it was not read. */
static uint64_t grown(const struct live_stage *run, uint32_t nic, const char *name)
{
	const struct agent_counters *from = &run->counters[nic];

	for (uint32_t i = 0; i < from->count; i++) {
		const struct agent_counter *item = &from->items[i];

		if (strcmp(our_name(item->name), name) == 0)
			return item->last > item->first ? item->last - item->first : 0;
	}
	return 0;
}

/* Whether the NIC has this flow alone in this direction. */
static bool is_alone(const struct live_stage *run, uint32_t flow, bool sends)
{
	const struct plan_flow *flows = run->stage->flows;
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->stage->flow_count; i++)
		count += sends ? flows[i].src == flows[flow].src
			       : flows[i].dst == flows[flow].dst;
	return count == 1;
}

static void from_counters(struct live_stage *run, uint32_t flow, struct run_flow *row)
{
	const struct plan_flow *plan = &run->stage->flows[flow];

	if (is_alone(run, flow, true)) {
		row->naks = grown(run, plan->src, C_PACKET_SEQ_ERR);
		row->timeouts = grown(run, plan->src, C_ACK_TIMEOUT);
	}
	if (is_alone(run, flow, false))
		row->out_of_sequence = grown(run, plan->dst, C_OUT_OF_SEQUENCE);
}

static void collect_flow(struct live_stage *run, uint32_t flow, struct run_flow *row)
{
	const struct plan_flow *plan = &run->stage->flows[flow];
	const struct gen_plan *gen = &run->plans[flow];
	const struct agent_sent *sent = &run->sent[flow];
	const struct live_end *end = &run->ends[2 * (size_t)flow];
	uint64_t packets = (gen->bytes + gen->mtu_bytes - 1) / gen->mtu_bytes;

	row->flow = flow;
	live_nic_name(run->live, plan->src, row->src);
	live_nic_name(run->live, plan->dst, row->dst);
	row->role = plan->role;
	row->not_ect = plan->not_ect;
	row->qps = plan->qps;
	row->bytes_planned = gen->messages * gen->bytes * gen->qps;
	row->bytes_posted = sent->posted * gen->bytes;
	row->bytes_delivered = sent->messages * gen->bytes;
	row->packets_sent = sent->posted * packets;
	row->packets_received = sent->messages * packets;
	row->complete = sent->messages == gen->messages * gen->qps;
	row->qp_error = sent->unreachable;
	row->start_ns = sent->begin_ns ? live_run_ns(run->live, end->host, sent->begin_ns)
				       : run->start_ns - run->live->zero_ns + plan->start_ns;
	row->end_ns = row->complete ? live_run_ns(run->live, end->host, sent->end_ns) : 0;
	from_counters(run, flow, row);
}

/* Flows that were not run are not there. */
static void collect_flows(struct live_stage *run, struct sim_result *result)
{
	result->flows = zeroed(run->stage->flow_count, sizeof(*result->flows));
	for (uint32_t i = 0; i < run->stage->flow_count; i++) {
		if (run->ends[2 * (size_t)i].missing)
			continue;
		collect_flow(run, i, &result->flows[result->flow_count]);
		result->flows[result->flow_count++].stage = result->stage.id;
	}
}

/* --- series --- */

static void collect_goodput(struct live_stage *run, uint32_t flow, struct sim_result *result)
{
	const struct live_end *end = &run->ends[2 * (size_t)flow];
	uint64_t begin_ns = live_run_ns(run->live, end->host, run->sent[flow].begin_ns);

	for (uint32_t k = 0; k < run->series[flow].count; k++) {
		struct run_sample *row = &result->samples[result->sample_count++];

		row->stage = result->stage.id;
		live_nic_name(run->live, run->stage->flows[flow].dst, row->place);
		snprintf(row->metric, sizeof(row->metric), "goodput_bytes");
		row->t_ns = begin_ns + (k + UINT64_C(1)) * run->plans[flow].interval_ns;
		row->value = run->series[flow].bytes[k];
	}
}

static void collect_samples(struct live_stage *run, uint32_t nic, struct sim_result *result)
{
	const struct agents_host *host = agents_of_nic(&run->live->agents, nic);
	const struct agent_counters *from = &run->counters[nic];

	for (uint32_t i = 0; i < from->sample_count; i++) {
		const struct agent_sample *sample = &from->samples[i];
		struct run_sample *row = &result->samples[result->sample_count++];

		row->stage = result->stage.id;
		live_nic_name(run->live, nic, row->place);
		snprintf(row->metric, sizeof(row->metric), "%.39s",
			our_name(from->items[sample->counter].name));
		row->t_ns = live_run_ns(run->live, host, sample->at_ns);
		row->value = sample->value;
	}
}

static void collect_series(struct live_stage *run, struct sim_result *result)
{
	uint32_t nics = run->live->fabric->nic_count;
	size_t count = 0;

	for (uint32_t i = 0; i < run->stage->flow_count; i++)
		count += run->series[i].count;
	for (uint32_t nic = 0; nic < nics; nic++)
		count += run->counters[nic].sample_count;
	result->samples = zeroed(count, sizeof(*result->samples));
	for (uint32_t i = 0; i < run->stage->flow_count; i++)
		collect_goodput(run, i, result);
	for (uint32_t nic = 0; nic < nics; nic++)
		collect_samples(run, nic, result);
}

/* --- the stage --- */

/* COMPLETE: whatever could still arrive has arrived. A QP that gave up is an observation. */
static void conclude(struct live_stage *run, struct sim_result *result)
{
	struct run_stage *stage = &result->stage;

	/* Edges of a ring are concluded where it is. */
	for (size_t i = 0; i < result->flow_count && run->sent && !run->missing[0]; i++) {
		const struct agent_sent *sent = &run->sent[result->flows[i].flow];

		if (result->flows[i].complete || sent->unreachable)
			continue;
		stage->status = RUN_PARTIAL;
		snprintf(stage->reason, sizeof(stage->reason), "%s -> %s: %.180s",
			result->flows[i].src, result->flows[i].dst,
			sent->why[0] ? sent->why : "not done when its time was up");
		if (!sent->why[0] && stage->t1_ns - stage->t0_ns < stage->deadline_ns)
			stage->t1_ns = stage->t0_ns + stage->deadline_ns;
	}
	if (!run->missing[0] || stage->status == RUN_PARTIAL)
		return;
	stage->status = RUN_PARTIAL;
	snprintf(stage->reason, sizeof(stage->reason), "%.255s", run->missing);
}

void live_collect(struct live_stage *run, uint32_t id, struct sim_result *result)
{
	const struct plan_stage *plan = run->stage;

	*result = (struct sim_result){
		.stage = {
			.id = id,
			.layer = plan->layer,
			.variant = plan->variant,
			.repeat = plan->repeat,
			.subject = plan->subject,
			.expected_ns = plan->expected_ns,
			.deadline_ns = plan->deadline_ns,
			.t0_ns = run->start_ns - run->live->zero_ns,
			.t1_ns = run->end_ns - run->live->zero_ns,
		},
	};
	snprintf(result->stage.name, sizeof(result->stage.name), "%s", plan->name);
	snprintf(result->stage.note, sizeof(result->stage.note), "%s", plan->note);
	collect_flows(run, result);
	collect_counters(run, result);
	collect_series(run, result);
	live_probe_collect(run, result);
	live_payload_collect(run, result);
	live_ring_collect(run, result);
	conclude(run, result);
}

/* --- facts --- */

static int put_fact(struct run *run, const char *place, const char *key, const char *value,
	struct diag *diag)
{
	struct run_fact fact = { .source = "the host's agent, at the start of the run" };

	snprintf(fact.place, sizeof(fact.place), "%s", place);
	snprintf(fact.key, sizeof(fact.key), "%s", key);
	snprintf(fact.value, sizeof(fact.value), "%s", value);
	return run_put_fact(run, &fact, diag);
}

static int put_number(
	struct run *run, const char *place, const char *key, uint64_t value, struct diag *diag)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return put_fact(run, place, key, text, diag);
}

/* A speed is told where the device has one of its own: that of a Soft-RoCE device is made
 * up by its driver. */
static int put_device(struct live *live, struct run *run, uint32_t nic,
	const struct gen_side *device, const struct agents_host *host, struct diag *diag)
{
	char place[2 * NAME_BYTES];
	int err;

	fabric_nic_name(live->fabric, nic, place);
	err = put_fact(run, place, F_OPER_STATE, "up", diag);
	if (!err && device->speed_bps && !device->soft)
		err = put_number(run, place, F_SPEED, device->speed_bps, diag);
	if (!err)
		err = put_fact(run, place, "host", host->name, diag);
	if (!err)
		err = put_fact(run, place, "rdma_device", device->device, diag);
	if (!err)
		err = put_fact(run, place, "gid", device->address, diag);
	if (!err)
		err = put_fact(run, place, "bound", device->bound, diag);
	if (!err)
		err = put_number(run, place, "mtu_bytes", device->mtu_bytes, diag);
	if (!err)
		err = put_number(run, place, "clock_error_ns", host->error_ns, diag);
	return err;
}

int live_put_facts(struct live *live, struct run *run, struct diag *diag)
{
	int err = 0;

	agents_clocks(&live->agents);
	for (uint32_t i = 0; i < live->agents.count; i++) {
		const struct agents_host *host = &live->agents.hosts[i];

		for (uint32_t k = 0; k < host->nics && host->alive && !err; k++)
			err = put_device(
				live, run, host->first_nic + k, &host->devices[k], host, diag);
	}
	return err;
}
