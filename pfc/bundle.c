/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/bundle.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/clean.h"
#include "pfc/scan.h"

/* Words with which people name places; "hostA", "node1", "podB", "leaf1". */
static bool names_place(const char *word, size_t length)
{
	static const char *const starts[] = { "host", "node", "pod", "server", "switch", "leaf",
		"spine", "tor", "vm", "sender", "receiver", "client", "rank", "worker",
		"master", "gpu" };

	for (size_t i = 0; i < COUNT_OF(starts); i++) {
		size_t start = strlen(starts[i]);

		if (length < start || strncasecmp(word, starts[i], start) != 0)
			continue;
		if (length == start || length <= start + 1 ||
			strchr("-_.0123456789", word[start]))
			return true;
	}
	return false;
}

static size_t word_length(const char *text)
{
	return strcspn(text, " \t,:;()");
}

/* "60 s delta", "10s window", "delta over 30 s", "(delta)". */
static void read_window(const char *title, struct title *section)
{
	section->delta = scan_has(title, "delta") || scan_has(title, "difference") ||
			 scan_has(title, "per second");
	if (scan_has(title, "per second"))
		section->window_s = 1;
	if (!section->delta && !scan_has(title, "window"))
		return;
	section->delta = true;
	for (const char *at = title; *at; at++) {
		const char *end;
		double number;

		if (!isdigit((unsigned char)*at) || (at > title && !strchr(" ,(", at[-1])) ||
			!scan_number(at, &number, &end))
			continue;
		end += strspn(end, " ");
		if (strncmp(end, "ms", 2) == 0)
			section->window_s = number / 1000;
		else if (strncmp(end, "min", 3) == 0)
			section->window_s = number * 60;
		else if (*end == 's' && !isalnum((unsigned char)end[1]))
			section->window_s = number;
		else if (strncmp(end, "sec", 3) == 0)
			section->window_s = number;
		if (section->window_s > 0)
			return;
	}
}

/* The name at the end of "NCCL log, hostA" or "NCCL log on hostA" or
 * "ethtool -S ens1f0 (hostB)". */
static const char *trailing_place(const char *title, size_t *length)
{
	for (const char *at = title; *at; at++) {
		if ((at > title && !strchr(" (", at[-1])) ||
			!names_place(at, *length = word_length(at)))
			continue;
		if (*length > 4 && at > title &&
			(at[-1] == '(' || strncmp(at - 2, ", ", 2) == 0 ||
				(at - title > 3 && (strncmp(at - 4, " on ", 4) == 0 ||
							   strncmp(at - 4, " at ", 4) == 0))))
			return at;
	}
	return NULL;
}

/* A colon that parts place from command: "hostA: ", "hostA 10:00: ". */
static const char *parting_colon(const char *title)
{
	const char *colon = strstr(title, ": ");

	if (!colon && *title && title[strlen(title) - 1] == ':')
		colon = title + strlen(title) - 1;
	return colon;
}

/* Whether what stands before the colon may name a place: not a path, not a
 * sentence, not a log. */
static bool is_short_name(const char *title, const char *colon)
{
	static const char *const times[] = { "before", "after", "first", "second", "later",
		"now", "then", "day", "old", "new", "run", "step", "time", "reading", "t0",
		"t1", "at " };
	size_t length = (size_t)(colon - title);
	bool one_word = !memchr(title, ' ', length) && strcspn(title, "0123456789") < length;

	for (size_t i = 0; i < COUNT_OF(times); i++)
		if (strncasecmp(title, times[i], strlen(times[i])) == 0)
			return false;

	return length < 40 && !memchr(title, '/', length) && !memchr(title, ';', length) &&
	       (one_word || !memchr(title, '-', length)) && !scan_has(title, "log");
}

/* "server 192.0.2.1: HCCL log": the name has two words. */
static size_t two_words(const char *title, size_t length, const char *colon)
{
	const char *second = title + length + 1;

	if (title[length] != ' ' || !colon || colon < second ||
		!isdigit((unsigned char)*second) ||
		word_length(second) != (size_t)(colon - second))
		return length;
	return strchr(second, '.') && strchr(second, '.') < colon ? (size_t)(colon - title)
								  : length;
}

struct title bundle_title(const char *text)
{
	const char *colon = parting_colon(text);
	size_t length = word_length(text);
	struct title title = { .place = text, .what = text };

	if (names_place(text, length)) {
		title.place_length = two_words(text, length, colon);
		title.what = colon ? colon + 1 : text + length;
	} else if (colon && is_short_name(text, colon)) { /* "inside mpirun: ulimit -l" */
		title.place_length = strcspn(text, ":(,");
		title.what = colon + 1;
	} else {
		const char *trailing = trailing_place(text, &length);

		if (trailing) {
			title.place = trailing;
			title.place_length = length;
		}
	}
	while (title.place_length > 0 && title.place[title.place_length - 1] == ' ')
		title.place_length--;
	title.what += strspn(title.what, " ,");
	read_window(text, &title);
	return title;
}

static void add_section(struct bundle *bundle, const char *file, const char *text)
{
	struct title title = bundle_title(text);

	bundle->sections = grow(bundle->sections, bundle->section_count, &bundle->section_room,
		sizeof(*bundle->sections));
	bundle->sections[bundle->section_count++] = (struct section){
		.title = text,
		.place = arena_text(&bundle->arena, title.place, title.place_length),
		.what = title.what,
		.file = file,
		.delta = title.delta,
		.window_s = title.window_s,
		.first = bundle->line_count,
	};
}

static bool is_title(const char *line, size_t length)
{
	return length >= 6 && strncmp(line, "== ", 3) == 0 &&
	       strncmp(line + length - 3, " ==", 3) == 0;
}

