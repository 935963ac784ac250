/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/rule.h"
#include "pfc/rule_audit.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
/* 4.096 us * 2^22 is 17 s, and seven retries two minutes in which nobody knows. */
#define TIMEOUT_MOST 22

/* The policy's number of any host: it is one for the whole fabric. */
static bool policy(const struct facts *facts, const char *name, double *number)
{
	const struct fact *wanted = facts_find(facts, FACT_WANTED, NULL, "", name);

	if (wanted)
		*number = wanted->number;
	return wanted;
}

/* The first variable of this name that has another number; none: NULL. *seen: there is
 * one at all. */
static const struct fact *other_than(
	const struct facts *facts, const char *name, double wanted, unsigned shift, bool *seen)
{
	FACTS_EACH (facts, FACT_ENV, variable) {
		double value;

		if (strcmp(variable->name, name) != 0 ||
			!scan_number(variable->text, &value, NULL))
			continue;
		*seen = true;
		if (scan_int(value) >> shift != scan_int(wanted))
			return variable;
	}
	return NULL;
}

static enum outcome traffic_class(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	static const char *const names[] = { "NCCL_IB_TC", "HCCL_RDMA_TC", "RCCL_IB_TC",
		"UCX_IB_TRAFFIC_CLASS" };
	double dscp;
	bool seen = false;

	if (!policy(facts, "dscp", &dscp))
		return RULE_UNKNOWN;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct fact *wrong = other_than(facts, names[i], dscp, 2, &seen);

		if (!wrong)
			continue;
		explain_code(out, rule, rule->level,
			"%s=%s is DSCP %d; the policy's is %.0f (%.0f with ECT)", wrong->name,
			wrong->text, atoi(wrong->text) >> 2, dscp, dscp * 4 + 2);
		explain_advice(out, "Set %s=%.0f.", wrong->name, dscp * 4 + 2);
		return RULE_FIRED;
	}
	return seen ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome unset(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double dscp;

	if (facts_first(facts, FACT_TC) || facts_first(facts, FACT_ROCE_TOS))
		return RULE_CLEAR;
	if (!policy(facts, "dscp", &dscp) || dscp == 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"no variable, forced class or default ToS says DSCP %.0f: RoCE leaves with "
		"DSCP 0",
		dscp);
	explain_advice(out,
		"Give the job NCCL_IB_TC=%.0f (HCCL_RDMA_TC, UCX_IB_TRAFFIC_CLASS alike), and "
		"rdma_cm default_roce_tos=%.0f.",
		dscp * 4 + 2, dscp * 4 + 2);
	return RULE_FIRED;
}

static enum outcome service_level(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	static const char *const names[] = { "NCCL_IB_SL", "HCCL_RDMA_SL", "UCX_IB_SL" };
	double priority;
	bool seen = false;

	if (!policy(facts, "priority", &priority))
		return RULE_UNKNOWN;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct fact *wrong = other_than(facts, names[i], priority, 0, &seen);

		if (wrong)
			return explain_code(out, rule, rule->level,
				"%s=%s; the policy's priority is %.0f", wrong->name,
				wrong->text, priority);
	}
	return seen ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome gid_index(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_GID_PINNED, pin)
		FACTS_EACH (facts, FACT_RAIL, rail) {
			const struct fact *found = NULL;

			if (*pin->place && strcmp(pin->place, rail->place) != 0)
				continue;
			if (!facts_find(facts, FACT_GID, rail->place, rail->subject, NULL))
				continue;
			known = true;
			FACTS_EACH (facts, FACT_GID, gid)
				if (gid->number == pin->number &&
					strcmp(gid->place, rail->place) == 0 &&
					strcmp(gid->subject, rail->subject) == 0)
					found = gid;
			if (found && found->more == 2 &&
				strcmp(gid_family(found->text), "link-local") != 0)
				continue;
			return explain_code(out, rule, rule->level,
				"%s=%.0f: that slot of %s %s %s", pin->name, pin->number,
				rail->place, rail->subject,
				!found             ? "is empty"
				: found->more != 2 ? "is RoCE v1"
						   : "is a link-local address");
		}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome timeout(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double least;
	bool seen = false;

	if (!policy(facts, "timeout", &least))
		return RULE_UNKNOWN;
	FACTS_EACH (facts, FACT_ENV, variable) {
		double value;

		if ((strcmp(variable->name, "NCCL_IB_TIMEOUT") != 0 &&
			    strcmp(variable->name, "HCCL_RDMA_TIMEOUT") != 0) ||
			!scan_number(variable->text, &value, NULL))
			continue;
		seen = true;
		if (value >= least && value <= TIMEOUT_MOST)
			continue;
		return explain_code(out, rule, rule->level,
			"%s=%s waits 4.096 us x 2^%s; the policy says 2^%.0f, and more than "
			"2^%d is longer than anybody waits",
			variable->name, variable->text, variable->text, least, TIMEOUT_MOST);
	}
	return seen ? RULE_CLEAR : RULE_UNKNOWN;
}

