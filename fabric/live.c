/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"

#define PREPARE_NS (30 * NS_PER_S) /* memory of gigabytes is registered meanwhile */
#define RESULT_NS (10 * NS_PER_S)
#define STALL_NS (65 * NS_PER_S) /* a frame of an agent that has ended its traffic is late by */
#define AHEAD_NS (50 * NS_PER_MS)
#define AHEAD_NS_A_HOST (200 * NS_PER_US) /* START is on its way to the last one */
#define CLOCKS_NS NS_PER_S                /* more than any error of theirs */
#define INTERVAL_NS_MIN (20 * NS_PER_MS)

uint64_t live_run_ns(const struct live *live, const struct agents_host *host, uint64_t ns)
{
	int64_t at = (int64_t)(ns - (uint64_t)host->offset_ns - live->zero_ns);

	return at > 0 ? (uint64_t)at : 0;
}

bool live_is_of_stage(const struct live_stage *run, const struct agents_host *host, uint64_t ns)
{
	uint64_t at = ns - (uint64_t)host->offset_ns;

	return ns == 0 || (at + CLOCKS_NS >= run->start_ns && at <= clock_ns() + CLOCKS_NS);
}

/* --- the ends --- */

static void open_ends(struct live_stage *run)
{
	const struct plan_stage *stage = run->stage;
	uint64_t interval_ns =
		stage->sample_ns > INTERVAL_NS_MIN ? stage->sample_ns : INTERVAL_NS_MIN;

	run->ends = zeroed(2 * (size_t)stage->flow_count, sizeof(*run->ends));
	run->plans = zeroed(stage->flow_count, sizeof(*run->plans));
	run->paces = zeroed(stage->flow_count, sizeof(*run->paces));
	run->sent = zeroed(stage->flow_count, sizeof(*run->sent));
	run->series = zeroed(stage->flow_count, sizeof(*run->series));
	run->payloads = zeroed(stage->flow_count, sizeof(*run->payloads));
	run->counters = zeroed(run->live->fabric->nic_count, sizeof(*run->counters));
	run->skip = zeroed(run->live->agents.count, sizeof(*run->skip));
	live_ring_open(run);
	live_probe_open(run);
	run->end_count = 2 * (size_t)stage->flow_count;
	for (uint32_t i = 0; i < run->live->agents.count; i++)
		run->skip[i] = !run->live->agents.hosts[i].alive;
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		const struct plan_flow *flow = &stage->flows[i];
		struct live_end *ends = &run->ends[2 * (size_t)i];

		live_flow_plan(run->live, flow, interval_ns, &run->plans[i], &run->paces[i]);
		run->plans[i].check = live_payload_is_checked(run);
		run->plans[i].slots = run->plans[i].check ? run->plans[i].depth : 1;
		for (uint32_t k = 0; k < 2; k++)
			ends[k] = (struct live_end){
				.host = agents_of_nic(
					&run->live->agents, k ? flow->dst : flow->src),
				.flow = i,
				.active = k == 0,
			};
	}
}

static void close_stage(struct live_stage *run)
{
	for (uint32_t i = 0; i < run->stage->flow_count; i++)
		free(run->series[i].bytes);
	live_ring_close(run);
	live_probe_close(run);
	free(run->series);
	free(run->skip);
	free(run->ends);
	free(run->plans);
	free(run->paces);
	free(run->sent);
	free(run->payloads);
	agent_counters_free(run->counters, run->live->fabric->nic_count);
}

/* The host or its refusal is the reason why a stage is not whole; the first one stays. */
static void lacks(struct live_stage *run, const struct agents_host *host, const char *refusal)
{
	if (!run->missing[0])
		snprintf(run->missing, sizeof(run->missing), "%s: %.180s", host->name,
			refusal[0] ? refusal : host->why);
}

/* Flows of a host that was given up before are left out. */
static void leave_out(struct live_stage *run)
{
	for (size_t i = 0; i < run->end_count; i++) {
		if (run->ends[i].host->alive)
			continue;
		run->ends[i].missing = run->ends[i ^ 1].missing = true;
		lacks(run, run->ends[i].host, "");
	}
	for (uint32_t i = 0; i < run->stage->ring.ranks; i++)
		if (!run->ranks[i].host->alive)
			lacks(run, run->ranks[i].host, "");
}

static bool is_here(const struct live_end *end, const struct agents_host *host)
{
	return end->host == host && !end->missing;
}

/* --- frames --- */

static struct json *prepare_json(struct live_stage *run, const struct agents_host *host)
{
	struct json *body = json_new_object(), *list = json_put_array(body, "ends");

	for (size_t i = 0; i < run->end_count; i++) {
		const struct live_end *end = &run->ends[i];
		const struct plan_flow *flow = &run->stage->flows[end->flow];
		struct agent_end what = {
			.device = (end->active ? flow->src : flow->dst) - host->first_nic,
			.active = end->active,
			.plan = run->plans[end->flow],
			.pace = run->paces[end->flow],
		};

		if (is_here(end, host))
			agent_put_end(json_add_object(list), &what);
	}
	live_probe_prepare(run, body);
	live_ring_prepare(run, host, body);
	return body;
}

