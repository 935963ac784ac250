/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taps WEFT - a conversation cut into two files is of one tap; the same one captured at
 * two places is of two, whatever their clocks say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "tests/wire/script.h"

static unsigned differences;

static void check(const char *what, uint64_t got, uint64_t expected)
{
	printf("%s: %llu, expected %llu\n", what, (unsigned long long)got,
		(unsigned long long)expected);
	differences += got != expected;
}

static void put_file(const char *path, const struct made_packet *packets, size_t count)
{
	struct buffer bytes = BUFFER_INIT;
	FILE *file = fopen(path, "w");

	made_capture(&bytes, FILE_PCAP_NS, AROUND_ETHERNET, packets, count, 0);
	if (!file || fwrite(bytes.bytes, 1, bytes.count, file) != bytes.count || fclose(file))
		exit(2);
	buffer_free(&bytes);
}

static void tell(const char *weft, const char *first, const char *second, uint64_t taps)
{
	static char text[1 << 20];
	struct json *root = NULL;
	const struct json *files;
	struct diag diag;
	char command[4096];
	int64_t last = 0, repeated = -1;
	FILE *pipe;
	size_t size;

	snprintf(command, sizeof(command), "'%s' pcap --json '%s' '%s'", weft, first, second);
	pipe = popen(command, "r");
	size = pipe ? fread(text, 1, sizeof(text), pipe) : 0;
	check("exit status", pipe ? (uint64_t)pclose(pipe) : 1, 0);
	if (json_parse(&root, text, size, &diag))
		exit(2);
	files = json_get(root, "files");
	for (size_t i = 0; i < 2; i++) {
		int64_t tap;

		if (json_int(json_get(json_at(files, i), "tap"), &tap) && tap > last)
			last = tap;
	}
	check("taps", (uint64_t)last + 1, taps);
	(void)json_int(json_get(json_get(root, "connections"), "repeated"), &repeated);
	check("repeated", (uint64_t)repeated, 0);
	json_free(root);
}

static void shift(struct script *script, uint64_t by_ns)
{
	for (size_t i = 0; i < script->count; i++)
		script->packets[i].time_ns += by_ns;
}

int main(int argc, char **argv)
{
	static const uint64_t clocks_ns[] = { 5000, 20 * NS_PER_MS, 3600 * NS_PER_S };
	char folder[] = "weft-taps-XXXXXX", first[64], second[64];
	struct script script;

	if (argc != 2 || !mkdtemp(folder))
		return 2;
	snprintf(first, sizeof(first), "%s/1.pcap", folder);
	snprintf(second, sizeof(second), "%s/2.pcap", folder);
	script_write(&script, &script_kinds[0], 1);

	put_file(first, script.packets, script.count / 2);
	put_file(second, script.packets + script.count / 2, script.count - script.count / 2);
	tell(argv[1], first, second, 1);
	put_file(first, script.packets, script.count);
	for (size_t i = 0; i < sizeof(clocks_ns) / sizeof(clocks_ns[0]); i++) {
		shift(&script, clocks_ns[i]);
		put_file(second, script.packets, script.count);
		tell(argv[1], first, second, 2);
	}
	script_free(&script);
	unlink(first);
	unlink(second);
	rmdir(folder);
	return differences > 0;
}
