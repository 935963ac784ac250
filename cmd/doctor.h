/*
 * doctor - what weft doctor and weft audit share: getting the facts of one host or of all
 * hosts of a fabric file, and showing them.
 */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/opt.h"
#include "lib/host.h"
#include "lib/units.h"
#include "pfc/facts.h"
#include "pfc/rule.h"

struct diag;
struct fabric;

/* How facts are to be had. */
struct doctor_wish {
	struct host host;   /* this machine, or a recorded root */
	const char *name;   /* of this machine; NULL: its hostname */
	uint64_t window_ns; /* between two readings of the counters */
	uint64_t limit_ns;  /* for a host to answer */
	uint64_t at_once;   /* hosts asked side by side */
};

/* What both commands are told on the command line. */
struct doctor_opts {
	uint64_t window_ns, limit_ns, at_once;
	bool json, all;
};

#define DOCTOR_OPTS_INIT                                                                       \
	{                                                                                      \
		.window_ns = NS_PER_S, .limit_ns = 60 * NS_PER_S, .at_once = 16                \
	}

/* Rows of a table of options (cmd/opt.h): field is a struct doctor_opts in args. */
#define DOCTOR_OPTS(args, field)                                                               \
	{ OPT_NS, "window TIME", offsetof(args, field.window_ns), 0, 3600 * NS_PER_S,          \
		"between two readings of the counters; 0s: one reading" },                     \
		{ OPT_NS, "limit TIME", offsetof(args, field.limit_ns), NS_PER_S,              \
			3600 * NS_PER_S, "for a host of a fabric file to answer" },            \
		{ OPT_COUNT, "at-once N", offsetof(args, field.at_once), 1, 256,               \
			"hosts asked side by side" },                                          \
		{ OPT_FLAG, "json", offsetof(args, field.json), 0, 0, "print JSON" },          \
	{                                                                                      \
		OPT_FLAG, "all", offsetof(args, field.all), 0, 0,                              \
			"name the rules that found nothing or lack facts"                      \
	}

/* Facts of several hosts, each by itself. */
struct doctor_hosts {
	struct doctor_host {
		char place[64];
		struct facts facts; /* owned */
	} * items;                  /* owned */
	size_t count;
};

/* Adds the facts of this machine or root. Returns 0 or a negative errno. */
int doctor_collect(struct facts *facts, const struct doctor_wish *wish, struct diag *diag);

/* Asks every host of the fabric file's bindings over ssh, and "local", which is this one, without,
 * side by side. A host that does not
 * answer has one fact: that, and why. -ENOENT when the file names none. */
int doctor_ask(struct doctor_hosts *hosts, const struct fabric *fabric,
	const struct doctor_wish *wish, struct diag *diag);
void doctor_hosts_free(struct doctor_hosts *hosts); /* safe twice */

/* weft doctor FILE: every host by itself, then all together. Returns the exit status. */
int doctor_fabric(const char *path, const struct doctor_wish *wish, bool json, bool all);

/* A facts file, one or several hosts in it. */
int doctor_read_file(struct facts *facts, const char *path, struct diag *diag);

/* What a machine would be called. */
void doctor_name(const struct doctor_wish *wish, char *name, size_t room);

/* The verdict of a host: that of its rules, but unknown while a rule that counts
 * (rule_is_core) has no answer and nothing fails. */
enum verdict doctor_verdict(const struct explain *explain);

/* The ports of a host, a line each; and what could not be read, by reason. */
void doctor_print_ports(FILE *out, const struct facts *facts);
void doctor_print_missing(FILE *out, const struct facts *facts, bool all);

#endif
