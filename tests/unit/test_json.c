/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "lib/utf8.h"

/* What json_write() writes, without the newline; free() it. */
static char *written(const struct json *root)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(json_write(out, root), 0);
	fclose(out);
	assert_int_equal(text[bytes - 1], '\n');
	text[bytes - 1] = '\0';
	return text;
}

static const struct double_case {
	const char *name;
	double value;
	const char *want;
} doubles[] = {
	{ "a tenth", 0.1, "0.1" },
	{ "a whole number", 5, "5.0" },
	{ "rounded to 12 digits", 1.0 / 3, "0.333333333333" },
	{ "a sum that is not exact", 0.1 + 0.2, "0.3" },
	{ "large", 96.08e9, "96080000000.0" },
	{ "small", 3e-9, "3e-9" },
	{ "minus nothing", -0.0, "0.0" },
	{ "not a number", NAN, "null" },
	{ "endless", INFINITY, "null" },
};

static void a_double_has_one_text(void **state)
{
	const struct double_case *c = *state;
	struct json *root = json_new_array();
	char *text;

	json_add_double(root, c->value);
	text = written(json_at(root, 0));
	assert_string_equal(text, c->want);
	free(text);
	json_free(root);
}

static const struct text_case {
	const char *name, *text, *want;
} texts[] = {
	{ "plain", "leaf1:9", "\"leaf1:9\"" },
	{ "no text", NULL, "null" },
	{ "Chinese", "\xe5\x8f\x82\xe6\x95\xb0\xe9\x9d\xa2",
		"\"\xe5\x8f\x82\xe6\x95\xb0\xe9\x9d\xa2\"" },
	{ "four bytes", "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
	{ "quote and newline", "a\"\n\\", "\"a\\\"\\n\\\\\"" },
	{ "terminal control", "\x1b[2J", "\"\\u001B[2J\"" },
	{ "stray byte",
		"a\xff"
		"b",
		"\"a\xef\xbf\xbd"
		"b\"" },
	{ "cut character", "\xe5\x8f", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "overlong slash", "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "overlong in three", "\xe0\x80\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "surrogate", "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "above the last", "\xf4\x90\x80\x80",
		"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
};

static void text_is_valid_whatever_was_given(void **state)
{
	const struct text_case *c = *state;
	struct json *root = json_new_array();
	char *text;

	json_add_text(root, c->text);
	text = written(json_at(root, 0));
	assert_string_equal(text, c->want);
	free(text);
	json_free(root);
}

/* The parser's own words hold the text that it stumbled on. */
static void a_refusal_is_one_line_without_control(void **state)
{
	static const char *const broken[] = { "{\"a\\\n\": 1}", "[\"\x1b[2J\\x\"]",
		"{\"subj\x7f\\\n", "\xff\xfe" };
	struct json *root;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(broken); i++) {
		assert_int_equal(
			json_parse(&root, broken[i], strlen(broken[i]), &diag), -EINVAL);
		assert_non_null(strstr(diag.text, "is not JSON: "));
		assert_false(utf8_has_control(diag.text));
	}
}

static void keys_keep_their_order(void **state)
{
	struct json *root = json_new_object(), *list, *inner;
	char *text;

	(void)state;
	json_put_text(root, "zebra", "z");
	json_put_u64(root, "apple", INT64_MAX);
	json_put_u64(root, "none", UINT64_MAX);
	json_put_i64(root, "minus", -3);
	json_put_bool(root, "yes", true);
	json_put_null(root, "nothing");
	json_put_double(root, "half", 0.5);
	list = json_put_array(root, "list");
	json_add_u64(list, 1);
	json_add_i64(list, -1);
	json_add_bool(list, false);
	json_add_null(list);
	json_add_array(list);
	inner = json_add_object(list);
	json_put_object(inner, "empty");
	json_put_text(root, "zebra", "later");
	text = written(root);
	assert_string_equal(text, "{\n"
				  "  \"zebra\": \"later\",\n"
				  "  \"apple\": 9223372036854775807,\n"
				  "  \"none\": null,\n"
				  "  \"minus\": -3,\n"
				  "  \"yes\": true,\n"
				  "  \"nothing\": null,\n"
				  "  \"half\": 0.5,\n"
				  "  \"list\": [\n"
				  "    1,\n"
				  "    -1,\n"
				  "    false,\n"
				  "    null,\n"
				  "    [],\n"
				  "    {\n"
				  "      \"empty\": {}\n"
				  "    }\n"
				  "  ]\n"
				  "}");
	free(text);
	json_free(root);
	json_free(NULL);
}

static void a_full_disk_is_an_error(void **state)
{
	struct json *root = json_new_object();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	json_put_text(root, "key", "value");
	assert_int_equal(json_write(full, root), -ENOSPC);
	fclose(full);
	json_free(root);
}

static void a_document_is_read_by_key_and_index(void **state)
{
	static const char text[] = "{\"a\": [1, -2.5, \"x\", true, null], \"b\": {\"c\": 3}}";
	const struct json *value, *a;
	const char *key;
	struct json *root;
	struct diag diag;
	void *at = NULL;
	int64_t number;
	double real;
	bool truth;

	(void)state;
	assert_int_equal(json_parse(&root, text, sizeof(text) - 1, &diag), 0);
	a = json_get(root, "a");
	assert_true(json_is_object(root) && json_is_array(a) && !json_is_array(root));
	assert_int_equal(json_count(a), 5);
	assert_int_equal(json_count(root), 2);
	assert_true(json_int(json_at(a, 0), &number) && number == 1);
	assert_false(json_int(json_at(a, 1), &number));
	assert_true(json_number(json_at(a, 1), &real) && real < -2.4 && real > -2.6);
	assert_string_equal(json_text(json_at(a, 2)), "x");
	assert_true(json_bool(json_at(a, 3), &truth) && truth);
	assert_null(json_at(a, 5));
	assert_null(json_get(json_get(json_get(root, "no"), "such"), "key"));
	assert_null(json_text(json_at(a, 0)));
	assert_int_equal(json_count(NULL), 0);
	assert_true(json_next(root, &at, &key, &value));
	assert_string_equal(key, "a");
	assert_true(json_next(root, &at, &key, &value));
	assert_string_equal(key, "b");
	assert_true(json_int(json_get(value, "c"), &number) && number == 3);
	assert_false(json_next(root, &at, &key, &value));
	json_free(root);
}

static void what_is_no_json_is_refused_with_its_line(void **state)
{
	static char deep[1000];
	struct json *root = NULL;
	struct diag diag;

	(void)state;
	assert_int_equal(json_parse(&root, "{\n\"a\": }", 8, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "line 2"));
	assert_int_equal(json_parse(&root, "", 0, &diag), -EINVAL);
	memset(deep, '[', sizeof(deep));
	assert_int_equal(json_parse(&root, deep, sizeof(deep), &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "200 deep"));
	assert_null(root);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(doubles) + COUNT_OF(texts) + 5] = {
		cmocka_unit_test(a_refusal_is_one_line_without_control),
		cmocka_unit_test(keys_keep_their_order),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_document_is_read_by_key_and_index),
		cmocka_unit_test(what_is_no_json_is_refused_with_its_line),
	};
	size_t count = 5;

	for (size_t i = 0; i < COUNT_OF(doubles); i++)
		tests[count++] = (struct CMUnitTest){
			.name = doubles[i].name,
			.test_func = a_double_has_one_text,
			.initial_state = (void *)(uintptr_t)&doubles[i],
		};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		tests[count++] = (struct CMUnitTest){
			.name = texts[i].name,
			.test_func = text_is_valid_whatever_was_given,
			.initial_state = (void *)(uintptr_t)&texts[i],
		};
	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
