/* SPDX-License-Identifier: Apache-2.0 */

/*
 * matrix - does weft accept find what was injected, and only that?
 *
 *   matrix WEFT BASE SEEDS [KIND]
 *
 * For each kind of fault and seed a place is drawn among all that the fabric of
 * BASE has, the fault is added to a copy of the file, and WEFT accept runs it with
 * that seed. It must exit with 1, and the first finding of its JSON must name the
 * place: a link by its name, one direction of it by the link or by the port. One
 * miss in twenty seeds is allowed, none below that. The same fabric without a
 * fault must pass with every seed; and of three faults at once, each must be named
 * as a cause. With KIND only the rows of that kind are run.
 *
 * Prints one line a row, and one for each miss. Exits with 1 when a row failed,
 * with 2 when it could not run.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabric/fabric.h"
#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/rng.h"
#include "lib/units.h"

#define BASE_BYTES_MAX 65536u

extern char **environ;

enum place_kind { AT_LINK, AT_PORT, AT_SWITCH, AT_SWITCH_PORT, AT_NIC, AT_LEAF, AT_UPLINK };

static const struct row {
	const char *kind;
	enum place_kind place;
	bool mixes;   /* may stand beside others: it does not stop their traffic */
	bool by_link; /* a port may be told by its link: its peer's counters show the same */
	bool by_port; /* a switch may be told by one port, when no other of it shows the fault */
	const char *amount; /* NULL: the default */
	bool full; /* quick sends too little to tell where, says so, and asks for this profile */
} rows[] = {
	{ .kind = "loss", .place = AT_LINK, .mixes = true },
	{ .kind = "loss", .place = AT_PORT },
	{ .kind = "rate", .place = AT_LINK, .mixes = true },
	{ .kind = "rate", .place = AT_PORT },
	{ .kind = "down", .place = AT_LINK },
	{ .kind = "flap", .place = AT_LINK },
	{ .kind = "pfc-off", .place = AT_SWITCH, .mixes = true },
	{ .kind = "pfc-off", .place = AT_SWITCH_PORT },
	{ .kind = "dscp-map", .place = AT_SWITCH, .mixes = true },
	{ .kind = "dscp-map", .place = AT_NIC },
	{ .kind = "ecn-off", .place = AT_SWITCH, .mixes = true },
	{ .kind = "slow-receiver", .place = AT_NIC, .mixes = true },
	{ .kind = "pause-storm", .place = AT_NIC },
	{ .kind = "burst-loss", .place = AT_LINK },
	{ .kind = "mtu", .place = AT_NIC },
	{ .kind = "policer", .place = AT_SWITCH_PORT },
	{ .kind = "drop-size", .place = AT_SWITCH },
	{ .kind = "drop-flows", .place = AT_SWITCH },
	{ .kind = "black-hole", .place = AT_SWITCH },
	{ .kind = "cc-off", .place = AT_NIC },
	{ .kind = "cnp-off", .place = AT_NIC },
	{ .kind = "rising-loss", .place = AT_LINK },
	{ .kind = "corrupt", .place = AT_LINK, .amount = "0.001", .full = true },
	{ .kind = "cnp-loss", .place = AT_LINK },
	{ .kind = "delay", .place = AT_LINK },
	{ .kind = "headroom", .place = AT_SWITCH },
	{ .kind = "headroom", .place = AT_SWITCH_PORT, .by_link = true },
	{ .kind = "xoff", .place = AT_SWITCH },
	{ .kind = "xoff", .place = AT_SWITCH_PORT },
	{ .kind = "alpha", .place = AT_SWITCH },
	{ .kind = "ecn", .place = AT_SWITCH, .by_port = true, .amount = "0.01" },
	{ .kind = "ecn", .place = AT_SWITCH, .amount = "100" },
	{ .kind = "watchdog", .place = AT_SWITCH },
	{ .kind = "cnp-map", .place = AT_SWITCH },
	{ .kind = "cnp-map", .place = AT_NIC },
	{ .kind = "spray", .place = AT_LEAF },
	{ .kind = "pair-hash", .place = AT_LEAF },
	{ .kind = "route-missing", .place = AT_UPLINK },
	{ .kind = "rnr", .place = AT_NIC },
	{ .kind = "loopback", .place = AT_NIC },
	{ .kind = "timeout", .place = AT_NIC, .amount = "1" },
	{ .kind = "stall", .place = AT_NIC },
};

