/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/yaml_marks.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/utf8.h"
#include "lib/units.h"
#include "lib/yaml_value.h"

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	const char *name;
	struct yaml_mark *marks;
	size_t count, room;
	struct diag *diag;
};

/* The keys down to a value, for messages. */
struct path {
	const struct path *parent;
	const char *key;
};

static void print_path(const struct path *path, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	if (!path)
		return;
	print_path(path->parent, text, size);
	used = strlen(text);
	snprintf(text + used, size - used, "%s%s", used ? "." : "", path->key);
}

static uint32_t line_of(const struct reader *reader)
{
	return (uint32_t)reader->event.start_mark.line + 1;
}

static int refuse_at(
	struct reader *reader, uint32_t line, const struct path *path, const char *sentence)
{
	char keys[128];

	print_path(path, keys, sizeof(keys));
	return diag_error(reader->diag, -EINVAL, "%s:%u: %s%s%s", reader->name, line, keys,
		path ? ": " : "", sentence);
}

static int refuse(struct reader *reader, const struct path *path, const char *sentence)
{
	return refuse_at(reader, line_of(reader), path, sentence);
}

static int bad_syntax(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;

	return diag_error(reader->diag, -EINVAL,
		"%s:%zu: not YAML: %s: expected \"key: value\" lines, indented by spaces",
		reader->name, parser->problem_mark.line + 1,
		parser->problem ? parser->problem : "cannot be read");
}

/* The next event in reader->event; what no fabric needs is refused here. */
static int next(struct reader *reader, const struct path *path)
{
	const yaml_event_t *event = &reader->event;
	const yaml_char_t *anchor = NULL, *tag = NULL;

	yaml_event_delete(&reader->event);
	if (!yaml_parser_parse(&reader->parser, &reader->event))
		return bad_syntax(reader);
	if (event->type == YAML_ALIAS_EVENT)
		return refuse(
			reader, path, "an alias (*name) is not taken: write the value out");
	if (event->type == YAML_SCALAR_EVENT) {
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
	}
	if (anchor)
		return refuse(
			reader, path, "an anchor (&name) is not taken: write the value out");
	if (tag)
		return refuse(
			reader, path, "a tag (!name) is not taken: write the value alone");
	return 0;
}

static int add_mark(struct reader *reader, enum yaml_mark_kind kind, const struct yaml_key *key,
	uint64_t number)
{
	if (reader->count >= 2 * (size_t)YAML_VALUES_MAX)
		return diag_error(reader->diag, -EINVAL,
			"%s:%u: more than %u values: expected fewer", reader->name,
			line_of(reader), YAML_VALUES_MAX);
	reader->marks =
		grow(reader->marks, reader->count, &reader->room, sizeof(*reader->marks));
	reader->marks[reader->count++] = (struct yaml_mark){
		.kind = kind, .line = line_of(reader), .key = key, .number = number
	};
	return 0;
}

static const struct yaml_key *find_key(
	const struct yaml_key *keys, const char *text, size_t size)
{
	for (; keys->kind != YAML_END; keys++)
		if (strlen(keys->name) == size && memcmp(keys->name, text, size) == 0)
			return keys;
	return NULL;
}

/* An anchor behind the key is the greater fault, and is said first. */
static int unknown_key(struct reader *reader, const struct path *path,
	const struct yaml_key *keys, const char *text)
{
	char shown[UTF8_CLIP], hint[256], sentence[384];
	uint32_t line = line_of(reader);
	int err;

	utf8_clip(text, shown);
	yaml_key_hint(keys, text, hint, sizeof(hint));
	snprintf(sentence, sizeof(sentence), "unknown key \"%s\": %s", shown, hint);
	err = next(reader, path);
	return err ? err : refuse_at(reader, line, path, sentence);
}

static int read_map(
	struct reader *reader, const struct path *path, const struct yaml_key *keys);

static int read_scalar(
	struct reader *reader, const struct path *path, const struct yaml_key *key)
{
	const char *text = (const char *)reader->event.data.scalar.value;
	size_t size = reader->event.data.scalar.length;
	char sentence[256];
	uint64_t number;

	if (reader->event.type != YAML_SCALAR_EVENT)
		return refuse(reader, path,
			reader->event.type == YAML_MAPPING_START_EVENT
				? "a block of keys: expected one value"
				: "a list: expected one value");
	if (strlen(text) != size || utf8_has_control(text))
		return refuse(
			reader, path, "a control character in the value: expected plain text");
	if (yaml_value_parse(key, text, &number, sentence, sizeof(sentence)))
		return refuse(reader, path, sentence);
	return add_mark(reader, MARK_VALUE, key, number);
}

