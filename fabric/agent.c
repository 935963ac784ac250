/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/agent_stage.h"
#include "fabric/discover.h"
#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/host.h"
#include "lib/json.h"
#include "lib/numa.h"
#include "lib/utf8.h"

struct agent {
	struct control *control; /* borrowed */
	struct verbs *devices;   /* owned */
	uint32_t device_count;
	char bound[GEN_BOUND]; /* to which processors */
	struct agent_stage stage;
};

/* --- talk --- */

int agent_say(
	struct control *control, enum agent_frame kind, struct json *body, struct diag *diag)
{
	int err = control_send(control, (uint8_t)kind, body, AGENT_TALK_NS, diag);

	json_free(body);
	return err;
}

int agent_say_clock(struct control *control, const struct json *asked, struct diag *diag)
{
	struct json *body;
	uint64_t id;
	int err = wire_number(asked, "id", 0, INT64_MAX, &id, diag);

	if (err)
		return err;
	body = json_new_object();
	json_put_u64(body, "id", id);
	json_put_u64(body, "now_ns", clock_ns());
	return agent_say(control, AGENT_CLOCK, body, diag);
}

static int hello(struct agent *agent, const char *program, struct diag *diag)
{
	struct json *body = json_new_object();
	char host[64] = "";

	gethostname(host, sizeof(host) - 1);
	json_put_text(body, "program", program);
	json_put_text(body, "host", host);
	return agent_say(agent->control, AGENT_HELLO, body, diag);
}

int agent_listen(struct agent_stage *stage, struct diag *diag)
{
	struct json *body;
	uint8_t kind;
	int err;

	if (!control_ready(stage->control, 0))
		return 0;
	err = control_receive(stage->control, &kind, &body, AGENT_TALK_NS, diag);
	if (err)
		return err;
	stage->heard_ns = clock_ns();
	if (kind == AGENT_CLOCK)
		err = agent_say_clock(stage->control, body, diag);
	else if (kind != AGENT_STOP)
		err = diag_error(diag, -EPROTO, "frame %u while a stage runs", kind);
	else
		stage->stop = true;
	json_free(body);
	return err;
}

/* --- devices --- */

static void put_device(struct json *list, const struct agent *agent, const struct verbs *verbs)
{
	struct gen_side side = {
		.port = verbs->port,
		.gid_index = verbs->gid_index,
		.mtu_bytes = verbs->mtu_bytes,
		.speed_bps = verbs->speed_bps,
		.soft = verbs->soft,
	};

	memcpy(side.device, verbs->device, sizeof(side.device));
	memcpy(side.bound, agent->bound, sizeof(side.bound));
	gid_print(verbs->gid, side.address);
	gen_put_side(json_add_object(list), &side);
}

static void close_devices(struct agent *agent)
{
	agent_stage_close(&agent->stage);
	for (uint32_t i = 0; i < agent->device_count; i++)
		verbs_close(&agent->devices[i]);
	free(agent->devices);
	agent->devices = NULL;
	agent->device_count = 0;
}

static int find_ports(struct json *answer, struct diag *diag)
{
	struct discover_port *ports = zeroed(DISCOVER_PORTS_MAX, sizeof(*ports));
	struct json *list = json_put_array(answer, "ports");
	int count = discover_ports(ports, diag);

	for (int i = 0; i < count; i++)
		discover_put(json_add_object(list), &ports[i]);
	free(ports);
	return count < 0 ? count : 0;
}

/* Next to its NICs, where all are of one NUMA node; memory is near each in any case. */
static void bind_near(struct agent *agent)
{
	const char *names[AGENT_DEVICES_MAX];
	const struct host here = { .root = NULL };

	for (uint32_t i = 0; i < agent->device_count; i++)
		names[i] = agent->devices[i].device;
	if (numa_common(&here, names, agent->device_count) >= 0)
		numa_bind(names[0], agent->bound, sizeof(agent->bound));
	else
		snprintf(agent->bound, sizeof(agent->bound),
			"not bound, its NICs are of no NUMA node or of several");
}

static int open_device(struct agent *agent, const struct json *name, struct diag *diag)
{
	struct verbs_choice choice = { .device = json_text(name), .near = true };
	struct verbs *verbs = &agent->devices[agent->device_count];

	if (!choice.device || strlen(choice.device) >= VERBS_NAME ||
		utf8_has_control(choice.device))
		return diag_error(diag, -EPROTO, "a device without a good name");
	if (!*choice.device)
		choice.device = NULL;
	*verbs = (struct verbs)VERBS_INIT;
	agent->device_count++;
	return verbs_open(verbs, &choice, diag);
}

static int open_devices(
	struct agent *agent, const struct json *body, struct json *answer, struct diag *diag)
{
	const struct json *names = json_get(body, "devices");
	struct json *opened = json_put_array(answer, "devices");
	size_t count = json_count(names);
	int err = 0;