static int check_bounds(const struct bundle *bundle, const char *name, const char *text,
	size_t bytes, struct diag *diag)
{
	if (bytes > BUNDLE_BYTES_MAX - bundle->bytes)
		return diag_error(diag, -E2BIG,
			"%s: more than %u MiB of text: cut it to the lines that matter", name,
			BUNDLE_BYTES_MAX >> 20);
	if (memchr(text, '\0', bytes))
		return diag_error(diag, -EILSEQ,
			"%s: holds a NUL byte, so it is not text: expected what tools print",
			name);
	return 0;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t")] == '\0';
}

static bool has_lines(const struct bundle *bundle, const struct section *section)
{
	for (size_t i = 0; i < section->count; i++)
		if (!is_blank(bundle->lines[section->first + i].text))
			return true;
	return false;
}

/* A file while it is read. */
struct reading {
	const char *file;
	bool open;            /* there is a section */
	struct section title; /* as the last title between "==" made it; place "": none */
};

/* A command behind a prompt is a title. Where nothing was read of the section above yet, it
 * is that one's command; what a title between "==" tells of place and window stays. */
static void add_command(
	struct bundle *bundle, const struct reading *reading, const struct prompt *prompt)
{
	const struct section *title = &reading->title;
	struct section *section =
		reading->open ? &bundle->sections[bundle->section_count - 1] : NULL;
	size_t length = prompt->host_length < 100 ? prompt->host_length : 100;
	char text[BUNDLE_LINE_MAX + 128]; /* lists of hosts are long */

	if (section && !has_lines(bundle, section)) {
		if (scan_has(section->title, prompt->command))
			return;
		bundle->section_count--;
	}
	if (*title->place)
		snprintf(text, sizeof(text), "%.100s: %s", title->place, prompt->command);
	else if (length == 0)
		snprintf(text, sizeof(text), "%s", prompt->command);
	else
		snprintf(text, sizeof(text), "%.*s: %s", (int)length, prompt->host,
			prompt->command);
	add_section(bundle, reading->file, arena_text(&bundle->arena, text, strlen(text)));
	section = &bundle->sections[bundle->section_count - 1];
	section->place =
		*title->place ? title->place : arena_text(&bundle->arena, prompt->host, length);
	if (title->delta && !section->delta) {
		section->delta = true;
		section->window_s = title->window_s;
	}
}

static void add_line(struct bundle *bundle, const char *text, uint32_t number)
{
	bundle->lines = grow(
		bundle->lines, bundle->line_count, &bundle->line_room, sizeof(*bundle->lines));
	bundle->lines[bundle->line_count++] = (struct line){ text, number };
	bundle->sections[bundle->section_count - 1].count++;
}

/* One line of a file, cleaned. */
static void take_line(struct bundle *bundle, struct reading *reading, const char *line,
	size_t length, uint32_t number)
{
	char *text = arena_text(&bundle->arena, line, length);
	struct prompt prompt;
	size_t indent;

	length = clean_line(text, length);
	text[length] = '\0';
	indent = strspn(text, " \t");
	if (is_title(text + indent, length - indent)) {
		add_section(bundle, reading->file,
			arena_text(&bundle->arena, text + indent + 3, length - indent - 6));
		reading->title = bundle->sections[bundle->section_count - 1];
		reading->open = true;
	} else if (clean_prompt(text, &prompt)) {
		if (!*prompt.command)
			return;
		add_command(bundle, reading, &prompt);
		reading->open = true;
	} else if (!clean_is_fence(text)) {
		if (!reading->open)
			add_section(bundle, reading->file, reading->file);
		reading->open = true;
		add_line(bundle, text, number);
	}
}

/* Without blank lines at both ends, and without the indent that all lines have. */
static void trim_section(struct bundle *bundle, struct section *section)
{
	size_t indent = SIZE_MAX;

	while (section->count > 0 && is_blank(bundle->lines[section->first].text)) {
		section->first++;
		section->count--;
	}
	while (section->count > 0 &&
		is_blank(bundle->lines[section->first + section->count - 1].text))
		section->count--;
	for (size_t i = 0; i < section->count; i++) {
		const char *text = bundle->lines[section->first + i].text;
		size_t blanks = strspn(text, " ");

		if (!is_blank(text) && blanks < indent)
			indent = blanks;
	}
	for (size_t i = 0; i < section->count && indent > 0; i++) {
		struct line *line = &bundle->lines[section->first + i];

		line->text += is_blank(line->text) ? strlen(line->text) : indent;
	}
}

int bundle_add(struct bundle *bundle, const char *name, const char *text, size_t bytes,
	struct diag *diag)
{
	struct reading reading = { .file = arena_text(&bundle->arena, name, strlen(name)),
		.title = { .place = "" } };
	const char *end = text + bytes;
	size_t first = bundle->section_count;
	uint32_t number = 0;
	int err = check_bounds(bundle, name, text, bytes, diag);

	if (err)
		return err;
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((newline ? newline : end) - line);

		number++;
		if (length > BUNDLE_LINE_MAX)
			return diag_error(diag, -E2BIG,
				"%s: line %u has %zu bytes: expected at most %u", name, number,
				length, BUNDLE_LINE_MAX);
		take_line(bundle, &reading, line, length, number);
		line = newline ? newline + 1 : end;
	}
	for (size_t i = first; i < bundle->section_count; i++)
		trim_section(bundle, &bundle->sections[i]);
	bundle->bytes += bytes;
	return 0;
}

void bundle_free(struct bundle *bundle)
{
	arena_free(&bundle->arena);
	free(bundle->sections);
	free(bundle->lines);
	*bundle = (struct bundle)BUNDLE_INIT;
}
