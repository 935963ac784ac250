/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage FOLDER [--all] - cuts each capture of FOLDER at every byte, and changes every
 * byte of it, and asks each time that
 *   what lies whole before the damage is counted, and a cut file counts just that;
 *   the end of a cut file is said to be cut exactly when it lies inside a record;
 *   what is refused or given up has a sentence that points to where the damage is;
 * and of some that the command itself ends with status 0, 1 or 2, at most one line on
 * stderr and something on stdout.
 * Of large files only the bytes near the bounds of records are tried, all with --all, and
 * then in more ways.
 * Where records begin is found here without the reader that is tested.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/bytes.h"
#include "tests/wire/read.h"

#define FILE_MOST ((size_t)1 << 20)
#define PARTS_MOST 1024u
#define SMALL_BYTES 7000u
/* Of large files: so many bytes from the start of each record on, and before its end. */
#define NEAR_START 24u
#define NEAR_END 4u
/* The command is tried with one damage of so many. */
#define COMMAND_EVERY 61u

int cmd_pcap(int argc, char **argv);

/* A header, record or block. */
struct part {
	size_t start, end;
	bool record;
};

struct whole {
	const char *name;
	uint8_t bytes[FILE_MOST];
	size_t size;
	struct part parts[PARTS_MOST];
	unsigned count;
	uint64_t tried, commands;
};

static unsigned failures;

static void fail(const struct whole *file, const char *damage, size_t at, const char *what)
{
	printf("%s, %s %zu: %s\n", file->name, damage, at, what);
	failures++;
}

/* Bytes, the bounds of its parts; what lies behind the last whole part is none. */
static size_t next_part(struct whole *file, size_t at, bool ng, bool *big)
{
	const uint8_t *bytes = file->bytes + at;
	struct part *part = &file->parts[file->count];
	uint32_t type;

	if (!ng) {
		uint32_t captured = *big ? be32_at(bytes + 8) : le32_at(bytes + 8);

		*part = (struct part){ at, at + 16 + captured, true };
		return part->end;
	}
	if (be32_at(bytes) == 0x0a0d0d0a)
		*big = be32_at(bytes + 8) == 0x1a2b3c4d;
	type = *big ? be32_at(bytes) : le32_at(bytes);
	*part = (struct part){ at, at + (*big ? be32_at(bytes + 4) : le32_at(bytes + 4)),
		type == 2 || type == 3 || type == 6 };
	return part->end;
}

static void find_parts(struct whole *file)
{
	bool ng = be32_at(file->bytes) == 0x0a0d0d0a;
	bool big = (be32_at(file->bytes) & 0xffff0000) == 0xa1b20000;
	size_t at = 0;

	file->count = 0;
	if (!ng) {
		file->parts[file->count++] = (struct part){ 0, 24, false };
		at = 24;
	}
	while (at + 16 <= file->size && file->count < PARTS_MOST) {
		at = next_part(file, at, ng, &big);
		if (at > file->size)
			break;
		file->count++;
	}
}

/* How many records end at or before this byte. */
static uint64_t records_before(const struct whole *file, size_t at)
{
	uint64_t records = 0;

	for (unsigned i = 0; i < file->count && file->parts[i].end <= at; i++)
		records += file->parts[i].record;
	return records;
}

/* The last part that begins at or before this byte. */
static const struct part *part_of(const struct whole *file, size_t at)
{
	unsigned i = file->count - 1;

	while (i > 0 && file->parts[i].start > at)
		i--;
	return &file->parts[i];
}

static uint64_t add_up(uint64_t sum, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* A number that stands for all that is counted. */
static uint64_t counts(const struct read *read)
{
	const struct wire *wire = &read->wire;
	const uint64_t single[] = { wire->records, wire->wire_bytes, wire->captured_bytes,
		wire->first_ns, wire->last_ns, wire->roce_v1, wire->roce_v2, wire->bth_cut,
		wire->malformed, wire->mac_control, wire->other, wire->flows.live,
		wire->events.count, wire->pause.pfc };
	uint64_t sum = add_up(1, single, sizeof(single));

	sum = add_up(sum, wire->opcodes, sizeof(wire->opcodes));
	sum = add_up(sum, wire->icrc, sizeof(wire->icrc));
	return add_up(sum, &wire->sums, sizeof(wire->sums));
}

static bool finds(const struct read *read, const char *check)
{
	for (size_t i = 0; i < read->findings.count; i++)
		if (strcmp(read->findings.items[i].check, check) == 0)
			return true;
	return false;
}

/* A copy of just that size, so that reading behind it is an error that ASan sees. */
static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(2);
	memcpy(copy, bytes, size);
	return copy;
}

/* The command itself, its streams led into files; returns its status. */
static int run_command(int capture, int out, int err)
{
	char path[64], json[] = "--json", flows[] = "--flows";
	static bool as_json;
	char *args[] = { as_json ? json : flows, path, NULL };
	int kept_out = dup(STDOUT_FILENO), kept_err = dup(STDERR_FILENO), status;

	as_json = !as_json;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", capture);
	fflush(stdout);
	if (kept_out < 0 || kept_err < 0 || dup2(out, STDOUT_FILENO) < 0 ||
		dup2(err, STDERR_FILENO) < 0)
		exit(2);
	status = cmd_pcap(2, args);
	fflush(stdout);
	fflush(stderr);
	dup2(kept_out, STDOUT_FILENO);
	dup2(kept_err, STDERR_FILENO);
	close(kept_out);
	close(kept_err);
	return status;
}

#define TEXT_BYTES 4096u

