/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/conduct.h"
#include "cmd/opt.h"
#include "fabric/stages.h"

struct accept_args {
	struct conduct conduct;
	unsigned layer;
};

#define ARG(field) offsetof(struct accept_args, field)

static const struct opt accept_opts[] = {
	CONDUCT_OPTS(struct accept_args, conduct),
	{ OPT_CHOICE, "layer all|pairs|nonblocking|lossless|burst|ring", ARG(layer), 0, 0,
		"one layer alone, which is no whole acceptance" },
	{ OPT_FLAG, "keep-going", ARG(conduct.keep_going), 0, 0,
		"run layers, too, that would only repeat a failure" },
	{ OPT_TEXT, "run RUN", ARG(conduct.run_path), 0, 0,
		"the run file to write; NAME.run, or NAME-layer-LAYER.run, unless given" },
	{ OPT_FLAG, "verbose", ARG(conduct.verbose), 0, 0, "tell of every stage and check" },
	{ OPT_FLAG, "json", ARG(conduct.json), 0, 0, "print JSON" },
	OUTPUT_OPTS(struct accept_args, conduct.outputs),
	{ OPT_ARG, "FILE", ARG(conduct.fabric_path), 1, 1, "the fabric file" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static void make_plan(const struct accept_args *args, struct conduct *conduct)
{
	enum plan_layer layer;

	conduct_plan(conduct, &conduct->fabric);
	if (!args->layer)
		return;
	/* The words are in the order of the layers, from pairs on. */
	layer = (enum plan_layer)(LAYER_PAIRS + args->layer - 1);
	plan_keep(&conduct->plan, layer);
	conduct->layer = plan_layer_name(layer);
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
		make_plan(&args, conduct);
		status = conduct_run(conduct);
	}
	conduct_free(conduct);
	return status;
}
