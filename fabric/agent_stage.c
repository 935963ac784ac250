/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/agent_stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/agent_test.h"
#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"

#define LISTEN_NS (50 * NS_PER_MS)
#define NAP_NS (4 * NS_PER_MS)
#define SPIN_NS (200 * NS_PER_US) /* more than a nap is late by */
#define AHEAD_NS (10 * NS_PER_S)  /* at most, from START to the start */

/* --- opening the ends --- */

static int open_end(struct agent_stage *stage, struct agent_flow *flow, const struct json *from,
	struct json *answer, struct diag *diag)
{
	struct gen_end here;
	int err = agent_get_end(from, &flow->end, diag);

	if (!err && flow->end.device >= stage->device_count)
		err = diag_error(diag, -EPROTO, "a flow of device %u, of %u", flow->end.device,
			stage->device_count);
	if (err)
		return err;
	err = gen_open(&flow->gen, &stage->devices[flow->end.device], &flow->end.plan,
		flow->end.active, diag);
	if (err == -EPROTO)
		err = -EIO;
	if (err)
		return err;
	flow->gen.one_of_several = true;
	gen_end(&flow->gen, &here);
	gen_put_end(json_add_object(answer), &here);
	return 0;
}

int agent_stage_prepare(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag)
{
	const struct json *ends = json_get(body, "ends");
	struct json *opened = json_put_array(answer, "ends");
	size_t count = json_count(ends);
	int err = 0;

	if (!json_is_array(ends) || count > AGENT_ENDS_MAX)
		return diag_error(diag, -EPROTO, "a stage of no list of ends, or more than %u",
			AGENT_ENDS_MAX);
	stage->number++;
	stage->prepared = true;
	agent_test_die(stage, "prepare");
	stage->flows = zeroed(count, sizeof(*stage->flows));
	stage->unanswered = zeroed(count, sizeof(*stage->unanswered));
	stage->counters = zeroed(stage->device_count, sizeof(*stage->counters));
	for (size_t i = 0; i < count && !err; i++) {
		stage->flow_count++;
		err = open_end(stage, &stage->flows[i], json_at(ends, i), opened, diag);
	}
	if (!err)
		agent_probe_prepare(stage, body, answer);
	return err ? err : agent_ring_prepare(stage, body, answer, diag);
}

static void is_over(struct agent_flow *flow, int err, const struct diag *why)
{
	flow->over = true;
	if (!err)
		return;
	flow->sent.unreachable = err == -EHOSTUNREACH || agent_is_unresolved(err);
	snprintf(flow->sent.why, sizeof(flow->sent.why), "%.255s", why->text);
}

bool agent_is_unresolved(int err)
{
	return err == -ETIMEDOUT || err == -EHOSTUNREACH || err == -ENETUNREACH;
}

int agent_unresolved_by(const struct verbs *verbs, int err, struct diag *diag)
{
	int up = verbs_is_up(verbs);

	if (up >= 0)
		return err;
	return diag_error(diag, -EIO,
		"%s tells nothing of its port %u any more (%s): if it was reset or removed, "
		"the "
		"kernel's log (dmesg) says why",
		verbs->device, verbs->port, strerror(-up));
}

/* The flow to the same address, by the same device, for which nobody answered: the kernel takes a
 * second to find that out, each time. NULL: not asked yet, or found. */
static const struct agent_flow *unanswered(
	const struct agent_stage *stage, const struct agent_flow *flow)
{
	for (uint32_t i = 0; i < stage->unanswered_count; i++) {
		const struct agent_flow *other = &stage->flows[stage->unanswered[i]];

		if (other->end.device == flow->end.device &&
			memcmp(other->gid, flow->gid, GID_BYTES) == 0)
			return other;
	}
	return NULL;
}

/* An address that nobody answers for ends its flows; the others run. */
static int connect_flow(struct agent_stage *stage, uint32_t at, const struct json *end,
	const struct gen_end *there, struct diag *diag)
{
	struct agent_flow *flow = &stage->flows[at];
	const struct agent_flow *before;
	int err;

	memcpy(flow->gid, there->gid, GID_BYTES);
	before = unanswered(stage, flow);
	if (before) {
		flow->over = true;
		flow->sent = before->sent;
		return 0;
	}
	err = gen_connect(&flow->gen, there, diag);
	if (!agent_is_unresolved(err))
		return err ? err : agent_probe_connect(stage, at, end, there, diag);
	err = agent_unresolved_by(flow->gen.verbs, err, diag);
	if (!agent_is_unresolved(err))
		return err;
	is_over(flow, err, diag);
	stage->unanswered[stage->unanswered_count++] = at;
	return 0;
}

