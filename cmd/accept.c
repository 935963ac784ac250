/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/conduct.h"
#include "cmd/opt.h"
#include "fabric/stages.h"

#define THREADS_MAX 64

struct accept_args {
	struct conduct conduct;
	unsigned profile, backend, launcher, layer;
};

#define ARG(field) offsetof(struct accept_args, field)

static const struct opt accept_opts[] = {
	{ OPT_CHOICE, "profile quick|full", ARG(profile), 0, 0, "how much is tried" },
	{ OPT_SEED, "seed N", ARG(conduct.seed), 0, 0, "of all that is drawn" },
	{ OPT_TEXT, "plane NAME", ARG(conduct.plane), 0, 0, "the plane of the file to test" },
	{ OPT_CHOICE, "backend sim|verbs", ARG(backend), 0, 0,
		"what runs the plan: the simulator, or the hosts' NICs" },
	{ OPT_CHOICE, "layer all|pairs|nonblocking|lossless|burst|ring", ARG(layer), 0, 0,
		"one layer alone, which is no whole acceptance" },
	{ OPT_CHOICE, "launcher by-host|local|ssh", ARG(launcher), 0, 0,
		"of agents on the hosts; by-host: local where the file says host: local" },
	{ OPT_TEXT, "weft PATH", ARG(conduct.agents.weft), 0, 0,
		"weft on the hosts; weft unless given, and here this program" },
	{ OPT_COUNT, "threads N", ARG(conduct.threads), 1, THREADS_MAX,
		"stages at a time; one a processor unless given" },
	{ OPT_FLAG, "keep-going", ARG(conduct.keep_going), 0, 0,
		"run layers, too, that would only repeat a failure" },
	{ OPT_TEXT, "run RUN", ARG(conduct.run_path), 0, 0,
		"the run file to write; NAME.run unless given" },
	{ OPT_FLAG, "verbose", ARG(conduct.verbose), 0, 0, "tell of every stage and check" },
	{ OPT_FLAG, "json", ARG(conduct.json), 0, 0, "print JSON" },
	OUTPUT_OPTS(struct accept_args, conduct.outputs),
	{ OPT_ARG, "FILE", ARG(conduct.fabric_path), 1, 1, "the fabric file" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static void make_plan(const struct accept_args *args, struct conduct *conduct)
{
	enum profile profile = (enum profile)args->profile;

	if (conduct->verbs)
		plan_live(&conduct->plan, &conduct->fabric, profile, conduct->seed);
	else
		plan_acceptance(&conduct->plan, &conduct->fabric, profile, conduct->seed);
	/* The words are in the order of the layers, from pairs on. */
	if (args->layer)
		plan_keep(&conduct->plan, (enum plan_layer)(LAYER_PAIRS + args->layer - 1));
}

int cmd_accept(int argc, char **argv)
{
	struct accept_args args = {
		.conduct = {
			.command = "accept",
			.seed = 1,
			.fabric = FABRIC_INIT,
			.plan = PLAN_INIT,
		},
	};
	struct conduct *conduct = &args.conduct;
	int status;

	if (!opt_read("accept",
		    "Tests whether a fabric does what it was built for, layer by layer, and "
		    "names "
		    "what is at fault.",
		    accept_opts, argc, argv, &args, &status))
		return status;
	status = conduct_load(conduct);
	if (status == EXIT_PASS) {
		conduct->verbs = args.backend == 1;
		conduct->agents.launcher = (enum agents_launcher)args.launcher;
		make_plan(&args, conduct);
		status = conduct_run(conduct);
	}
	conduct_free(conduct);
	return status;
}
