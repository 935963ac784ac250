/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/command.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"
#include "pfc/collecting.h"

#define RECORDED "commands/lldpcli"
#define LIMIT_NS (5 * NS_PER_S)
#define ANSWER_BYTES ((size_t)1 << 20)

/* {"eth0": {"chassis": {"leaf1": {...}}, "port": {"id": {"value": "Ethernet4"}}}} */
static void add_neighbour(const struct collect *collect, const struct json *entry)
{
	void *at = NULL, *in = NULL;
	const char *netdev, *system = NULL, *port;
	const struct json *value, *of;

	while (json_next(entry, &at, &netdev, &value)) {
		json_next(json_get(value, "chassis"), &in, &system, &of);
		port = json_text(json_get(json_get(json_get(value, "port"), "id"), "value"));
		if (!system || !port)
			continue;
		collect_text(collect, FACT_NEIGHBOUR, netdev, NULL, system, "lldpcli")->extra =
			facts_keep(collect->facts, port);
	}
}

/* With one interface lldpcli gives an object, with several an array. */
static void read_answer(const struct collect *collect, const char *text, size_t size)
{
	const struct json *list;
	struct json *root;
	struct diag diag;

	if (json_parse(&root, text, size, &diag)) {
		collect_missing(collect, "", "LLDP neighbours", "lldpcli", -EBADMSG);
		return;
	}
	list = json_get(json_get(root, "lldp"), "interface");
	if (json_is_object(list))
		add_neighbour(collect, list);
	for (size_t i = 0; json_is_array(list) && i < json_count(list); i++)
		add_neighbour(collect, json_at(list, i));
	json_free(root);
}

static int ask(const struct collect *collect)
{
	static const char *const argv[] = { "lldpcli", "-f", "json", "show", "neighbors",
		NULL };
	struct command command = { .argv = argv };
	int err;

	commands_run(&command, 1, 1, LIMIT_NS);
	err = command.err;
	if (!err && command.status == 127)
		err = -ENOENT;
	else if (!err && command.status)
		err = -EIO; /* no daemon, or not allowed to ask it */
	if (err) {
		host_record_error(collect->host, RECORDED, err);
	} else {
		host_record(collect->host, RECORDED, command.output, command.size);
		read_answer(collect, command.output, command.size);
	}
	command_free(&command);
	return err;
}

static int read_recorded(const struct collect *collect)
{
	char *text = zeroed(ANSWER_BYTES, 1);
	int got = host_recorded(collect->host, RECORDED, text, ANSWER_BYTES);

	if (got >= 0)
		read_answer(collect, text, (size_t)got);
	free(text);
	return got < 0 ? got : 0;
}

void collect_lldp(const struct collect *collect)
{
	int err;

	if (collect->nics->count == 0)
		return;
	err = collect->host->root ? read_recorded(collect) : ask(collect);
	if (err)
		collect_missing(collect, "", "LLDP neighbours", "lldpcli", err);
}