static int prepared(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag)
{
	const struct json *list = json_get(body, "ends");
	size_t at = 0;
	int err = 0;

	for (size_t i = 0; i < run->end_count && !err; i++) {
		struct live_end *end = &run->ends[i];

		if (!is_here(end, host))
			continue;
		err = gen_get_end(json_at(list, at++), &end->here, diag);
		if (!err && end->here.qps != run->plans[end->flow].qps)
			err = diag_error(diag, -EPROTO, "its agent opened %u QPs of %u",
				end->here.qps, run->plans[end->flow].qps);
	}
	if (!err)
		err = live_probe_prepared(run, host, body, diag);
	return err ? err : live_ring_prepared(run, host, body, diag);
}

static struct json *connect_json(struct live_stage *run, const struct agents_host *host)
{
	struct json *body = json_new_object(), *list = json_put_array(body, "ends");

	for (size_t i = 0; i < run->end_count; i++)
		if (is_here(&run->ends[i], host)) {
			struct json *object = json_add_object(list);

			gen_put_end(object, &run->ends[i ^ 1].here);
			live_probe_connect(run, &run->ends[i], object);
		}
	live_ring_connect(run, host, body);
	return body;
}

static struct json *start_json(struct live_stage *run, const struct agents_host *host)
{
	struct json *body = json_new_object();

	json_put_u64(body, "at_ns", (uint64_t)((int64_t)run->start_ns + host->offset_ns));
	json_put_u64(body, "deadline_ns", run->stage->deadline_ns);
	return body;
}

static struct json *stop_json(struct live_stage *run, const struct agents_host *host)
{
	struct json *body = json_new_object(), *list = json_put_array(body, "arrived");

	for (size_t i = 0; i < run->end_count; i++)
		if (is_here(&run->ends[i], host))
			live_payload_stop(run, &run->ends[i], list);
	return body;
}

/* What cannot be so would be a figure of the report. */
static int check_sent(const struct live_stage *run, const struct agents_host *host,
	const struct gen_plan *plan, const struct agent_sent *got, struct diag *diag)
{
	if (got->posted > plan->messages * plan->qps)
		return diag_error(diag, -EPROTO,
			"its agent tells of %" PRIu64 " messages of %" PRIu64, got->posted,
			plan->messages * plan->qps);
	if (live_is_of_stage(run, host, got->begin_ns) &&
		live_is_of_stage(run, host, got->end_ns) &&
		(!got->end_ns || got->begin_ns <= got->end_ns))
		return 0;
	return diag_error(diag, -EPROTO, "its agent tells of times that are not of the stage");
}

static int sent(struct live_stage *run, const struct agents_host *host, const struct json *body,
	struct diag *diag)
{
	const struct json *list = json_get(body, "ends");
	size_t at = 0;
	int err = 0;

	for (size_t i = 0; i < run->end_count && !err; i++) {
		struct agent_sent got;

		if (!is_here(&run->ends[i], host))
			continue;
		err = agent_get_sent(json_at(list, at++), &got, diag);
		if (!err)
			err = check_sent(run, host, &run->plans[run->ends[i].flow], &got, diag);
		if (!err && run->ends[i].active)
			run->sent[run->ends[i].flow] = got;
	}
	return err ? err : live_ring_sent(run, host, body, diag);
}

static int read_series(struct live_stage *run, const struct live_end *end,
	const struct json *from, struct diag *diag)
{
	const struct json *bytes = json_get(from, "bytes");
	struct live_series *series = &run->series[end->flow];
	size_t count = json_count(bytes);

	if (count > LIVE_SERIES_MAX)
		return diag_error(diag, -EPROTO, "its agent counted %zu intervals", count);
	series->bytes = zeroed(count, sizeof(*series->bytes));
	for (size_t i = 0; i < count; i++) {
		int64_t value;

		if (!json_int(json_at(bytes, i), &value) || value < 0)
			return diag_error(diag, -EPROTO, "its agent counted no number");
		series->bytes[i] = (uint64_t)value;
	}
	series->count = (uint32_t)count;
	return 0;
}

static int result(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag)
{
	const struct json *devices = json_get(body, "devices"),
			  *list = json_get(body, "series");
	size_t at = 0;
	int err = 0;

	for (uint32_t i = 0; i < host->nics && !err; i++)
		err = agent_get_counters(
			json_at(devices, i), &run->counters[host->first_nic + i], diag);
	for (size_t i = 0; i < run->end_count && !err; i++) {
		if (!is_here(&run->ends[i], host))
			continue;
		if (run->ends[i].active)
			err = read_series(run, &run->ends[i], json_at(list, at), diag);
		else
			err = live_payload_result(run, &run->ends[i], json_at(list, at), diag);
		at++;
	}
	return err ? err : live_probe_result(run, host, body, diag);
}

