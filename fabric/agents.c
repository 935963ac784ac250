/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/agents.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"

#define START_NS (30 * NS_PER_S)
#define TICK_NS (2 * NS_PER_S)
#define LOOK_NS (200 * NS_PER_MS)
#define CLOCK_PINGS 8u
#define CLOCK_NS (2 * NS_PER_S)
#define NOW_NS_MAX (INT64_MAX / 4) /* 73 years after the start of the host */

/* --- hosts --- */

struct agents_host *agents_of_nic(const struct agents *agents, uint32_t nic)
{
	for (uint32_t i = 0; i < agents->count; i++)
		if (nic - agents->hosts[i].first_nic < agents->hosts[i].nics)
			return &agents->hosts[i];
	return NULL;
}

void agents_give_up(struct agents_host *host, const char *why)
{
	if (host->alive)
		snprintf(host->why, sizeof(host->why), "%.255s", why);
	host->alive = false;
	launch_close(&host->launch);
}

static const struct binding *binding_of(const struct fabric *fabric, uint32_t nic)
{
	for (uint32_t i = 0; i < fabric->binding_count; i++)
		if (fabric->bindings[i].nic == nic)
			return &fabric->bindings[i];
	return NULL;
}

static uint32_t first_nic(const struct fabric *fabric, uint32_t node)
{
	return fabric->ports[fabric->nodes[node].first_port].nic;
}

int agents_bound(const struct fabric *fabric, struct diag *diag)
{
	for (uint32_t node = 0; node < fabric->hosts; node++) {
		const struct binding *binding = binding_of(fabric, first_nic(fabric, node));
		const char *place = fabric->nodes[node].name;

		if (!binding || !binding->host[0])
			return diag_error(diag, -EINVAL,
				"the fabric file does not say which machine %s is: expected "
				"hosts: - "
				"{place: %s, host: NAME, nic: DEVICE}, as weft discover writes "
				"it",
				place, place);
	}
	return 0;
}

/* The NICs of a host follow one another in the order of its ports. */
static void list_hosts(struct agents *agents)
{
	const struct fabric *fabric = agents->fabric;

	agents->hosts = zeroed(fabric->hosts, sizeof(*agents->hosts));
	for (uint32_t node = 0; node < fabric->hosts; node++) {
		struct agents_host *host = &agents->hosts[agents->count++];

		host->node = node;
		host->first_nic = first_nic(fabric, node);
		host->nics = fabric->nodes[node].port_count;
		host->launch = (struct launch)LAUNCH_INIT;
		snprintf(host->name, sizeof(host->name), "%.20s (%.40s)",
			fabric->nodes[node].name, binding_of(fabric, host->first_nic)->host);
	}
}

/* --- talk --- */

/* Whether a small frame would be taken at once: a host that hangs must not keep the others from
 * being told. */
static bool takes_frames(const struct control *control)
{
	struct pollfd waited = { .fd = control->out, .events = POLLOUT };

	return poll(&waited, 1, 0) == 1;
}

/* The answers are read, and passed over, when the agents are heard next. */
void agents_tick(struct agents *agents)
{
	if (clock_ns() < agents->tick_ns)
		return;
	agents->tick_ns = clock_ns() + TICK_NS;
	for (uint32_t i = 0; i < agents->count; i++) {
		struct agents_host *host = &agents->hosts[i];
		struct json *body;

		if (!host->alive || !takes_frames(&host->launch.control))
			continue;
		body = json_new_object();
		json_put_u64(body, "id", 0);
		agents_say(host, AGENT_CLOCK, body);
	}
}

void agents_say(struct agents_host *host, enum agent_frame kind, struct json *body)
{
	struct diag why;

	if (host->alive && agents_send(&host->launch, kind, body, &why))
		agents_give_up(host, why.text);
	json_free(body);
}

