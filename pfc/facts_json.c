/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/facts_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/json.h"
#include "pfc/counter_table.h"

#define SCHEMA "weft-facts"

static void put_text(struct json *object, const char *key, const char *text)
{
	if (*text)
		json_put_text(object, key, text);
}

/* Whole numbers as such: counters keep all their digits up to 2^53. */
static void put_number(struct json *object, const char *key, double number)
{
	if (fabs(number) < 9e15 && number == floor(number))
		json_put_i64(object, key, (int64_t)number);
	else
		json_put_double(object, key, number);
}

static void put_fact(struct json *array, const struct fact *fact)
{
	struct json *object = json_add_object(array);

	json_put_text(object, "key", fact_key_id(fact->key));
	put_text(object, "place", fact->place);
	put_text(object, "subject", fact->subject);
	put_text(object, "name", fact->name);
	put_text(object, "text", fact->text);
	put_text(object, "extra", fact->extra);
	if (fact->has_number)
		put_number(object, "number", fact->number);
	if (fact->more != 0)
		put_number(object, "more", fact->more);
	if (fact->window_s > 0)
		json_put_double(object, "window_s", fact->window_s);
	put_text(object, "source", fact->source);
}

int facts_write(FILE *out, const struct facts *facts)
{
	struct json *root = json_new_object(), *array;
	int err;

	json_put_text(root, "schema", SCHEMA);
	json_put_u64(root, "version", FACTS_JSON_VERSION);
	if (facts->dropped > 0)
		json_put_u64(root, "dropped", facts->dropped);
	array = json_put_array(root, "facts");
	for (size_t i = 0; i < facts->count; i++)
		put_fact(array, &facts->items[i]);
	err = json_write(out, root);
	json_free(root);
	return err;
}

static const char *text_of(const struct json *object, const char *key)
{
	const char *text = json_text(json_get(object, key));

	return text ? text : "";
}

static void take_fact(
	struct facts *facts, const struct json *object, enum fact_key key, const char *place)
{
	struct fact *fact = facts_add(facts, key, place ? place : text_of(object, "place"),
		text_of(object, "subject"), text_of(object, "name"), text_of(object, "text"));
	int priority = -1;
	const struct counter_row *row =
		key == FACT_COUNTER ? counter_find(fact->name, &priority) : NULL;

	fact->extra = facts_keep(facts, text_of(object, "extra"));
	fact->source = facts_keep(facts, text_of(object, "source"));
	fact->has_number = json_number(json_get(object, "number"), &fact->number);
	json_number(json_get(object, "more"), &fact->more);
	json_number(json_get(object, "window_s"), &fact->window_s);
	fact->line = (uint32_t)facts->count;
	fact->means = (short)(row ? row->means : MEANS_NOTHING);
	fact->priority = (short)priority;
}

static int check_schema(const struct json *root, struct diag *diag)
{
	const char *schema = json_text(json_get(root, "schema"));
	int64_t version = 0;

	if (!schema || strcmp(schema, SCHEMA) != 0)
		return diag_error(diag, -EINVAL,
			"no facts: expected \"schema\": \"" SCHEMA
			"\" as weft doctor --facts writes it");
	if (!json_int(json_get(root, "version"), &version) || version < 1 ||
		version > FACTS_JSON_VERSION)
		return diag_error(diag, -EINVAL,
			"facts of version %lld: this program reads up to version %d",
			(long long)version, FACTS_JSON_VERSION);
	if (!json_is_array(json_get(root, "facts")))
		return diag_error(diag, -EINVAL, "no facts: expected an array \"facts\"");
	return 0;
}

int facts_read(struct facts *facts, const char *text, size_t bytes, const char *place,
	size_t *unknown, struct diag *diag)
{
	const struct json *list;
	struct json *root;
	int64_t dropped = 0;
	int err = json_parse(&root, text, bytes, diag);

	if (err)
		return err;
	err = check_schema(root, diag);
	list = json_get(root, "facts");
	*unknown = 0;
	for (size_t i = 0; !err && i < json_count(list); i++) {
		const struct json *object = json_at(list, i);
		enum fact_key key = fact_key_find(text_of(object, "key"));

		if (key == FACT_KEYS)
			++*unknown;
		else
			take_fact(facts, object, key, place);
	}
	if (!err && json_int(json_get(root, "dropped"), &dropped) && dropped > 0)
		facts->dropped += (size_t)dropped;
	json_free(root);
	return err;
}