/* --- all hosts --- */

typedef struct json *(*body_of)(struct live_stage *run, const struct agents_host *host);
typedef int (*reader)(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag);

static void say_all(struct live_stage *run, enum agent_frame kind, body_of body)
{
	struct agents *agents = &run->live->agents;

	for (uint32_t i = 0; i < agents->count; i++)
		if (agents->hosts[i].alive)
			agents_say(&agents->hosts[i], kind, body(run, &agents->hosts[i]));
}

/* Every host that is there must answer; what one lacks is noted, and the others are heard. */
static bool hear_all(
	struct live_stage *run, enum agent_frame kind, reader read, uint64_t wait_ns)
{
	struct agents *agents = &run->live->agents;
	uint64_t deadline_ns = clock_ns() + wait_ns;
	bool all = true;

	for (uint32_t i = 0; i < agents->count; i++) {
		struct agents_host *host = &agents->hosts[i];
		struct json *body = NULL;
		char refusal[256];
		struct diag why;

		if (run->skip[i])
			continue;
		if (!agents_hear(agents, host, kind, &body, deadline_ns, refusal)) {
			lacks(run, host, refusal);
			all = false;
			continue;
		}
		if (read && read(run, host, body, &why)) {
			agents_give_up(host, why.text);
			lacks(run, host, "");
			all = false;
		}
		json_free(body);
	}
	return all;
}

/* --- a stage --- */

static bool connect_all(struct live_stage *run)
{
	say_all(run, AGENT_PREPARE, prepare_json);
	if (!hear_all(run, AGENT_PREPARED, prepared, PREPARE_NS))
		return false;
	say_all(run, AGENT_CONNECT, connect_json);
	return hear_all(run, AGENT_CONNECTED, NULL, PREPARE_NS);
}

/* No agent takes longer: a ring's sums put its deadline off. */
uint64_t live_traffic_ns(const struct plan_stage *stage)
{
	return stage->deadline_ns + STALL_NS + (stage->ring.ranks ? AGENT_SUMS_NS_MAX : 0);
}

static void run_traffic(struct live_stage *run)
{
	struct agents *agents = &run->live->agents;
	uint64_t error_ns = 0;

	agents_clocks(agents);
	for (uint32_t i = 0; i < agents->count; i++)
		if (agents->hosts[i].alive && agents->hosts[i].error_ns > error_ns)
			error_ns = agents->hosts[i].error_ns;
	run->start_ns = clock_ns() + AHEAD_NS + agents->count * AHEAD_NS_A_HOST + error_ns;
	say_all(run, AGENT_START, start_json);
	hear_all(run, AGENT_SENT, sent, live_traffic_ns(run->stage));
	run->end_ns = clock_ns();
	if (run->end_ns < run->start_ns) /* nobody was there to wait for */
		run->end_ns = run->start_ns;
	live_ring_steps(run);
}

static void stop_all(struct live_stage *run)
{
	say_all(run, AGENT_STOP, stop_json);
	hear_all(run, AGENT_RESULT, run->start_ns ? result : NULL, RESULT_NS);
}

/* Whether a host went away meanwhile: what the others saw of that, retries and QPs that gave
 * up, says nothing about the network. */
static bool lost_one(const struct live_stage *run)
{
	const struct agents *agents = &run->live->agents;

	for (uint32_t i = 0; i < agents->count; i++)
		if (!agents->hosts[i].alive && !run->skip[i])
			return true;
	return false;
}

/* A ring needs all of its ranks, any other stage one flow. */
static bool is_anyone_here(const struct live_stage *run)
{
	if (run->stage->ring.ranks)
		return !run->missing[0];
	for (size_t i = 0; i < run->end_count; i++)
		if (!run->ends[i].missing)
			return true;
	return false;
}

/* *result is filled when it returns true. */
static bool run_once(
	struct live *live, size_t index, struct sim_result *result, struct diag *diag)
{
	struct live_stage run = { .live = live, .stage = &live->plan->stages[index] };
	bool ran;

	open_ends(&run);
	leave_out(&run);
	ran = is_anyone_here(&run) && connect_all(&run);
	if (ran)
		run_traffic(&run);
	stop_all(&run);
	ran = ran && !lost_one(&run);
	if (ran)
		live_collect(&run, (uint32_t)index, result);
	else
		diag_error(diag, -EHOSTDOWN, "%s", run.missing);
	close_stage(&run);
	return ran;
}

int live_stage(struct live *live, size_t index, struct sim_result *result, struct diag *diag)
{
	if (!live->zero_ns) {
		/* Addresses are resolved and code is read from disk the first time. */
		live->zero_ns = clock_ns();
		if (run_once(live, index, result, diag))
			sim_result_free(result);
		live->zero_ns = clock_ns();
	}
	return run_once(live, index, result, diag) ? 0 : -EHOSTDOWN;
}