struct matrix {
	const char *weft;
	char base[BASE_BYTES_MAX];
	struct fabric fabric; /* of base */
	char folder[32];
	char file[64], run[64];
};

/* A fault as drawn, and the names that its finding may give. */
struct drawn {
	const struct row *row;
	char place[2 * NAME_BYTES];
	char or_else[2 * NAME_BYTES]; /* "" where there is one name only */
	uint32_t host;                /* of a NIC, or at the end of a link; PORT_NONE: none */
};

struct answer {
	int status; /* of weft; -1: killed */
	struct json *report;
};

static void give_up(const char *what)
{
	perror(what);
	exit(2);
}

/* --- drawing --- */

static bool may_be(const struct fabric *fabric, uint32_t port, enum place_kind place)
{
	const struct port *at = &fabric->ports[port];

	if (at->link == PORT_NONE || (place != AT_PORT && at->nic != PORT_NONE))
		return false;
	return place != AT_UPLINK || (fabric->nodes[at->node].kind == NODE_LEAF &&
					     fabric->ports[at->peer].nic == PORT_NONE);
}

static uint32_t draw_port(const struct fabric *fabric, struct rng *rng, enum place_kind place)
{
	uint32_t port;

	do {
		port = (uint32_t)rng_below(rng, fabric->port_count);
	} while (!may_be(fabric, port, place));
	return port;
}

static void draw(const struct fabric *fabric, const struct row *row, struct rng *rng,
	struct drawn *drawn)
{
	uint32_t index;

	*drawn = (struct drawn){ .row = row, .host = PORT_NONE };
	switch (row->place) {
	case AT_LINK:
		index = (uint32_t)rng_below(rng, fabric->link_count);
		fabric_link_name(fabric, index, drawn->place);
		if (fabric->ports[fabric->links[index].a].nic != PORT_NONE)
			drawn->host = fabric->ports[fabric->links[index].a].node;
		break;
	case AT_PORT:
	case AT_SWITCH_PORT:
	case AT_UPLINK:
		index = draw_port(fabric, rng, row->place);
		fabric_port_name(fabric, index, drawn->place);
		if (row->place == AT_PORT || row->by_link)
			fabric_link_name(fabric, fabric->ports[index].link, drawn->or_else);
		break;
	case AT_SWITCH:
	case AT_LEAF:
		index = (uint32_t)rng_below(
			rng, fabric->leaves + (row->place == AT_SWITCH ? fabric->spines : 0));
		memcpy(drawn->place, fabric->nodes[fabric->hosts + index].name, NAME_BYTES);
		break;
	case AT_NIC:
		index = (uint32_t)rng_below(rng, fabric->nic_count);
		drawn->host = fabric->ports[fabric->nics[index]].node;
		fabric_nic_name(fabric, index, drawn->place);
		break;
	}
}

/* --- running --- */

static void write_file(const struct matrix *matrix, const struct drawn *drawn, size_t count)
{
	FILE *file = fopen(matrix->file, "w");

	if (!file || fputs(matrix->base, file) < 0)
		give_up(matrix->file);
	if (count)
		fputs("\nfaults:\n", file);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, "  - kind: %s\n    place: \"%s\"\n", drawn[i].row->kind,
			drawn[i].place);
		if (drawn[i].row->amount)
			fprintf(file, "    amount: %s\n", drawn[i].row->amount);
	}
	if (fclose(file))
		give_up(matrix->file);
}

static char *read_all(int fd, size_t *bytes)
{
	char *text = NULL;
	ssize_t got;

	*bytes = 0;
	do {
		text = realloc(text, *bytes + BASE_BYTES_MAX);
		if (!text)
			give_up("memory");
		got = read(fd, text + *bytes, BASE_BYTES_MAX);
		if (got < 0)
			give_up("read");
		*bytes += (size_t)got;
	} while (got > 0);
	return text;
}