int agent_stage_connect(struct agent_stage *stage, const struct json *body, struct diag *diag)
{
	const struct json *ends = json_get(body, "ends");
	struct gen_end there;
	int err = 0;

	if (json_count(ends) != stage->flow_count)
		return diag_error(diag, -EPROTO, "%zu ends for %u flows", json_count(ends),
			stage->flow_count);
	for (uint32_t i = 0; i < stage->flow_count && !err; i++) {
		err = gen_get_end(json_at(ends, i), &there, diag);
		if (!err && there.qps != stage->flows[i].end.plan.qps)
			err = diag_error(diag, -EPROTO, "%u QPs for a flow of %u", there.qps,
				stage->flows[i].end.plan.qps);
		if (!err)
			err = connect_flow(stage, i, json_at(ends, i), &there, diag);
	}
	if (!err)
		err = agent_ring_connect(stage, body, diag);
	if (!err)
		agent_probe_send(stage);
	agent_test_die(stage, "probe");
	if (!err)
		agent_counters_first(stage->counters, stage->devices, stage->device_count);
	stage->connected = !err;
	return err;
}

/* --- traffic --- */

/* Messages of each QP that may have left by now. */
static uint64_t allowed(const struct agent_flow *flow, uint64_t since_ns)
{
	const struct agent_pace *pace = &flow->end.pace;
	uint64_t periods = since_ns / pace->period_ns + 1;

	return periods >= flow->end.plan.messages / pace->messages + 1
		       ? flow->end.plan.messages
		       : periods * pace->messages;
}

/* One turn of a flow: how many completions, or a negative errno. */
static int turn(struct agent_stage *stage, struct agent_flow *flow, struct diag *diag)
{
	const struct agent_pace *pace = &flow->end.pace;
	uint64_t now = clock_ns(), start = stage->begin_ns + pace->start_ns;
	struct gen *gen = &flow->gen;
	int err = 0;

	if (now < start)
		return 0;
	if (!flow->sent.begin_ns) {
		flow->sent.begin_ns = now;
		gen->allowed = pace->messages ? allowed(flow, 0) : 0;
		err = gen_begin(gen, diag);
	} else if (pace->messages) {
		err = gen_allow(gen, allowed(flow, now - start), diag);
	}
	if (!err && gen->in_flight)
		err = gen_turn(gen, diag);
	if (err >= 0 && gen_has_ended(gen)) {
		flow->sent.end_ns = gen->now_ns;
		is_over(flow, 0, NULL);
	}
	return err;
}

static uint32_t all_turns(struct agent_stage *stage, uint32_t *open)
{
	uint32_t taken = 0;
	struct diag why;

	*open = 0;
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		struct agent_flow *flow = &stage->flows[i];
		int got;

		if (flow->over)
			continue;
		got = turn(stage, flow, &why);
		if (got < 0)
			is_over(flow, got, &why);
		else
			taken += (uint32_t)got;
		*open += !flow->over;
	}
	taken += agent_ring_turn(stage);
	*open += stage->ring.here && !stage->ring.over;
	return taken;
}

uint64_t agent_nap_ns(uint64_t now_ns, uint64_t begin_ns)
{
	if (now_ns + SPIN_NS >= begin_ns)
		return 0;
	return begin_ns - now_ns - SPIN_NS < NAP_NS ? begin_ns - now_ns - SPIN_NS : NAP_NS;
}

static void nap(uint64_t ns)
{
	const struct timespec time = { .tv_nsec = (long)ns };

	if (ns == 0)
		return;
	nanosleep(&time, NULL);
}

uint64_t agent_traffic_ns(const struct agent_stage *stage, uint64_t deadline_ns)
{
	uint64_t sums_ns = stage->ring.all.sums_ns;

	return deadline_ns + (sums_ns < AGENT_SUMS_NS_MAX ? sums_ns : AGENT_SUMS_NS_MAX);
}

/* Until the traffic has ended, or its time is up. Where the kernel is the NIC it needs the
 * processor more than we do. */
static int traffic(struct agent_stage *stage, uint64_t deadline_ns, struct diag *diag)
{
	uint64_t listen_ns = 0;
	bool moved = false;
	uint32_t open = 1;
	int err;

	stage->heard_ns = clock_ns();
	while (open && !stage->stop &&
		clock_ns() < stage->begin_ns + agent_traffic_ns(stage, deadline_ns)) {
		bool waits = clock_ns() < stage->begin_ns;
		uint32_t taken = waits ? 0 : all_turns(stage, &open);

		if (taken && !moved)
			agent_test_die(stage, "traffic");
		moved |= taken > 0;
		if (waits)
			nap(agent_nap_ns(clock_ns(), stage->begin_ns));
		else if (!taken && stage->soft)
			nap(NAP_NS);
		if (clock_ns() < listen_ns)
			continue;
		err = agent_listen(stage, diag);
		if (err)
			return err == -EPIPE ? err : -EPROTO;
		listen_ns = clock_ns() + LISTEN_NS;
		if (listen_ns > stage->heard_ns + AGENT_SILENCE_NS)
			return diag_error(diag, -ETIMEDOUT,
				"%s said nothing for %u s while a stage ran",
				stage->control->peer, (unsigned)(AGENT_SILENCE_NS / NS_PER_S));
	}
	return 0;
}

