/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare WEFT FOLDER - runs `WEFT pcap --json` on every capture that
 * FOLDER/expected.json names, and says where what it prints is not what stands there.
 * The output may hold more keys; lists must be as long, and objects whose keys are
 * numbers or opcodes must have no other keys.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/diag.h"
#include "lib/json.h"

static unsigned differences;

static void differ(const char *path, const char *what)
{
	printf("  %s: %s\n", path, what);
	differences++;
}

static void compare_values(
	const char *path, const struct json *expected, const struct json *got);

/* Keys that count what occurs: one that is not expected is an error. */
static bool is_census(const char *path)
{
	static const char *const names[] = { "/opcodes", "/dscp", "/priorities", "/naks",
		"/ecn" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(path) > strlen(names[i]) &&
			strcmp(path + strlen(path) - strlen(names[i]), names[i]) == 0)
			return true;
	return false;
}

static void compare_objects(
	const char *path, const struct json *expected, const struct json *got)
{
	const struct json *value;
	const char *key;
	char below[256];
	void *at = NULL;

	while (json_next(expected, &at, &key, &value)) {
		snprintf(below, sizeof(below), "%s/%s", path, key);
		if (!json_get(got, key))
			differ(below, "is not there");
		else if (strcmp(key, "about") != 0)
			compare_values(below, value, json_get(got, key));
	}
	if (is_census(path) && json_count(got) != json_count(expected))
		differ(path, "has keys that were not expected");
}

static void compare_values(
	const char *path, const struct json *expected, const struct json *got)
{
	double number, other;
	bool truth, other_truth;
	char below[256];

	if (json_is_object(expected)) {
		compare_objects(path, expected, got);
	} else if (json_is_array(expected)) {
		if (!json_is_array(got) || json_count(got) != json_count(expected)) {
			differ(path, "is no list of as many");
			return;
		}
		for (size_t i = 0; i < json_count(expected); i++) {
			snprintf(below, sizeof(below), "%s/%zu", path, i);
			compare_values(below, json_at(expected, i), json_at(got, i));
		}
	} else if (json_text(expected)) {
		if (!json_text(got) || strcmp(json_text(got), json_text(expected)) != 0)
			differ(path, "is another text");
	} else if (json_number(expected, &number)) {
		if (!json_number(got, &other) || fabs(other - number) > 0)
			differ(path, "is another number");
	} else if (json_bool(expected, &truth)) {
		if (!json_bool(got, &other_truth) || other_truth != truth)
			differ(path, "is not the same truth");
	} else if (json_is_object(got) || json_is_array(got) || json_text(got) ||
		   json_number(got, &other) || json_bool(got, &other_truth)) {
		differ(path, "is not null");
	}
}

/* All that a stream holds; freed by the caller. */
static char *read_all(FILE *file, size_t *size)
{
	size_t room = (size_t)1 << 22;
	char *text = malloc(room);

	if (!text)
		exit(2);
	*size = fread(text, 1, room, file);
	return text;
}

static struct json *parse(FILE *file, const char *name)
{
	struct json *root = NULL;
	struct diag diag;
	size_t size;
	char *text = read_all(file, &size);

	if (json_parse(&root, text, size, &diag)) {
		printf("%s: %s\n", name, diag.text);
		differences++;
	}
	free(text);
	return root;
}

static void try_capture(
	const char *weft, const char *folder, const char *name, const struct json *expected)
{
	char command[4096];
	struct json *got;
	FILE *pipe;
	int status;

	printf("%s\n", name);
	snprintf(command, sizeof(command), "'%s' pcap --json '%s/%s'", weft, folder, name);
	pipe = popen(command, "r");
	if (!pipe)
		exit(2);
	got = parse(pipe, name);
	status = pclose(pipe);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 2)
		differ(name, "did not end by itself");
	if (got)
		compare_values("", expected, got);
	json_free(got);
}

int main(int argc, char **argv)
{
	const struct json *value;
	struct json *expected;
	const char *name;
	char path[4096];
	void *at = NULL;
	unsigned count = 0;
	FILE *file;

	if (argc != 3)
		return 2;
	snprintf(path, sizeof(path), "%s/expected.json", argv[2]);
	file = fopen(path, "r");
	if (!file) {
		perror(path);
		return 2;
	}
	expected = parse(file, path);
	fclose(file);
	for (; json_next(expected, &at, &name, &value); count++)
		try_capture(argv[1], argv[2], name, value);
	json_free(expected);
	printf("%u captures, %u differences\n", count, differences);
	return differences || !count;
}
