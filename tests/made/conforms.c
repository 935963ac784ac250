/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conforms SCHEMA DOCUMENT...: whether JSON documents keep to a JSON Schema, of
 * which this knows the keywords that docs/report.schema.json uses and refuses all
 * others. A key that the schema does not name is an error here, though readers
 * have to bear it: so the schema cannot fall behind the program.
 *
 * Our own, since Debian's python3-jsonschema would be a dependency for this alone.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"

struct checking {
	const struct json *root; /* of the schema */
	const char *document;
	bool failed;
};

static void check(struct checking *checking, const struct json *schema,
	const struct json *value, const char *path);

static void refuse(
	struct checking *checking, const char *path, const char *why, const char *what)
{
	fprintf(stderr, "%s: %s: %s %s\n", checking->document, path, why, what);
	checking->failed = true;
}

static bool is_null(const struct json *value)
{
	double number;
	bool truth;

	return !json_is_object(value) && !json_is_array(value) && !json_text(value) &&
	       !json_number(value, &number) && !json_bool(value, &truth);
}

static bool is_type(const struct json *value, const char *type)
{
	int64_t whole;
	double number;
	bool truth;

	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	if (strcmp(type, "array") == 0)
		return json_is_array(value);
	if (strcmp(type, "string") == 0)
		return json_text(value);
	if (strcmp(type, "integer") == 0)
		return json_int(value, &whole);
	if (strcmp(type, "number") == 0)
		return json_number(value, &number);
	if (strcmp(type, "boolean") == 0)
		return json_bool(value, &truth);
	return strcmp(type, "null") == 0 && is_null(value);
}

static bool same(const struct json *a, const struct json *b)
{
	double left, right;

	if (json_text(a) && json_text(b))
		return strcmp(json_text(a), json_text(b)) == 0;
	if (json_number(a, &left) && json_number(b, &right))
		return left >= right && left <= right;
	return is_null(a) && is_null(b);
}

static void check_type(struct checking *checking, const struct json *types,
	const struct json *value, const char *path)
{
	bool fits = json_text(types) && is_type(value, json_text(types));

	for (size_t i = 0; i < json_count(types); i++)
		fits |= is_type(value, json_text(json_at(types, i)));
	if (!fits)
		refuse(checking, path, "has a type that is not allowed", "");
}

static void check_enum(struct checking *checking, const struct json *allowed,
	const struct json *value, const char *path)
{
	bool fits = false;

	for (size_t i = 0; i < json_count(allowed); i++)
		fits |= same(json_at(allowed, i), value);
	if (!fits)
		refuse(checking, path, "is not one of the allowed values:",
			json_text(value) ? json_text(value) : "not a text");
}

static void check_required(struct checking *checking, const struct json *keys,
	const struct json *value, const char *path)
{
	for (size_t i = 0; json_is_object(value) && i < json_count(keys); i++)
		if (!json_get(value, json_text(json_at(keys, i))))
			refuse(checking, path, "lacks", json_text(json_at(keys, i)));
}

static void check_properties(struct checking *checking, const struct json *properties,
	const struct json *value, const char *path)
{
	const struct json *member;
	void *at = NULL;
	const char *key;
	char below[512];

	while (json_is_object(value) && json_next(value, &at, &key, &member)) {
		snprintf(below, sizeof(below), "%s.%s", path, key);
		if (json_get(properties, key))
			check(checking, json_get(properties, key), member, below);
		else
			refuse(checking, below, "is not in the schema", "");
	}
}

static void check_items(struct checking *checking, const struct json *schema,
	const struct json *value, const char *path)
{
	char below[512];

	for (size_t i = 0; json_is_array(value) && i < json_count(value); i++) {
		snprintf(below, sizeof(below), "%s[%zu]", path, i);
		check(checking, schema, json_at(value, i), below);
	}
}

static void check_minimum(struct checking *checking, const struct json *minimum,
	const struct json *value, const char *path)
{
	double least, number;

	if (json_number(minimum, &least) && json_number(value, &number) && number < least)
		refuse(checking, path, "is below the minimum", "");
}

static void check_const(struct checking *checking, const struct json *constant,
	const struct json *value, const char *path)
{
	if (!same(constant, value))
		refuse(checking, path, "is not the constant of the schema", "");
}

static void check_ref(struct checking *checking, const struct json *ref,
	const struct json *value, const char *path)
{
	static const char defs[] = "#/$defs/";
	const char *name = json_text(ref);
	const struct json *schema = NULL;

	if (name && strncmp(name, defs, strlen(defs)) == 0)
		schema = json_get(json_get(checking->root, "$defs"), name + strlen(defs));
	if (schema)
		check(checking, schema, value, path);
	else
		refuse(checking, path, "refers to nothing:", name ? name : "not a text");
}

static void ignore(struct checking *checking, const struct json *keyword,
	const struct json *value, const char *path)
{
	(void)checking;
	(void)keyword;
	(void)value;
	(void)path;
}

static const struct keyword {
	const char *name;
	void (*check)(struct checking *checking, const struct json *keyword,
		const struct json *value, const char *path);
} keywords[] = {
	{ "$defs", ignore },
	{ "$ref", check_ref },
	{ "$schema", ignore },
	{ "const", check_const },
	{ "description", ignore },
	{ "enum", check_enum },
	{ "items", check_items },
	{ "minimum", check_minimum },
	{ "properties", check_properties },
	{ "required", check_required },
	{ "title", ignore },
	{ "type", check_type },
};

static void check(struct checking *checking, const struct json *schema,
	const struct json *value, const char *path)
{
	const struct json *rule;
	void *at = NULL;
	const char *key;

	while (json_next(schema, &at, &key, &rule)) {
		size_t i = 0;

		while (i < COUNT_OF(keywords) && strcmp(keywords[i].name, key) != 0)
			i++;
		if (i < COUNT_OF(keywords))
			keywords[i].check(checking, rule, value, path);
		else
			refuse(checking, path, "has a rule that is not known here:", key);
	}
}

static struct json *load(const char *path)
{
	static char text[16 << 20];
	struct json *root = NULL;
	struct diag diag;
	FILE *in = fopen(path, "r");
	size_t bytes;

	if (!in) {
		perror(path);
		exit(2);
	}
	bytes = fread(text, 1, sizeof(text), in);
	fclose(in);
	if (json_parse(&root, text, bytes, &diag)) {
		fprintf(stderr, "%s: %s\n", path, diag.text);
		exit(2);
	}
	return root;
}

int main(int argc, char **argv)
{
	struct json *schema, *document;
	bool failed = argc < 3;

	if (failed)
		return 2;
	schema = load(argv[1]);
	for (int i = 2; i < argc; i++) {
		struct checking checking = { schema, argv[i], false };

		document = load(argv[i]);
		check(&checking, schema, document, "$");
		failed |= checking.failed;
		json_free(document);
	}
	json_free(schema);
	return failed;
}