/* Looks at least once: what has come while another was waited for is in time. */
static bool wait_for(struct agents *agents, struct agents_host *host, uint64_t deadline_ns)
{
	do {
		agents_tick(agents);
		if (!host->alive || control_ready(&host->launch.control, LOOK_NS))
			return true;
		if (agents->options.stop && *agents->options.stop)
			return true;
	} while (clock_ns() < deadline_ns);
	return false;
}

static int take(struct agents *agents, struct agents_host *host, uint8_t *kind,
	struct json **body, uint64_t deadline_ns, struct diag *diag)
{
	if (!wait_for(agents, host, deadline_ns))
		return diag_error(diag, -ETIMEDOUT, "its agent does not answer");
	if (!host->alive)
		return -EHOSTDOWN;
	if (agents->options.stop && *agents->options.stop)
		return diag_error(diag, -EINTR, "interrupted");
	return agents_receive(&host->launch, kind, body, AGENT_TALK_NS, diag);
}

bool agents_hear(struct agents *agents, struct agents_host *host, enum agent_frame kind,
	struct json **body, uint64_t deadline_ns, char refusal[256])
{
	struct json *got = NULL;
	struct diag why;
	uint8_t is = 0;
	int err;

	refusal[0] = '\0';
	do {
		json_free(got);
		got = NULL;
		err = host->alive ? take(agents, host, &is, &got, deadline_ns, &why)
				  : -EHOSTDOWN;
	} while (!err && is == AGENT_CLOCK && kind != AGENT_CLOCK);
	if (!err && is == kind) {
		*body = got;
		return true;
	}
	if (!err && is == AGENT_REFUSE && !wire_text(got, "why", refusal, 256, &why)) {
		json_free(got);
		return false;
	}
	if (!err)
		err = diag_error(
			&why, -EPROTO, "its agent sent frame %u, expected %u", is, kind);
	json_free(got);
	if (host->alive)
		agents_give_up(host, why.text);
	return false;
}

/* --- starting --- */

static void launch(struct agents *agents, struct agents_host *host)
{
	const struct agents_options *options = &agents->options;
	struct diag why;

	host->alive = true;
	if (agents_launch(&host->launch, options->launcher,
		    binding_of(agents->fabric, host->first_nic)->host, options->weft,
		    host->name, &why))
		agents_give_up(host, why.text);
}

static void greet(struct agents *agents, struct agents_host *host, uint64_t deadline_ns)
{
	struct json *body, *names, *ask;
	char refusal[256];
	struct diag why;

	if (!agents_hear(agents, host, AGENT_HELLO, &body, deadline_ns, refusal))
		return;
	if (agents_hello(&host->launch, body, agents->options.program, &why))
		agents_give_up(host, why.text);
	json_free(body);
	ask = json_new_object();
	names = json_put_array(ask, "devices");
	for (uint32_t i = 0; i < host->nics; i++) {
		const struct binding *binding = binding_of(agents->fabric, host->first_nic + i);

		json_add_text(names, binding ? binding->device : "");
	}
	agents_say(host, AGENT_OPEN, ask);
}

static void opened(struct agents *agents, struct agents_host *host, uint64_t deadline_ns)
{
	const struct json *devices;
	struct json *body;
	char refusal[256];
	struct diag why;
	int err = 0;

	if (!agents_hear(agents, host, AGENT_OPENED, &body, deadline_ns, refusal)) {
		if (host->alive)
			agents_give_up(host, refusal);
		return;
	}
	devices = json_get(body, "devices");
	if (json_count(devices) != host->nics)
		err = diag_error(&why, -EPROTO, "its agent opened %zu devices of %u",
			json_count(devices), host->nics);
	for (uint32_t i = 0; i < host->nics && !err; i++)
		err = gen_get_side(json_at(devices, i), &host->devices[i], &why);
	if (err)
		agents_give_up(host, why.text);
	json_free(body);
}

