/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/yaml_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "lib/utf8.h"

#define KEY_BYTES_MAX 32u

static int parse_bool(const char *text, uint64_t *number)
{
	static const char *const words[] = { "no", "yes", "off", "on", "false", "true" };

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strcmp(text, words[i]) == 0) {
			*number = i & 1;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_choice(const char *choices, const char *text, uint64_t *number)
{
	size_t size = strlen(text);

	for (uint64_t i = 0;; i++) {
		size_t length = strcspn(choices, "|");

		if (length == size && memcmp(choices, text, size) == 0) {
			*number = i;
			return 0;
		}
		if (choices[length] == '\0')
			return -EINVAL;
		choices += length + 1;
	}
}

static void print_expected(const struct yaml_key *key, char *text, size_t size)
{
	char min[QUANTITY_TEXT], max[QUANTITY_TEXT];

	switch (key->kind) {
	case YAML_QUANTITY:
		quantity_print(key->quantity, key->min, min);
		quantity_print(key->quantity, key->max, max);
		snprintf(text, size, "%s, %s to %s", quantity_hint(key->quantity), min, max);
		return;
	case YAML_BOOL:
		snprintf(text, size, "yes or no");
		return;
	case YAML_CHOICE:
		snprintf(text, size, "one of %s", key->choices);
		return;
	case YAML_TEXT:
		snprintf(text, size, "%" PRIu64 " to %" PRIu64 " bytes of text", key->min,
			key->max);
		return;
	case YAML_END:
	case YAML_MAP:
	case YAML_LIST:
		break;
	}
	snprintf(text, size, "nothing");
}

int yaml_value_parse(const struct yaml_key *key, const char *text, uint64_t *number,
	char *sentence, size_t size)
{
	char shown[UTF8_CLIP], expected[160];
	int err = -EINVAL;

	*number = 0;
	if (key->kind == YAML_QUANTITY) {
		err = quantity_parse(key->quantity, text, number);
		if (!err && (*number < key->min || *number > key->max))
			err = -ERANGE;
	} else if (key->kind == YAML_BOOL) {
		err = parse_bool(text, number);
	} else if (key->kind == YAML_CHOICE) {
		err = parse_choice(key->choices, text, number);
	} else if (key->kind == YAML_TEXT) {
		err = strlen(text) < key->min || strlen(text) > key->max ? -ERANGE : 0;
	}
	if (!err)
		return 0;
	utf8_clip(text, shown);
	print_expected(key, expected, sizeof(expected));
	snprintf(sentence, size, "\"%s\": expected %s", shown, expected);
	return -EINVAL;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many letters must be put in, taken out or changed. */
static unsigned distance(const char *a, const char *b)
{
	size_t length = strlen(b);
	unsigned row[KEY_BYTES_MAX + 1];

	if (strnlen(a, KEY_BYTES_MAX + 1) > KEY_BYTES_MAX || length > KEY_BYTES_MAX)
		return KEY_BYTES_MAX;
	for (unsigned i = 0; i <= length; i++)
		row[i] = i;
	for (; *a; a++) {
		unsigned corner = row[0]++;

		for (size_t i = 0; i < length; i++) {
			unsigned change = corner + (*a != b[i]);

			corner = row[i + 1];
			row[i + 1] = least(change, least(row[i], row[i + 1]) + 1);
		}
	}
	return row[length];
}

void yaml_key_hint(const struct yaml_key *keys, const char *text, char *hint, size_t size)
{
	const struct yaml_key *nearest = NULL;
	unsigned best = strlen(text) < 4 ? 2 : 3;
	size_t used;

	for (const struct yaml_key *key = keys; key->kind != YAML_END; key++) {
		unsigned off = distance(text, key->name);

		if (off < best) {
			best = off;
			nearest = key;
		}
	}
	if (nearest) {
		snprintf(hint, size, "did you mean \"%s\"", nearest->name);
		return;
	}
	used = (size_t)snprintf(hint, size, "expected");
	for (; keys->kind != YAML_END && used + strlen(keys->name) + 8 < size; keys++)
		used += (size_t)snprintf(
			hint + used, size - used, "%s %s", used > 8 ? "," : "", keys->name);
	if (keys->kind != YAML_END)
		snprintf(hint + used, size - used, ", ...");
}
