/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cyaml/cyaml.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/utf8.h"
#include "lib/yaml_marks.h"

static const cyaml_config_t config = {
	.mem_fn = cyaml_mem,
	.log_level = CYAML_LOG_ERROR,
	.flags = CYAML_CFG_NO_ALIAS,
};

/* The schema of libcyaml, made from the table: entries of lists need a home that
 * outlives the call, so all parts are kept in lists of their own. */
struct schema {
	cyaml_schema_value_t top;
	void **parts;
	size_t count, room;
};

static void *part(struct schema *schema, size_t count, size_t bytes)
{
	schema->parts = grow(schema->parts, schema->count, &schema->room, sizeof(void *));
	schema->parts[schema->count] = zeroed(count, bytes);
	return schema->parts[schema->count++];
}

static void schema_free(struct schema *schema)
{
	for (size_t i = 0; i < schema->count; i++)
		free(schema->parts[i]);
	free(schema->parts);
}

static const cyaml_schema_field_t *make_fields(
	struct schema *schema, const struct yaml_key *keys);

static cyaml_schema_value_t make_value(struct schema *schema, const struct yaml_key *key)
{
	cyaml_schema_value_t value = { .flags = CYAML_FLAG_POINTER_NULL_STR };
	cyaml_schema_value_t *entry;

	if (key->kind == YAML_MAP) {
		value.type = CYAML_MAPPING;
		value.data_size = (uint32_t)key->bytes;
		value.mapping.fields = make_fields(schema, key->keys);
	} else if (key->kind == YAML_LIST) {
		entry = part(schema, 1, sizeof(*entry));
		entry->type = CYAML_MAPPING;
		entry->data_size = (uint32_t)key->bytes;
		entry->mapping.fields = make_fields(schema, key->keys);
		value.type = CYAML_SEQUENCE;
		value.data_size = (uint32_t)key->bytes;
		value.sequence.entry = entry;
		value.sequence.max = (uint32_t)key->max;
	} else {
		value.flags = CYAML_FLAG_POINTER;
		value.type = CYAML_STRING;
		value.data_size = sizeof(char);
		value.string.max = UINT32_MAX;
	}
	return value;
}

static const cyaml_schema_field_t *make_fields(
	struct schema *schema, const struct yaml_key *keys)
{
	cyaml_schema_field_t *fields;
	size_t count = 0;

	while (keys[count].kind != YAML_END)
		count++;
	fields = part(schema, count + 1, sizeof(*fields));
	for (size_t i = 0; i < count; i++) {
		fields[i].key = keys[i].name;
		fields[i].data_offset = (uint32_t)keys[i].offset;
		if (keys[i].kind == YAML_LIST) {
			fields[i].count_offset = (uint32_t)keys[i].count_offset;
			fields[i].count_size = sizeof(unsigned);
		}
		fields[i].value = make_value(schema, &keys[i]);
		fields[i].value.flags |= CYAML_FLAG_OPTIONAL;
	}
	return fields;
}

static void schema_init(struct schema *schema, const struct yaml_key *keys, size_t doc_bytes)
{
	*schema = (struct schema){ .parts = NULL };
	schema->top = (cyaml_schema_value_t){
		.type = CYAML_MAPPING,
		.flags = CYAML_FLAG_POINTER,
		.data_size = (uint32_t)doc_bytes,
	};
	schema->top.mapping.fields = make_fields(schema, keys);
}

static void **pointer_at(char *map, size_t offset)
{
	return (void **)(void *)(map + offset);
}

/* Gives each map of the table its struct, where the file did not. */
static void fill_maps(const struct yaml_key *keys, char *map)
{
	for (; keys->kind != YAML_END; keys++) {
		if (keys->kind != YAML_MAP)
			continue;
		if (!*pointer_at(map, keys->offset))
			*pointer_at(map, keys->offset) = zeroed(1, keys->bytes);
		fill_maps(keys->keys, *pointer_at(map, keys->offset));
	}
}

/* Writes line and number of each mark into the structs that libcyaml made, and
 * returns the mark behind the map's end. */
static const struct yaml_mark *place_marks(
	const struct yaml_mark *mark, const struct yaml_key *keys, char *map)
{
	fill_maps(keys, map);
	while (mark->kind != MARK_END) {
		const struct yaml_key *key = mark->key;

		if (mark->kind == MARK_VALUE) {
			struct yaml_value *value = (void *)(map + key->offset);

			value->line = mark->line;
			value->number = mark->number;
			mark++;
		} else if (mark->kind == MARK_MAP) {
			mark = place_marks(mark + 1, key->keys, *pointer_at(map, key->offset));
		} else {
			char *item = *pointer_at(map, key->offset);

			for (mark++; mark->kind == MARK_ITEM; item += key->bytes) {
				*(uint32_t *)(void *)item = mark->line;
				mark = place_marks(mark + 1, key->keys, item);
			}
			mark++;
		}
	}
	return mark + 1;
}

static uint32_t line_at(const char *text, size_t offset)
{
	uint32_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* The offset of the first byte that no text file holds, or bytes. */
static size_t first_control(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
			return i;
	}
	return bytes;
}

static size_t first_indenting_tab(const char *text, size_t bytes)
{
	bool indent = true;

	for (size_t i = 0; i < bytes; i++) {
		if (indent && text[i] == '\t')
			return i;
		indent = text[i] == '\n' || (indent && text[i] == ' ');
	}
	return bytes;
}

static int check_text(const char *name, const char *text, size_t bytes, struct diag *diag)
{
	size_t at;

	if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return diag_error(diag, -EINVAL,
			"%s:1: begins with a byte order mark: save it as UTF-8 without one",
			name);
	at = first_control(text, bytes);
	if (at < bytes)
		return diag_error(diag, -EINVAL,
			"%s:%u: byte 0x%02x, not a text file: expected YAML in UTF-8", name,
			line_at(text, at), (unsigned char)text[at]);
	at = utf8_valid_until(text, bytes);
	if (at < bytes)
		return diag_error(diag, -EINVAL,
			"%s:%u: byte 0x%02x is not UTF-8: expected YAML in UTF-8", name,
			line_at(text, at), (unsigned char)text[at]);
	at = first_indenting_tab(text, bytes);
	if (at < bytes)
		return diag_error(diag, -EINVAL,
			"%s:%u: a tab in the indentation: expected spaces", name,
			line_at(text, at));
	return 0;
}

int yaml_doc_load(const struct yaml_key *keys, size_t doc_bytes, const char *name,
	const char *text, size_t bytes, void **doc, struct diag *diag)
{
	struct yaml_mark *marks = NULL;
	struct schema schema;
	cyaml_data_t *data = NULL;
	cyaml_err_t failed;
	size_t count;
	int err = check_text(name, text, bytes, diag);

	if (!err)
		err = yaml_marks_read(keys, name, text, bytes, &marks, &count, diag);
	if (err)
		return err;
	schema_init(&schema, keys, doc_bytes);
	failed = cyaml_load_data(
		(const uint8_t *)text, bytes, &config, &schema.top, &data, NULL);
	schema_free(&schema);
	if (failed)
		err = diag_error(diag, -EINVAL, "%s: not taken by libcyaml: %s", name,
			cyaml_strerror(failed));
	else
		place_marks(marks, keys, data);
	free(marks);
	if (!err)
		*doc = data;
	return err;
}

void yaml_doc_free(const struct yaml_key *keys, size_t doc_bytes, void *doc)
{
	struct schema schema;

	if (!doc)
		return;
	schema_init(&schema, keys, doc_bytes);
	cyaml_free(&config, &schema.top, doc, 0);
	schema_free(&schema);
}