static int too_long(struct reader *reader, const struct path *path, uint64_t max)
{
	char sentence[96];

	snprintf(sentence, sizeof(sentence), "more than %" PRIu64 " entries: expected fewer",
		max);
	return refuse(reader, path, sentence);
}

static int read_list(struct reader *reader, const struct path *path, const struct yaml_key *key)
{
	int err = add_mark(reader, MARK_LIST, key, 0);

	for (uint64_t count = 0; !err; count++) {
		err = next(reader, path);
		if (err)
			return err;
		if (reader->event.type == YAML_SEQUENCE_END_EVENT)
			return add_mark(reader, MARK_END, key, 0);
		if (reader->event.type != YAML_MAPPING_START_EVENT)
			return refuse(reader, path,
				"an entry that is not a block of keys: expected \"- key: "
				"value\"");
		if (count == key->max)
			return too_long(reader, path, key->max);
		err = add_mark(reader, MARK_ITEM, key, 0);
		if (!err)
			err = read_map(reader, path, key->keys);
	}
	return err;
}

/* "faults:" with all of its lines commented out is a list of none. */
static bool is_empty(const yaml_event_t *event)
{
	return event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0 &&
	       event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static int read_value(
	struct reader *reader, const struct path *path, const struct yaml_key *key)
{
	int err;

	switch (key->kind) {
	case YAML_MAP:
		if (is_empty(&reader->event))
			return 0;
		if (reader->event.type != YAML_MAPPING_START_EVENT)
			return refuse(
				reader, path, "one value or a list: expected a block of keys");
		err = add_mark(reader, MARK_MAP, key, 0);
		return err ? err : read_map(reader, path, key->keys);
	case YAML_LIST:
		if (is_empty(&reader->event))
			return 0;
		if (reader->event.type != YAML_SEQUENCE_START_EVENT)
			return refuse(reader, path,
				"not a list: expected entries that begin with \"- \"");
		return read_list(reader, path, key);
	case YAML_END:
	case YAML_QUANTITY:
	case YAML_BOOL:
	case YAML_CHOICE:
	case YAML_TEXT:
		break;
	}
	return read_scalar(reader, path, key);
}

static int read_map(struct reader *reader, const struct path *path, const struct yaml_key *keys)
{
	uint64_t seen = 0;

	for (;;) {
		const struct yaml_key *key;
		struct path here = { path, NULL };
		int err = next(reader, path);

		if (err)
			return err;
		if (reader->event.type == YAML_MAPPING_END_EVENT)
			return add_mark(reader, MARK_END, NULL, 0);
		if (reader->event.type != YAML_SCALAR_EVENT)
			return refuse(reader, path,
				"a key that is not a word: expected \"key: value\"");
		key = find_key(keys, (const char *)reader->event.data.scalar.value,
			reader->event.data.scalar.length);
		if (!key)
			return unknown_key(reader, path, keys,
				(const char *)reader->event.data.scalar.value);
		assert(key - keys < 64);
		here.key = key->name;
		if (seen & UINT64_C(1) << (key - keys))
			return refuse(reader, &here, "given twice: expected it once");
		seen |= UINT64_C(1) << (key - keys);
		err = next(reader, &here);
		if (!err)
			err = read_value(reader, &here, key);
		if (err)
			return err;
	}
}

static int read_document(struct reader *reader, const struct yaml_key *keys)
{
	int err = next(reader, NULL); /* stream start */

	if (!err)
		err = next(reader, NULL);
	if (err)
		return err;
	if (reader->event.type == YAML_STREAM_END_EVENT)
		return refuse(reader, NULL, "an empty file: expected \"key: value\" lines");
	err = next(reader, NULL);
	if (err)
		return err;
	if (reader->event.type != YAML_MAPPING_START_EVENT)
		return refuse(
			reader, NULL, "not a block of keys: expected \"key: value\" lines");
	err = read_map(reader, NULL, keys);
	if (!err)
		err = next(reader, NULL); /* document end */
	if (!err)
		err = next(reader, NULL);
	if (!err && reader->event.type != YAML_STREAM_END_EVENT)
		return refuse(reader, NULL, "a second document: expected one in a file");
	return err;
}

int yaml_marks_read(const struct yaml_key *keys, const char *name, const char *text,
	size_t bytes, struct yaml_mark **marks, size_t *count, struct diag *diag)
{
	struct reader reader = { .name = name, .diag = diag };
	int err;

	if (!yaml_parser_initialize(&reader.parser))
		return diag_error(diag, -ENOMEM, "%s: out of memory", name);
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, bytes);
	err = read_document(&reader, keys);
	yaml_event_delete(&reader.event);
	yaml_parser_delete(&reader.parser);
	if (err) {
		free(reader.marks);
		return err;
	}
	*marks = reader.marks;
	*count = reader.count;
	return 0;
}
