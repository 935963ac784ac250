/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/explain_show.h"
#include "cmd/opt.h"
#include "fabric/file.h"
#include "fabric/wanted.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/parse.h"
#include "pfc/rule_audit.h"
#include "pfc/rule_port.h"
#include "pfc/settings.h"

struct audit_args {
	const char *from, *env, *fabric;
	uint64_t window_ns, limit_ns, at_once;
	bool json, all;
	struct opt_list files;
};

#define ARG(field) offsetof(struct audit_args, field)

static const struct opt audit_opts[] = {
	{ OPT_TEXT, "from FACTS", ARG(from), 0, 0,
		"hold these facts against the file and ask no host; each FACTS is more" },
	{ OPT_TEXT, "env FILE", ARG(env), 0, 0, "the job's variables, NAME=value a line" },
	{ OPT_NS, "window TIME", ARG(window_ns), 0, 3600 * NS_PER_S,
		"between two readings of the counters" },
	{ OPT_NS, "limit TIME", ARG(limit_ns), NS_PER_S, 3600 * NS_PER_S,
		"for a host to answer" },
	{ OPT_COUNT, "at-once N", ARG(at_once), 1, 256, "hosts asked side by side" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON" },
	{ OPT_FLAG, "all", ARG(all), 0, 0, "name the rules that found nothing or lack facts" },
	{ OPT_ARG, "FABRIC", ARG(fabric), 1, 1, "the fabric file" },
	{ OPT_ARGS, "FACTS", ARG(files), 0, 4096, "more facts, behind --from" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

/* Which rules speak of the policy. */
static bool is_asked(const struct rule *rule)
{
	static const char *const families[] = { "audit", "class", "qos", "port", "hosts" };

	for (size_t i = 0; i < COUNT_OF(families); i++)
		if (strcmp(rule->family, families[i]) == 0)
			return true;
	return strcmp(rule->code, "HOST_SILENT") == 0 ||
	       strcmp(rule->code, "DCB_NOT_OFFERED") == 0 ||
	       strcmp(rule->code, "RETRY_CNT_OUT_OF_RANGE") == 0;
}

static size_t keep_rules(const struct rule **rules, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (is_asked(rules[i]))
			rules[kept++] = rules[i];
	return kept;
}

/* The policy's way through a port; each of these must have its answer. */
static bool is_link_of_chain(const struct rule *rule)
{
	static const char *const codes[] = { "AUDIT_TRUST", "AUDIT_DSCP_MAP", "AUDIT_PFC",
		"AUDIT_BUFFER", "AUDIT_ECN", "AUDIT_MTU", "AUDIT_SPEED" };

	for (size_t i = 0; i < COUNT_OF(codes); i++)
		if (strcmp(codes[i], rule->code) == 0)
			return true;
	return false;
}

static void keep_asked(struct explain *result)
{
	static const int badness[] = { [VERDICT_PASS] = 0,
		[VERDICT_WARN] = 1,
		[VERDICT_UNKNOWN] = 2,
		[VERDICT_FAIL] = 3 };
	size_t kept = 0;

	for (size_t i = 0; i < result->code_count; i++)
		if (is_asked(result->codes[i].rule))
			result->codes[kept++] = result->codes[i];
	result->code_count = kept;
	result->unknown_count = keep_rules(result->unknown, result->unknown_count);
	result->clear_count = keep_rules(result->clear, result->clear_count);
	result->verdict = VERDICT_PASS;
	for (size_t i = 0; i < result->unknown_count; i++)
		if (is_link_of_chain(result->unknown[i]))
			result->verdict = VERDICT_UNKNOWN;
	for (size_t i = 0; i < kept; i++)
		if (badness[result->codes[i].level] > badness[result->verdict])
			result->verdict = result->codes[i].level;
}

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
	priority = audit_priority(facts, rail, (int)dscp->number, &said);
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
	struct doctor_wish wish = { .window_ns = args->window_ns,
		.limit_ns = args->limit_ns,
		.at_once = args->at_once };
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

/* Not a variable of somebody's session, nor what follows from one. A class that is forced
 * on a device stays. */
static bool is_no_variable(const struct fact *fact)
{
	return fact->key != FACT_ENV && fact->key != FACT_GID_PINNED &&
	       fact->key != FACT_ROCE_ECE &&
	       (fact->key != FACT_TC || strcmp(fact->name, "traffic_class") == 0);
}

/* The job's variables in place of those of the sessions. */
static int take_env(
	struct facts *facts, struct bundle *bundle, const char *path, struct diag *diag)
{
	struct facts kept;

	facts_init(&kept);
	facts_append(&kept, facts, is_no_variable);
	facts_free(facts);
	*facts = kept;
	return read_env(facts, bundle, path, diag);
}

static void add_wanted(struct facts *facts, const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		const char *host = fabric->bindings[i].host;

		if (*host && !facts_find(facts, FACT_WANTED, host, NULL, NULL))
			wanted_add(facts, fabric, host);
	}
	/* A host of which there are no facts is unknown, not absent. */
	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		const char *host = fabric->bindings[i].host;
		struct fact *fact;

		if (!*host || facts_find(facts, FACT_RAIL, host, NULL, NULL) ||
			facts_find(facts, FACT_READING, host, NULL, NULL))
			continue;
		fact = facts_add(facts, FACT_READING, host, "", "host", "no answer");
		fact->source = "no facts of it were given";
	}
}

static int judge(struct facts *facts, const struct audit_args *args)
{
	struct explain result = EXPLAIN_INIT;
	int status;

	settings_add(facts, facts);
	explain_facts(facts, &result);
	keep_asked(&result);
	status = explain_exit(result.verdict);
	if (args->json) {
		if (explain_print_json(stdout, &result))
			status = EXIT_UNKNOWN;
	} else {
		print_ways(facts);
		explain_print_text(stdout, &result, args->all);
		doctor_print_missing(stdout, facts, args->all);
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
	if (!err && args->env)
		err = take_env(&facts, &bundle, args->env, &diag);
	if (err) {
		fprintf(stderr, "weft audit: %s\n", diag.text);
	} else {
		add_wanted(&facts, &fabric);
		status = judge(&facts, args);
	}
	facts_free(&facts);
	bundle_free(&bundle);
	fabric_free(&fabric);
	return status;
}

int cmd_audit(int argc, char **argv)
{
	struct audit_args args = {
		.window_ns = NS_PER_S, .limit_ns = 60 * NS_PER_S, .at_once = 16
	};
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
	return audit(&args);
}