static void start_some(struct agents *agents, uint32_t first, uint32_t end)
{
	uint64_t wait_ns = agents->options.start_ns ? agents->options.start_ns : START_NS;
	uint64_t deadline_ns = clock_ns() + wait_ns;

	for (uint32_t i = first; i < end; i++)
		launch(agents, &agents->hosts[i]);
	for (uint32_t i = first; i < end; i++)
		greet(agents, &agents->hosts[i], deadline_ns);
	for (uint32_t i = first; i < end; i++)
		opened(agents, &agents->hosts[i], deadline_ns);
}

static int tell_missing(const struct agents *agents, struct diag *diag)
{
	const struct agents_host *first = NULL;
	uint32_t missing = 0;
	char more[64] = "";

	for (uint32_t i = 0; i < agents->count; i++) {
		if (agents->hosts[i].alive)
			continue;
		first = first ? first : &agents->hosts[i];
		missing++;
	}
	if (!first)
		return 0;
	if (missing > 1)
		snprintf(more, sizeof(more), "; so are %u more of %u hosts", missing - 1,
			agents->count);
	return diag_error(
		diag, -EHOSTDOWN, "%s is missing: %s%s", first->name, first->why, more);
}

int agents_start(struct agents *agents, const struct fabric *fabric,
	const struct agents_options *options, struct diag *diag)
{
	int err;

	agents->fabric = fabric;
	agents->options = *options;
	if (fabric->rails > AGENT_DEVICES_MAX)
		return diag_error(diag, -EINVAL, "%u NICs a host: expected at most %u",
			fabric->rails, AGENT_DEVICES_MAX);
	err = agents_bound(fabric, diag);
	if (err)
		return err;
	list_hosts(agents);
	agents_room(agents->count);
	for (uint32_t i = 0; i < agents->count; i += AGENTS_AT_A_TIME)
		start_some(agents, i,
			agents->count - i < AGENTS_AT_A_TIME ? agents->count
							     : i + AGENTS_AT_A_TIME);
	agents_families(agents);
	return tell_missing(agents, diag);
}

/* --- clocks --- */

/* One round trip; the frames of earlier ones are passed over by their number. */
static bool ping(struct agents *agents, struct agents_host *host, uint64_t *sent_ns,
	uint64_t *there_ns, uint64_t *back_ns)
{
	struct json *body = json_new_object();
	uint64_t id = ++agents->clock_id, got = 0;
	char refusal[256];
	struct diag why;

	json_put_u64(body, "id", id);
	*sent_ns = clock_ns();
	agents_say(host, AGENT_CLOCK, body);
	while (got != id) {
		if (!agents_hear(
			    agents, host, AGENT_CLOCK, &body, *sent_ns + CLOCK_NS, refusal))
			return false;
		*back_ns = clock_ns();
		if (wire_number(body, "id", 0, INT64_MAX, &got, &why) ||
			wire_number(body, "now_ns", 0, NOW_NS_MAX, there_ns, &why)) {
			agents_give_up(host, why.text);
			got = id;
		}
		json_free(body);
	}
	return host->alive;
}

static void clock_of(struct agents *agents, struct agents_host *host)
{
	uint64_t sent_ns, there_ns, back_ns, least = UINT64_MAX;

	for (uint32_t i = 0; i < CLOCK_PINGS && host->alive; i++) {
		if (!ping(agents, host, &sent_ns, &there_ns, &back_ns))
			return;
		if (back_ns - sent_ns >= least)
			continue;
		least = back_ns - sent_ns;
		host->offset_ns = (int64_t)(there_ns - (sent_ns + least / 2));
		host->error_ns = least / 2;
	}
}

void agents_clocks(struct agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++)
		if (agents->hosts[i].alive)
			clock_of(agents, &agents->hosts[i]);
}

void agents_close(struct agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++)
		launch_hang_up(&agents->hosts[i].launch);
	for (uint32_t i = 0; i < agents->count; i++)
		launch_close(&agents->hosts[i].launch);
	free(agents->hosts);
	*agents = (struct agents)AGENTS_INIT;
}
