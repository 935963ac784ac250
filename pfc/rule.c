/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

static const struct rule *const families[] = {
	rules_address, rules_mtu, rules_rails, rules_bytes, rules_routes, rules_pci,
	rules_wire, /* before qos: a setting that was changed back is the cause */
	rules_qos, rules_congestion, rules_buffers, rules_drops, rules_link, rules_paths,
	rules_launch, rules_measure, rules_units, rules_port, rules_class, rules_mark,
	rules_host, rules_hosts, rules_audit, rules_lint,
	rules_transport, /* last: a time-out is the consequence of what is found above */
};

const struct rule *rules_family(size_t index)
{
	return index < COUNT_OF(families) ? families[index] : NULL;
}

bool rule_is_one_of(const struct rule *rule, const char *const *codes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(codes[i], rule->code) == 0)
			return true;
	return false;
}

bool rule_is_core(const struct rule *rule)
{
	static const char *const codes[] = { "ROCE_PORT_DOWN", "NO_ROUTABLE_GID",
		"ROCE_MTU_SMALL", "PFC_OFF", "TRUST_PCP_UNTAGGED", "PFC_AND_PAUSE" };

	return rule_is_one_of(rule, codes, COUNT_OF(codes));
}

static bool has_needs(const struct rule *rule, const struct facts *facts)
{
	for (size_t i = 0; i < RULE_NEEDS; i++)
		if (rule->needs[i] != FACT_KEYS && !facts_first(facts, rule->needs[i]))
			return false;
	return true;
}

static const struct rule **add_rule(
	const struct rule **rules, size_t *count, size_t *room, const struct rule *rule)
{
	rules = grow(rules, *count, room, sizeof(*rules));
	rules[(*count)++] = rule;
	return rules;
}

static void judge(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	enum outcome outcome =
		has_needs(rule, facts) ? rule->judge(rule, facts, out) : RULE_UNKNOWN;

	switch (outcome) {
	case RULE_CLEAR:
		out->clear = add_rule(out->clear, &out->clear_count, &out->clear_room, rule);
		break;
	case RULE_UNKNOWN:
		out->unknown =
			add_rule(out->unknown, &out->unknown_count, &out->unknown_room, rule);
		break;
	case RULE_FIRED:
		break;
	}
}

static int badness(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return 0;
	case VERDICT_WARN:
		return 1;
	case VERDICT_UNKNOWN:
		return 2;
	case VERDICT_FAIL:
		return 3;
	}
	return 2;
}

/* Rules that only say what is there: when they have nothing to say, nothing is proved. */
static bool is_statement(const struct rule *rule)
{
	static const char *const codes[] = { "MTU_TABLE", "WC_DECODE", "PERFTEST_JSON_NOT_JSON",
		"PROBE_PLAN_FILTERED", "UNIT_SCALING_BUG", "UNITS_NORMALISED",
		"RETRY_CNT_OUT_OF_RANGE" };

	return rule_is_one_of(rule, codes, COUNT_OF(codes));
}

static bool proves_something(const struct explain *out)
{
	for (size_t i = 0; i < out->clear_count; i++)
		if (!is_statement(out->clear[i]))
			return true;
	return false;
}

enum verdict rule_worse(enum verdict a, enum verdict b)
{
	return badness(b) > badness(a) ? b : a;
}

static enum verdict verdict_of(const struct facts *facts, const struct explain *out)
{
	enum verdict worst = VERDICT_PASS;

	if (facts->dropped > 0)
		worst = VERDICT_UNKNOWN;
	if (out->code_count == 0 && (out->doubt || !proves_something(out)))
		return VERDICT_UNKNOWN;
	for (size_t i = 0; i < out->code_count; i++)
		worst = rule_worse(worst, out->codes[i].level);
	return worst;
}

/* Worst first; the rules' order among equals, which is that of causes. */
static void sort_codes(struct explain *out)
{
	for (size_t i = 1; i < out->code_count; i++)
		for (size_t j = i; j > 0 && badness(out->codes[j].level) >
						    badness(out->codes[j - 1].level);
			j--) {
			struct explain_code code = out->codes[j];

			out->codes[j] = out->codes[j - 1];
			out->codes[j - 1] = code;
		}
}

void explain_facts(const struct facts *facts, struct explain *out)
{
	for (size_t i = 0; i < COUNT_OF(families); i++)
		for (const struct rule *rule = families[i]; rule->code; rule++)
			judge(rule, facts, out);
	sort_codes(out);
	out->verdict = verdict_of(facts, out);
}

void explain_free(struct explain *out)
{
	free(out->codes);
	free(out->facts);
	free(out->unknown);
	free(out->clear);
	*out = (struct explain)EXPLAIN_INIT;
}

enum outcome explain_code(struct explain *out, const struct rule *rule, enum verdict level,
	const char *found, ...)
{
	struct explain_code *code;
	va_list args;

	out->codes = grow(out->codes, out->code_count, &out->code_room, sizeof(*out->codes));
	code = &out->codes[out->code_count++];
	memset(code, 0, sizeof(*code));
	code->rule = rule;
	code->level = level;
	va_start(args, found);
	vsnprintf(code->found, sizeof(code->found), found, args);
	va_end(args);
	snprintf(code->advice, sizeof(code->advice), "%s", rule->advice);
	return RULE_FIRED;
}

void explain_advice(struct explain *out, const char *advice, ...)
{
	struct explain_code *code = &out->codes[out->code_count - 1];
	va_list args;

	va_start(args, advice);
	vsnprintf(code->advice, sizeof(code->advice), advice, args);
	va_end(args);
}

void explain_fact(struct explain *out, const char *name, const char *value, ...)
{
	struct explain_fact *fact;
	va_list args;

	for (size_t i = 0; i < out->fact_count; i++)
		if (strcmp(out->facts[i].name, name) == 0)
			return;
	out->facts = grow(out->facts, out->fact_count, &out->fact_room, sizeof(*out->facts));
	fact = &out->facts[out->fact_count++];
	snprintf(fact->name, sizeof(fact->name), "%s", name);
	va_start(args, value);
	vsnprintf(fact->value, sizeof(fact->value), value, args);
	va_end(args);
}

/* As many digits as tell: whole numbers whole, others to a thousandth or to
 * four digits that count. */
void explain_number(struct explain *out, const char *name, double value)
{
	if (fabs(value - round(value)) < 1e-9)
		explain_fact(out, name, "%.0f", value);
	else if (fabs(value) >= 1)
		explain_fact(out, name, "%.2f", value);
	else
		explain_fact(out, name, "%.3g", value);
}

bool explain_has(const struct explain *out, const char *code)
{
	for (size_t i = 0; i < out->code_count; i++)
		if (strcmp(out->codes[i].rule->code, code) == 0)
			return true;
	return false;
}

bool explain_has_any(const struct explain *out, const char *start)
{
	for (size_t i = 0; i < out->code_count; i++)
		if (strncmp(out->codes[i].rule->code, start, strlen(start)) == 0)
			return true;
	return false;
}
