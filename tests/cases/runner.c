/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner FOLDER...: each folder holds cases, a folder each: input.txt, what was
 * collected as text, or facts.json, what weft doctor --facts printed; and expected.txt, what a correct reader concludes (key=value lines:
 * verdict, code, level.CODE, not_code, fact.NAME; others are for people). says.txt,
 * where it is there, has phrases that the advice must hold, one a line.
 *
 * Over all folders every rule must have fired once and must once have had its
 * facts and found nothing.
 */
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "pfc/bundle.h"
#include "pfc/facts_json.h"
#include "pfc/parse.h"
#include "pfc/rule.h"
#include "pfc/settings.h"

#define FILE_BYTES (1u << 20)
#define RULES_MAX 256

static const struct rule *fired[RULES_MAX], *cleared[RULES_MAX];
static size_t fired_count, cleared_count;
static int bad, cases;

static void complain(const char *name, const char *what, const char *detail)
{
	printf("%s: %s %s\n", name, what, detail);
	bad++;
}

static bool read_text(const char *folder, const char *name, const char *file, char *text)
{
	char path[1024];
	FILE *stream;
	size_t used;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file);
	stream = fopen(path, "r");
	if (!stream)
		return false;
	used = fread(text, 1, FILE_BYTES - 1, stream);
	text[used] = '\0';
	fclose(stream);
	return true;
}

static const struct explain_code *find_code(const struct explain *result, const char *code)
{
	for (size_t i = 0; i < result->code_count; i++)
		if (strcmp(result->codes[i].rule->code, code) == 0)
			return &result->codes[i];
	return NULL;
}

static const char *level_name(enum verdict level)
{
	static const char *const names[] = { "PASS", "WARN", "FAIL", "UNKNOWN" };

	return names[level];
}

static bool is_in_list(const char *list, const char *item, size_t length)
{
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == length && strncmp(at, item, length) == 0)
			return true;
	return false;
}

/* As text, without regard to the order of a list; numbers within 1 %. */
static bool same_value(const char *got, const char *wanted)
{
	char *got_end, *wanted_end;
	double a = strtod(got, &got_end), b = strtod(wanted, &wanted_end);

	if (*got && *wanted && !*got_end && !*wanted_end)
		return fabs(a - b) <= 0.01 * fabs(b);
	if (strlen(got) != strlen(wanted))
		return false;
	for (const char *at = wanted; *at; at += strcspn(at, ","), at += *at == ',')
		if (!is_in_list(got, at, strcspn(at, ",")))
			return false;
	return true;
}

static void check_fact(
	const char *name, const struct explain *result, const char *key, const char *wanted)
{
	char detail[1024];

	for (size_t i = 0; i < result->fact_count; i++) {
		if (strcmp(result->facts[i].name, key) != 0)
			continue;
		if (same_value(result->facts[i].value, wanted))
			return;
		snprintf(detail, sizeof(detail), "%s is %s, wanted %s", key,
			result->facts[i].value, wanted);
		complain(name, "fact", detail);
		return;
	}
	complain(name, "no fact", key);
}

static void check_codes(const char *name, const struct explain *result, char *list, bool wanted)
{
	for (char *code; (code = strsep(&list, ","));) {
		const struct explain_code *found = find_code(result, code);

		if (wanted && !found)
			complain(name, "does not report", code);
		else if (!wanted && found)
			complain(name, "reports wrongly", code);
	}
}

/* A code's own level where one is given, else the verdict. */
static void check_levels(const char *name, const struct explain *result, const char *expected,
	const char *verdict)
{
	static char copy[FILE_BYTES];
	char *rest = copy;

	snprintf(copy, sizeof(copy), "%s", expected);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *list = line + 5;

		if (strncmp(line, "code=", 5) != 0)
			continue;
		for (char *code; (code = strsep(&list, ","));) {
			const struct explain_code *found = find_code(result, code);
			char key[128], *own;
			const char *wanted = verdict;
			size_t length;

			snprintf(key, sizeof(key), "\nlevel.%s=", code);
			own = strstr(expected, key);
			if (own)
				wanted = own + strlen(key);
			length = strcspn(wanted, "\n");
			if (found &&
				(strlen(level_name(found->level)) != length ||
					strncmp(level_name(found->level), wanted, length) != 0))
				complain(name, "has the wrong level:", code);
		}
	}
}

