/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/discover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "fabric/agents.h"
#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"

#define HOSTS_MAX 4096u
#define ANSWER_NS (30 * NS_PER_S)

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

static int hear(struct launch *launch, uint8_t kind, struct json **body, struct diag *diag)
{
	char words[LAUNCH_WORDS];
	uint8_t is;
	int err = control_receive(&launch->control, &is, body, ANSWER_NS, diag);

	if (err) {
		launch_words(launch, words);
		return words[0] ? diag_error(diag, err, "%.250s", words) : err;
	}
	if (is == kind)
		return 0;
	if (is == AGENT_REFUSE && json_text(json_get(*body, "why")))
		err = diag_error(diag, -EIO, "%.300s", json_text(json_get(*body, "why")));
	else
		err = diag_error(
			diag, -EPROTO, "its agent sent frame %u, expected %u", is, kind);
	json_free(*body);
	return err;
}

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

static int ask(struct discover_host *host, struct launch *launch, struct diag *diag)
{
	struct json *body = NULL, *empty;
	int err = hear(launch, AGENT_HELLO, &body, diag);

	if (err)
		return err;
	json_free(body);
	empty = json_new_object();
	err = control_send(&launch->control, AGENT_PORTS, empty, AGENT_TALK_NS, diag);
	json_free(empty);
	if (!err)
		err = hear(launch, AGENT_PORTS, &body, diag);
	if (err)
		return err;
	err = read_ports(host, body, diag);
	json_free(body);
	return err;
}

/* A group of hosts at a time: started together, heard one after the other. */
static uint32_t ask_some(
	const struct discover_args *args, struct discover_host *hosts, uint32_t count)
{
	struct launch launches[AGENTS_AT_A_TIME];
	uint32_t missing = 0;
	struct diag why;

	for (uint32_t i = 0; i < count; i++) {
		launches[i] = (struct launch)LAUNCH_INIT;
		hosts[i].missing =
			agents_launch(&launches[i], (enum agents_launcher)args->launcher,
				hosts[i].name, args->weft, hosts[i].name, &why);
		if (hosts[i].missing)
			fprintf(stderr, "weft discover: %s: %s\n", hosts[i].name, why.text);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!hosts[i].missing && ask(&hosts[i], &launches[i], &why)) {
			hosts[i].missing = true;
			fprintf(stderr, "weft discover: %s: %s\n", hosts[i].name, why.text);
		}
		launch_close(&launches[i]);
		missing += hosts[i].missing;
	}
	return missing;
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
	for (uint32_t i = 0; i < count; i += AGENTS_AT_A_TIME)
		missing += ask_some(&args, &hosts[i],
			count - i < AGENTS_AT_A_TIME ? count - i : AGENTS_AT_A_TIME);
	status = discover_write(stdout, hosts, count) && !missing ? EXIT_PASS : EXIT_UNKNOWN;
	for (uint32_t i = 0; i < count; i++)
		free(hosts[i].ports);
	free(hosts);
	return status;
}