/* Reads the beginning of what was written, and counts its lines. */
static size_t lines_in(int fd, char text[TEXT_BYTES])
{
	ssize_t got = pread(fd, text, TEXT_BYTES - 1, 0);
	size_t lines = 0;

	text[got > 0 ? got : 0] = '\0';
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	return lines;
}

static void try_command(struct whole *file, const char *damage, size_t at, const uint8_t *bytes,
	size_t size, const struct read *read)
{
	int capture = memfd_create("capture", 0), out = memfd_create("out", 0);
	int err = memfd_create("err", 0), status;
	char said[TEXT_BYTES], printed[TEXT_BYTES];
	size_t lines;

	if (capture < 0 || out < 0 || err < 0 || write(capture, bytes, size) != (ssize_t)size)
		exit(2);
	status = run_command(capture, out, err);
	file->commands++;
	lines = lines_in(err, said);
	if (status < 0 || status > 2)
		fail(file, damage, at, "the status is none of 0, 1 and 2");
	if (lines != (read->end != 0) || (read->end && !strstr(said, read->diag.text)))
		fail(file, damage, at, "stderr does not hold the sentence, or holds more");
	if ((lines_in(out, printed) == 0) == (read->capture != NULL))
		fail(file, damage, at,
			"stdout holds nothing, or something of what was refused");
	if (!read->capture && status != 2)
		fail(file, damage, at, "what was refused is not status 2");
	close(capture);
	close(out);
	close(err);
}

static const struct wire_options options = { .flows_most = 64 };

/* bounds: what was counted of the whole parts before. */
static void try_cut(struct whole *file, size_t size, uint64_t *bound)
{
	uint8_t *bytes = copy_of(file->bytes, size);
	const struct part *part = size ? part_of(file, size - 1) : &file->parts[0];
	bool inside = part->end != size;
	struct read read;

	read_bytes(&read, bytes, size, &options);
	if (size < file->parts[0].end) {
		if (read.capture || !read.diag.text[0])
			fail(file, "cut at", size, "is not refused with a sentence");
	} else {
		if (read.end)
			fail(file, "cut at", size, read.diag.text);
		if (read.wire.records != records_before(file, size))
			fail(file, "cut at", size, "other records than those that are whole");
		if (capture_info(read.capture)->cut_last_record != inside ||
			finds(&read, "wire.cut") != inside)
			fail(file, "cut at", size, "a cut is not told, or told without one");
		if (!inside)
			*bound = counts(&read);
		else if (*bound != counts(&read))
			fail(file, "cut at", size,
				"counts more, or less, than the whole records");
	}
	if (++file->tried % COMMAND_EVERY == 0)
		try_command(file, "cut at", size, bytes, size, &read);
	read_free(&read);
	free(bytes);
}

static void check_place(
	struct whole *file, size_t at, const struct part *part, const char *sentence)
{
	const char *place = strstr(sentence, " byte ");
	size_t byte = place ? strtoull(place + 6, NULL, 10) : 0;

	if (!place || byte < part->start || byte > file->size)
		fail(file, "changed at", at, sentence);
}

static void try_change(struct whole *file, size_t at, uint8_t mask)
{
	uint8_t *bytes = copy_of(file->bytes, file->size);
	const struct part *part = part_of(file, at);
	struct read read;

	bytes[at] ^= mask;
	read_bytes(&read, bytes, file->size, &options);
	if (!read.capture) {
		if (part != &file->parts[0] || !read.diag.text[0])
			fail(file, "changed at", at, "is refused, or without a sentence");
	} else {
		if (read.wire.records < records_before(file, at))
			fail(file, "changed at", at, "records before it are not counted");
		if (read.end)
			check_place(file, at, part, read.diag.text);
		if ((read.end != 0) != finds(&read, "wire.damaged"))
			fail(file, "changed at", at, "damage is not told, or told without any");
	}
	if (++file->tried % COMMAND_EVERY == 0)
		try_command(file, "changed at", at, bytes, file->size, &read);
	read_free(&read);
	free(bytes);
}

static bool is_near(const struct whole *file, size_t at)
{
	const struct part *part = part_of(file, at);

	return at < part->start + NEAR_START || at + NEAR_END >= part->end;
}

static void try_file(struct whole *file, bool all)
{
	static const uint8_t masks[] = { 0xff, 0x01, 0x80, 0x04 };
	bool every = all || file->size <= SMALL_BYTES;
	unsigned kinds = all ? sizeof(masks) : every ? 2 : 1;
	uint64_t bound = 0;

	file->tried = file->commands = 0;
	find_parts(file);
	for (size_t at = 0; at <= file->size; at++)
		if (every || is_near(file, at))
			try_cut(file, at, &bound);
	for (size_t at = 0; at < file->size; at++)
		if (every || is_near(file, at))
			for (unsigned i = 0; i < kinds; i++)
				try_change(file, at, masks[i]);
	printf("%s: %" PRIu64 " damages, %" PRIu64 " through the command\n", file->name,
		file->tried, file->commands);
}

static int is_capture(const struct dirent *entry)
{
	return strstr(entry->d_name, ".pcap") != NULL;
}

int main(int argc, char **argv)
{
	static struct whole file;
	struct dirent **entries;
	char path[4096];
	FILE *stream;
	int count;

	if (argc < 2 || (argc > 2 && strcmp(argv[2], "--all") != 0))
		return 2;
	count = scandir(argv[1], &entries, is_capture, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
		stream = fopen(path, "rb");
		if (!stream)
			return 2;
		file.name = entries[i]->d_name;
		file.size = fread(file.bytes, 1, sizeof(file.bytes), stream);
		fclose(stream);
		try_file(&file, argc > 2);
		free(entries[i]);
	}
	if (count > 0)
		free(entries);
	printf("%d captures, %u failures\n", count, failures);
	return failures || count <= 0;
}
