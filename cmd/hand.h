/*
 * hand - what the commands for single stages (bw, incast, burst, ring) share:
 * options, names of NICs, and the table of flows in front of the report.
 */
#ifndef CMD_HAND_H
#define CMD_HAND_H

#include "cmd/conduct.h"
#include "cmd/opt.h"
#include "fabric/stages.h"

/* Options as they are parsed; 0 and NULL mean the defaults of struct hand_stage. */
struct hand_args {
	struct conduct conduct;
	const char *src, *dst;
	uint64_t qps, bytes, senders, burst_bytes, burst_period_ns, bursts;
	uint64_t ranks, rail, iterations;
	bool not_ect;
};

#define HAND(field) offsetof(struct hand_args, field)

/* Rows of the option tables. */
#define HAND_OPTS                                                                              \
	{ OPT_TEXT, "fabric FILE", HAND(conduct.fabric_path), 0, 0, "the fabric file" },       \
	{                                                                                      \
		OPT_TEXT, "plane NAME", HAND(conduct.plane), 0, 0,                             \
			"the plane of the file to run on"                                      \
	}
#define HAND_OPTS_END                                                                          \
	{ OPT_SEED, "seed N", HAND(conduct.seed), 0, 0, "of all that is drawn" },              \
		{ OPT_TEXT, "run RUN", HAND(conduct.run_path), 0, 0,                           \
			"the run file to write; FABRIC-COMMAND.run unless given" },            \
		{ OPT_FLAG, "verbose", HAND(conduct.verbose), 0, 0,                            \
			"tell of every stage and check" },                                     \
		{ OPT_FLAG, "json", HAND(conduct.json), 0, 0, "print JSON" },                  \
	{                                                                                      \
		OPT_END, NULL, 0, 0, 0, NULL                                                   \
	}
#define HAND_OPT_QPS(help)                                                                     \
	{                                                                                      \
		OPT_COUNT, "qps N", HAND(qps), 1, 256, help                                    \
	}
#define HAND_OPT_NOT_ECT                                                                       \
	{                                                                                      \
		OPT_FLAG, "not-ect", HAND(not_ect), 0, 0,                                      \
			"send with ECN 00: nothing may be marked, PFC alone acts"              \
	}

typedef int hand_plan(struct plan *plan, const struct fabric *fabric,
	const struct hand_stage *stage, struct diag *diag);

/* The whole command. Returns the exit status. */
int hand_run(const char *command, const char *about, const struct opt *opts, hand_plan *plan,
	int argc, char **argv);

/* The table in front of the report: a row a flow, or a row an all-reduce. */
int hand_show(FILE *out, struct run *run, struct diag *diag);

#endif
