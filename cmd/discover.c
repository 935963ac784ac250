/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/discover.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "fabric/agents.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"

#define HOSTS_MAX 4096u
#define ANSWER_NS (30 * NS_PER_S)
#define FRAME_NS (2 * NS_PER_S) /* from its first byte to its last */
#define LOOK_MS 200

struct discover_args {
	struct opt_list hosts;
	const char *weft;
	unsigned launcher;
};

#define ARG(field) offsetof(struct discover_args, field)

static const struct opt discover_opts[] = {
	{ OPT_CHOICE, "launcher by-host|local|ssh", ARG(launcher), 0, 0,
		"of agents on the hosts; by-host: local for a host called local" },
	{ OPT_TEXT, "weft PATH", ARG(weft), 0, 0,
		"weft on the hosts; weft unless given, and here this program" },
	{ OPT_ARGS, "HOST", ARG(hosts), 1, HOSTS_MAX, "as ssh takes it; local: this one" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

/* --- asking --- */

static int read_ports(struct discover_host *host, const struct json *body, struct diag *diag)
{
	const struct json *list = json_get(body, "ports");
	size_t count = json_count(list);
	int err = 0;

	if (count > DISCOVER_PORTS_MAX)
		return diag_error(diag, -EPROTO, "its agent tells of %zu ports", count);
	host->ports = zeroed(count, sizeof(*host->ports));
	for (size_t i = 0; i < count && !err; i++)
		err = discover_get(json_at(list, i), &host->ports[i], diag);
	host->count = err ? 0 : (uint32_t)count;
	return err;
}

/* An agent that is being asked. */
struct question {
	struct discover_host *host; /* borrowed; NULL: none */
	struct launch launch;
	uint8_t expected; /* the kind of the next frame */
	uint64_t deadline_ns;
};

static int send_question(struct launch *launch, struct diag *diag)
{
	struct json *empty = json_new_object();
	int err = agents_send(launch, AGENT_PORTS, empty, diag);

	json_free(empty);
	return err;
}

/* 0: there is more to come; 1: all has come. */
static int read_frame(
	struct question *of, uint8_t kind, const struct json *body, struct diag *diag)
{
	const char *why = json_text(json_get(body, "why"));
	int err;

	if (kind == AGENT_REFUSE && why)
		return diag_error(diag, -EIO, "%.300s", why);
	if (kind != of->expected)
		return diag_error(diag, -EPROTO, "its agent sent frame %u, expected %u", kind,
			of->expected);
	if (kind == AGENT_PORTS) {
		err = read_ports(of->host, body, diag);
		return err ? err : 1;
	}
	err = agents_hello(&of->launch, body, "weft " WEFT_VERSION, diag);
	if (!err)
		err = send_question(&of->launch, diag);
	of->expected = AGENT_PORTS;
	return err;
}

static int hear(struct question *of, struct diag *diag)
{
	struct json *body;
	uint8_t kind;
	int err = agents_receive(&of->launch, &kind, &body, FRAME_NS, diag);

	if (err)
		return err;
	err = read_frame(of, kind, body, diag);
	json_free(body);
	return err;
}

static void end_question(struct question *of, int err, const struct diag *why)
{
	if (err < 0)
		fprintf(stderr, "weft discover: %s: %s\n", of->host->name, why->text);
	of->host->missing = err < 0;
	launch_close(&of->launch);
	of->host = NULL;
}

static void begin_question(
	struct question *of, const struct discover_args *args, struct discover_host *host)
{
	struct diag why;
	int err;

	*of = (struct question){
		.host = host,
		.launch = LAUNCH_INIT,
		.expected = AGENT_HELLO,
		.deadline_ns = clock_ns() + ANSWER_NS,
	};
	err = agents_launch(&of->launch, (enum agents_launcher)args->launcher, host->name,
		args->weft, host->name, &why);
	if (err)
		end_question(of, err, &why);
}

/* Hears whoever has something to say: an agent that nobody hears for long thinks that nobody is
 * there, whatever another host is waited for. Returns how many are still asked. */
static uint32_t turn(struct question of[AGENTS_AT_A_TIME])
{
	struct pollfd waited[AGENTS_AT_A_TIME];
	struct diag why;
	uint32_t open = 0;
	int broken;
	bool late = false; /* one a turn: to end what does not answer takes a second */

	for (uint32_t i = 0; i < AGENTS_AT_A_TIME; i++)
		waited[i] = (struct pollfd){
			.fd = of[i].host ? of[i].launch.control.fd : -1,
			.events = POLLIN,
		};
	broken = poll(waited, AGENTS_AT_A_TIME, LOOK_MS) < 0 ? -errno : 0;
	if (broken == -EINTR)
		return AGENTS_AT_A_TIME; /* again */
	for (uint32_t i = 0; i < AGENTS_AT_A_TIME; i++) {
		int err = 0;

		if (!of[i].host)
			continue;
		if (broken)
			err = diag_system(&why, broken, "waiting for its agent");
		else if (waited[i].revents)
			err = hear(&of[i], &why);
		else if (!late && clock_ns() > of[i].deadline_ns)
			err = diag_error(&why, -ETIMEDOUT, "no answer within %u s",
				(unsigned)(ANSWER_NS / NS_PER_S));
		late |= err == -ETIMEDOUT;
		if (err)
			end_question(&of[i], err, &why);
		open += of[i].host != NULL;
	}
	return open;
}

static void ask_all(
	const struct discover_args *args, struct discover_host *hosts, uint32_t count)
{
	struct question of[AGENTS_AT_A_TIME] = { { .host = NULL } };
	uint32_t next = 0, open = 0;

	agents_room(count < AGENTS_AT_A_TIME ? count : AGENTS_AT_A_TIME);
	do {
		for (uint32_t i = 0; i < AGENTS_AT_A_TIME && next < count; i++)
			if (!of[i].host)
				begin_question(&of[i], args, &hosts[next++]);
		open = turn(of);
	} while (open || next < count);
}

int cmd_discover(int argc, char **argv)
{
	struct discover_args args = { .launcher = AGENTS_BY_HOST };
	struct discover_host *hosts;
	uint32_t count, missing = 0;
	int status;

	if (!opt_read("discover",
		    "Writes a first fabric file from what hosts tell of their RoCE ports: "
		    "devices, speeds, and switches by LLDP.",
		    discover_opts, argc, argv, &args, &status))
		return status;
	count = (uint32_t)args.hosts.count;
	hosts = zeroed(count, sizeof(*hosts));
	for (uint32_t i = 0; i < count; i++)
		hosts[i].name = args.hosts.items[i];
	ask_all(&args, hosts, count);
	for (uint32_t i = 0; i < count; i++)
		missing += hosts[i].missing;
	status = discover_write(stdout, hosts, count) && !missing ? EXIT_PASS : EXIT_UNKNOWN;
	for (uint32_t i = 0; i < count; i++)
		free(hosts[i].ports);
	free(hosts);
	return status;
}
