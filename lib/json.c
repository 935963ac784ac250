/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/json.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/utf8.h"

#undef json_is_object /* macros of jansson, functions of ours */
#undef json_is_array

/* The 12 digits of json_put_double() and room for what binary leaves behind: a
 * number that was rounded to 12 prints as those 12 with 15. */
#define DIGITS_KEPT 12
#define DIGITS_PRINTED 15
#define DEPTH_MAX 200 /* of a document that is read */

static json_t *in(struct json *value)
{
	return (json_t *)value;
}

static const json_t *in_const(const struct json *value)
{
	return (const json_t *)value;
}

static struct json *out(json_t *value)
{
	if (!value)
		out_of_memory();
	return (struct json *)value;
}

/* --- building --- */

struct json *json_new_object(void)
{
	return out(json_object());
}

struct json *json_new_array(void)
{
	return out(json_array());
}

void json_free(struct json *root)
{
	json_decref(in(root));
}

/* How many bytes the UTF-8 character at text takes; 0 when it is none (RFC 3629:
 * no overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_bytes(const unsigned char *text)
{
	unsigned char first = text[0];
	unsigned char least = 0x80, most = 0xbf;
	size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	if (first == 0xe0)
		least = 0xa0;
	if (first == 0xed)
		most = 0x9f;
	if (first == 0xf0)
		least = 0x90;
	if (first == 0xf4)
		most = 0x8f;
	if (text[1] < least || text[1] > most)
		return 0;
	for (size_t i = 2; i < bytes; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return bytes;
}

/* A copy in which every stray byte is U+FFFD; the caller's to free. */
static char *clean(const char *text)
{
	char *copy = zeroed(3 * strlen(text) + 1, 1), *to = copy;

	while (*text) {
		size_t bytes = utf8_bytes((const unsigned char *)text);

		if (bytes)
			memcpy(to, text, bytes);
		else
			memcpy(to, "\xef\xbf\xbd", 3);
		to += bytes ? bytes : 3;
		text += bytes ? bytes : 1;
	}
	return copy;
}

static json_t *text_value(const char *text)
{
	json_t *value;
	char *copy;

	if (!text)
		return json_null();
	copy = clean(text);
	value = json_string(copy);
	free(copy);
	return value;
}

static json_t *double_value(double value)
{
	char digits[32];

	if (!isfinite(value))
		return json_null();
	snprintf(digits, sizeof(digits), "%.*g", DIGITS_KEPT, value);
	value = strtod(digits, NULL);
	return json_real(value == 0 ? 0 : value); /* not -0.0 */
}

static json_t *u64_value(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static struct json *put(struct json *object, const char *key, json_t *value)
{
	char *copy = clean(key);

	assert(json_typeof(in(object)) == JSON_OBJECT);
	if (!value || json_object_set_new(in(object), copy, value))
		out_of_memory();
	free(copy);
	return (struct json *)value;
}

static struct json *add(struct json *array, json_t *value)
{
	assert(json_typeof(in(array)) == JSON_ARRAY);
	if (!value || json_array_append_new(in(array), value))
		out_of_memory();
	return (struct json *)value;
}

void json_put_null(struct json *object, const char *key)
{
	put(object, key, json_null());
}

void json_put_bool(struct json *object, const char *key, bool value)
{
	put(object, key, json_boolean(value));
}

void json_put_u64(struct json *object, const char *key, uint64_t value)
{
	put(object, key, u64_value(value));
}

void json_put_i64(struct json *object, const char *key, int64_t value)
{
	put(object, key, json_integer(value));
}

void json_put_double(struct json *object, const char *key, double value)
{
	put(object, key, double_value(value));
}

void json_put_text(struct json *object, const char *key, const char *text)
{
	put(object, key, text_value(text));
}

struct json *json_put_object(struct json *object, const char *key)
{
	return put(object, key, json_object());
}

struct json *json_put_array(struct json *object, const char *key)
{
	return put(object, key, json_array());
}

void json_add_null(struct json *array)
{
	add(array, json_null());
}

void json_add_bool(struct json *array, bool value)
{
	add(array, json_boolean(value));
}

void json_add_u64(struct json *array, uint64_t value)
{
	add(array, u64_value(value));
}

void json_add_i64(struct json *array, int64_t value)
{
	add(array, json_integer(value));
}

void json_add_double(struct json *array, double value)
{
	add(array, double_value(value));
}

void json_add_text(struct json *array, const char *text)
{
	add(array, text_value(text));
}

struct json *json_add_object(struct json *array)
{
	return add(array, json_object());
}

struct json *json_add_array(struct json *array)
{
	return add(array, json_array());
}

int json_write(FILE *stream, const struct json *root)
{
	errno = 0;
	if (json_dumpf(in_const(root), stream,
		    JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS_PRINTED) | JSON_ENCODE_ANY) ||
		fputc('\n', stream) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}

/* A '<' can stand in texts only, and there \u003c means the same. */
static int write_without_tags(const char *text, size_t bytes, void *stream)
{
	size_t from = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (text[i] != '<')
			continue;
		fwrite(text + from, 1, i - from, stream);
		fputs("\\u003c", stream);
		from = i + 1;
	}
	fwrite(text + from, 1, bytes - from, stream);
	return ferror((FILE *)stream) ? -1 : 0;
}

