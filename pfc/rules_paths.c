/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
#define NODES 256
/* A pair below this share of the best pair is slow. */
#define SLOW_SHARE 0.8

struct pairs {
	double best;
	const char *nodes[NODES];
	size_t node_count;
};

static size_t add_node(struct pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->node_count; i++)
		if (strcmp(pairs->nodes[i], name) == 0)
			return i;
	if (pairs->node_count < NODES)
		pairs->nodes[pairs->node_count++] = name;
	return pairs->node_count - 1;
}

static struct pairs pairs_of(const struct facts *facts)
{
	struct pairs pairs = { .best = 0 };

	FACTS_EACH (facts, FACT_PAIR, pair) {
		add_node(&pairs, pair->subject);
		add_node(&pairs, pair->name);
		if (pair->number > pairs.best)
			pairs.best = pair->number;
	}
	return pairs;
}

static bool is_slow(const struct pairs *pairs, const struct fact *pair)
{
	return pair->number < pairs->best * SLOW_SHARE;
}

/* Fast in one pair clears a node; how many different partners it was slow with. */
static bool cleared(const struct facts *facts, const struct pairs *pairs, const char *node,
	int *slow_partners)
{
	bool fast = false;

	*slow_partners = 0;
	FACTS_EACH (facts, FACT_PAIR, pair) {
		if (strcmp(pair->subject, node) != 0 && strcmp(pair->name, node) != 0)
			continue;
		if (is_slow(pairs, pair))
			(*slow_partners)++;
		else
			fast = true;
	}
	return fast;
}

/* Slow with two partners or more and never fast. */
static bool is_slow_node(const struct facts *facts, const struct pairs *pairs, const char *node)
{
	int partners;

	return !cleared(facts, pairs, node, &partners) && partners >= 2;
}

static double median_of_others(const struct facts *facts, const struct fact *but)
{
	double values[NODES], swap;
	size_t count = 0;

	FACTS_EACH (facts, FACT_PAIR, pair)
		if (pair != but && count < NODES)
			values[count++] = pair->number;
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
			swap = values[j];
			values[j] = values[j - 1];
			values[j - 1] = swap;
		}
	if (count == 0)
		return 0;
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static enum outcome collision(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct pairs pairs = pairs_of(facts);

	FACTS_EACH (facts, FACT_PAIR, pair) {
		int a, b;
		double others;

		if (!is_slow(&pairs, pair) || !cleared(facts, &pairs, pair->subject, &a) ||
			!cleared(facts, &pairs, pair->name, &b))
			continue;
		others = median_of_others(facts, pair);
		explain_code(out, rule, rule->level,
			"%s-%s is slow (%.3g) while both nodes are fast with others (%.3g)",
			pair->subject, pair->name, pair->number, others);
		explain_fact(out, "pair", "%s-%s", pair->subject, pair->name);
		explain_fact(out, "ratio", "%.3f", pair->number / others);
		explain_advice(out,
			"%s and %s are each fast with another partner, so the nodes are fine "
			"and the path between them is shared or "
			"bad; look at ECMP hashing and link load on that path, use more QPs "
			"(NCCL_IB_QPS_PER_CONNECTION) or adaptive "
			"routing, and see whether other source ports move the fault.",
			pair->subject, pair->name);
		return RULE_FIRED;
	}
	return pairs.node_count >= 3 ? RULE_CLEAR : RULE_UNKNOWN;
}

static void add_name(char *list, size_t room, const char *name)
{
	size_t used = strlen(list);

	if (used + 2 < room)
		snprintf(list + used, room - used, "%s%s", used ? "," : "", name);
}

static void sort_names(struct pairs *pairs)
{
	for (size_t i = 1; i < pairs->node_count; i++)
		for (size_t j = i; j > 0 && strcmp(pairs->nodes[j], pairs->nodes[j - 1]) < 0;
			j--) {
			const char *swap = pairs->nodes[j];

			pairs->nodes[j] = pairs->nodes[j - 1];
			pairs->nodes[j - 1] = swap;
		}
}

/* A slow pair that no slow node explains and that is no path between two
 * cleared nodes. */
static void undetermined(
	const struct facts *facts, const struct pairs *pairs, char *list, size_t room)
{
	FACTS_EACH (facts, FACT_PAIR, pair) {
		char name[160];
		int partners;

		if (!is_slow(pairs, pair) || is_slow_node(facts, pairs, pair->subject) ||
			is_slow_node(facts, pairs, pair->name) ||
			(cleared(facts, pairs, pair->subject, &partners) &&
				cleared(facts, pairs, pair->name, &partners)))
			continue;
		snprintf(name, sizeof(name), "%s-%s", pair->subject, pair->name);
		add_name(list, room, name);
	}
}