static void put_flow(struct json *list, struct agent_flow *flow)
{
	const struct gen *gen = &flow->gen;

	for (uint32_t i = 0; i < gen->plan.qps; i++) {
		flow->sent.posted += gen->qps[i].posted;
		flow->sent.messages += gen->qps[i].sent;
	}
	agent_put_sent(json_add_object(list), &flow->sent);
}

int agent_stage_run(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag)
{
	struct json *sent = json_put_array(answer, "ends");
	uint64_t now = clock_ns(), at_ns, deadline_ns;
	int err = wire_number(body, "at_ns", 0, now + AHEAD_NS, &at_ns, diag);

	if (!err)
		err = wire_number(
			body, "deadline_ns", 0, AGENT_STAGE_NS_MAX, &deadline_ns, diag);
	if (!err && !stage->connected)
		err = diag_error(diag, -EPROTO, "START of flows that are not connected");
	if (err)
		return err;
	for (uint32_t i = 0; i < stage->flow_count; i++) {
		stage->flows[i].over |= !stage->flows[i].end.active;
		stage->soft |= stage->flows[i].gen.verbs->soft;
	}
	if (stage->ring.here)
		stage->soft |= stage->ring.all.verbs->soft;
	stage->started = true;
	stage->begin_ns = at_ns > now ? at_ns : now;
	stage->watch = agent_watch_begin(stage->counters, stage->devices, stage->device_count);
	err = traffic(stage, deadline_ns, diag);
	if (err)
		return err;
	for (uint32_t i = 0; i < stage->flow_count; i++)
		put_flow(sent, &stage->flows[i]);
	agent_ring_sent(stage, answer);
	return 0;
}

/* --- the result --- */

int agent_stage_check(struct agent_stage *stage, const struct json *body, struct diag *diag)
{
	const struct json *list = json_get(body, "arrived");
	int err = 0;

	agent_test_die(stage, "payload");
	for (uint32_t i = 0; i < stage->flow_count && json_count(list) && !err; i++) {
		struct gen *gen = &stage->flows[i].gen;
		uint64_t all = gen->plan.messages * gen->plan.qps;
		int64_t count;

		if (!json_int(json_at(list, i), &count) || (count && (uint64_t)count != all))
			return diag_error(diag, -EPROTO,
				"what arrived of flow %u is not all, nor nothing", i);
		if (!count || !gen->plan.check || stage->flows[i].end.active)
			continue;
		agent_test_spoil(gen);
		err = gen_receive_rest(gen, all, gen->plan.messages, diag);
	}
	return err;
}

static void put_series(struct json *list, const struct agent_flow *flow)
{
	const struct gen_result *result = &flow->gen.result;
	struct json *object = json_add_object(list), *bytes;

	json_put_u64(object, "checked", result->checked);
	json_put_u64(object, "corrupt", result->corrupt);
	json_put_u64(object, "begin_ns", flow->sent.begin_ns);
	bytes = json_put_array(object, "bytes");
	for (uint32_t i = 0; i < result->series_count; i++)
		json_add_u64(bytes, result->series[i]);
}

void agent_stage_result(struct agent_stage *stage, struct json *answer)
{
	struct json *devices = json_put_array(answer, "devices");
	struct json *series = json_put_array(answer, "series");

	agent_watch_end(stage->watch);
	stage->watch = NULL;
	agent_counters_last(stage->counters, stage->devices, stage->device_count);
	agent_probe_result(stage, answer);
	for (uint32_t i = 0; i < stage->device_count; i++)
		agent_put_counters(json_add_object(devices), &stage->counters[i]);
	for (uint32_t i = 0; i < stage->flow_count; i++)
		put_series(series, &stage->flows[i]);
}

void agent_stage_close(struct agent_stage *stage)
{
	for (uint32_t i = 0; i < stage->flow_count; i++)
		gen_close(&stage->flows[i].gen);
	agent_probe_close(stage);
	allreduce_close(&stage->ring.all);
	free(stage->flows);
	free(stage->unanswered);
	agent_watch_end(stage->watch);
	agent_counters_free(stage->counters, stage->device_count);
	*stage = (struct agent_stage){
		.control = stage->control,
		.devices = stage->devices,
		.device_count = stage->device_count,
		.number = stage->number,
	};
}
