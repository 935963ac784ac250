/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "fabric/fabric.h"
#include "lib/command.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/launch.h"
#include "lib/units.h"
#include "pfc/collect.h"
#include "pfc/facts_json.h"

void doctor_name(const struct doctor_wish *wish, char *name, size_t room)
{
	if (wish->name)
		snprintf(name, room, "%s", wish->name);
	else if (gethostname(name, room - 1))
		snprintf(name, room, "localhost");
	name[room - 1] = '\0';
}

int doctor_collect(struct facts *facts, const struct doctor_wish *wish, struct diag *diag)
{
	char name[64];
	struct collect_wish collect = { .place = name };

	doctor_name(wish, name, sizeof(name));
	/* A recorded host has one reading. */
	collect.window_ns = wish->host.root ? 0 : wish->window_ns;
	return collect_host(facts, &wish->host, &collect, diag);
}

int doctor_read_file(struct facts *facts, const char *path, struct diag *diag)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char *text;
	size_t used = 0, got, unknown;
	int err;

	if (!file)
		return diag_system(diag, -errno, "%s: cannot be opened", path);
	text = zeroed(FACTS_JSON_BYTES_MAX + 1, 1);
	while (used <= FACTS_JSON_BYTES_MAX &&
		(got = fread(text + used, 1, FACTS_JSON_BYTES_MAX + 1 - used, file)) > 0)
		used += got;
	if (ferror(file)) {
		err = diag_system(diag, errno ? -errno : -EIO, "%s: cannot be read", path);
	} else if (used > FACTS_JSON_BYTES_MAX) {
		err = diag_error(diag, -E2BIG, "%s: above %zu MiB, which no host's facts are",
			path, FACTS_JSON_BYTES_MAX >> 20);
	} else {
		struct diag why;

		err = facts_read(facts, text, used, NULL, &unknown, &why);
		if (err)
			diag_error(diag, err, "%s: %s", path, why.text);
	}
	free(text);
	if (file != stdin)
		fclose(file);
	return err;
}

/* The hosts of the bindings, each once. */
static size_t list_hosts(const struct fabric *fabric, const char **names)
{
	size_t count = 0;

	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		bool known = !fabric->bindings[i].host[0];

		for (size_t j = 0; j < count && !known; j++)
			known = strcmp(names[j], fabric->bindings[i].host) == 0;
		if (!known)
			names[count++] = fabric->bindings[i].host;
	}
	return count;
}

static void add_silence(struct facts *facts, const char *place, const char *why, int err)
{
	struct fact *fact = facts_add(facts, FACT_READING, place, "", "host", "no answer");

	fact->has_number = true;
	fact->number = -err;
	fact->source = facts_keep(facts, why);
}

static void take_answer(struct doctor_host *host, const struct command *command)
{
	struct diag diag;
	size_t unknown;
	int err = command->err;

	if (err == -ETIMEDOUT) {
		add_silence(&host->facts, host->place, "not within the time limit", err);
	} else if (err) {
		add_silence(&host->facts, host->place, strerror(-err), err);
	} else if (!command->output || command->size == 0) {
		add_silence(&host->facts, host->place,
			command->words[0] ? command->words : "it ended without an answer",
			-EIO);
	} else {
		err = facts_read(&host->facts, command->output, command->size, host->place,
			&unknown, &diag);
		if (err)
			add_silence(&host->facts, host->place, diag.text, err);
	}
}

#define ARGUMENTS 16

/* weft doctor --facts on the host, which ends by itself soon after its window. self: this
 * program, which asks this host. */
static void make_command(
	const char **argv, const char *host, const char *self, const char *window)
{
	const char *const words[] = { "ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
		"--", host, "weft", "doctor", "--facts", "--window", window, NULL };
	const char *const here[] = { self, "doctor", "--facts", "--window", window, NULL };

	if (strcmp(host, "local") == 0)
		memcpy(argv, here, sizeof(here));
	else
		memcpy(argv, words, sizeof(words));
}

int doctor_ask(struct doctor_hosts *hosts, const struct fabric *fabric,
	const struct doctor_wish *wish, struct diag *diag)
{
	const char **names = zeroed(fabric->binding_count + 1, sizeof(*names));
	size_t count = list_hosts(fabric, names);
	struct command *commands = zeroed(count + 1, sizeof(*commands));
	const char *(*argv)[ARGUMENTS] = zeroed(count + 1, sizeof(*argv));
	char window[32], self[PATH_MAX];

	launch_self(self);
	snprintf(window, sizeof(window), "%lluns", (unsigned long long)wish->window_ns);
	hosts->items = zeroed(count + 1, sizeof(*hosts->items));
	hosts->count = count;
	for (size_t i = 0; i < count; i++) {
		snprintf(hosts->items[i].place, sizeof(hosts->items[i].place), "%s", names[i]);
		facts_init(&hosts->items[i].facts);
		make_command(argv[i], names[i], self, window);
		commands[i].argv = argv[i];
	}
	commands_run(commands, count, wish->at_once, wish->limit_ns);
	for (size_t i = 0; i < count; i++) {
		take_answer(&hosts->items[i], &commands[i]);
		command_free(&commands[i]);
	}
	free(names);
	free(commands);
	free(argv);
	if (count == 0)
		return diag_error(diag, -ENOENT,
			"the fabric file says of no NIC on which host it is: give hosts their "
			"addresses (docs/fabric-file.md), or run weft doctor without a file on "
			"one host");
	return 0;
}

void doctor_hosts_free(struct doctor_hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		facts_free(&hosts->items[i].facts);
	free(hosts->items);
	hosts->items = NULL;
	hosts->count = 0;
}