	if (!json_is_array(names) || count > AGENT_DEVICES_MAX)
		return diag_error(diag, -EPROTO, "no list of devices, or more than %u",
			AGENT_DEVICES_MAX);
	close_devices(agent);
	agent->devices = zeroed(count, sizeof(*agent->devices));
	for (size_t i = 0; i < count && !err; i++)
		err = open_device(agent, json_at(names, i), diag);
	if (!err)
		bind_near(agent);
	for (size_t i = 0; i < count && !err; i++)
		put_device(opened, agent, &agent->devices[i]);
	agent->stage.devices = agent->devices;
	agent->stage.device_count = agent->device_count;
	return err;
}

/* --- frames --- */

static bool has_stage(const struct agent *agent)
{
	return agent->stage.prepared;
}

/* What answers a frame; AGENT_REFUSE where it is out of turn. */
static enum agent_frame answer_to(struct agent *agent, uint8_t kind, const struct json *body,
	struct json *answer, int *err, struct diag *diag)
{
	switch (kind) {
	case AGENT_OPEN:
		*err = open_devices(agent, body, answer, diag);
		return AGENT_OPENED;
	case AGENT_PORTS:
		*err = find_ports(answer, diag);
		return AGENT_PORTS;
	case AGENT_PREPARE:
		agent_stage_close(&agent->stage);
		*err = agent_stage_prepare(&agent->stage, body, answer, diag);
		return AGENT_PREPARED;
	case AGENT_CONNECT:
		if (!has_stage(agent) || agent->stage.connected)
			break;
		*err = agent_stage_connect(&agent->stage, body, diag);
		return AGENT_CONNECTED;
	case AGENT_START:
		if (!has_stage(agent) || agent->stage.started)
			break;
		*err = agent_stage_run(&agent->stage, body, answer, diag);
		return AGENT_SENT;
	case AGENT_STEPS:
		if (!has_stage(agent))
			break;
		*err = agent_ring_steps(&agent->stage, body, answer, diag);
		return AGENT_STEPS;
	default:
		break;
	}
	*err = diag_error(diag, -EPROTO, "frame %u out of turn", kind);
	return AGENT_REFUSE;
}

/* body: of the frame; NULL: it came while the stage ran. */
static int stop_stage(struct agent *agent, const struct json *body, struct diag *diag)
{
	struct json *answer = json_new_object();
	int err = 0;

	if (has_stage(agent) && body)
		err = agent_stage_check(&agent->stage, body, diag);
	if (err) {
		json_free(answer);
		return err;
	}
	if (has_stage(agent))
		agent_stage_result(&agent->stage, answer);
	agent_stage_close(&agent->stage);
	return agent_say(agent->control, AGENT_RESULT, answer, diag);
}

static int refuse(struct agent *agent, struct diag *why)
{
	struct json *answer = json_new_object();
	char text[256]; /* as much as the coordinator takes */

	snprintf(text, sizeof(text), "%.255s", why->text);
	json_put_text(answer, "why", text);
	return agent_say(agent->control, AGENT_REFUSE, answer, why);
}

/* A frame that is no good is told of, too, and ends the agent. */
static int handle(struct agent *agent, uint8_t kind, const struct json *body, struct diag *diag)
{
	struct json *answer;
	enum agent_frame with;
	struct diag why;
	int err;

	if (kind == AGENT_CLOCK)
		return agent_say_clock(agent->control, body, diag);
	if (kind == AGENT_STOP)
		return stop_stage(agent, body, diag);
	answer = json_new_object();
	with = answer_to(agent, kind, body, answer, &err, diag);
	if (!err && agent->stage.stop) {
		json_free(answer);
		return stop_stage(agent, NULL, diag);
	}
	if (!err)
		return agent_say(agent->control, with, answer, diag);
	json_free(answer);
	agent_stage_close(&agent->stage);
	if (kind == AGENT_START && err == -ETIMEDOUT) /* nobody is there to be told */
		return err;
	why = *diag;
	refuse(agent, &why);
	return err == -EPROTO || err == -EPIPE ? err : 0;
}

int agent_serve(struct control *control, const char *program, struct diag *diag)
{
	struct agent agent = { .control = control, .stage = AGENT_STAGE_INIT };
	struct json *body;
	uint8_t kind;
	int err;

	agent.stage.control = control;
	err = hello(&agent, program, diag);
	while (!err) {
		err = control_receive(control, &kind, &body, AGENT_SILENCE_NS, diag);
		if (err)
			break;
		err = handle(&agent, kind, body, diag);
		json_free(body);
	}
	close_devices(&agent);
	return err == -EPIPE ? 0 : err;
}