/* "=mlx5_0:1,mlx5_1": exact or by prefix; "^" leaves out. */
static bool is_listed(const char *list, const char *device)
{
	bool exact = *list == '=', found = false;

	list += exact;
	while (*list && !found) {
		size_t length = strcspn(list, ",:");

		found = strncmp(list, device, length) == 0 &&
			(!exact || device[length] == '\0') && length > 0;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return found;
}

static enum outcome hca(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_ENV, list)
		FACTS_EACH (facts, FACT_WANTED, wanted) {
			if (strcmp(list->name, "NCCL_IB_HCA") != 0 || *list->text == '^' ||
				strcmp(wanted->name, "speed") != 0 || !*wanted->subject ||
				(*list->place && strcmp(list->place, wanted->place) != 0))
				continue;
			known = true;
			if (is_listed(list->text, wanted->subject))
				continue;
			return explain_code(out, rule, rule->level,
				"NCCL_IB_HCA=%s leaves out %s of %s, a rail of the file",
				list->text, wanted->subject, wanted->place);
		}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_lint[] = {
	{ "LINT_TC", VERDICT_FAIL, "audit",
		"a library's traffic class is not the policy's DSCP",
		"the job runs in another class than the one that was made lossless",
		"Set the traffic class to DSCP x 4 + 2.", "NVIDIA/nccl environment",
		{ FACT_WANTED, FACT_ENV, NO_NEED }, traffic_class },
	{ "LINT_TC_UNSET", VERDICT_WARN, "audit", "nothing sets the policy's DSCP",
		"libraries send DSCP 0 by default: the lossy class",
		"Give the job its traffic class, or force one on the device.",
		"NVIDIA/nccl environment", { FACT_WANTED, NO_NEED, NO_NEED }, unset },
	{ "LINT_SL", VERDICT_WARN, "audit",
		"a library's service level is not the policy's priority",
		"on RoCE it becomes the VLAN priority, and that of HCCL chooses the queue",
		"Set it to the policy's priority, or leave it out where ports trust the DSCP.",
		"hiascend.com HCCL environment", { FACT_WANTED, FACT_ENV, NO_NEED },
		service_level },
	{ "LINT_GID_INDEX", VERDICT_FAIL, "audit",
		"a pinned GID index is no RoCE v2 address on some port",
		"connections of that port fail, or cannot be routed",
		"Unset it (NCCL 2.21 and later choose by version and family), or give all "
		"ports the address at that slot.",
		"NVIDIA/nccl#769", { FACT_WANTED, FACT_GID_PINNED, FACT_GID }, gid_index },
	{ "LINT_TIMEOUT", VERDICT_WARN, "audit",
		"a library's time-out does not go with the policy's",
		"too low gives up at a flap, too high stands still for minutes",
		"Set it between the policy's time-out and 22; 18 to 20 ride out a reroute.",
		"NVIDIA/nccl environment", { FACT_WANTED, FACT_ENV, NO_NEED }, timeout },
	{ "LINT_HCA", VERDICT_WARN, "audit", "a library's list of devices leaves out a rail",
		"a NIC that was bought is not used",
		"Name every rail in NCCL_IB_HCA, or unset it.", "NVIDIA/nccl environment",
		{ FACT_WANTED, FACT_ENV, NO_NEED }, hca },
	{ .code = NULL },
};