static enum outcome slow_node(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct pairs pairs = pairs_of(facts);
	char slow[300] = "", clear[320] = "", open[320] = "";

	sort_names(&pairs);
	for (size_t i = 0; i < pairs.node_count; i++) {
		int partners;

		if (is_slow_node(facts, &pairs, pairs.nodes[i]))
			add_name(slow, sizeof(slow), pairs.nodes[i]);
		else if (cleared(facts, &pairs, pairs.nodes[i], &partners))
			add_name(clear, sizeof(clear), pairs.nodes[i]);
	}
	undetermined(facts, &pairs, open, sizeof(open));
	if (!*slow) {
		if (*open)
			out->doubt = true;
		return *open ? RULE_UNKNOWN : RULE_CLEAR;
	}
	explain_code(out, rule, rule->level, "slow with every partner: %s", slow);
	explain_fact(out, "slow_nodes", "%s", slow);
	explain_fact(out, "undetermined_pairs", "%s", *open ? open : "none");
	explain_fact(out, "cleared_nodes", "%s", *clear ? clear : "none");
	explain_advice(out,
		"%s is slow with every partner while those are fast elsewhere: look at this "
		"node first (PCIe width, port rate, NIC "
		"mapping, loopback test).%s%.120s%s",
		slow,
		*open ? " Not decided, and in need of one more test each with a cleared node: "
		      : "",
		open, *open ? "." : "");
	return RULE_FIRED;
}

static bool names_qps(const char *line, double *qps)
{
	const char *after = scan_after(line, "-q ");

	after = after ? after : scan_after(line, "qps");
	after = after ? after : scan_after(line, "QPs_PER_CONNECTION=");
	return after && scan_number(after + strspn(after, " :=ab"), qps, NULL);
}

static bool names_library(const char *line)
{
	return scan_has(line, "nccl") || scan_has(line, "all_reduce") ||
	       scan_has(line, "busbw") || scan_has(line, "hccl") || scan_has(line, "rccl");
}

static enum outcome bond(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *bond = facts_first(facts, FACT_BOND);
	double one = 0, many = 0, library = 0;
	double all = bond->number * bond->more, qps;

	FACTS_EACH (facts, FACT_FIGURE, figure) {
		if (names_library(figure->text))
			library = figure->number;
		else if (names_qps(figure->text, &qps))
			*(qps <= 1 ? &one : &many) = figure->number;
	}
	FACTS_EACH (facts, FACT_PERF_AVG, row) {
		FACTS_EACH (facts, FACT_PERF_PARAM, parameter)
			if (parameter->section == row->section &&
				strcmp(parameter->name, "qps") == 0)
				*(atoi(parameter->text) <= 1 ? &one : &many) = row->number;
	}
	if (one <= 0 && library <= 0)
		return RULE_UNKNOWN;
	if ((one > 0 ? one : library) > bond->more * 1.02)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"one QP gives %.1f Gb/s, the rate of one of %.0f bond members of %.0f Gb/s",
		one > 0 ? one : library, bond->number, bond->more);
	if (one > 0)
		explain_number(out, "single_qp_gbps", one);
	explain_number(out, "bond_gbps", all);
	if (library > 0)
		explain_number(out, "nccl_gbps", library);
	if (many > 0)
		explain_number(out, "multi_qp_gbps", many);
	return RULE_FIRED;
}

const struct rule rules_paths[] = {
	{ "FABRIC_PATH_COLLISION", VERDICT_FAIL, "paths",
		"a pair is slow while both its nodes are fast with others: the path is at "
		"fault",
		"flows share a link that others do not use",
		"Look at ECMP hashing on that path and use more QPs or adaptive routing.",
		"NVIDIA/nccl#325", { FACT_PAIR, NO_NEED, NO_NEED }, collision },
	{ "SLOW_NODE", VERDICT_FAIL, "paths", "a node is slow with every partner",
		"every collective that holds this node runs at its speed",
		"Look at this node first.", "NVIDIA/nccl-tests#106",
		{ FACT_PAIR, NO_NEED, NO_NEED }, slow_node },
	{ "BOND_SINGLE_QP", VERDICT_WARN, "paths",
		"one QP uses one bond member, so the rate is that of one member",
		"half of the bond stays idle",
		"One QP stays on one bond member; use at least 2 (try 4 or 8) QPs per "
		"connection (NCCL_IB_QPS_PER_CONNECTION, "
		"NCCL_IB_SPLIT_DATA_ON_QPS, -q of perftest) and check that both members carry "
		"traffic.",
		"NVIDIA/nccl#1015", { FACT_BOND, NO_NEED, NO_NEED }, bond },
	{ .code = NULL },
};