static void check_expected(const char *name, const struct explain *result, char *expected)
{
	static char copy[FILE_BYTES];
	char verdict[16] = "";
	char *rest = expected;

	snprintf(copy, sizeof(copy), "%s", expected);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (strcmp(line, "verdict") == 0) {
			snprintf(verdict, sizeof(verdict), "%s", value);
			if (strcmp(level_name(result->verdict), value) != 0)
				complain(name, "verdict is", level_name(result->verdict));
		} else if (strcmp(line, "code") == 0) {
			check_codes(name, result, value, true);
		} else if (strcmp(line, "not_code") == 0) {
			check_codes(name, result, value, false);
		} else if (strncmp(line, "fact.", 5) == 0) {
			check_fact(name, result, line + 5, value);
		}
	}
	if (*verdict)
		check_levels(name, result, copy, verdict);
}

static void check_says(const char *name, const struct explain *result, char *says)
{
	char *rest = says;

	for (char *phrase; (phrase = strsep(&rest, "\n"));) {
		bool said = !*phrase;

		for (size_t i = 0; i < result->code_count; i++)
			said = said || strcasestr(result->codes[i].advice, phrase);
		if (!said)
			complain(name, "its advice does not say", phrase);
	}
}

static void remember(const struct rule **rules, size_t *count, const struct rule *rule)
{
	for (size_t i = 0; i < *count; i++)
		if (rules[i] == rule)
			return;
	if (*count < RULES_MAX)
		rules[(*count)++] = rule;
}

static void run(const char *folder, const char *name)
{
	static char input[FILE_BYTES], expected[FILE_BYTES], says[FILE_BYTES];
	struct bundle bundle = BUNDLE_INIT;
	struct explain result = EXPLAIN_INIT;
	struct facts facts;
	struct diag diag;
	size_t unknown = 0;

	facts_init(&facts);
	if (!read_text(folder, name, "expected.txt", expected))
		return;
	if (read_text(folder, name, "facts.json", input)) {
		if (facts_read(&facts, input, strlen(input), NULL, &unknown, &diag))
			complain(name, "cannot be read:", diag.text);
		if (unknown > 0)
			complain(name, "has a key that nobody knows:", input);
		settings_add(&facts, &facts);
	} else if (read_text(folder, name, "input.txt", input)) {
		if (bundle_add(&bundle, name, input, strlen(input), &diag))
			complain(name, "cannot be read:", diag.text);
		parse_bundle(&facts, &bundle);
	} else {
		return;
	}
	cases++;
	explain_facts(&facts, &result);
	check_expected(name, &result, expected);
	if (read_text(folder, name, "says.txt", says))
		check_says(name, &result, says);
	for (size_t i = 0; i < result.code_count; i++)
		remember(fired, &fired_count, result.codes[i].rule);
	for (size_t i = 0; i < result.clear_count; i++)
		remember(cleared, &cleared_count, result.clear[i]);
	explain_free(&result);
	facts_free(&facts);
	bundle_free(&bundle);
}

static bool is_known(const struct rule *const *rules, size_t count, const struct rule *rule)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i] == rule)
			return true;
	return false;
}

static void check_coverage(void)
{
	const struct rule *rules;

	for (size_t i = 0; (rules = rules_family(i)); i++)
		for (const struct rule *rule = rules; rule->code; rule++) {
			if (!is_known(fired, fired_count, rule))
				complain(rule->code, "no case", "fires it");
			if (!is_known(cleared, cleared_count, rule))
				complain(rule->code, "no case", "has its facts and clears it");
		}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct dirent **entries;
		int count = scandir(argv[i], &entries, NULL, alphasort);

		if (count < 0) {
			perror(argv[i]);
			return 2;
		}
		for (int k = 0; k < count; k++) {
			if (entries[k]->d_name[0] != '.')
				run(argv[i], entries[k]->d_name);
			free(entries[k]);
		}
		free(entries);
	}
	if (argc > 2)
		check_coverage();
	printf("%d cases, %d complaints\n", cases, bad);
	return bad > 0 || cases == 0;
}
