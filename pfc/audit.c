/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/audit.h"

#include <string.h>

#include "lib/units.h"
#include "pfc/rule_audit.h"
#include "pfc/settings.h"

static bool is_no_variable(const struct fact *fact)
{
	return fact->key != FACT_ENV && fact->key != FACT_GID_PINNED &&
	       fact->key != FACT_ROCE_ECE &&
	       (fact->key != FACT_TC || strcmp(fact->name, "traffic_class") == 0);
}

void audit_drop_variables(struct facts *facts)
{
	struct facts kept;

	facts_init(&kept);
	facts_append(&kept, facts, is_no_variable);
	facts_free(facts);
	*facts = kept;
}

void audit_expect_host(struct facts *facts, const char *place)
{
	struct fact *fact;

	if (facts_find(facts, FACT_RAIL, place, NULL, NULL) ||
		facts_find(facts, FACT_READING, place, NULL, NULL))
		return;
	fact = facts_add(facts, FACT_READING, place, "", "host", "no answer");
	fact->source = "no facts of it were given";
}

/* Which rules speak of the policy. */
static bool is_asked(const struct rule *rule)
{
	static const char *const families[] = { "audit", "class", "qos", "port", "hosts" };
	static const char *const codes[] = { "HOST_SILENT", "DCB_NOT_OFFERED",
		"RETRY_CNT_OUT_OF_RANGE" };

	for (size_t i = 0; i < COUNT_OF(families); i++)
		if (strcmp(rule->family, families[i]) == 0)
			return true;
	return rule_is_one_of(rule, codes, COUNT_OF(codes));
}

static size_t keep_rules(const struct rule **rules, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (is_asked(rules[i]))
			rules[kept++] = rules[i];
	return kept;
}

/* The policy's way through a port; each of these must have its answer, and so must the
 * proof by traffic where it was asked for. */
static bool is_link_of_chain(const struct rule *rule, const struct facts *facts)
{
	static const char *const codes[] = { "AUDIT_TRUST", "AUDIT_DSCP_MAP", "AUDIT_PFC",
		"AUDIT_BUFFER", "AUDIT_ECN", "AUDIT_MTU", "AUDIT_SPEED" };

	return rule_is_one_of(rule, codes, COUNT_OF(codes)) ||
	       (strcmp(rule->code, "AUDIT_CLASS_PROOF") == 0 &&
		       facts_find(facts, FACT_WANTED, NULL, NULL, AUDIT_WANTS_PROOF));
}

void audit_judge(struct facts *facts, struct explain *result)
{
	size_t kept = 0;

	settings_add(facts, facts);
	explain_facts(facts, result);
	for (size_t i = 0; i < result->code_count; i++)
		if (is_asked(result->codes[i].rule))
			result->codes[kept++] = result->codes[i];
	result->code_count = kept;
	result->unknown_count = keep_rules(result->unknown, result->unknown_count);
	result->clear_count = keep_rules(result->clear, result->clear_count);
	result->verdict = VERDICT_PASS;
	for (size_t i = 0; i < result->unknown_count; i++)
		if (is_link_of_chain(result->unknown[i], facts))
			result->verdict = VERDICT_UNKNOWN;
	for (size_t i = 0; i < kept; i++)
		result->verdict = rule_worse(result->verdict, result->codes[i].level);
}
