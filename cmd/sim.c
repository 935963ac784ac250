/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/conduct.h"
#include "cmd/opt.h"
#include "fabric/sim_tap.h"
#include "fabric/stages.h"
#include "lib/diag.h"

struct sim_args {
	struct conduct conduct;
	const char *stage;
	unsigned profile;
};

#define ARG(field) offsetof(struct sim_args, field)

static const struct opt sim_opts[] = {
	{ OPT_TEXT, "stage NAME", ARG(stage), 0, 0,
		"a stage, or all stages of a layer; the whole plan unless given" },
	{ OPT_TEXT, "pcap PORTS", ARG(conduct.tap_places), 0, 0,
		"capture at leaf1:3,host2, a file each" },
	{ OPT_BYTES, "snaplen BYTES", ARG(conduct.snaplen), TAP_SNAPLEN_MIN, TAP_SNAPLEN_MAX,
		"bytes to capture a packet" },
	{ OPT_CHOICE, "profile quick|full", ARG(profile), 0, 0, "which plan" },
	{ OPT_SEED, "seed N", ARG(conduct.seed), 0, 0, "of all that is drawn" },
	{ OPT_TEXT, "plane NAME", ARG(conduct.plane), 0, 0, "the plane of the file to run on" },
	{ OPT_TEXT, "run RUN", ARG(conduct.run_path), 0, 0,
		"the run file to write; NAME-sim.run unless given" },
	{ OPT_FLAG, "verbose", ARG(conduct.verbose), 0, 0, "tell of every stage and check" },
	{ OPT_FLAG, "json", ARG(conduct.json), 0, 0, "print JSON" },
	{ OPT_ARG, "FILE", ARG(conduct.fabric_path), 1, 1, "the fabric file" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static bool is_wanted(const struct plan_stage *stage, const char *name)
{
	return strcmp(stage->name, name) == 0 ||
	       strcmp(plan_layer_name(stage->layer), name) == 0;
}

/* Leaves the stages of this name or layer. */
static int choose(struct plan *plan, const char *name, struct diag *diag)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->count; i++) {
		struct plan_stage *stage = &plan->stages[i];

		if (is_wanted(stage, name)) {
			plan->stages[kept++] = *stage;
			continue;
		}
		free(stage->flows);
		free(stage->ring.nics);
	}
	plan->count = kept;
	if (kept == 0)
		return diag_error(diag, -EINVAL,
			"--stage %.60s: the plan has no stage and no layer of this name: weft "
			"plan FILE lists them",
			name);
	/* A part of an acceptance is not asked for what only the whole can show. */
	snprintf(plan->profile, sizeof(plan->profile), "hand");
	return 0;
}

int cmd_sim(int argc, char **argv)
{
	struct sim_args args = {
		.conduct = {
			.command = "sim",
			.seed = 1,
			.snaplen = 128,
			.fabric = FABRIC_INIT,
			.plan = PLAN_INIT,
		},
	};
	struct conduct *conduct = &args.conduct;
	struct diag diag;
	int status;

	if (!opt_read("sim",
		    "Runs a plan, or a stage of it, on the simulated fabric, and captures what "
		    "passes its ports.",
		    sim_opts, argc, argv, &args, &status))
		return status;
	status = conduct_load(conduct);
	if (status == EXIT_PASS) {
		plan_acceptance(&conduct->plan, &conduct->fabric, (enum profile)args.profile,
			conduct->seed);
		if (args.stage && choose(&conduct->plan, args.stage, &diag))
			status = conduct_refuse(conduct, &diag);
		else
			status = conduct_run(conduct);
	}
	conduct_free(conduct);
	return status;
}
