/*
 * conduct - what accept and the single stages share: load the fabric, run a plan
 * into a run file, judge it, report.
 *
 * The first SIGINT, SIGTERM or SIGHUP ends the run early: what was measured stays in the run
 * file, the rest is unknown there, and the command ends with EXIT_UNKNOWN. The second
 * ends the program at once.
 */
#ifndef CMD_CONDUCT_H
#define CMD_CONDUCT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/outputs.h"
#include "fabric/agents.h"
#include "fabric/fabric.h"
#include "lib/plan.h"
#include "lib/run.h"

struct diag;
struct findings;
struct sim_tap;

struct conduct {
	const char *command; /* in messages: "accept" */
	const char *fabric_path, *plane;
	const char *run_path;   /* NULL: named after the fabric, in the current folder */
	const char *run_shown;  /* what reports call it; NULL: run_path */
	const char *layer;      /* "burst": the one that is run; NULL: all */
	const char *tap_places; /* "leaf1:3,host2"; NULL: nothing is captured */
	unsigned profile, backend, launcher; /* as the words of CONDUCT_OPTS */
	uint64_t seed, threads, snaplen;
	uint64_t until_ns; /* CLOCK_MONOTONIC: stages not begun by then are left out; 0: none */
	bool json, verbose, keep_going;
	bool interrupted; /* set by conduct_run() */
	bool unwritten;   /* set by conduct_run(): not all of the report could be written */
	struct outputs outputs;
	bool verbs;                   /* on real NICs; set by conduct_load() */
	struct agents_options agents; /* how they are reached */
	struct fabric fabric;         /* owned, from conduct_load() on */
	struct plan plan;             /* filled by the command in between; owned */
	struct sim_tap *tap;          /* owned; made by conduct_run() for tap_places */
	/* Draws what the command shows before the report; may be NULL. Returns 0, or the
	 * error of reading the run. */
	int (*show)(FILE *out, struct run *run, struct diag *diag);
	/* Takes the place of the report; may be NULL. As show(). */
	int (*take)(
		void *arg, struct run *run, const struct findings *findings, struct diag *diag);
	/* Asked when agents of some hosts do not answer: plans anew without them. Returns 0, or
	 * why it cannot. NULL: all hosts are needed. */
	int (*without)(void *arg, const struct agents *agents, struct diag *diag);
	void *arg; /* of take() and without() */
};

#define CONDUCT_THREADS_MAX 64

/* The rows of a table of options that say what is run, and on what; args is the command's,
 * conduct its field. */
#define CONDUCT_OPTS(args, conduct)                                                            \
	{ OPT_CHOICE, "profile quick|full", offsetof(args, conduct.profile), 0, 0,             \
		"how much is tried" },                                                         \
		{ OPT_SEED, "seed N", offsetof(args, conduct.seed), 0, 0,                      \
			"of all that is drawn" },                                              \
		{ OPT_TEXT, "plane NAME", offsetof(args, conduct.plane), 0, 0,                 \
			"the plane of the file to test" },                                     \
		{ OPT_CHOICE, "backend sim|verbs", offsetof(args, conduct.backend), 0, 0,      \
			"what runs the plan: the simulator, or the hosts' NICs" },             \
		{ OPT_CHOICE, "launcher by-host|local|ssh", offsetof(args, conduct.launcher),  \
			0, 0,                                                                  \
			"of agents on the hosts; by-host: local where the file says host: "    \
			"local" },                                                             \
		{ OPT_TEXT, "weft PATH", offsetof(args, conduct.agents.weft), 0, 0,            \
			"weft on the hosts; weft unless given, and here this program" },       \
	{                                                                                      \
		OPT_COUNT, "threads N", offsetof(args, conduct.threads), 1,                    \
			CONDUCT_THREADS_MAX, "stages at a time; one a processor unless given"  \
	}

/* Reads the fabric file. Returns EXIT_PASS, or EXIT_UNKNOWN after one sentence on
 * stderr. */
int conduct_load(struct conduct *conduct);

/* Fills the plan with an acceptance of a fabric, which is the loaded one or a part of it. */
void conduct_plan(struct conduct *conduct, const struct fabric *fabric);

/* Runs the plan, judges and reports. Returns the exit status. */
int conduct_run(struct conduct *conduct);

/* Says why on stderr, as "weft accept: ..."; returns EXIT_UNKNOWN. */
int conduct_refuse(const struct conduct *conduct, const struct diag *diag);

void conduct_free(struct conduct *conduct);

#endif
