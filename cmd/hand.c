/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/hand.h"

#include <errno.h>

#include "cmd/cmd.h"
#include "lib/diag.h"

static int find_nic(
	const struct fabric *fabric, const char *name, uint32_t *nic, struct diag *diag)
{
	uint32_t port;

	*nic = PORT_NONE;
	if (!name)
		return 0;
	port = fabric_find_port(fabric, name);
	if (port != PORT_NONE)
		*nic = fabric->ports[port].nic;
	if (*nic != PORT_NONE)
		return 0;
	return diag_error(diag, -EINVAL, "%.60s: expected a NIC: host1%s .. host%u%s", name,
		fabric->rails > 1 ? ":1" : "", fabric->hosts, fabric->rails > 1 ? ":1" : "");
}

/* The ranges of the options keep all of these inside 32 bits. */
static int stage_of(const struct hand_args *args, struct hand_stage *stage, struct diag *diag)
{
	int err;

	*stage = (struct hand_stage){
		.qps = (uint32_t)args->qps,
		.bytes = args->bytes,
		.not_ect = args->not_ect,
		.senders = (uint32_t)args->senders,
		.burst_bytes = args->burst_bytes,
		.burst_period_ns = args->burst_period_ns,
		.bursts = (uint32_t)args->bursts,
		.ranks = (uint32_t)args->ranks,
		.rail = (uint32_t)args->rail,
		.iterations = (uint32_t)args->iterations,
		.seed = args->conduct.seed,
	};
	err = find_nic(&args->conduct.fabric, args->src, &stage->src, diag);
	return err ? err : find_nic(&args->conduct.fabric, args->dst, &stage->dst, diag);
}

static int plan_and_run(struct hand_args *args, hand_plan *plan)
{
	struct conduct *conduct = &args->conduct;
	struct hand_stage stage;
	struct diag diag;

	if (!conduct->fabric_path) {
		diag_error(&diag, -EINVAL, "no fabric: expected --fabric FILE");
		return conduct_refuse(conduct, &diag);
	}
	if (conduct_load(conduct) != EXIT_PASS)
		return EXIT_UNKNOWN;
	if (stage_of(args, &stage, &diag) ||
		plan(&conduct->plan, &conduct->fabric, &stage, &diag))
		return conduct_refuse(conduct, &diag);
	return conduct_run(conduct);
}

int hand_run(const char *command, const char *about, const struct opt *opts, hand_plan *plan,
	int argc, char **argv)
{
	struct hand_args args = {
		.conduct = {
			.command = command,
			.seed = 1,
			.fabric = FABRIC_INIT,
			.plan = PLAN_INIT,
			.show = hand_show,
		},
	};
	int status;

	if (!opt_read(command, about, opts, argc, argv, &args, &status))
		return status;
	status = plan_and_run(&args, plan);
	conduct_free(&args.conduct);
	return status;
}