static struct answer accept_file(const struct matrix *matrix, uint64_t seed, bool full)
{
	struct answer answer = { .status = -1 };
	posix_spawn_file_actions_t actions;
	char number[24];
	const char *const args[] = { matrix->weft, "accept", "--json", "--seed", number,
		"--profile", full ? "full" : "quick", "--run", matrix->run, matrix->file,
		NULL };
	int pipe_ends[2], status, err;
	struct diag diag;
	size_t bytes;
	pid_t child;
	char *text;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)seed);
	if (pipe(pipe_ends))
		give_up("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
	err = posix_spawn(&child, matrix->weft, &actions, NULL, (char *const *)(uintptr_t)args,
		environ); /* which changes none of them */
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_ends[1]);
	if (err) {
		fprintf(stderr, "%s: %s\n", matrix->weft, strerror(err));
		exit(2);
	}
	text = read_all(pipe_ends[0], &bytes);
	close(pipe_ends[0]);
	if (waitpid(child, &status, 0) < 0)
		give_up("waitpid");
	if (WIFEXITED(status))
		answer.status = WEXITSTATUS(status);
	if (json_parse(&answer.report, text, bytes, &diag)) {
		fprintf(stderr, "weft accept %s: not JSON: %s\n", matrix->file, diag.text);
		exit(2);
	}
	free(text);
	unlink(matrix->run);
	return answer;
}

/* --- judging the judges --- */

static const char *text_of(const struct json *finding, const char *key)
{
	const char *text = json_text(json_get(finding, key));

	return text ? text : "";
}

static bool names(const struct json *finding, const struct drawn *drawn)
{
	const char *culprit = text_of(finding, "culprit");
	size_t length = strlen(drawn->place);

	if (drawn->row->by_port && strncmp(culprit, drawn->place, length) == 0 &&
		culprit[length] == ':')
		return true;
	return strcmp(culprit, drawn->place) == 0 ||
	       (drawn->or_else[0] && strcmp(culprit, drawn->or_else) == 0);
}

static bool is_cause(const struct json *findings, const struct drawn *drawn)
{
	for (size_t i = 0; i < json_count(findings); i++) {
		const struct json *finding = json_at(findings, i);

		if (strcmp(text_of(finding, "rank"), "cause") == 0 &&
			strcmp(text_of(finding, "verdict"), "fail") == 0 &&
			names(finding, drawn))
			return true;
	}
	return false;
}

static void tell_miss(
	const char *what, const char *place, uint64_t seed, const struct answer *answer)
{
	const struct json *first = json_at(json_get(answer->report, "findings"), 0);

	printf("  missed: %s at %s, seed %llu: exit %d, first finding %s %s of \"%s\": %s\n",
		what, place, (unsigned long long)seed, answer->status,
		text_of(first, "verdict"), text_of(first, "check"), text_of(first, "culprit"),
		text_of(first, "text"));
}

static bool clean_passes(const struct matrix *matrix, uint64_t seed)
{
	struct answer answer;
	bool right;

	write_file(matrix, NULL, 0);
	answer = accept_file(matrix, seed, false);
	right = answer.status == 0;
	if (!right)
		tell_miss("nothing", "no place", seed, &answer);
	json_free(answer.report);
	return right;
}

static bool fault_is_first(const struct matrix *matrix, size_t row, uint64_t seed)
{
	struct answer answer;
	struct drawn drawn;
	struct rng rng;
	bool right;

	rng_init(&rng, rng_derive(seed, row));
	draw(&matrix->fabric, &rows[row], &rng, &drawn);
	write_file(matrix, &drawn, 1);
	answer = accept_file(matrix, seed, rows[row].full);
	right = answer.status == 1 &&
		names(json_at(json_get(answer.report, "findings"), 0), &drawn);
	if (!right)
		tell_miss(drawn.row->kind, drawn.place, seed, &answer);
	json_free(answer.report);
	return right;
}

/* A NIC behind a link at half rate cannot be seen to take in half. */
static bool hides(const struct drawn *one, const struct drawn *other)
{
	return strcmp(one->place, other->place) == 0 ||
	       (one->host != PORT_NONE && one->host == other->host);
}

/* Three kinds at three places, none of which hides another. */
static void draw_three(const struct matrix *matrix, struct rng *rng, struct drawn *drawn)
{
	size_t count = 0;

	while (count < 3) {
		const struct row *row = &rows[rng_below(rng, COUNT_OF(rows))];
		bool taken = !row->mixes;

		draw(&matrix->fabric, row, rng, &drawn[count]);
		for (size_t i = 0; i < count; i++)
			taken |= drawn[i].row == row || hides(&drawn[i], &drawn[count]);
		count += !taken;
	}
}

