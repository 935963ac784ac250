/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/explain_show.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "lib/json.h"
#include "pfc/alarm.h"
#include "pfc/bundle.h"

#define COLUMNS 80
#define INDENT 10

const char *explain_level_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_PASS] = "PASS",
		[VERDICT_WARN] = "WARN",
		[VERDICT_FAIL] = "FAIL",
		[VERDICT_UNKNOWN] = "UNKNOWN",
	};

	return names[verdict];
}

/* Text with a label before it, wrapped and indented. */
static void wrap(FILE *out, const char *label, const char *text)
{
	size_t column = INDENT;

	fprintf(out, "  %-*s", INDENT - 2, label);
	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > INDENT && column + 1 + length > COLUMNS) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		}
		fprintf(out, "%s%.*s", column > INDENT ? " " : "", (int)length, text);
		column += length + (column > INDENT);
		text += length;
		text += strspn(text, " ");
	}
	fprintf(out, "\n");
}

static void print_rules(FILE *out, const struct rule *const *rules, size_t count)
{
	size_t column = 2;

	fprintf(out, " ");
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(rules[i]->code);

		if (column > 2 && column + 1 + length > COLUMNS) {
			fprintf(out, "\n ");
			column = 2;
		}
		fprintf(out, " %s", rules[i]->code);
		column += length + 1;
	}
	fprintf(out, "\n");
}

void explain_print_text(FILE *out, const struct explain *explain, bool all)
{
	fprintf(out, "%s\n", explain_level_name(explain->verdict));
	for (size_t i = 0; i < explain->code_count; i++) {
		const struct explain_code *code = &explain->codes[i];

		fprintf(out, "\n%-7s %s\n", explain_level_name(code->level), code->rule->code);
		wrap(out, "found", code->found);
		wrap(out, "means", code->rule->found);
		wrap(out, "why", code->rule->why);
		wrap(out, "do", code->advice);
		wrap(out, "source", code->rule->source);
	}
	if (explain->fact_count > 0)
		fprintf(out, "\nfacts\n");
	for (size_t i = 0; i < explain->fact_count; i++)
		fprintf(out, "  %-24s %s\n", explain->facts[i].name, explain->facts[i].value);
	fprintf(out,
		"\n%zu rules: %zu found something, %zu found nothing, %zu lack facts and are "
		"unknown\n",
		explain->code_count + explain->clear_count + explain->unknown_count,
		explain->code_count, explain->clear_count, explain->unknown_count);
	if (explain->code_count == 0 && explain->verdict == VERDICT_UNKNOWN)
		fprintf(out,
			"nothing here allows a verdict: add what other tools print, each under "
			"a title \"== host: command ==\"\n");
	if (all && explain->clear_count > 0) {
		fprintf(out, "found nothing:\n");
		print_rules(out, explain->clear, explain->clear_count);
	}
	if (all && explain->unknown_count > 0) {
		fprintf(out, "unknown:\n");
		print_rules(out, explain->unknown, explain->unknown_count);
	}
}

static void put_names(
	struct json *object, const char *key, const struct rule *const *rules, size_t count)
{
	struct json *array = json_put_array(object, key);

	for (size_t i = 0; i < count; i++)
		json_add_text(array, rules[i]->code);
}

void explain_put_json(struct json *object, const struct explain *explain)
{
	struct json *codes, *facts;

	json_put_text(object, "verdict", explain_level_name(explain->verdict));
	codes = json_put_array(object, "codes");
	for (size_t i = 0; i < explain->code_count; i++) {
		const struct explain_code *code = &explain->codes[i];
		struct json *item = json_add_object(codes);

		json_put_text(item, "code", code->rule->code);
		json_put_text(item, "level", explain_level_name(code->level));
		json_put_text(item, "family", code->rule->family);
		json_put_text(item, "found", code->found);
		json_put_text(item, "means", code->rule->found);
		json_put_text(item, "why", code->rule->why);
		json_put_text(item, "advice", code->advice);
		json_put_text(item, "source", code->rule->source);
	}
	facts = json_put_object(object, "facts");
	for (size_t i = 0; i < explain->fact_count; i++)
		json_put_text(facts, explain->facts[i].name, explain->facts[i].value);
	put_names(object, "clear", explain->clear, explain->clear_count);
	put_names(object, "unknown", explain->unknown, explain->unknown_count);
}

int explain_print_json(FILE *out, const struct explain *explain)
{
	struct json *root = json_new_object();
	int err;

	json_put_text(root, "schema", "weft-explain");
	json_put_u64(root, "version", 1);
	explain_put_json(root, explain);
	err = json_write(out, root);
	json_free(root);
	return err;
}

static void print_needs(FILE *out, const struct rule *rule)
{
	const char *between = "";

	for (size_t i = 0; i < RULE_NEEDS; i++)
		if (rule->needs[i] != FACT_KEYS) {
			fprintf(out, "%s%s", between, fact_key_name(rule->needs[i]));
			between = ", ";
		}
	if (!*between)
		fprintf(out, "any of several, see the rule");
}

static void print_alarms(FILE *out)
{
	fprintf(out, "## Alarms of weft watch\n\n"
		     "| alarm | kind | when | where the limit comes from | what to do |\n"
		     "|---|---|---|---|---|\n");
	for (size_t i = 0; i < ALARM_CHECKS; i++) {
		const struct alarm_limit *row = &alarm_limits[i];

		fprintf(out, "| `%s` | %s | %s %" PRIu64 " %s | %s | %s |\n", row->id,
			alarm_kind_name(row->kind), row->at_least ? "from" : "above",
			row->limit, row->unit, row->source, row->advice);
	}
}

void explain_print_rules(FILE *out)
{
	const char *family = "";
	const struct rule *rules;

	print_alarms(out);
	fprintf(out,
		"\n## Rules of hosts and of pasted output\n\n"
		"A rule judges facts, wherever they come from: `weft doctor`, `weft audit`, "
		"`weft explain`. It reports its\ncode, or finds nothing, or is unknown because "
		"its facts are missing; unknown is never a pass. The level is\nthe usual one; "
		"a rule may report a milder one where the facts say so.\n");
	for (size_t i = 0; (rules = rules_family(i)); i++)
		for (const struct rule *rule = rules; rule->code; rule++) {
			if (strcmp(family, rule->family) != 0)
				fprintf(out, "\n### %s\n", rule->family);
			family = rule->family;
			fprintf(out, "\n#### %s (%s)\n\n", rule->code,
				explain_level_name(rule->level));
			fprintf(out, "- Found: %s.\n- Why it matters: %s.\n- What to do: %s\n",
				rule->found, rule->why, rule->advice);
			fprintf(out, "- Needs: ");
			print_needs(out, rule);
			fprintf(out, ".\n- Source: %s.\n", rule->source);
		}
}
