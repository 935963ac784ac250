/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/plan.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "fabric/file.h"
#include "fabric/stages.h"
#include "lib/diag.h"
#include "lib/grow.h"

struct plan_args {
	const char *file, *plane;
	unsigned profile;
	uint64_t seed;
	bool brief, links, json;
};

#define ARG(field) offsetof(struct plan_args, field)

static const struct opt plan_opts[] = {
	{ OPT_TEXT, "plane NAME", ARG(plane), 0, 0, "the plane of the file to expand" },
	{ OPT_CHOICE, "profile quick|full", ARG(profile), 0, 0, "how much is tried" },
	{ OPT_SEED, "seed N", ARG(seed), 0, 0, "of all that is drawn" },
	{ OPT_FLAG, "brief", ARG(brief), 0, 0, "leave out the stages and their loads" },
	{ OPT_FLAG, "links", ARG(links), 0, 0, "list every link and what it will carry" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_ARG, "FILE", ARG(file), 1, 1, "the fabric file" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static int load(struct plan_view *view, const struct plan_args *args, struct diag *diag)
{
	int err = fabric_load(&view->fabric, args->file, args->plane, diag);

	if (err)
		return err;
	err = routing_init(&view->routing, &view->fabric, args->seed, diag);
	if (err)
		return err;
	summary_make(&view->summary, &view->fabric, &view->routing);
	if (!args->brief)
		plan_acceptance(
			&view->plan, &view->fabric, (enum profile)args->profile, args->seed);
	return 0;
}

static void add_loads(struct plan_view *view)
{
	uint32_t ports = view->fabric.port_count;
	uint64_t *bytes = zeroed(ports, sizeof(*bytes));

	view->uplinks = zeroed(view->plan.count, sizeof(*view->uplinks));
	view->port_bytes = zeroed(ports, sizeof(*view->port_bytes));
	for (size_t i = 0; i < view->plan.count; i++) {
		const struct plan_stage *stage = &view->plan.stages[i];

		memset(bytes, 0, ports * sizeof(*bytes));
		load_add(&view->routing, stage, bytes);
		view->uplinks[i] = load_uplinks(&view->fabric, bytes);
		for (uint32_t port = 0; port < ports; port++)
			view->port_bytes[port] += bytes[port];
		view->bytes += load_stage_bytes(stage);
		view->expected_ns += stage->expected_ns;
	}
	free(bytes);
}

static void view_free(struct plan_view *view)
{
	free(view->uplinks);
	free(view->port_bytes);
	plan_free(&view->plan);
	summary_free(&view->summary);
	routing_free(&view->routing);
	fabric_free(&view->fabric);
}

int cmd_plan(int argc, char **argv)
{
	struct plan_args args = { .seed = 1 };
	struct plan_view view = { .fabric = FABRIC_INIT, .routing = ROUTING_INIT };
	struct diag diag;
	int status, err;

	if (!opt_read("plan",
		    "Prints what a fabric file builds, and what an acceptance run on it will "
		    "try.",
		    plan_opts, argc, argv, &args, &status))
		return status;
	view.path = args.file;
	view.links = args.links;
	view.brief = args.brief;
	status = EXIT_UNKNOWN;
	err = load(&view, &args, &diag);
	if (err) {
		fprintf(stderr, "weft plan: %s\n", diag.text);
		goto out;
	}
	add_loads(&view);
	err = args.json ? plan_print_json(stdout, &view) : plan_print_text(stdout, &view);
	/* main() says what became of stdout. */
	if (!err)
		status = EXIT_PASS;
out:
	view_free(&view);
	return status;
}