int json_write_inline(FILE *stream, const struct json *root)
{
	errno = 0;
	if (json_dump_callback(in_const(root), write_without_tags, stream,
		    JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS_PRINTED)))
		return errno ? -errno : -EIO;
	return 0;
}

/* --- reading --- */

static bool too_deep(const char *text, size_t bytes)
{
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > DEPTH_MAX)
			return true;
		else if (!quoted && (text[i] == ']' || text[i] == '}'))
			depth--;
	}
	return false;
}

int json_parse(struct json **root, const char *text, size_t bytes, struct diag *diag)
{
	char said[JSON_ERROR_TEXT_LENGTH + 8];
	json_error_t error;
	json_t *value;

	if (too_deep(text, bytes))
		return diag_error(diag, -EINVAL,
			"JSON nested more than %d deep: write it flatter", DEPTH_MAX);
	value = json_loadb(text, bytes, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
	if (!value) {
		utf8_show(error.text, said, sizeof(said));
		return diag_error(diag, -EINVAL, "line %d is not JSON: %s", error.line, said);
	}
	*root = (struct json *)value;
	return 0;
}

const struct json *json_get(const struct json *object, const char *key)
{
	return (const struct json *)json_object_get(in_const(object), key);
}

const struct json *json_at(const struct json *array, size_t index)
{
	return (const struct json *)json_array_get(in_const(array), index);
}

size_t json_count(const struct json *value)
{
	size_t keys = json_object_size(in_const(value));

	return keys ? keys : json_array_size(in_const(value));
}

bool json_next(
	const struct json *object, void **at, const char **key, const struct json **value)
{
	/* jansson's iterators want to be able to change; ours never do. */
	json_t *from = (json_t *)(uintptr_t)object;

	*at = *at ? json_object_iter_next(from, *at) : json_object_iter(from);
	if (!*at)
		return false;
	*key = json_object_iter_key(*at);
	*value = (const struct json *)json_object_iter_value(*at);
	return true;
}

bool json_is_object(const struct json *value)
{
	return value && json_typeof(in_const(value)) == JSON_OBJECT;
}

bool json_is_array(const struct json *value)
{
	return value && json_typeof(in_const(value)) == JSON_ARRAY;
}

const char *json_text(const struct json *value)
{
	return json_string_value(in_const(value));
}

bool json_int(const struct json *value, int64_t *number)
{
	if (!value || json_typeof(in_const(value)) != JSON_INTEGER)
		return false;
	*number = json_integer_value(in_const(value));
	return true;
}

bool json_number(const struct json *value, double *number)
{
	if (!value || !json_is_number(in_const(value)))
		return false;
	*number = json_number_value(in_const(value));
	return true;
}

bool json_bool(const struct json *value, bool *truth)
{
	if (!value || !json_is_boolean(in_const(value)))
		return false;
	*truth = json_is_true(in_const(value));
	return true;
}
