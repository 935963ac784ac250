/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/audit_prove.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/explain_show.h"
#include "cmd/opt.h"
#include "fabric/file.h"
#include "fabric/wanted.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "pfc/audit.h"
#include "pfc/bundle.h"
#include "pfc/parse.h"
#include "pfc/rule_audit.h"
#include "pfc/rule_port.h"
#include "pfc/scan.h"
#include "reports/verdict.h"

struct audit_args {
	const char *from, *env, *fabric;
	struct audit_proof prove;
	unsigned launcher;
	struct doctor_opts opts;
	struct opt_list files;
};

#define ARG(field) offsetof(struct audit_args, field)

static const struct opt audit_opts[] = {
	{ OPT_TEXT, "from FACTS", ARG(from), 0, 0,
		"hold these facts against the file and ask no host; each FACTS is more" },
	{ OPT_TEXT, "env FILE", ARG(env), 0, 0, "the job's variables, NAME=value a line" },
	{ OPT_BYTES, "prove BYTES", ARG(prove.bytes), 1u << 20, AUDIT_PROVE_BYTES_MAX,
		"also send so many bytes from every NIC, and ask in which priority they are "
		"counted" },
	{ OPT_CHOICE, "launcher by-host|local|ssh", ARG(launcher), 0, 0,
		"of agents, for --prove; by-host: local where the file says host: local" },
	{ OPT_TEXT, "weft PATH", ARG(prove.agents.weft), 0, 0,
		"weft on the hosts, for --prove" },
	DOCTOR_OPTS(struct audit_args, opts),
	{ OPT_ARG, "FABRIC", ARG(fabric), 1, 1, "the fabric file" },
	{ OPT_ARGS, "FACTS", ARG(files), 0, 4096, "more facts, behind --from" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

/* --- the way of the policy through each port --- */

static void print_on(const struct facts *facts, enum fact_key key, const struct fact *rail,
	const char *subject, int priority)
{
	double on;

	printf(" %-5s", port_value(facts, key, rail->place, subject, priority, &on)
				? on > 0 ? "on" : "off"
				: "?");
}

static void print_way(const struct facts *facts, const struct fact *rail)
{
	const struct fact *dscp = audit_wanted(facts, rail->place, rail->subject, "dscp");
	const struct fact *needs = audit_wanted(facts, rail->place, rail->subject, "headroom");
	const struct fact *trust = facts_find(facts, FACT_TRUST, rail->place, rail->name, NULL);
	bool said, known;
	int priority;
	double buffer, size = 0;

	if (!dscp)
		return;
	priority = audit_priority(facts, rail, scan_int(dscp->number), &said);
	known = port_value(
			facts, FACT_PRIO_BUFFER, rail->place, rail->name, priority, &buffer) &&
		port_value(facts, FACT_BUFFER, rail->place, rail->name, (int)buffer, &size);
	printf("%-12s %-14s %-5s %4.0f -> %d%s", rail->place, rail->name,
		trust ? trust->text : "?", dscp->number, priority, said ? " " : "*");
	print_on(facts, FACT_PFC, rail, rail->name, priority);
	if (known)
		printf(" %8.0f", size);
	else
		printf(" %8s", "?");
	if (needs)
		printf(" %8.0f", needs->number);
	else
		printf(" %8s", "?");
	print_on(facts, FACT_CC_ENABLE, rail, "rp", priority);
	print_on(facts, FACT_CC_ENABLE, rail, "np", priority);
	printf("\n");
}

static void print_ways(const struct facts *facts)
{
	if (!facts_first(facts, FACT_RAIL))
		return;
	printf("%-12s %-14s %-5s %-10s %-5s %8s %8s %-5s %-5s\n", "host", "interface", "trust",
		"DSCP->prio", "PFC", "buffer", "needed", "rp", "np");
	FACTS_EACH (facts, FACT_RAIL, rail)
		print_way(facts, rail);
	printf("bytes; *: no row for this DSCP, the default of drivers; ?: could not be "
	       "read\n\n");
}

/* --- from file to verdict --- */

/* Variables of a file, as if they were pasted under a title. */
static int read_env(
	struct facts *facts, struct bundle *bundle, const char *path, struct diag *diag)
{
	static char text[1u << 20] = "== env ==\n";
	size_t used = strlen(text), got;
	FILE *file = fopen(path, "r");

	if (!file)
		return diag_system(diag, -errno, "%s: cannot be opened", path);
	while (used < sizeof(text) &&
		(got = fread(text + used, 1, sizeof(text) - used, file)) > 0)
		used += got;
	fclose(file);
	if (used == sizeof(text))
		return diag_error(
			diag, -E2BIG, "%s: above 1 MiB, which no job's variables are", path);
	if (bundle_add(bundle, path, text, used, diag))
		return -EINVAL;
	parse_bundle(facts, bundle);
	return 0;
}

static int gather(struct facts *facts, const struct audit_args *args,
	const struct fabric *fabric, struct diag *diag)
{
	struct doctor_wish wish = { .window_ns = args->opts.window_ns,
		.limit_ns = args->opts.limit_ns,
		.at_once = args->opts.at_once };
	struct doctor_hosts hosts = { NULL, 0 };
	int err;

	if (args->from) {
		err = doctor_read_file(facts, args->from, diag);
		for (size_t i = 0; !err && i < args->files.count; i++)
			err = doctor_read_file(facts, args->files.items[i], diag);
		return err;
	}
	err = doctor_ask(&hosts, fabric, &wish, diag);
	for (size_t i = 0; !err && i < hosts.count; i++)
		facts_append(facts, &hosts.items[i].facts, NULL);
	doctor_hosts_free(&hosts);
	return err;
}

static void add_wanted(struct facts *facts, const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		const char *host = fabric->bindings[i].host;

		if (*host && !facts_find(facts, FACT_WANTED, host, NULL, NULL))
			wanted_add(facts, fabric, host);
	}
	for (uint32_t i = 0; i < fabric->binding_count; i++)
		if (*fabric->bindings[i].host)
			audit_expect_host(facts, fabric->bindings[i].host);
}

static int judge(struct facts *facts, const struct audit_args *args)
{
	struct explain result = EXPLAIN_INIT;
	int status;

	audit_judge(facts, &result);
	status = report_exit_status(result.verdict);
	if (args->opts.json) {
		if (explain_print_json(stdout, &result))
			status = exit_untold(status);
	} else {
		print_ways(facts);
		explain_print_text(stdout, &result, args->opts.all);
		doctor_print_missing(stdout, facts, args->opts.all);
	}
	explain_free(&result);
	return status;
}

static int audit(const struct audit_args *args)
{
	struct fabric fabric = FABRIC_INIT;
	struct bundle bundle = BUNDLE_INIT;
	struct facts facts;
	struct diag diag;
	int status = EXIT_UNKNOWN, err;

	facts_init(&facts);
	err = fabric_load(&fabric, args->fabric, NULL, &diag);
	if (!err)
		err = gather(&facts, args, &fabric, &diag);
	if (!err && args->env) {
		/* The job's variables in place of those of the sessions. */
		audit_drop_variables(&facts);
		err = read_env(&facts, &bundle, args->env, &diag);
	}
	if (!err)
		add_wanted(&facts, &fabric);
	if (!err && args->prove.bytes)
		err = audit_prove(&facts, &fabric, &args->prove, &diag);
	if (err)
		fprintf(stderr, "weft audit: %s\n", diag.text);
	else
		status = judge(&facts, args);
	facts_free(&facts);
	bundle_free(&bundle);
	fabric_free(&fabric);
	return status;
}

int cmd_audit(int argc, char **argv)
{
	struct audit_args args = { .opts = DOCTOR_OPTS_INIT };
	int status;

	if (!opt_read("audit",
		    "Holds every host of a fabric file against the file's lossless policy. "
		    "Sets "
		    "nothing.",
		    audit_opts, argc, argv, &args, &status))
		return status;
	if (args.files.count > 0 && !args.from) {
		fprintf(stderr, "weft audit: \"%s\": facts are expected behind --from\n",
			args.files.items[0]);
		return EXIT_UNKNOWN;
	}
	if (args.prove.bytes && args.from) {
		fprintf(stderr, "weft audit: --prove asks the hosts themselves: expected no "
				"--from beside it\n");
		return EXIT_UNKNOWN;
	}
	args.prove.agents.launcher = (enum agents_launcher)args.launcher;
	args.prove.wish = (struct doctor_wish){ .limit_ns = args.opts.limit_ns,
		.at_once = args.opts.at_once };
	return audit(&args);
}