static bool three_are_named(const struct matrix *matrix, uint64_t seed)
{
	const struct json *findings;
	struct answer answer;
	struct drawn drawn[3];
	struct rng rng;
	bool right;

	rng_init(&rng, rng_derive(seed, COUNT_OF(rows)));
	draw_three(matrix, &rng, drawn);
	write_file(matrix, drawn, 3);
	answer = accept_file(matrix, seed, false);
	findings = json_get(answer.report, "findings");
	right = answer.status == 1;
	for (int i = 0; i < 3; i++)
		if (!is_cause(findings, &drawn[i])) {
			tell_miss(drawn[i].row->kind, drawn[i].place, seed, &answer);
			right = false;
		}
	json_free(answer.report);
	return right;
}

/* --- the rows --- */

static bool tell_row(const char *what, uint32_t right, uint32_t seeds)
{
	bool passes = right + seeds / 20 >= seeds;

	printf("%-24s %u of %u%s\n", what, right, seeds, passes ? "" : "  FAILED");
	fflush(stdout);
	return passes;
}

static const char *place_text(enum place_kind place)
{
	switch (place) {
	case AT_LINK:
		return "link";
	case AT_PORT:
	case AT_SWITCH_PORT:
		return "port";
	case AT_SWITCH:
		return "switch";
	case AT_LEAF:
		return "leaf";
	case AT_UPLINK:
		return "uplink";
	case AT_NIC:
		return "NIC";
	}
	return "";
}

/* The rows of a kind, or of all (NULL). */
static bool run_rows(const struct matrix *matrix, uint32_t seeds, const char *kind)
{
	bool passes = true;

	for (size_t row = 0; row < COUNT_OF(rows); row++) {
		uint32_t right = 0;
		char what[64];

		if (kind && strcmp(kind, rows[row].kind) != 0)
			continue;
		for (uint32_t seed = 1; seed <= seeds; seed++)
			right += fault_is_first(matrix, row, seed);
		snprintf(what, sizeof(what), "%s%s%s at %s %s", rows[row].kind,
			rows[row].amount ? " " : "", rows[row].amount ? rows[row].amount : "",
			rows[row].place == AT_UPLINK ? "an" : "a", place_text(rows[row].place));
		passes &= tell_row(what, right, seeds);
	}
	return passes;
}

static bool run_all(const struct matrix *matrix, uint32_t seeds)
{
	uint32_t right = 0;
	bool passes;

	for (uint32_t seed = 1; seed <= seeds; seed++)
		right += clean_passes(matrix, seed);
	/* Never, not once in twenty. */
	passes = tell_row("no fault", right, seeds) && right == seeds;
	passes &= run_rows(matrix, seeds, NULL);
	right = 0;
	for (uint32_t seed = 1; seed <= seeds; seed++)
		right += three_are_named(matrix, seed);
	return tell_row("three at once", right, seeds) && passes;
}

static void matrix_open(struct matrix *matrix, const char *weft, const char *base)
{
	FILE *file = fopen(base, "r");
	struct diag diag;
	size_t bytes;

	if (!file)
		give_up(base);
	bytes = fread(matrix->base, 1, sizeof(matrix->base) - 1, file);
	fclose(file);
	matrix->base[bytes] = '\0';
	if (fabric_parse(&matrix->fabric, base, matrix->base, bytes, NULL, &diag)) {
		fprintf(stderr, "%s\n", diag.text);
		exit(2);
	}
	matrix->weft = weft;
	snprintf(matrix->folder, sizeof(matrix->folder), "/tmp/weft-matrix-XXXXXX");
	if (!mkdtemp(matrix->folder))
		give_up(matrix->folder);
	snprintf(matrix->file, sizeof(matrix->file), "%s/fabric.yaml", matrix->folder);
	snprintf(matrix->run, sizeof(matrix->run), "%s/fabric.run", matrix->folder);
}

int main(int argc, char **argv)
{
	static struct matrix matrix;
	uint32_t seeds = argc == 4 || argc == 5 ? (uint32_t)atoi(argv[3]) : 0;
	bool passes;

	if (seeds == 0) {
		fprintf(stderr, "usage: matrix WEFT BASE SEEDS [KIND]\n");
		return 2;
	}
	matrix_open(&matrix, argv[1], argv[2]);
	passes = argc == 5 ? run_rows(&matrix, seeds, argv[4]) : run_all(&matrix, seeds);
	unlink(matrix.file);
	rmdir(matrix.folder);
	fabric_free(&matrix.fabric);
	return passes ? 0 : 1;
}
